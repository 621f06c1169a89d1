//! Conversions to and from glam (0.33 and 0.34), in double precision.
//!
//! | impinge | glam | to glam | from glam |
//! |---|---|---|---|
//! | [`Vec3`] | `DVec3` | exact | exact |
//! | [`Mat3`] | `DMat3` | exact | exact |
//! | [`Mat3`] | `DQuat` | rounds, refuses what is no rotation | rounds, refuses a length other than 1 |
//! | [`Pose`] | `DAffine3`, `DMat4` | exact | exact, refuses what is not rigid |
//!
//! ```
//! use glam::{DAffine3, DMat3, DQuat, DVec3};
//! use impinge::{Pose, Vec3};
//!
//! let turned = DAffine3::from_rotation_translation(DQuat::from_rotation_z(0.25), DVec3::new(0.5, 0.0, 0.2));
//! let pose = Pose::try_from(turned)?;
//! let p = pose.apply(Vec3::from(DVec3::X));
//! assert!((DVec3::from(p) - turned.transform_point3(DVec3::X)).length() < 1e-15);
//! assert_eq!(DAffine3::from(pose), turned);
//!
//! // A mirror image is no pose.
//! assert!(Pose::try_from(DAffine3::from_mat3(DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0)))).is_err());
//! # Ok::<(), impinge::Error>(())
//! ```

use ::glam::{DAffine3, DMat3, DMat4, DQuat, DVec3};

use super::{from_columns, quaternion, rigid, to_columns};
use crate::Error;
use crate::math::pose::rotation_from_quaternion;
use crate::math::{Mat3, Pose, Vec3};

impl From<DVec3> for Vec3 {
    fn from(v: DVec3) -> Self {
        Vec3::new(v.x, v.y, v.z)
    }
}

impl From<Vec3> for DVec3 {
    fn from(v: Vec3) -> Self {
        DVec3::new(v.x, v.y, v.z)
    }
}

impl From<DMat3> for Mat3 {
    fn from(m: DMat3) -> Self {
        Mat3::from_columns(m.x_axis.into(), m.y_axis.into(), m.z_axis.into())
    }
}

impl From<Mat3> for DMat3 {
    fn from(m: Mat3) -> Self {
        DMat3::from_cols_array_2d(&m.columns.map(Vec3::to_array))
    }
}

impl TryFrom<DQuat> for Mat3 {
    type Error = Error;

    /// # Errors
    /// If a number is not finite, or the length is not 1 within 1e-3.
    fn try_from(q: DQuat) -> Result<Self, Error> {
        rotation_from_quaternion([q.w, q.x, q.y, q.z])
    }
}

impl TryFrom<Mat3> for DQuat {
    type Error = Error;

    /// # Errors
    /// If the matrix is no rotation.
    fn try_from(m: Mat3) -> Result<Self, Error> {
        let [w, x, y, z] = quaternion(m)?;
        Ok(DQuat::from_xyzw(x, y, z, w))
    }
}

impl TryFrom<DAffine3> for Pose {
    type Error = Error;

    /// # Errors
    /// If a number is not finite, or the matrix is no rotation.
    fn try_from(a: DAffine3) -> Result<Self, Error> {
        rigid(a.matrix3.into(), a.translation.into())
    }
}

impl From<Pose> for DAffine3 {
    fn from(pose: Pose) -> Self {
        DAffine3 { matrix3: pose.rotation.into(), translation: pose.translation.into() }
    }
}

impl TryFrom<DMat4> for Pose {
    type Error = Error;

    /// # Errors
    /// If the last row is not 0 0 0 1, a number is not finite, or the upper left block is no rotation.
    fn try_from(m: DMat4) -> Result<Self, Error> {
        from_columns(m.to_cols_array_2d())
    }
}

impl From<Pose> for DMat4 {
    fn from(pose: Pose) -> Self {
        DMat4::from_cols_array_2d(&to_columns(&pose))
    }
}
