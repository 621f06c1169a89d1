//! The differences that everything else is made of, and how large they are.
//!
//! ```text
//! vertex/face  e1 = f1 - f0, e2 = f2 - f0, g = v - f0     contact: g in the triangle 0, e1, e2
//! edge/edge    e1 = a1 - a0, e2 = b1 - b0, g = b0 - a0    contact: alpha e1 = g + beta e2
//! ```
//! Each is rounded by u relatively, and linear between its two ends: large common offsets cost nothing.

use crate::math::Vec3;
use crate::narrow::features::Kind;

/// Covers the underflow of any product here, for sizes between 2^-40 and 2^40: less than 10^3 operations, each off by at most 2^-1074 and
/// multiplied by less than 2^120.
pub(crate) const TINY: f64 = 1e-270;

/// The three differences at one time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub e1: Vec3,
    pub e2: Vec3,
    pub g: Vec3,
}

impl Form {
    #[inline(always)]
    pub fn of(kind: Kind, p: &[Vec3; 4]) -> Form {
        match kind {
            Kind::VertexFace => Form { e1: p[2] - p[1], e2: p[3] - p[1], g: p[0] - p[1] },
            Kind::EdgeEdge => Form { e1: p[1] - p[0], e2: p[3] - p[2], g: p[2] - p[0] },
        }
    }
}

/// Both ends of a linear motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forms {
    pub kind: Kind,
    pub ends: [Form; 2],
    /// At least every coordinate of e1, e2, g at any time, up to the rounding of differences.
    pub size: [f64; 3],
    /// How far the true gap between two points of the features may be from the computed one: radii of both paths, and the margin.
    pub radius: f64,
}

impl Forms {
    #[inline(always)]
    pub fn new(kind: Kind, start: &[Vec3; 4], end: &[Vec3; 4], radius: f64) -> Forms {
        let (a, b) = (Form::of(kind, start), Form::of(kind, end));
        let size = [largest(a.e1, b.e1), largest(a.e2, b.e2), largest(a.g, b.g)];
        Forms { kind, ends: [a, b], size, radius }
    }

    /// At least every coordinate of a difference between points of the two features, at any time.
    #[inline(always)]
    pub fn reach(&self) -> f64 {
        self.size[0] + self.size[1] + self.size[2]
    }

    /// The differences at t, each coordinate off by at most 4 u times its size: difference u, weights and products 2 u, sum u.
    #[inline(always)]
    pub fn at(&self, t: f64) -> Form {
        let [a, b] = &self.ends;
        let mix = |a: Vec3, b: Vec3| a * (1.0 - t) + b * t;
        Form { e1: mix(a.e1, b.e1), e2: mix(a.e2, b.e2), g: mix(a.g, b.g) }
    }
}

#[inline(always)]
fn largest(a: Vec3, b: Vec3) -> f64 {
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let (a, b) = (a.abs(), b.abs());
    larger(larger(larger(a.x, b.x), larger(a.y, b.y)), larger(a.z, b.z))
}
