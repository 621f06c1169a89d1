//! Transforms of nodes in mesh files: `outer * inner`, with bounds of rounding errors.

use impinge::math::rounding::U;
use impinge::math::{Mat3, Vec3};

/// A linear map and a shift, with error bounds relative to the described ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Affine {
    pub(crate) linear: Mat3,
    pub(crate) translation: Vec3,
    /// At least the spectral norm of (stored - described) map.
    linear_error: f64,
    /// At least the length of (stored - described) shift.
    shift_error: f64,
}

impl Affine {
    pub(crate) const IDENTITY: Affine = Affine::new(Mat3::IDENTITY, Vec3::ZERO);

    /// Returns an exact transform.
    pub(crate) const fn new(linear: Mat3, translation: Vec3) -> Self {
        Affine { linear, translation, linear_error: 0.0, shift_error: 0.0 }
    }

    pub(crate) fn scale(factor: f64) -> Self {
        Affine::new(Mat3::IDENTITY * factor, Vec3::ZERO)
    }

    /// Returns a linear map whose entries each have an error of at most `entry`.
    pub(crate) fn computed(linear: Mat3, translation: Vec3, entry: f64) -> Self {
        Affine { linear_error: 3.0 * entry, ..Affine::new(linear, translation) }
    }

    pub(crate) fn apply(&self, p: Vec3) -> Vec3 {
        self.linear * p + self.translation
    }

    /// Returns an upper bound of the distance between [`Affine::apply`] of a point at most `reach` from the origin and its
    /// described image.
    ///
    /// A product with the map rounds by 3 u and the sum by u of the sizes, in each of three coordinates.
    pub(crate) fn error_at(&self, reach: f64) -> f64 {
        if *self == Affine::IDENTITY {
            return 0.0;
        }
        self.linear_error * reach + self.shift_error + 8.0 * U * (size(&self.linear) * reach + self.translation.norm())
    }

    /// Tests whether the map reverses orientation.
    pub(crate) fn mirrors(&self) -> bool {
        self.linear.determinant() < 0.0
    }
}

impl std::ops::Mul for Affine {
    type Output = Affine;
    fn mul(self, inner: Affine) -> Affine {
        if self == Affine::IDENTITY {
            return inner;
        }
        if inner == Affine::IDENTITY {
            return self;
        }
        // Entries of the product round by 3 u of sums of products: 9 u of the sizes in norm.
        let (a, b) = (size(&self.linear), size(&inner.linear));
        let linear_error = a * inner.linear_error + self.linear_error * (b + inner.linear_error) + 9.0 * U * a * b;
        let reach = inner.translation.norm() + inner.shift_error;
        let shift_error = self.error_at(reach) + a * inner.shift_error;
        Affine {
            linear: self.linear * inner.linear,
            translation: self.apply(inner.translation),
            linear_error: linear_error * (1.0 + 64.0 * U),
            shift_error: shift_error * (1.0 + 64.0 * U),
        }
    }
}

/// Returns an upper bound of the spectral norm: the root of the sum of all squares.
fn size(m: &Mat3) -> f64 {
    m.columns.iter().map(|c| c.norm_squared()).sum::<f64>().sqrt() * (1.0 + 16.0 * U)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points through many nodes, compared with exact sums: powers of two shift the grid, thirds do not fit it.
    #[test]
    fn errors_cover_products() {
        let third = Affine::new(Mat3::IDENTITY * (1.0 / 3.0), Vec3::splat(0.1));
        let nested = (0..6).fold(Affine::IDENTITY, |outer, _| outer * third);
        let one_by_one = |p: Vec3| (0..6).fold(p, |p, _| third.apply(p));
        let p = Vec3::new(1.0, -2.0, 0.7);
        let error = nested.error_at(p.norm());
        assert!((nested.apply(p) - one_by_one(p)).norm() <= error && error < 1e-14, "{error:e}");
        assert_eq!(Affine::IDENTITY.error_at(1e9), 0.0);
        assert_eq!((Affine::IDENTITY * third * Affine::IDENTITY).linear_error, 0.0);
    }
}
