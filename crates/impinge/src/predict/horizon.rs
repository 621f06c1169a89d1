//! When to look: fine steps soon, coarse ones later, the nearest first, as long as the time lasts.
//!
//! ```text
//!   last   now      0.1 s (reflex)                                  1 s (considered)
//!    |------|-|-|-|-|-|------|------|------|------|------|------|------|
//!      now    reflex: what the hand does by itself      considered: what one has time to think about
//! ```

use crate::Error;

/// How near a contact is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// None is foreseen.
    #[default]
    None,
    /// Within the considered horizon: there is time to think.
    Considered,
    /// Within the reflex horizon.
    Reflex,
    /// Between the last pose and this one.
    Now,
}

/// How far ahead is looked, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Horizons {
    /// The reflex horizon.
    pub reflex: f64,
    /// Steps within it.
    pub reflex_steps: u32,
    /// The considered horizon, from now.
    pub considered: f64,
    /// Steps from the one to the other.
    pub considered_steps: u32,
}

impl Default for Horizons {
    fn default() -> Self {
        Horizons { reflex: 0.1, reflex_steps: 10, considered: 1.0, considered_steps: 9 }
    }
}

impl Horizons {
    pub(super) fn check(&self) -> Result<(), Error> {
        if !(self.reflex >= 0.0 && self.considered >= self.reflex && self.considered.is_finite()) {
            let what = format!("{} and {} s: the considered one must not be before the reflex one", self.reflex, self.considered);
            return Err(Error::invalid("horizons", what));
        }
        if self.reflex_steps.max(self.considered_steps) > 10_000 {
            return Err(Error::invalid("horizons", "more than 10,000 steps"));
        }
        Ok(())
    }

    /// What a cycle tests, in the order of time: the step that was observed, from there to where the model sees the present, and what is
    /// predicted.
    pub(super) fn steps(&self) -> Vec<Step> {
        let from = if self.reflex_steps > 0 { self.reflex } else { 0.0 };
        let soon = cut(Level::Reflex, 0.0, self.reflex, self.reflex_steps);
        let ahead: Vec<Step> = soon.chain(cut(Level::Considered, from, self.considered, self.considered_steps)).collect();
        let whole = |level, leg| Step { level, leg, from: 0.0, to: 1.0, halvings: 0 };
        let correction = ahead.first().map(|first| whole(first.level, Leg::Corrected));
        [whole(Level::Now, Leg::Observed)].into_iter().chain(correction).chain(ahead).collect()
    }
}

/// A span of time ahead in n equal steps.
fn cut(level: Level, from: f64, to: f64, n: u32) -> impl Iterator<Item = Step> {
    let at = move |i: u32| if i == n { to } else { from + (to - from) * f64::from(i) / f64::from(n) };
    let step = move |i: u32| Step { level, leg: Leg::Predicted, from: at(i), to: at(i + 1), halvings: 0 };
    (0..n).filter(move |_| to > from).map(step)
}

/// Which part of the path a step belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leg {
    /// From the sample before the last to the last.
    Observed,
    /// From the last sample to where the model, which smooths, sees the present.
    Corrected,
    /// Along the polynomials.
    Predicted,
}

/// A part of the path that is tested at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    pub level: Level,
    pub leg: Leg,
    /// Where it begins and ends: shares of the leg, or seconds ahead where it is predicted.
    pub from: f64,
    pub to: f64,
    halvings: u32,
}

/// How often a step is halved at most: by then it bends less by a factor of 2^40.
const MOST_HALVINGS: u32 = 20;

impl Step {
    /// Where a share of this step is, in what `from` and `to` count.
    pub fn at(&self, share: f64) -> f64 {
        self.from + (self.to - self.from) * share
    }

    /// Seconds from now to a share of this step.
    pub fn ahead(&self, share: f64) -> f64 {
        if self.leg == Leg::Predicted { self.at(share) } else { 0.0 }
    }

    /// How long it takes; nothing where it is not predicted.
    pub fn seconds(&self) -> f64 {
        if self.leg == Leg::Predicted { self.to - self.from } else { 0.0 }
    }

    /// Whether it may be cut: not when that was done often.
    pub fn divides(&self) -> bool {
        let middle = self.at(0.5);
        self.halvings < MOST_HALVINGS && self.from < middle && middle < self.to
    }

    /// Nothing is known about it; of halves of what is predicted more may be, as long as it may be cut.
    pub fn unknown(&self) -> Tested {
        if self.leg == Leg::Predicted && self.divides() {
            Tested::Unclear { pieces: 2, suspected: None }
        } else {
            Tested::Contact(Meeting { share: 0.0, uncertainty: f64::INFINITY })
        }
    }

    /// In n equal steps, the first one first.
    pub fn pieces(&self, n: u32) -> impl DoubleEndedIterator<Item = Step> {
        let n = n.max(1);
        let whole = Step { halvings: self.halvings + n.next_power_of_two().ilog2(), ..*self };
        let at = move |i: u32| if i == n { whole.to } else { whole.at(f64::from(i) / f64::from(n)) };
        (0..n).map(move |i| Step { from: at(i), to: at(i + 1), ..whole })
    }
}

/// The time a cycle may take, by a clock of the caller's.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Seconds; infinite for no limit.
    pub seconds: f64,
    /// Tells seconds from any beginning.
    pub clock: &'a dyn Fn() -> f64,
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget").field("seconds", &self.seconds).finish_non_exhaustive()
    }
}

impl Budget<'_> {
    /// No limit.
    pub const ENDLESS: Budget<'static> = Budget { seconds: f64::INFINITY, clock: &|| 0.0 };
}

/// What a cycle found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Forecast {
    /// How near the first contact is.
    pub level: Level,
    /// Seconds from now to the first contact, at the earliest: before it the predicted motion is proven free, as far as `reached`.
    pub ahead: Option<f64>,
    /// One standard deviation of that, seconds; infinite where the prediction stands still.
    pub uncertainty: Option<f64>,
    /// Seconds ahead that were looked at: until the contact, or the whole horizon, or as far as time allowed.
    pub reached: f64,
    /// Time ran out before the horizon's end, and no contact was suspected. One that was is told as a contact, though a finer look might
    /// have shown that the path passes by.
    pub cut_short: bool,
    /// Tests done.
    pub tests: u32,
    /// The step between the last two samples was tested to its end, or to its first contact. If not, time ran out before, and nothing is
    /// known about the present.
    pub present_known: bool,
}

/// What a test of one step finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Tested {
    /// Proven: nothing is touched.
    Free,
    /// Contact, or nothing proven, from some share of the step on.
    Contact(Meeting),
    /// Not free as far as is known: so many pieces of it bend less and tell more. What they may find, if that is known.
    Unclear { pieces: u32, suspected: Option<Meeting> },
}

/// A contact in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Meeting {
    /// Nothing is touched before this share of the step.
    pub share: f64,
    /// Standard deviation of when it is, seconds.
    pub uncertainty: f64,
}

/// Tests of one cycle at most, whatever the budget: where the model sees the tool fly off, the nearest of what is ahead.
const MOST_TESTS: u32 = 1000;

/// Tests steps in the order of time, pieces of those that are unclear, until something touches or the time is up. A test that has begun
/// is finished. A contact ahead that is suspected when the time is up is told as one.
pub(super) fn look_ahead(
    steps: &[Step],
    budget: &Budget<'_>,
    started: f64,
    mut test: impl FnMut(&Step) -> Result<Tested, Error>,
) -> Result<Forecast, Error> {
    let mut forecast = Forecast::default();
    let mut suspected: Option<(Step, Meeting)> = None;
    let mut left: Vec<Step> = steps.iter().rev().copied().collect();
    while let Some(step) = left.pop() {
        if forecast.tests >= MOST_TESTS || (budget.clock)() - started > budget.seconds {
            let ahead = suspected.filter(|(of, _)| of.leg == Leg::Predicted);
            return Ok(ahead.map_or(Forecast { cut_short: true, ..forecast }, |(of, met)| forecast.with(&of, met)));
        }
        forecast.tests += 1;
        match test(&step)? {
            Tested::Free => {
                forecast.reached = step.ahead(1.0);
                suspected = suspected.filter(|(of, _)| of.leg == step.leg && step.to < of.to);
            }
            Tested::Unclear { pieces, suspected: found } => {
                suspected = found.map(|met| (step, met)).or(suspected);
                left.extend(step.pieces(pieces).rev());
            }
            Tested::Contact(met) => return Ok(forecast.with(&step, met)),
        }
        forecast.present_known = left.last().is_none_or(|next| next.leg != Leg::Observed);
    }
    Ok(forecast)
}

impl Forecast {
    /// With a contact in a step: not before what was reached.
    fn with(self, step: &Step, met: Meeting) -> Forecast {
        let ahead = step.ahead(met.share).max(self.reached);
        let uncertainty = Some(met.uncertainty);
        Forecast { level: step.level, ahead: Some(ahead), uncertainty, reached: ahead, present_known: true, ..self }
    }
}

/// The uncertainty of a time, from that of a place and the speed at which it is passed.
pub(super) fn uncertainty(deviation: f64, speed: f64) -> f64 {
    if deviation == 0.0 { 0.0 } else { deviation / speed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn steps_join_and_end_where_they_should() {
        let horizons = Horizons::default();
        let all = horizons.steps();
        assert_eq!((all[0].leg, all[1].leg, all[1].level), (Leg::Observed, Leg::Corrected, Level::Reflex));
        let steps = &all[2..];
        assert_eq!(steps.len(), 19);
        assert!(steps.windows(2).all(|w| w[0].to == w[1].from && w[0].from < w[0].to));
        assert_eq!((steps[0].from, steps[9].to, steps[18].to), (0.0, 0.1, 1.0));
        assert!(steps[..10].iter().all(|s| s.level == Level::Reflex) && steps[10..].iter().all(|s| s.level == Level::Considered));
        assert!(Horizons { reflex: 2.0, ..horizons }.check().is_err());
        assert!(Horizons { considered: f64::NAN, ..horizons }.check().is_err());
        let one = Horizons { reflex_steps: 0, considered_steps: 1, ..horizons }.steps();
        assert_eq!((one[2].level, one[2].from, one[2].to), (Level::Considered, 0.0, 1.0));
        assert_eq!(Horizons { reflex_steps: 0, considered_steps: 0, ..horizons }.steps().len(), 1, "only what was observed");
    }

    #[test]
    fn pieces_join_and_come_to_an_end() {
        let step = Horizons::default().steps()[5];
        for n in [1, 2, 7, 16] {
            let pieces: Vec<Step> = step.pieces(n).collect();
            assert!(pieces.len() == n as usize && pieces.windows(2).all(|w| w[0].to == w[1].from));
            assert_eq!((pieces[0].from, pieces[n as usize - 1].to), (step.from, step.to));
        }
        for (n, cuts) in [(2, MOST_HALVINGS), (16, MOST_HALVINGS / 4)] {
            let first = |s: &Step| s.divides().then(|| s.pieces(n).next()).flatten();
            assert_eq!(std::iter::successors(Some(step), first).count() as u32, cuts + 1);
        }
    }

    /// Every test takes one second of the test's own clock.
    #[test]
    fn time_is_kept_up_to_one_test_and_what_was_not_reached_is_said() {
        let steps = Horizons::default().steps();
        for seconds in [0.0, 0.5, 3.0, 7.5, 100.0] {
            let time = Cell::new(5.0);
            let clock = || time.get();
            let budget = Budget { seconds, clock: &clock };
            let found = look_ahead(&steps, &budget, 5.0, |_| {
                time.set(time.get() + 1.0);
                Ok(Tested::Free)
            });
            let forecast = found.expect("no error");
            assert!(time.get() - 5.0 <= seconds + 1.0, "{seconds}");
            assert_eq!(forecast.cut_short, seconds < 21.0);
            let reached = steps[..forecast.tests as usize].last().map_or(0.0, |s| s.ahead(1.0));
            assert_eq!((forecast.reached, forecast.level, forecast.present_known), (reached, Level::None, true));
        }
        let late = Budget { seconds: -1.0, clock: &|| 0.0 };
        let none = look_ahead(&steps, &late, 0.0, |_| Ok(Tested::Free)).expect("no error");
        assert!(none.cut_short && !none.present_known && none.tests == 0);
    }

    #[test]
    fn the_nearest_contact_ends_the_search() {
        let test = |step: &Step| {
            let touches = step.leg == Leg::Predicted && step.from > 0.045;
            Ok(if touches { Tested::Contact(Meeting { share: 0.5, uncertainty: 0.01 }) } else { Tested::Free })
        };
        let found = look_ahead(&Horizons::default().steps(), &Budget::ENDLESS, 0.0, test).expect("no error");
        assert_eq!((found.level, found.tests, found.cut_short), (Level::Reflex, 8, false));
        assert!(found.ahead.is_some_and(|a| (a - 0.055).abs() < 1e-12) && found.uncertainty == Some(0.01));
    }

    /// Halves of an unclear step are tested one after the other, before what comes later; and not for ever.
    #[test]
    fn unclear_steps_are_halved_in_time_order() {
        let mut tested = Vec::new();
        let test = |step: &Step| {
            tested.push(*step);
            Ok(if step.seconds() > 0.004 { Tested::Unclear { pieces: 2, suspected: None } } else { Tested::Free })
        };
        let found = look_ahead(&Horizons::default().steps(), &Budget::ENDLESS, 0.0, test).expect("no error");
        assert!(found.reached == 1.0 && !found.cut_short);
        assert!(tested.windows(2).all(|w| w[0].leg != Leg::Predicted || w[0].to == w[1].from || w[0].from == w[1].from));
        let unclear =
            |step: &Step| Ok(if step.divides() { Tested::Unclear { pieces: 2, suspected: None } } else { Tested::Free });
        let found = look_ahead(&Horizons::default().steps(), &Budget::ENDLESS, 0.0, unclear).expect("no error");
        assert!(found.tests == MOST_TESTS && found.cut_short && !found.present_known);
    }

    /// A step is suspected, its first half is free, then the time is up: the contact is told, not before the end of that half. Not so for
    /// what was observed, nor where all of it turns out to be free.
    #[test]
    fn what_is_suspected_when_time_is_up_is_told() {
        let steps = Horizons::default().steps();
        let suspected = Some(Meeting { share: 0.25, uncertainty: 0.01 });
        let look = |leg: Leg, number: usize, tests: f64| {
            let time = Cell::new(0.0);
            let clock = || time.get();
            let test = |step: &Step| {
                time.set(time.get() + 1.0);
                let whole = *step == steps[number] && step.leg == leg;
                Ok(if whole { Tested::Unclear { pieces: 2, suspected } } else { Tested::Free })
            };
            look_ahead(&steps, &Budget { seconds: tests - 0.5, clock: &clock }, 0.0, test).expect("no error")
        };
        let told = look(Leg::Predicted, 2, 4.0);
        assert_eq!((told.level, told.ahead, told.cut_short), (Level::Reflex, Some(0.005), false));
        assert!(look(Leg::Predicted, 2, 3.0).ahead == Some(0.0025) && look(Leg::Predicted, 2, 5.0).cut_short);
        let observed = look(Leg::Observed, 0, 2.0);
        assert!(observed.cut_short && !observed.present_known && observed.ahead.is_none());
    }
}
