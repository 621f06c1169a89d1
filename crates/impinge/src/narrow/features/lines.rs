//! The polynomials of a pair, exactly, where coordinates times one power of two are integers that are not too long, see [`crate::narrow::features::digits`].
//!
//! Coefficients are those of y^n, y^(n-1) x, ..., x^n where t = x / (x + y), as in [`crate::narrow::features::polynomial`]: mixed ones are not divided.

use crate::narrow::features::digits::Coordinate;
use crate::narrow::features::double::Double;
use crate::narrow::features::exact::{Length, Short};
use crate::narrow::features::{FeaturePair, Kind, exponent_of};

/// Coefficients, before carries and after.
pub(crate) type Sums<L> = [<L as Length>::Squares; 3];
pub(crate) type Quadratic<L> = [<L as Length>::Square; 3];
pub(crate) type Equation<L> = [<L as Length>::Cube; 4];

/// A vector at t = 0 and at t = 1.
type Line<L> = [[L; 3]; 2];

/// Edges and gap, exactly, up to a common factor: see [`crate::narrow::features::forms`].
pub(crate) struct Lines<L> {
    kind: Kind,
    e1: Line<L>,
    e2: Line<L>,
    g: Line<L>,
}

impl Lines<Short> {
    /// `None` where a difference has bits more than 40 below the highest of all, or is larger than 2^40.
    pub fn short(pair: &FeaturePair) -> Option<Lines<Short>> {
        let corners = [&pair.start, &pair.end].map(|p| p.map(|v| v.to_array()));
        let differences =
            Lines::between(pair.kind, |a, b| corners.map(|p| [0, 1, 2].map(|k| Double::difference(p[a][k], p[b][k]))));
        let all = || [&differences.e1, &differences.e2, &differences.g].into_iter().flatten().flatten();
        if !all().all(|x| x.is_short()) {
            return None;
        }
        let scale = scale_to(39, all().fold(0.0, |m, x| larger(m, x.rounded().abs())))?;
        let whole = |x: &Double| Short((x.rounded() * scale) as i64);
        if !all().all(|x| whole(x).0 as f64 == x.rounded() * scale) {
            return None;
        }
        let [e1, e2, g] =
            [&differences.e1, &differences.e2, &differences.g].map(|line| line.each_ref().map(|v| v.each_ref().map(whole)));
        Some(Lines { kind: pair.kind, e1, e2, g })
    }
}

impl Lines<Coordinate> {
    /// `None` where a coordinate has bits more than 118 below the highest of all, or is larger than 2^118.
    pub fn long(pair: &FeaturePair) -> Option<Lines<Coordinate>> {
        let corners = [&pair.start, &pair.end].map(|p| p.map(|v| v.to_array()));
        let largest = corners.iter().flatten().flatten().fold(0.0, |m, x| larger(m, x.abs()));
        let (scale, mut all_exact) = (scale_to(117, largest)?, true);
        let mut whole = |x: f64| {
            let (whole, exact) = Coordinate::from_whole(x * scale);
            all_exact &= exact;
            whole
        };
        let corners = corners.map(|p| p.map(|v| v.map(&mut whole)));
        if !all_exact {
            return None;
        }
        Some(Lines::between(pair.kind, |a, b| corners.map(|p| [0, 1, 2].map(|k| p[a][k] - p[b][k]))))
    }
}

/// The power of two that takes x to 2^exponent and less than twice that, if it is not below 1: then nothing becomes so small that it is
/// rounded.
fn scale_to(exponent: i32, x: f64) -> Option<f64> {
    let e = exponent_of(x);
    (e > -800 && e <= exponent).then(|| f64::from_bits(((1023 + exponent - e) as u64) << 52))
}

/// For numbers that are not NaN.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

impl<L: Copy> Lines<L> {
    #[inline(always)]
    fn between(kind: Kind, apart: impl Fn(usize, usize) -> Line<L>) -> Lines<L> {
        let (e1, e2, g) = match kind {
            Kind::VertexFace => (apart(2, 1), apart(3, 1), apart(0, 1)),
            Kind::EdgeEdge => (apart(1, 0), apart(3, 2), apart(2, 0)),
        };
        Lines { kind, e1, e2, g }
    }
}

impl<L: Length> Lines<L> {
    /// e1 x e2.
    pub fn normals(&self) -> [Quadratic<L>; 3] {
        [0, 1, 2].map(|k| cross(&self.e1, &self.e2, k).map(Into::into))
    }

    /// f = (e1 x e2)·g.
    pub fn equation(&self, normals: &[Quadratic<L>; 3]) -> Equation<L> {
        let dot = |i: usize, j: usize| {
            let term = |k: usize| normals[k][i] * self.g[j][k];
            term(0) + term(1) + term(2)
        };
        [dot(0, 0), dot(0, 1) + dot(1, 0), dot(2, 0) + dot(1, 1), dot(2, 1)].map(Into::into)
    }

    /// Coordinate k of all that must have the sign of `normal`, that coordinate of e1 x e2, where the features touch. For a face the last is
    /// the normal itself.
    pub fn inside(&self, normal: &Quadratic<L>, k: usize) -> [Sums<L>; 4] {
        let (normal, alpha) = (normal.map(Into::into), cross(&self.g, &self.e2, k));
        match self.kind {
            Kind::VertexFace => {
                let beta = cross(&self.e1, &self.g, k);
                [alpha, beta, minus::<L>(minus::<L>(normal, alpha), beta), normal]
            }
            Kind::EdgeEdge => {
                let beta = cross(&self.g, &self.e1, k);
                [alpha, beta, minus::<L>(normal, alpha), minus::<L>(normal, beta)]
            }
        }
    }
}

/// Coordinate k of the cross product.
#[inline(always)]
fn cross<L: Length>(a: &Line<L>, b: &Line<L>, k: usize) -> Sums<L> {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let at = |s: usize, t: usize| a[s][i] * b[t][j] - a[s][j] * b[t][i];
    [at(0, 0), at(0, 1) + at(1, 0), at(1, 1)]
}

#[inline(always)]
fn minus<L: Length>(a: Sums<L>, b: Sums<L>) -> Sums<L> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
