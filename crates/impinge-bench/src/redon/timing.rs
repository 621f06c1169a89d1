//! How long first contacts take, by different ways of asking, measured in turns.

use std::time::Instant;

use impinge::Verdict;
use impinge::query::{Checker, Report};
use impinge::scene::{Motion, RobotId};

use super::queries::{Queries, Step};
use super::scenes::Site;
use super::ways::Way;
use crate::Outcome;
use crate::rounds::Rounds;

/// At least so many queries are measured, however long they take.
const LEAST: usize = 3;

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
    first_pass: f64,
    times: Vec<Times>,
    spent: f64,
}

/// Rounds of one query, as a whole and by stages.
#[derive(Clone, Debug, Default)]
struct Times {
    total: Rounds,
    stages: [Rounds; 3],
}

impl<'a> Timing<'a> {
    /// Asks once, so that caches are warm, and keeps as many queries as can be asked in about `seconds`.
    ///
    /// # Errors
    /// If an answer is not what the path's maker was told.
    pub fn new(asker: &'a Asker, steps: &'a [Step], outlook: Outlook, seconds: f64) -> Outcome<Self> {
        // What is built when first needed is not what a query takes.
        steps.first().map(|step| asker.ask(step)).transpose()?;
        let begin = Instant::now();
        let (mut n, mut undecided) = (0, 0);
        for step in steps {
            match (asker.ask(step)?, outlook) {
                (Verdict::Undecided { .. }, _) => undecided += 1,
                (Verdict::Free, Outlook::Free) | (Verdict::Contact(_), Outlook::Colliding) => {}
                (verdict, _) => return Err(format!("{} says {verdict:?} of a {outlook:?} motion", asker.way.name()).into()),
            }
            n += 1;
            if n >= LEAST && begin.elapsed().as_secs_f64() > seconds {
                break;
            }
        }
        let first_pass = begin.elapsed().as_secs_f64() / n.max(1) as f64;
        Ok(Timing { asker, outlook, steps: &steps[..n], undecided, first_pass, times: vec![Times::default(); n], spent: 0.0 })
    }

    /// The way of asking.
    pub fn way(&self) -> Way {
        self.asker.way
    }

    /// The kind of queries.
    pub fn outlook(&self) -> Outlook {
        self.outlook
    }

    /// Seconds per query when first asked: an estimate to decide by.
    pub fn first_pass(&self) -> f64 {
        self.first_pass
    }

    /// Queries measured, and how many of them were not decided, if any.
    pub fn queries(&self) -> String {
        let n = self.steps.len();
        if self.undecided == 0 { n.to_string() } else { format!("{n} ({} undecided)", self.undecided) }
    }

    /// Microseconds, mean over queries, making the motion included.
    pub fn total(&self) -> Option<f64> {
        self.mean(|times| &times.total)
    }

    /// Microseconds in each stage, mean over queries; `None` for those that are switched off.
    pub fn stages(&self) -> [Option<f64>; 3] {
        let on = [self.asker.way.stages.boxes, self.asker.way.stages.sweeps, true];
        [0, 1, 2].map(|k| self.mean(|times| &times.stages[k]).filter(|_| on[k]))
    }

    /// Mean over queries of the best over rounds.
    fn mean(&self, pick: impl Fn(&Times) -> &Rounds) -> Option<f64> {
        let best: Option<Vec<f64>> = self.times.iter().map(|times| pick(times).best(1)).collect();
        best.filter(|b| !b.is_empty()).map(|b| b.iter().sum::<f64>() / b.len() as f64)
    }

    /// Stages and totals apart, because looking at the clock takes time too. Totals come second: other cells have had the caches since the
    /// last round, which a user's queries, one after another, need not fear.
    fn round(&mut self) -> Outcome<()> {
        let begin = Instant::now();
        let clock = || begin.elapsed().as_secs_f64();
        for (step, times) in self.steps.iter().zip(&mut self.times) {
            let report = self.asker.ask_reported(step, &clock)?;
            for (rounds, stage) in times.stages.iter_mut().zip(report.stages) {
                rounds.push(stage.map_or(0.0, |s| s.seconds));
            }
        }
        for (step, times) in self.steps.iter().zip(&mut self.times) {
            let started = clock();
            self.asker.ask(step)?;
            times.total.push(clock() - started);
        }
        self.spent += clock();
        Ok(())
    }
}

/// Rounds over all cells in turns, so that all see the same machine; a cell has a first round, and more until `seconds` are spent.
pub fn measure_in_turns<'t, 'a: 't>(cells: impl Iterator<Item = &'t mut Timing<'a>>, rounds: usize, seconds: f64) -> Outcome<()> {
    let mut cells: Vec<_> = cells.collect();
    for round in 0..rounds {
        eprintln!("round {} of {rounds}", round + 1);
        for cell in cells.iter_mut().filter(|c| c.spent <= seconds && !c.steps.is_empty()) {
            cell.round()?;
        }
    }
    Ok(())
}
