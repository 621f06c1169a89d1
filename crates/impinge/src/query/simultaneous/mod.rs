//! The third stage of the paper, by interval arithmetic: oriented boxes in tandem, then all equations together. [Redon 2004, section 5]
//!
//! ```text
//! interval [0, 1] ─► suspects whose refinement level is reached: oriented trees in tandem ─► triangle pairs, fifteen equations each
//!      ▲                                                                                        │ bounds of links once per interval
//!      │        the two halves, the earlier first; or what Newton leaves of the interval         ▼
//!      └──────────────────────────────────────────────────────────────────────────── equations that may have a root in it
//! ```
//!
//! Sound: intervals come in the order of time, and the next is begun only when everything is proven free up to its start, or reported.
//! So a pair is apart where an interval begins (at t = 0 that is proven for each pair), and stays apart where its equations have no root.
//! What equations do not decide is decided by [`crate::advance`]: intervals as short as time is asked for, roots that Newton does not
//! narrow (parallel, coplanar, grazing), round solids, margins. So both engines tell the same contacts, in brackets of the same width.

mod bounds;
mod decide;
mod solve;
mod traverse;
pub(super) mod trees;

use std::ops::ControlFlow;

use super::checker::Checker;
use super::search::{Answer, Found};
use super::tasks::Task;
use crate::advance::pair::Sharpness;
use crate::exact::equations::Active;
use crate::motion::{Relative, Span, Tube};
use crate::scene::Motion;
use bounds::{Bounds, TaskBounds};

/// Work done by the equations' engine, in counts that do not depend on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EquationTally {
    /// Pairs of oriented boxes tested over an interval.
    pub box_pairs: u64,
    /// Intervals of time looked at.
    pub intervals: u64,
    /// Bounds of links over an interval.
    pub link_bounds: u64,
    /// Pairs of triangles that got equations.
    pub pairs: u64,
    /// Equations made.
    pub equations: u64,
    /// Equations bounded over an interval.
    pub solved: u64,
    /// Pairs handed to the exact advance.
    pub handed_over: u64,
    /// Steps in time that these took.
    pub pair_steps: u64,
}

impl EquationTally {
    /// What the work limit counts.
    fn work(&self) -> u64 {
        self.box_pairs + self.solved + self.pair_steps + self.intervals
    }
}

/// Why a search ends early.
enum Stop {
    /// A contact, when any will do.
    Contact,
    OutOfWork,
}

type Flow = ControlFlow<Stop>;

/// A moving piece against one owner of what rests, not looked at yet.
#[derive(Clone, Copy, Debug)]
struct Suspect {
    task: u32,
    owner: u32,
}

/// Two triangles with equations that may have roots.
#[derive(Clone, Copy, Debug)]
struct ActivePair {
    task: u32,
    moving: u32,
    resting: u32,
    active: Active,
    /// Intervals in a row that the equations did not narrow.
    idle: u8,
}

/// An interval of time and what is not excluded in it.
#[derive(Debug)]
struct Interval {
    span: Span,
    /// Halvings since [0, 1]: suspects wait until theirs is reached.
    level: u32,
    suspects: Vec<Suspect>,
    pairs: Vec<ActivePair>,
}

/// Which contact is wanted.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Any,
    First,
}

/// One question, answered by equations.
pub(super) struct Simultaneous<'a> {
    checker: &'a Checker,
    motion: &'a Motion,
    tasks: &'a [Task],
    relatives: Vec<Relative<'a>>,
    /// Halvings of [0, 1] before a task's boxes are tested.
    levels: Vec<u32>,
    /// Where things are at t = 0, by task.
    starts: Vec<Option<Tube>>,
    bounds: Bounds,
    sharpness: Sharpness,
    mode: Mode,
    best: Option<Found>,
    /// Where the bracket of the best contact may begin: nothing needs to be known after it.
    cut: f64,
    /// The earliest time that could not be decided.
    undecided: f64,
    nodes: Vec<(u32, u32)>,
    pub tally: EquationTally,
}

impl<'a> Simultaneous<'a> {
    pub fn new(checker: &'a Checker, motion: &'a Motion, tasks: &'a [Task]) -> Self {
        let o = checker.options();
        Simultaneous {
            checker,
            motion,
            tasks,
            relatives: tasks.iter().map(|t| checker.relative(&motion.chain, t)).collect(),
            levels: tasks.iter().map(|t| traverse::refinement_level(checker, &motion.chain, t)).collect(),
            starts: vec![None; tasks.len()],
            bounds: Bounds::new(motion.chain.joints.len(), tasks.len()),
            sharpness: Sharpness { margin: o.margin, tolerance: o.tolerance, time: o.time_tolerance },
            mode: Mode::First,
            best: None,
            cut: f64::INFINITY,
            undecided: f64::INFINITY,
            nodes: Vec::new(),
            tally: EquationTally::default(),
        }
    }

    /// Is there any contact among the suspects: pairs of a task and an owner of what rests there?
    pub fn any(&mut self, suspects: &[(usize, usize)]) -> Answer {
        self.mode = Mode::Any;
        let flow = self.search(suspects);
        match (flow, self.best) {
            (_, Some(found)) => Answer::Contact { found, free_until: 0.0 },
            (Ok(()), None) if self.undecided == f64::INFINITY => Answer::Free,
            _ => Answer::Undecided { free_until: 0.0 },
        }
    }

    /// Which contact comes first?
    pub fn first(&mut self, suspects: &[(usize, usize)]) -> Answer {
        self.mode = Mode::First;
        match (self.search(suspects), self.best) {
            (Err(until), _) => Answer::Undecided { free_until: until.min(self.undecided) },
            (Ok(()), Some(found)) => Answer::Contact { found, free_until: self.cut.max(0.0).min(self.undecided) },
            (Ok(()), None) if self.undecided < f64::INFINITY => Answer::Undecided { free_until: self.undecided },
            (Ok(()), None) => Answer::Free,
        }
    }

    /// Looks at intervals in the order of time; `Err` with how far it got when it ended early.
    fn search(&mut self, suspects: &[(usize, usize)]) -> Result<(), f64> {
        (self.best, self.cut, self.undecided) = (None, f64::INFINITY, f64::INFINITY);
        let suspects = suspects.iter().map(|&(task, owner)| Suspect { task: task as u32, owner: owner as u32 }).collect();
        let mut stack = vec![Interval { span: Span::new(0.0, 1.0), level: 0, suspects, pairs: Vec::new() }];
        while let Some(mut here) = stack.pop() {
            if here.span.from >= self.end() {
                break;
            }
            here.span.to = here.span.to.min(self.cut);
            let from = here.span.from;
            if self.interval(here, &mut stack).is_break() {
                return Err(from);
            }
        }
        Ok(())
    }

    /// One interval; what is left of it goes onto the stack, the earlier on top.
    fn interval(&mut self, mut here: Interval, stack: &mut Vec<Interval>) -> Flow {
        self.tally.intervals += 1;
        self.bounds.start(here.span);
        self.open(&mut here)?;
        self.solve(here, stack)?;
        self.tally.link_bounds = self.bounds.computed;
        self.within_limit()
    }

    /// Nothing at or after this matters.
    fn end(&self) -> f64 {
        if self.mode == Mode::Any { f64::INFINITY } else { self.cut.min(self.undecided) }
    }

    /// How a task's moving side moves over the interval.
    fn bounds(&mut self, task: u32) -> &TaskBounds {
        let at = task as usize;
        self.bounds.of_task(self.checker, &self.motion.chain, (at, &self.tasks[at]))
    }

    fn within_limit(&self) -> Flow {
        if self.checker.ends_at(self.tally.work()) { Flow::Break(Stop::OutOfWork) } else { Flow::Continue(()) }
    }
}
