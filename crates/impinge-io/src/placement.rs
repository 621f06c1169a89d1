//! Composition of poses: products that remain rotations, rotations from matrices.
//!
//! The library requires a stored rotation to be within [`impinge::math::pose::ROTATION_ERROR`] of a true one. Products of several
//! exceed that, so every composed pose is projected to the nearest rotation: one step of R ← R (3 − RᵀR) / 2 squares its
//! distance.

use impinge::geometry::{Piece, Shape};
use impinge::math::pose::ROTATION_ERROR;
use impinge::math::rounding::U;
use impinge::math::{Mat3, Pose, Vec3};

/// Maximum distance of a matrix in a file from a rotation (largest entry of RᵀR − 1): six printed digits. A larger distance
/// indicates a mistake.
const NEARLY_ROTATION: f64 = 1e-5;

/// A product of poses, with a bound of its distance from the described one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Composed {
    pub pose: Pose,
    /// At least the spectral norm of (stored - described) rotation, beyond that of one pose.
    rotation_error: f64,
    /// At least the length of (stored - described) translation.
    position_error: f64,
}

impl Composed {
    /// Returns one pose as given.
    pub fn new(pose: Pose) -> Self {
        Composed { pose, rotation_error: 0.0, position_error: 0.0 }
    }

    /// Returns `self * inner`. A product of rotations, projected to the nearest one, has an error of less than 32 u; a rotated
    /// and added vector of 8 u of the lengths. Each pose's own rotation has an error of [`ROTATION_ERROR`], which rotates the
    /// following poses.
    pub fn then(&self, inner: Pose) -> Self {
        let (before, at) = (self.pose, inner.translation.norm());
        let turns = |p: &Pose| p.rotation != Mat3::IDENTITY;
        let product = if turns(&before) && turns(&inner) { 32.0 * U + ROTATION_ERROR } else { 0.0 };
        let turned = if turns(&before) { self.rotation_error + ROTATION_ERROR + 8.0 * U } else { 0.0 };
        let added = if before.translation == Vec3::ZERO || at == 0.0 { 0.0 } else { 8.0 * U * (before.translation.norm() + at) };
        Composed {
            pose: compose(before, inner),
            rotation_error: self.rotation_error + product,
            position_error: self.position_error + turned * at + added,
        }
    }

    /// Returns `self * inner`, where `inner` is a result of [`turn`] or a product of an axis: an error of 64 u and 8 u of its
    /// length.
    pub fn then_computed(&self, inner: Pose) -> Self {
        if inner.is_identity() {
            return *self;
        }
        let mut next = self.then(inner);
        next.rotation_error += 64.0 * U;
        next.position_error += 8.0 * U * inner.translation.norm();
        next
    }

    /// Returns a piece of a part placed by this product: the errors move its points by at most the bound for their radius.
    pub fn piece(&self, piece: &Piece) -> Piece {
        let placed = self.then(piece.part_from_shape);
        let reach = match &piece.shape {
            Shape::Mesh(mesh) => mesh.vertices().iter().fold(0.0f64, |r, v| r.max(v.norm())),
            Shape::Primitive(primitive) => primitive.half_extent().norm(),
        };
        let error = (placed.rotation_error * reach + placed.position_error) * (1.0 + 64.0 * U);
        piece.clone().at(placed.pose).within(error)
    }
}

/// Returns `outer * inner`, its rotation corrected; unchanged bits if one of the two does not rotate.
pub(crate) fn compose(outer: Pose, inner: Pose) -> Pose {
    let mut product = outer * inner;
    if outer.rotation == Mat3::IDENTITY {
        product.rotation = inner.rotation;
    } else if inner.rotation == Mat3::IDENTITY {
        product.rotation = outer.rotation;
    } else {
        product.rotation = nearest_step(product.rotation);
    }
    product
}

/// Returns the rotation nearest to a matrix that is almost one; otherwise the defect.
pub(crate) fn rotation_from_matrix(matrix: Mat3) -> Result<Mat3, String> {
    if matrix.columns.iter().any(|c| !c.is_finite()) {
        return Err("has numbers that are not finite".into());
    }
    let off = distance(matrix);
    if off > NEARLY_ROTATION || matrix.determinant() < 0.0 {
        return Err(format!("is not a rotation (error {off:.1e})"));
    }
    // From 1e-5 to 1e-10 to 1e-20: the last step is below rounding.
    Ok(if off == 0.0 { matrix } else { nearest_step(nearest_step(matrix)) })
}

/// Returns a rotation that takes z to a direction of any nonzero length; exact for coordinate axes.
pub(crate) fn z_to(direction: Vec3) -> Mat3 {
    let n = direction * (1.0 / direction.norm());
    let next = Vec3::unit((n.longest_axis() + 1) % 3);
    let across = next - n * n.dot(next);
    let x = across * (1.0 / across.norm());
    Mat3 { columns: [x, n.cross(x), n] }
}

/// Returns the rotation about `axis`, of any nonzero length, by `angle` radians (Rodrigues).
pub(crate) fn turn(axis: Vec3, angle: f64) -> Mat3 {
    let u = axis * (1.0 / axis.norm());
    let (s, c) = impinge::math::trig::sin_cos(angle);
    let along = Mat3::outer(u, u);
    nearest_step((Mat3::IDENTITY - along) * c + Mat3::cross_matrix(u) * s + along)
}

fn nearest_step(r: Mat3) -> Mat3 {
    (r * (Mat3::IDENTITY * 3.0 - r.transpose() * r)) * 0.5
}

/// Returns the largest entry of RᵀR − 1.
fn distance(r: Mat3) -> f64 {
    (r.transpose() * r - Mat3::IDENTITY).columns.iter().fold(0.0, |most, c| c.max_abs().max(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_products_stay_rotations() {
        let step = Pose::from_rpy(Vec3::new(0.1, 0.0, 0.0), Vec3::new(0.3, -0.7, 1.1)).expect("finite");
        let far = (0..1000).fold(step, |pose, _| compose(pose, step));
        assert!(distance(far.rotation) < ROTATION_ERROR, "{:e}", distance(far.rotation));
        assert!(far.rotation.determinant() > 0.0);
        assert_eq!(compose(Pose::IDENTITY, step), step);
    }

    /// The same chain in two orders of multiplication differs by no more than the error bounds.
    #[test]
    fn errors_cover_chains() {
        let step = |k: f64| Pose::from_rpy(Vec3::new(0.3 * k, -1.0, 7.0), Vec3::new(k, -0.7, 1.1 * k)).expect("finite");
        let steps: Vec<Pose> = (1..9).map(|k| step(f64::from(k))).collect();
        let ball = Piece::new(impinge::Primitive::sphere(2.0).expect("a ball"), step(0.5));
        let forward = steps[1..].iter().fold(Composed::new(steps[0]), |c, s| c.then(*s)).piece(&ball);
        let backward = steps.iter().rev().fold(ball.part_from_shape, |pose, s| compose(*s, pose));
        for p in [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, -1.2, 1.6)] {
            let apart = (forward.part_from_shape.apply(p) - backward.apply(p)).norm();
            assert!(apart <= 2.0 * forward.error && forward.error < 1e-11, "{apart:e} {:e}", forward.error);
        }
        assert_eq!(Composed::new(Pose::IDENTITY).piece(&ball).error, 0.0);
    }

    #[test]
    fn matrices_are_checked() {
        let printed = Mat3::from_rows([[0.866025, -0.5, 0.0], [0.5, 0.866025, 0.0], [0.0, 0.0, 1.0]]);
        let r = rotation_from_matrix(printed).expect("nearly a rotation");
        assert!(distance(r) < ROTATION_ERROR);
        assert!(rotation_from_matrix(Mat3::IDENTITY * 2.0).is_err());
        assert!(rotation_from_matrix(Mat3::IDENTITY * -1.0).is_err());
        assert!(rotation_from_matrix(Mat3::IDENTITY * f64::NAN).is_err());
        let t = turn(Vec3::new(0.0, 0.0, 2.0), std::f64::consts::FRAC_PI_2);
        assert!((t * Vec3::unit(0) - Vec3::unit(1)).norm() < 1e-15);
    }
}
