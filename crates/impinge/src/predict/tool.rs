//! A tool in somebody's hand, and bodies that it may touch.

use std::sync::Arc;

use super::bodies::{Moved, rounding};
use super::horizon::{Budget, Forecast, Horizons, Leg, Level, Meeting, Step, Tested, look_ahead, uncertainty};
use super::polynomial::ModelOptions;
use super::pose::PoseModel;
use crate::Error;
use crate::deform::solids::Solid;
use crate::deform::tool::arc::{Chord, RigidArc};
use crate::deform::{Inside, Surface, Tool, ToolChecker, ToolOptions, ToolPath, Touch};
use crate::math::Pose;

/// Watches a tool: one call a cycle.
///
/// The tool goes from sample to sample as [`ToolOptions::path`] says, then to where the model sees the present, on the arc between the two,
/// then along the model's polynomials. No contact of any of these is missed; a contact is told where the tool comes within the margin and
/// the tolerance.
#[derive(Clone, Debug)]
pub struct ToolWatch {
    model: PoseModel,
    checker: ToolChecker,
    path: ToolPath,
    horizons: Horizons,
    tolerance: f64,
    /// What does not change about bodies.
    solids: Vec<Solid>,
    /// Nothing was inside of anything, nor touched, when the last step ended.
    clear: bool,
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
    /// The tool is wholly inside that body, or that inside the tool, when the step between the last two samples begins; 0 is the tool, 1 the body.
    pub contained: Option<Inside>,
    /// The first contact itself; none where something is contained, nor where it is not proven that the tool passes by, nor that it touches. Its time is a share of the step
    /// between the last two samples at [`Level::Now`], and in seconds ahead otherwise.
    pub first: Option<Touch>,
}

/// The tolerance by default, in sizes of the tool; and that of the step that was observed, in tolerances.
const TOLERANCE: f64 = 1e-3;
const OBSERVED: f64 = 0.1;
/// The longest way of one close test, in sizes of the tool: so one test is never much work; and pieces that a longer one is cut into at most.
const LONGEST: f64 = 0.15;
const MOST_PIECES: f64 = 16.0;
/// The largest bend of a piece that is taken as a whole when triangles near the path are gathered, in sizes of the tool; and pieces at most.
const NEAR_BEND: f64 = 0.1;
const NEAR_PIECES: f64 = 8.0;

impl ToolWatch {
    /// Nothing observed yet. Of each step the first contact is looked for, whatever the options say.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(tool: impl Into<Arc<Tool>>, options: ToolOptions, model: ModelOptions, horizons: Horizons) -> Result<Self, Error> {
        horizons.check()?;
        let checker = ToolChecker::new(tool, ToolOptions { all: false, ..options })?;
        let tolerance = TOLERANCE * checker.tool().reach();
        Ok(ToolWatch {
            model: PoseModel::new(model)?,
            checker,
            path: options.path,
            horizons,
            tolerance,
            solids: vec![],
            clear: false,
        })
    }

    /// Holds degrees of freedom where they are, see [`PoseModel::holding`].
    #[must_use]
    pub fn holding(self, held: [bool; 6]) -> Self {
        ToolWatch { model: self.model.holding(held), ..self }
    }

    /// How far a piece of the predicted path that is called a contact may bend, metres; 1e-3 of the tool's reach by default. A contact is
    /// told where the tool comes within the margin and twice this; a tenth of it for the step between two samples. Smaller values cost
    /// more tests.
    ///
    /// # Errors
    /// If it is not positive and finite.
    pub fn with_tolerance(self, tolerance: f64) -> Result<Self, Error> {
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(Error::invalid("tolerance", format!("{tolerance} is not positive and finite")));
        }
        Ok(ToolWatch { tolerance, ..self })
    }

    /// For bodies whose vertices are off by up to `error`, see [`ToolChecker::bodies_within`].
    ///
    /// # Errors
    /// If the error is negative or not finite.
    pub fn bodies_within(self, error: f64) -> Result<Self, Error> {
        Ok(ToolWatch { checker: self.checker.bodies_within(error)?, ..self })
    }

    /// The model of the motion.
    pub fn model(&self) -> &PoseModel {
        &self.model
    }

    /// Takes in where the tool is, tests the step since the last pose, and looks ahead. A body whose vertices are given at two instants moves
    /// from the one to the other during that step; ahead, bodies rest where they are at the end of it. A body goes on from where it was; only
    /// at first, after a contact, and when there are more or fewer bodies than before is it asked whether anything is inside of a solid. Never
    /// takes longer than the budget and one test; one pass over the bodies is part of the first, and finding out which of them are closed
    /// where they are around the tool or inside of it.
    ///
    /// # Errors
    /// If the time is not after the last one, a number is not finite, a rotation is none, or a body's triangle refers to a vertex that is
    /// not there.
    pub fn cycle(&mut self, time: f64, pose: &Pose, bodies: &[Surface<'_>], budget: &Budget<'_>) -> Result<ToolForecast, Error> {
        let started = (budget.clock)();
        let last = self.model.now().map_or(*pose, |(_, pose)| pose);
        let observed = RigidArc::between(&last, pose)?;
        self.model.observe(time, pose)?;
        let legs = Legs { observed, corrected: RigidArc::between(pose, &self.model.pose(0.0))? };
        let steps = self.horizons.steps();
        let mut near = Near::default();
        let mut found = ToolForecast::default();
        // What is apart does not get inside without touching; bodies that were not there may be anywhere.
        let inside_known = self.clear && self.solids.len() == bodies.len();
        self.clear = false;
        found.forecast = look_ahead(&steps, budget, started, |step| {
            if step.leg == Leg::Corrected && legs.corrected.rests() {
                return Ok(Tested::Free);
            }
            let near = near.get(self, step.level, &legs, &steps, bodies)?;
            let tested = self.test(step, &legs, bodies, near, &mut found)?;
            // Surfaces that meet at the start say more.
            let later = match tested {
                Tested::Free => true,
                Tested::Contact(met) => met.share > 0.0 || found.first.is_none(),
                Tested::Unclear { .. } => false,
            };
            if later
                && step.leg == Leg::Observed
                && step.from == 0.0
                && !inside_known
                && self.contained(&last, bodies, &mut found)?
            {
                return Ok(Tested::Contact(Meeting { share: 0.0, uncertainty: 0.0 }));
            }
            Ok(tested)
        })?;
        // What was suspected and turned out to be free is not told.
        let forecast = found.forecast;
        self.clear = forecast.present_known && forecast.level != Level::Now;
        Ok(if forecast.ahead.is_some() { found } else { ToolForecast { forecast, ..ToolForecast::default() } })
    }

    /// Whether the tool is inside of a body, or a body inside of it, where surfaces do not meet; a step begins there.
    fn contained(&mut self, at: &Pose, bodies: &[Surface<'_>], found: &mut ToolForecast) -> Result<bool, Error> {
        self.solids.resize_with(bodies.len(), Solid::default);
        for (i, (body, solid)) in bodies.iter().zip(&mut self.solids).enumerate() {
            let inside = self.checker.contained_in(at, body, solid)?;
            if inside.is_some() {
                *found = ToolForecast { body: Some(i), contained: inside, ..ToolForecast::default() };
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A step as lines of vertices, and how far the tool strays from them.
    fn chord(&self, step: &Step, legs: &Legs) -> Chord {
        let reach = self.checker.tool().reach();
        match step.leg {
            Leg::Observed => legs.observed.chord(step.from, step.to, reach),
            Leg::Corrected => legs.corrected.chord(step.from, step.to, reach),
            Leg::Predicted => self.model.chord(step.from, step.to, reach),
        }
    }

    /// One step against all bodies, of which only some triangles are near.
    fn test(
        &mut self,
        step: &Step,
        legs: &Legs,
        bodies: &[Surface<'_>],
        near: &[Vec<u32>],
        found: &mut ToolForecast,
    ) -> Result<Tested, Error> {
        if near.iter().all(Vec::is_empty) {
            return Ok(Tested::Free);
        }
        let mut chord = self.chord(step, legs);
        let mut divides = step.divides();
        if step.leg == Leg::Observed && self.path == ToolPath::Lines {
            (chord.bend, chord.rounding, divides) = (0.0, 0.0, false);
        }
        if !chord.is_in_range() {
            return Ok(if divides { unclear(2) } else { UNKNOWN });
        }
        chord.rounding += bodies.iter().map(|body| rounding(body, step)).fold(0.0, f64::max);
        self.checker.sweep_near_lines(&chord.from, &chord.to, chord.stray())?;
        let mut moved = Moved::default();
        let pieces = self.pieces(step, &chord);
        let tolerance = self.tolerance * if step.leg == Leg::Observed { OBSERVED } else { 1.0 };
        let mut first: Option<Meeting> = None;
        for (i, (body, near)) in bodies.iter().zip(near).enumerate() {
            let body = &moved.during(body, step);
            if !self.checker.list_among(body, near)? {
                continue;
            }
            if divides && pieces > 1 {
                return Ok(unclear(pieces));
            }
            // A step begins where one ended that touches nothing, but for the first of all.
            let (answer, listed) = self.checker.first_contact_listed(body, step.leg == Leg::Observed && step.from == 0.0)?;
            let share = answer.free_until();
            if answer.is_free() || first.is_some_and(|met| met.share <= share) {
                continue;
            }
            (found.body, found.triangles) = (Some(i), listed.to_vec());
            found.first = answer.first().map(|touch| Touch { time: (step.at(touch.time.0), step.at(touch.time.1)), ..*touch });
            let deviation = self.model.deviation(step.ahead(1.0), self.checker.tool().reach());
            let uncertainty = uncertainty(deviation, speed(&chord, step.seconds(), answer.first()));
            first = Some(Meeting { share, uncertainty });
            if divides && chord.bend > tolerance {
                return Ok(Tested::Unclear { pieces: 2, suspected: first });
            }
        }
        Ok(first.map_or(Tested::Free, Tested::Contact))
    }

    /// In how many pieces a step is tested closely: more than one where a test of all of it would be much work, or tell little because of the
    /// bend. What was observed is tested however far it goes: the present must be known.
    fn pieces(&self, step: &Step, chord: &Chord) -> u32 {
        let [a, b] = [chord.from, chord.to].map(|pose| self.checker.tool().box_corners(&pose));
        let travel = a.iter().zip(b).fold(0.0, |m: f64, (&p, q)| m.max((q - p).max_abs()));
        let ahead = if step.leg == Leg::Observed { 0.0 } else { travel };
        ((ahead + 8.0 * chord.bend) / (LONGEST * self.checker.tool().reach())).ceil().clamp(1.0, MOST_PIECES) as u32
    }
}

/// Nothing is known about a step, and it is not cut any more.
const UNKNOWN: Tested = Tested::Contact(Meeting { share: 0.0, uncertainty: f64::INFINITY });

/// Nothing is known about a step as a whole.
fn unclear(pieces: u32) -> Tested {
    Tested::Unclear { pieces, suspected: None }
}

/// The parts of the path that are arcs: from sample to sample, and on to where the model sees the present.
struct Legs {
    observed: RigidArc,
    corrected: RigidArc,
}

/// How fast the tool moves where it touches, or where it is: the faster.
fn speed(chord: &Chord, seconds: f64, touch: Option<&Touch>) -> f64 {
    let Chord { from, to, .. } = chord;
    let of_origin = (to.translation - from.translation).norm();
    let of_point = touch.map_or(0.0, |t| (to.apply(from.inverse().apply(t.point)) - t.point).norm());
    if seconds > 0.0 { of_origin.max(of_point) / seconds } else { f64::INFINITY }
}

/// The triangles of each body that the path of the tool comes near: found in one pass over the bodies, when first asked for.
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
        legs: &Legs,
        steps: &[Step],
        bodies: &[Surface<'_>],
    ) -> Result<&[Vec<u32>], Error> {
        if !self.found {
            let Places { poses, stray, soon } = Places::of(watch, legs, steps);
            for body in bodies {
                let far = watch.checker.near_any(&poses, stray, body, None)?;
                self.soon.push(watch.checker.near_any(&poses[..soon.0], soon.1, body, Some(&far))?);
                self.ever.push(far);
            }
            self.found = true;
        }
        Ok(if level == Level::Considered { &self.ever } else { &self.soon })
    }
}

/// Places of the tool along its path, and at least how far it strays from lines between them; how many places, and how far, until the reflex
/// horizon.
struct Places {
    poses: Vec<Pose>,
    stray: f64,
    soon: (usize, f64),
}

impl Places {
    fn of(watch: &ToolWatch, legs: &Legs, steps: &[Step]) -> Places {
        let mut places = Places { poses: Vec::new(), stray: 0.0, soon: (0, 0.0) };
        let most = NEAR_BEND * watch.checker.tool().reach();
        for step in steps {
            let whole = watch.chord(step, legs);
            let pieces = (whole.bend / most).sqrt().ceil().clamp(1.0, NEAR_PIECES) as u32;
            if pieces > 1 {
                step.pieces(pieces).for_each(|piece| places.add(&watch.chord(&piece, legs)));
            } else {
                places.add(&whole);
            }
            if step.level != Level::Considered {
                places.soon = (places.poses.len(), places.stray);
            }
        }
        places
    }

    fn add(&mut self, chord: &Chord) {
        let begins = if self.poses.last() == Some(&chord.from) { None } else { Some(chord.from) };
        self.poses.extend(begins.into_iter().chain([chord.to]));
        // What is not a number must not get lost.
        self.stray = if chord.stray() <= self.stray { self.stray } else { chord.stray() };
    }
}
