//! Whole trajectories: segment after segment, in parallel, same bits on any number of threads.

use rayon::prelude::*;

use super::{Checker, Verdict};
use crate::Error;
use crate::scene::{Configuration, RobotId};

/// The answer for a trajectory: one verdict per segment between waypoints.
#[derive(Clone, Debug, PartialEq)]
pub struct TrajectoryVerdict {
    /// Segment i goes from waypoint i to waypoint i + 1.
    pub segments: Vec<Verdict>,
}

impl TrajectoryVerdict {
    /// Whether every segment is proven free.
    pub fn is_free(&self) -> bool {
        self.segments.iter().all(Verdict::is_free)
    }

    /// The first segment that is not proven free.
    pub fn first_trouble(&self) -> Option<(usize, &Verdict)> {
        self.segments.iter().enumerate().find(|(_, v)| !v.is_free())
    }
}

impl Checker {
    /// The first contact on every segment of a path through joint space; other robots and bodies must not be in the scene.
    ///
    /// # Errors
    /// If a waypoint does not fit the robot, or there are fewer than two.
    pub fn check_trajectory<Q: AsRef<Configuration> + Sync>(
        &self,
        robot: RobotId,
        path: &[Q],
    ) -> Result<TrajectoryVerdict, Error> {
        if path.len() < 2 {
            return Err(Error::invalid("trajectory", "it needs at least two waypoints"));
        }
        let segments = path
            .par_windows(2)
            .map(|w| {
                let motion = self.scene().motion().joint_line(robot, w[0].as_ref(), w[1].as_ref()).build()?;
                self.first_contact(&motion)
            })
            .collect::<Result<Vec<_>, Error>>()?;
        Ok(TrajectoryVerdict { segments })
    }
}
