//! Numbers of twice the length: the unevaluated sum of two `f64`.
//!
//! |lo| <= u |hi|, u = 2^-53. Error bounds hold as long as nothing overflows, and up to underflow, see `TINY` in [`crate::narrow::features::forms`].

use std::ops::{Add, Mul, Sub};

/// hi + lo.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Double {
    hi: f64,
    lo: f64,
}

impl Double {
    /// a - b, exactly.
    #[inline(always)]
    pub fn difference(a: f64, b: f64) -> Double {
        two_sum(a, -b)
    }

    /// Times a power of two, exactly.
    #[inline(always)]
    pub fn scaled(self, power: f64) -> Double {
        Double { hi: self.hi * power, lo: self.lo * power }
    }

    /// Whether hi is all.
    #[inline(always)]
    pub fn is_short(self) -> bool {
        self.lo == 0.0
    }

    /// Off by at most u, relatively: zero only for zero, and of the same sign.
    #[inline(always)]
    pub fn rounded(self) -> f64 {
        self.hi
    }
}

#[cfg(test)]
impl Double {
    pub fn parts(self) -> (f64, f64) {
        (self.hi, self.lo)
    }
}

impl From<i64> for Double {
    /// Exactly: for numbers below 2^63 - 2^10.
    #[inline(always)]
    fn from(x: i64) -> Double {
        let hi = x as f64;
        Double { hi, lo: (x - hi as i64) as f64 }
    }
}

impl From<i128> for Double {
    /// Off by at most 2 u^2, relatively: both parts are rounded to nearest. Not for numbers above 2^126.
    #[inline(always)]
    fn from(x: i128) -> Double {
        let hi = x as f64;
        two_sum(hi, (x - hi as i128) as f64)
    }
}

impl Add for Double {
    type Output = Double;

    /// Off by at most 4 u^2 (|a| + |b|): the sum of the low parts is at most u (|a| + |b|) and rounded by u; so is its sum with the rest of
    /// the high parts, at most 2 u (|a| + |b|) with all terms of higher order.
    #[inline(always)]
    fn add(self, o: Double) -> Double {
        let s = two_sum(self.hi, o.hi);
        two_sum(s.hi, s.lo + (self.lo + o.lo))
    }
}

impl Sub for Double {
    type Output = Double;

    #[inline(always)]
    fn sub(self, o: Double) -> Double {
        self + o.scaled(-1.0)
    }
}

impl Mul for Double {
    type Output = Double;

    /// Off by at most 10 u^2 |a b|: the product of the low parts is left out, 1; the mixed products are rounded, 2, and so is their sum, 2;
    /// and its sum with the rest of the product of the high parts, 3; the rest is room for terms of higher order.
    #[inline(always)]
    fn mul(self, o: Double) -> Double {
        let p = two_product(self.hi, o.hi);
        two_sum(p.hi, p.lo + (self.hi * o.lo + self.lo * o.hi))
    }
}

/// a + b, exactly (Knuth).
#[inline(always)]
fn two_sum(a: f64, b: f64) -> Double {
    let hi = a + b;
    let b_part = hi - a;
    Double { hi, lo: (a - (hi - b_part)) + (b - b_part) }
}

/// a b, exactly (Dekker, Veltkamp).
#[inline(always)]
fn two_product(a: f64, b: f64) -> Double {
    let hi = a * b;
    let ((ah, al), (bh, bl)) = (halves(a), halves(b));
    Double { hi, lo: ((ah * bh - hi) + ah * bl + al * bh) + al * bl }
}

/// Two parts of at most 26 bits each.
#[inline(always)]
fn halves(a: f64) -> (f64, f64) {
    let c = ((1u64 << 27) + 1) as f64 * a;
    let high = c - (c - a);
    (high, a - high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    /// x times 2^400, for numbers that have no bits below that.
    fn big(x: f64) -> BigInt {
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i64 - 1075;
        let mantissa = BigInt::from(if exponent == -1075 { 0 } else { bits & ((1 << 52) - 1) | 1 << 52 });
        let whole = if exponent < -400 { mantissa >> (-400 - exponent) as u64 } else { mantissa << (exponent + 400) as u64 };
        if x < 0.0 { -whole } else { whole }
    }

    fn whole(x: Double) -> BigInt {
        big(x.hi) + big(x.lo)
    }

    /// Of both signs, many sizes, some with runs of zeros at their end.
    fn numbers() -> impl Strategy<Value = f64> {
        (-1.0f64..1.0, -30i32..30, 0u32..52)
            .prop_map(|(x, e, zeros)| f64::from_bits(x.to_bits() >> zeros << zeros) * 2f64.powi(e))
    }

    fn doubles() -> impl Strategy<Value = Double> {
        (numbers(), numbers(), any::<bool>())
            .prop_map(|(a, b, near)| Double::difference(a, if near { a * (1.0 + b * 1e-20) } else { b }))
    }

    /// Whether |x| <= factor u^2 bound.
    fn within(x: &BigInt, factor: u32, bound: &BigInt) -> bool {
        (x.magnitude() << 106u32) <= bound.magnitude() * factor
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn every_operation_keeps_its_bound(a in doubles(), b in doubles(), x in numbers(), y in numbers()) {
            prop_assert_eq!(whole(Double::difference(x, y)), big(x) - big(y));
            prop_assert_eq!(whole(two_product(x, y)) << 400u32, big(x) * big(y));
            prop_assert!((big(a.lo).magnitude() << 53u32) <= *big(a.hi).magnitude());
            let size = BigInt::from(whole(a).magnitude() + whole(b).magnitude());
            prop_assert!(within(&(whole(a + b) - whole(a) - whole(b)), 4, &size));
            prop_assert!(within(&(whole(a - b) - whole(a) + whole(b)), 4, &size));
            let product = whole(a) * whole(b);
            prop_assert!(within(&((whole(a * b) << 400u32) - &product), 10, &product));
        }
    }
}
