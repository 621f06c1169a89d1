//! Articulated models: links joined into a tree. [Redon 2004, section 3.2]
//!
//! A `Robot` is checked once, when it is made; after that every index in it is valid. Joint values come in the order of
//! [`Robot::moving_joints`]; a joint takes one value, except planar (x, y, angle) and floating (x, y, z, qw, qx, qy, qz).

mod loops;
mod model;

pub use loops::{LoopJoint, LoopKind, LoopSpec};
pub use model::{Joint, JointKind, JointSpec, Limits, Link, Mimic, Robot};
