//! Parses the text of a BVH file: joints with offsets and channels, frames of numbers.

use std::collections::HashSet;
use std::path::Path;

use impinge::math::Vec3;

use super::words::Words;
use super::{MAX_DEPTH, MAX_FRAMES, MAX_JOINTS};
use crate::error::{IoError, Result, shorten};
use crate::number;
use crate::warning::Warning;

/// The effect of a frame's number on a joint; the axis is 0, 1 or 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    Position(usize),
    /// Degrees.
    Rotation(usize),
}

/// A joint, in the file's unit.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub name: String,
    pub parent: Option<usize>,
    pub offset: Vec3,
    pub channels: Vec<Channel>,
    /// Offsets of its end sites.
    pub ends: Vec<Vec3>,
}

impl Joint {
    /// Tests whether frames contain the position of the joint, besides its rotation.
    pub fn has_positions(&self) -> bool {
        self.channels.iter().any(|c| matches!(c, Channel::Position(_)))
    }
}

/// The contents of a file.
#[derive(Debug)]
pub(super) struct File {
    /// Parents before their children.
    pub joints: Vec<Joint>,
    pub frames: Vec<Vec<f64>>,
    /// Seconds.
    pub frame_time: f64,
}

pub(super) fn file(text: &str, path: &Path, warnings: &mut Vec<Warning>) -> Result<File> {
    let mut words = Words::new(text, path);
    words.expect("HIERARCHY")?;
    let joints = hierarchy(&mut words)?;
    if joints[0].has_positions() && joints[0].offset != Vec3::ZERO {
        let message = format!("joint '{}' has an OFFSET and position channels; the OFFSET is ignored", shorten(&joints[0].name));
        warnings.push(Warning::new(words.place(), "root-offset", message));
    }
    words.expect("Frames:")?;
    let announced = frame_count(&mut words)?;
    words.expect("Frame")?;
    words.expect("Time:")?;
    let frame_time = words.number("the frame time")?;
    if !(frame_time > 0.0 && frame_time < 1e6) {
        return Err(words.bad(format!("the frame time is {frame_time}"), "give seconds, above 0"));
    }
    let frames = frames(&mut words, announced, joints.iter().map(|j| j.channels.len()).sum())?;
    Ok(File { joints, frames, frame_time })
}

/// Parses everything up to `MOTION`, without recursion.
fn hierarchy(words: &mut Words<'_>) -> Result<Vec<Joint>> {
    let mut joints: Vec<Joint> = Vec::new();
    let mut names = HashSet::new();
    let mut open: Vec<usize> = Vec::new();
    loop {
        let word = words.need("MOTION")?;
        match (word.to_ascii_uppercase().as_str(), open.last()) {
            ("ROOT", None) if !joints.is_empty() => {
                return Err(IoError::UnsupportedFormat {
                    at: words.place(),
                    what: "a second ROOT".into(),
                    remedy: "give one skeleton per file".into(),
                });
            }
            ("ROOT", None) | ("JOINT", Some(_)) => {
                let joint = joint(words, open.last().copied())?;
                if !names.insert(joint.name.clone()) {
                    return Err(words.bad(format!("a second joint '{}'", shorten(&joint.name)), "make names unique"));
                }
                open.push(joints.len());
                joints.push(joint);
                check_size(words, open.len(), joints.len())?;
            }
            ("END", Some(&parent)) => {
                words.expect("Site")?;
                words.expect("{")?;
                joints[parent].ends.push(offset(words)?);
                words.expect("}")?;
            }
            ("}", Some(_)) => {
                open.pop();
            }
            ("MOTION", None) if !joints.is_empty() => return Ok(joints),
            (_, Some(_)) => return Err(words.unexpected(word, "JOINT, End Site or }")),
            (_, None) => return Err(words.unexpected(word, "ROOT or MOTION")),
        }
    }
}

fn check_size(words: &Words<'_>, depth: usize, joints: usize) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err(IoError::TooDeep { at: words.place(), what: "the skeleton".into(), limit: MAX_DEPTH });
    }
    if joints > MAX_JOINTS {
        return Err(IoError::TooLarge { at: words.place(), what: "too many joints".into(), limit: MAX_JOINTS as u64 });
    }
    Ok(())
}

/// Parses a joint from its name to its channels.
fn joint(words: &mut Words<'_>, parent: Option<usize>) -> Result<Joint> {
    let name = words.need("the name of a joint")?;
    if name == "{" {
        return Err(words.unexpected(name, "the name of a joint"));
    }
    words.expect("{")?;
    let offset = offset(words)?;
    words.expect("CHANNELS")?;
    let count = words.need("the number of channels")?;
    let count: usize = count.parse().ok().filter(|n| *n <= 6).ok_or_else(|| words.unexpected(count, "0 to 6 channels"))?;
    let mut channels = Vec::new();
    for _ in 0..count {
        let word = words.need("a channel")?;
        let channel = channel(word).ok_or_else(|| words.unexpected(word, "a channel like Xposition or Zrotation"))?;
        if channels.contains(&channel) {
            return Err(words.bad(format!("joint '{}': a second {word}", shorten(name)), "give each channel once"));
        }
        channels.push(channel);
    }
    Ok(Joint { name: name.into(), parent, offset, channels, ends: Vec::new() })
}

fn offset(words: &mut Words<'_>) -> Result<Vec3> {
    words.expect("OFFSET")?;
    Ok(Vec3::new(words.number("OFFSET")?, words.number("OFFSET")?, words.number("OFFSET")?))
}

fn channel(word: &str) -> Option<Channel> {
    let axis = match word.as_bytes().first()?.to_ascii_uppercase() {
        b'X' => 0,
        b'Y' => 1,
        b'Z' => 2,
        _ => return None,
    };
    match word.get(1..)?.to_ascii_lowercase().as_str() {
        "position" => Some(Channel::Position(axis)),
        "rotation" => Some(Channel::Rotation(axis)),
        _ => None,
    }
}

fn frame_count(words: &mut Words<'_>) -> Result<usize> {
    let word = words.need("the number of frames")?;
    match word.parse::<usize>() {
        Ok(0) => Err(words.bad("there are no frames".into(), "give at least one")),
        Ok(n) if n > MAX_FRAMES => {
            Err(IoError::TooLarge { at: words.place(), what: format!("{n} frames"), limit: MAX_FRAMES as u64 })
        }
        Ok(n) => Ok(n),
        Err(_) => Err(words.unexpected(word, "the number of frames")),
    }
}

/// Parses one line per frame. The announced count is checked, but no memory is reserved for it.
fn frames(words: &mut Words<'_>, announced: usize, channels: usize) -> Result<Vec<Vec<f64>>> {
    let mut frames = Vec::new();
    if words.rest_of_line() {
        return Err(words.bad("text follows the frame time".into(), "start the frames on a new line"));
    }
    while let Some(line) = words.full_line() {
        if frames.len() == announced {
            return Err(words.bad(format!("more than the {announced} frames announced"), "correct the number of frames"));
        }
        if line.len() != channels {
            let what = format!("frame {} has {} numbers, the skeleton {channels} channels", frames.len(), line.len());
            return Err(words.bad(what, "give one number per channel, a line per frame"));
        }
        let value = |word: &&str| number::parse(word, || (words.place(), format!("frame {}", frames.len())));
        frames.push(line.iter().map(value).collect::<Result<Vec<f64>>>()?);
    }
    if frames.len() < announced {
        let what = format!("{announced} frames are announced, but the file has {}", frames.len());
        return Err(IoError::Truncated { at: words.place(), what });
    }
    Ok(frames)
}
