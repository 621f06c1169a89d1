//! Quantities that vary over a span, enclosed together with their derivative: interval arithmetic by middle and radius.
//!
//! ```text
//!   x(tau) |        .-'   rate ± rate_spread: every slope       tau in [-1, 1]: the span; the derivative is by tau,
//!          |     .-'                                             so halving a span halves the rate
//!      mid |  .-'   ± noise at tau = 0, ± spread everywhere
//! ```
//!
//! Sound: an operation takes the middles as they are and adds to the radii what the operands' radii allow, |xy - ab| <= |a| dy + dx (|b| + dy)
//! and likewise by the product rule, and twice the rounding of the middle. Radii are sums and products of at most ten non-negative
//! numbers, so [`GROW`] covers their own rounding and [`TINY`] underflow. [`Varying::settled`] is the mean value form: a value strays from its
//! middle by no more than the steepest slope allows.
//!
//! Several times faster than intervals by ends ([`crate::math::interval::Interval`]), and at most half again as wide; these hold what is evaluated
//! thousands of times for a question. Overflow gives NaN, which excludes nothing.

mod matrix;
#[cfg(test)]
mod tests;

pub(crate) use matrix::{VaryingMat3, VaryingVec3};

use crate::math::rounding::U;
use std::ops::{Add, Neg, Sub};

/// A number that varies over a span.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Varying {
    pub mid: f64,
    /// At least |x(0) - mid|.
    pub noise: f64,
    /// At least |x(tau) - mid|, for every tau.
    pub spread: f64,
    pub rate: f64,
    /// At least |x'(tau) - rate|, for every tau.
    pub rate_spread: f64,
}

/// Covers the rounding of a radius: ten operations on non-negative numbers.
const GROW: f64 = 1.0 + 16.0 * U;
/// Covers underflow of products.
const TINY: f64 = f64::MIN_POSITIVE;

impl Varying {
    /// One number, known within `error`, that does not vary.
    #[inline(always)]
    pub fn constant(mid: f64, error: f64) -> Self {
        Varying { mid, noise: error, spread: error, rate: 0.0, rate_spread: 0.0 }
    }

    /// The mean value form, where it is narrower.
    #[inline(always)]
    pub fn settled(self) -> Self {
        let by_slope = (self.noise + self.rate.abs() + self.rate_spread) * GROW;
        Varying { spread: if by_slope < self.spread { by_slope } else { self.spread }, ..self }
    }

    /// Shifted by something constant, unknown, and at most `error`.
    #[inline(always)]
    pub fn shifted_within(self, error: f64) -> Self {
        Varying { noise: (self.noise + error) * GROW, spread: (self.spread + error) * GROW, ..self }
    }

    /// Times a constant, which may itself be off by one rounding.
    #[inline(always)]
    pub fn scaled(self, c: f64) -> Self {
        let (mid, rate, size) = (self.mid * c, self.rate * c, c.abs());
        let rounding = 4.0 * U * mid.abs() + TINY;
        Varying {
            mid,
            noise: (self.noise * size + rounding) * GROW,
            spread: (self.spread * size + rounding) * GROW,
            rate,
            rate_spread: (self.rate_spread * size + 4.0 * U * rate.abs() + TINY) * GROW,
        }
    }

    /// The product.
    #[inline(always)]
    pub fn times(self, o: Self) -> Self {
        let mid = self.mid * o.mid;
        let (a, b) = (self.mid.abs(), o.mid.abs());
        let rounding = 2.0 * U * mid.abs() + TINY;
        let (left, right) = (self.rate * o.mid, self.mid * o.rate);
        let left_spread = self.rate.abs() * o.spread + self.rate_spread * (b + o.spread);
        let right_spread = a * o.rate_spread + self.spread * (o.rate.abs() + o.rate_spread);
        Varying {
            mid,
            noise: (a * o.noise + self.noise * (b + o.noise) + rounding) * GROW,
            spread: (a * o.spread + self.spread * (b + o.spread) + rounding) * GROW,
            rate: left + right,
            rate_spread: (left_spread + right_spread + 4.0 * U * (left.abs() + right.abs()) + TINY) * GROW,
        }
    }

    /// Whether the value is proven to stay above `level` over all of the span.
    #[inline(always)]
    pub fn stays_above(self, level: f64) -> bool {
        self.mid - level > (self.spread + 2.0 * U * (self.mid.abs() + level.abs())) * GROW
    }

    /// All tau at which the value may be zero or above, as one interval; `None` when it is proven negative throughout.
    ///
    /// With z the largest value at 0 and [s, S] the slopes, the value is at most z + S tau to the right of 0 and z + s tau to the left.
    #[inline(always)]
    pub fn reaches_zero(self) -> Option<(f64, f64)> {
        let top = self.mid + self.noise + 4.0 * U * (self.mid.abs() + self.noise);
        let slack = 4.0 * U * (self.rate.abs() + self.rate_spread);
        let (least, most) = (self.rate - self.rate_spread - slack, self.rate + self.rate_spread + slack);
        if self.mid + self.spread * GROW < 0.0 {
            return None;
        }
        // NaN leaves everything possible.
        if !(top < 0.0) {
            let to = if most < 0.0 { (outward(top / -most)).min(1.0) } else { 1.0 };
            let from = if least > 0.0 { (outward(-top / least)).max(-1.0) } else { -1.0 };
            return Some((from, to));
        }
        // How far from 0 a rise of this slope reaches zero; 0 for NaN.
        let after = |slope: f64| if slope <= 0.0 { f64::INFINITY } else { inward(-top / slope).max(0.0) };
        let (right, left) = (after(most), after(-least));
        match (left > 1.0, right > 1.0) {
            (true, true) => None,
            (true, false) => Some((right, 1.0)),
            (false, true) => Some((-1.0, -left)),
            (false, false) => Some((-1.0, 1.0)),
        }
    }
}

/// A little farther from zero than a rounded quotient.
#[inline(always)]
fn outward(x: f64) -> f64 {
    x * (1.0 + 8.0 * U)
}

/// A little nearer to zero.
#[inline(always)]
fn inward(x: f64) -> f64 {
    x * (1.0 - 8.0 * U)
}

impl Add for Varying {
    type Output = Varying;
    #[inline(always)]
    fn add(self, o: Varying) -> Varying {
        let (mid, rate) = (self.mid + o.mid, self.rate + o.rate);
        let rounding = 2.0 * U * mid.abs();
        Varying {
            mid,
            noise: (self.noise + o.noise + rounding) * GROW,
            spread: (self.spread + o.spread + rounding) * GROW,
            rate,
            rate_spread: (self.rate_spread + o.rate_spread + 2.0 * U * rate.abs()) * GROW,
        }
    }
}

impl Neg for Varying {
    type Output = Varying;
    #[inline(always)]
    fn neg(self) -> Varying {
        Varying { mid: -self.mid, rate: -self.rate, ..self }
    }
}

impl Sub for Varying {
    type Output = Varying;
    #[inline(always)]
    fn sub(self, o: Varying) -> Varying {
        self + -o
    }
}
