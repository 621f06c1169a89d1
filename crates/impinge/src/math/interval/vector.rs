//! Vectors and matrices of intervals: boxes that enclose every vector and every linear map with entries inside.
//!
//! Products wrap: a rotated box is enclosed by an axis-aligned one. The chain of bounds in [`crate::motion`] does not use these; they are
//! the reference that such bounds are compared with, and the arithmetic of interval proofs.

use super::Interval;
use crate::math::{Mat3, Vec3};
use std::ops::{Add, Mul, Neg, Sub};

/// A box: every vector with coordinates inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalVec3 {
    /// The three coordinates.
    pub coordinates: [Interval; 3],
}

impl IntervalVec3 {
    /// The origin alone.
    pub const ZERO: IntervalVec3 = IntervalVec3 { coordinates: [Interval::ZERO; 3] };

    /// From three coordinates.
    pub const fn new(x: Interval, y: Interval, z: Interval) -> Self {
        IntervalVec3 { coordinates: [x, y, z] }
    }

    fn zip(self, o: Self, f: impl Fn(Interval, Interval) -> Interval) -> Self {
        let ([a, b, c], [d, e, g]) = (self.coordinates, o.coordinates);
        IntervalVec3::new(f(a, d), f(b, e), f(c, g))
    }

    /// Whether `v` lies inside.
    pub fn contains(self, v: Vec3) -> bool {
        self.coordinates.iter().zip(v.to_array()).all(|(i, x)| i.contains(x))
    }

    /// Whether all of this box lies inside `o`.
    pub fn is_within(self, o: Self) -> bool {
        (0..3).all(|k| self.coordinates[k].is_within(o.coordinates[k]))
    }

    /// Whether a vector lies in both.
    pub fn meets(self, o: Self) -> bool {
        (0..3).all(|k| self.coordinates[k].meets(o.coordinates[k]))
    }

    /// The smallest box around both.
    pub fn hull(self, o: Self) -> Self {
        self.zip(o, Interval::hull)
    }

    /// What lies in both; `None` if nothing does.
    pub fn intersection(self, o: Self) -> Option<Self> {
        self.meets(o).then(|| self.zip(o, |a, b| a.intersection(b).unwrap_or(a)))
    }

    /// A vector inside, see [`Interval::midpoint`].
    pub fn midpoint(self) -> Vec3 {
        self.coordinates.map(Interval::midpoint).into()
    }

    /// The largest width of a coordinate, at least.
    pub fn width(self) -> f64 {
        self.coordinates.iter().fold(0.0, |w, c| c.width().max(w))
    }

    /// All scalar products.
    pub fn dot(self, o: Self) -> Interval {
        let p = self.zip(o, Mul::mul).coordinates;
        p[0] + p[1] + p[2]
    }

    /// All vector products.
    pub fn cross(self, o: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.coordinates, o.coordinates);
        IntervalVec3::new(b * f - c * e, c * d - a * f, a * e - b * d)
    }

    /// All squared lengths: never below zero.
    pub fn norm_squared(self) -> Interval {
        let [a, b, c] = self.coordinates.map(Interval::square);
        a + b + c
    }

    /// All Euclidean lengths.
    pub fn norm(self) -> Interval {
        self.norm_squared().sqrt()
    }
}

impl From<Vec3> for IntervalVec3 {
    fn from(v: Vec3) -> Self {
        IntervalVec3 { coordinates: v.to_array().map(Interval::point) }
    }
}

impl Add for IntervalVec3 {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        self.zip(o, Add::add)
    }
}

impl Sub for IntervalVec3 {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self.zip(o, Sub::sub)
    }
}

impl Neg for IntervalVec3 {
    type Output = Self;
    fn neg(self) -> Self {
        IntervalVec3 { coordinates: self.coordinates.map(Neg::neg) }
    }
}

impl Mul<Interval> for IntervalVec3 {
    type Output = Self;
    fn mul(self, factor: Interval) -> Self {
        IntervalVec3 { coordinates: self.coordinates.map(|c| c * factor) }
    }
}

/// Every 3x3 matrix with entries inside, by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalMat3 {
    /// The three columns.
    pub columns: [IntervalVec3; 3],
}

impl IntervalMat3 {
    /// The identity alone.
    pub const IDENTITY: IntervalMat3 = IntervalMat3 {
        columns: [
            IntervalVec3::new(Interval::ONE, Interval::ZERO, Interval::ZERO),
            IntervalVec3::new(Interval::ZERO, Interval::ONE, Interval::ZERO),
            IntervalVec3::new(Interval::ZERO, Interval::ZERO, Interval::ONE),
        ],
    };

    /// From three columns.
    pub const fn from_columns(a: IntervalVec3, b: IntervalVec3, c: IntervalVec3) -> Self {
        IntervalMat3 { columns: [a, b, c] }
    }

    /// All rotations by the angles in `angle` about the *exact* unit vectors in `axis`, as Rodrigues has it:
    /// `c I + s axis× + (1 - c) axis axis^T`.
    pub fn rotation(axis: IntervalVec3, angle: Interval) -> Self {
        let (s, c) = angle.sin_cos();
        // 1 - cos is never negative, whatever the enclosure of the cosine says.
        let versine = (Interval::ONE - c).max(Interval::ZERO);
        let [x, y, z] = axis.coordinates;
        let (turn, both) = (axis * s, |a, b| a * b * versine);
        let [sx, sy, sz] = turn.coordinates;
        let own = |a: Interval| a.square() * versine + c;
        IntervalMat3::from_columns(
            IntervalVec3::new(own(x), both(x, y) + sz, both(x, z) - sy),
            IntervalVec3::new(both(x, y) - sz, own(y), both(y, z) + sx),
            IntervalVec3::new(both(x, z) + sy, both(y, z) - sx, own(z)),
        )
    }

    /// Whether `m` lies inside.
    pub fn contains(&self, m: Mat3) -> bool {
        (0..3).all(|j| self.columns[j].contains(m.columns[j]))
    }

    /// Whether every matrix here lies inside `o`.
    pub fn is_within(&self, o: &Self) -> bool {
        (0..3).all(|j| self.columns[j].is_within(o.columns[j]))
    }

    /// The transposed matrices.
    pub fn transpose(&self) -> Self {
        let row = |i: usize| IntervalVec3 { coordinates: [0, 1, 2].map(|j| self.columns[j].coordinates[i]) };
        IntervalMat3 { columns: [row(0), row(1), row(2)] }
    }

    /// All images of the vectors in `v`.
    pub fn apply(&self, v: IntervalVec3) -> IntervalVec3 {
        let [x, y, z] = v.coordinates;
        self.columns[0] * x + self.columns[1] * y + self.columns[2] * z
    }
}

impl From<Mat3> for IntervalMat3 {
    fn from(m: Mat3) -> Self {
        IntervalMat3 { columns: m.columns.map(IntervalVec3::from) }
    }
}

impl Mul for IntervalMat3 {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        IntervalMat3 { columns: o.columns.map(|c| self.apply(c)) }
    }
}

impl Add for IntervalMat3 {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        IntervalMat3 { columns: [0, 1, 2].map(|j| self.columns[j] + o.columns[j]) }
    }
}
