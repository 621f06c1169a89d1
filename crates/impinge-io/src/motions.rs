//! Motions, one JSON object per line, read as a stream.
//!
//! ```text
//! {"id": 3, "q0": [0.1, …], "q1": {"elbow": 0.2, …}}                          joints: q(t) = q0 + t (q1 − q0)
//! {"id": 4, "start": {"p": […], "q": [w, x, y, z]}, "v": […], "w": […]}         body: p(t) = p + t v, R(t) = exp(t w) R(q)
//! {"id": 5, "start": {…}, "end": {"p": […], "q": […]}}                          body between two poses
//! {"id": 6, "p0": […], "quat0_wxyz": […], "p1": […], "rotvec" or "quat1_wxyz": […]}
//! {"id": 7, "robots": {"NAME": {"q0": […], "q1": […]}, …}, "bodies": {"NAME": {"start": …, …}, …}}     several at once
//! {"id": 8, "frames0": {"hand": {"p": […], "q": […]}, …}, "frames1": {…}}      links: each from frame to frame, see below
//! ```
//!
//! A robot among several that has `q0` alone rests there.
//! `frames0` and `frames1` say where links are in the world at both ends, by name or as a list in the robot's own order; a robot among
//! several may have them instead of `q0` and `q1`. Each link moves as [`impinge::scene::MotionBuilder::link_frames`] says.
//! Where a line has both `v`, `w` and an end, `v` and `w` count: they say how the body turns. Other keys are passed over. Every
//! line gives a result of its own, so a bad one is told with its number and the rest goes on. Refused: numbers that are not
//! finite, half a motion, lines beyond 64 MiB.

mod frames;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use impinge::math::{Pose, Vec3};
use impinge::motion::RigidMotion;

use crate::error::{IoError, Place, Result};
use crate::joint_values::JointValues;
use crate::json::{self, Item};
use crate::read;
use frames::frame_move;

pub use frames::{FrameMove, Frames};

/// Longest line, bytes: a motion of a million joints.
const MAX_LINE: u64 = 64 << 20;

/// How a free body's motion ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RigidEnd {
    /// By how it moves: p(t) = p0 + t v, turned by the rotation vector t w.
    Velocity {
        /// Travel.
        v: Vec3,
        /// Rotation vector, radians; any number of turns.
        w: Vec3,
    },
    /// At this point, turned by a rotation vector on the way.
    Turn {
        /// Position at the end.
        p1: Vec3,
        /// Rotation vector, radians; any number of turns.
        rotvec: Vec3,
    },
    /// At this pose, turned the short way.
    Pose {
        /// Position at the end.
        p1: Vec3,
        /// Orientation at the end, `[w, x, y, z]`.
        quat1_wxyz: [f64; 4],
    },
}

/// A free body's motion as the file gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMove {
    /// Position at the start.
    pub p0: Vec3,
    /// Orientation at the start, `[w, x, y, z]`; of unit length only if the file's is.
    pub quat0_wxyz: [f64; 4],
    /// Where it goes.
    pub end: RigidEnd,
}

impl RigidMove {
    /// As a motion: X(t) = translate(p0 + t v) exp(t w) R(q0), or to a pose the short way.
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

/// A robot's values at both ends.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMove {
    /// Values at the start.
    pub q0: JointValues,
    /// Values at the end; where there are none, it rests.
    pub q1: Option<JointValues>,
}

/// How one robot among several moves.
#[derive(Clone, Debug, PartialEq)]
pub enum RobotMove {
    /// By joint values.
    Joints(JointMove),
    /// By frames of its links.
    Frames(FrameMove),
}

/// What moves.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionKind {
    /// A robot, from one configuration to another.
    Joints {
        /// Values at the start.
        q0: JointValues,
        /// Values at the end.
        q1: JointValues,
    },
    /// A robot, from frames of its links to others.
    Frames(FrameMove),
    /// A free body.
    Rigid(RigidMove),
    /// Several robots and bodies, by name, all on one clock.
    Several {
        /// In the order of the file.
        robots: Vec<(String, RobotMove)>,
        /// In the order of the file.
        bodies: Vec<(String, RigidMove)>,
    },
}

/// One motion of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Its `id` as text; the line number where there is none.
    pub id: String,
    /// The line it stands on, counted from 1.
    pub line: usize,
    /// What moves.
    pub kind: MotionKind,
}

/// Reads motions line by line; a bad line is an error and the next call goes on behind it.
#[derive(Debug)]
pub struct MotionReader<R> {
    reader: R,
    path: PathBuf,
    line: usize,
    buffer: Vec<u8>,
    ended: bool,
}

/// Opens a file of motions.
///
/// # Errors
/// If it cannot be opened.
pub fn open_motions(path: impl AsRef<Path>) -> Result<MotionReader<BufReader<File>>> {
    let path = path.as_ref();
    // A stream has no size limit, only its lines have.
    Ok(MotionReader::new(BufReader::new(read::open(path, u64::MAX)?), path))
}

impl<R: BufRead> MotionReader<R> {
    /// Reads from anything; `path` is only named in messages.
    pub fn new(reader: R, path: impl AsRef<Path>) -> Self {
        MotionReader { reader, path: path.as_ref().into(), line: 0, buffer: Vec::new(), ended: false }
    }

    /// The next line into the buffer; `None` at the end.
    fn next_line(&mut self) -> Option<Result<()>> {
        self.buffer.clear();
        self.line += 1;
        match (&mut self.reader).take(MAX_LINE).read_until(b'\n', &mut self.buffer) {
            Ok(0) => None,
            Ok(n) if n as u64 == MAX_LINE && self.buffer.last() != Some(&b'\n') => {
                self.ended = true;
                Some(Err(IoError::TooLarge { at: self.place(), what: "a line has too many bytes".into(), limit: MAX_LINE }))
            }
            Ok(_) => Some(Ok(())),
            Err(source) => {
                self.ended = true;
                Some(Err(IoError::Read { at: self.place(), source }))
            }
        }
    }

    fn place(&self) -> Place {
        Place::line(&self.path, self.line)
    }
}

impl<R: BufRead> Iterator for MotionReader<R> {
    type Item = Result<Motion>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.next_line() {
                None => self.ended = true,
                Some(Err(error)) => return Some(Err(error)),
                Some(Ok(())) if self.buffer.trim_ascii().is_empty() => {}
                Some(Ok(())) => return Some(parse(self.buffer.trim_ascii(), &self.place())),
            }
        }
        None
    }
}

/// Reads one line; `at` is its place.
///
/// # Errors
/// See the module's list of what is refused.
pub fn parse(line: &[u8], at: &Place) -> Result<Motion> {
    let value = json::parse(line, at)?;
    let item = Item::root(&value, at);
    let id = match item.get("id") {
        Some(id) => id.value().as_str().map_or_else(|| id.value().to_string(), str::to_owned),
        None => at.line.unwrap_or(0).to_string(),
    };
    let kind = if item.get("robots").is_some() || item.get("bodies").is_some() {
        several(&item)?
    } else if let Some(frames) = frame_move(&item, &["q0", "q1", "start", "end", "p0", "p1", "v", "w"])? {
        MotionKind::Frames(frames)
    } else if item.get("q0").is_some() || item.get("q1").is_some() {
        MotionKind::Joints { q0: JointValues::from_json(&item.need("q0")?)?, q1: JointValues::from_json(&item.need("q1")?)? }
    } else {
        MotionKind::Rigid(rigid(&item)?)
    };
    Ok(Motion { id, line: at.line.unwrap_or(0), kind })
}

fn several(item: &Item<'_>) -> Result<MotionKind> {
    let single = ["q0", "q1", "frames0", "frames1", "start", "end", "p0", "p1", "v", "w"];
    if let Some(key) = single.into_iter().find(|key| item.get(key).is_some()) {
        return Err(item.bad(format!("has '{key}' beside robots or bodies"), "say everything by name"));
    }
    let fields = |key: &str| item.get(key).map_or(Ok(Vec::new()), |named| named.fields());
    let robot = |(name, values): (&str, Item<'_>)| {
        values.only(&["q0", "q1", "frames0", "frames1"])?;
        if let Some(frames) = frame_move(&values, &["q0", "q1"])? {
            return Ok((name.to_owned(), RobotMove::Frames(frames)));
        }
        let q1 = values.get("q1").map(|q1| JointValues::from_json(&q1)).transpose()?;
        let q0 = JointValues::from_json(&values.need("q0")?)?;
        Ok((name.to_owned(), RobotMove::Joints(JointMove { q0, q1 })))
    };
    let robots = fields("robots")?.into_iter().map(robot).collect::<Result<Vec<_>>>()?;
    let bodies = fields("bodies")?.into_iter().map(|(name, body)| Ok((name.to_owned(), rigid(&body)?)));
    Ok(MotionKind::Several { robots, bodies: bodies.collect::<Result<Vec<_>>>()? })
}

fn rigid(item: &Item<'_>) -> Result<RigidMove> {
    let (p0, quat0_wxyz) = match item.get("start") {
        Some(start) => pose(&start)?,
        None if item.get("p0").is_some() => (point(item, "p0")?, item.need("quat0_wxyz")?.numbers::<4>()?),
        None => return Err(item.bad("is no motion", "give q0 and q1, frames0 and frames1, or start and end (docs/formats.md)")),
    };
    let end = if item.get("v").is_some() || item.get("w").is_some() {
        RigidEnd::Velocity { v: point(item, "v")?, w: point(item, "w")? }
    } else if let Some(end) = item.get("end") {
        let (p1, quat1_wxyz) = pose(&end)?;
        RigidEnd::Pose { p1, quat1_wxyz }
    } else {
        let p1 = point(item, "p1")?;
        match (item.get("rotvec"), item.get("quat1_wxyz")) {
            (Some(_), Some(_)) => return Err(item.bad("has both rotvec and quat1_wxyz", "keep one")),
            (Some(rotvec), None) => RigidEnd::Turn { p1, rotvec: Vec3::from(rotvec.numbers::<3>()?) },
            (None, Some(q)) => RigidEnd::Pose { p1, quat1_wxyz: q.numbers::<4>()? },
            (None, None) => return Err(item.bad("lacks rotvec or quat1_wxyz", "say how the body turns")),
        }
    };
    Ok(RigidMove { p0, quat0_wxyz, end })
}

fn pose(item: &Item<'_>) -> Result<(Vec3, [f64; 4])> {
    Ok((point(item, "p")?, item.need("q")?.numbers::<4>()?))
}

fn point(item: &Item<'_>, key: &str) -> Result<Vec3> {
    item.need(key)?.numbers::<3>().map(Vec3::from)
}

#[cfg(test)]
mod tests;
