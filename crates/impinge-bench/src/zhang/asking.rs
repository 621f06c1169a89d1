//! Methods on the same motions, each with its times, verdicts and work.
//!
//! ```text
//! motions  0 1 2 3 4 5 6 7 8 9 …
//! all      * * * * * * * * * *       a slow method runs as many queries as fit into its time, spread over all: kinds of motions follow each
//! interval *     *   *     *         other, or alternate, so neither the first n nor every k-th would be a fair sample
//! ```

use std::sync::Arc;

use impinge::motion::RigidMotion;
use impinge::query::{Bound, Engine, FrontSession};
use impinge::scene::{BodyId, Motion};
use impinge::{Checker, Options, Scene, Verdict};

use crate::plot::Stroke;
use crate::rounds::{Rounds, turns};
use crate::{Outcome, clock};

/// Work limit of interval matrices: some seconds.
const MAX_WORK: u64 = 20_000_000;
/// The minimum number of queries of a slow method.
const LEAST: usize = 3;

/// A method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    From(Engine),
    /// From the front of the last query.
    Session,
    /// OBBs and interval matrices: the method of CONTACT, to which the paper compares.
    Interval,
}

/// All methods; the default first, then the reference of the comparison.
pub const WAYS: [(Way, &str); 5] = [
    (Way::From(Engine::Auto), "auto"),
    (Way::From(Engine::Sweep), "sweep"),
    (Way::From(Engine::Hulls), "hulls"),
    (Way::Session, "hulls, front kept"),
    (Way::Interval, "interval"),
];

impl Way {
    /// Tests whether it is the default.
    pub fn is_default(self) -> bool {
        self == WAYS[0].0
    }

    pub fn stroke(self) -> Stroke {
        match self {
            Way::From(_) => Stroke::Solid,
            Way::Session => Stroke::Dashed,
            Way::Interval => Stroke::Dotted,
        }
    }

    fn options(self) -> Options {
        match self {
            Way::From(engine) => Options::default().engine(engine),
            Way::Session => Options::default().engine(Engine::Hulls),
            Way::Interval => Options::default().bound(Bound::Interval).max_work(MAX_WORK),
        }
    }
}

/// Work of a first contact, or of many.
#[derive(Clone, Copy, Default)]
pub struct Work {
    /// Pairs of hulls or boxes compared; swept boxes computed.
    pub nodes: u64,
    /// Poses with a distance query, spans of single pairs, or intervals with a motion bound.
    pub steps: u64,
    /// Pairs of triangles decided exactly.
    pub exact: u64,
}

/// One motion, with its measurements.
pub struct Asked {
    /// Its index among all motions of the case.
    pub index: usize,
    motion: Motion,
    pub work: Work,
    pub first: Rounds,
    pub any: Rounds,
    /// The last verdict.
    pub verdict: Verdict,
}

/// One method on one case.
pub struct Cell {
    pub way: Way,
    pub name: &'static str,
    checker: Checker,
    /// In the order of the motions.
    pub asked: Vec<Asked>,
    /// Rounds over all first contacts.
    pub pass: Rounds,
}

impl Cell {
    /// Runs every query once, which counts the work. A slow method that needs more than `seconds` runs fewer queries.
    pub fn new(scene: &Arc<Scene>, (way, name): (Way, &'static str), motions: &[RigidMotion], seconds: f64) -> Outcome<Self> {
        let checker = Checker::new(scene.clone(), way.options())?;
        let body = scene.body("a").ok_or("no body")?;
        let asked = chosen(&checker, way, body, motions, seconds)?;
        Ok(Cell { way, name, checker, asked, pass: Rounds::default() })
    }

    /// Runs both queries on every motion; their order changes from motion to motion and from round to round.
    pub fn round(&mut self, round: usize) -> Outcome<()> {
        let (checker, mut kept) = (&self.checker, [FrontSession::new(&self.checker), FrontSession::new(&self.checker)]);
        let mut sum = 0.0;
        for asked in &mut self.asked {
            for question in turns(2, asked.index + round) {
                let motion = &asked.motion;
                let (seconds, verdict) = clock::timed(|| match (question, self.way) {
                    (0, Way::Session) => kept[0].first_contact(motion),
                    (0, _) => checker.first_contact(motion),
                    (_, Way::Session) => kept[1].check(motion),
                    (_, _) => checker.check(motion),
                });
                let verdict = verdict?;
                if question == 0 {
                    asked.first.push(seconds);
                    asked.verdict = verdict;
                    sum += seconds;
                } else {
                    asked.any.push(seconds);
                }
            }
        }
        self.pass.push(sum);
        Ok(())
    }

    /// Returns the work of all first contacts.
    pub fn work(&self) -> Work {
        self.asked.iter().map(|a| a.work).fold(Work::default(), |sum, work| Work {
            nodes: sum.nodes + work.nodes,
            steps: sum.steps + work.steps,
            exact: sum.exact + work.exact,
        })
    }

    /// Returns the mean number of advancement steps of a first contact; `None` if the method has none.
    pub fn steps(&self) -> Option<f64> {
        let steps = self.work().steps;
        (steps > 0).then(|| steps as f64 / self.asked.len() as f64)
    }

    /// Counts the verdicts that differ from those of another method for the same motions, which has all of them: another kind, or brackets
    /// farther apart than the time tolerance (a distance below the tolerance counts as contact).
    pub fn differences(&self, usual: &Cell) -> usize {
        let alike = |a: &Verdict, b: &Verdict| match (a, b) {
            (Verdict::Contact(a), Verdict::Contact(b)) => a.time.0 <= b.time.1 + 1e-9 && b.time.0 <= a.time.1 + 1e-9,
            (Verdict::Free, Verdict::Free) | (Verdict::Undecided { .. }, Verdict::Undecided { .. }) => true,
            _ => false,
        };
        self.asked.iter().filter(|a| !alike(&usual.asked[a.index].verdict, &a.verdict)).count()
    }
}

/// Returns all motions, or as many as a slow method completes in `seconds`, with their work.
fn chosen(checker: &Checker, way: Way, body: BodyId, motions: &[RigidMotion], seconds: f64) -> Outcome<Vec<Asked>> {
    let slow = way == Way::Interval;
    let order = if slow { spread(motions.len()) } else { (0..motions.len()).collect() };
    let mut front = (way == Way::Session).then(|| FrontSession::new(checker));
    let (begin, mut asked) = (clock::of_thread(), Vec::new());
    for index in order {
        if slow && asked.len() >= LEAST && clock::of_thread() - begin > seconds {
            break;
        }
        let motion = checker.scene().motion().rigid(body, motions[index]).build()?;
        let (verdict, work) = counted(checker, way, front.as_mut(), &motion)?;
        asked.push(Asked { index, motion, work, first: Rounds::default(), any: Rounds::default(), verdict });
    }
    asked.sort_by_key(|a| a.index);
    Ok(asked)
}

/// Returns a first contact and its work; with a front, from its last state.
fn counted(checker: &Checker, way: Way, front: Option<&mut FrontSession<'_>>, motion: &Motion) -> Outcome<(Verdict, Work)> {
    if way == Way::Interval {
        let (verdict, report) = checker.first_contact_reported(motion, &|| 0.0)?;
        let stage = report.stages[2].unwrap_or_default();
        return Ok((verdict, Work { nodes: stage.node_pairs, steps: stage.intervals, exact: 0 }));
    }
    let (verdict, tally) = match front {
        Some(front) => (front.first_contact(motion)?, front.tally()),
        None => checker.first_contact_counted(motion)?,
    };
    let steps = if way.is_default() { tally.pair_steps } else { tally.link_states };
    Ok((verdict, Work { nodes: tally.boxes, steps, exact: tally.pairs }))
}

/// Returns the numbers below `n` in an order of which every prefix is evenly spread: steps of the golden section, modulo `n`.
fn spread(n: usize) -> Vec<usize> {
    let gcd = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let golden = (0.618 * n as f64).round() as usize;
    let step = (golden..).find(|&step| step > 0 && gcd(step, n) == 1).unwrap_or(1);
    (0..n).map(|k| k * step % n.max(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_is_spread_over_all_motions() {
        for n in [0, 1, 2, 4, 100, 250, 400] {
            let order = spread(n);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..n), "{n}");
            for len in [10, 25, 50, 73].into_iter().filter(|len| *len <= n) {
                let share = |of: &dyn Fn(usize) -> bool| order[..len].iter().filter(|i| of(**i)).count() as f64 / len as f64;
                // Alternating kinds, and consecutive kinds, as in the benchmarks.
                assert!((share(&|i| i % 2 == 0) - 0.5).abs() <= 0.2, "{n}, {len}");
                assert!((share(&|i| 5 * i < 2 * n) - 0.4).abs() <= 0.11, "{n}, {len}");
            }
        }
    }
}
