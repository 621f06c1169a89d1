//! The polynomials of a pair in long numbers: exact in `i128` where differences of coordinates have few bits, else as [`Double`].
//!
//! Coefficients are those of y^n, y^(n-1) x, ..., x^n where t = x / (x + y), as in [`super::polynomial`]: mixed ones are not divided.

use std::ops::{Add, Mul, Sub};

use super::double::Double;
use super::{FeaturePair, Kind};
use crate::math::Vec3;

/// Coefficients of a quadratic.
pub(super) type Quadratic = [Double; 3];

/// What is asked of a pair, up to common factors.
#[derive(Clone, Copy)]
pub(super) struct Polynomials<N> {
    /// f = (e1 x e2)·g.
    pub equation: [N; 4],
    /// The coordinate of e1 x e2 that is probably largest at half time.
    pub normal: [N; 3],
    /// The same coordinate of all that must have the sign of `normal` where the features touch. For a face the last is `normal` itself.
    pub inside: [[N; 3]; 4],
}

impl<N: Into<Double>> Polynomials<N> {
    /// Of integers: coefficients rounded by 2 u^2.
    pub fn doubles(self) -> Polynomials<Double> {
        Polynomials {
            equation: self.equation.map(N::into),
            normal: self.normal.map(N::into),
            inside: self.inside.map(|q| q.map(N::into)),
        }
    }
}

/// A vector at t = 0 and at t = 1.
type Line<N> = [[N; 3]; 2];

/// Edges and gap, exactly: see [`super::forms`].
pub(super) struct Lines<N> {
    kind: Kind,
    e1: Line<N>,
    e2: Line<N>,
    g: Line<N>,
}

/// Integers below this: products of three, and sums of 18 of these, are below 2^125.
const FEW_BITS: f64 = (1u64 << 40) as f64;

impl Lines<Double> {
    pub fn new(pair: &FeaturePair) -> Lines<Double> {
        let difference = |a: Vec3, b: Vec3| [0, 1, 2].map(|k| Double::difference(a[k], b[k]));
        let apart = |a: usize, b: usize| [difference(pair.start[a], pair.start[b]), difference(pair.end[a], pair.end[b])];
        let (e1, e2, g) = match pair.kind {
            Kind::VertexFace => (apart(2, 1), apart(3, 1), apart(0, 1)),
            Kind::EdgeEdge => (apart(1, 0), apart(3, 2), apart(2, 0)),
        };
        Lines { kind: pair.kind, e1, e2, g }
    }

    /// All differences times one power of two, if that makes them short integers.
    pub fn integers(&self) -> Option<Lines<i128>> {
        let all = || [&self.e1, &self.e2, &self.g].into_iter().flatten().flatten();
        if all().any(|x| !x.is_short()) {
            return None;
        }
        let least = all().map(|x| x.rounded()).filter(|&x| x != 0.0).map(lowest_bit).min().unwrap_or(0);
        let scale = 2f64.powi(-least.clamp(-1000, 1000));
        if !all().all(|x| x.rounded().abs() * scale < FEW_BITS) || least.abs() > 1000 {
            return None;
        }
        let integers = |line: &Line<Double>| line.map(|v| v.map(|x| i128::from((x.rounded() * scale) as i64)));
        Some(Lines { kind: self.kind, e1: integers(&self.e1), e2: integers(&self.e2), g: integers(&self.g) })
    }
}

/// e with x an odd multiple of 2^e. Not for zero.
fn lowest_bit(x: f64) -> i32 {
    let (fraction, exponent) = (x.to_bits() & ((1 << 52) - 1), (x.to_bits() >> 52 & 0x7ff) as i32);
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    exponent + mantissa.trailing_zeros() as i32
}

impl<N: Copy + Add<Output = N> + Sub<Output = N> + Mul<Output = N> + Into<Double>> Lines<N> {
    pub fn polynomials(&self) -> Polynomials<N> {
        let normals = [0, 1, 2].map(|k| cross(&self.e1, &self.e2, k));
        let at_half = |k: usize| {
            let [a, b, c] = normals[k].map(|x| x.into().rounded());
            (a + b + c).abs()
        };
        let k = (1..3).fold(0, |best, k| if at_half(k) > at_half(best) { k } else { best });
        let normal = normals[k];
        let alpha = cross(&self.g, &self.e2, k);
        let inside = match self.kind {
            Kind::VertexFace => {
                let beta = cross(&self.e1, &self.g, k);
                let rest = minus(minus(normal, alpha), beta);
                [alpha, beta, rest, normal]
            }
            Kind::EdgeEdge => {
                let beta = cross(&self.g, &self.e1, k);
                [alpha, beta, minus(normal, alpha), minus(normal, beta)]
            }
        };
        Polynomials { equation: self.equation(&normals), normal, inside }
    }

    fn equation(&self, normals: &[[N; 3]; 3]) -> [N; 4] {
        let dot = |i: usize, j: usize| {
            let term = |k: usize| normals[k][i] * self.g[j][k];
            term(0) + term(1) + term(2)
        };
        [dot(0, 0), dot(0, 1) + dot(1, 0), dot(2, 0) + dot(1, 1), dot(2, 1)]
    }
}

/// Coordinate k of the cross product.
#[inline(always)]
fn cross<N: Copy + Add<Output = N> + Sub<Output = N> + Mul<Output = N>>(a: &Line<N>, b: &Line<N>, k: usize) -> [N; 3] {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let at = |s: usize, t: usize| a[s][i] * b[t][j] - a[s][j] * b[t][i];
    [at(0, 0), at(0, 1) + at(1, 0), at(1, 1)]
}

#[inline(always)]
fn minus<N: Copy + Sub<Output = N>>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A sum of two `f64` that is an integer below 2^61, both ways; short ones too.
    fn coordinate() -> impl Strategy<Value = (i128, Double)> {
        (-(1i64 << 52)..1 << 52, -(1i64 << 52)..1 << 52, any::<bool>()).prop_map(|(high, low, long)| {
            let high = if long { high << 8 } else { high >> 30 };
            (i128::from(high) + i128::from(low), Double::difference(high as f64, -(low as f64)))
        })
    }

    fn line() -> impl Strategy<Value = (Line<i128>, Line<Double>)> {
        prop::array::uniform6(coordinate()).prop_map(|c| {
            let at = |s: usize| [c[3 * s], c[3 * s + 1], c[3 * s + 2]];
            ([at(0).map(|c| c.0), at(1).map(|c| c.0)], [at(0).map(|c| c.1), at(1).map(|c| c.1)])
        })
    }

    proptest! {
        /// The budget of `sharp`: 28 for outer coefficients and 72 for mixed ones, in u^2 times the sizes, here 2^61.
        #[test]
        fn cross_products_of_doubles_keep_their_budget(a in line(), b in line(), k in 0usize..3) {
            let (whole, long) = (cross(&a.0, &b.0, k), cross(&a.1, &b.1, k));
            for (i, budget) in [28, 72, 28].into_iter().enumerate() {
                prop_assert!((long[i].whole() - whole[i]).abs() <= budget << 16, "{:?} {}", long[i], whole[i]);
            }
        }
    }
}
