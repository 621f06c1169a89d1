//! The equation and the quadratics of [`crate::narrow::features::cubic`] and [`crate::narrow::features::inside`] once more, with exact coefficients, see [`crate::narrow::features::lines`].
//!
//! Rounded last, a coefficient is off by a few u of what it *is*, not of what its terms could be: small motions and nearly parallel edges,
//! where terms cancel, are seen as sharply as others. What is not clear between two times is looked at where f vanishes between them,
//! a place known to about u^2; and what is not clear there either, by division.

use std::cell::OnceCell;

use crate::math::rounding::U;
use crate::narrow::features::cubic::Cubic;
use crate::narrow::features::division::sign_at_root;
use crate::narrow::features::double::Double;
use crate::narrow::features::exact::{Exact, Length, integers};
use crate::narrow::features::inside::{Side, above, below};
use crate::narrow::features::lines::{Equation, Lines, Quadratic, Sums};
use crate::narrow::features::polynomial::sign_changes;
use crate::narrow::features::{Answer, Found, Settings, first_crossing, flat};

/// The polynomials of a pair.
pub(crate) struct Sharp<'a, L: Length> {
    lines: &'a Lines<L>,
    equation: Equation<L>,
    /// The coordinate of e1 x e2 that is probably largest at half time.
    normal: Quadratic<L>,
    axis: usize,
    /// The equation, rounded.
    cubic: Cubic,
    /// The largest of its coefficients in Bernstein form.
    largest: f64,
}

impl<'a, L: Length> Sharp<'a, L> {
    pub fn new(lines: &'a Lines<L>) -> Sharp<'a, L> {
        let normals = lines.normals();
        let at_half = normals.map(|[a, b, c]| (a.rounded() + b.rounded() + c.rounded()).abs());
        let axis = (1..3).fold(0, |best, k| if at_half[k] > at_half[best] { k } else { best });
        let equation = lines.equation(&normals);
        let [a, b, c, d] = equation.map(L::Cube::rounded);
        let coefficients = [a, b / 3.0, c / 3.0, d];
        let largest = coefficients.iter().fold(0.0, |m: f64, c| m.max(c.abs()));
        // Five roundings of coefficients, 9 for a restriction to a span, and room for the rounding of its ends, |f'| <= 6 of the largest.
        let cubic = Cubic { coefficients, band: 32.0 * U * largest };
        Sharp { lines, equation, normal: normals[axis], axis, cubic, largest }
    }

    /// The answer, if the bracket of a contact is narrow enough.
    pub fn first_contact(&self, settings: &Settings) -> Option<Answer> {
        if self.largest == 0.0 {
            return flat::first_contact(&self.normal, &self.inside().map(|q| q.map(Into::into)));
        }
        if self.cubic.excludes() {
            return Some(Answer::Free);
        }
        match first_crossing(&self.cubic, |span| self.crosses(span), |span| self.side(span)) {
            Found::Free => Some(Answer::Free),
            Found::Contact(time) if time.1 - time.0 <= settings.time_tolerance => Some(Answer::Contact { time, certified: true }),
            _ => None,
        }
    }

    fn inside(&self) -> [Sums<L>; 4] {
        self.lines.inside(&self.normal, self.axis)
    }

    /// Proven: f has a root in the span. Where its sign differs at both ends, or at t = 0 or 1 if a coefficient is zero.
    fn crosses(&self, span: (f64, f64)) -> bool {
        let [first, .., last] = self.cubic.coefficients;
        (span.0 == 0.0 && first == 0.0) || (span.1 == 1.0 && last == 0.0) || self.cubic.crosses(span)
    }

    /// See [`crate::narrow::features::inside::side`]: the same, with a coordinate axis for m.
    fn side(&self, span: (f64, f64)) -> Side {
        let (part, slack) = part(&bernstein(&self.normal), span);
        let sign = if above(&part, slack) {
            1
        } else if below(&part, slack) {
            -1
        } else {
            return Side::Unknown;
        };
        let (near, mut all) = (OnceCell::new(), Side::Inside);
        for q in self.inside() {
            let q: &Quadratic<L> = &q.map(Into::into);
            let mut side = side_between(q, sign, span);
            if side == Side::Unknown {
                let near = near.get_or_init(|| Near::new(self, span));
                side = near.as_ref().map_or(side, |near| near.side(&q.map(|x| x.double().scaled(f64::from(sign)))));
            }
            if side == Side::Unknown {
                side = self.side_by_division(q, sign, span);
            }
            match side {
                Side::Outside => return Side::Outside,
                Side::Inside => {}
                Side::Unknown => all = Side::Unknown,
            }
        }
        all
    }

    /// Whether a quadratic is negative where f vanishes: where f has but one root in [0, 1] and it is in the span.
    fn side_by_division(&self, q: &Quadratic<L>, sign: i32, span: (f64, f64)) -> Side {
        let f = integers(&self.equation);
        let at_root = match (self.equation.map(L::Cube::sign), sign_changes(&f)) {
            ([0, .., last], 0) if last != 0 => q[0].sign(),
            ([first, .., 0], 0) if first != 0 => q[2].sign(),
            ([first, .., last], 1) if first * last < 0 && self.cubic.crosses(span) => sign_at_root(&f, &integers(q)),
            _ => return Side::Unknown,
        };
        if at_root * sign >= 0 { Side::Inside } else { Side::Outside }
    }
}

/// Whether a quadratic times `sign` is positive (or zero, exactly), or negative, throughout the span.
pub(crate) fn side_between<E: Exact>(q: &[E; 3], sign: i32, span: (f64, f64)) -> Side {
    let (part, slack) = part(&bernstein(q).map(|x| x * f64::from(sign)), span);
    if above(&part, slack) || q.iter().all(|x| x.sign() * sign >= 0) {
        Side::Inside
    } else if below(&part, slack) {
        Side::Outside
    } else {
        Side::Unknown
    }
}

/// Bernstein coefficients of the part between two times, and their error: rounded to 4 u, then two levels of de Casteljau, 3 u each, of
/// the largest coefficient: 10 u, below 16.
fn part(q: &[f64; 3], (s, h): (f64, f64)) -> ([f64; 3], f64) {
    let mix = |a: f64, b: f64, t: f64| a * (1.0 - t) + b * t;
    let ((s0, s1), (h0, h1)) = ((mix(q[0], q[1], s), mix(q[1], q[2], s)), (mix(q[0], q[1], h), mix(q[1], q[2], h)));
    ([mix(s0, s1, s), mix(s0, s1, h), mix(h0, h1, h)], 16.0 * U * largest(q))
}

fn bernstein<E: Exact>([a, b, c]: &[E; 3]) -> [f64; 3] {
    [a.rounded(), 0.5 * b.rounded(), c.rounded()]
}

fn largest(q: &[f64; 3]) -> f64 {
    q[0].abs().max(q[1].abs()).max(q[2].abs())
}

/// Every root of f in a span of this width around t is within `off` of t + delta.
struct Near {
    t: f64,
    width: f64,
    delta: f64,
    off: f64,
}

impl Near {
    /// By the mean value theorem: a root t + d has d = -f(t) / f' with f' taken somewhere in the span. With M the largest coefficient:
    /// |f''| <= 24 M; the slope at t is computed up to 84 u M; see [`value`] for f(t). Rounding here is covered by the factor 2.
    fn new<L: Length>(sharp: &Sharp<'_, L>, (from, to): (f64, f64)) -> Option<Near> {
        let (t, width) = (0.5 * (from + to), to - from);
        let (slope, m) = (sharp.cubic.slope(t), sharp.largest);
        let slope_off = m * (24.0 * width + 96.0 * U);
        let steep = slope.abs() - 2.0 * slope_off;
        if !(steep > 0.0) {
            return None;
        }
        let f = value(&sharp.equation.map(L::Cube::double), t);
        let f_off = 128.0 * U * U * m;
        let delta = -f / slope;
        let off = 2.0 * (f_off + delta.abs() * (slope_off + 4.0 * U * slope.abs())) / steep;
        Some(Near { t, width, delta, off })
    }

    /// Whether a quadratic is positive or negative where f vanishes.
    fn side(&self, q: &[Double; 3]) -> Side {
        let (value, off) = self.value(q);
        if value > off {
            Side::Inside
        } else if value < -off {
            Side::Outside
        } else {
            Side::Unknown
        }
    }

    /// A quadratic where f vanishes, and how far it may be off: q(t) + q' d likewise. |q''| <= 8 M, and the slope is computed up to 20 u M.
    fn value(&self, q: &[Double; 3]) -> (f64, f64) {
        let at = value(q, self.t);
        let q = [q[0].rounded(), 0.5 * q[1].rounded(), q[2].rounded()];
        let m = largest(&q);
        let slope = 2.0 * ((q[1] - q[0]) * (1.0 - self.t) + (q[2] - q[1]) * self.t);
        let slope_off = m * (8.0 * self.width + 32.0 * U);
        let step = slope * self.delta;
        let off = 128.0 * U * U * m
            + slope.abs() * self.off
            + slope_off * (self.delta.abs() + self.off)
            + 4.0 * U * (at.abs() + step.abs());
        (at + step, 2.0 * off)
    }
}

/// A polynomial of degree at most three at t in [0, 1], off by at most 128 u^2 of its largest Bernstein coefficient, and rounded by u.
///
/// 1 - t is exact. A term meets three products on its way, or two and those of its power, 10 u^2 each, three sums, 4 u^2 of what is
/// added, and its own rounding, 32 u^2; and the terms add up to no more than that coefficient.
fn value(p: &[Double], t: f64) -> f64 {
    let (s, t) = (Double::difference(1.0, t), Double::difference(t, 0.0));
    let (mut sum, mut power) = (p[0], t);
    for (i, &c) in p.iter().enumerate().skip(1) {
        sum = sum * s + c * power;
        if i + 1 < p.len() {
            power = power * t;
        }
    }
    sum.rounded()
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// At an instant: quadratics that nearly vanish at k / 2^53 are not given a sign that they do not have.
        #[test]
        fn parts_are_within_their_slack(k in 1i64..1 << 53, other in -1000i128..1000, off in prop::array::uniform3(-4i128..4)) {
            let (k, rest) = (i128::from(k), (1i128 << 53) - i128::from(k));
            let q = [k * other + off[0], k - rest * other + off[1], -rest + off[2]];
            let t = k as f64 / (1u64 << 53) as f64;
            let (x, y) = (BigInt::from(k), BigInt::from(rest));
            let exact = q[0] * &y * &y + q[1] * &x * &y + q[2] * &x * &x;
            let (part, slack) = part(&bernstein(&q), (t, t));
            prop_assert!(exact >= BigInt::ZERO || !above(&part, slack));
            prop_assert!(exact <= BigInt::ZERO || !below(&part, slack));
        }
    }
}
