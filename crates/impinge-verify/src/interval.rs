//! Intervals of fixed-point numbers: integer counts of 2^-80, about 8e-25.
//!
//! Sums are exact; a product is an exact 256-bit integer, shifted right by 80 bits, down for the lower end and up for the upper end. So
//! every result contains every value that its arguments allow: there is no floating-point rounding, and no further proof is needed.
//! A result beyond 2^40 becomes [`Interval::ANYTHING`], which every further operation keeps and no test accepts.

/// Bits behind the point.
pub const BITS: u32 = 80;
/// One.
pub const ONE: i128 = 1 << BITS;
/// Largest magnitude of an end.
const LIMIT: i128 = 1 << 120;

/// All real numbers from `lo` to `hi`, in units of 2^-80.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    lo: i128,
    hi: i128,
}

impl Interval {
    /// Zero, exactly.
    pub const ZERO: Interval = Interval { lo: 0, hi: 0 };
    /// One, exactly.
    pub const ONE: Interval = Interval { lo: ONE, hi: ONE };
    /// All real numbers: no bound is known.
    pub const ANYTHING: Interval = Interval { lo: i128::MIN, hi: i128::MAX };

    /// Returns the interval from `lo` to `hi`, or [`Interval::ANYTHING`] if that is out of range or empty.
    pub fn new(lo: i128, hi: i128) -> Self {
        if lo < -LIMIT || hi > LIMIT || lo > hi { Interval::ANYTHING } else { Interval { lo, hi } }
    }

    /// Returns exactly `units` of 2^-80.
    pub fn point(units: i128) -> Self {
        Interval::new(units, units)
    }

    /// Encloses a double, exactly or between two neighbours; anything for NaN, infinity and values out of range.
    pub fn of(x: f64) -> Self {
        let bits = x.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, (bits & ((1 << 52) - 1)) as i128);
        // |x| = mantissa * 2^power.
        let (mantissa, power) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        let shift = power + BITS as i32;
        if exponent == 0x7FF || shift > 67 {
            return if mantissa == 0 { Interval::ZERO } else { Interval::ANYTHING };
        }
        let (down, up) = match shift {
            0.. => (mantissa << shift, mantissa << shift),
            -60..0 => (mantissa >> -shift, (mantissa + (1 << -shift) - 1) >> -shift),
            _ => (0, i128::from(mantissa > 0)),
        };
        if x.is_sign_negative() { Interval::new(-up, -down) } else { Interval::new(down, up) }
    }

    /// Returns the lower end, in units of 2^-80.
    pub fn lo(self) -> i128 {
        self.lo
    }

    /// Returns the upper end, in units of 2^-80.
    pub fn hi(self) -> i128 {
        self.hi
    }

    /// Tests whether the interval is unbounded.
    pub fn is_anything(self) -> bool {
        self.lo == i128::MIN
    }

    /// Tests whether every value is negative.
    pub fn is_negative(self) -> bool {
        !self.is_anything() && self.hi < 0
    }

    /// Returns the common sign of all values, if it is not zero.
    pub fn sign(self) -> Option<i32> {
        match (self.lo > 0, self.hi < 0) {
            (true, _) => Some(1),
            (_, true) => Some(-1),
            _ => None,
        }
    }

    /// Returns the smallest interval that contains both.
    pub fn hull(self, o: Interval) -> Self {
        Interval::new(self.lo.min(o.lo), self.hi.max(o.hi))
    }

    /// Divides by 2^bits.
    pub fn shrunk(self, bits: u32) -> Self {
        if self.is_anything() { self } else { Interval::new(self.lo >> bits, -(-self.hi >> bits)) }
    }

    /// Returns the middle, rounded.
    pub fn middle(self) -> i128 {
        if self.is_anything() { 0 } else { (self.lo + self.hi) >> 1 }
    }

    /// Returns an upper bound of the distance of any value from the middle.
    pub fn radius(self) -> i128 {
        if self.is_anything() { LIMIT } else { (self.hi - self.lo + 1) / 2 + 1 }
    }

    /// Moves both ends outward by `units`.
    pub fn widened(self, units: i128) -> Self {
        if self.is_anything() { self } else { Interval::new(self.lo - units, self.hi + units) }
    }

    /// Intersects with [-1, 1], for values that are known to lie there.
    pub fn within_one(self) -> Self {
        Interval::new(self.lo.clamp(-ONE, ONE), self.hi.clamp(-ONE, ONE))
    }

    /// Encloses the larger of any two values.
    pub fn max(self, o: Interval) -> Self {
        if self.is_anything() || o.is_anything() {
            return Interval::ANYTHING;
        }
        Interval::new(self.lo.max(o.lo), self.hi.max(o.hi))
    }

    /// Returns the absolute values.
    pub fn abs(self) -> Self {
        self.max(-self).max(Interval::ZERO)
    }

    /// Returns the squares: never negative, unlike a product of an interval with itself.
    pub fn square(self) -> Self {
        let a = self.abs();
        a * a
    }

    /// Divides by a small positive integer.
    pub fn divided(self, n: i128) -> Self {
        if self.is_anything() { self } else { Interval::new(self.lo.div_euclid(n), -(-self.hi).div_euclid(n)) }
    }

    /// Returns square roots. The candidates come from floating point and are accepted only if their squares prove them right.
    pub fn sqrt(self) -> Self {
        if self.is_anything() || self.hi < 0 {
            return Interval::ANYTHING;
        }
        let at_most = |r: i128| product(r, r).is_some_and(|(_, up)| up <= self.lo.max(0));
        let at_least = |r: i128| product(r, r).is_some_and(|(down, _)| down >= self.hi);
        // One unit more or less under the root is ONE / (2 r) units of the root.
        let (low, high) = (root(self.lo.max(0)), root(self.hi));
        let lo = [low - 2 - ONE / low.max(1), 0].into_iter().find(|&r| r >= 0 && at_most(r));
        let hi = [2 + (ONE / high.max(1)).min(ONE >> 40), ONE >> 30, ONE >> 20]
            .into_iter()
            .map(|more| high + more)
            .find(|&r| at_least(r));
        lo.zip(hi).map_or(Interval::ANYTHING, |(lo, hi)| Interval::new(lo, hi))
    }

    /// Returns the reciprocals of positive values; candidates and acceptance as for [`Interval::sqrt`].
    pub fn reciprocal(self) -> Self {
        if self.is_anything() || self.lo <= 0 {
            return Interval::ANYTHING;
        }
        let lo = inverse(self.hi) - 2 - ONE / self.hi;
        let hi = inverse(self.lo).saturating_add(2 + ONE / self.lo);
        let lo_is_right = product(lo, self.hi).is_some_and(|(_, up)| up <= ONE);
        let hi_is_right = product(hi, self.lo).is_some_and(|(down, _)| down >= ONE);
        if lo_is_right && hi_is_right { Interval::new(lo, hi) } else { Interval::ANYTHING }
    }

    /// Returns the upper end as a double, for messages and candidates only.
    pub fn upper_f64(self) -> f64 {
        to_f64(self.hi)
    }
}

impl std::ops::Add for Interval {
    type Output = Interval;
    fn add(self, o: Interval) -> Interval {
        if self.is_anything() || o.is_anything() {
            return Interval::ANYTHING;
        }
        Interval::new(self.lo + o.lo, self.hi + o.hi)
    }
}

impl std::ops::Neg for Interval {
    type Output = Interval;
    fn neg(self) -> Interval {
        if self.is_anything() { self } else { Interval { lo: -self.hi, hi: -self.lo } }
    }
}

impl std::ops::Sub for Interval {
    type Output = Interval;
    fn sub(self, o: Interval) -> Interval {
        self + -o
    }
}

impl std::ops::Mul for Interval {
    type Output = Interval;
    fn mul(self, o: Interval) -> Interval {
        if self == Interval::ZERO || o == Interval::ZERO {
            return Interval::ZERO;
        }
        if self.is_anything() || o.is_anything() {
            return Interval::ANYTHING;
        }
        // The extremes of a product are among the products of the ends.
        let (mut lo, mut hi) = (i128::MAX, i128::MIN);
        for a in ends(self) {
            for b in ends(o) {
                let Some((down, up)) = product(a, b) else { return Interval::ANYTHING };
                lo = lo.min(down);
                hi = hi.max(up);
            }
        }
        Interval::new(lo, hi)
    }
}

/// Returns both ends, or the finite one.
fn ends(i: Interval) -> impl Iterator<Item = i128> {
    [Some(i.lo), (i.hi != i.lo).then_some(i.hi)].into_iter().flatten()
}

/// Returns `a * b / 2^80`, rounded down and rounded up; `None` if it does not fit.
fn product(a: i128, b: i128) -> Option<(i128, i128)> {
    let (high, low) = wide(a.unsigned_abs(), b.unsigned_abs());
    if high >> (BITS - 2) != 0 {
        return None;
    }
    let down = (high << (128 - BITS) | low >> BITS) as i128;
    let up = down + i128::from(low & (ONE as u128 - 1) != 0);
    Some(if (a < 0) == (b < 0) { (down, up) } else { (-up, -down) })
}

/// Returns the 256-bit product, by schoolbook multiplication of 64-bit halves.
fn wide(a: u128, b: u128) -> (u128, u128) {
    const HALF: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & HALF, b >> 64, b & HALF);
    let (low, mid, cross, high) = (a0 * b0, a1 * b0, a0 * b1, a1 * b1);
    // Each of the three summands is below 2^64: no overflow.
    let carry = (low >> 64) + (mid & HALF) + (cross & HALF);
    (high + (mid >> 64) + (cross >> 64) + (carry >> 64), carry << 64 | low & HALF)
}

fn to_f64(units: i128) -> f64 {
    units as f64 / ONE as f64
}

fn units(x: f64) -> i128 {
    (x * ONE as f64) as i128
}

/// Approximates the square root: a double, with one correction step.
fn root(v: i128) -> i128 {
    let r = to_f64(v).max(0.0).sqrt();
    let lacks = product(units(r), units(r)).map_or(0, |(down, _)| v - down);
    if r > 0.0 { units(r) + units(to_f64(lacks) / (2.0 * r)) } else { 0 }
}

/// Approximates 1/v.
fn inverse(v: i128) -> i128 {
    let r = 1.0 / to_f64(v);
    let lacks = product(v, units(r)).map_or(0, |(down, _)| ONE - down);
    units(r).saturating_add(units(to_f64(lacks) * r))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_enclosed() {
        assert_eq!(Interval::of(1.0), Interval::ONE);
        assert_eq!(Interval::of(-0.75), Interval::point(-3 * ONE / 4));
        assert_eq!(Interval::of(1e-300), Interval::new(0, 1));
        assert_eq!(Interval::of(-1e-300), Interval::new(-1, 0));
        assert_eq!(Interval::of(0.0), Interval::ZERO);
        assert_eq!(Interval::of(-0.0), Interval::ZERO);
        let tiny = Interval::of(1.5 * 2f64.powi(-80));
        assert_eq!((tiny.lo(), tiny.hi()), (1, 2));
        for bad in [f64::NAN, f64::INFINITY, 1e13, -1e300] {
            assert!(Interval::of(bad).is_anything(), "{bad}");
        }
    }

    #[test]
    fn signs_hulls_and_shifts() {
        let i = Interval::new;
        assert_eq!(
            [i(1, 2), i(-2, -1), i(0, 1), i(-1, 0), Interval::ZERO].map(Interval::sign),
            [Some(1), Some(-1), None, None, None]
        );
        assert_eq!(Interval::ANYTHING.sign(), None);
        assert_eq!(i(1, 2).hull(i(5, 7)), i(1, 7));
        assert!(i(1, 2).hull(Interval::ANYTHING).is_anything() && Interval::ANYTHING.shrunk(3).is_anything());
        assert_eq!((i(-9, 9).shrunk(3), i(-8, 8).shrunk(3), i(1, 1).shrunk(9)), (i(-2, 2), i(-1, 1), i(0, 1)));
    }

    /// Compares with exact integers small enough for 128 bits.
    #[test]
    fn products_are_rounded_outwards() {
        for (a, b) in [(3, 5), (-3, 5), (ONE + 1, ONE + 1), (-ONE - 1, ONE - 1), (ONE >> 40, (ONE >> 39) + 1), (7, -ONE)] {
            let (down, up) = product(a, b).expect("small");
            // a = a1 2^40 + a0: the exact product in units of 2^-160, split the same way.
            let exact_high = wide(a.unsigned_abs(), b.unsigned_abs());
            let negative = (a < 0) != (b < 0);
            let magnitude = if negative { -up } else { down };
            assert_eq!(
                wide(magnitude as u128, ONE as u128).0,
                exact_high.0 - u128::from(exact_high.1 < wide(magnitude as u128, ONE as u128).1)
            );
            assert!(down <= up && up - down <= 1);
            assert_eq!(down == up, exact_high.1 & (ONE as u128 - 1) == 0);
        }
        assert_eq!(product(3, 5), Some((0, 1)));
        assert_eq!(product(-3, 5), Some((-1, 0)));
        assert_eq!(product(3 * ONE, -5 * ONE), Some((-15 * ONE, -15 * ONE)));
        assert!(product(LIMIT, LIMIT).is_none());
        assert_eq!(wide(u128::MAX, u128::MAX), (u128::MAX - 1, 1));
    }

    #[test]
    fn what_is_out_of_range_is_never_accepted() {
        let big = Interval::of(1e11);
        for x in
            [big * big, -(big * big), (big * big) + -(big * big), (big * big).abs(), (big * big).sqrt(), Interval::of(f64::NAN)]
        {
            assert!(x.is_anything() && !x.is_negative());
        }
        assert_eq!(Interval::ANYTHING * Interval::ZERO, Interval::ZERO, "whatever it is, it is a number");
    }

    #[test]
    fn roots_and_reciprocals_enclose_and_are_narrow() {
        for x in [2.0, 0.3, 1e-6, 12345.678, 1.0, 1e10] {
            let v = Interval::of(x);
            let (r, i) = (v.sqrt(), v.reciprocal());
            let (back, one) = (r * r, i * v);
            assert!(back.lo() <= v.lo() && v.hi() <= back.hi() && r.hi() - r.lo() < 1 << 12, "{x}");
            assert!(one.lo() <= ONE && ONE <= one.hi() && one.hi() - one.lo() < 1 << 45, "{x}");
        }
        assert_eq!(Interval::ZERO.sqrt().lo(), 0);
        assert!(Interval::ZERO.sqrt().hi() <= ONE >> 19);
        assert!(Interval::ZERO.reciprocal().is_anything() && Interval::of(-1.0).sqrt().is_anything());
    }
}
