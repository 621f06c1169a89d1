//! Passes over all motions of a set, timed as a whole: their median, their spread and their order.
//!
//! ```text
//! turns of 3: round 0: 0 1 2 · round 1: 2 1 0 · 2: 1 2 0 · 3: 0 2 1 · 4: 2 0 1 · 5: 1 0 2 · 6: as 0
//! ```
//! Later participants find warm caches. So none is always first, and none always follows the same one.

use impinge::query::Checker;
use impinge::scene::Motion;
use impinge::{Error, Verdict};

use crate::clock;

/// Returns the numbers below `n` in the order of a round: reversed in every second round, rotated by one in every second pair of rounds.
pub fn turns(n: usize, round: usize) -> impl Iterator<Item = usize> {
    let place = move |k: usize| if round.is_multiple_of(2) { k } else { n - 1 - k };
    (0..n).map(move |k| (place(k) + round / 2) % n)
}

/// Seconds of each round.
#[derive(Clone, Debug, Default)]
pub struct Rounds(Vec<f64>);

impl Rounds {
    /// Adds a round.
    pub fn push(&mut self, seconds: f64) {
        self.0.push(seconds);
    }

    /// Returns the median over rounds in seconds; `None` without rounds.
    pub fn median(&self) -> Option<f64> {
        let sorted = self.sorted();
        let middle = sorted.len() / 2;
        match sorted.len() {
            0 => None,
            odd if odd % 2 == 1 => Some(sorted[middle]),
            _ => Some(0.5 * (sorted[middle - 1] + sorted[middle])),
        }
    }

    /// Returns the median over rounds, in microseconds for each of `n` pieces of work; `None` without rounds or work.
    pub fn microseconds(&self, n: usize) -> Option<f64> {
        self.median().filter(|_| n > 0).map(|seconds| seconds * 1e6 / n as f64)
    }

    /// Returns the interquartile range, in percent of the median; `None` for fewer than two rounds.
    pub fn spread(&self) -> Option<f64> {
        let (sorted, median) = (self.sorted(), self.median()?);
        let quartile = |share: f64| sorted[(share * (sorted.len() - 1) as f64).round() as usize];
        (sorted.len() > 1 && median > 0.0).then(|| 100.0 * (quartile(0.75) - quartile(0.25)) / median)
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }
}

/// One of the two queries, over all motions of a set.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Its rounds.
    pub rounds: Rounds,
    /// Its last verdicts.
    pub verdicts: Vec<Verdict>,
}

/// Both queries: any contact, and the first contact.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// Any contact.
    pub any: Asked,
    /// The first contact.
    pub first: Asked,
}

impl Questions {
    /// Runs a round of one of both queries over `n` motions, each newly built: 0 any contact, 1 the first.
    pub fn round(
        &mut self,
        which: usize,
        checker: &Checker,
        n: usize,
        motion: impl Fn(usize) -> Result<Motion, Error>,
    ) -> Result<(), Error> {
        match which {
            0 => self.any.round(n, |i| checker.check(&motion(i)?)),
            _ => self.first.round(n, |i| checker.first_contact(&motion(i)?)),
        }
    }
}

/// Runs an untimed pass and then a timed pass, so that all are measured with warm caches.
pub fn warm<T>(pass: impl Fn() -> T) -> (f64, T) {
    pass();
    clock::timed(pass)
}

/// Returns the number of passes over `n` motions in one round, so that a round is long compared with the resolution of the clock.
pub fn repeats(n: usize) -> usize {
    (400 / n.max(1)).max(1)
}

impl Asked {
    /// Queries every motion, once untimed to warm the caches, then again timed.
    fn round(&mut self, n: usize, ask: impl Fn(usize) -> Result<Verdict, Error>) -> Result<(), Error> {
        let pass = || (0..n).map(&ask).collect::<Result<Vec<_>, _>>();
        self.verdicts = pass()?;
        let begin = clock::of_thread();
        for _ in 0..repeats(n) {
            self.verdicts = pass()?;
        }
        self.rounds.push((clock::of_thread() - begin) / repeats(n) as f64);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_hold_everybody_and_prefer_nobody() {
        assert_eq!((turns(0, 3).count(), turns(1, 3).collect::<Vec<_>>()), (0, vec![0]));
        for n in 2..8 {
            let rounds: Vec<Vec<usize>> = (0..2 * n).map(|round| turns(n, round).collect()).collect();
            for k in 0..n {
                assert!(rounds.iter().all(|order| order.contains(&k)));
                for place in 0..n {
                    assert_eq!(rounds.iter().filter(|order| order[place] == k).count(), 2, "{k} at {place} of {n}");
                }
            }
        }
        let three: std::collections::BTreeSet<Vec<usize>> = (0..6).map(|round| turns(3, round).collect()).collect();
        assert_eq!(three.len(), 6, "all permutations of three");
    }

    #[test]
    fn one_slow_round_changes_neither_median_nor_spread_much() {
        let mut rounds = Rounds::default();
        assert_eq!((rounds.median(), rounds.spread(), rounds.microseconds(1)), (None, None, None));
        [2.0, 1.0, 100.0, 2.0, 3.0].into_iter().for_each(|s| rounds.push(s));
        assert_eq!((rounds.median(), rounds.spread()), (Some(2.0), Some(50.0)));
        assert_eq!(rounds.microseconds(4), Some(5e5));
    }
}
