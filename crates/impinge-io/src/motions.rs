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
//! A robot among several that has only `q0` is static.
//! `frames0` and `frames1` are the frames of links in the world at both ends, by name or as a list in the robot's own order; a
//! robot among several may have them instead of `q0` and `q1`. Links move as defined by
//! [`impinge::scene::MotionBuilder::link_frames`].
//! Where a line has `v`, `w` and also an `end`, `v` and `w` define the rotation, and the end must agree with them. Every line has
//! a result of its own, so an invalid line is reported with its number and later lines are read. Refused: numbers that are not
//! finite, incomplete motions, motions given in two ways, unknown keys except a few notes (`comment`, `title`, `kind`, `tag`, …),
//! lines beyond 64 MiB.

mod frames;
mod rigid;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::error::{IoError, Place, Result};
use crate::id::Id;
use crate::joint_values::JointValues;
use crate::json::{self, Item};
use crate::read;
use frames::frame_move;
use rigid::rigid;

pub use frames::{FrameMove, Frames};
pub use rigid::{RigidEnd, RigidMove};

/// Maximum length of a line, bytes: a motion of a million joints.
const MAX_LINE: u64 = 64 << 20;

/// A robot's values at both ends.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMove {
    /// Values at the start.
    pub q0: JointValues,
    /// Values at the end; without them, the robot is static.
    pub q1: Option<JointValues>,
}

/// The motion of one robot among several.
#[derive(Clone, Debug, PartialEq)]
pub enum RobotMove {
    /// By joint values.
    Joints(JointMove),
    /// By frames of its links.
    Frames(FrameMove),
}

/// The moving robot or body, or several.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionKind {
    /// A robot, between two configurations.
    Joints {
        /// Values at the start.
        q0: JointValues,
        /// Values at the end.
        q1: JointValues,
    },
    /// A robot, between two sets of link frames.
    Frames(FrameMove),
    /// A free body.
    Rigid(RigidMove),
    /// Several robots and bodies, by name, on a common clock.
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
    /// Its `id`; the line number if there is none.
    pub id: Id,
    /// Its line, counted from 1.
    pub line: usize,
    /// The moving robot or body, or several.
    pub kind: MotionKind,
}

/// Reads motions line by line; an invalid line is an error, and the next call reads the next line.
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
    // Only the lines of a stream are limited, not its size.
    Ok(MotionReader::new(BufReader::new(read::open(path, u64::MAX)?), path))
}

impl<R: BufRead> MotionReader<R> {
    /// Reads from any source; `path` is only named in messages.
    pub fn new(reader: R, path: impl AsRef<Path>) -> Self {
        MotionReader { reader, path: path.as_ref().into(), line: 0, buffer: Vec::new(), ended: false }
    }

    /// Reads the next line into the buffer; `None` at the end.
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

/// Parses one line; `at` is its place.
///
/// # Errors
/// See the list in the module documentation.
pub fn parse(line: &[u8], at: &Place) -> Result<Motion> {
    let value = json::parse(line, at)?;
    let item = Item::root(&value, at);
    let kind = match notation(&item)? {
        Notation::Several => several(&item)?,
        Notation::Frames => MotionKind::Frames(frame_move(&item)?),
        Notation::Joints => {
            MotionKind::Joints { q0: JointValues::from_json(&item.need("q0")?)?, q1: JointValues::from_json(&item.need("q1")?)? }
        }
        Notation::Rigid => MotionKind::Rigid(rigid(&item)?),
    };
    Ok(Motion { id: id_of(line, at), line: at.line.unwrap_or(0), kind })
}

/// Returns the id of a line, even if it is otherwise invalid: its `id`, or its number if there is none or the line is not JSON.
pub fn id_of(line: &[u8], at: &Place) -> Id {
    Id::of_object(line).unwrap_or_else(|| at.line.unwrap_or(0).into())
}

/// The form of a motion.
#[derive(Clone, Copy)]
enum Notation {
    Several,
    Frames,
    Joints,
    Rigid,
}

/// Keys of notes, which are not part of the motion.
const NOTES: [&str; 6] = ["comment", "title", "kind", "tag", "max_deg", "start_clearance"];

/// Returns the form of a line; its keys must belong to one form only, so that none is ignored.
fn notation(item: &Item<'_>) -> Result<Notation> {
    let notations = [
        (Notation::Several, "robots and bodies", &["robots", "bodies"][..]),
        (Notation::Frames, "frames0 and frames1", &["frames0", "frames1"]),
        (Notation::Joints, "q0 and q1", &["q0", "q1"]),
        (Notation::Rigid, "a body's motion", &rigid::KEYS),
    ];
    let all = notations.iter().flat_map(|(_, _, keys)| keys.iter().copied());
    item.only(&["id"].into_iter().chain(all).chain(NOTES).collect::<Vec<_>>())?;
    let used = |keys: &[&'static str]| keys.iter().copied().find(|key| item.get(key).is_some());
    let mut found = notations.iter().filter_map(|(notation, name, keys)| used(keys).map(|key| (*notation, *name, key)));
    match (found.next(), found.next()) {
        (Some((_, name, _)), Some((_, _, key))) => Err(item.bad(
            format!("has '{key}' beside {name}"),
            "define each motion once; give several robots and bodies by name, under robots and bodies",
        )),
        (first, _) => Ok(first.map_or(Notation::Rigid, |(notation, ..)| notation)),
    }
}

fn several(item: &Item<'_>) -> Result<MotionKind> {
    let fields = |key: &str| item.get(key).map_or(Ok(Vec::new()), |named| named.fields());
    let robot = |(name, values): (&str, Item<'_>)| {
        values.only(&["q0", "q1", "frames0", "frames1"])?;
        if values.get("frames0").is_some() || values.get("frames1").is_some() {
            if let Some(key) = ["q0", "q1"].into_iter().find(|key| values.get(key).is_some()) {
                return Err(values.bad(format!("has '{key}' beside frames0 and frames1"), "define the robot's motion once"));
            }
            return Ok((name.to_owned(), RobotMove::Frames(frame_move(&values)?)));
        }
        let q1 = values.get("q1").map(|q1| JointValues::from_json(&q1)).transpose()?;
        let q0 = JointValues::from_json(&values.need("q0")?)?;
        Ok((name.to_owned(), RobotMove::Joints(JointMove { q0, q1 })))
    };
    let body = |(name, body): (&str, Item<'_>)| {
        body.only(&rigid::KEYS)?;
        Ok((name.to_owned(), rigid(&body)?))
    };
    let robots = fields("robots")?.into_iter().map(robot).collect::<Result<Vec<_>>>()?;
    let bodies = fields("bodies")?.into_iter().map(body).collect::<Result<Vec<_>>>()?;
    Ok(MotionKind::Several { robots, bodies })
}

#[cfg(test)]
mod tests;
