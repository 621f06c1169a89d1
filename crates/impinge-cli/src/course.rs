//! The course of a robot during a motion.

use anyhow::Result;
use impinge::Pose;
use impinge_io::{JointMove, Place, RobotMove};

use crate::movers::RobotMover;
use crate::values::configuration;

/// The motion of a robot, from start to end.
#[derive(Clone, Copy, Debug)]
pub enum Course<'q> {
    /// Between joint values.
    Values(&'q [f64], &'q [f64]),
    /// Between frames of its links.
    Frames(&'q [Pose], &'q [Pose]),
}

/// An owning [`Course`].
pub enum OwnedCourse {
    Values(Vec<f64>, Vec<f64>),
    Frames(Vec<Pose>, Vec<Pose>),
}

impl OwnedCourse {
    /// Converts a motion of a file.
    ///
    /// # Errors
    /// If it does not fit the robot; the message names the place.
    pub fn of(moves: &RobotMove, mover: &RobotMover, at: &Place) -> Result<Self> {
        let model = &mover.model;
        Ok(match moves {
            RobotMove::Joints(JointMove { q0, q1 }) => {
                let q0 = configuration(model, q0, mover.state.as_deref(), at)?;
                let q1 = q1.as_ref().map_or_else(|| Ok(q0.clone()), |q1| configuration(model, q1, Some(&q0), at))?;
                OwnedCourse::Values(q0, q1)
            }
            RobotMove::Frames(frames) => {
                let (start, end) = frames.poses(model, &mover.base(), at)?;
                OwnedCourse::Frames(start, end)
            }
        })
    }

    pub fn borrowed(&self) -> Course<'_> {
        match self {
            OwnedCourse::Values(q0, q1) => Course::Values(q0, q1),
            OwnedCourse::Frames(start, end) => Course::Frames(start, end),
        }
    }
}
