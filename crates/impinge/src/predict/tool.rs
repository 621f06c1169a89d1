//! A tool in somebody's hand, and bodies that it may touch.

use std::sync::Arc;

use super::horizon::{Budget, Forecast, Horizons, Level, Step, Tested, cut, look_ahead, uncertainty};
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
        let steps = self.steps();
        let mut near = Near::default();
        let mut found = ToolForecast::default();
        found.forecast = look_ahead(steps.iter().copied(), budget, started, |level, from, to| {
            let (a, b) = match level {
                Level::Now => (last, *pose),
                _ => (self.model.expected(from), self.model.expected(to)),
            };
            let near = near.get(self, level, &last, &steps, bodies)?;
            // A step ahead begins where one ended that touches nothing.
            let step = Sweep { a, b, seconds: to - from, ahead: to, start_unknown: level == Level::Now };
            self.test(&step, bodies, near, &mut found)
        })?;
        found.forecast.cut_short |=
            found.forecast.ahead.is_none() && steps.last().is_some_and(|s| s.2 < self.horizons.considered);
        Ok(found)
    }

    /// The steps ahead, cut so that none takes the tool far: so one test is never much work, and bends of the way are followed. Where the
    /// model sees the tool fly off, the nearest of them.
    fn steps(&self) -> Vec<Step> {
        let (model, tool) = (&self.model, self.checker.tool());
        let most = LONGEST * tool.reach();
        let pieces = |step: &Step| {
            let [a, b] = [step.1, step.2].map(|ahead| tool.box_corners(&model.expected(ahead)));
            let travel = a.iter().zip(b).fold(0.0, |m: f64, (&p, q)| m.max((q - p).max_abs()));
            (travel / most).ceil().clamp(1.0, MOST_PIECES) as u32
        };
        self.horizons.steps().flat_map(|step| cut(step, pieces(&step))).take(MOST_STEPS).collect()
    }

    /// One step against all bodies, of which only some triangles are near.
    fn test(
        &mut self,
        step: &Sweep,
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

/// The longest way of one test, in sizes of the tool; pieces of a step at most; and of all steps, whatever the budget: a hand that passes
/// its own size of way 45 times within the horizon is none that needs more.
const LONGEST: f64 = 0.15;
const MOST_PIECES: f64 = 1000.0;
const MOST_STEPS: usize = 300;

/// A step that is tested.
struct Sweep {
    a: Pose,
    b: Pose,
    seconds: f64,
    /// When it ends, from now.
    ahead: f64,
    start_unknown: bool,
}

impl Sweep {
    /// How fast the tool moves where it touches, or where it is: the faster.
    fn speed(&self, touch: Option<&Touch>) -> f64 {
        let of_origin = (self.b.translation - self.a.translation).norm();
        let of_point = touch.map_or(0.0, |t| (self.b.apply(self.a.inverse().apply(t.point)) - t.point).norm());
        if self.seconds > 0.0 { of_origin.max(of_point) / self.seconds } else { f64::INFINITY }
    }
}

/// The triangles of each body that any predicted place of the tool comes near: found in one pass over the bodies, when first asked for.
#[derive(Default)]
struct Near {
    found: bool,
    /// Until the reflex horizon, and on the whole way.
    soon: Vec<Vec<u32>>,
    ever: Vec<Vec<u32>>,
}

impl Near {
    fn get(
        &mut self,
        watch: &mut ToolWatch,
        level: Level,
        last: &Pose,
        steps: &[Step],
        bodies: &[Surface<'_>],
    ) -> Result<&[Vec<u32>], Error> {
        if !self.found {
            let places = |levels: &[Level]| {
                let ahead = steps.iter().filter(|s| levels.contains(&s.0)).map(|s| watch.model.expected(s.2));
                [*last, watch.model.expected(0.0)].into_iter().chain(ahead).collect::<Vec<Pose>>()
            };
            let (soon, ever) = (places(&[Level::Reflex]), places(&[Level::Reflex, Level::Considered]));
            for body in bodies {
                let far = watch.checker.near_any(&ever, body, None)?;
                self.soon.push(watch.checker.near_any(&soon, body, Some(&far))?);
                self.ever.push(far);
            }
            self.found = true;
        }
        Ok(if level == Level::Considered { &self.ever } else { &self.soon })
    }
}
