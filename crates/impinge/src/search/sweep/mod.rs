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

pub(crate) mod bounding_spheres;
pub(crate) mod descend;
pub(crate) mod gather;
pub(crate) mod resolve;
pub(crate) mod swept_box;
pub(crate) mod timeline;

use std::cell::RefCell;
use std::ops::ControlFlow;

use crate::math::simd::dispatch;
use crate::motion::{Chain, Relative, Span};
use crate::narrow::advance::{Moving, Outcome, Question, Repeated};
use crate::search::pairs::Task;
use crate::search::sweep::bounding_spheres::Balls;
use crate::search::sweep::descend::{Step, descend_avx2, descend_portable, reaches_avx2, reaches_portable};
use crate::search::sweep::gather::Packs;
use crate::search::sweep::resolve::Seen;
use crate::search::sweep::timeline::{SpanId, Timeline};
use crate::search::verdict::Tally;
use crate::search::{Answer, Collector, Found, Goal, Index, Items, Query};

/// Memory that a search reuses.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub timeline: Timeline,
    pub balls: Balls,
    pub packs: Packs,
    pub steps: Vec<Step>,
    /// Leaf packs, and which of their lanes each triangle of a leaf reaches.
    pub reached: Vec<(u32, u32)>,
}

/// A pair that is not yet proven apart on a span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suspect {
    pub items: Items,
    pub span: Span,
    /// How much later than the span, at most, a contact along the last direction to let go would begin; or infinity.
    pub lag: f64,
    /// A time at which it is proven to touch, or infinity.
    pub touches_at: f64,
}

/// Why a descent stopped early.
pub(crate) enum Stop {
    Contact(Found),
    Undecided(f64),
    OutOfWork,
}

pub(crate) type Flow = ControlFlow<Stop>;

/// What to do with a pair that the exact axes leave over.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    /// Decide it at once; stop at a contact.
    Any,
    /// Keep it for later; a proven contact shortens the search.
    Collect,
    /// Keep all.
    All,
}

/// A slice in which things move by less than this many grains of what rests is resolved pair by pair.
const SMALL: f64 = 0.8;
/// Slices a motion is cut into at first turn this much: for any contact, and for the first one, where a slice that touches is halved.
pub(crate) const SLICE: f64 = 0.4;
const FIRST_SLICE: f64 = 0.25;
/// With fewer tasks than this, each is visited in every slice.
const MANY_TASKS: usize = 12;
/// Slices that a motion is cut into at most.
const MOST_SLICES: usize = 4096;
/// Pairs that are kept at most: of a slice in which they are resolved together, and of all that touch. 48 bytes each.
pub(crate) const MOST_COLLECTED: usize = 1 << 20;
pub(crate) const MOST_LISTED: usize = 1 << 21;
/// Where a slice that touches is cut: most of what precedes a contact is free and quickly proven so.
const CUT: f64 = 0.6;

pub(crate) struct Search<'a> {
    pub index: &'a Index,
    pub chain: &'a Chain,
    pub tasks: &'a [Task],
    /// For each task, how its moving side moves.
    pub relatives: Vec<Relative<'a>>,
    pub scratch: &'a mut Scratch,
    pub collector: Collector<'a>,
    pub mode: Mode,
    /// Nothing at or after this time matters any more.
    pub limit: f64,
    pub suspects: Vec<Suspect>,
    /// The limit at which collected pairs were last sifted.
    kept_before: f64,
    /// For each slice of time, the tasks that are not proven apart in it; empty where all tasks are looked at in every slice.
    near: Vec<Vec<usize>>,
    pub tally: Tally,
    /// The last contact that was looked at more closely.
    pub seen: Option<Seen>,
    /// The last pair that took long.
    repeated: Repeated,
}

thread_local! {
    pub(crate) static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl<'a> Search<'a> {
    pub fn new(query: &Query<'a>, tasks: &'a [Task], scratch: &'a mut Scratch) -> Self {
        let chain = &query.motion.chain;
        let relatives = tasks.iter().map(|t| query.index.relative(chain, t)).collect();
        Search::with(query.index, query.collector(), chain, (tasks, relatives), scratch)
    }

    /// With a motion of its own for every task, all of one chain.
    pub fn with(
        index: &'a Index,
        collector: Collector<'a>,
        chain: &'a Chain,
        (tasks, relatives): (&'a [Task], Vec<Relative<'a>>),
        scratch: &'a mut Scratch,
    ) -> Self {
        scratch.timeline.link_states = 0;
        Search {
            index,
            chain,
            tasks,
            relatives,
            scratch,
            collector,
            mode: Mode::Any,
            limit: f64::INFINITY,
            suspects: Vec::new(),
            kept_before: f64::INFINITY,
            near: Vec::new(),
            tally: Tally::default(),
            seen: None,
            repeated: Repeated::default(),
        }
    }

    /// Counts from what was done before.
    pub fn begin_with(&mut self, spent: Tally) {
        self.tally = spent;
        self.scratch.timeline.link_states = spent.link_states;
    }

    /// The contact that is the goal.
    pub fn run(&mut self) -> Answer {
        match self.collector.goal {
            Goal::Any => self.any(),
            Goal::First => self.first(),
        }
    }

    /// Is there any contact?
    fn any(&mut self) -> Answer {
        self.mode = Mode::Any;
        let n = slices(self.amount(), SLICE);
        if self.sift(n).is_break() {
            return self.collector.finish(0.0);
        }
        for k in bisection_order(n) {
            let span = Span::slice(k, n);
            match self.search(span, k, 0) {
                None => {}
                Some((_, Stop::Contact(Found { items, lo, hi }))) => {
                    let _ends = self.collector.offer(items, Outcome::Contact { lo, hi });
                    break;
                }
                Some((_, Stop::Undecided(lo))) => self.collector.leave_open(lo),
                Some((_, Stop::OutOfWork)) => return self.collector.finish(0.0),
            }
        }
        self.collector.finish(f64::INFINITY)
    }

    /// Which contact comes first?
    fn first(&mut self) -> Answer {
        let amount = self.amount();
        let n = slices(amount, FIRST_SLICE);
        if self.sift(n).is_break() {
            return self.collector.finish(0.0);
        }
        let mut stack: Vec<(Span, usize, usize, Mode)> = (0..n).rev().map(|k| (Span::slice(k, n), k, 0, Mode::Any)).collect();
        let mut known: Option<Found> = None;
        while let Some((mut span, slice, first_task, mode)) = stack.pop() {
            if span.from >= self.limit {
                break;
            }
            span.to = span.to.min(self.limit);
            let small = mode == Mode::Collect || span.length() * amount <= self.index.small_amount(SMALL) || span.length() < 1e-6;
            self.mode = if small { Mode::Collect } else { Mode::Any };
            match self.search(span, slice, first_task) {
                None if small => {
                    self.resolve();
                    // Slices come in the order of time. After one that stays undecided a contact is still an answer.
                    if self.collector.has_contact() {
                        break;
                    }
                    // A contact shortened the search but was not found again: two proofs contradict each other; claim neither.
                    if self.limit < span.to {
                        known.into_iter().for_each(|found| self.collector.adopt_contact(found, span.from));
                        return self.collector.finish(span.from);
                    }
                }
                None => {}
                // What touches from the start on needs no search for anything earlier.
                Some((_, Stop::Contact(Found { items, .. }))) if span.from <= 0.0 && self.touches_at_start(items) => {
                    self.collector.adopt_contact(Found { items, lo: 0.0, hi: 0.0 }, 0.0);
                    break;
                }
                Some((task, Stop::Contact(found))) => {
                    self.limit = self.limit.min(found.hi);
                    known = Some(found);
                    let middle = span.from + CUT * (span.to.min(self.limit) - span.from);
                    stack.push((Span::new(middle, span.to), slice, task, Mode::Any));
                    stack.push((Span::new(span.from, middle), slice, task, Mode::Any));
                }
                // A stubborn pair: resolve the slice pair by pair, in time order.
                Some((task, Stop::Undecided(_))) => stack.push((span, slice, task, Mode::Collect)),
                Some((_, Stop::OutOfWork)) => {
                    known.into_iter().for_each(|found| self.collector.adopt_contact(found, span.from));
                    return self.collector.finish(span.from);
                }
            }
        }
        // The contact that set the limit, if nothing came before it: everything before it is proven free, or left open.
        if let (false, Some(found)) = (self.collector.has_contact(), known) {
            self.collector.adopt_contact(Found { lo: found.hi, ..found }, found.hi);
        }
        self.collector.finish(f64::INFINITY)
    }

    /// Every pair that is not proven apart on a short span, once each; as far as work and memory allow.
    pub fn all(&mut self, span: Span) -> Vec<Suspect> {
        self.all_or_some(span).0
    }

    /// The same, and whether these are all of them.
    pub fn all_or_some(&mut self, span: Span) -> (Vec<Suspect>, bool) {
        self.mode = Mode::All;
        self.near.clear();
        let complete = self.search(span, 0, 0).is_none();
        let mut suspects = std::mem::take(&mut self.suspects);
        suspects.sort_by_key(|s| s.items);
        suspects.dedup_by_key(|s| s.items);
        (suspects, complete)
    }

    /// Where there are many tasks, finds out which may touch at all in which slice: each is looked at over the whole motion, then over halves
    /// of it, as long as it is not proven apart.
    fn sift(&mut self, slices: usize) -> Flow {
        self.near.clear();
        if self.tasks.len() < MANY_TASKS {
            return Flow::Continue(());
        }
        self.near.resize(slices, Vec::new());
        let mut open = vec![((0, slices), (0..self.tasks.len()).collect::<Vec<usize>>())];
        while let Some(((from, to), mut tasks)) = open.pop() {
            // One slice is looked at when it is searched.
            if to - from == 1 {
                self.near[from] = tasks;
                continue;
            }
            let span = Span::new(Span::slice(from, slices).from, Span::slice(to - 1, slices).to);
            if self.out_of_work() {
                return Flow::Break(Stop::OutOfWork);
            }
            let root = self.begin(span);
            tasks.retain(|&task| !self.balls_apart(task, root) && dispatch(reaches_avx2, reaches_portable, (self, task, root)));
            if !tasks.is_empty() {
                let middle = from + (to - from) / 2;
                open.push(((middle, to), tasks.clone()));
                open.push(((from, middle), tasks));
            }
        }
        Flow::Continue(())
    }

    /// Begins with a span: nothing is known of it.
    fn begin(&mut self, span: Span) -> SpanId {
        let tasks = &self.index.tasks;
        if !self.near.is_empty() {
            self.scratch.balls.reset(tasks.moving.len(), tasks.resting.len());
        }
        self.scratch.timeline.reset(self.chain.joints.len(), span)
    }

    /// Searches one slice or a part of it, from the task at `first` on; stops at the first reason to.
    fn search(&mut self, span: Span, slice: usize, first: usize) -> Option<(usize, Stop)> {
        let root = self.begin(span);
        self.suspects.clear();
        self.kept_before = f64::INFINITY;
        let all = self.tasks.len();
        let tasks = self.near.get_mut(slice).map(std::mem::take);
        let stopped = match &tasks {
            Some(near) => self.visit(near.iter().copied().filter(|&task| task >= first), root),
            None => self.visit(first..all, root),
        };
        if let Some(tasks) = tasks {
            self.near[slice] = tasks;
        }
        stopped
    }

    pub fn visit(&mut self, tasks: impl Iterator<Item = usize>, root: SpanId) -> Option<(usize, Stop)> {
        let many = !self.near.is_empty();
        for task in tasks {
            if many && self.balls_apart(task, root) {
                continue;
            }
            let flow = dispatch(descend_avx2, descend_portable, (self, task, root));
            self.tally.link_states = self.scratch.timeline.link_states;
            if let ControlFlow::Break(stop) = flow {
                return Some((task, stop));
            }
        }
        None
    }

    /// A pair not yet proven apart.
    pub fn pair(&mut self, suspect: Suspect) -> Flow {
        let Suspect { items, span, touches_at, .. } = suspect;
        if span.from >= self.limit {
            return Flow::Continue(());
        }
        if self.mode == Mode::All {
            if self.suspects.len() >= MOST_LISTED {
                return Flow::Break(Stop::OutOfWork);
            }
            self.suspects.push(suspect);
            return Flow::Continue(());
        }
        if self.mode == Mode::Collect {
            if self.suspects.len() >= MOST_COLLECTED {
                self.decide_now(suspect);
                return Flow::Continue(());
            }
            self.suspects.push(suspect);
            // The contact itself stays among the suspects; nothing after it matters.
            self.limit = self.limit.min(touches_at.next_up());
            return Flow::Continue(());
        }
        if touches_at < f64::INFINITY {
            let (lo, hi) = (span.from.min(touches_at), touches_at);
            return Flow::Break(Stop::Contact(Found { items, lo, hi }));
        }
        match self.advance(&suspect, span) {
            Outcome::Free => Flow::Continue(()),
            Outcome::Contact { lo, hi } => Flow::Break(Stop::Contact(Found { items, lo, hi })),
            // Where any contact will do, others of the slice may show one.
            Outcome::Undecided { lo } if self.collector.goal == Goal::Any => {
                self.collector.leave_open(lo);
                if self.collector.doubt_ends() { Flow::Break(Stop::OutOfWork) } else { Flow::Continue(()) }
            }
            Outcome::Undecided { lo } => Flow::Break(Stop::Undecided(lo)),
        }
    }

    /// Too many pairs are collected: those after the limit are dropped; if that gives no room, this one is decided at once. Of a contact that is
    /// no earlier than the limit, and of what stays undecided, only the time from which it is not known to be free is kept.
    #[cold]
    fn decide_now(&mut self, suspect: Suspect) {
        let limit = self.limit;
        if limit < self.kept_before {
            self.suspects.retain(|s| s.span.from < limit);
            self.kept_before = limit;
        }
        if self.suspects.len() < MOST_COLLECTED {
            self.suspects.push(suspect);
            self.limit = limit.min(suspect.touches_at.next_up());
            return;
        }
        let outcome = if self.out_of_work() {
            Outcome::Undecided { lo: suspect.span.from }
        } else {
            self.advance(&suspect, Span::new(suspect.span.from, suspect.span.to.min(limit)))
        };
        match outcome {
            Outcome::Free => {}
            Outcome::Contact { lo, hi } if hi.next_up() < limit => {
                self.suspects.push(Suspect { span: Span::new(lo, suspect.span.to), touches_at: hi, ..suspect });
                self.limit = hi.next_up();
            }
            Outcome::Contact { lo, .. } | Outcome::Undecided { lo } => self.collector.leave_open(lo),
        }
    }

    /// Whether a pair is proven to touch where the motion begins.
    fn touches_at_start(&self, items: Items) -> bool {
        self.moving(items).touches(0.0)
    }

    /// Whether the work limit is reached, or the query is cancelled.
    #[inline(always)]
    pub fn out_of_work(&self) -> bool {
        self.collector.within_budget(self.tally.work()).is_break()
    }

    /// Two items, and how one moves as seen from the other.
    pub fn moving(&self, Items { task, moving, resting }: Items) -> Moving<'_> {
        let of = self.tasks[task];
        Moving {
            pair: self.index.pair(&of, moving, resting),
            relative: &self.relatives[task],
            item_error: self.index.tasks.resting[of.resting].item_error,
            sharpness: self.collector.sharpness,
        }
    }

    pub fn advance(&mut self, s: &Suspect, span: Span) -> Outcome {
        let moving = self.moving(s.items);
        // NaN for any contact: the two ways are not confused.
        let lag = if self.mode == Mode::Any { f64::NAN } else { s.lag };
        let asked = Question { task: s.items.task, pair: moving.pair, span, lag };
        if let Some(outcome) = self.repeated.answer(&asked) {
            self.tally.pair_steps += 1;
            return outcome;
        }
        let mut steps = 0;
        let outcome = match self.mode {
            Mode::Any => dispatch(any_avx2, any_portable, (&moving, span, &mut steps)),
            Mode::Collect | Mode::All => dispatch(first_avx2, first_portable, (&moving, span, s.lag, &mut steps)),
        };
        self.tally.pair_steps += steps;
        self.repeated.keep(asked, outcome, steps);
        outcome
    }

    /// The first contact of a suspect on its span.
    pub fn advance_first(&mut self, s: &Suspect) -> Outcome {
        self.mode = Mode::Collect;
        self.advance(s, s.span)
    }

    /// How much happens at most between the two sides of any task.
    fn amount(&self) -> f64 {
        (0..self.tasks.len()).map(|task| self.amount_of(task)).fold(0.0, f64::max)
    }

    /// How much happens between the two sides of a task: turning of the joints between them, and travel over the size of what moves.
    pub fn amount_of(&self, task: usize) -> f64 {
        let size = self.index.size.max(1e-300);
        let (mut a, mut b) = self.relatives[task].frames();
        let mut amount = 0.0;
        // Up to where both meet: parents come before children.
        while a != b {
            let later = if a > b { &mut a } else { &mut b };
            let joint = &self.chain.joints[*later];
            amount += joint.rate.abs() + joint.speed / size;
            *later = self.chain.parents[*later] as usize;
        }
        amount
    }
}

/// Into how many slices a motion of this magnitude is cut; a slice in which much happens is halved by the search itself.
pub(crate) fn slices(amount: f64, each: f64) -> usize {
    (amount / each).ceil().clamp(1.0, MOST_SLICES as f64) as usize
}

pub(crate) type Asked<'a> = (&'a Moving<'a>, Span, &'a mut u64);
/// With the lag of [`Suspect`].
pub(crate) type AskedFirst<'a> = (&'a Moving<'a>, Span, f64, &'a mut u64);

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
pub(crate) fn any_avx2((moving, span, steps): Asked<'_>) -> Outcome {
    moving.any(span, steps)
}

pub(crate) fn any_portable((moving, span, steps): Asked<'_>) -> Outcome {
    moving.any(span, steps)
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
pub(crate) fn first_avx2((moving, span, lag, steps): AskedFirst<'_>) -> Outcome {
    moving.first(span, lag, steps)
}

pub(crate) fn first_portable((moving, span, lag, steps): AskedFirst<'_>) -> Outcome {
    moving.first(span, lag, steps)
}

/// 0..n in the order of repeated halving: middle first, so that a contact anywhere is met early.
fn bisection_order(n: usize) -> impl Iterator<Item = usize> {
    let bits = usize::BITS - n.next_power_of_two().leading_zeros() - 1;
    (0..n.next_power_of_two())
        .map(move |i| if bits == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - bits) })
        .filter(move |&k| k < n)
}
