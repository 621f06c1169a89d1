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
//! What equations do not decide is decided by [`crate::narrow::advance`]: intervals as short as time is asked for, roots that Newton does not
//! narrow (parallel, coplanar, grazing), round solids, margins. So both engines tell the same contacts, in brackets of the same width.

mod bounds;
pub(crate) mod boxes_over_span;
mod decide;
pub(crate) mod equations;
mod solve;
pub(crate) mod taylor_motion;
mod traverse;
mod trees;

use crate::motion::{Relative, Span, Tube};
use crate::reference::redon2004::equations::Active;
use crate::scene::Motion;
use crate::search::broad_phase::StageReport;
use crate::search::pairs::{Task, Tasks};
use crate::search::verdict::Tally;
use crate::search::{Answer, Collector, ExactStage, Flow, Index, Query, Stop};
use bounds::{Bounds, TaskBounds};
use trees::OrientedTrees;

/// Work done by the equations' engine, in counts that do not depend on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct EquationTally {
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

/// The exact stage of the paper, with what it needs of a scene.
#[derive(Debug)]
pub(crate) struct Redon2004 {
    trees: OrientedTrees,
}

impl Redon2004 {
    pub fn new(tasks: &Tasks) -> Self {
        Redon2004 { trees: OrientedTrees::new(tasks) }
    }
}

impl ExactStage for Redon2004 {
    fn search(&self, query: &Query<'_>, tasks: &[Task], candidates: &[(usize, usize)]) -> (Answer, Tally, StageReport) {
        let mut search = Simultaneous::new(query, tasks, &self.trees);
        let answer = search.search(candidates);
        let tally = Tally { pairs: search.tally.pairs, pair_steps: search.tally.pair_steps, ..Tally::default() };
        (answer, tally, search.tally.report())
    }
}

impl EquationTally {
    fn report(&self) -> StageReport {
        let EquationTally { box_pairs, equations, intervals, .. } = *self;
        StageReport { node_pairs: box_pairs, equations, intervals, ..StageReport::default() }
    }

    /// What the work limit counts.
    fn work(&self) -> u64 {
        self.box_pairs + self.solved + self.pair_steps + self.intervals
    }
}

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

/// One query, answered by equations.
struct Simultaneous<'a> {
    index: &'a Index,
    trees: &'a OrientedTrees,
    motion: &'a Motion,
    tasks: &'a [Task],
    relatives: Vec<Relative<'a>>,
    /// Halvings of [0, 1] before a task's boxes are tested.
    levels: Vec<u32>,
    /// Where things are at t = 0, by task.
    starts: Vec<Option<Tube>>,
    bounds: Bounds,
    collector: Collector<'a>,
    nodes: Vec<(u32, u32, ())>,
    tally: EquationTally,
}

impl<'a> Simultaneous<'a> {
    fn new(query: &Query<'a>, tasks: &'a [Task], trees: &'a OrientedTrees) -> Self {
        let (index, motion) = (query.index, query.motion);
        Simultaneous {
            index,
            trees,
            motion,
            tasks,
            relatives: tasks.iter().map(|t| index.relative(&motion.chain, t)).collect(),
            levels: tasks.iter().map(|t| traverse::refinement_level(index, &motion.chain, t)).collect(),
            starts: vec![None; tasks.len()],
            bounds: Bounds::new(motion.chain.joints.len(), tasks.len()),
            collector: query.collector(),
            nodes: Vec::new(),
            tally: EquationTally::default(),
        }
    }

    /// The contact that is the goal, among the suspects: pairs of a task and an owner of what rests there. Intervals come in the order of time.
    fn search(&mut self, suspects: &[(usize, usize)]) -> Answer {
        let suspects = suspects.iter().map(|&(task, owner)| Suspect { task: task as u32, owner: owner as u32 }).collect();
        let mut stack = vec![Interval { span: Span::new(0.0, 1.0), level: 0, suspects, pairs: Vec::new() }];
        while let Some(mut here) = stack.pop() {
            if here.span.from >= self.collector.horizon() {
                break;
            }
            here.span.to = here.span.to.min(self.collector.cut());
            let from = here.span.from;
            match self.interval(here, &mut stack) {
                Flow::Continue(()) => {}
                Flow::Break(Stop::Contact) => break,
                Flow::Break(Stop::OutOfWork) => return self.collector.finish(from),
            }
        }
        self.collector.finish(f64::INFINITY)
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

    /// How a task's moving side moves over the interval.
    fn bounds(&mut self, task: u32) -> &TaskBounds {
        let at = task as usize;
        self.bounds.of_task(self.index, &self.motion.chain, (at, &self.tasks[at]))
    }

    fn within_limit(&self) -> Flow {
        self.collector.within_budget(self.tally.work())
    }
}
