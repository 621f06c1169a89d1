//! Transforms of nodes in mesh files: `outer * inner`.

use impinge::math::{Mat3, Vec3};

/// A linear map and a shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Affine {
    pub(crate) linear: Mat3,
    pub(crate) translation: Vec3,
}

impl Affine {
    pub(crate) const IDENTITY: Affine = Affine { linear: Mat3::IDENTITY, translation: Vec3::ZERO };

    pub(crate) fn scale(factor: f64) -> Self {
        Affine { linear: Mat3::IDENTITY * factor, translation: Vec3::ZERO }
    }

    pub(crate) fn apply(&self, p: Vec3) -> Vec3 {
        self.linear * p + self.translation
    }

    /// Whether it turns left hands into right hands.
    pub(crate) fn mirrors(&self) -> bool {
        self.linear.determinant() < 0.0
    }
}

impl std::ops::Mul for Affine {
    type Output = Affine;
    fn mul(self, inner: Affine) -> Affine {
        Affine { linear: self.linear * inner.linear, translation: self.apply(inner.translation) }
    }
}
