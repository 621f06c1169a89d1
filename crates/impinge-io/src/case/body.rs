//! Free bodies of a case.

use impinge::math::{Pose, Vec3};
use impinge::motion::RigidMotion;
use impinge::shape::Shape;

use crate::error::{IoError, Result};
use crate::json::Item;
use crate::shapes::ShapeReader;

/// A body with its motion.
pub(super) struct Body {
    pub name: String,
    pub shape: Shape,
    pub motion: RigidMotion,
}

impl Body {
    pub fn from_json(item: &Item<'_>, reader: &mut ShapeReader<'_>) -> Result<Self> {
        item.only(&["name", "shape", "motion"])?;
        let name = item.need("name")?.text()?.to_owned();
        let motion = rigid_motion(&item.need("motion")?)?;
        Ok(Body { name, shape: reader.shape(&item.need("shape")?)?, motion })
    }

    /// Whether it does not move at all.
    pub fn rests(&self) -> bool {
        self.motion.end_position == self.motion.start.translation && self.motion.rotation_vector == Vec3::ZERO
    }
}

/// c(t) = p0 + t (p1 - p0), R(t) = exp(t rotvec) R0; with `quat1_wxyz` instead, turned the short way.
fn rigid_motion(item: &Item<'_>) -> Result<RigidMotion> {
    let kind = item.need("type")?;
    match kind.text()? {
        "rigid" => {}
        "linear_vertices" => {
            return Err(IoError::UnsupportedFormat {
                at: item.place(),
                what: format!("{}: a deforming body (linear_vertices)", item.trail()),
                remedy: "only rigid bodies and robots can be checked".into(),
            });
        }
        other => return Err(kind.bad(format!("is '{other}'"), "use rigid")),
    }
    item.only(&["type", "p0", "quat0_wxyz", "p1", "rotvec", "quat1_wxyz"])?;
    let p0 = Vec3::from(item.need("p0")?.numbers::<3>()?);
    let p1 = item.get("p1").map_or(Ok(p0), |p| p.numbers::<3>().map(Vec3::from))?;
    let q0 = item.get("quat0_wxyz").map_or(Ok([1.0, 0.0, 0.0, 0.0]), |q| q.numbers::<4>())?;
    let motion = match (item.get("rotvec"), item.get("quat1_wxyz")) {
        (Some(_), Some(_)) => return Err(item.bad("has both rotvec and quat1_wxyz", "keep one")),
        (None, Some(q1)) => RigidMotion::between(p0, q0, p1, q1.numbers::<4>()?),
        (turn, None) => {
            let rotation_vector = turn.map_or(Ok(Vec3::ZERO), |t| t.numbers::<3>().map(Vec3::from))?;
            Pose::from_quaternion(p0, q0).map(|start| RigidMotion { start, end_position: p1, rotation_vector })
        }
    };
    motion.map_err(|source| item.model(source))
}
