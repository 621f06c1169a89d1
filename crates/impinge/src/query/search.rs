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
use crate::cull::{Sweep, gather};
use crate::exact::triangles::{self, SweptTriangle};
use crate::exact::Window;
use crate::math::simd::triangles_near;
use crate::motion::chain::Rates;
use crate::motion::{Span, Tube};
use crate::scene::Motion;
use crate::shape::tree::{PackRef, RestingItem};

/// Memory that a search reuses.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    timeline: Timeline,
    packs: Vec<PackRef>,
    rates: Vec<(Rates, Rates)>,
}

/// A pair that is not yet proven apart on a span.
#[derive(Clone, Copy, Debug)]
struct Suspect {
    task: usize,
    moving: u32,
    resting: u32,
    span: Span,
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
/// Slices a motion is cut into at first turn this much.
const SLICE: f64 = 0.4;
/// Time is halved when that leaves less than this share of what halving the node would leave.
const TIME_BIAS: f64 = 0.8;

pub(super) struct Search<'a> {
    checker: &'a Checker,
    motion: &'a Motion,
    tasks: &'a [Task],
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
        scratch.rates.clear();
        for task in tasks {
            let (a, b) = (checker.tasks.moving[task.moving].frame, checker.tasks.resting[task.resting].frame);
            // Only tasks between two moving bodies need rates relative to their common ancestor.
            let between = b != 0;
            scratch.rates.push(if between {
                (motion.chain.rates_from(task.ancestor, a), motion.chain.rates_from(task.ancestor, b))
            } else {
                Default::default()
            });
        }
        Search {
            checker,
            motion,
            tasks,
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
        let n = self.slices();
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
        let n = self.slices();
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
                    let middle = 0.5 * (span.from + span.to.min(self.limit));
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
            self.scratch.packs.clear();
            self.scratch.packs.push(self.checker.tasks.resting[self.tasks[task].resting].tree.root);
            if let ControlFlow::Break(stop) = self.descend(task, 0, root, 0) {
                return Some((task, stop));
            }
        }
        self.tally.link_states = self.scratch.timeline.link_states;
        None
    }

    /// One node of the moving tree over one span, against the packs from `from` on in the list.
    fn descend(&mut self, task: usize, node: u32, mut span: SpanId, from: usize) -> Flow {
        // A span that reaches past the limit is cut back to the half that does not, before anything is tested.
        while self.scratch.timeline.span(span).to > self.limit {
            let halves = self.scratch.timeline.halves(span);
            if self.scratch.timeline.span(halves[1]).from < self.limit {
                break;
            }
            span = halves[0];
        }
        if self.scratch.timeline.span(span).from >= self.limit {
            return Flow::Continue(());
        }
        self.tally.boxes += 1;
        if self.tally.work() > self.checker.options().max_work {
            return Flow::Break(Stop::OutOfWork);
        }
        let t = self.tasks[task];
        let tree = &self.checker.tasks.resting[t.resting].tree;
        let mover = &self.checker.tasks.moving[t.moving];
        let n = &mover.tree.nodes[node as usize];
        let swept = self.sweep(task, span).sweep(n);
        let side = 2.0 * (swept.half + swept.motion).max_abs() * tree.scale;
        let packs = &mut self.scratch.packs;
        let list = gather(tree, &swept.probe, 0.5 * side as f32, packs, from, &mut self.tally.pack_tests);
        let flow = if list == packs.len() {
            Flow::Continue(())
        } else if self.scratch.timeline.span(span).length() > 1e-7
            && halve_time(&swept.half.to_array(), &swept.motion.to_array(), 0.25 * tree.grain + 1e-4 * (tree.extent + n.reach))
        {
            let [early, late] = self.scratch.timeline.halves(span);
            match self.descend(task, node, early, list) {
                Flow::Continue(()) => self.descend(task, node, late, list),
                stop => stop,
            }
        } else if n.leaf {
            let (first, count) = (n.first, n.second);
            self.leaf(task, first, count, n.reach, span, list)
        } else {
            let (first, second) = (n.first, n.second);
            match self.descend(task, first, span, list) {
                Flow::Continue(()) => self.descend(task, second, span, list),
                stop => stop,
            }
        };
        self.scratch.packs.truncate(list);
        flow
    }

    /// The items of a leaf against the packs from `from` on.
    fn leaf(&mut self, task: usize, first: u32, count: u32, reach: f64, span: SpanId, from: usize) -> Flow {
        let t = self.tasks[task];
        let mover = &self.checker.tasks.moving[t.moving];
        for k in first..first + count {
            let moving = mover.tree.order[k as usize];
            let flow = match &mover.body {
                Body::Mesh(mesh) => self.triangle(task, moving, &mesh.corners(moving as usize), reach, span, from),
                Body::Solid(_) => self.solid(task, moving, span, from),
            };
            if flow.is_break() {
                return flow;
            }
        }
        Flow::Continue(())
    }

    /// One moving triangle against the packs: eight at a time, then one by one.
    fn triangle(
        &mut self,
        task: usize,
        moving: u32,
        corners: &[crate::math::Vec3; 3],
        reach: f64,
        span: SpanId,
        from: usize,
    ) -> Flow {
        let resting = &self.checker.tasks.resting[self.tasks[task].resting];
        let extra = self.sharpness.margin + resting.item_error;
        let sweep = *self.sweep(task, span);
        let swept = SweptTriangle::new(&sweep.tube, corners, reach, extra);
        let probe = sweep.probe_of(&swept);
        let narrow = sweep.narrow(&swept);
        let list = gather(&resting.tree, &probe, -1.0, &mut self.scratch.packs, from, &mut self.tally.pack_tests);
        let time = self.scratch.timeline.span(span);
        let mut flow = Flow::Continue(());
        'packs: for at in list..self.scratch.packs.len() {
            let Some(leaf) = self.scratch.packs[at].leaf() else { continue };
            let pack = &resting.tree.leaves[leaf];
            let boxes = crate::math::simd::boxes_near(&pack.boxes, &probe);
            self.tally.triangle_tests += 1;
            let mut near = triangles_near(&pack.triangles, &narrow) & boxes;
            while near != 0 {
                let id = pack.ids[near.trailing_zeros() as usize];
                near &= near - 1;
                self.tally.pairs += 1;
                let mut window = Window::FULL;
                if let RestingItem::Triangle(rest) = resting.tree.item(id) {
                    triangles::narrow(&swept, rest, &mut window);
                }
                if !window.is_empty() {
                    let left = Span::new(time.at(window.from), time.at(window.to));
                    flow = self.pair(task, moving, id, left);
                    if flow.is_break() {
                        break 'packs;
                    }
                }
            }
        }
        self.scratch.packs.truncate(list);
        flow
    }

    /// A moving solid against the packs.
    fn solid(&mut self, task: usize, moving: u32, span: SpanId, from: usize) -> Flow {
        let t = self.tasks[task];
        let checker = self.checker;
        let resting = &checker.tasks.resting[t.resting];
        let root = &checker.tasks.moving[t.moving].tree.nodes[0];
        let probe = self.sweep(task, span).sweep(root).probe;
        let list = gather(&resting.tree, &probe, -1.0, &mut self.scratch.packs, from, &mut self.tally.pack_tests);
        let time = self.scratch.timeline.span(span);
        let mut ids: Vec<u32> = Vec::new();
        for pack in self.scratch.packs.drain(list..) {
            let Some(leaf) = pack.leaf() else { continue };
            let pack = &resting.tree.leaves[leaf];
            let near = crate::math::simd::boxes_near(&pack.boxes, &probe);
            ids.extend((0..8).filter(|lane| near & (1 << lane) != 0).map(|lane| pack.ids[lane]));
        }
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            self.tally.pairs += 1;
            let flow = self.pair(task, moving, id, time);
            if flow.is_break() {
                return flow;
            }
        }
        Flow::Continue(())
    }

    /// A pair not yet proven apart on a span.
    fn pair(&mut self, task: usize, moving: u32, resting: u32, span: Span) -> Flow {
        if span.from >= self.limit {
            return Flow::Continue(());
        }
        let suspect = Suspect { task, moving, resting, span };
        if self.mode == Mode::Collect {
            self.suspects.push(suspect);
            return Flow::Continue(());
        }
        match self.advance(&suspect, |m, steps| m.any(span, steps)) {
            Outcome::Free => Flow::Continue(()),
            Outcome::Contact { lo, hi } => Flow::Break(Stop::Contact(Found { task, moving, resting, lo, hi })),
            Outcome::Undecided { lo } => Flow::Break(Stop::Undecided(lo)),
        }
    }

    /// Resolves the collected suspects, earliest first.
    fn resolve(&mut self) -> Answer {
        let mut suspects = std::mem::take(&mut self.suspects);
        suspects.sort_by(|a, b| a.span.from.total_cmp(&b.span.from));
        let mut best: Option<Found> = None;
        // Before this time everything resolved so far is proven free; the bracket may begin here.
        let mut cut = f64::INFINITY;
        let mut undecided = f64::INFINITY;
        for s in &suspects {
            if s.span.from >= cut {
                break;
            }
            let span = Span::new(s.span.from, s.span.to.min(cut));
            match self.advance(s, |m, steps| m.first(span, steps)) {
                Outcome::Free => {}
                Outcome::Contact { lo, hi } => {
                    if best.is_none_or(|b| hi < b.hi) {
                        best = Some(Found { task: s.task, moving: s.moving, resting: s.resting, lo, hi });
                        cut = lo.max(hi - self.sharpness.time).max(f64::MIN_POSITIVE);
                    }
                }
                Outcome::Undecided { lo } => undecided = undecided.min(lo),
            }
        }
        suspects.clear();
        self.suspects = suspects;
        match best {
            Some(found) => Answer::Contact { found, free_until: found.lo.min(undecided) },
            None if undecided < f64::INFINITY => Answer::Undecided { free_until: undecided },
            None => Answer::Free,
        }
    }

    fn advance<R>(&mut self, s: &Suspect, ask: impl FnOnce(&mut Moving<'_, &mut dyn FnMut(Span) -> Tube>, &mut u64) -> R) -> R {
        let (chain, checker, rates) = (&self.motion.chain, self.checker, self.scratch.rates[s.task]);
        let task = self.tasks[s.task];
        let resting = &checker.tasks.resting[task.resting];
        let mut tube = |span: Span| checker.tube(chain, &task, rates, span);
        let mut moving = Moving {
            pair: checker.pair(&task, s.moving, s.resting),
            tube: &mut tube as &mut dyn FnMut(Span) -> Tube,
            item_error: resting.item_error,
            sharpness: self.sharpness,
        };
        ask(&mut moving, &mut self.tally.pair_steps)
    }

    fn sweep(&mut self, task: usize, span: SpanId) -> &Sweep {
        let (checker, chain, t) = (self.checker, &self.motion.chain, self.tasks[task]);
        let rates = self.scratch.rates[task];
        let extra = self.sharpness.margin + checker.tasks.resting[t.resting].item_error;
        self.scratch.timeline.sweep(task as u32, span, |timeline| {
            let (moving, resting) = (&checker.tasks.moving[t.moving], &checker.tasks.resting[t.resting]);
            let half = timeline.span(span).half();
            let a = timeline.state(chain, moving.frame, span);
            let tube = if resting.frame == 0 {
                Tube::in_world(&a, &chain.errors[moving.frame], &moving.placement, resting.tree.origin, half)
            } else {
                let b = timeline.state(chain, resting.frame, span);
                Tube::between(
                    (&a, &chain.errors[moving.frame], &moving.placement),
                    (&b, &chain.errors[resting.frame], &resting.placement),
                    rates,
                    resting.tree.origin,
                    half,
                )
            };
            Sweep::new(tube, &resting.tree, extra)
        })
    }

    /// How much happens in the motion: turning of all joints, and travel over the size of what moves.
    fn amount(&self) -> f64 {
        let size = self.checker.size.max(1e-300);
        self.motion.chain.joints.iter().map(|j| j.rate.abs() + j.travel.norm() / size).sum()
    }

    fn slices(&self) -> usize {
        (self.amount() / SLICE).ceil().clamp(1.0, 1e6) as usize
    }
}

/// Whether halving the span shrinks the swept volume more than halving the longest side of the box.
#[inline(always)]
fn halve_time(half: &[f64; 3], motion: &[f64; 3], grain: f64) -> bool {
    let (mut time, mut node) = (1.0f64, 1.0f64);
    for i in 0..3 {
        let whole = half[i] + motion[i] + grain;
        time *= (half[i] + 0.5 * motion[i] + grain) / whole;
        node = node.min((0.5 * half[i] + motion[i] + grain) / whole);
    }
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
