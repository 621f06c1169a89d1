//! Joints that close loops: a robot is a tree, and what goes round in a circle is cut open at one joint, a loop joint.
//!
//! ```text
//!   b ── joint ── c          link c is reached twice: along a, b by the tree, along d by the loop joint,
//!   │             ‖ loop     which says where a frame on c and a frame on d have to coincide
//!   a ── joint ── d
//! ```
//!
//! The tree alone says how things move. How far the two frames are from where the loop joint wants them is bounded by
//! [`crate::Scene::loop_openings`].

use super::Robot;
use crate::Error;
use crate::math::pose::check_rigid;
use crate::math::{Pose, Vec3};

/// What a loop joint leaves free. Axes are in the frame on the first link; only their direction counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoopKind {
    /// Nothing: the two frames coincide.
    Fixed,
    /// Turning about an axis.
    Revolute {
        /// Axis of rotation.
        axis: Vec3,
    },
    /// Sliding along an axis.
    Prismatic {
        /// Direction of travel.
        axis: Vec3,
    },
    /// Sliding in a plane and turning about its normal.
    Planar {
        /// Normal of the plane.
        axis: Vec3,
    },
    /// Any turning: the origins of the two frames coincide.
    Spherical,
}

impl LoopKind {
    /// The axis, where there is one.
    pub fn axis(&self) -> Option<Vec3> {
        match *self {
            LoopKind::Fixed | LoopKind::Spherical => None,
            LoopKind::Revolute { axis } | LoopKind::Prismatic { axis } | LoopKind::Planar { axis } => Some(axis),
        }
    }
}

/// A loop joint as described by a file: links by name.
#[derive(Clone, Debug)]
pub struct LoopSpec {
    /// Unique name.
    pub name: String,
    /// Names of the two links it connects.
    pub links: [String; 2],
    /// The two frames, each in its link.
    pub link_from_loop: [Pose; 2],
    /// What it leaves free.
    pub kind: LoopKind,
}

/// A checked loop joint: links by index.
#[derive(Clone, Debug)]
pub struct LoopJoint {
    /// Unique name.
    pub name: String,
    /// The two links it connects.
    pub links: [usize; 2],
    /// The two frames, each in its link.
    pub link_from_loop: [Pose; 2],
    /// What it leaves free.
    pub kind: LoopKind,
}

impl Robot {
    /// Adds joints that close loops. They move nothing; links that they connect are neighbours.
    ///
    /// # Errors
    /// Names used twice, links that are not there or the same, a zero axis, numbers that are not finite.
    pub fn with_loops(mut self, loops: Vec<LoopSpec>) -> Result<Self, Error> {
        for spec in loops {
            let checked = self.check_loop(spec)?;
            self.loops.push(checked);
        }
        Ok(self)
    }

    /// Joints that close loops.
    pub fn loops(&self) -> &[LoopJoint] {
        &self.loops
    }

    fn check_loop(&self, spec: LoopSpec) -> Result<LoopJoint, Error> {
        let user = format!("loop joint '{}'", spec.name);
        if self.find_joint(&spec.name).is_some() || self.loops.iter().any(|l| l.name == spec.name) {
            return Err(Error::DuplicateName { kind: "joint", name: spec.name });
        }
        let find = |name: &String| {
            self.find_link(name).ok_or_else(|| Error::Unknown { kind: "link", name: name.clone(), user: user.clone() })
        };
        let links = [find(&spec.links[0])?, find(&spec.links[1])?];
        if links[0] == links[1] {
            return Err(Error::invalid(user, "it connects a link with itself"));
        }
        spec.link_from_loop.iter().try_for_each(|pose| check_rigid(pose, &user))?;
        if spec.kind.axis().is_some_and(|axis| !axis.is_finite()) {
            return Err(Error::NonFinite { what: user });
        }
        if spec.kind.axis().is_some_and(|axis| !(axis.norm() > 1e-100 && axis.norm() < 1e100)) {
            return Err(Error::BadAxis { joint: spec.name });
        }
        Ok(LoopJoint { name: spec.name, links, link_from_loop: spec.link_from_loop, kind: spec.kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::{JointKind, JointSpec, Link};

    fn chain() -> Robot {
        let joint = |name: &str, parent: &str, child: &str| JointSpec {
            name: name.into(),
            parent: parent.into(),
            child: child.into(),
            parent_from_joint: Pose::IDENTITY,
            kind: JointKind::Revolute { axis: Vec3::unit(2) },
            limits: None,
            mimic: None,
        };
        let links = ["a", "b", "c"].map(|name| Link { name: name.into(), pieces: Vec::new() });
        Robot::new("r", links.to_vec(), vec![joint("x", "a", "b"), joint("y", "b", "c")]).expect("a tree")
    }

    fn closed(name: &str, links: [&str; 2], kind: LoopKind) -> Result<Robot, Error> {
        let links = links.map(str::to_owned);
        chain().with_loops(vec![LoopSpec { name: name.into(), links, link_from_loop: [Pose::IDENTITY; 2], kind }])
    }

    #[test]
    fn links_of_a_loop_joint_are_neighbours() {
        assert!(!chain().adjacent(0, 2));
        let robot = closed("loop", ["c", "a"], LoopKind::Spherical).expect("fine");
        assert!(robot.adjacent(0, 2) && robot.adjacent(2, 0) && robot.values() == 2);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let message = |name, links, kind| closed(name, links, kind).expect_err("refused").to_string();
        assert!(message("loop", ["a", "ghost"], LoopKind::Fixed).contains("ghost"));
        assert!(message("loop", ["a", "a"], LoopKind::Fixed).contains("itself"));
        assert!(message("x", ["a", "c"], LoopKind::Fixed).contains("unique"));
        assert!(message("loop", ["a", "c"], LoopKind::Revolute { axis: Vec3::ZERO }).contains("axis is zero"));
        assert!(message("loop", ["a", "c"], LoopKind::Planar { axis: Vec3::splat(f64::NAN) }).contains("NaN"));
    }
}
