//! Two meshes in relative motion: oriented boxes in tandem, each pair advanced in time on its own. [Zhang 2006, per pair; Gottschalk 1996]
//!
//! ```text
//! (box, box, t): apart before t ─► the larger is opened: its children against the other, eight at a time ─► (child, other, t + step)
//!       ▲                                                                                                          │
//!       └──── the earliest first (any contact: the last first) ◄───────────────────────────────────────────────────┘
//!                     (triangle, triangle, t) ─► steps of its own ─► near a contact: `advance` brackets it
//! ```
//!
//! Sound: a step is a proof that the pair stays apart for its length (`math/simd/oriented.rs`, `triangles.rs`), children inherit their
//! parents' proofs, and what is dropped is apart until the end or until a contact that is known. Everything that is left is in the queue.
//!
//! The queue is emptied in the order of time, so that hardly anything is done for times after the first contact.

mod place;
mod queue;
pub(super) mod trees;
mod triangles;

use std::cell::RefCell;
use std::ops::ControlFlow;

use self::place::Before;
use self::queue::{Entry, Queue};
use self::triangles::Approach;
use super::checker::{Checker, Want};
use super::options::Engine;
use super::search::{Answer, Found, first_avx2, first_portable};
use super::tasks::{Body, Task};
use super::verdict::Tally;
use crate::advance::pair::{Moving, Outcome, Sharpness};
use crate::exact::Pair;
use crate::exact::pair::Effort;
use crate::math::rounding::f32_above;
use crate::math::simd::{Avx2, Lanes, Mover, Portable, advance, dispatch, meet};
use crate::motion::{Relative, Span, Tube};
use crate::scene::Motion;
use crate::shape::tree::{RestingItem, WideTree};

/// Sizes and speeds, in metres and per motion, for which squares of speeds are safe in `f32`.
const SIZES: std::ops::RangeInclusive<f64> = 1e-6..=1e6;
const FASTEST: f64 = 1e12;
/// A pair of triangles that steps this little in time is near a contact.
const FINE: f64 = 1e-5;
/// The shortest span that is looked at for a contact, in units of the bracket asked for: `advance` looks ahead so far.
const SHORTEST: f64 = 2048.0;
/// Steps of a pair of triangles before others have their turn.
const STEPS: usize = 16;

/// A task made ready.
struct Side<'a> {
    task: Task,
    relative: Relative<'a>,
    moving: &'a WideTree,
    resting: &'a WideTree,
    /// The whole motion, where nothing turns.
    straight: Option<Tube>,
    one_axis: bool,
    /// Margin, and error of what rests.
    extra: f64,
}

enum Stop {
    Contact,
    OutOfWork,
}

type Flow = ControlFlow<Stop>;

struct Boxes<'a> {
    checker: &'a Checker,
    sides: Vec<Side<'a>>,
    queue: &'a mut Queue,
    sharpness: Sharpness,
    want: Want,
    best: Option<Found>,
    /// Nothing at or after this matters: where the bracket of the best contact may begin.
    cut: f64,
    /// The earliest time that could not be decided.
    undecided: f64,
    tally: Tally,
}

thread_local! {
    static QUEUE: RefCell<Queue> = RefCell::default();
}

/// Whether this engine is to answer for these tasks: asked for or fastest, and able to.
pub(super) fn answers(checker: &Checker, motion: &Motion, tasks: &[Task]) -> bool {
    let wanted = match checker.options().engine {
        Engine::Sweep => false,
        Engine::Boxes => true,
        Engine::Auto => tasks.iter().all(|task| is_free_body(checker, motion, task)),
    };
    wanted && !tasks.is_empty() && tasks.iter().all(|task| side(checker, motion, task).is_some_and(|s| s.is_tame()))
}

/// Whether both sides hang on the world: chains of several joints bend more, and the sweep is faster for them.
fn is_free_body(checker: &Checker, motion: &Motion, task: &Task) -> bool {
    let (a, b) = (&checker.tasks.moving[task.moving], &checker.tasks.resting[task.resting]);
    [a.frame, b.frame].iter().all(|&frame| motion.chain.parents[frame] == 0)
}

/// The contact that `want` asks for, and the work it took. Only where [`answers`].
pub(super) fn search(checker: &Checker, motion: &Motion, tasks: &[Task], want: Want) -> (Answer, Tally) {
    QUEUE.with_borrow_mut(|queue| {
        queue.reset(want == Want::First);
        let o = checker.options();
        let mut boxes = Boxes {
            checker,
            sides: tasks.iter().filter_map(|task| side(checker, motion, task)).collect(),
            queue,
            sharpness: Sharpness { margin: o.margin, tolerance: o.tolerance, time: o.time_tolerance },
            want,
            best: None,
            cut: f64::INFINITY,
            undecided: f64::INFINITY,
            tally: Tally::default(),
        };
        let answer = dispatch(run_avx2, run_portable, &mut boxes);
        (answer, boxes.tally)
    })
}

fn side<'a>(checker: &'a Checker, motion: &'a Motion, task: &Task) -> Option<Side<'a>> {
    let relative = checker.relative(&motion.chain, task);
    Some(Side {
        task: *task,
        moving: checker.wide.moving(&checker.tasks, task.moving)?,
        resting: checker.wide.resting(&checker.tasks, task.resting)?,
        straight: (!relative.turns()).then(|| relative.ahead(0.0, 1.0)),
        one_axis: relative.about_one_axis(),
        extra: checker.options().margin + checker.tasks.resting[task.resting].item_error,
        relative,
    })
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn run_avx2(boxes: &mut Boxes<'_>) -> Answer {
    boxes.run::<Avx2>()
}

fn run_portable(boxes: &mut Boxes<'_>) -> Answer {
    boxes.run::<Portable>()
}

impl Side<'_> {
    /// Whether sizes and speeds are those of things that people move.
    fn is_tame(&self) -> bool {
        let tube = self.relative.ahead(0.0, 1.0);
        let reach = self.moving.size() + self.moving.boxes[0].center.norm();
        let speed = tube.velocity.norm() + tube.acceleration(reach) + tube.spin_local.norm() * reach;
        SIZES.contains(&self.moving.size()) && SIZES.contains(&self.resting.size()) && speed < FASTEST
    }
}

impl Boxes<'_> {
    #[inline(always)]
    fn run<L: Lanes>(&mut self) -> Answer {
        for task in 0..self.sides.len() as u32 {
            self.queue.push(Entry { t: 0.0, task, a: 0, b: 0, stride: 0.0 });
        }
        while let Some(entry) = self.queue.pop() {
            if entry.t >= self.end() {
                continue;
            }
            self.tally.boxes += 1;
            let flow = if self.tally.work() > self.checker.options().max_work {
                Flow::Break(Stop::OutOfWork)
            } else {
                self.look::<L>(entry)
            };
            match flow {
                Flow::Continue(()) => {}
                Flow::Break(Stop::Contact) => break,
                Flow::Break(Stop::OutOfWork) => {
                    let until = if self.want == Want::First { self.queue.begin(self.queue.bucket(entry.t)) } else { 0.0 };
                    return Answer::Undecided { free_until: until.min(self.undecided) };
                }
            }
        }
        let free_until = if self.want == Want::First { self.cut.max(0.0).min(self.undecided) } else { 0.0 };
        match self.best {
            Some(found) => Answer::Contact { found, free_until },
            None if self.undecided < f64::INFINITY => Answer::Undecided { free_until },
            None => Answer::Free,
        }
    }

    /// Nothing at or after this matters.
    #[inline(always)]
    fn end(&self) -> f64 {
        if self.want == Want::Any { f64::INFINITY } else { self.cut.min(self.undecided) }
    }

    #[inline(always)]
    fn look<L: Lanes>(&mut self, entry: Entry) -> Flow {
        let side = &self.sides[entry.task as usize];
        let (a, b) = (&side.moving.boxes[entry.a as usize], &side.resting.boxes[entry.b as usize]);
        match (a.is_leaf(), b.is_leaf()) {
            (true, true) => return self.triangles(entry, a.first, b.first),
            (false, true) => self.open::<L>(entry, Mover::Lanes),
            (true, false) => self.open::<L>(entry, Mover::Single),
            (false, false) => self.open::<L>(entry, if a.area > b.area { Mover::Lanes } else { Mover::Single }),
        }
        Flow::Continue(())
    }

    /// Tests the children of one box against the other; `mover` says whether the moving box is the single one.
    #[inline(always)]
    fn open<L: Lanes>(&mut self, entry: Entry, mover: Mover) {
        let horizon = self.end().min(1.0) - entry.t;
        let side = &self.sides[entry.task as usize];
        let (moving, resting) = (&side.moving.boxes[entry.a as usize], &side.resting.boxes[entry.b as usize]);
        let (parent, pack) = match mover {
            Mover::Single => (resting, &side.resting.packs[resting.pack as usize]),
            Mover::Lanes => (moving, &side.moving.packs[moving.pack as usize]),
        };
        let ahead;
        let (tube, since) = match &side.straight {
            Some(tube) => (tube, entry.t),
            None => {
                ahead = side.relative.ahead(entry.t, horizon);
                (&ahead, 0.0)
            }
        };
        let before = Before { tube, since, moving, resting, pack, mover, extra: side.extra };
        let placed = before.placed();
        let probe = before.probe(&placed);
        let limit = f32_above(horizon);
        let mut apart = 0u32;
        let steps = if side.straight.is_some() {
            let meeting = meet::<L>(&pack.lanes, &probe, &before.straight());
            for lane in 0..pack.count {
                apart |= u32::from(meeting.from[lane] > meeting.to[lane]) << lane;
            }
            meeting.from
        } else {
            advance::<L>(&pack.lanes, &probe, &before.turning(&placed, horizon, side.one_axis), mover)
        };
        self.tally.pack_tests += 1;
        for lane in 0..pack.count {
            if steps[lane] > limit || apart & (1 << lane) != 0 {
                continue;
            }
            let child = parent.first + lane as u32;
            let (a, b) = match mover {
                Mover::Single => (entry.a, child),
                Mover::Lanes => (child, entry.b),
            };
            self.queue.push(Entry { t: later(entry.t, steps[lane].into()), a, b, stride: 0.0, ..entry });
        }
    }

    /// Two triangles: steps in time until they are apart for good, or others are earlier, or a contact is near.
    #[inline(always)]
    fn triangles(&mut self, mut entry: Entry, moving: u32, resting: u32) -> Flow {
        if entry.stride > 0.0 {
            return self.bracket(entry, moving, resting);
        }
        let end = self.end().min(1.0);
        let bucket = self.queue.bucket(entry.t);
        let side = &self.sides[entry.task as usize];
        let Body::Mesh(mesh) = &self.checker.tasks.moving[side.task.moving].body else { return Flow::Continue(()) };
        let RestingItem::Triangle(rest) = self.checker.tasks.resting[side.task.resting].tree.item(resting) else {
            return Flow::Continue(());
        };
        let corners = mesh.corners(moving as usize);
        let reach = corners.iter().fold(0.0f64, |m, c| m.max(c.norm())) * (1.0 + 8.0 * crate::math::rounding::U);
        self.tally.pairs += 1;
        if side.straight.is_some() {
            let span = Span::new(entry.t, end);
            let pair = self.checker.pair(&side.task, moving, resting);
            let item_error = self.checker.tasks.resting[side.task.resting].item_error;
            self.tally.pair_steps += 1;
            let window = pair.uncovered(&side.relative.tube(span), item_error, self.sharpness.margin, 0.0, Effort::Usual);
            if window.is_empty() {
                return Flow::Continue(());
            }
            entry.t = span.at(window.from).max(entry.t);
            entry.stride = (SHORTEST * self.sharpness.time) as f32;
        } else {
            let mut step = 0.0;
            for _ in 0..STEPS {
                self.tally.pair_steps += 1;
                let tube = side.relative.ahead(entry.t, end - entry.t);
                step = Approach::new(&tube, &corners, reach, rest, side.extra).free_for(self.sharpness.margin > 0.0);
                if step > end - entry.t {
                    return Flow::Continue(());
                }
                entry.t = later(entry.t, step);
                if step < FINE || self.queue.bucket(entry.t) != bucket {
                    break;
                }
            }
            if step >= FINE {
                self.queue.push(entry);
                return Flow::Continue(());
            }
            entry.stride = (16.0 * step).max(SHORTEST * self.sharpness.time) as f32;
        }
        if self.queue.bucket(entry.t) != bucket {
            self.queue.push(entry);
            return Flow::Continue(());
        }
        self.bracket(entry, moving, resting)
    }

    /// Looks for a contact on a short span; if there is none, a longer one follows later.
    #[inline(always)]
    fn bracket(&mut self, mut entry: Entry, moving: u32, resting: u32) -> Flow {
        let end = self.end().min(1.0);
        let side = &self.sides[entry.task as usize];
        let item_error = self.checker.tasks.resting[side.task.resting].item_error;
        let pair: Pair = self.checker.pair(&side.task, moving, resting);
        let advance = Moving { pair, relative: &side.relative, item_error, sharpness: self.sharpness };
        let span = Span::new(entry.t, (entry.t + f64::from(entry.stride)).min(end));
        let steps = &mut self.tally.pair_steps;
        let mut outcome = dispatch(first_avx2, first_portable, (&advance, span, steps));
        if let Outcome::Undecided { lo } = outcome
            && span.to < end
        {
            // With more ahead there is more to find.
            outcome = dispatch(first_avx2, first_portable, (&advance, Span::new(lo, end), steps));
        }
        match outcome {
            Outcome::Contact { lo, hi } => {
                if self.best.is_none_or(|best| hi < best.hi) {
                    self.best = Some(Found { task: entry.task as usize, moving, resting, lo, hi });
                    self.cut = (hi - 0.98 * self.sharpness.time).min(lo);
                }
                if self.want == Want::Any {
                    return Flow::Break(Stop::Contact);
                }
            }
            Outcome::Undecided { lo } => self.undecided = self.undecided.min(lo),
            Outcome::Free if span.to < end => {
                (entry.t, entry.stride) = (span.to, 8.0 * entry.stride);
                self.queue.push(entry);
            }
            Outcome::Free => {}
        }
        Flow::Continue(())
    }
}

/// A time that is not after `t + step`, nor after the end of the motion.
#[inline(always)]
fn later(t: f64, step: f64) -> f64 {
    if step > 0.0 { (t + step).next_down().max(t).min(1.0) } else { t }
}
