//! Poses put together: products that stay rotations, rotations from matrices.
//!
//! The core takes a stored rotation to be within [`impinge::math::pose::ROTATION_ERROR`] of a true one. Products of several drift
//! away from that, so every composed pose is brought back to the nearest rotation: one step of R ← R (3 − RᵀR) / 2 squares its
//! distance.

use impinge::math::{Mat3, Pose, Vec3};

/// A matrix given by a file may be this far from a rotation (largest entry of RᵀR − 1): six printed digits. Further off it is a
/// mistake.
const NEARLY_ROTATION: f64 = 1e-5;

/// `outer * inner`, its rotation made exact again; unchanged bits where one of the two does not rotate.
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

/// The rotation nearest to a matrix that almost is one; otherwise why it is none.
pub(crate) fn rotation_from_matrix(matrix: Mat3) -> Result<Mat3, String> {
    if matrix.columns.iter().any(|c| !c.is_finite()) {
        return Err("has numbers that are not finite".into());
    }
    let off = distance(matrix);
    if off > NEARLY_ROTATION || matrix.determinant() < 0.0 {
        return Err(format!("is not a rotation (it is off by {off:.1e})"));
    }
    // From 1e-5 to 1e-10 to 1e-20: the last step is below rounding.
    Ok(if off == 0.0 { matrix } else { nearest_step(nearest_step(matrix)) })
}

/// The rotation about `axis`, of any length but zero, by `angle` radians (Rodrigues).
pub(crate) fn turn(axis: Vec3, angle: f64) -> Mat3 {
    let u = axis * (1.0 / axis.norm());
    let (s, c) = impinge::math::trig::sin_cos(angle);
    let along = Mat3::outer(u, u);
    nearest_step((Mat3::IDENTITY - along) * c + Mat3::cross_matrix(u) * s + along)
}

fn nearest_step(r: Mat3) -> Mat3 {
    (r * (Mat3::IDENTITY * 3.0 - r.transpose() * r)) * 0.5
}

/// The largest entry of RᵀR − 1.
fn distance(r: Mat3) -> f64 {
    (r.transpose() * r - Mat3::IDENTITY).columns.iter().fold(0.0, |most, c| c.max_abs().max(most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::math::pose::ROTATION_ERROR;

    #[test]
    fn long_products_stay_rotations() {
        let step = Pose::from_rpy(Vec3::new(0.1, 0.0, 0.0), Vec3::new(0.3, -0.7, 1.1)).expect("finite");
        let far = (0..1000).fold(step, |pose, _| compose(pose, step));
        assert!(distance(far.rotation) < ROTATION_ERROR, "{:e}", distance(far.rotation));
        assert!(far.rotation.determinant() > 0.0);
        assert_eq!(compose(Pose::IDENTITY, step), step);
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
