//! Passes over all motions of a set, timed as a whole, and their medians.

use std::time::Instant;

use impinge::query::Checker;
use impinge::scene::Motion;
use impinge::{Error, Verdict};

/// Seconds of each round.
#[derive(Clone, Debug, Default)]
pub struct Rounds(Vec<f64>);

impl Rounds {
    /// Adds a round.
    pub fn push(&mut self, seconds: f64) {
        self.0.push(seconds);
    }

    /// Median over rounds, in microseconds for each of `n` pieces of work; `None` without rounds.
    pub fn microseconds(&self, n: usize) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median = match sorted.len() {
            0 => return None,
            odd if odd % 2 == 1 => sorted[middle],
            _ => 0.5 * (sorted[middle - 1] + sorted[middle]),
        };
        Some(median * 1e6 / n as f64)
    }
}

/// Which question is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Is there any contact?
    Any,
    /// Which contact is the first?
    First,
}

/// Passes over `n` motions in one round, so that a round is long against the clock and against waking up.
pub fn repeats(n: usize) -> usize {
    (400 / n.max(1)).max(1)
}

/// Makes and asks every motion, once untimed so that caches are warm, then again for the time. Returns the seconds of a pass and the
/// verdicts.
pub fn passes(
    checker: &Checker,
    n: usize,
    ask: Ask,
    motion: impl Fn(usize) -> Result<Motion, Error>,
) -> Result<(f64, Vec<Verdict>), Error> {
    let pass = || {
        let mut verdicts = Vec::with_capacity(n);
        for i in 0..n {
            let motion = motion(i)?;
            verdicts.push(match ask {
                Ask::Any => checker.check(&motion),
                Ask::First => checker.first_contact(&motion),
            });
        }
        Ok(verdicts)
    };
    let mut verdicts: Vec<Verdict> = pass()?;
    let repeats = repeats(n);
    let begin = Instant::now();
    for _ in 0..repeats {
        verdicts = pass()?;
    }
    Ok((begin.elapsed().as_secs_f64() / repeats as f64, verdicts))
}
