//! Sine and cosine of intervals.
//!
//! Between two multiples of pi/2 both functions are monotone, so the extremes over an interval are at its ends or are ±1 at a multiple of
//! pi/2 inside. Multiples that may lie inside are found with an enclosure of pi/2: one that does not but nearly does costs nothing,
//! because the function there differs from ±1 by less than a rounding.

use super::{Interval, next_down, next_up};
use crate::math::trig::{MAX_ANGLE, SIN_COS_ERROR, sin_cos};

impl Interval {
    /// All sines; [-1, 1] for angles beyond [`MAX_ANGLE`].
    pub fn sin(self) -> Interval {
        self.sin_cos().0
    }

    /// All cosines; [-1, 1] for angles beyond [`MAX_ANGLE`].
    pub fn cos(self) -> Interval {
        self.sin_cos().1
    }

    /// All sines and all cosines; [-1, 1] for angles beyond [`MAX_ANGLE`].
    pub fn sin_cos(self) -> (Interval, Interval) {
        if !(self.magnitude() <= MAX_ANGLE) {
            return (UNIT, UNIT);
        }
        let ((sin_lo, cos_lo), (sin_hi, cos_hi)) = (at(self.lo), at(self.hi));
        let quarters = QuarterTurns::inside(self);
        (quarters.extend(sin_lo.hull(sin_hi), 1), quarters.extend(cos_lo.hull(cos_hi), 0))
    }
}

const UNIT: Interval = Interval { lo: -1.0, hi: 1.0 };

/// Up to this |x|, x - x^3/6 differs from x by less than half a unit in the last place: x^2/6 < 2^-54.
const SMALL: f64 = 1.0 / (1u64 << 26) as f64;

/// Enclosures of sine and cosine of one angle within [`MAX_ANGLE`].
fn at(x: f64) -> (Interval, Interval) {
    if x == 0.0 {
        return (Interval::ZERO, Interval::ONE);
    }
    let (s, c) = sin_cos(x);
    let sin = if x.abs() <= SMALL { small_sin(x) } else { clamped(s) };
    (sin, clamped(c))
}

/// For 0 < x <= SMALL: x (1 - x^2/6) < sin x < x, and the lower bound is above the number before x.
fn small_sin(x: f64) -> Interval {
    if x > 0.0 { Interval { lo: next_down(x), hi: x } } else { Interval { lo: x, hi: next_up(x) } }
}

/// What is within the error of [`sin_cos`] of a computed value, and within [-1, 1].
fn clamped(value: f64) -> Interval {
    let wide = Interval::around(value, SIN_COS_ERROR);
    Interval { lo: wide.lo.max(-1.0), hi: wide.hi.min(1.0) }
}

/// The numbers k for which k pi/2 may lie in an interval: from `first` to `last`, none if `last < first`.
struct QuarterTurns {
    first: i64,
    last: i64,
}

impl QuarterTurns {
    fn inside(angles: Interval) -> Self {
        let turns = angles / (Interval::PI * 0.5);
        QuarterTurns { first: turns.lo.ceil() as i64, last: turns.hi.floor() as i64 }
    }

    /// `ends` extended to 1 if a `k = top (mod 4)` is inside, and to -1 if a `k = top + 2 (mod 4)` is.
    fn extend(&self, ends: Interval, top: i64) -> Interval {
        let has = |residue: i64| self.first + (residue - self.first).rem_euclid(4) <= self.last;
        Interval { lo: if has(top + 2) { -1.0 } else { ends.lo }, hi: if has(top) { 1.0 } else { ends.hi } }
    }
}
