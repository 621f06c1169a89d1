//! Motions of free bodies.

use impinge::math::trig::sin_cos;
use impinge::math::{Pose, Vec3};
use impinge::motion::RigidMotion;

use crate::error::Result;
use crate::json::Item;

/// Keys of a body's motion.
pub(super) const KEYS: [&str; 9] = ["start", "end", "v", "w", "p0", "quat0_wxyz", "p1", "rotvec", "quat1_wxyz"];

/// Maximum difference of an end given beside `v` and `w` from the computed one, metres (or this fraction of its distance), and in
/// each entry of its quaternion: six printed digits.
const END_SLACK: f64 = 1e-6;

/// The end of a free body's motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RigidEnd {
    /// Given by velocities: p(t) = p0 + t v, rotated by the rotation vector t w.
    Velocity {
        /// Travel.
        v: Vec3,
        /// Rotation vector, radians; any number of turns.
        w: Vec3,
    },
    /// Given by the position at the end and a rotation vector.
    Turn {
        /// Position at the end.
        p1: Vec3,
        /// Rotation vector, radians; any number of turns.
        rotvec: Vec3,
    },
    /// Given by a pose, rotated the short way.
    Pose {
        /// Position at the end.
        p1: Vec3,
        /// Orientation at the end, `[w, x, y, z]`.
        quat1_wxyz: [f64; 4],
    },
}

/// A free body's motion as in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMove {
    /// Position at the start.
    pub p0: Vec3,
    /// Orientation at the start, `[w, x, y, z]`; of unit length only if the file's is.
    pub quat0_wxyz: [f64; 4],
    /// The end.
    pub end: RigidEnd,
}

impl RigidMove {
    /// Converts to a motion: X(t) = translate(p0 + t v) exp(t w) R(q0), or to a pose the short way.
    ///
    /// # Errors
    /// If a quaternion is not of unit length.
    pub fn to_motion(&self) -> std::result::Result<RigidMotion, impinge::Error> {
        let start = Pose::from_quaternion(self.p0, self.quat0_wxyz)?;
        match self.end {
            RigidEnd::Velocity { v, w } => Ok(RigidMotion { start, end_position: self.p0 + v, rotation_vector: w }),
            RigidEnd::Turn { p1, rotvec } => Ok(RigidMotion { start, end_position: p1, rotation_vector: rotvec }),
            RigidEnd::Pose { p1, quat1_wxyz } => RigidMotion::between(self.p0, self.quat0_wxyz, p1, quat1_wxyz),
        }
    }
}

/// Reads a body's motion.
pub(super) fn rigid(item: &Item<'_>) -> Result<RigidMove> {
    let beside = |key: &str, others: &[&str]| match others.iter().find(|other| item.get(other).is_some()) {
        Some(other) if item.get(key).is_some() => Err(item.bad(format!("has '{other}' beside '{key}'"), "keep one")),
        _ => Ok(()),
    };
    beside("start", &["p0", "quat0_wxyz"])?;
    beside("end", &["p1", "rotvec", "quat1_wxyz"])?;
    beside("v", &["p1", "rotvec", "quat1_wxyz"])?;
    beside("w", &["p1", "rotvec", "quat1_wxyz"])?;
    let (p0, quat0_wxyz) = match item.get("start") {
        Some(start) => pose(&start)?,
        None if item.get("p0").is_some() => (point(item, "p0")?, item.need("quat0_wxyz")?.numbers::<4>()?),
        None => {
            return Err(item.bad("is not a motion", "give q0 and q1, frames0 and frames1, or start and end (docs/formats.md)"));
        }
    };
    let end = if item.get("v").is_some() || item.get("w").is_some() {
        let (v, w) = (point(item, "v")?, point(item, "w")?);
        if let Some(end) = item.get("end") {
            check_end(&end, (p0, quat0_wxyz), v, w)?;
        }
        RigidEnd::Velocity { v, w }
    } else if let Some(end) = item.get("end") {
        let (p1, quat1_wxyz) = pose(&end)?;
        RigidEnd::Pose { p1, quat1_wxyz }
    } else if item.get("start").is_some() && item.get("p1").is_none() {
        return Err(item.bad("has a start, but no end", "add end, or v and w"));
    } else {
        let p1 = point(item, "p1")?;
        match (item.get("rotvec"), item.get("quat1_wxyz")) {
            (Some(_), Some(_)) => return Err(item.bad("has both rotvec and quat1_wxyz", "keep one")),
            (Some(rotvec), None) => RigidEnd::Turn { p1, rotvec: Vec3::from(rotvec.numbers::<3>()?) },
            (None, Some(q)) => RigidEnd::Pose { p1, quat1_wxyz: q.numbers::<4>()? },
            (None, None) => return Err(item.bad("lacks rotvec or quat1_wxyz", "give the rotation of the body")),
        }
    };
    Ok(RigidMove { p0, quat0_wxyz, end })
}

/// Refuses an end that disagrees with `v` and `w`: one of them is a mistake.
fn check_end(end: &Item<'_>, (p0, quat0): (Vec3, [f64; 4]), v: Vec3, w: Vec3) -> Result<()> {
    let (p1, quat1) = pose(end)?;
    let off = (p0 + v - p1).norm();
    let (s, c) = sin_cos(0.5 * w.norm());
    let axis = if w == Vec3::ZERO { w } else { w * (s / w.norm()) };
    let led = product([c, axis.x, axis.y, axis.z], unit(quat0));
    let far = |sign: f64| led.iter().zip(unit(quat1)).map(|(a, b)| (a - sign * b).abs()).fold(0.0, f64::max);
    let slack = END_SLACK * (1.0 + p0.norm() + p1.norm());
    if off > slack || far(1.0).min(far(-1.0)) > END_SLACK {
        return Err(
            end.bad("disagrees with v and w", "remove it, or correct one of them: end = start moved by v and rotated by w")
        );
    }
    Ok(())
}

/// Normalises a quaternion if possible; others are refused with the pose.
fn unit(q: [f64; 4]) -> [f64; 4] {
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / norm)
}

/// Returns the product of two quaternions: first `b`, then `a`.
fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// Reads `{"p": […], "q": […]}` without other keys; a missing position is the origin, a missing rotation the identity.
pub(super) fn pose(item: &Item<'_>) -> Result<(Vec3, [f64; 4])> {
    item.only(&["p", "q"])?;
    let p = item.get("p").map_or(Ok(Vec3::ZERO), |p| p.numbers::<3>().map(Vec3::from))?;
    Ok((p, item.get("q").map_or(Ok([1.0, 0.0, 0.0, 0.0]), |q| q.numbers::<4>())?))
}

fn point(item: &Item<'_>, key: &str) -> Result<Vec3> {
    item.need(key)?.numbers::<3>().map(Vec3::from)
}
