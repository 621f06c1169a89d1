//! Everything in one plane, which may move: f is zero throughout.
//!
//! Where a coordinate of N is never zero, the features touch exactly when all quadratics of [`crate::narrow::features::inside`] have its sign. Seen with
//! that sign, those that are negative at first rise once, in all but rare cases:
//!
//! ```text
//! q1  - - - - + + + + +
//! q2  - - - - - - + + +        first contact: where one of them rises, if no other is negative there
//! q3  + + + + + + + + -
//! ```

use crate::math::rounding::U;
use crate::narrow::features::Answer;
use crate::narrow::features::division::sign_at_root;
use crate::narrow::features::exact::{Exact, integers};
use crate::narrow::features::inside::Side;
use crate::narrow::features::sharp::side_between;

/// Decides what is as simple as that; `None` for everything else.
///
/// Contact that is not there at t = 0 begins where a quadratic that was negative is zero. Those that are negative at first rise once, and
/// contact is not before the last of them does; unless another one falls and rises again, it is there or nowhere.
pub(crate) fn first_contact<E: Exact>(normal: &[E; 3], inside: &[[E; 3]; 4]) -> Option<Answer> {
    let sign = match normal.map(E::sign) {
        [1, 1, 1] => 1,
        [-1, -1, -1] => -1,
        _ => return None,
    };
    let signs = inside.map(|q| q.map(|x| x.sign() * sign));
    if signs.contains(&[-1; 3]) {
        return Some(Answer::Free);
    }
    if signs.iter().all(|q| q[0] >= 0) {
        return Some(Answer::Contact { time: (0.0, 0.0), certified: true });
    }
    if signs.iter().any(|q| q[0] < 0 && q[2] <= 0) {
        return None;
    }
    for rising in (0..4).filter(|&i| signs[i][0] < 0) {
        let time = rise(&inside[rising].map(|x| x.rounded() * f64::from(sign)))?;
        let holds = |i: usize| match side_between(&inside[i], sign, time) {
            Side::Inside => true,
            Side::Outside => false,
            Side::Unknown => sign_at_root(&integers(&inside[rising]), &integers(&inside[i])) * sign >= 0,
        };
        if (0..4).all(|i| i == rising || holds(i)) {
            return Some(Answer::Contact { time, certified: true });
        }
    }
    let may_rise_again = |q: &[i32; 3]| q[0] >= 0 && q[1] < 0 && q[2] >= 0;
    if signs.iter().any(may_rise_again) { None } else { Some(Answer::Free) }
}

/// A narrow bracket of the time at which a quadratic that is negative at 0 and positive at 1 changes its sign, at most 2^-39 wide.
fn rise(q: &[f64; 3]) -> Option<(f64, f64)> {
    let t = estimate_rise(q);
    let mut width = 4.0 * U;
    for _ in 0..6 {
        let (from, to) = ((t - width).max(0.0), (t + width).min(1.0));
        if (from == 0.0 || sign_at(q, from) < 0) && (to == 1.0 || sign_at(q, to) > 0) {
            return Some((from, to));
        }
        width *= 4.0;
    }
    None
}

/// The root, an estimate: of q0 s^2 + q1 s t + q2 t^2, s = 1 - t, q0 < 0 < q2, by the formula that does not cancel.
fn estimate_rise(q: &[f64; 3]) -> f64 {
    let [a, b, c] = *q;
    let w = (b * b - 4.0 * a * c).sqrt();
    let ratio = if b > 0.0 { -2.0 * a / (b + w) } else { (w - b) / (2.0 * c) };
    ratio / (1.0 + ratio)
}

/// The sign at a time, or 0 where rounding hides it: coefficients, powers, products and sums are less than 14 roundings of each term.
fn sign_at(q: &[f64; 3], t: f64) -> i32 {
    let ([a, b, c], s) = (*q, 1.0 - t);
    let terms = [a * s * s, b * s * t, c * t * t];
    let (value, slack) = (terms[0] + terms[1] + terms[2], 16.0 * U * (terms[0].abs() + terms[1].abs() + terms[2].abs()));
    i32::from(value > slack) - i32::from(value < -slack)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Quadratics that nearly vanish at k / 2^53: what is called a sign is one.
        #[test]
        fn signs_at_a_time_are_true(k in 1i64..1 << 53, other in -1000i128..1000, off in prop::array::uniform3(-4i128..4)) {
            // (k y - (2^53 - k) x) (x + other y), with small changes.
            let (k, rest) = (i128::from(k), (1i128 << 53) - i128::from(k));
            let q = [k * other + off[0], k - rest * other + off[1], -rest + off[2]];
            // It vanishes where x : y = k : rest, that is t = k / 2^53.
            let t = k as f64 / (1u64 << 53) as f64;
            let (x, y) = (BigInt::from(k), BigInt::from(rest));
            let exact = q[0] * &y * &y + q[1] * &x * &y + q[2] * &x * &x;
            let sign = i32::from(exact > BigInt::ZERO) - i32::from(exact < BigInt::ZERO);
            let found = sign_at(&q.map(|x| x as f64), t);
            prop_assert!(found == 0 || found == sign, "{q:?} at {t}: {found}, exactly {sign}");
        }
    }
}
