//! A whole robot arm, in joint space: the same way as a tool.
//!
//! Between two samples joint values run along straight lines. Ahead they follow the polynomials of the model; each step is tested along the
//! line between its ends, with a margin that is larger by what the bend of the polynomials moves anything, see [`super::levers`]. Where that
//! finds no proof, the step is halved until the bend is below the tolerance.

use super::horizon::{Budget, Forecast, Horizons, Leg, Meeting, Step, Tested, look_ahead, uncertainty};
use super::levers::Levers;
use super::polynomial::{Model, ModelOptions};
use crate::Error;
use crate::math::rounding::INFLATE;
use crate::query::{Checker, Contact, Verdict};
use crate::scene::Motion;

/// Watches joint values: one call a cycle.
#[derive(Clone, Debug)]
pub struct ArmWatch {
    model: Model,
    last: Vec<f64>,
    horizons: Horizons,
    tolerance: f64,
}

/// The tolerance by default, metres.
const TOLERANCE: f64 = 1e-4;

impl ArmWatch {
    /// For so many joint values, in the order that the robot takes them.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(values: usize, model: ModelOptions, horizons: Horizons) -> Result<Self, Error> {
        horizons.check()?;
        Ok(ArmWatch { model: Model::new(values, model)?, last: Vec::new(), horizons, tolerance: TOLERANCE })
    }

    /// How far two parts may stray from their straight motion, seen from each other, in a step that is called a contact, metres; 1e-4 by
    /// default. A contact is told where parts come within the margin and twice this.
    ///
    /// # Errors
    /// If it is not positive and finite.
    pub fn with_tolerance(self, tolerance: f64) -> Result<Self, Error> {
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(Error::invalid("tolerance", format!("{tolerance} is not positive and finite")));
        }
        Ok(ArmWatch { tolerance, ..self })
    }

    /// The model of the motion.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Takes in joint values, tests the step since the last ones, and looks ahead. `motion` makes the scene's motion from one configuration to
    /// another: straight in joint space, each joint's value a sum of multiples of these values and a constant, and what else moves as the
    /// caller knows. Undecided counts as contact from then on.
    ///
    /// The contact's times are shares of the step between the last two samples at [`super::Level::Now`], and seconds ahead otherwise.
    ///
    /// # Errors
    /// If the time is not after the last one, a number is not finite, or a motion between samples cannot be made. Where one that is predicted
    /// cannot, because values are out of range, nothing is known from then on: that counts as contact.
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
        let mut levers = None;
        let mut contact = None;
        let forecast = look_ahead(&self.horizons.steps(), budget, started, |step| {
            let (a, b) = match step.leg {
                Leg::Observed => (last.clone(), self.last.clone()),
                Leg::Corrected => (self.last.clone(), self.at(0.0)),
                Leg::Predicted => (self.at(step.from), self.at(step.to)),
            };
            if step.leg == Leg::Corrected && a == b {
                return Ok(Tested::Free);
            }
            let line = match motion(&a, &b) {
                Ok(line) => line,
                // The model may see values leave every range; what was observed may not.
                Err(_) if step.leg != Leg::Observed => return Ok(step.unknown()),
                Err(e) => return Err(e),
            };
            let (bend, rounding) = match step.leg {
                Leg::Predicted => self.stray(step, &line, checker, levers_of(&mut levers, &self.last, &motion)?),
                _ => (0.0, 0.0),
            };
            let share = match self.verdict(checker, &line, bend + rounding)? {
                Verdict::Free => return Ok(Tested::Free),
                Verdict::Undecided { free_until } => {
                    contact = None;
                    free_until
                }
                Verdict::Contact(mut c) => {
                    let share = c.free_until;
                    (c.time, c.free_until) = ((step.at(c.time.0), step.at(c.time.1)), step.at(share));
                    contact = Some(c);
                    share
                }
            };
            // Only what is predicted bends.
            let met = Meeting { share, uncertainty: self.uncertainty(&a, &b, step) };
            let unclear = bend > self.tolerance && step.divides();
            Ok(if unclear { Tested::Unclear { pieces: 2, suspected: Some(met) } } else { Tested::Contact(met) })
        })?;
        Ok((forecast, contact.filter(|_| forecast.ahead.is_some())))
    }

    /// A line in joint space, from which two parts stray by at most this, seen from each other.
    fn verdict(&self, checker: &Checker, line: &Motion, stray: f64) -> Result<Verdict, Error> {
        if stray == 0.0 {
            return checker.first_contact(line);
        }
        checker.with_larger_margin(stray * INFLATE).map_or(Ok(Verdict::Undecided { free_until: 0.0 }), |c| c.first_contact(line))
    }

    /// At least how far two parts stray from the motion between the ends of a step, seen from each other, because polynomials bend, and
    /// because their values are rounded: each part by as much as its levers make of it.
    fn stray(&self, step: &Step, line: &Motion, checker: &Checker, levers: &Levers) -> (f64, f64) {
        let (bends, roundings): (Vec<f64>, Vec<f64>) =
            (0..self.last.len()).map(|k| self.model.bend(k, step.from, step.to)).unzip();
        let reaches = checker.index().frame_reaches();
        (2.0 * levers.moved(line, &bends, &reaches), 2.0 * levers.moved(line, &roundings, &reaches))
    }

    fn at(&self, ahead: f64) -> Vec<f64> {
        (0..self.last.len()).map(|k| self.model.value(k, ahead)).collect()
    }

    /// By the joint that is least certain, for how fast all move.
    fn uncertainty(&self, a: &[f64], b: &[f64], step: &Step) -> f64 {
        let travel = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let deviation = (0..a.len()).map(|k| self.model.deviation(k, step.ahead(1.0))).fold(0.0, f64::max);
        uncertainty(deviation, if step.seconds() > 0.0 { travel / step.seconds() } else { f64::INFINITY })
    }
}

/// The levers of a cycle, found when first asked for.
fn levers_of<'a>(
    found: &'a mut Option<Levers>,
    values: &[f64],
    motion: &impl Fn(&[f64], &[f64]) -> Result<Motion, Error>,
) -> Result<&'a Levers, Error> {
    let levers = match found.take() {
        Some(levers) => levers,
        None => Levers::probe(values, motion)?,
    };
    Ok(found.insert(levers))
}
