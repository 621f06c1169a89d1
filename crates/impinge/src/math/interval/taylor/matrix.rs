//! Vectors and matrices that vary over a span.

use crate::math::Vec3;
use crate::math::interval::taylor::{GROW, Varying};
use std::ops::{Add, Sub};

/// A vector that varies over a span.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VaryingVec3(pub [Varying; 3]);

impl VaryingVec3 {
    /// A vector that does not vary, each coordinate known within `error`.
    #[inline(always)]
    pub fn constant(v: Vec3, error: f64) -> Self {
        VaryingVec3(v.to_array().map(|c| Varying::constant(c, error)))
    }

    #[inline(always)]
    fn zip(self, o: Self, f: impl Fn(Varying, Varying) -> Varying) -> Self {
        VaryingVec3([f(self.0[0], o.0[0]), f(self.0[1], o.0[1]), f(self.0[2], o.0[2])])
    }

    /// Each coordinate [`Varying::shifted_within`] `error`.
    #[inline(always)]
    pub fn shifted_within(self, error: f64) -> Self {
        VaryingVec3(self.0.map(|c| c.shifted_within(error)))
    }

    /// The scalar product with a constant vector, whose coordinates may be off by one rounding.
    #[inline(always)]
    pub fn along(self, v: Vec3) -> Varying {
        (self.0[0].scaled(v.x) + self.0[1].scaled(v.y) + self.0[2].scaled(v.z)).settled()
    }

    /// The scalar product.
    #[inline(always)]
    pub fn dot(self, o: Self) -> Varying {
        (self.0[0].times(o.0[0]) + self.0[1].times(o.0[1]) + self.0[2].times(o.0[2])).settled()
    }

    /// The vector product with a constant vector, whose coordinates may be off by one rounding.
    #[inline(always)]
    pub fn cross_constant(self, v: Vec3) -> Self {
        let [x, y, z] = self.0;
        VaryingVec3([y.scaled(v.z) - z.scaled(v.y), z.scaled(v.x) - x.scaled(v.z), x.scaled(v.y) - y.scaled(v.x)]).settled()
    }

    /// The vector product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, o.0);
        VaryingVec3([b.times(f) - c.times(e), c.times(d) - a.times(f), a.times(e) - b.times(d)]).settled()
    }

    #[inline(always)]
    fn settled(self) -> Self {
        VaryingVec3(self.0.map(Varying::settled))
    }
}

impl Add for VaryingVec3 {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        self.zip(o, |a, b| (a + b).settled())
    }
}

impl Sub for VaryingVec3 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self.zip(o, |a, b| (a - b).settled())
    }
}

/// A matrix that varies over a span, by columns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VaryingMat3(pub [VaryingVec3; 3]);

impl VaryingMat3 {
    /// The image of a constant vector, whose coordinates may be off by one rounding.
    #[inline(always)]
    pub fn apply_constant(&self, v: Vec3) -> VaryingVec3 {
        let row = |i: usize| (self.0[0].0[i].scaled(v.x) + self.0[1].0[i].scaled(v.y) + self.0[2].0[i].scaled(v.z)).settled();
        VaryingVec3([row(0), row(1), row(2)])
    }

    /// The image of a vector.
    #[inline(always)]
    pub fn apply(&self, v: VaryingVec3) -> VaryingVec3 {
        let row = |i: usize| VaryingVec3([self.0[0].0[i], self.0[1].0[i], self.0[2].0[i]]).dot(v);
        VaryingVec3([row(0), row(1), row(2)])
    }

    /// The product of two rotations: no entry is beyond 1.
    #[inline(always)]
    pub fn then(&self, o: &Self) -> Self {
        let column = |k: usize| {
            VaryingVec3(self.apply(o.0[k]).0.map(|e| Varying { spread: e.spread.min((1.0 + e.mid.abs()) * GROW), ..e }))
        };
        VaryingMat3([column(0), column(1), column(2)])
    }

    /// The transposed matrix.
    #[inline(always)]
    pub fn transpose(&self) -> Self {
        let row = |i: usize| VaryingVec3([self.0[0].0[i], self.0[1].0[i], self.0[2].0[i]]);
        VaryingMat3([row(0), row(1), row(2)])
    }
}
