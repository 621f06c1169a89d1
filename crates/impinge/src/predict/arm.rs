//! A whole robot arm, in joint space: the same way as a tool.

use super::horizon::{Budget, Forecast, Horizons, Level, look_ahead, uncertainty};
use super::polynomial::{Model, ModelOptions};
use crate::Error;
use crate::query::{Checker, Contact, Verdict};
use crate::scene::Motion;

/// Watches joint values: one call a cycle.
#[derive(Clone, Debug)]
pub struct ArmWatch {
    model: Model,
    last: Vec<f64>,
    horizons: Horizons,
}

impl ArmWatch {
    /// For so many joint values, in the order that the robot takes them.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(values: usize, model: ModelOptions, horizons: Horizons) -> Result<Self, Error> {
        horizons.check()?;
        Ok(ArmWatch { model: Model::new(values, model)?, last: Vec::new(), horizons })
    }

    /// The model of the motion.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Takes in joint values, tests the step since the last ones, and looks ahead. `motion` makes the scene's motion from one configuration to
    /// another: straight in joint space, and what else moves as the caller knows. Undecided counts as contact from then on.
    ///
    /// # Errors
    /// If the time is not after the last one, a number is not finite, or a motion cannot be made.
    pub fn cycle(
        &mut self,
        time: f64,
        values: &[f64],
        checker: &Checker,
        motion: impl Fn(&[f64], &[f64]) -> Result<Motion, Error>,
        budget: &Budget<'_>,
    ) -> Result<(Forecast, Option<Box<Contact>>), Error> {
        let started = (budget.clock)();
        self.model.observe(time, values)?;
        let last = if self.last.is_empty() { values.to_vec() } else { std::mem::take(&mut self.last) };
        self.last = values.to_vec();
        let mut contact = None;
        let forecast = look_ahead(self.horizons.steps(), budget, started, |level, from, to| {
            let (a, b) = match level {
                Level::Now => (last.clone(), self.last.clone()),
                _ => (self.at(from), self.at(to)),
            };
            let part = match checker.first_contact(&motion(&a, &b)?)? {
                Verdict::Free => return Ok(None),
                Verdict::Undecided { free_until } => free_until,
                Verdict::Contact(c) => {
                    let at = c.free_until;
                    contact = Some(c);
                    at
                }
            };
            Ok(Some((part, self.uncertainty(&a, &b, to - from, to))))
        })?;
        Ok((forecast, contact))
    }

    fn at(&self, ahead: f64) -> Vec<f64> {
        if ahead == 0.0 { self.last.clone() } else { (0..self.last.len()).map(|k| self.model.value(k, ahead)).collect() }
    }

    /// By the joint that is least certain, for how fast all move.
    fn uncertainty(&self, a: &[f64], b: &[f64], seconds: f64, ahead: f64) -> f64 {
        let travel = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let deviation = (0..a.len()).map(|k| self.model.deviation(k, ahead)).fold(0.0, f64::max);
        uncertainty(deviation, if seconds > 0.0 { travel / seconds } else { f64::INFINITY })
    }
}
