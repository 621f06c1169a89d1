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

    /// Steps in time ahead of now, nearest first.
    pub(super) fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        let from = if self.reflex_steps > 0 { self.reflex } else { 0.0 };
        let soon = cut((Level::Reflex, 0.0, self.reflex), self.reflex_steps);
        soon.chain(cut((Level::Considered, from, self.considered), self.considered_steps))
    }
}

/// A step in n equal ones.
pub(super) fn cut((level, from, to): Step, n: u32) -> impl Iterator<Item = Step> {
    let at = move |i: u32| if i == n { to } else { from + (to - from) * f64::from(i) / f64::from(n) };
    (0..n).filter(move |_| to > from).map(move |i| (level, at(i), at(i + 1)))
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
    /// Time ran out before the horizon's end.
    pub cut_short: bool,
    /// Tests done.
    pub tests: u32,
}

/// A step in time ahead: its level, and from when to when.
pub(super) type Step = (Level, f64, f64);

/// A test of one step: at which part of it contact begins, if it does, and its uncertainty in seconds.
pub(super) type Tested = Option<(f64, f64)>;

/// Tests the step just done, then what is ahead, until something touches or the time is up. A test that has begun is finished.
pub(super) fn look_ahead(
    steps: impl IntoIterator<Item = Step>,
    budget: &Budget<'_>,
    started: f64,
    mut test: impl FnMut(Level, f64, f64) -> Result<Tested, Error>,
) -> Result<Forecast, Error> {
    let mut forecast = Forecast::default();
    for (level, from, to) in [(Level::Now, 0.0, 0.0)].into_iter().chain(steps) {
        if (budget.clock)() - started > budget.seconds {
            forecast.cut_short = true;
            return Ok(forecast);
        }
        forecast.tests += 1;
        if let Some((part, uncertainty)) = test(level, from, to)? {
            let ahead = from + (to - from) * part;
            return Ok(Forecast { level, ahead: Some(ahead), uncertainty: Some(uncertainty), reached: ahead, ..forecast });
        }
        forecast.reached = to;
    }
    Ok(forecast)
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
        let steps: Vec<_> = horizons.steps().collect();
        assert_eq!(steps.len(), 19);
        assert!(steps.windows(2).all(|w| w[0].2 == w[1].1 && w[0].1 < w[0].2));
        assert_eq!((steps[0].1, steps[9].2, steps[18].2), (0.0, 0.1, 1.0));
        assert!(steps[..10].iter().all(|s| s.0 == Level::Reflex) && steps[10..].iter().all(|s| s.0 == Level::Considered));
        assert!(Horizons { reflex: 2.0, ..horizons }.check().is_err());
        assert!(Horizons { considered: f64::NAN, ..horizons }.check().is_err());
        assert_eq!(
            Horizons { reflex_steps: 0, considered_steps: 1, ..horizons }.steps().next(),
            Some((Level::Considered, 0.0, 1.0))
        );
    }

    /// Every test takes one second of the test's own clock.
    #[test]
    fn time_is_kept_up_to_one_test_and_what_was_not_reached_is_said() {
        for seconds in [0.0, 0.5, 3.0, 7.5, 100.0] {
            let time = Cell::new(5.0);
            let clock = || time.get();
            let budget = Budget { seconds, clock: &clock };
            let found = look_ahead(Horizons::default().steps(), &budget, 5.0, |_, _, _| {
                time.set(time.get() + 1.0);
                Ok(None)
            });
            let forecast = found.expect("no error");
            assert!(time.get() - 5.0 <= seconds + 1.0, "{seconds}");
            assert_eq!(forecast.cut_short, seconds < 20.0);
            let reached =
                Horizons::default().steps().take((forecast.tests as usize).saturating_sub(1)).last().map_or(0.0, |s| s.2);
            assert_eq!((forecast.reached, forecast.level), (reached, Level::None));
        }
    }

    #[test]
    fn the_nearest_contact_ends_the_search() {
        let test = |level: Level, from: f64, _: f64| Ok((level == Level::Reflex && from > 0.045).then_some((0.5, 0.01)));
        let found = look_ahead(Horizons::default().steps(), &Budget::ENDLESS, 0.0, test).expect("no error");
        assert_eq!((found.level, found.tests, found.cut_short), (Level::Reflex, 7, false));
        assert!(found.ahead.is_some_and(|a| (a - 0.055).abs() < 1e-12) && found.uncertainty == Some(0.01));
    }
}
