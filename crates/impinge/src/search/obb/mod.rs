//! Two meshes in relative motion: oriented boxes in tandem, each pair advanced in time on its own. [Zhang 2006, per pair; Gottschalk 1996]
//!
//! ```text
//! (box, box, t): apart before t ─► the larger is opened: its children against the other, eight at a time ─► (child, other, t + step)
//!       ▲                                                                                                          │
//!       └──── the earliest first (any contact: the last first) ◄───────────────────────────────────────────────────┘
//!                     (triangle, triangle, t) ─► steps of its own ─► near a contact: `advance` brackets it
//! ```
//!
//! Sound: a step is a proof that the pair stays apart for its length (`math/simd/oriented.rs`, `again.rs`, `triangles.rs`), children inherit
//! their parents' proofs, and what is dropped is apart until the end, or until a contact that is known. All that is left is in the queue.
//!
//! ```text
//! state   where a body is and how it moves        queue   what is left, by time       trees   built when first needed
//! place   a box before eight others, in f32       again   one pair of boxes again     leaf, triangles   pairs of triangles
//! straight   all pairs that touch while nothing turns
//! ```

mod again;
mod leaf;
mod place;
mod queue;
mod state;
pub(crate) mod straight;
#[cfg(test)]
mod tests;
pub(crate) mod trees;
mod triangles;

use std::cell::RefCell;

use self::place::Before;
use self::queue::{Entry, Queue};
use self::state::{Basis, Course, State};
use crate::bvh::wide::WidePack;
use crate::bvh::{WideBox, WideTree};
use crate::math::rounding::{U, f32_above};
use crate::math::simd::{Asked, Avx2, Lanes, Mover, Portable, advance, dispatch, meet};
use crate::motion::Relative;
use crate::search::options::Engine;
use crate::search::pairs::Task;
use crate::search::verdict::Tally;
use crate::search::{Answer, Collector, Flow, Goal, Index, Query, Stop};

/// Sizes in metres, and speeds per motion, for which squares of speeds are safe in `f32`.
const SIZES: std::ops::RangeInclusive<f64> = 1e-6..=1e6;
const FASTEST: f64 = 1e12;
/// A step that turned and bent by more than this share of the boxes' sizes is followed by another look at them, and by another step if that
/// goes on for more than this share of the last.
const LOOSE: f64 = 0.02;
const WORTH: f64 = 0.1;

/// A task made ready.
pub(crate) struct Side<'a> {
    task: Task,
    relative: Relative<'a>,
    moving: &'a WideTree,
    resting: &'a WideTree,
    course: Course<'a>,
    /// Margin, and error of what rests.
    extra: f64,
}

struct Boxes<'a> {
    index: &'a Index,
    sides: Vec<Side<'a>>,
    queue: &'a mut Queue,
    collector: Collector<'a>,
    tally: Tally,
}

thread_local! {
    static QUEUE: RefCell<Queue> = RefCell::default();
}

/// The tasks made ready, if this engine can answer, and was asked for or is the fastest.
pub(crate) fn sides<'a>(query: &Query<'a>, tasks: &[Task]) -> Option<Vec<Side<'a>>> {
    if !is_wanted(query.index, query.options.engine, tasks) {
        return None;
    }
    tasks.iter().map(|task| Side::new(query, task).filter(Side::is_tame)).collect()
}

/// Whether the engine was chosen, or is the fastest for these tasks.
pub(crate) fn is_wanted(index: &Index, engine: Engine, tasks: &[Task]) -> bool {
    !tasks.is_empty() && (engine == Engine::Boxes || tasks.iter().all(|task| is_free(index, task)))
}

/// Whether both sides hang on the world: chains of several joints bend more, and the sweep is faster for them.
fn is_free(index: &Index, task: &Task) -> bool {
    let (a, b) = (&index.tasks.moving[task.moving], &index.tasks.resting[task.resting]);
    let parents = &index.scene.parents;
    parents[a.frame] == 0 && parents[b.frame] == 0
}

/// The contact that is the goal, and the work it took.
pub(crate) fn search(query: &Query<'_>, sides: Vec<Side<'_>>) -> (Answer, Tally) {
    QUEUE.with_borrow_mut(|queue| {
        queue.reset(query.goal == Goal::First);
        let mut boxes = Boxes { index: query.index, sides, queue, collector: query.collector(), tally: Tally::default() };
        let answer = dispatch(run_avx2, run_portable, &mut boxes);
        (answer, boxes.tally)
    })
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn run_avx2(boxes: &mut Boxes<'_>) -> Answer {
    boxes.run::<Avx2>()
}

fn run_portable(boxes: &mut Boxes<'_>) -> Answer {
    boxes.run::<Portable>()
}

impl<'a> Side<'a> {
    fn new(query: &Query<'a>, task: &Task) -> Option<Self> {
        let index = query.index;
        let relative = index.relative(&query.motion.chain, task);
        Some(Side {
            task: *task,
            moving: index.wide.moving(&index.tasks, task.moving)?,
            resting: index.wide.resting(&index.tasks, task.resting)?,
            course: Course::new(&relative),
            extra: query.options.margin + index.tasks.resting[task.resting].item_error,
            relative,
        })
    }

    /// Whether sizes and speeds are those of things that people move.
    fn is_tame(&self) -> bool {
        let mut room = None;
        let state = self.state(0.0, 1.0, &mut room);
        let center = self.moving.boxes[0].center;
        let reach = self.moving.size() + center.norm();
        let speed = state.velocity.norm() + state.spin_size * reach + state.passing(center.into(), self.moving.size(), 1.0).bend;
        SIZES.contains(&self.moving.size()) && SIZES.contains(&self.resting.size()) && speed < FASTEST
    }

    /// The box of the two whose children are tested, and these.
    #[inline(always)]
    fn opened<'b>(&'b self, mover: Mover, moving: &'b WideBox, resting: &'b WideBox) -> (&'b WideBox, &'b WidePack) {
        match mover {
            Mover::Single => (resting, &self.resting.packs[resting.pack as usize]),
            Mover::Lanes => (moving, &self.moving.packs[moving.pack as usize]),
        }
    }

    /// Where the moving body is at `t`, with bounds until `t + horizon`.
    #[inline(always)]
    fn state<'s>(&'s self, t: f64, horizon: f64, room: &'s mut Option<Basis>) -> State<'s> {
        self.course.state(&self.relative, t, horizon, room)
    }
}

impl Boxes<'_> {
    #[inline(always)]
    fn run<L: Lanes>(&mut self) -> Answer {
        for task in 0..self.sides.len() as u32 {
            self.queue.push(Entry { t: 0.0, task, a: 0, b: 0, stride: 0.0 });
        }
        while let Some(entry) = self.queue.pop(self.collector.horizon()) {
            if entry.t >= self.collector.horizon() {
                continue;
            }
            match self.step::<L>(entry) {
                Flow::Continue(()) => {}
                Flow::Break(Stop::Contact) => break,
                Flow::Break(Stop::OutOfWork) => return self.collector.finish(self.queue.begin(self.queue.bucket(entry.t))),
            }
        }
        self.collector.finish(f64::INFINITY)
    }

    /// One pair of boxes, if that is within the budget.
    #[inline(always)]
    fn step<L: Lanes>(&mut self, entry: Entry) -> Flow {
        self.tally.boxes += 1;
        if self.queue.is_full() {
            return Flow::Break(Stop::OutOfWork);
        }
        self.collector.within_budget(self.tally.work())?;
        self.look::<L>(entry)
    }

    #[inline(always)]
    fn look<L: Lanes>(&mut self, entry: Entry) -> Flow {
        let side = &self.sides[entry.task as usize];
        let (a, b) = (&side.moving.boxes[entry.a as usize], &side.resting.boxes[entry.b as usize]);
        let Some(mover) = Mover::of_larger(a, b) else {
            return self.triangles::<L>(entry, a.first, b.first);
        };
        // Called once: it is a lot of code.
        self.open::<L>(entry, mover);
        Flow::Continue(())
    }

    /// Tests the children of one box against the other; `mover` says whether the moving box is the single one.
    #[inline(always)]
    fn open<L: Lanes>(&mut self, entry: Entry, mover: Mover) {
        let horizon = self.collector.horizon().min(1.0) - entry.t;
        let side = &self.sides[entry.task as usize];
        let (moving, resting) = (&side.moving.boxes[entry.a as usize], &side.resting.boxes[entry.b as usize]);
        let mut room = None;
        let state = side.state(entry.t, horizon, &mut room);
        if side.course.turns() && is_loose(&state, moving, resting, entry.stride.into()) {
            self.tally.pair_steps += 1;
            let step = again::free_for::<L>(&state, moving, resting, side.extra, horizon);
            if step > horizon {
                return;
            }
            if step >= WORTH * f64::from(entry.stride) {
                self.queue.push(Entry { t: later(entry.t, step), stride: step as f32, ..entry });
                return;
            }
        }
        let (parent, pack) = side.opened(mover, moving, resting);
        let before = Before { state: &state, moving, resting, pack, mover, extra: side.extra };
        let placed = before.placed::<L>();
        let asked = Asked { lanes: pack.filled, until: f32_above(horizon) };
        let steps = if side.course.turns() {
            advance::<L>(&pack.lanes, &placed.probe, &before.turning(&placed, horizon), mover, asked)
        } else {
            meet::<L>(&pack.lanes, &placed.probe, &before.straight(), asked)
        };
        self.tally.pack_tests += 1;
        let mut near = asked.near(steps);
        let steps = steps.store();
        while near != 0 {
            let lane = near.trailing_zeros() as usize & 7;
            near &= near - 1;
            let step = steps[lane];
            let child = parent.first + lane as u32;
            let (a, b) = match mover {
                Mover::Single => (entry.a, child),
                Mover::Lanes => (child, entry.b),
            };
            self.queue.push(Entry { t: later(entry.t, step.into()), a, b, stride: step, ..entry });
        }
    }
}

impl Mover {
    /// Whose children are tested: those of the box with the larger surface; `None` where both are leaves.
    #[inline(always)]
    fn of_larger(moving: &WideBox, resting: &WideBox) -> Option<Mover> {
        match (moving.is_leaf(), resting.is_leaf()) {
            (true, true) => None,
            (true, false) => Some(Mover::Single),
            (false, true) => Some(Mover::Lanes),
            (false, false) => Some(if moving.area > resting.area { Mover::Lanes } else { Mover::Single }),
        }
    }
}

/// Whether a step went over so much turning and bending that another look at the same boxes may pay.
#[inline(always)]
fn is_loose(state: &State<'_>, moving: &WideBox, resting: &WideBox, step: f64) -> bool {
    let (a, b) = (f64::from(moving.radius), f64::from(resting.radius));
    let bend = state.spin_size * (state.spin_size * (moving.center.max_abs() + a));
    state.spin_size * a * step + 0.5 * bend * step * step > LOOSE * (a + b)
}

/// A time that is not after `t + step`, nor after the end of the motion.
#[inline(always)]
fn later(t: f64, step: f64) -> f64 {
    // One less by 2 u is at most the number below it, which is at most t + step.
    if step > 0.0 { ((t + step) * (1.0 - 2.0 * U)).max(t).min(1.0) } else { t }
}
