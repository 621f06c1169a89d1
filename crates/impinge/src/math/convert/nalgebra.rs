//! Conversions to and from nalgebra (0.33 to 0.35).
//!
//! | impinge | nalgebra | to nalgebra | from nalgebra |
//! |---|---|---|---|
//! | [`Vec3`] | `Vector3`, `Point3` | exact | exact |
//! | [`Mat3`] | `Matrix3` | exact | exact |
//! | [`Mat3`] | `Rotation3` | exact, refuses what is no rotation | exact |
//! | [`Mat3`] | `UnitQuaternion` | rounds, refuses what is no rotation | rounds, refuses a length other than 1 |
//! | [`Pose`] | `Matrix4` | exact | exact, refuses what is not rigid |
//! | [`Pose`] | `Isometry3` | rounds, refuses what is not rigid | rounds, refuses what is not rigid |
//!
//! All of them are over `f64`.
//!
//! ```
//! use impinge::{Pose, Vec3};
//! use nalgebra::{Isometry3, Matrix4, Point3, Vector3};
//!
//! let turned = Isometry3::new(Vector3::new(0.5, 0.0, 0.2), Vector3::z() * std::f64::consts::FRAC_PI_2);
//! let pose = Pose::try_from(turned)?;
//! let p = pose.apply(Vec3::from(Point3::new(1.0, 0.0, 0.0)));
//! assert!((Point3::from(p) - Point3::new(0.5, 1.0, 0.2)).norm() < 1e-15);
//!
//! // A matrix keeps every bit; a scaled one is no pose.
//! let matrix = Matrix4::from(pose);
//! assert_eq!(Pose::try_from(matrix)?, pose);
//! assert!(Pose::try_from(Matrix4::new_scaling(2.0)).is_err());
//! # Ok::<(), impinge::Error>(())
//! ```

use ::nalgebra::{Isometry3, Matrix3, Matrix4, Point3, Quaternion, Rotation3, Translation3, UnitQuaternion, Vector3};

use super::{from_columns, quaternion, to_columns};
use crate::Error;
use crate::math::pose::{check_rigid, rotation_from_quaternion};
use crate::math::{Mat3, Pose, Vec3};

impl From<Vector3<f64>> for Vec3 {
    fn from(v: Vector3<f64>) -> Self {
        Vec3::new(v.x, v.y, v.z)
    }
}

impl From<Vec3> for Vector3<f64> {
    fn from(v: Vec3) -> Self {
        Vector3::new(v.x, v.y, v.z)
    }
}

impl From<Point3<f64>> for Vec3 {
    fn from(p: Point3<f64>) -> Self {
        p.coords.into()
    }
}

impl From<Vec3> for Point3<f64> {
    fn from(v: Vec3) -> Self {
        Point3::new(v.x, v.y, v.z)
    }
}

impl From<Matrix3<f64>> for Mat3 {
    fn from(m: Matrix3<f64>) -> Self {
        let columns: [[f64; 3]; 3] = m.into();
        Mat3 { columns: columns.map(Vec3::from) }
    }
}

impl From<Mat3> for Matrix3<f64> {
    fn from(m: Mat3) -> Self {
        m.columns.map(Vec3::to_array).into()
    }
}

impl From<Rotation3<f64>> for Mat3 {
    fn from(r: Rotation3<f64>) -> Self {
        r.into_inner().into()
    }
}

impl TryFrom<Mat3> for Rotation3<f64> {
    type Error = Error;

    /// # Errors
    /// If the matrix is no rotation.
    fn try_from(m: Mat3) -> Result<Self, Error> {
        check_rigid(&Pose { rotation: m, translation: Vec3::ZERO }, "matrix")?;
        Ok(Rotation3::from_matrix_unchecked(m.into()))
    }
}

impl TryFrom<UnitQuaternion<f64>> for Mat3 {
    type Error = Error;

    /// # Errors
    /// If a number is not finite, or the length is not 1 within 1e-3.
    fn try_from(q: UnitQuaternion<f64>) -> Result<Self, Error> {
        rotation_from_quaternion([q.w, q.i, q.j, q.k])
    }
}

impl TryFrom<Mat3> for UnitQuaternion<f64> {
    type Error = Error;

    /// # Errors
    /// If the matrix is no rotation.
    fn try_from(m: Mat3) -> Result<Self, Error> {
        let [w, x, y, z] = quaternion(m)?;
        Ok(UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)))
    }
}

impl TryFrom<Isometry3<f64>> for Pose {
    type Error = Error;

    /// # Errors
    /// If a number is not finite, or the quaternion's length is not 1 within 1e-3.
    fn try_from(isometry: Isometry3<f64>) -> Result<Self, Error> {
        let q = isometry.rotation;
        Pose::from_quaternion(isometry.translation.vector.into(), [q.w, q.i, q.j, q.k])
    }
}

impl TryFrom<Pose> for Isometry3<f64> {
    type Error = Error;

    /// # Errors
    /// If the pose is not rigid.
    fn try_from(pose: Pose) -> Result<Self, Error> {
        check_rigid(&pose, "pose")?;
        let [w, x, y, z] = pose.quaternion();
        let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
        Ok(Isometry3::from_parts(Translation3::from(Vector3::from(pose.translation)), rotation))
    }
}

impl TryFrom<Matrix4<f64>> for Pose {
    type Error = Error;

    /// # Errors
    /// If the last row is not 0 0 0 1, a number is not finite, or the upper left block is no rotation.
    fn try_from(m: Matrix4<f64>) -> Result<Self, Error> {
        from_columns(m.into())
    }
}

impl From<Pose> for Matrix4<f64> {
    fn from(pose: Pose) -> Self {
        to_columns(&pose).into()
    }
}
