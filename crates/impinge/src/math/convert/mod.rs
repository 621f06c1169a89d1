//! Conversions to and from the vector types of other crates, each behind the Cargo feature of its name: `nalgebra`, `glam`, `mint`.
//!
//! A conversion that copies numbers is a `From` and keeps every bit: vectors, points, matrices, and poses as affine maps. A conversion that needs
//! a rotation is a `TryFrom`: it refuses numbers that are not finite, matrices that are no rotation and quaternions whose length is not 1 within
//! 1e-3, because the types of other crates, and the public fields of [`Pose`], can hold them.
//!
//! Conversions to a quaternion round by a few units in the last place, and so do conversions from one (see [`ROTATION_ERROR`]). To move a pose
//! through another crate bit for bit, use a matrix.
//!
//! Each feature accepts several versions of its crate. Cargo takes the newest one; a program that needs an older one pins it:
//! `cargo update -p nalgebra@0.35.0 --precise 0.34.2`.
//!
//! [`ROTATION_ERROR`]: super::pose::ROTATION_ERROR

#[cfg(feature = "glam")]
pub mod glam;
#[cfg(feature = "mint")]
pub mod mint;
#[cfg(feature = "nalgebra")]
pub mod nalgebra;
#[cfg(test)]
mod tests;

use super::pose::check_rigid;
use super::{Mat3, Pose, Vec3};
use crate::Error;

/// Four columns of four numbers, the layout of homogeneous matrices in all three crates.
type Columns = [[f64; 4]; 4];

/// Returns the rotation as a quaternion `[w, x, y, z]` with w >= 0; refuses a matrix that is no rotation.
fn quaternion(rotation: Mat3) -> Result<[f64; 4], Error> {
    let pose = Pose { rotation, translation: Vec3::ZERO };
    check_rigid(&pose, "matrix")?;
    Ok(pose.quaternion())
}

/// Returns the pose of a rotation and a translation, unless it is not rigid.
fn rigid(rotation: Mat3, translation: Vec3) -> Result<Pose, Error> {
    let pose = Pose { rotation, translation };
    check_rigid(&pose, "pose")?;
    Ok(pose)
}

/// Returns the homogeneous matrix of a pose, by columns.
fn to_columns(pose: &Pose) -> Columns {
    let column = |v: Vec3, w: f64| [v.x, v.y, v.z, w];
    let [a, b, c] = pose.rotation.columns;
    [column(a, 0.0), column(b, 0.0), column(c, 0.0), column(pose.translation, 1.0)]
}

/// Returns the pose of a homogeneous matrix; refuses a last row other than 0 0 0 1.
fn from_columns(columns: Columns) -> Result<Pose, Error> {
    if columns.map(|c| c[3]) != [0.0, 0.0, 0.0, 1.0] {
        return Err(Error::invalid("matrix", "its last row is not 0 0 0 1"));
    }
    let [a, b, c, translation] = columns.map(|[x, y, z, _]| Vec3::new(x, y, z));
    rigid(Mat3::from_columns(a, b, c), translation)
}
