//! A tool in somebody's hand, and bodies that it may touch.

use std::sync::Arc;

use super::horizon::{Budget, Forecast, Horizons, Level, Tested, look_ahead, uncertainty};
use super::polynomial::ModelOptions;
use super::pose::PoseModel;
use crate::Error;
use crate::deform::{Surface, Tool, ToolChecker, ToolOptions, Touch};
use crate::math::Pose;

/// Watches a tool: one call a cycle.
#[derive(Clone, Debug)]
pub struct ToolWatch {
    model: PoseModel,
    checker: ToolChecker,
    horizons: Horizons,
}

/// A forecast, and what will be touched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolForecast {
    /// Level, time, uncertainty, and how far was looked.
    pub forecast: Forecast,
    /// Which body is touched first, in the order given.
    pub body: Option<usize>,
    /// Its triangles in the volume that the tool sweeps during the step that touches, by number.
    pub triangles: Vec<u32>,
    /// The first contact itself.
    pub first: Option<Touch>,
}

impl ToolWatch {
    /// Nothing observed yet. Of each step the first contact is looked for, whatever the options say.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(tool: impl Into<Arc<Tool>>, options: ToolOptions, model: ModelOptions, horizons: Horizons) -> Result<Self, Error> {
        horizons.check()?;
        let checker = ToolChecker::new(tool, ToolOptions { all: false, ..options })?;
        Ok(ToolWatch { model: PoseModel::new(model)?, checker, horizons })
    }

    /// The model of the motion.
    pub fn model(&self) -> &PoseModel {
        &self.model
    }

    /// Takes in where the tool is, tests the step since the last pose, and looks ahead, with bodies as they are given. Never takes
    /// longer than the budget and one test; one pass over the bodies is part of the first.
    ///
    /// # Errors
    /// If the time is not after the last one, a number is not finite, or a body's triangle refers to a vertex that is not there.
    pub fn cycle(&mut self, time: f64, pose: &Pose, bodies: &[Surface<'_>], budget: &Budget<'_>) -> Result<ToolForecast, Error> {
        let started = (budget.clock)();
        let last = self.model.now().map_or(*pose, |(_, pose)| pose);
        self.model.observe(time, pose)?;
        let mut near = Near::default();
        let mut found = ToolForecast::default();
        let horizons = self.horizons;
        found.forecast = look_ahead(&horizons, budget, started, |level, from, to| {
            let (a, b) = match level {
                Level::Now => (last, *pose),
                _ => (self.at(from), self.at(to)),
            };
            near.fill(self, level, &last, bodies)?;
            // A step ahead begins where one ended that touches nothing.
            let step = Step { a, b, seconds: to - from, ahead: to, start_unknown: level == Level::Now };
            self.test(&step, bodies, &near.triangles, &mut found)
        })?;
        Ok(found)
    }

    /// Where the tool is, or is expected to be.
    fn at(&self, ahead: f64) -> Pose {
        match self.model.now() {
            Some((_, pose)) if ahead == 0.0 => pose,
            _ => self.model.pose(ahead),
        }
    }

    /// One step against all bodies, of which only some triangles are near.
    fn test(
        &mut self,
        step: &Step,
        bodies: &[Surface<'_>],
        near: &[Vec<u32>],
        found: &mut ToolForecast,
    ) -> Result<Tested, Error> {
        if near.iter().all(Vec::is_empty) {
            return Ok(None);
        }
        self.checker.sweep(&step.a, &step.b)?;
        let mut first: Tested = None;
        for (i, (body, near)) in bodies.iter().zip(near).enumerate() {
            let deviation = self.model.deviation(step.ahead, self.checker.tool().reach());
            let (answer, listed) = self.checker.first_contact_among(body, near, step.start_unknown)?;
            let part = answer.free_until();
            if answer.is_free() || first.is_some_and(|(earliest, _)| earliest <= part) {
                continue;
            }
            first = Some((part, uncertainty(deviation, step.speed(answer.first()))));
            (found.body, found.first, found.triangles) = (Some(i), answer.first().copied(), listed.to_vec());
        }
        Ok(first)
    }
}

/// A step that is tested.
struct Step {
    a: Pose,
    b: Pose,
    seconds: f64,
    /// When it ends, from now.
    ahead: f64,
    start_unknown: bool,
}

impl Step {
    /// How fast the tool moves where it touches, or where it is: the faster.
    fn speed(&self, touch: Option<&Touch>) -> f64 {
        let of_origin = (self.b.translation - self.a.translation).norm();
        let of_point = touch.map_or(0.0, |t| (self.b.apply(self.a.inverse().apply(t.point)) - t.point).norm());
        if self.seconds > 0.0 { of_origin.max(of_point) / self.seconds } else { f64::INFINITY }
    }
}

/// The triangles that any predicted place of the tool comes near, found in one pass: soon for the reflex horizon, later for all.
#[derive(Default)]
struct Near {
    level: Option<Level>,
    triangles: Vec<Vec<u32>>,
}

impl Near {
    fn fill(&mut self, watch: &mut ToolWatch, level: Level, last: &Pose, bodies: &[Surface<'_>]) -> Result<(), Error> {
        // One pass for the step just done and the reflex horizon, one for the rest.
        let wanted = if level == Level::Considered { Level::Considered } else { Level::Reflex };
        if self.level == Some(wanted) {
            return Ok(());
        }
        let horizons = watch.horizons;
        let ahead = horizons.steps().filter(|s| s.0 == wanted).flat_map(|s| [watch.at(s.1), watch.at(s.2)]);
        let mut places: Vec<Pose> = if wanted == Level::Reflex { vec![*last, watch.at(0.0)] } else { Vec::new() };
        places.extend(ahead);
        places.dedup();
        self.triangles = bodies.iter().map(|b| watch.checker.near_any(&places, b)).collect::<Result<_, _>>()?;
        self.level = Some(wanted);
        Ok(())
    }
}
