//! Integers of two fixed lengths: what exact coefficients are made of, and what is asked of them.

use std::array::from_fn;
use std::ops::{Add, Mul, Sub};

use crate::narrow::features::digits::{Columns, Coordinate, Settled};
use crate::narrow::features::double::Double;
use crate::narrow::features::integer::Int;

/// Limbs of 64 bits of the longest.
pub(crate) const LIMBS: usize = 6;

/// An exact coefficient.
pub(crate) trait Exact: Copy {
    /// Off by at most 4 u, relatively: zero only for zero, and of the same sign.
    fn rounded(self) -> f64;

    /// Off by at most 32 u^2, relatively.
    fn double(self) -> Double;

    /// The magnitude, lowest limb first.
    fn limbs(self) -> [u64; LIMBS];

    /// -1, 0 or 1.
    #[inline(always)]
    fn sign(self) -> i32 {
        let x = self.rounded();
        i32::from(x > 0.0) - i32::from(x < 0.0)
    }
}

/// A coordinate, with the integers for sums of products of two and of three: before carries, and after.
pub(crate) trait Length: Copy + Mul<Output = Self::Squares> {
    type Squares: Copy + Add<Output = Self::Squares> + Sub<Output = Self::Squares> + From<Self::Square>;
    type Square: Exact + Mul<Self, Output = Self::Cubes> + From<Self::Squares>;
    type Cubes: Copy + Add<Output = Self::Cubes> + Into<Self::Cube>;
    type Cube: Exact;
}

impl Length for Coordinate {
    type Squares = Columns<3>;
    type Square = Settled<3>;
    type Cubes = Columns<5>;
    type Cube = Settled<5>;
}

/// Differences below 2^40: products of three, and sums of 18 of these, are below 2^125.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Short(pub i64);

impl Length for Short {
    type Squares = i128;
    type Square = i128;
    type Cubes = i128;
    type Cube = i128;
}

impl Mul for Short {
    type Output = i128;

    #[inline(always)]
    fn mul(self, o: Short) -> i128 {
        i128::from(self.0) * i128::from(o.0)
    }
}

impl Mul<Short> for i128 {
    type Output = i128;

    #[inline(always)]
    fn mul(self, o: Short) -> i128 {
        self * i128::from(o.0)
    }
}

impl Exact for i128 {
    #[inline(always)]
    fn rounded(self) -> f64 {
        const HALF: u32 = 48;
        let above = (self >> 100) as i32;
        if above == 0 || above == -1 {
            // Two numbers that `f64` holds exactly, quicker.
            return (self >> HALF) as i64 as f64 * (1u64 << HALF) as f64 + (self as i64 & ((1 << HALF) - 1)) as f64;
        }
        self as f64
    }

    fn double(self) -> Double {
        self.into()
    }

    fn limbs(self) -> [u64; LIMBS] {
        let x = self.unsigned_abs();
        [x as u64, (x >> 64) as u64, 0, 0, 0, 0]
    }
}

/// Coefficients without their common power of two, which changes no sign.
pub(crate) fn integers<E: Exact, const N: usize>(p: &[E; N]) -> [Int; N] {
    let limbs = p.map(E::limbs);
    let all: [u64; LIMBS] = from_fn(|i| limbs.iter().fold(0, |all, x| all | x[i]));
    let empty = all.iter().take_while(|&&x| x == 0).count();
    let zeros = all.get(empty).map_or(0, |x| x.trailing_zeros());
    from_fn(|n| {
        let limb = |i: usize| u128::from(limbs[n].get(i).copied().unwrap_or(0));
        let shifted: [u64; LIMBS] = from_fn(|i| ((limb(i + empty) | limb(i + empty + 1) << 64) >> zeros) as u64);
        Int::from_limbs(p[n].sign() < 0, &shifted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        /// Of all lengths up to 2^125, on both sides of the border between two ways of rounding, with zeros at the end.
        #[test]
        fn numbers_of_128_bits_keep_their_bounds(x in any::<[i128; 3]>(), shift in 2u32..127, zeros in 0u32..60) {
            let x = x.map(|x| x >> shift >> zeros << zeros);
            for x in x {
                let off = x.rounded() as i128 - x;
                prop_assert!(off.unsigned_abs() <= x.unsigned_abs() >> 51, "{x} {}", x.rounded());
                prop_assert_eq!(x.sign(), x.signum() as i32);
                let (high, low) = x.double().parts();
                let off = (BigInt::from(high as i128) + BigInt::from(low as i128) - x) << 101u32;
                prop_assert!(*off.magnitude() <= BigInt::from(x).magnitude().clone());
            }
            let least = x.iter().filter(|&&x| x != 0).map(|x| x.trailing_zeros()).min().unwrap_or(0);
            for (int, x) in integers(&x).iter().zip(x) {
                prop_assert_eq!(int.to_big(), BigInt::from(x >> least));
            }
        }
    }
}
