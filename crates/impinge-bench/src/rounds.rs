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

    /// The best round, in microseconds for each of `n` pieces of work: what disturbs a machine only ever makes it slower.
    pub fn best(&self, n: usize) -> Option<f64> {
        self.0.iter().copied().reduce(f64::min).map(|seconds| seconds * 1e6 / n as f64)
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

/// One of the two questions, asked about all motions of a set.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Its times.
    pub rounds: Rounds,
    /// Its last answers.
    pub verdicts: Vec<Verdict>,
}

/// Both questions: is there any contact, and which is the first?
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// Any contact.
    pub any: Asked,
    /// The first contact.
    pub first: Asked,
}

impl Questions {
    /// A round of both over `n` motions, each made anew.
    pub fn round(&mut self, checker: &Checker, n: usize, motion: impl Fn(usize) -> Result<Motion, Error>) -> Result<(), Error> {
        self.any.round(n, |i| checker.check(&motion(i)?))?;
        self.first.round(n, |i| Ok(checker.first_contact(&motion(i)?)?))
    }
}

/// Passes over `n` motions in one round, so that a round is long against the clock and against waking up.
pub fn repeats(n: usize) -> usize {
    (400 / n.max(1)).max(1)
}

impl Asked {
    /// Asks about every motion, once untimed so that caches are warm, then again for the time.
    fn round(&mut self, n: usize, ask: impl Fn(usize) -> Result<Verdict, Error>) -> Result<(), Error> {
        let pass = || (0..n).map(&ask).collect::<Result<Vec<_>, _>>();
        self.verdicts = pass()?;
        let begin = Instant::now();
        for _ in 0..repeats(n) {
            self.verdicts = pass()?;
        }
        self.rounds.push(begin.elapsed().as_secs_f64() / repeats(n) as f64);
        Ok(())
    }
}
