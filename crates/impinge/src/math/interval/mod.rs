//! Intervals of real numbers whose ends are `f64`: every operation encloses every possible result:
//! if x is in X and y in Y, then x + y is in X + Y, sin x in X.sin(), and so on.
//!
//! An interval is closed and never empty; an end may be infinite, the other then is not the same infinity. What would be empty or not a
//! number (NaN input, ends in the wrong order, a division by exactly zero, the root of something negative) is the whole line: it proves
//! nothing. Otherwise operations follow IEEE 1788 (set-based). Ends of `+ - * /` and `sqrt` are the best possible: exact when the result
//! is representable, else the neighbour on the outer side (`directed.rs`). Nothing here changes or reads the rounding mode or uses fused
//! operations.
//!
//! Not here: decorations, reverse operations, exponentials.

mod arithmetic;
mod directed;
pub(crate) mod taylor;
mod trig;
mod vector;

#[cfg(test)]
mod tests;

pub(crate) use taylor::{Varying, VaryingMat3, VaryingVec3};
pub use vector::{IntervalMat3, IntervalVec3};

use super::rounding::{next_down, next_up};
use directed::{add_up, sub_up};

/// All real numbers between two ends, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    lo: f64,
    hi: f64,
}

impl Interval {
    /// Every real number.
    pub const WHOLE: Interval = Interval { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
    /// Zero alone.
    pub const ZERO: Interval = Interval { lo: 0.0, hi: 0.0 };
    /// One alone.
    pub const ONE: Interval = Interval { lo: 1.0, hi: 1.0 };
    /// The number pi lies strictly between these neighbours.
    pub const PI: Interval = Interval { lo: std::f64::consts::PI, hi: f64::from_bits(0x4009_21FB_5444_2D19) };

    /// From `lo` to `hi`; the whole line if an end is NaN or they are in the wrong order.
    ///
    /// A bound at infinity on its own side stands for "a number too large to write": `new(inf, inf)` is `[f64::MAX, inf]`.
    #[inline]
    pub fn new(lo: f64, hi: f64) -> Self {
        if lo <= hi { Interval { lo: lo.min(f64::MAX), hi: hi.max(f64::MIN) } } else { Interval::WHOLE }
    }

    /// One number; the whole line for NaN.
    #[inline]
    pub fn point(x: f64) -> Self {
        Interval::new(x, x)
    }

    /// All numbers at most `radius` from `centre`; the whole line if the radius is negative or something is NaN.
    #[inline]
    pub fn around(centre: f64, radius: f64) -> Self {
        if radius >= 0.0 { Interval::point(centre) + Interval::new(-radius, radius) } else { Interval::WHOLE }
    }

    /// The lower end.
    #[inline(always)]
    pub fn lo(self) -> f64 {
        self.lo
    }

    /// The upper end.
    #[inline(always)]
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// Whether `x` lies inside. NaN and infinities do not.
    #[inline]
    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi && x.is_finite()
    }

    /// Whether all of this interval lies inside `o`.
    #[inline]
    pub fn is_within(self, o: Interval) -> bool {
        o.lo <= self.lo && self.hi <= o.hi
    }

    /// Whether a number lies in both.
    #[inline]
    pub fn meets(self, o: Interval) -> bool {
        self.lo <= o.hi && o.lo <= self.hi
    }

    /// Whether every number here is proven less than every number of `o`.
    #[inline]
    pub fn is_below(self, o: Interval) -> bool {
        self.hi < o.lo
    }

    /// Whether every number here is proven greater than every number of `o`.
    #[inline]
    pub fn is_above(self, o: Interval) -> bool {
        o.is_below(self)
    }

    /// Whether every number here is proven greater than zero.
    #[inline]
    pub fn is_positive(self) -> bool {
        self.lo > 0.0
    }

    /// Whether every number here is proven less than zero.
    #[inline]
    pub fn is_negative(self) -> bool {
        self.hi < 0.0
    }

    /// Whether this is one number.
    #[inline]
    pub fn is_point(self) -> bool {
        self.lo == self.hi
    }

    /// Whether neither end is infinite.
    #[inline]
    pub fn is_bounded(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    /// `hi - lo`, at least.
    #[inline]
    pub fn width(self) -> f64 {
        if self.is_bounded() { sub_up(self.hi, self.lo) } else { f64::INFINITY }
    }

    /// A finite number inside, the middle when rounding allows; the outermost finite number when one end is infinite, 0 when both are.
    #[inline]
    pub fn midpoint(self) -> f64 {
        match (self.lo.is_finite(), self.hi.is_finite()) {
            (true, true) => (0.5 * self.lo + 0.5 * self.hi).clamp(self.lo, self.hi),
            (true, false) => f64::MAX,
            (false, true) => f64::MIN,
            (false, false) => 0.0,
        }
    }

    /// The distance from [`Interval::midpoint`] to the farther end, at least: `around(midpoint, radius)` encloses this interval.
    #[inline]
    pub fn radius(self) -> f64 {
        let middle = self.midpoint();
        if self.is_bounded() { sub_up(self.hi, middle).max(sub_up(middle, self.lo)) } else { f64::INFINITY }
    }

    /// The largest absolute value.
    #[inline]
    pub fn magnitude(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// The smallest absolute value.
    #[inline]
    pub fn mignitude(self) -> f64 {
        self.lo.max(-self.hi).max(0.0)
    }

    /// The smallest interval around both.
    #[inline]
    pub fn hull(self, o: Interval) -> Interval {
        Interval { lo: self.lo.min(o.lo), hi: self.hi.max(o.hi) }
    }

    /// What lies in both; `None` if nothing does.
    #[inline]
    pub fn intersection(self, o: Interval) -> Option<Interval> {
        self.meets(o).then_some(Interval { lo: self.lo.max(o.lo), hi: self.hi.min(o.hi) })
    }

    /// Widened by `margin` on both sides; the whole line if it is NaN or negative.
    #[inline]
    pub fn widened(self, margin: f64) -> Interval {
        if margin >= 0.0 { Interval { lo: -add_up(-self.lo, margin), hi: add_up(self.hi, margin) } } else { Interval::WHOLE }
    }

    /// The two halves, which share [`Interval::midpoint`].
    #[inline]
    pub fn halves(self) -> (Interval, Interval) {
        let middle = self.midpoint();
        (Interval { lo: self.lo, hi: middle }, Interval { lo: middle, hi: self.hi })
    }

    /// The numbers that round to `x`, and a little more: use it for decimal input. The whole line for NaN.
    #[inline]
    pub fn rounded(x: f64) -> Interval {
        Interval::new(next_down(x), next_up(x))
    }
}

impl From<f64> for Interval {
    #[inline]
    fn from(x: f64) -> Self {
        Interval::point(x)
    }
}
