//! Motions between two frames per link.

use impinge::math::Pose;
use impinge::robot::{JointKind, Robot};

use super::rigid::pose;
use crate::error::{IoError, Place, Result};
use crate::json::Item;

/// Frames of the links of a robot.
#[derive(Clone, Debug, PartialEq)]
pub enum Frames {
    /// All links in the robot's own order.
    Array(Vec<Pose>),
    /// Links by name.
    ByName(Vec<(String, Pose)>),
}

/// Frames of the links of a robot at both ends, in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameMove {
    /// At the start.
    pub frames0: Frames,
    /// At the end.
    pub frames1: Frames,
}

impl FrameMove {
    /// Returns the frames of all links at the start and at the end, in the robot's own order. Links that no joint moves may be
    /// omitted: a root is at `base`, others follow from fixed joints. If a file gives other frames for them,
    /// [`link_frames`](impinge::scene::MotionBuilder::link_frames) refuses it.
    ///
    /// # Errors
    /// If a link is unknown, or a link that a joint moves has no frame.
    pub fn poses(&self, robot: &Robot, base: &Pose, at: &Place) -> Result<(Vec<Pose>, Vec<Pose>)> {
        Ok((self.frames0.poses(robot, base, at)?, self.frames1.poses(robot, base, at)?))
    }
}

impl Frames {
    fn poses(&self, robot: &Robot, base: &Pose, at: &Place) -> Result<Vec<Pose>> {
        let bad = |what: String, remedy: &str| IoError::BadElement { at: at.clone(), what, remedy: remedy.into() };
        let links = robot.links();
        let named = match self {
            Frames::Array(poses) if poses.len() == links.len() => return Ok(poses.clone()),
            Frames::Array(poses) => {
                let what = format!("robot '{}' has {} links, but {} frames are given", robot.name(), links.len(), poses.len());
                return Err(bad(what, "give one for each link, or give them by name"));
            }
            Frames::ByName(named) => named,
        };
        let mut given = vec![None; links.len()];
        for (name, pose) in named {
            let link = robot.find_link(name).ok_or_else(|| {
                let known: Vec<&str> = links.iter().map(|l| l.name.as_str()).collect();
                IoError::UnknownName { at: at.clone(), kind: "link", name: name.clone(), known: known.join(", ") }
            })?;
            given[link] = Some(*pose);
        }
        let mut poses = vec![*base; links.len()];
        for &link in robot.order() {
            let joint = robot.joint_above(link).map(|j| &robot.joints()[j]);
            poses[link] = match (given[link], joint) {
                (Some(pose), _) => pose,
                (None, None) => *base,
                (None, Some(joint)) if joint.kind == JointKind::Fixed => poses[joint.parent] * joint.parent_from_joint,
                (None, Some(_)) => {
                    let what = format!("link '{}' has no frame", links[link].name);
                    return Err(bad(what, "give one for each link that a joint moves"));
                }
            };
        }
        Ok(poses)
    }

    fn from_json(item: &Item<'_>) -> Result<Self> {
        if item.value().is_array() {
            return item.items()?.iter().map(frame).collect::<Result<_>>().map(Frames::Array);
        }
        item.fields()?.into_iter().map(|(name, f)| Ok((name.to_owned(), frame(&f)?))).collect::<Result<_>>().map(Frames::ByName)
    }
}

/// Reads the frames of a motion.
pub(super) fn frame_move(item: &Item<'_>) -> Result<FrameMove> {
    let frames = |key: &str| Frames::from_json(&item.need(key)?);
    Ok(FrameMove { frames0: frames("frames0")?, frames1: frames("frames1")? })
}

fn frame(item: &Item<'_>) -> Result<Pose> {
    let (position, quaternion) = pose(item)?;
    Pose::from_quaternion(position, quaternion).map_err(|source| item.model(source))
}
