//! Single operations rounded down or up, exactly: the largest `f64` not above the real result, the smallest not below.
//!
//! The machine's result is compared with the real one and moved one step if it lies on the wrong side. Sums: Knuth's two-sum gives the
//! error itself, exactly, because adding never underflows. Products: the 53-bit significands are multiplied as integers, so there is no
//! underflow, no splitting and no fused operation to depend on. Quotients and roots are compared by multiplying back: for b > 0,
//! a / b > q if and only if a > q b; sqrt(x) > r >= 0 if and only if x > r r.
//!
//! Infinite operands stand for ends of intervals: 0 * inf is 0, x / inf is 0. Only one side is written out, rounding up;
//! rounding down is its mirror image.

use crate::math::rounding::{next_down, next_up};
use std::cmp::Ordering;

/// The smallest number not below `a + b`; not for infinities of opposite sign.
#[inline]
pub(crate) fn add_up(a: f64, b: f64) -> f64 {
    let s = a + b;
    if !s.is_finite() {
        return if a.is_finite() && b.is_finite() { overflow_up(s) } else { s };
    }
    let part = s - a;
    let error = (a - (s - part)) + (b - part);
    // NaN (an intermediate overflow beside the largest numbers) moves outward too.
    if error <= 0.0 { s } else { next_up(s) }
}

/// The largest number not above `a + b`.
#[inline]
pub(crate) fn add_down(a: f64, b: f64) -> f64 {
    -add_up(-a, -b)
}

/// The smallest number not below `a - b`.
#[inline]
pub(crate) fn sub_up(a: f64, b: f64) -> f64 {
    add_up(a, -b)
}

/// The smallest number not below `a * b`.
#[inline]
pub(crate) fn mul_up(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let p = a * b;
    if !p.is_finite() {
        return if a.is_finite() && b.is_finite() { overflow_up(p) } else { p };
    }
    let larger = compare_product(a, b, p);
    outward_up(p, if (a < 0.0) == (b < 0.0) { larger } else { larger.reverse() })
}

/// The largest number not above `a * b`.
#[inline]
pub(crate) fn mul_down(a: f64, b: f64) -> f64 {
    -mul_up(-a, b)
}

/// The smallest number not below `a / b`, for `b` not zero and not both infinite.
#[inline]
pub(crate) fn div_up(a: f64, b: f64) -> f64 {
    if a == 0.0 || b.is_infinite() {
        return 0.0;
    }
    let q = a / b;
    if !q.is_finite() {
        return if a.is_finite() { overflow_up(q) } else { q };
    }
    let smaller = compare_product(q, b, a);
    outward_up(q, if (a < 0.0) == (b < 0.0) { smaller.reverse() } else { smaller })
}

/// The largest number not above `a / b`, for `b` not zero and not both infinite.
#[inline]
pub(crate) fn div_down(a: f64, b: f64) -> f64 {
    -div_up(-a, b)
}

/// The smallest number not below the root of `x >= 0`.
#[inline]
pub(crate) fn sqrt_up(x: f64) -> f64 {
    let r = x.sqrt();
    if x == 0.0 || x.is_infinite() { r } else { outward_up(r, compare_product(r, r, x).reverse()) }
}

/// The largest number not above the root of `x >= 0`; the largest finite one for an infinite `x`.
#[inline]
pub(crate) fn sqrt_down(x: f64) -> f64 {
    let r = x.sqrt();
    if x == 0.0 || x.is_infinite() {
        return r.min(f64::MAX);
    }
    if compare_product(r, r, x) == Ordering::Greater { next_down(r) } else { r }
}

/// `rounded`, moved up if the real result compares `Greater` with it.
#[inline]
fn outward_up(rounded: f64, real: Ordering) -> f64 {
    if real == Ordering::Greater { next_up(rounded) } else { rounded }
}

/// What overflow to `infinite` means when rounding up: beyond the largest number, or not below the lowest.
#[inline]
fn overflow_up(infinite: f64) -> f64 {
    if infinite > 0.0 { infinite } else { f64::MIN }
}

/// `|a b|` compared with `|c|`, in real arithmetic, for any finite numbers.
#[inline]
fn compare_product(a: f64, b: f64, c: f64) -> Ordering {
    let ((ma, ea), (mb, eb), (mc, ec)) = (significand(a), significand(b), significand(c));
    let (product, target) = (u128::from(ma) * u128::from(mb), u128::from(mc));
    if product == 0 || target == 0 {
        return product.cmp(&target);
    }
    // First the position of the leading bit, then the bits below it.
    let (gap_p, gap_t) = (product.leading_zeros(), target.leading_zeros());
    let leading_p = ea + eb - gap_p as i32;
    let leading_t = ec - gap_t as i32;
    leading_p.cmp(&leading_t).then_with(|| (product << gap_p).cmp(&(target << gap_t)))
}

/// `|x| = m * 2^e` with m below 2^53, for finite x.
#[inline]
fn significand(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) }
}
