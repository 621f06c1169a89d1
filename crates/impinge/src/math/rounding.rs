//! Rounding outward, and the constants of every error budget.
//!
//! `--cfg impinge_round_to_nearest` switches all of it off, to show that tests notice: see `impinge-testkit/tests/rounding_off.rs`. It is no
//! Cargo feature, because any crate of a build could switch that on for all.

/// Whether bounds are rounded outward. Without it every answer is worthless.
const OUTWARD: bool = !cfg!(impinge_round_to_nearest);

/// Unit roundoff of `f64`: a rounded operation is off by at most this, relatively.
pub const U: f64 = if OUTWARD { f64::EPSILON / 2.0 } else { 0.0 };

/// Factor that covers the rounding of a bound itself: a sum of non-negative terms evaluated with fewer than 2^12 operations is low by at
/// most a factor 1 - 2^12 u = 1 - 2^-41.
pub const INFLATE: f64 = if OUTWARD { 1.0 + 1.0 / (1u64 << 40) as f64 } else { 1.0 };

/// The next number above `x`.
#[inline(always)]
pub fn next_up(x: f64) -> f64 {
    if OUTWARD { x.next_up() } else { x }
}

/// The next number below `x`.
#[inline(always)]
pub fn next_down(x: f64) -> f64 {
    if OUTWARD { x.next_down() } else { x }
}

/// The largest `f32` that is not above `x`.
#[inline(always)]
pub fn f32_down(x: f64) -> f32 {
    let y = x as f32;
    if OUTWARD && f64::from(y) > x { y.next_down() } else { y }
}

/// The smallest `f32` that is not below `x`.
#[inline(always)]
pub fn f32_up(x: f64) -> f32 {
    let y = x as f32;
    if OUTWARD && f64::from(y) < x { y.next_up() } else { y }
}

/// An `f32` that is not above `x`, at most a few units in the last place below: cheaper than [`f32_down`]. NaN for huge `x`.
///
/// Rounding to `f32` moves by at most 2^-24 |x| + 2^-150; subtracting 2^-22 |y| + 2^-140, itself rounded by 2^-24 |y|, leaves room.
#[inline(always)]
pub fn f32_below(x: f64) -> f32 {
    let y = x as f32;
    if OUTWARD { y - (y.abs() * 2.384_185_8e-7 + 1e-42) } else { y }
}

/// An `f32` that is not below `x`: see [`f32_below`].
#[inline(always)]
pub fn f32_above(x: f64) -> f32 {
    let y = x as f32;
    if OUTWARD { y + (y.abs() * 2.384_185_8e-7 + 1e-42) } else { y }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_to_f32_goes_outward() {
        for x in [0.0, 0.1, -0.1, 1e-46, -1e-46, 1e300, -1e300, 16777217.0, std::f64::consts::PI] {
            assert!(f64::from(f32_down(x)) <= x && f64::from(f32_up(x)) >= x, "{x}");
            assert!(x.abs() > 1e38 || (f64::from(f32_below(x)) <= x && f64::from(f32_above(x)) >= x), "{x}");
        }
        assert_eq!(f32_up(1.5), 1.5);
        assert_eq!(f32_down(-1.5), -1.5);
    }
}
