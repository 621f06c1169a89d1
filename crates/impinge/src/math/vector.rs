//! Three-vectors and 3x3 matrices, in plain `f64` operations that give the same bits everywhere.

use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub, SubAssign};

/// A point or direction in space, metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3 {
    /// First coordinate.
    pub x: f64,
    /// Second coordinate.
    pub y: f64,
    /// Third coordinate.
    pub z: f64,
}

impl Vec3 {
    /// The origin.
    pub const ZERO: Vec3 = Vec3::new(0.0, 0.0, 0.0);

    /// A vector from its coordinates.
    #[inline(always)]
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Vec3 { x, y, z }
    }

    /// The same number three times.
    #[inline(always)]
    pub const fn splat(a: f64) -> Self {
        Vec3::new(a, a, a)
    }

    /// The unit vector along coordinate `axis` (0, 1 or 2).
    pub fn unit(axis: usize) -> Self {
        let mut v = Vec3::ZERO;
        v[axis] = 1.0;
        v
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, o: Vec3) -> f64 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// Vector product.
    #[inline(always)]
    pub fn cross(self, o: Vec3) -> Vec3 {
        Vec3::new(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)
    }

    /// Squared Euclidean length.
    #[inline(always)]
    pub fn norm_squared(self) -> f64 {
        self.dot(self)
    }

    /// Euclidean length. May overflow or underflow for coordinates beyond 1e±150.
    #[inline(always)]
    pub fn norm(self) -> f64 {
        self.norm_squared().sqrt()
    }

    /// Sum of the absolute coordinates.
    #[inline(always)]
    pub fn norm1(self) -> f64 {
        self.x.abs() + self.y.abs() + self.z.abs()
    }

    /// Largest absolute coordinate.
    #[inline(always)]
    pub fn max_abs(self) -> f64 {
        self.x.abs().max(self.y.abs()).max(self.z.abs())
    }

    /// Every coordinate made non-negative.
    #[inline(always)]
    pub fn abs(self) -> Vec3 {
        Vec3::new(self.x.abs(), self.y.abs(), self.z.abs())
    }

    /// Coordinate-wise minimum.
    #[inline(always)]
    pub fn min(self, o: Vec3) -> Vec3 {
        Vec3::new(self.x.min(o.x), self.y.min(o.y), self.z.min(o.z))
    }

    /// Coordinate-wise maximum.
    #[inline(always)]
    pub fn max(self, o: Vec3) -> Vec3 {
        Vec3::new(self.x.max(o.x), self.y.max(o.y), self.z.max(o.z))
    }

    /// Whether no coordinate is NaN or infinite.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }

    /// As an array.
    #[inline(always)]
    pub fn to_array(self) -> [f64; 3] {
        [self.x, self.y, self.z]
    }

    /// The coordinate with the largest absolute value.
    pub fn longest_axis(self) -> usize {
        let a = self.abs();
        if a.x >= a.y && a.x >= a.z {
            0
        } else if a.y >= a.z {
            1
        } else {
            2
        }
    }
}

impl From<[f64; 3]> for Vec3 {
    fn from(a: [f64; 3]) -> Self {
        Vec3::new(a[0], a[1], a[2])
    }
}

impl Add for Vec3 {
    type Output = Vec3;
    #[inline(always)]
    fn add(self, o: Vec3) -> Vec3 {
        Vec3::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl AddAssign for Vec3 {
    #[inline(always)]
    fn add_assign(&mut self, o: Vec3) {
        *self = *self + o;
    }
}

impl Sub for Vec3 {
    type Output = Vec3;
    #[inline(always)]
    fn sub(self, o: Vec3) -> Vec3 {
        Vec3::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl SubAssign for Vec3 {
    #[inline(always)]
    fn sub_assign(&mut self, o: Vec3) {
        *self = *self - o;
    }
}

impl Neg for Vec3 {
    type Output = Vec3;
    #[inline(always)]
    fn neg(self) -> Vec3 {
        Vec3::new(-self.x, -self.y, -self.z)
    }
}

impl Mul<f64> for Vec3 {
    type Output = Vec3;
    #[inline(always)]
    fn mul(self, a: f64) -> Vec3 {
        Vec3::new(self.x * a, self.y * a, self.z * a)
    }
}

impl Index<usize> for Vec3 {
    type Output = f64;
    #[inline(always)]
    fn index(&self, i: usize) -> &f64 {
        match i {
            0 => &self.x,
            1 => &self.y,
            _ => &self.z,
        }
    }
}

impl IndexMut<usize> for Vec3 {
    #[inline(always)]
    fn index_mut(&mut self, i: usize) -> &mut f64 {
        match i {
            0 => &mut self.x,
            1 => &mut self.y,
            _ => &mut self.z,
        }
    }
}

/// A 3x3 matrix, by columns: `m * e_j` is `m.columns[j]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mat3 {
    /// The three columns.
    pub columns: [Vec3; 3],
}

impl Mat3 {
    /// The identity.
    pub const IDENTITY: Mat3 = Mat3 { columns: [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)] };
    /// All zeros.
    pub const ZERO: Mat3 = Mat3 { columns: [Vec3::ZERO; 3] };

    /// From three columns.
    #[inline(always)]
    pub const fn from_columns(a: Vec3, b: Vec3, c: Vec3) -> Self {
        Mat3 { columns: [a, b, c] }
    }

    /// From three rows.
    pub const fn from_rows(r: [[f64; 3]; 3]) -> Self {
        Mat3::from_columns(
            Vec3::new(r[0][0], r[1][0], r[2][0]),
            Vec3::new(r[0][1], r[1][1], r[2][1]),
            Vec3::new(r[0][2], r[1][2], r[2][2]),
        )
    }

    /// The matrix of `x -> u × x`, written u* in Redon et al. 2004, equation 1.
    pub fn cross_matrix(u: Vec3) -> Self {
        Mat3::from_rows([[0.0, -u.z, u.y], [u.z, 0.0, -u.x], [-u.y, u.x, 0.0]])
    }

    /// The outer product `u v^T`.
    pub fn outer(u: Vec3, v: Vec3) -> Self {
        Mat3::from_columns(u * v.x, u * v.y, u * v.z)
    }

    /// The transposed matrix.
    #[inline(always)]
    pub fn transpose(self) -> Self {
        let [a, b, c] = self.columns;
        Mat3::from_columns(Vec3::new(a.x, b.x, c.x), Vec3::new(a.y, b.y, c.y), Vec3::new(a.z, b.z, c.z))
    }

    /// `self^T * v`, without forming the transpose.
    #[inline(always)]
    pub fn transpose_mul(self, v: Vec3) -> Vec3 {
        Vec3::new(self.columns[0].dot(v), self.columns[1].dot(v), self.columns[2].dot(v))
    }

    /// Determinant.
    pub fn determinant(self) -> f64 {
        self.columns[0].cross(self.columns[1]).dot(self.columns[2])
    }

    /// Every entry made non-negative.
    pub fn abs(self) -> Self {
        Mat3 { columns: self.columns.map(Vec3::abs) }
    }
}

impl Mul<Vec3> for Mat3 {
    type Output = Vec3;
    #[inline(always)]
    fn mul(self, v: Vec3) -> Vec3 {
        self.columns[0] * v.x + self.columns[1] * v.y + self.columns[2] * v.z
    }
}

impl Mul for Mat3 {
    type Output = Mat3;
    #[inline(always)]
    fn mul(self, o: Mat3) -> Mat3 {
        Mat3 { columns: [self * o.columns[0], self * o.columns[1], self * o.columns[2]] }
    }
}

impl Mul<f64> for Mat3 {
    type Output = Mat3;
    #[inline(always)]
    fn mul(self, a: f64) -> Mat3 {
        Mat3 { columns: [self.columns[0] * a, self.columns[1] * a, self.columns[2] * a] }
    }
}

impl Add for Mat3 {
    type Output = Mat3;
    #[inline(always)]
    fn add(self, o: Mat3) -> Mat3 {
        Mat3 { columns: [self.columns[0] + o.columns[0], self.columns[1] + o.columns[1], self.columns[2] + o.columns[2]] }
    }
}

impl Sub for Mat3 {
    type Output = Mat3;
    #[inline(always)]
    fn sub(self, o: Mat3) -> Mat3 {
        Mat3 { columns: [self.columns[0] - o.columns[0], self.columns[1] - o.columns[1], self.columns[2] - o.columns[2]] }
    }
}
