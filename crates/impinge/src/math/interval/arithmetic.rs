//! Arithmetic of intervals. Each end is one directed operation on the ends that attain it, so nothing is wider than it must be.

use super::Interval;
use super::directed::{add_down, add_up, div_down, div_up, mul_down, mul_up, sqrt_down, sqrt_up};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

impl Add for Interval {
    type Output = Interval;
    #[inline]
    fn add(self, o: Interval) -> Interval {
        Interval { lo: add_down(self.lo, o.lo), hi: add_up(self.hi, o.hi) }
    }
}

impl AddAssign for Interval {
    #[inline]
    fn add_assign(&mut self, o: Interval) {
        *self = *self + o;
    }
}

impl Sub for Interval {
    type Output = Interval;
    #[inline]
    fn sub(self, o: Interval) -> Interval {
        self + -o
    }
}

impl SubAssign for Interval {
    #[inline]
    fn sub_assign(&mut self, o: Interval) {
        *self = *self - o;
    }
}

impl Neg for Interval {
    type Output = Interval;
    #[inline]
    fn neg(self) -> Interval {
        Interval { lo: -self.hi, hi: -self.lo }
    }
}

impl Mul for Interval {
    type Output = Interval;
    /// By the signs of the factors; only when both straddle zero do two products compete for an end.
    #[inline]
    fn mul(self, o: Interval) -> Interval {
        if self.lo >= 0.0 {
            return times_non_negative(o, self);
        }
        if self.hi <= 0.0 {
            return -times_non_negative(o, -self);
        }
        if o.lo >= 0.0 {
            return times_non_negative(self, o);
        }
        if o.hi <= 0.0 {
            return -times_non_negative(self, -o);
        }
        Interval {
            lo: mul_down(self.lo, o.hi).min(mul_down(self.hi, o.lo)),
            hi: mul_up(self.lo, o.lo).max(mul_up(self.hi, o.hi)),
        }
    }
}

/// `x * factor` with no negative number in `factor`.
#[inline]
fn times_non_negative(x: Interval, factor: Interval) -> Interval {
    Interval {
        lo: mul_down(x.lo, if x.lo >= 0.0 { factor.lo } else { factor.hi }),
        hi: mul_up(x.hi, if x.hi >= 0.0 { factor.hi } else { factor.lo }),
    }
}

impl Mul<f64> for Interval {
    type Output = Interval;
    #[inline]
    fn mul(self, factor: f64) -> Interval {
        self * Interval::point(factor)
    }
}

impl Div for Interval {
    type Output = Interval;
    /// All x / y with y not zero, as IEEE 1788 has it: a half line if zero is an end of the divisor, the whole line if it is inside and
    /// the dividend is not zero alone. Division by zero alone is the whole line (IEEE 1788: empty).
    #[inline]
    fn div(self, o: Interval) -> Interval {
        if o.hi <= 0.0 && o.lo < 0.0 {
            return -self / -o;
        }
        if o.lo > 0.0 {
            return Interval {
                lo: div_down(self.lo, if self.lo >= 0.0 { o.hi } else { o.lo }),
                hi: div_up(self.hi, if self.hi >= 0.0 { o.lo } else { o.hi }),
            };
        }
        if self == Interval::ZERO && o != Interval::ZERO {
            return Interval::ZERO;
        }
        match (o.lo == 0.0 && o.hi > 0.0, self.lo >= 0.0, self.hi <= 0.0) {
            (true, true, _) => Interval { lo: div_down(self.lo, o.hi), hi: f64::INFINITY },
            (true, _, true) => Interval { lo: f64::NEG_INFINITY, hi: div_up(self.hi, o.hi) },
            _ => Interval::WHOLE,
        }
    }
}

impl Interval {
    /// All absolute values.
    #[inline]
    pub fn abs(self) -> Interval {
        Interval { lo: self.mignitude(), hi: self.magnitude() }
    }

    /// All squares: never below zero, unlike `self * self`.
    #[inline]
    pub fn square(self) -> Interval {
        let a = self.abs();
        Interval { lo: mul_down(a.lo, a.lo), hi: mul_up(a.hi, a.hi) }
    }

    /// All roots of the non-negative numbers inside; the whole line if there are none.
    #[inline]
    pub fn sqrt(self) -> Interval {
        if self.hi < 0.0 { Interval::WHOLE } else { Interval { lo: sqrt_down(self.lo.max(0.0)), hi: sqrt_up(self.hi) } }
    }

    /// All n-th powers, each end at most |n| roundings too far out.
    pub fn powi(self, n: i32) -> Interval {
        if n < 0 {
            return Interval::ONE / self.power(n.unsigned_abs());
        }
        self.power(n as u32)
    }

    /// Powers grow with the absolute value, odd ones with the value, so the ends come from the ends.
    fn power(self, n: u32) -> Interval {
        if n == 0 {
            return Interval::ONE;
        }
        let base = if n.is_multiple_of(2) { self.abs() } else { self };
        Interval { lo: power_of_end(base.lo, n).lo, hi: power_of_end(base.hi, n).hi }
    }

    /// All minima of one number from each.
    #[inline]
    pub fn min(self, o: Interval) -> Interval {
        Interval { lo: self.lo.min(o.lo), hi: self.hi.min(o.hi) }
    }

    /// All maxima of one number from each.
    #[inline]
    pub fn max(self, o: Interval) -> Interval {
        Interval { lo: self.lo.max(o.lo), hi: self.hi.max(o.hi) }
    }
}

/// An enclosure of x^n for one end, by repeated squaring of |x|: all factors are non-negative, so each end stays on its side.
fn power_of_end(x: f64, n: u32) -> Interval {
    let mut result = Interval::ONE;
    let (mut square, mut rest) = (Interval { lo: x.abs(), hi: x.abs() }, n);
    loop {
        if rest % 2 == 1 {
            result = Interval { lo: mul_down(result.lo, square.lo), hi: mul_up(result.hi, square.hi) };
        }
        rest /= 2;
        if rest == 0 {
            return if x < 0.0 && n % 2 == 1 { -result } else { result };
        }
        square = Interval { lo: mul_down(square.lo, square.lo), hi: mul_up(square.hi, square.hi) };
    }
}
