//! Oriented trees in tandem, over an interval that is short enough for them. [Redon 2004, section 5.1]

use std::ops::ControlFlow;

use crate::bvh::RestingItem;
use crate::bvh::oriented::OrientedTree;
use crate::bvh::tree::{Next, NodePair, TreePair};
use crate::motion::Chain;
use crate::reference::redon2004::boxes_over_span::CarriedBox;
use crate::reference::redon2004::equations::ALL;
use crate::reference::redon2004::{ActivePair, Interval, Simultaneous, Suspect};
use crate::search::Index;
use crate::search::pairs::{Body, Task};
use crate::search::{Flow, Stop};

/// Turning, in radians, of two links together during an interval over which their boxes are tested; travel counts by the size of things.
const TURN: f64 = 0.15;
/// Intervals are not halved more often than this before boxes are tested.
const MAX_LEVEL: u32 = 20;
/// Pairs that an interval may hold: beyond it time is halved first, and what remains too much is decided pair by pair.
const MAX_PAIRS: usize = 1 << 16;

/// How many times [0, 1] is halved before a task's boxes are tested: by how much the two links move against each other. [section 5.1.1]
pub(super) fn refinement_level(index: &Index, chain: &Chain, task: &Task) -> u32 {
    let size = index.size.max(1e-300);
    let moves = |mut i: usize| {
        let mut sum = 0.0;
        while i != task.ancestor {
            sum += chain.joints[i].rate.abs() + chain.joints[i].speed / size;
            i = chain.parents[i] as usize;
        }
        sum
    };
    let (a, b) = (index.tasks.moving[task.moving].frame, index.tasks.resting[task.resting].frame);
    let parts = (moves(a) + moves(b)) / TURN;
    if parts > 1.0 { parts.log2().ceil().min(f64::from(MAX_LEVEL)) as u32 } else { 0 }
}

/// Why a traversal of two trees ends early.
enum End {
    /// The search ends.
    Stopped(Stop),
    /// Too many pairs: time is halved first.
    TooMany,
    /// Nothing later matters.
    Decided,
}

impl Simultaneous<'_> {
    /// Turns suspects whose level is reached into pairs; the others stay if their roots are not apart.
    pub(super) fn open(&mut self, here: &mut Interval) -> Flow {
        let mut waiting = Vec::new();
        for suspect in std::mem::take(&mut here.suspects) {
            if here.span.from >= self.collector.horizon() {
                break;
            }
            let task = self.tasks[suspect.task as usize];
            let trees = self.trees;
            let (a, b) = (&trees.moving[task.moving], &trees.resting[task.resting][suspect.owner as usize]);
            if a.nodes.is_empty() || b.nodes.is_empty() {
                continue;
            }
            if self.levels[suspect.task as usize] > here.level {
                if self.roots_meet(suspect, a, b) {
                    waiting.push(suspect);
                }
            } else if !self.tandem(suspect, a, b, here)? {
                waiting.push(suspect);
            }
        }
        here.suspects = waiting;
        Flow::Continue(())
    }

    fn roots_meet(&mut self, suspect: Suspect, a: &OrientedTree, b: &OrientedTree) -> bool {
        self.tally.box_pairs += 1;
        let lines = self.bounds(suspect.task).lines;
        !CarriedBox::new(&lines, &a.nodes[0].volume).stays_apart(&b.nodes[0].volume, self.collector.sharpness.margin)
    }

    /// Walks two trees; false when they gave too many pairs and time should be halved first.
    fn tandem(&mut self, suspect: Suspect, a: &OrientedTree, b: &OrientedTree, here: &mut Interval) -> ControlFlow<Stop, bool> {
        let lines = self.bounds(suspect.task).lines;
        let before = here.pairs.len();
        let halvable = here.span.length() > 64.0 * self.collector.sharpness.time;
        let margin = self.collector.sharpness.margin;
        let mut carried = (0, CarriedBox::new(&lines, &a.nodes[0].volume));
        let mut stack = std::mem::take(&mut self.nodes);
        stack.clear();
        stack.push((0, 0, ()));
        let trees = TreePair { a, b, own: false };
        let flow = trees.traverse(&mut stack, |NodePair { a: i, b: k, .. }| {
            let (x, y) = (&a.nodes[i as usize].volume, &b.nodes[k as usize].volume);
            if carried.0 != i {
                carried = (i, CarriedBox::new(&lines, x));
            }
            self.tally.box_pairs += 1;
            if self.tally.box_pairs.is_multiple_of(1024) {
                self.within_limit().map_break(End::Stopped)?;
            }
            if carried.1.stays_apart(y, margin) {
                return ControlFlow::Continue(Next::Prune);
            }
            if trees.leaves(i, k) {
                if here.pairs.len() >= MAX_PAIRS && halvable {
                    return ControlFlow::Break(End::TooMany);
                }
                self.add(suspect.task, a.items(i)[0], b.items(k)[0], here).map_break(End::Stopped)?;
                if here.span.from >= self.collector.horizon() {
                    return ControlFlow::Break(End::Decided);
                }
            }
            ControlFlow::Continue(if x.size() >= y.size() { Next::OpenFirst } else { Next::OpenSecond })
        });
        self.nodes = stack;
        match flow {
            ControlFlow::Continue(()) | ControlFlow::Break(End::Decided) => ControlFlow::Continue(true),
            ControlFlow::Break(End::TooMany) => {
                here.pairs.truncate(before);
                ControlFlow::Continue(false)
            }
            ControlFlow::Break(End::Stopped(stop)) => ControlFlow::Break(stop),
        }
    }

    /// A pair whose boxes meet: it gets its equations, if it can have any; otherwise it is decided at once.
    fn add(&mut self, task: u32, moving: u32, resting: u32, here: &mut Interval) -> Flow {
        let pair = ActivePair { task, moving, resting, active: ALL, idle: 0 };
        if here.pairs.len() >= MAX_PAIRS || !self.has_equations(&pair) || (here.span.from <= 0.0 && !self.starts_apart(&pair)) {
            return self.decide(&pair, here.span);
        }
        self.tally.pairs += 1;
        self.tally.equations += u64::from(ALL.count_ones());
        here.pairs.push(pair);
        Flow::Continue(())
    }

    /// Triangles without a margin.
    fn has_equations(&self, pair: &ActivePair) -> bool {
        let task = &self.tasks[pair.task as usize];
        let item = self.index.tasks.resting[task.resting].tree.item(pair.resting);
        let flat = matches!(self.index.tasks.moving[task.moving].body, Body::Mesh(_));
        flat && matches!(item, RestingItem::Triangle(_)) && self.collector.sharpness.margin == 0.0
    }
}
