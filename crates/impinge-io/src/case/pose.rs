//! Poses of a case; [`crate::shapes::ShapeReader`] reads shapes.

use impinge::math::{Pose, Vec3};

use crate::error::Result;
use crate::json::Item;

/// Reads a pose whose position has the key `position`: with `quat_wxyz` or `rpy`, or neither.
pub(super) fn pose(item: &Item<'_>, position: &str) -> Result<Pose> {
    item.only(&[position, "quat_wxyz", "rpy"])?;
    let vector = |key: &str| item.get(key).map_or(Ok([0.0; 3]), |v| v.numbers::<3>()).map(Vec3::from);
    let translation = vector(position)?;
    let pose = match (item.get("quat_wxyz"), item.get("rpy")) {
        (Some(_), Some(_)) => return Err(item.bad("has both quat_wxyz and rpy", "keep one")),
        (Some(quaternion), None) => Pose::from_quaternion(translation, quaternion.numbers::<4>()?),
        (None, _) => Pose::from_rpy(translation, vector("rpy")?),
    };
    pose.map_err(|source| item.model(source))
}
