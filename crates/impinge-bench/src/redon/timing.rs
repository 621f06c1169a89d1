//! How long first contacts take, by different ways of asking, measured in turns.

use impinge::Verdict;
use impinge::query::{Checker, Report};
use impinge::scene::{Motion, RobotId};

use super::queries::{Queries, Step};
use super::scenes::Site;
use super::ways::Way;
use crate::rounds::{Rounds, turns};
use crate::{Outcome, clock};

/// What becomes of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// It ends in a contact.
    Colliding,
    /// It stays free.
    Free,
}

impl Outlook {
    /// Both, as the paper orders them.
    pub const BOTH: [Outlook; 2] = [Outlook::Colliding, Outlook::Free];

    /// The paper's word for it.
    pub fn word(self) -> &'static str {
        match self {
            Outlook::Colliding => "COL",
            Outlook::Free => "NO-COL",
        }
    }

    /// The queries of this kind.
    pub fn of(self, queries: &Queries) -> &[Step] {
        match self {
            Outlook::Colliding => &queries.colliding,
            Outlook::Free => &queries.free,
        }
    }
}

/// A way of asking, made ready for a site.
#[derive(Debug)]
pub struct Asker {
    /// The way.
    pub way: Way,
    checker: Checker,
    robot: RobotId,
}

impl Asker {
    /// Builds what questions need.
    pub fn new(site: &Site, way: Way) -> Outcome<Self> {
        Ok(Asker { way, checker: Checker::new(site.scene.clone(), way.options())?, robot: site.robot })
    }

    fn motion(&self, (from, to): &Step) -> Outcome<Motion> {
        Ok(self.checker.scene().motion().joint_line(self.robot, from, to).build()?)
    }

    /// CPU seconds of one query.
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

/// One cell of a table: a way of asking about queries of one kind.
#[derive(Debug)]
pub struct Timing<'a> {
    asker: &'a Asker,
    outlook: Outlook,
    steps: &'a [Step],
    undecided: usize,
    /// Seconds of the first pass: caches hold none of its queries.
    cold: f64,
    /// Passes over all queries, as a whole and by stages.
    total: Rounds,
    stages: [Rounds; 3],
}

impl<'a> Timing<'a> {
    /// Asks every query once, cold; what is built when first needed is built before.
    ///
    /// # Errors
    /// If an answer is not what the path's maker was told.
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

    /// The way of asking.
    pub fn way(&self) -> Way {
        self.asker.way
    }

    /// The kind of queries.
    pub fn outlook(&self) -> Outlook {
        self.outlook
    }

    /// Queries measured, and how many of them were not decided, if any.
    pub fn queries(&self) -> String {
        let n = self.steps.len();
        if self.undecided == 0 { n.to_string() } else { format!("{n} ({} undecided)", self.undecided) }
    }

    /// Microseconds per query of the first pass.
    pub fn cold(&self) -> Option<f64> {
        (!self.steps.is_empty()).then(|| 1e6 * self.cold / self.steps.len() as f64)
    }

    /// Microseconds per query, making the motion included: median over rounds.
    pub fn total(&self) -> Option<f64> {
        self.total.microseconds(self.steps.len())
    }

    /// Spread of the total over rounds, percent.
    pub fn spread(&self) -> Option<f64> {
        self.total.spread()
    }

    /// Microseconds per query in each stage, median over rounds; `None` for those that are switched off.
    pub fn stages(&self) -> [Option<f64>; 3] {
        let on = [self.asker.way.stages.boxes, self.asker.way.stages.sweeps, true];
        [0, 1, 2].map(|k| self.stages[k].microseconds(self.steps.len()).filter(|_| on[k]))
    }

    /// Stages and totals in passes of their own, because reading the clock takes time too. Totals come second: other cells have had the caches since
    /// the last round, which queries of a user, one after another, need not fear.
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

/// The same number of rounds for all cells, in turns, so that all see the same machine. Who begins changes from round to round.
pub fn measure_in_turns<'t, 'a: 't>(cells: impl Iterator<Item = &'t mut Timing<'a>>, rounds: usize) -> Outcome<()> {
    let mut cells: Vec<_> = cells.filter(|cell| !cell.steps.is_empty()).collect();
    for round in 0..rounds {
        eprintln!("round {} of {rounds}", round + 1);
        turns(cells.len(), round).try_for_each(|k| cells[k].round())?;
    }
    Ok(())
}
