//! Times of first contacts with different methods, measured in turns.

use impinge::Verdict;
use impinge::query::{Checker, Report};
use impinge::scene::{Motion, RobotId};

use super::queries::{Queries, Step};
use super::scenes::Site;
use super::ways::Way;
use crate::rounds::{Rounds, turns};
use crate::{Outcome, clock};

/// The verdict of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// A contact.
    Colliding,
    /// Free.
    Free,
}

impl Outlook {
    /// Both kinds, in the order of the paper.
    pub const BOTH: [Outlook; 2] = [Outlook::Colliding, Outlook::Free];

    /// Returns the word of the paper.
    pub fn word(self) -> &'static str {
        match self {
            Outlook::Colliding => "COL",
            Outlook::Free => "NO-COL",
        }
    }

    /// Returns the queries of this kind.
    pub fn of(self, queries: &Queries) -> &[Step] {
        match self {
            Outlook::Colliding => &queries.colliding,
            Outlook::Free => &queries.free,
        }
    }
}

/// A method, prepared for a site.
#[derive(Debug)]
pub struct Asker {
    /// The method.
    pub way: Way,
    checker: Checker,
    robot: RobotId,
}

impl Asker {
    /// Builds the checker.
    pub fn new(site: &Site, way: Way) -> Outcome<Self> {
        Ok(Asker { way, checker: Checker::new(site.scene.clone(), way.options())?, robot: site.robot })
    }

    fn motion(&self, (from, to): &Step) -> Outcome<Motion> {
        Ok(self.checker.scene().motion().joint_line(self.robot, from, to).build()?)
    }

    /// Runs one query and returns its CPU seconds.
    pub fn seconds(&self, step: &Step) -> Outcome<f64> {
        let (seconds, answer) = clock::timed(|| self.ask(step));
        answer.map(|_| seconds)
    }

    fn ask(&self, step: &Step) -> Outcome<Verdict> {
        Ok(self.checker.first_contact(&self.motion(step)?)?)
    }

    fn ask_reported(&self, step: &Step, clock: &dyn Fn() -> f64) -> Outcome<Report> {
        Ok(self.checker.first_contact_reported(&self.motion(step)?, clock)?.1)
    }
}

/// One cell of a table: a method on queries of one kind.
#[derive(Debug)]
pub struct Timing<'a> {
    asker: &'a Asker,
    outlook: Outlook,
    steps: &'a [Step],
    undecided: usize,
    /// Seconds of the first pass, with cold caches.
    cold: f64,
    /// Passes over all queries, as a whole and by stages.
    total: Rounds,
    stages: [Rounds; 3],
}

impl<'a> Timing<'a> {
    /// Runs every query once with cold caches, after one query that builds all lazily built data.
    ///
    /// # Errors
    /// If a verdict contradicts the construction of the path.
    pub fn new(asker: &'a Asker, steps: &'a [Step], outlook: Outlook) -> Outcome<Self> {
        steps.first().map(|step| asker.ask(step)).transpose()?;
        let (cold, verdicts) = clock::timed(|| steps.iter().map(|step| asker.ask(step)).collect::<Outcome<Vec<_>>>());
        let mut undecided = 0;
        for verdict in verdicts? {
            match (verdict, outlook) {
                (Verdict::Undecided { .. }, _) => undecided += 1,
                (Verdict::Free, Outlook::Free) | (Verdict::Contact(_), Outlook::Colliding) => {}
                (verdict, _) => return Err(format!("{} says {verdict:?} of a {outlook:?} motion", asker.way.name()).into()),
            }
        }
        Ok(Timing { asker, outlook, steps, undecided, cold, total: Rounds::default(), stages: Default::default() })
    }

    /// Returns the method.
    pub fn way(&self) -> Way {
        self.asker.way
    }

    /// Returns the kind of the queries.
    pub fn outlook(&self) -> Outlook {
        self.outlook
    }

    /// Returns the number of measured queries, and the number of undecided ones, if any.
    pub fn queries(&self) -> String {
        let n = self.steps.len();
        if self.undecided == 0 { n.to_string() } else { format!("{n} ({} undecided)", self.undecided) }
    }

    /// Returns the microseconds per query of the first pass.
    pub fn cold(&self) -> Option<f64> {
        (!self.steps.is_empty()).then(|| 1e6 * self.cold / self.steps.len() as f64)
    }

    /// Returns the microseconds per query, including the construction of the motion: median over rounds.
    pub fn total(&self) -> Option<f64> {
        self.total.microseconds(self.steps.len())
    }

    /// Returns the spread of the total over rounds, percent.
    pub fn spread(&self) -> Option<f64> {
        self.total.spread()
    }

    /// Returns the microseconds per query in each stage, median over rounds; `None` for stages that are switched off.
    pub fn stages(&self) -> [Option<f64>; 3] {
        let on = [self.asker.way.stages.boxes, self.asker.way.stages.sweeps, true];
        [0, 1, 2].map(|k| self.stages[k].microseconds(self.steps.len()).filter(|_| on[k]))
    }

    /// Measures stages and totals in separate passes, because reading the clock takes time. Totals come second: since the
    /// last round other cells have filled the caches, which does not happen to consecutive queries of a user.
    fn round(&mut self) -> Outcome<()> {
        let mut sums = [0.0; 3];
        for step in self.steps {
            let report = self.asker.ask_reported(step, &clock::of_thread)?;
            for (sum, stage) in sums.iter_mut().zip(report.stages) {
                *sum += stage.map_or(0.0, |s| s.seconds);
            }
        }
        self.stages.iter_mut().zip(sums).for_each(|(rounds, sum)| rounds.push(sum));
        let (seconds, answers) = clock::timed(|| self.steps.iter().try_for_each(|step| self.asker.ask(step).map(drop)));
        self.total.push(seconds);
        answers
    }
}

/// Measures the same number of rounds for all cells, in turns, so that all run under the same conditions. The order changes from round to round.
pub fn measure_in_turns<'t, 'a: 't>(cells: impl Iterator<Item = &'t mut Timing<'a>>, rounds: usize) -> Outcome<()> {
    let mut cells: Vec<_> = cells.filter(|cell| !cell.steps.is_empty()).collect();
    for round in 0..rounds {
        eprintln!("round {} of {rounds}", round + 1);
        turns(cells.len(), round).try_for_each(|k| cells[k].round())?;
    }
    Ok(())
}
