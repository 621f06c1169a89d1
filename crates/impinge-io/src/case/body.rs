//! Free bodies of a case.

use std::sync::Arc;

use impinge::geometry::{Mesh, Shape};
use impinge::math::{Pose, Vec3};
use impinge::motion::RigidMotion;

use crate::error::Result;
use crate::json::Item;
use crate::shapes::ShapeReader;

/// A body with its motion.
pub(super) struct Body {
    pub name: String,
    pub moves: Moves,
}

/// The shape and the motion of a body.
pub(super) enum Moves {
    Rigid(Shape, RigidMotion),
    /// Each vertex moves along a straight line to its position at the end.
    Deforming(Arc<Mesh>, Vec<Vec3>),
}

impl Body {
    pub fn from_json(item: &Item<'_>, reader: &mut ShapeReader<'_>) -> Result<Self> {
        item.only(&["name", "shape", "motion"])?;
        let name = item.need("name")?.text()?.to_owned();
        let (shape, motion) = (item.need("shape")?, item.need("motion")?);
        let kind = motion.need("type")?;
        let moves = match kind.text()? {
            "rigid" => Moves::Rigid(reader.shape(&shape)?, rigid_motion(&motion)?),
            "linear_vertices" => deforming(reader.shape(&shape)?, &shape, &motion)?,
            other => return Err(kind.bad(format!("is '{other}'"), "use rigid or linear_vertices")),
        };
        Ok(Body { name, moves })
    }

    /// Tests whether the body is static.
    pub fn rests(&self) -> bool {
        match &self.moves {
            Moves::Rigid(_, m) => m.end_position == m.start.translation && m.rotation_vector == Vec3::ZERO,
            Moves::Deforming(..) => false,
        }
    }
}

/// Reads x_i(t) = v0_i + t (v1_i - v0_i), with v0 the vertices of the mesh.
fn deforming(shape: Shape, at: &Item<'_>, motion: &Item<'_>) -> Result<Moves> {
    motion.only(&["type", "vertices1"])?;
    let Shape::Mesh(mesh) = shape else { return Err(at.bad("is not a mesh", "linear_vertices moves the vertices of a mesh")) };
    let end = motion.need("vertices1")?;
    let vertices = end.items()?.iter().map(|v| v.numbers::<3>().map(Vec3::from)).collect::<Result<Vec<_>>>()?;
    if vertices.len() != mesh.vertices().len() {
        let message = format!("has {} vertices, the mesh {}", vertices.len(), mesh.vertices().len());
        return Err(end.bad(message, "give one position for each vertex"));
    }
    Ok(Moves::Deforming(mesh, vertices))
}

/// Reads c(t) = p0 + t (p1 - p0), R(t) = exp(t rotvec) R0; with `quat1_wxyz` instead, rotated the short way.
fn rigid_motion(item: &Item<'_>) -> Result<RigidMotion> {
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
