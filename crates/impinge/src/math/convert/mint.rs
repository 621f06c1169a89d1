//! Conversions to and from mint, the types that mathematics crates exchange with each other.
//!
//! | impinge | mint | to mint | from mint |
//! |---|---|---|---|
//! | [`Vec3`] | `Vector3`, `Point3` | exact | exact |
//! | [`Mat3`] | `ColumnMatrix3` | exact | exact |
//! | [`Mat3`] | `Quaternion` | rounds, refuses what is no rotation | rounds, refuses a length other than 1 |
//! | [`Pose`] | `ColumnMatrix4` | exact | exact, refuses what is not rigid |
//!
//! All of them are over `f64`.
//!
//! ```
//! use impinge::math::Mat3;
//! use impinge::{Pose, Vec3};
//! use mint::{ColumnMatrix4, Quaternion, Vector3};
//!
//! // Half a turn about z.
//! let rotation = Mat3::try_from(Quaternion::from([0.0, 0.0, 1.0, 0.0]))?;
//! let pose = Pose { rotation, translation: Vec3::from(Vector3::from([0.5, 0.0, 0.2])) };
//! let columns = ColumnMatrix4::from(pose);
//! assert_eq!(columns.w, [0.5, 0.0, 0.2, 1.0].into());
//! assert_eq!(Pose::try_from(columns)?, pose);
//! # Ok::<(), impinge::Error>(())
//! ```

use ::mint::{ColumnMatrix3, ColumnMatrix4, IntoMint, Point3, Quaternion, Vector3};

use super::{from_columns, quaternion, to_columns};
use crate::Error;
use crate::math::pose::rotation_from_quaternion;
use crate::math::{Mat3, Pose, Vec3};

impl From<Vector3<f64>> for Vec3 {
    fn from(v: Vector3<f64>) -> Self {
        Vec3::new(v.x, v.y, v.z)
    }
}

impl From<Vec3> for Vector3<f64> {
    fn from(v: Vec3) -> Self {
        v.to_array().into()
    }
}

impl IntoMint for Vec3 {
    type MintType = Vector3<f64>;
}

impl From<Point3<f64>> for Vec3 {
    fn from(p: Point3<f64>) -> Self {
        Vec3::new(p.x, p.y, p.z)
    }
}

impl From<Vec3> for Point3<f64> {
    fn from(v: Vec3) -> Self {
        v.to_array().into()
    }
}

impl From<ColumnMatrix3<f64>> for Mat3 {
    fn from(m: ColumnMatrix3<f64>) -> Self {
        Mat3::from_columns(m.x.into(), m.y.into(), m.z.into())
    }
}

impl From<Mat3> for ColumnMatrix3<f64> {
    fn from(m: Mat3) -> Self {
        let [x, y, z] = m.columns.map(Vector3::from);
        ColumnMatrix3 { x, y, z }
    }
}

impl IntoMint for Mat3 {
    type MintType = ColumnMatrix3<f64>;
}

impl TryFrom<Quaternion<f64>> for Mat3 {
    type Error = Error;

    /// # Errors
    /// If a number is not finite, or the length is not 1 within 1e-3.
    fn try_from(q: Quaternion<f64>) -> Result<Self, Error> {
        rotation_from_quaternion([q.s, q.v.x, q.v.y, q.v.z])
    }
}

impl TryFrom<Mat3> for Quaternion<f64> {
    type Error = Error;

    /// # Errors
    /// If the matrix is no rotation.
    fn try_from(m: Mat3) -> Result<Self, Error> {
        let [w, x, y, z] = quaternion(m)?;
        Ok(Quaternion::from([x, y, z, w]))
    }
}

impl TryFrom<ColumnMatrix4<f64>> for Pose {
    type Error = Error;

    /// # Errors
    /// If the last row is not 0 0 0 1, a number is not finite, or the upper left block is no rotation.
    fn try_from(m: ColumnMatrix4<f64>) -> Result<Self, Error> {
        from_columns([m.x, m.y, m.z, m.w].map(<[f64; 4]>::from))
    }
}

impl From<Pose> for ColumnMatrix4<f64> {
    fn from(pose: Pose) -> Self {
        let [x, y, z, w] = to_columns(&pose).map(::mint::Vector4::from);
        ColumnMatrix4 { x, y, z, w }
    }
}

impl IntoMint for Pose {
    type MintType = ColumnMatrix4<f64>;
}
