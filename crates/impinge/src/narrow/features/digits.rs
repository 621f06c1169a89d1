//! Integers with digits to the base 2^60, as far as three products of coordinates go: sums need no carries until something is asked.
//!
//! ```text
//! coordinate        h l           |l| < 2^61, |h| < 2^59, also of a difference
//! product of two    hh hl+lh ll   columns below 2^118, 2^121, 2^122: twelve can be added
//! settled           d c b a       digits from -2^59 to 2^59, the highest below 2^62; for sums of four products, 2^61
//! product of three  dh dl+ch cl+bh bl+ah al     columns below 2^120, 2^123, ...: six can be added, and the highest digit is below 2^63
//! ```

use std::array::from_fn;
use std::ops::{Add, Mul, Sub};

use crate::narrow::features::double::Double;
use crate::narrow::features::exact::{Exact, LIMBS};

/// Bits of a digit.
const BITS: u32 = 60;
const BASE: f64 = (1u64 << BITS) as f64;

/// Two digits: low and high.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Coordinate(i64, i64);

impl Coordinate {
    /// x, and whether that is exact: where |x| < 2^118 is an integer. Both digits are parts of the bits of x, so that nothing is rounded.
    #[inline(always)]
    pub fn from_whole(x: f64) -> (Coordinate, bool) {
        let high = (x * (1.0 / BASE)) as i64;
        let rest = x - high as f64 * BASE;
        let low = rest as i64;
        (Coordinate(low, high), low as f64 == rest)
    }
}

impl Sub for Coordinate {
    type Output = Coordinate;

    #[inline(always)]
    fn sub(self, o: Coordinate) -> Coordinate {
        Coordinate(self.0 - o.0, self.1 - o.1)
    }
}

impl Mul for Coordinate {
    type Output = Columns<3>;

    #[inline(always)]
    #[expect(clippy::suspicious_arithmetic_impl, reason = "two of the partial products have the same place")]
    fn mul(self, o: Coordinate) -> Columns<3> {
        Columns([long(self.0, o.0), long(self.0, o.1) + long(self.1, o.0), long(self.1, o.1)])
    }
}

#[inline(always)]
fn long(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}

/// The sum of column k times 2^(60 k).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<const C: usize>([i128; C]);

impl<const C: usize> Add for Columns<C> {
    type Output = Columns<C>;

    #[inline(always)]
    fn add(self, o: Columns<C>) -> Columns<C> {
        Columns(from_fn(|i| self.0[i] + o.0[i]))
    }
}

impl<const C: usize> Sub for Columns<C> {
    type Output = Columns<C>;

    #[inline(always)]
    fn sub(self, o: Columns<C>) -> Columns<C> {
        Columns(from_fn(|i| self.0[i] - o.0[i]))
    }
}

impl<const C: usize> From<Columns<C>> for Settled<C> {
    /// With carries: one digit per column, and the highest.
    #[inline(always)]
    fn from(columns: Columns<C>) -> Settled<C> {
        let mut carry = 0i128;
        let digits = columns.0.map(|column| {
            let column = column + carry;
            let digit = ((column as i64) << (64 - BITS)) >> (64 - BITS);
            carry = (column - i128::from(digit)) >> BITS;
            digit
        });
        Settled { digits, highest: carry as i64 }
    }
}

impl From<Settled<3>> for Columns<3> {
    #[inline(always)]
    fn from(Settled { digits: [a, b, c], highest }: Settled<3>) -> Columns<3> {
        Columns([a.into(), b.into(), i128::from(c) + (i128::from(highest) << BITS)])
    }
}

/// One number in one way: every digit but the highest is at least -2^59 and less than 2^59.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settled<const C: usize> {
    digits: [i64; C],
    highest: i64,
}

impl Mul<Coordinate> for Settled<3> {
    type Output = Columns<5>;

    #[inline(always)]
    fn mul(self, Coordinate(l, h): Coordinate) -> Columns<5> {
        let ([a, b, c], d) = (self.digits, self.highest);
        Columns([long(a, l), long(b, l) + long(a, h), long(c, l) + long(b, h), long(d, l) + long(c, h), long(d, h)])
    }
}

impl<const C: usize> Exact for Settled<C> {
    /// The first digit that is not zero and the next make at least half of the base, so the next may be rounded by u, and so may the first,
    /// and their sum; what follows is less than 2^-58 of it.
    #[inline(always)]
    fn rounded(self) -> f64 {
        self.digits.iter().rev().fold(self.highest as f64, |sum, &d| sum * BASE + d as f64)
    }

    /// The first sum is off by 4 u^2 of its terms, three times as large at most, all others by 4 u^2 of their own.
    fn double(self) -> Double {
        self.digits.iter().rev().fold(Double::from(self.highest), |sum, &d| sum.scaled(BASE) + Double::from(d))
    }

    fn limbs(self) -> [u64; LIMBS] {
        let sign = i64::from(self.sign());
        let (mut limbs, mut carry) = ([0u64; LIMBS], 0i64);
        for (i, &d) in self.digits.iter().chain([&self.highest]).enumerate() {
            let sum = sign * d + carry;
            let digit = if i < C { sum & ((1 << BITS) - 1) } else { sum };
            carry = sum >> BITS;
            let (limb, shift) = (i * BITS as usize / 64, i * BITS as usize % 64);
            let wide = (digit as u128) << shift;
            limbs[limb] |= wide as u64;
            if let Some(next) = limbs.get_mut(limb + 1) {
                *next |= (wide >> 64) as u64;
            }
        }
        limbs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::features::exact::integers;
    use num_bigint::{BigInt, Sign};
    use proptest::prelude::*;

    /// Integers of at most 53 bits times a power of two, below 2^118, with zeros, and ones that are nearly a power of two.
    fn wholes() -> impl Strategy<Value = f64> {
        let mantissa = prop_oneof![
            Just(0),
            -(1i64 << 53)..1 << 53,
            (-2i64..=2, 0u32..52).prop_map(|(near, e)| near + (1 << e)),
            (-2i64..=2, 0u32..52).prop_map(|(near, e)| near - (1 << e)),
        ];
        (mantissa, 0i32..65).prop_map(|(m, e)| m as f64 * 2f64.powi(e))
    }

    /// x as an integer times 2^shift, for numbers that have no bits below that.
    fn whole(x: f64, shift: i64) -> BigInt {
        let bits = x.to_bits();
        let (mantissa, exponent) = (bits & ((1 << 52) - 1) | 1 << 52, (bits >> 52 & 0x7ff) as i64 - 1075 + shift);
        let mantissa = BigInt::from(if x == 0.0 { 0 } else { mantissa });
        let magnitude = if exponent < 0 { mantissa >> -exponent as u64 } else { mantissa << exponent as u64 };
        if x < 0.0 { -magnitude } else { magnitude }
    }

    fn value<const C: usize>(x: &Settled<C>) -> BigInt {
        x.digits.iter().rev().fold(BigInt::from(x.highest), |sum, &d| (sum << BITS) + d)
    }

    fn keeps_its_bounds<const C: usize>(x: Settled<C>, truth: &BigInt) -> Result<(), TestCaseError> {
        prop_assert_eq!(&value(&x), truth);
        prop_assert!(x.digits.iter().all(|d| (-(1 << 59)..1 << 59).contains(d)));
        let sign = i32::from(truth.sign() == Sign::Plus) - i32::from(truth.sign() == Sign::Minus);
        prop_assert_eq!(x.sign(), sign);
        let (off, size) = (whole(x.rounded(), 300) - (truth << 300u32), truth << 300u32);
        prop_assert!((off.magnitude() << 51u32) <= *size.magnitude(), "{:?} {}", x, x.rounded());
        let (high, low) = x.double().parts();
        let off = whole(high, 300) + whole(low, 300) - &size;
        prop_assert!((off.magnitude() << 101u32) <= *size.magnitude(), "{:?}", x);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        /// As many terms as there are anywhere, of differences.
        #[test]
        fn agrees_with_num_bigint(x in prop::array::uniform32(wholes()), signs in any::<u16>()) {
            let c = x.map(|x| Coordinate::from_whole(x).0);
            let b = x.map(|x| whole(x, 0));
            let (difference, truth) = (|i: usize| c[i] - c[i + 16], |i: usize| &b[i] - &b[i + 16]);
            let (mut sum, mut exact) = (Columns([0; 3]), BigInt::ZERO);
            let (mut cubes, mut exact_cubes) = (Columns([0; 5]), BigInt::ZERO);
            for i in 0..12 {
                let (product, product_exact) = (difference(i) * difference(i + 1), truth(i) * truth(i + 1));
                (sum, exact) = if signs >> i & 1 == 0 { (sum + product, exact + product_exact) } else { (sum - product, exact - product_exact) };
                keeps_its_bounds(sum.into(), &exact)?;
                if i == 3 {
                    for k in 0..6 {
                        (cubes, exact_cubes) = (cubes + Settled::from(sum) * difference(k + 6), exact_cubes + &exact * truth(k + 6));
                        keeps_its_bounds(cubes.into(), &exact_cubes)?;
                    }
                }
            }
        }

        #[test]
        fn integers_are_a_common_multiple(x in prop::array::uniform4(wholes()), y in prop::array::uniform4(wholes()), e in 0i32..50) {
            let c = |x: f64| Coordinate::from_whole(x * 2f64.powi(e - 50).max(1.0)).0;
            let p: [Columns<5>; 4] = from_fn(|i| Settled::from(c(x[i]) * c(y[i])) * c(x[3 - i]));
            let p = p.map(Settled::from);
            let (found, truth) = (integers(&p), p.map(|x| value(&x)));
            let zeros = truth.iter().filter_map(|x| x.trailing_zeros()).min().unwrap_or(0);
            for (found, truth) in found.iter().zip(truth) {
                prop_assert_eq!(found.to_big(), truth >> zeros);
            }
        }

        #[test]
        fn what_is_no_integer_is_noticed(m in 1i64..1 << 53, e in 1i32..60) {
            let x = m as f64 * 2f64.powi(-e);
            prop_assert_eq!(Coordinate::from_whole(x).1, x == x.floor());
        }
    }
}
