//! Sessions that follow robots from step to step: static pairs are not searched again.
//!
//! A session proves steps free. Steps that it cannot prove free are left to a query from scratch, so that contacts have the same
//! bits.

use std::ops::Range;

use impinge::query::Session;
use impinge::scene::RobotId;
use impinge::{Checker, Robot, Verdict};

/// A robot's configurations at the start and end of a step.
pub struct RobotStep {
    pub robot: RobotId,
    pub from: Vec<f64>,
    pub to: Vec<f64>,
}

/// A session that follows consecutive steps.
pub struct Follower<'a> {
    checker: &'a Checker,
    session: Option<Session<'a>>,
}

impl<'a> Follower<'a> {
    pub fn new(checker: &'a Checker) -> Self {
        Follower { checker, session: None }
    }

    /// Returns the first contact of a step, if the session finds the same verdict as a query from scratch.
    pub fn first_contact(&mut self, steps: &[RobotStep]) -> Option<Verdict> {
        let is_new = self.begin(steps);
        let session = self.session.as_mut()?;
        for step in steps {
            let model = self.checker.scene().robot_model(step.robot).ok()?;
            session.set_active(step.robot, &moved_joints(model, &step.from, &step.to)).ok()?;
        }
        let to: Vec<_> = steps.iter().map(|s| (s.robot, s.to.as_slice())).collect();
        // The first step of a session is a query from scratch.
        session.step(&to).ok().filter(|verdict| is_new || verdict.is_free())
    }

    /// Moves the session to the start of a step; returns whether the session is new.
    fn begin(&mut self, steps: &[RobotStep]) -> bool {
        let is_at = |session: &Session<'_>| steps.iter().all(|s| session.configuration(s.robot).is_ok_and(|q| *q == s.from[..]));
        if self.session.as_ref().is_some_and(is_at) {
            return false;
        }
        let from: Vec<_> = steps.iter().map(|s| (s.robot, s.from.as_slice())).collect();
        self.session = Session::new(self.checker, &from).ok();
        true
    }
}

/// Returns the joints of a robot whose values change.
pub fn moved_joints(model: &Robot, from: &[f64], to: &[f64]) -> Vec<usize> {
    let moves = |&j: &usize| own(model, j).is_some_and(|own| from[own.clone()] != to[own]);
    (0..model.joints().len()).filter(moves).collect()
}

/// Returns the number of joints of a robot that have values.
pub fn joints_with_values(model: &Robot) -> usize {
    (0..model.joints().len()).filter(|&j| own(model, j).is_some()).count()
}

/// Returns the range of a joint's values in a configuration.
fn own(model: &Robot, joint: usize) -> Option<Range<usize>> {
    model.value_at(joint).map(|at| at..at + model.joints()[joint].kind.values())
}
