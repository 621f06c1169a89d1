//! The sign of one polynomial where another vanishes, without knowing where that is.
//!
//! f is homogeneous in x, y > 0, has neither first nor last coefficient zero, and one change of sign: one root.

use crate::narrow::features::integer::Int;
use crate::narrow::features::polynomial::{common_sign, sign_at, trim};

/// The sign of q, of degree at most two, at the root of f.
///
/// By dividing f by q: f = 0 at the root, so c f = s q + r (c > 0) gives sign q = -sign r sign s, and s and r are linear, whose signs are
/// comparisons with a rational time.
pub(crate) fn sign_at_root(f: &[Int], q: &[Int]) -> i32 {
    if let Some(sign) = common_sign(q) {
        return sign;
    }
    let q = trim(q);
    match (f.len(), q.len()) {
        (2, _) => sign_at(q, &f[0].clone().abs(), &f[1].clone().abs()),
        (_, 2) => sign_of_linear(f, &q[0], &q[1]),
        (3, _) => {
            let [l0, l1] = [0, 1].map(|i| f[2].times(&q[i]).minus(&q[2].times(&f[i])));
            sign_of_linear(f, &l0, &l1) * f[2].sign()
        }
        _ => sign_of_quadratic(f, q),
    }
}

fn sign_of_quadratic(f: &[Int], q: &[Int]) -> i32 {
    let c = q[2].times(&q[2]);
    let s1 = q[2].times(&f[3]);
    let s0 = q[2].times(&f[2]).minus(&f[3].times(&q[1]));
    let r1 = c.times(&f[1]).minus(&s1.times(&q[0])).minus(&s0.times(&q[1]));
    let r0 = c.times(&f[0]).minus(&s0.times(&q[0]));
    match (sign_of_linear(f, &r0, &r1), sign_of_linear(f, &s0, &s1)) {
        // The root is that of s, a rational time.
        (0, 0) => sign_at(q, &s0.abs(), &s1.abs()),
        (r, s) => -r * s,
    }
}

/// The sign of l0 y' + l1 x' at the root.
fn sign_of_linear(f: &[Int], l0: &Int, l1: &Int) -> i32 {
    if l0.sign() * l1.sign() >= 0 {
        return (l0.sign() + l1.sign()).signum();
    }
    // It vanishes at x' : y' = -l0 : l1. Is that before the root, after it, or the root itself?
    match sign_at(f, &l0.clone().abs(), &l1.clone().abs()) {
        0 => 0,
        before if before == f[0].sign() => l1.sign(),
        _ => l0.sign(),
    }
}
