//! One question, answered: the order here is the algorithm.
//!
//! ```text
//! motion ─► slices of time ─► tasks, distal first ─► descend (node, span, packs still near)
//!                                                        │ the node's box sweeps the span; packs it cannot reach are dropped;
//!                                                        │ then whichever halves the swept volume more is halved: time or node
//!                                                        ▼
//!                                            triangle × 8 triangles ─► exact pair ─► advance in time
//! ```
//! Sound: every way down drops only what is proven apart for all of its span, and spans are halved, never skipped.
//! For the first contact slices come in time order; a slice with a contact is halved until little happens in it, then all pairs that
//! remain are resolved, earliest first.

use std::ops::ControlFlow;

use super::checker::Checker;
use super::tasks::{Body, Task};
use super::timeline::{SpanId, Timeline};
use super::verdict::Tally;
use crate::advance::pair::{Moving, Outcome, Sharpness};
use crate::cull::{Sweep, SweptBox, gather};
use crate::exact::Window;
use crate::exact::triangles::{self, SweptTriangle};
use crate::math::Vec3;
use crate::math::simd::{Avx2, Lanes, Portable, boxes_near, dispatch, triangles_near};
use crate::motion::{Relative, Span};
use crate::scene::Motion;
use crate::shape::tree::moving::MovingNode;
use crate::shape::tree::{PackRef, RestingItem};

/// Memory that a search reuses.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    timeline: Timeline,
    packs: Vec<PackRef>,
    steps: Vec<Step>,
}

/// A node over a span, to be tested against `packs[from..to]`.
#[derive(Clone, Copy, Debug)]
struct Step {
    node: u32,
    span: SpanId,
    from: u32,
    to: u32,
}

/// A pair that is not yet proven apart on a span.
#[derive(Clone, Copy, Debug)]
struct Suspect {
    task: usize,
    moving: u32,
    resting: u32,
    span: Span,
    /// A time at which it is proven to touch, or infinity.
    touches_at: f64,
}

/// A contact of a pair: proven free for that pair before `lo`, in contact at `hi`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub task: usize,
    pub moving: u32,
    pub resting: u32,
    pub lo: f64,
    pub hi: f64,
}

/// What a whole search comes to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answer {
    Free,
    /// Everything is free before `free_until`.
    Contact {
        found: Found,
        free_until: f64,
    },
    Undecided {
        free_until: f64,
    },
}

/// Why a descent stopped early.
enum Stop {
    Contact(Found),
    Undecided(f64),
    OutOfWork,
}

type Flow = ControlFlow<Stop>;

/// What to do with a pair that the exact axes leave over.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// Decide it at once; stop at a contact.
    Any,
    /// Keep it for later.
    Collect,
}

/// A slice that turns less than this (radians, or travel over size) is resolved pair by pair.
const SMALL: f64 = 0.05;
/// Slices a motion is cut into at first turn this much: for any contact, and for the first one, where a slice that touches is halved.
const SLICE: f64 = 0.4;
const FIRST_SLICE: f64 = 0.3;
/// Where a slice that touches is cut: most of what precedes a contact is free and quickly proven so.
const CUT: f64 = 0.6;
/// Time is halved when that leaves less than this share of what halving the node would leave.
const TIME_BIAS: f64 = 0.8;

pub(super) struct Search<'a> {
    checker: &'a Checker,
    motion: &'a Motion,
    tasks: &'a [Task],
    /// For each task, how its moving side moves.
    relatives: Vec<Relative<'a>>,
    scratch: &'a mut Scratch,
    sharpness: Sharpness,
    mode: Mode,
    /// Nothing at or after this time matters any more.
    limit: f64,
    suspects: Vec<Suspect>,
    pub tally: Tally,
}

impl<'a> Search<'a> {
    pub fn new(checker: &'a Checker, motion: &'a Motion, tasks: &'a [Task], scratch: &'a mut Scratch) -> Self {
        let o = checker.options();
        let sharpness = Sharpness { margin: o.margin, tolerance: o.tolerance, time: o.time_tolerance };
        scratch.timeline.link_states = 0;
        Search {
            checker,
            motion,
            tasks,
            relatives: tasks.iter().map(|t| checker.relative(&motion.chain, t)).collect(),
            scratch,
            sharpness,
            mode: Mode::Any,
            limit: f64::INFINITY,
            suspects: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Is there any contact?
    pub fn any(&mut self) -> Answer {
        self.mode = Mode::Any;
        let n = self.slices(SLICE);
        let mut undecided: Option<f64> = None;
        for k in bisection_order(n) {
            let span = slice(k, n);
            match self.search(span, 0) {
                None => {}
                Some((_, Stop::Contact(found))) => return Answer::Contact { found, free_until: 0.0 },
                Some((_, Stop::Undecided(lo))) => undecided = Some(undecided.map_or(lo, |u| u.min(lo))),
                Some((_, Stop::OutOfWork)) => return Answer::Undecided { free_until: 0.0 },
            }
        }
        undecided.map_or(Answer::Free, |_| Answer::Undecided { free_until: 0.0 })
    }

    /// Which contact comes first?
    pub fn first(&mut self) -> Answer {
        let n = self.slices(FIRST_SLICE);
        let amount = self.amount();
        let mut stack: Vec<(Span, usize)> = (0..n).rev().map(|k| (slice(k, n), 0)).collect();
        let mut known: Option<Found> = None;
        while let Some((mut span, first_task)) = stack.pop() {
            if span.from >= self.limit {
                break;
            }
            span.to = span.to.min(self.limit);
            let small = span.length() * amount <= SMALL || span.length() < 1e-6;
            self.mode = if small { Mode::Collect } else { Mode::Any };
            match self.search(span, first_task) {
                None if small => match self.resolve() {
                    Answer::Free => {}
                    answer => return answer,
                },
                None => {}
                Some((task, Stop::Contact(found))) => {
                    self.limit = self.limit.min(found.hi);
                    known = Some(found);
                    let middle = span.from + CUT * (span.to.min(self.limit) - span.from);
                    stack.push((Span::new(middle, span.to), task));
                    stack.push((Span::new(span.from, middle), task));
                }
                // A stubborn pair: halve as for a contact, down to where it is resolved by itself.
                Some((task, Stop::Undecided(_))) => {
                    stack.push((Span::new(span.middle(), span.to), task));
                    stack.push((Span::new(span.from, span.middle()), task));
                }
                Some((_, Stop::OutOfWork)) => return Answer::Undecided { free_until: span.from },
            }
        }
        // The contact that set the limit, if nothing came before it.
        known.map_or(Answer::Free, |found| Answer::Contact { found, free_until: found.hi })
    }

    /// Searches one slice, from a task on; stops at the first reason to.
    fn search(&mut self, span: Span, first_task: usize) -> Option<(usize, Stop)> {
        let root = self.scratch.timeline.reset(self.motion.chain.joints.len(), span);
        self.suspects.clear();
        for task in first_task..self.tasks.len() {
            let flow = dispatch(descend_avx2, descend_portable, (self, task, root));
            self.tally.link_states = self.scratch.timeline.link_states;
            if let ControlFlow::Break(stop) = flow {
                return Some((task, stop));
            }
        }
        None
    }

    /// One task over one slice. Depth first: a step's packs stay in the list until all its children are done.
    #[inline(always)]
    fn descend<L: Lanes>(&mut self, task: usize, root: SpanId) -> Flow {
        let t = self.tasks[task];
        let checker = self.checker;
        let (mover, tree) = (&checker.tasks.moving[t.moving], &checker.tasks.resting[t.resting].tree);
        self.scratch.packs.clear();
        self.scratch.packs.push(tree.root);
        self.scratch.steps.clear();
        self.scratch.steps.push(Step { node: 0, span: root, from: 0, to: 1 });
        while let Some(step) = self.scratch.steps.pop() {
            self.scratch.packs.truncate(step.to as usize);
            let Some(span) = self.within_limit(step.span) else { continue };
            self.tally.boxes += 1;
            if self.tally.work() > checker.options().max_work {
                return Flow::Break(Stop::OutOfWork);
            }
            let node = &mover.tree.nodes[step.node as usize];
            let swept = self.sweep(task, span).sweep(node);
            let side = swept.half.add(swept.motion);
            let open = side.0[0].max(side.0[1]).max(side.0[2]) * tree.scale;
            let packs = &mut self.scratch.packs;
            let from = gather::<L>(tree, &swept.probe, open as f32, packs, step.from as usize, &mut self.tally.pack_tests);
            if from == packs.len() {
                continue;
            }
            let (from, to) = (from as u32, packs.len() as u32);
            let grain = 0.25 * tree.grain + 1e-4 * (tree.extent + node.reach);
            if halve_time(&swept, grain) && self.scratch.timeline.span(span).length() > 1e-7 {
                let [early, late] = self.scratch.timeline.halves(span);
                self.scratch.steps.push(Step { node: step.node, span: late, from, to });
                self.scratch.steps.push(Step { node: step.node, span: early, from, to });
            } else if node.leaf {
                self.leaf::<L>(task, node, span, from as usize)?;
            } else {
                self.scratch.steps.push(Step { node: node.second, span, from, to });
                self.scratch.steps.push(Step { node: node.first, span, from, to });
            }
        }
        Flow::Continue(())
    }

    /// The span, or the half of it that lies before the limit; `None` when nothing does.
    #[inline(always)]
    fn within_limit(&mut self, mut span: SpanId) -> Option<SpanId> {
        while self.scratch.timeline.span(span).to > self.limit {
            if self.scratch.timeline.span(span).from >= self.limit {
                return None;
            }
            let halves = self.scratch.timeline.halves(span);
            if self.scratch.timeline.span(halves[1]).from < self.limit {
                break;
            }
            span = halves[0];
        }
        Some(span)
    }

    /// The items of a leaf against the packs from `from` on.
    #[inline(always)]
    fn leaf<L: Lanes>(&mut self, task: usize, node: &MovingNode, span: SpanId, from: usize) -> Flow {
        let mover = &self.checker.tasks.moving[self.tasks[task].moving];
        match &mover.body {
            Body::Mesh(mesh) => {
                for k in node.first..node.first + node.second {
                    let moving = mover.tree.order[k as usize];
                    self.triangle::<L>(task, moving, &mesh.corners(moving as usize), node.reach, span, from)?;
                }
                Flow::Continue(())
            }
            Body::Solid(_) => self.solid::<L>(task, node, span, from),
        }
    }

    /// One moving triangle against the packs: eight at a time, then one by one.
    #[inline(always)]
    fn triangle<L: Lanes>(
        &mut self,
        task: usize,
        moving: u32,
        corners: &[Vec3; 3],
        reach: f64,
        span: SpanId,
        from: usize,
    ) -> Flow {
        let checker = self.checker;
        let resting = &checker.tasks.resting[self.tasks[task].resting];
        let extra = self.sharpness.margin + resting.item_error;
        let sweep = self.sweep(task, span);
        let swept = SweptTriangle::new(&sweep.tube, corners, reach, extra);
        let (probe, narrow) = (sweep.probe_of(&swept), sweep.narrow(&swept));
        let rounding = sweep.tube.rounding(reach) + resting.item_error;
        let list = gather::<L>(&resting.tree, &probe, -1.0, &mut self.scratch.packs, from, &mut self.tally.pack_tests);
        let time = self.scratch.timeline.span(span);
        for at in list..self.scratch.packs.len() {
            let Some(leaf) = self.scratch.packs[at].leaf() else { continue };
            let pack = &resting.tree.leaves[leaf];
            self.tally.triangle_tests += 1;
            let mut near = triangles_near::<L>(&pack.triangles, &narrow, boxes_near::<L>(&pack.boxes, &probe));
            while near != 0 {
                let id = pack.ids[near.trailing_zeros() as usize];
                near &= near - 1;
                self.tally.pairs += 1;
                let window = match resting.tree.item(id) {
                    RestingItem::Triangle(rest) => triangles::narrow(&swept, rest, 0.0).window,
                    RestingItem::Solid(_) => Window::FULL,
                };
                if window.is_empty() {
                    continue;
                }
                let left = Span::new(time.at(window.from), time.at(window.to));
                let touches = window.from <= 0.0
                    && window.to >= 0.0
                    && touches(&swept, rounding, resting.tree.item(id), self.sharpness.margin);
                self.pair(task, moving, id, left, touches.then(|| time.middle()))?;
            }
        }
        self.scratch.packs.truncate(list);
        Flow::Continue(())
    }

    /// A moving solid against the packs.
    #[inline(always)]
    fn solid<L: Lanes>(&mut self, task: usize, node: &MovingNode, span: SpanId, from: usize) -> Flow {
        let checker = self.checker;
        let resting = &checker.tasks.resting[self.tasks[task].resting];
        let probe = self.sweep(task, span).sweep(node).probe;
        let list = gather::<L>(&resting.tree, &probe, -1.0, &mut self.scratch.packs, from, &mut self.tally.pack_tests);
        let time = self.scratch.timeline.span(span);
        let mut ids: Vec<u32> = Vec::new();
        for pack in self.scratch.packs.drain(list..) {
            let Some(leaf) = pack.leaf() else { continue };
            let pack = &resting.tree.leaves[leaf];
            let near = boxes_near::<L>(&pack.boxes, &probe);
            ids.extend((0..8).filter(|lane| near & (1 << lane) != 0).map(|lane| pack.ids[lane]));
        }
        // A large item may stand in several lanes.
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            self.tally.pairs += 1;
            self.pair(task, 0, id, time, None)?;
        }
        Flow::Continue(())
    }

    /// A pair not yet proven apart on a span, and when it is proven to touch, if it is.
    fn pair(&mut self, task: usize, moving: u32, resting: u32, span: Span, touches_at: Option<f64>) -> Flow {
        if span.from >= self.limit {
            return Flow::Continue(());
        }
        let suspect = Suspect { task, moving, resting, span, touches_at: touches_at.unwrap_or(f64::INFINITY) };
        if self.mode == Mode::Collect {
            self.suspects.push(suspect);
            // The contact itself stays among the suspects; nothing after it matters.
            self.limit = self.limit.min(suspect.touches_at.next_up());
            return Flow::Continue(());
        }
        if let Some(hi) = touches_at {
            return Flow::Break(Stop::Contact(Found { task, moving, resting, lo: span.from.min(hi), hi }));
        }
        match self.advance(&suspect, span) {
            Outcome::Free => Flow::Continue(()),
            Outcome::Contact { lo, hi } => Flow::Break(Stop::Contact(Found { task, moving, resting, lo, hi })),
            Outcome::Undecided { lo } => Flow::Break(Stop::Undecided(lo)),
        }
    }

    /// Resolves the collected suspects, earliest first.
    fn resolve(&mut self) -> Answer {
        let mut suspects = std::mem::take(&mut self.suspects);
        suspects.sort_by(|a, b| a.span.from.total_cmp(&b.span.from));
        // What is known to touch comes first: it shortens the search for all others.
        if let Some(at) = (0..suspects.len()).min_by(|&a, &b| suspects[a].touches_at.total_cmp(&suspects[b].touches_at)) {
            suspects[..=at].rotate_right(1);
        }
        let mut best: Option<Found> = None;
        // Where the bracket may begin: nothing needs to be known after it.
        let mut cut = f64::INFINITY;
        let mut undecided = f64::INFINITY;
        for s in &suspects {
            if s.span.from >= cut {
                continue;
            }
            let span = Span::new(s.span.from, s.span.to.min(cut));
            match self.advance(s, span) {
                Outcome::Free => {}
                Outcome::Contact { lo, hi } => {
                    if best.is_none_or(|b| hi < b.hi) {
                        best = Some(Found { task: s.task, moving: s.moving, resting: s.resting, lo, hi });
                        cut = (hi - self.sharpness.time).min(lo);
                    }
                }
                Outcome::Undecided { lo } => undecided = undecided.min(lo),
            }
        }
        suspects.clear();
        self.suspects = suspects;
        match best {
            Some(found) => Answer::Contact { found, free_until: cut.max(0.0).min(undecided) },
            None if undecided < f64::INFINITY => Answer::Undecided { free_until: undecided },
            None => Answer::Free,
        }
    }

    fn advance(&mut self, s: &Suspect, span: Span) -> Outcome {
        let task = self.tasks[s.task];
        let moving = Moving {
            pair: self.checker.pair(&task, s.moving, s.resting),
            relative: &self.relatives[s.task],
            item_error: self.checker.tasks.resting[task.resting].item_error,
            sharpness: self.sharpness,
        };
        match self.mode {
            Mode::Any => dispatch(any_avx2, any_portable, (&moving, span, &mut self.tally.pair_steps)),
            Mode::Collect => dispatch(first_avx2, first_portable, (&moving, span, &mut self.tally.pair_steps)),
        }
    }

    #[inline(always)]
    fn sweep(&mut self, task: usize, span: SpanId) -> &Sweep {
        let resting = &self.checker.tasks.resting[self.tasks[task].resting];
        let extra = self.sharpness.margin + resting.item_error;
        self.scratch.timeline.sweep(task as u32, span, &self.relatives[task], &resting.tree, extra)
    }

    /// How much happens in the motion: turning of all joints, and travel over the size of what moves.
    fn amount(&self) -> f64 {
        let size = self.checker.size.max(1e-300);
        self.motion.chain.joints.iter().map(|j| j.rate.abs() + j.travel.norm() / size).sum()
    }

    fn slices(&self, each: f64) -> usize {
        (self.amount() / each).ceil().clamp(1.0, 1e6) as usize
    }
}

/// Whether a swept triangle is proven to touch a resting one at the middle of its span.
#[inline(always)]
fn touches(swept: &SweptTriangle, rounding: f64, item: RestingItem<'_>, margin: f64) -> bool {
    match item {
        RestingItem::Triangle(rest) => triangles::proven_within(&swept.corners, rest, rounding, margin),
        RestingItem::Solid(_) => false,
    }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn descend_avx2((search, task, root): (&mut Search<'_>, usize, SpanId)) -> Flow {
    search.descend::<Avx2>(task, root)
}

fn descend_portable((search, task, root): (&mut Search<'_>, usize, SpanId)) -> Flow {
    search.descend::<Portable>(task, root)
}

type Asked<'a> = (&'a Moving<'a>, Span, &'a mut u64);

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn any_avx2((moving, span, steps): Asked<'_>) -> Outcome {
    moving.any(span, steps)
}

fn any_portable((moving, span, steps): Asked<'_>) -> Outcome {
    moving.any(span, steps)
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn first_avx2((moving, span, steps): Asked<'_>) -> Outcome {
    moving.first(span, steps)
}

fn first_portable((moving, span, steps): Asked<'_>) -> Outcome {
    moving.first(span, steps)
}

/// Whether halving the span shrinks the swept volume more than halving the longest side of the box.
#[inline(always)]
fn halve_time(swept: &SweptBox, grain: f64) -> bool {
    let (half, motion) = (&swept.half.0, &swept.motion.0);
    let whole = [half[0] + motion[0] + grain, half[1] + motion[1] + grain, half[2] + motion[2] + grain];
    let time = (whole[0] - 0.5 * motion[0]) * (whole[1] - 0.5 * motion[1]) * (whole[2] - 0.5 * motion[2]);
    // Halving side i leaves (whole_i - half_i / 2) / whole_i; compare volumes without dividing.
    let rest = [whole[1] * whole[2], whole[0] * whole[2], whole[0] * whole[1]];
    let node = (0..3).map(|i| (whole[i] - 0.5 * half[i]) * rest[i]).fold(f64::INFINITY, f64::min);
    time < TIME_BIAS * node
}

fn slice(k: usize, n: usize) -> Span {
    Span::new(k as f64 / n as f64, if k + 1 == n { 1.0 } else { (k + 1) as f64 / n as f64 })
}

/// 0..n in the order of repeated halving: middle first, so that a contact anywhere is met early.
fn bisection_order(n: usize) -> impl Iterator<Item = usize> {
    let bits = usize::BITS - n.next_power_of_two().leading_zeros() - 1;
    (0..n.next_power_of_two())
        .map(move |i| if bits == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - bits) })
        .filter(move |&k| k < n)
}
