//! BVH motion capture: a skeleton and its frames, as a robot and its configurations.
//!
//! ```text
//! HIERARCHY ──► one link per joint, at its OFFSET, carried by a chain of joints with one value each: a slider for each position, then a
//!               turn for each angle, in the order of the channels (fixed where it has no channels)
//!               bones, from a joint to each of its children and end sites: capsules, or meshes from a folder
//! MOTION    ──► one configuration per frame
//! ```
//!
//! Between two frames every recorded channel is interpolated linearly ([`Between::Channels`]). Angles are used as recorded, for
//! example from 0 to 200 degrees by 200, except jumps of a recorder that wraps them into one turn. These are interpolated the
//! short way: differences of more than 180 degrees between angles within [-180, 180] (from 179 to -179 by 2), and of more than
//! 270 anywhere. On request every joint instead rotates about one axis, the short way, and its position moves on a straight line
//! ([`Between::OneAxis`]: a floating joint for each). This interpolation is checked, not the curve that an animation program
//! would draw. Positions given by channels replace the OFFSET, as in Blender and MotionBuilder. Lengths are in the file's own
//! unit unless scaled; the format has no up axis, so no rotation is applied.
//! Refused: several roots, unknown or repeated channels, repeated names, a number of frames or values other than announced,
//! numbers that are not finite, more than [`MAX_DEPTH`] levels, [`MAX_JOINTS`] joints or [`MAX_FRAMES`] frames.
//! Warnings: a root with both OFFSET and positions, a skeleton without bones, meshes that belong to no bone.

mod channels;
mod parse;
mod skeleton;
mod words;

use std::path::{Path, PathBuf};

use impinge::robot::Robot;

use crate::error::{IoError, Place, Result};
use crate::read;
use crate::track::Track;
use crate::warning::Loaded;

/// Maximum nesting depth of joints.
pub const MAX_DEPTH: usize = 256;
/// Maximum number of joints of a skeleton.
pub const MAX_JOINTS: usize = 4096;
/// Maximum number of frames: one day at 120 per second.
pub const MAX_FRAMES: usize = 120 * 86_400;
/// Default radius of a bone's capsule, as a fraction of the bone's length: a thigh is about 0.4 m long and 0.12 m thick.
pub const BONE_SHARE: f64 = 0.15;

/// Interpolation of a skeleton between two frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Between {
    /// Every recorded channel is interpolated linearly, except jumps: differences of more than 180 degrees within [-180, 180],
    /// and of more than 270 anywhere, are interpolated the short way.
    #[default]
    Channels,
    /// Every joint rotates about one axis, the short way, and its position moves on a straight line.
    OneAxis,
}

/// Options for loading a skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct BvhOptions {
    /// Metres per unit of the file.
    pub scale: f64,
    /// The radius of every bone, metres; by default [`BONE_SHARE`] of its length.
    pub bone_radius: Option<f64>,
    /// A folder of meshes named after joints, in the joint's frame and the file's unit; bones without a mesh are capsules.
    pub meshes: Option<PathBuf>,
    /// Interpolation between two frames.
    pub between: Between,
}

impl Default for BvhOptions {
    fn default() -> Self {
        BvhOptions { scale: 1.0, bone_radius: None, meshes: None, between: Between::default() }
    }
}

/// A skeleton and its motion.
#[derive(Clone, Debug)]
pub struct Bvh {
    /// The skeleton. Its root link is a bare frame, the file's origin.
    pub robot: Robot,
    /// One configuration per frame, at its time in seconds; the first frame is at 0.
    pub track: Track,
    /// Links that meet at a joint of the skeleton, so that their bones overlap. The links between them have no bones: for
    /// self-collision of a skeleton, exclude these pairs by name.
    pub joined: Vec<(String, String)>,
}

/// Tests whether a file begins like BVH.
pub fn is_bvh(start: &[u8]) -> bool {
    let start = start.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(start).trim_ascii_start();
    start.get(..9).is_some_and(|word| word.eq_ignore_ascii_case(b"HIERARCHY"))
}

/// Loads a BVH file.
///
/// # Errors
/// See the list in the module documentation.
pub fn load_bvh(path: impl AsRef<Path>, options: &BvhOptions) -> Result<Loaded<Bvh>> {
    let path = path.as_ref();
    parse(&read::bytes(path, read::MAX_TREE_FILE)?, path, options)
}

/// Parses the bytes of a BVH file; `path` is named in messages, and its stem is the robot's name.
///
/// # Errors
/// See the list in the module documentation.
pub fn parse(bytes: &[u8], path: &Path, options: &BvhOptions) -> Result<Loaded<Bvh>> {
    check_options(options)?;
    let mut warnings = Vec::new();
    let file = parse::file(read::text(path, bytes)?, path, &mut warnings)?;
    let robot = skeleton::robot(&file, path, options, &mut warnings)?;
    let times = (0..file.frames.len()).map(|i| i as f64 * file.frame_time).collect();
    let rows = match options.between {
        Between::Channels => channels::rows(&file, options.scale),
        Between::OneAxis => file.frames.iter().map(|frame| skeleton::configuration(&file.joints, frame, options.scale)).collect(),
    };
    let joined = file.joints.iter().filter_map(|j| Some((file.joints[j.parent?].name.clone(), j.name.clone()))).collect();
    Ok(Loaded { value: Bvh { robot, track: Track { times, rows }, joined }, warnings })
}

fn check_options(options: &BvhOptions) -> Result<()> {
    let bad = |what: String, remedy: &str| Err(IoError::BadElement { at: Place::file("BVH"), what, remedy: remedy.into() });
    if !(options.scale > 0.0 && options.scale < 1e6) {
        return bad(format!("the scale is {}", options.scale), "give metres per unit, above 0");
    }
    match options.bone_radius {
        Some(radius) if !(0.0..1e6).contains(&radius) => bad(format!("the bone radius is {radius}"), "give metres, not below 0"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
