//! Sine and cosine with a stated error bound and the same bits on every machine.
//!
//! Argument reduction by pi/2 in three parts, so that `n * part` is exact for |n| < 2^20, then the minimax kernels of fdlibm
//! (Sun Microsystems 1993, `k_sin.c`, `k_cos.c`: coefficients only), whose approximation error is below 2^-57.
//!
//! Error budget for |x| <= `MAX_ANGLE`, in units of 2^-53 (u): the reduced argument is a double-double with error below
//! 2^-90 |n| < 2^-70; the kernel evaluation has at most 1.5 u of rounding; sum below 2 u. `SIN_COS_ERROR` = 4 u is claimed, twice that.

use super::rounding::U;

/// Largest angle, in radians, for which [`sin_cos`] keeps its promise: more than 10^5 turns.
pub const MAX_ANGLE: f64 = 6.5e5;

/// `|computed - true|` never exceeds this, for either value: 2^-51.
pub const SIN_COS_ERROR: f64 = 4.0 * U;

const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
// pi/2 in pieces of 33 bits each; the products with |n| < 2^20 are exact.
const PIO2_1: f64 = f64::from_bits(0x3FF9_21FB_5440_0000);
const PIO2_2: f64 = f64::from_bits(0x3DD0_B461_1A60_0000);
const PIO2_3: f64 = f64::from_bits(0x3BA3_198A_2E00_0000);
const PIO2_3T: f64 = f64::from_bits(0x397B_839A_2520_49C1);

/// Sine and cosine of `x` radians, each within [`SIN_COS_ERROR`], for |x| <= [`MAX_ANGLE`].
///
/// Beyond that the result is NaN, which no exclusion test accepts.
pub fn sin_cos(x: f64) -> (f64, f64) {
    if x.is_nan() || x.abs() > MAX_ANGLE {
        return (f64::NAN, f64::NAN);
    }
    let (n, hi, lo) = reduce(x);
    let (s, c) = (kernel_sin(hi, lo), kernel_cos(hi, lo));
    match n & 3 {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

/// 1.5 * 2^52: sums with what is far smaller lie where neighbours are one apart.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// `x = n pi/2 + hi + lo` with |hi| <= pi/4 (a little more) and |lo| <= ulp(hi)/2.
fn reduce(x: f64) -> (i64, f64, f64) {
    if x.abs() <= std::f64::consts::FRAC_PI_4 {
        return (0, x, 0.0);
    }
    // To the nearest integer, ties to even: beyond 2^52 there is nothing but integers.
    let n = (x * TWO_OVER_PI + ROUNDER) - ROUNDER;
    // x - n PIO2_1 is exact (both are multiples of ulp(n PIO2_1) and close); then two more exact-product corrections.
    let (a, ea) = two_sum(x - n * PIO2_1, -(n * PIO2_2));
    let (b, eb) = two_sum(a, -(n * PIO2_3));
    let low = ea + (eb - n * PIO2_3T);
    let (hi, lo) = two_sum(b, low);
    (n as i64, hi, lo)
}

/// `a + b` as the rounded sum and its exact error (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let bb = s - a;
    (s, (a - (s - bb)) + (b - bb))
}

fn kernel_sin(x: f64, y: f64) -> f64 {
    const S1: f64 = f64::from_bits(0xBFC5_5555_5555_5549);
    const S2: f64 = f64::from_bits(0x3F81_1111_1110_F8A6);
    const S3: f64 = f64::from_bits(0xBF2A_01A0_19C1_61D5);
    const S4: f64 = f64::from_bits(0x3EC7_1DE3_57B1_FE7D);
    const S5: f64 = f64::from_bits(0xBE5A_E5E6_8A2B_9CEB);
    const S6: f64 = f64::from_bits(0x3DE5_D93A_5ACF_D57C);
    let z = x * x;
    let w = z * z;
    let r = S2 + z * (S3 + z * S4) + z * w * (S5 + z * S6);
    let v = z * x;
    x - ((z * (0.5 * y - v * r) - y) - v * S1)
}

fn kernel_cos(x: f64, y: f64) -> f64 {
    const C1: f64 = f64::from_bits(0x3FA5_5555_5555_554C);
    const C2: f64 = f64::from_bits(0xBF56_C16C_16C1_5177);
    const C3: f64 = f64::from_bits(0x3EFA_01A0_19CB_1590);
    const C4: f64 = f64::from_bits(0xBE92_7E4F_809C_52AD);
    const C5: f64 = f64::from_bits(0x3E21_EE9E_BDB4_B1C4);
    const C6: f64 = f64::from_bits(0xBDA8_FAE9_BE88_38D4);
    let z = x * x;
    let w = z * z;
    let r = z * (C1 + z * (C2 + z * C3)) + w * w * (C4 + z * (C5 + z * C6));
    let hz = 0.5 * z;
    let w = 1.0 - hz;
    w + (((1.0 - w) - hz) + (z * r - x * y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use num_traits::{One, Signed, Zero};

    /// A dyadic approximation with 2^-200 resolution keeps the exact series affordable.
    fn round200(x: &BigRational) -> BigRational {
        let scale: BigInt = BigInt::one() << 200;
        BigRational::new((x * BigRational::from(scale.clone())).round().to_integer(), scale)
    }

    /// Sine and cosine of an exact rational by Taylor series after halving, to about 2^-150.
    fn reference(x: f64) -> (BigRational, BigRational) {
        let mut y = BigRational::from_float(x).expect("finite");
        let mut halvings = 0;
        while y.abs() > BigRational::new(1.into(), 4.into()) {
            y /= BigInt::from(2);
            halvings += 1;
        }
        y = round200(&y);
        let (mut s, mut c, mut term) = (BigRational::zero(), BigRational::zero(), BigRational::one());
        for k in 0..60u32 {
            let part = if k % 4 < 2 { term.clone() } else { -term.clone() };
            if k % 2 == 0 {
                c += part
            } else {
                s += part
            }
            term = round200(&(term * &y / BigInt::from(k + 1)));
        }
        for _ in 0..halvings {
            let (s2, c2) = (&s * &c * BigInt::from(2), &c * &c - &s * &s);
            s = round200(&s2);
            c = round200(&c2);
        }
        (s, c)
    }

    fn check(x: f64) {
        let (s, c) = sin_cos(x);
        let (rs, rc) = reference(x);
        let bound = BigRational::from_float(SIN_COS_ERROR / 2.0).expect("finite");
        assert!((BigRational::from_float(s).expect("finite") - rs).abs() <= bound, "sin({x:e}) = {s:e}");
        assert!((BigRational::from_float(c).expect("finite") - rc).abs() <= bound, "cos({x:e}) = {c:e}");
    }

    #[test]
    fn within_half_the_claimed_error_of_the_exact_series() {
        for x in [0.0, -0.0, 1e-300, 0.5, 0.785, std::f64::consts::FRAC_PI_4, 1.0, 3.0, 62.83185307179586, -1e3] {
            check(x);
        }
        // Doubles next to multiples of pi/2, where reduction cancels most.
        for k in [1, 2, 3, 4, 5, 7, 100, 12345, 400_000] {
            let near = k as f64 * std::f64::consts::FRAC_PI_2;
            for x in [near, near.next_up(), near.next_down()] {
                check(x);
                check(-x);
            }
        }
        let mut state = 12345u64;
        for _ in 0..300 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let unit = (state >> 11) as f64 / (1u64 << 53) as f64;
            check((unit - 0.5) * 8.0);
            check((unit - 0.5) * 2.0 * MAX_ANGLE);
        }
    }

    #[test]
    fn out_of_range_is_nan() {
        assert!(sin_cos(1e9).0.is_nan() && sin_cos(f64::NAN).1.is_nan() && sin_cos(f64::INFINITY).0.is_nan());
    }
}
