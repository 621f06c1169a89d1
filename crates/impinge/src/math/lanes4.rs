//! Four `f64` at a time: three coordinates and a spare, or one coordinate of up to four points.
//!
//! Plain array code that compilers turn into vector instructions where the caller is compiled for them; no fused operations, so the same
//! bits with and without.

use super::Vec3;
use super::rounding::{f32_above, f32_below};

/// Four numbers.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub(crate) struct V4(pub [f64; 4]);

impl V4 {
    #[inline(always)]
    pub fn splat(x: f64) -> Self {
        V4([x; 4])
    }

    #[inline(always)]
    fn zip(self, o: V4, f: impl Fn(f64, f64) -> f64) -> V4 {
        V4([f(self.0[0], o.0[0]), f(self.0[1], o.0[1]), f(self.0[2], o.0[2]), f(self.0[3], o.0[3])])
    }

    #[inline(always)]
    pub fn add(self, o: V4) -> V4 {
        V4([self.0[0] + o.0[0], self.0[1] + o.0[1], self.0[2] + o.0[2], self.0[3] + o.0[3]])
    }

    #[inline(always)]
    pub fn sub(self, o: V4) -> V4 {
        V4([self.0[0] - o.0[0], self.0[1] - o.0[1], self.0[2] - o.0[2], self.0[3] - o.0[3]])
    }

    #[inline(always)]
    pub fn mul(self, o: V4) -> V4 {
        V4([self.0[0] * o.0[0], self.0[1] * o.0[1], self.0[2] * o.0[2], self.0[3] * o.0[3]])
    }

    #[inline(always)]
    pub fn scale(self, a: f64) -> V4 {
        self.mul(V4::splat(a))
    }

    #[inline(always)]
    pub fn abs(self) -> V4 {
        V4([self.0[0].abs(), self.0[1].abs(), self.0[2].abs(), self.0[3].abs()])
    }

    #[inline(always)]
    pub fn sqrt(self) -> V4 {
        V4([self.0[0].sqrt(), self.0[1].sqrt(), self.0[2].sqrt(), self.0[3].sqrt()])
    }

    /// Lane by lane; the second operand where either is NaN.
    #[inline(always)]
    pub fn max(self, o: V4) -> V4 {
        self.zip(o, |a, b| if a > b { a } else { b })
    }

    /// Lane by lane; the second operand where either is NaN.
    #[inline(always)]
    pub fn min(self, o: V4) -> V4 {
        self.zip(o, |a, b| if a < b { a } else { b })
    }

    /// Vector product of the first three lanes; the fourth is zero when both fourth lanes are finite.
    #[inline(always)]
    pub fn cross(self, o: V4) -> V4 {
        let turn = |v: V4| V4([v.0[1], v.0[2], v.0[0], v.0[3]]);
        // (a × b) turned once = a b' - a' b, with ' the turned vector.
        turn(self.mul(turn(o)).sub(turn(self).mul(o)))
    }

    /// Scalar product of the first three lanes.
    #[inline(always)]
    pub fn dot(self, o: V4) -> f64 {
        self.0[0] * o.0[0] + self.0[1] * o.0[1] + self.0[2] * o.0[2]
    }

    /// Sum of the absolute values of the first three lanes.
    #[inline(always)]
    pub fn norm1(self) -> f64 {
        self.0[0].abs() + self.0[1].abs() + self.0[2].abs()
    }

    #[inline(always)]
    pub fn norm(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// Rounded to `f32`.
    #[inline(always)]
    pub fn f32(self) -> [f32; 4] {
        [self.0[0] as f32, self.0[1] as f32, self.0[2] as f32, self.0[3] as f32]
    }

    /// Not above, see [`f32_below`].
    #[inline(always)]
    pub fn f32_below(self) -> [f32; 4] {
        [f32_below(self.0[0]), f32_below(self.0[1]), f32_below(self.0[2]), f32_below(self.0[3])]
    }

    /// Not below, see [`f32_above`].
    #[inline(always)]
    pub fn f32_above(self) -> [f32; 4] {
        [f32_above(self.0[0]), f32_above(self.0[1]), f32_above(self.0[2]), f32_above(self.0[3])]
    }

    #[inline(always)]
    pub fn vec3(self) -> Vec3 {
        Vec3::new(self.0[0], self.0[1], self.0[2])
    }
}

impl From<Vec3> for V4 {
    #[inline(always)]
    fn from(v: Vec3) -> Self {
        V4([v.x, v.y, v.z, 0.0])
    }
}

/// Three columns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct M4(pub [V4; 3]);

impl M4 {
    /// `self * v`, in the order of [`super::Mat3`].
    #[inline(always)]
    pub fn apply(&self, v: V4) -> V4 {
        self.0[0].scale(v.0[0]).add(self.0[1].scale(v.0[1])).add(self.0[2].scale(v.0[2]))
    }

    #[inline(always)]
    pub fn mul(&self, o: &M4) -> M4 {
        M4([self.apply(o.0[0]), self.apply(o.0[1]), self.apply(o.0[2])])
    }

    /// `self^T * v`.
    #[inline(always)]
    pub fn transpose_apply(&self, v: V4) -> V4 {
        V4([self.0[0].dot(v), self.0[1].dot(v), self.0[2].dot(v), 0.0])
    }

    #[inline(always)]
    pub fn scale(&self, a: f64) -> M4 {
        M4([self.0[0].scale(a), self.0[1].scale(a), self.0[2].scale(a)])
    }

    #[inline(always)]
    pub fn add(&self, o: &M4) -> M4 {
        M4([self.0[0].add(o.0[0]), self.0[1].add(o.0[1]), self.0[2].add(o.0[2])])
    }

    #[inline(always)]
    pub fn abs(&self) -> M4 {
        M4([self.0[0].abs(), self.0[1].abs(), self.0[2].abs()])
    }

    /// `spin × column`, for each column.
    #[inline(always)]
    pub fn crossed(&self, spin: V4) -> M4 {
        M4([spin.cross(self.0[0]), spin.cross(self.0[1]), spin.cross(self.0[2])])
    }

    #[inline(always)]
    pub fn transpose(&self) -> M4 {
        // No closure: it would not be inlined.
        let [V4(a), V4(b), V4(c)] = self.0;
        M4([V4([a[0], b[0], c[0], 0.0]), V4([a[1], b[1], c[1], 0.0]), V4([a[2], b[2], c[2], 0.0])])
    }

    pub fn mat3(&self) -> super::Mat3 {
        super::Mat3 { columns: [self.0[0].vec3(), self.0[1].vec3(), self.0[2].vec3()] }
    }
}

impl From<super::Mat3> for M4 {
    fn from(m: super::Mat3) -> Self {
        M4([m.columns[0].into(), m.columns[1].into(), m.columns[2].into()])
    }
}
