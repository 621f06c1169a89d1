//! How a robot moves during a question.

use anyhow::Result;
use impinge::Pose;
use impinge_io::{JointMove, Place, RobotMove};

use crate::movers::RobotMover;
use crate::values::configuration;

/// How a robot moves, from its start to its end.
#[derive(Clone, Copy, Debug)]
pub enum Course<'q> {
    /// From values to values.
    Values(&'q [f64], &'q [f64]),
    /// From frames of its links to others.
    Frames(&'q [Pose], &'q [Pose]),
}

/// A [`Course`] that holds its values.
pub enum OwnedCourse {
    Values(Vec<f64>, Vec<f64>),
    Frames(Vec<Pose>, Vec<Pose>),
}

impl OwnedCourse {
    /// As a file says it.
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
