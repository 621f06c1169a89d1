//! The equation and the quadratics of [`super::cubic`] and [`super::inside`] once more, with long coefficients, see [`super::lines`].
//!
//! Rounded last, a coefficient is off by u of what it *is*, not of what its terms could be: small motions and nearly parallel edges,
//! where terms cancel, are seen as sharply as others. What is not clear between two times is looked at where f vanishes between them,
//! a place known to about u^2.
//!
//! Errors of doubles in u^2 times the sizes L: a coordinate of a cross product 2·10 + 4·2 = 28; mixed ones, sums of two, 2·28 + 4·4 = 72. A
//! dot product of n0 and g: 3 (28 + 10·2) + sums 4·4 + 4·6 = 184; of n1: 3 (72 + 10·4) + 4·8 + 4·12 = 416; their sum 184 + 416 + 4·18 = 672.
//! n - alpha - beta: three times 72, and sums 4·8 + 4·12. Sizes come from rounded differences: 1 + u each. Integers have no errors.

use super::FeaturePair;
use super::cubic::Cubic;
use super::division::sign_at_root;
use super::double::Double;
use super::forms::{Forms, TINY};
use super::inside::{Side, above, below};
use super::integer::Int;
use super::lines::{Lines, Polynomials, Quadratic};
use super::polynomial::sign_changes;
use crate::math::rounding::U;

/// The polynomials of a pair, and how far their coefficients may be off.
pub(super) struct Sharp {
    polynomials: Polynomials<Double>,
    /// Where nothing was rounded.
    integers: Option<Polynomials<i128>>,
    /// The equation, rounded.
    pub cubic: Cubic,
    /// The largest of its coefficients in Bernstein form.
    largest: f64,
    equation_error: f64,
    quadratic_error: f64,
}

impl Sharp {
    pub fn new(pair: &FeaturePair, forms: &Forms) -> Sharp {
        let lines = Lines::new(pair);
        match lines.integers() {
            Some(integers) => {
                let integers = integers.polynomials();
                Sharp { integers: Some(integers), ..Sharp::with_errors(integers.doubles(), 0.0, 0.0) }
            }
            None => {
                let [l1, l2, lg] = forms.size;
                let equation_error = 1024.0 * U * U * l1 * l2 * lg + TINY;
                let quadratic_error = 512.0 * U * U * (l1 * l2 + lg * l2 + l1 * lg) + TINY;
                Sharp::with_errors(lines.polynomials(), equation_error, quadratic_error)
            }
        }
    }

    fn with_errors(polynomials: Polynomials<Double>, equation_error: f64, quadratic_error: f64) -> Sharp {
        let [a, b, c, d] = polynomials.equation.map(Double::rounded);
        let coefficients = [a, b / 3.0, c / 3.0, d];
        let largest = coefficients.iter().fold(0.0, |m: f64, c| m.max(c.abs()));
        // Two roundings of coefficients, 9 for a restriction to a span, and room for the rounding of its ends, |f'| <= 6 of the largest.
        let cubic = Cubic { coefficients, band: 32.0 * U * largest + equation_error };
        Sharp { polynomials, cubic, largest, equation_error, quadratic_error, integers: None }
    }

    /// The integers, if these prove that f is zero throughout.
    pub fn in_plane(&self) -> Option<&Polynomials<i128>> {
        self.integers.as_ref().filter(|_| self.largest == 0.0)
    }

    /// Proven: f has a root in the span. Where its sign differs at both ends, or at t = 0 or 1 if an exact coefficient is zero.
    pub fn crosses(&self, span: (f64, f64)) -> bool {
        let [first, .., last] = self.cubic.coefficients;
        let at_end = (span.0 == 0.0 && first == 0.0) || (span.1 == 1.0 && last == 0.0);
        (self.integers.is_some() && at_end) || self.cubic.crosses(span)
    }

    /// See [`super::inside::side`]: the same, with a coordinate axis for m.
    pub fn side(&self, span: (f64, f64)) -> Side {
        let Polynomials { normal, inside, .. } = &self.polynomials;
        let (part, slack) = self.part(normal, span);
        let sign = if above(&part, slack) {
            1.0
        } else if below(&part, slack) {
            -1.0
        } else {
            return Side::Unknown;
        };
        let (mut near, mut all) = (None, Side::Inside);
        for (i, q) in inside.iter().enumerate() {
            let q = q.map(|x| x.scaled(sign));
            let mut side = self.side_between(&q, span);
            if side == Side::Unknown {
                let near = near.get_or_insert_with(|| Near::new(self, span));
                side = near.as_ref().map_or(side, |near| near.side(&q, self.quadratic_error));
            }
            if side == Side::Unknown {
                side = self.side_by_division(i, sign as i32, span);
            }
            match side {
                Side::Outside => return Side::Outside,
                Side::Inside => {}
                Side::Unknown => all = Side::Unknown,
            }
        }
        all
    }

    /// Whether a quadratic is positive (or zero, exactly), or negative, throughout the span.
    fn side_between(&self, q: &Quadratic, span: (f64, f64)) -> Side {
        let (part, slack) = self.part(q, span);
        if above(&part, slack) || (self.integers.is_some() && q.iter().all(|x| x.rounded() >= 0.0)) {
            Side::Inside
        } else if below(&part, slack) {
            Side::Outside
        } else {
            Side::Unknown
        }
    }

    /// Whether a quadratic is negative where f vanishes, by division: where f has but one root in (0, 1) and it is in the span.
    fn side_by_division(&self, i: usize, sign: i32, span: (f64, f64)) -> Side {
        let Some(Polynomials { equation, inside, .. }) = &self.integers else { return Side::Unknown };
        let (f, q) = (equation.map(Int::whole), inside[i].map(Int::whole));
        if f[0].sign() * f[3].sign() >= 0 || sign_changes(&f) != 1 || !self.cubic.crosses(span) {
            return Side::Unknown;
        }
        if sign_at_root(&f, &q) * sign >= 0 { Side::Inside } else { Side::Outside }
    }

    /// Bernstein coefficients of the part between two times, and their error: rounded to u, then two levels of de Casteljau, 3 u each, of the
    /// largest coefficient: 7 u, below 16.
    fn part(&self, q: &Quadratic, (s, h): (f64, f64)) -> ([f64; 3], f64) {
        let q = bernstein(q);
        let mix = |a: f64, b: f64, t: f64| a * (1.0 - t) + b * t;
        let ((s0, s1), (h0, h1)) = ((mix(q[0], q[1], s), mix(q[1], q[2], s)), (mix(q[0], q[1], h), mix(q[1], q[2], h)));
        ([mix(s0, s1, s), mix(s0, s1, h), mix(h0, h1, h)], 16.0 * U * largest(&q) + self.quadratic_error)
    }
}

fn bernstein([a, b, c]: &Quadratic) -> [f64; 3] {
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
    /// |f''| <= 24 M; the slope at t is computed up to 48 u M; see [`value`] for f(t). Rounding here is covered by the factor 2.
    fn new(sharp: &Sharp, (from, to): (f64, f64)) -> Option<Near> {
        let (t, width) = (0.5 * (from + to), to - from);
        let (slope, m) = (sharp.cubic.slope(t), sharp.largest);
        let slope_off = m * (24.0 * width + 64.0 * U) + 8.0 * sharp.equation_error;
        let steep = slope.abs() - 2.0 * slope_off;
        if !(steep > 0.0) {
            return None;
        }
        let f = value(&sharp.polynomials.equation, t);
        let f_off = 128.0 * U * U * m + sharp.equation_error;
        let delta = -f / slope;
        let off = 2.0 * (f_off + delta.abs() * (slope_off + 4.0 * U * slope.abs())) / steep;
        Some(Near { t, width, delta, off })
    }

    /// Whether a quadratic is positive or negative where f vanishes.
    fn side(&self, q: &Quadratic, quadratic_error: f64) -> Side {
        let (value, off) = self.value(q, quadratic_error);
        if value > off {
            Side::Inside
        } else if value < -off {
            Side::Outside
        } else {
            Side::Unknown
        }
    }

    /// A quadratic where f vanishes, and how far it may be off: q(t) + q' d likewise. |q''| <= 8 M, and the slope is computed up to 20 u M.
    fn value(&self, q: &Quadratic, quadratic_error: f64) -> (f64, f64) {
        let at = value(q, self.t);
        let q = bernstein(q);
        let m = largest(&q);
        let slope = 2.0 * ((q[1] - q[0]) * (1.0 - self.t) + (q[2] - q[1]) * self.t);
        let slope_off = m * (8.0 * self.width + 32.0 * U) + 4.0 * quadratic_error;
        let step = slope * self.delta;
        let off = (128.0 * U * U * m + quadratic_error)
            + slope.abs() * self.off
            + slope_off * (self.delta.abs() + self.off)
            + 4.0 * U * (at.abs() + step.abs());
        (at + step, 2.0 * off)
    }
}

/// A polynomial of degree at most three at t in [0, 1], off by at most 128 u^2 of its largest Bernstein coefficient, and rounded by u.
///
/// 1 - t is exact. A term meets three products on its way, or two and those of its power, 10 u^2 each, three sums, 4 u^2 of what is
/// added, and its own rounding, 2 u^2; and the terms add up to no more than that coefficient.
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
            let polynomials = Polynomials { equation: [0; 4], normal: q, inside: [q; 4] };
            let sharp = Sharp::with_errors(polynomials.doubles(), 0.0, 0.0);
            let (part, slack) = sharp.part(&sharp.polynomials.normal, (t, t));
            prop_assert!(exact >= BigInt::ZERO || !above(&part, slack));
            prop_assert!(exact <= BigInt::ZERO || !below(&part, slack));
        }
    }
}
