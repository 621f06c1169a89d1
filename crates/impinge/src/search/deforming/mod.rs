//! Deforming bodies: their vertices run along lines, so their trees are made anew for every motion, and each is walked in tandem with the
//! tree of whatever it may meet.
//!
//! ```text
//! (node of lines, node of the other, span) ─► boxes over the span apart? drop
//!                                          ─► halve the span, or the larger node
//!                                          ─► triangle × triangle ─► exact pair ─► advance in time
//! ```
//! Sound: boxes over a span hold everything below them (see [`crate::bvh::lines`] and [`Tube::enclose_box`]); spans are halved,
//! never skipped. A deforming body against itself: [`crate::search::deforming::self_contact`].

pub(crate) mod self_contact;

use std::ops::ControlFlow;

use crate::Error;
use crate::bvh::moving::MovingBox;
use crate::bvh::tree::{Next, NodePair, Tree, TreePair};
use crate::geometry::bounding::aabb::Aabb;
use crate::math::pose::Placement;
use crate::math::{Pose, Vec3};
use crate::motion::{Carried, Relative, Span, Tube, VertexLines};
use crate::narrow::Pair;
use crate::narrow::advance::{Moving, Outcome};
use crate::narrow::pair::{Effort, Meeting};
use crate::scene::{Motion, Owner, Scene};
use crate::search::contacts::{WitnessList, incomplete};
use crate::search::deforming::self_contact::OwnTask;
use crate::search::pairs::MovingPiece;
use crate::search::sweep::resolve::resolve;
use crate::search::sweep::{MOST_COLLECTED, MOST_LISTED, Suspect};
use crate::search::verdict::{Contact, ContactState, Tally, Verdict, Witness};
use crate::search::{Answer, Collector, Found, Goal, Items, Query};

/// A deforming body and what it may meet.
#[derive(Debug)]
struct Task {
    /// Which deforming body, and its part.
    lines: (usize, usize),
    other: Other,
}

#[derive(Debug)]
enum Other {
    Piece(MovingPiece),
    Lines(usize, usize),
}

/// All tasks with a deforming body.
#[derive(Debug)]
pub(crate) struct Deforming {
    tasks: Vec<Task>,
    /// Against themselves.
    own: Vec<OwnTask>,
    world: Placement,
}

impl Deforming {
    pub fn new(scene: &Scene) -> Self {
        let deforms = |part: usize| match scene.parts[part].owner {
            Owner::Deformable { deformable } => Some((deformable, part)),
            Owner::Obstacle | Owner::Link { .. } | Owner::Attached { .. } | Owner::Body => None,
        };
        let origin = scene.origin.unwrap_or(Vec3::ZERO);
        let mut tasks = Vec::new();
        for (a, b) in scene.checked_pairs().filter(|_| !scene.deformables.is_empty()) {
            let (lines, other) = match (deforms(a.index()), deforms(b.index())) {
                (Some(x), Some(y)) => {
                    tasks.push(Task { lines: x, other: Other::Lines(y.0, y.1) });
                    continue;
                }
                (Some(x), None) => (x, b.index()),
                (None, Some(y)) => (y, a.index()),
                (None, None) => continue,
            };
            let pieces = 0..scene.parts[other].pieces.len();
            tasks.extend(pieces.map(|p| Task { lines, other: Other::Piece(MovingPiece::new(scene, other, p, origin)) }));
        }
        Deforming { tasks, own: OwnTask::all(scene), world: Placement::new(Pose::IDENTITY) }
    }

    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty() && self.own.is_empty()
    }
}

/// Two triangles that are not proven apart on a span.
struct Near {
    /// Of the lines, and of the other.
    pair: (u32, u32),
    span: Span,
    /// A time at which they are proven to touch, or infinity.
    touches_at: f64,
}

/// One task of one motion.
struct Walk<'a> {
    task: &'a Task,
    lines: &'a VertexLines,
    motion: &'a Motion,
    relative: Relative<'a>,
    /// Of one task alone.
    collector: Collector<'a>,
    error: f64,
}

impl<'a> Walk<'a> {
    fn new(query: &Query<'a>, task: &'a Task) -> Self {
        let motion = query.motion;
        let world = Carried { frame: 0, placement: &query.index.deforming.world };
        let carried = match &task.other {
            Other::Piece(piece) => Carried { frame: piece.frame, placement: &piece.placement },
            Other::Lines(..) => world,
        };
        let lines = &motion.lines[task.lines.0];
        let error = match task.other {
            Other::Piece(_) => lines.error,
            Other::Lines(other, _) => lines.error + motion.lines[other].error,
        };
        Walk {
            task,
            lines,
            motion,
            relative: Relative::new(&motion.chain, carried, world, 0, Vec3::ZERO),
            collector: Query { goal: Goal::First, ..*query }.collector(),
            error,
        }
    }

    /// The box of the other's node over the span, and its longest side at the middle.
    fn other(&self, node: u32, tube: &Tube, span: Span) -> (Aabb, f64) {
        match &self.task.other {
            Other::Piece(piece) => {
                let MovingBox { center, half, reach } = piece.tree.boxes.nodes[node as usize].volume;
                (tube.enclose_box(center, half, reach), 2.0 * half.max_abs())
            }
            Other::Lines(other, _) => {
                let bounds = &self.motion.lines[*other].tree.nodes[node as usize].volume;
                let m = span.middle();
                (bounds.over(span.from, span.to), bounds.over(m, m).size().max_abs())
            }
        }
    }

    fn pair(&self, lines: u32, other: u32) -> Pair {
        let corners = self.lines.corners(lines);
        match &self.task.other {
            Other::Piece(piece) => {
                let item = piece.item(other);
                Pair::with_lines(item, item.reach(), corners)
            }
            Other::Lines(o, _) => Pair::both_lines(self.motion.lines[*o].corners(other), corners),
        }
    }

    /// Walks both trees over a span; hands every pair not proven apart to `keep`, and stops before the time that returns. `false` when work
    /// runs out, or `keep` wants no more.
    fn walk(&self, span: Span, tally: &mut Tally, keep: &mut impl FnMut(Near, &mut Tally) -> Option<f64>) -> bool {
        match &self.task.other {
            Other::Piece(piece) => self.walk_with(&piece.tree.boxes, span, tally, keep),
            Other::Lines(other, _) => self.walk_with(&self.motion.lines[*other].tree, span, tally, keep),
        }
    }

    fn walk_with<V>(
        &self,
        other: &Tree<V>,
        span: Span,
        tally: &mut Tally,
        keep: &mut impl FnMut(Near, &mut Tally) -> Option<f64>,
    ) -> bool {
        let mut limit = f64::INFINITY;
        let tree = &self.lines.tree;
        let trees = TreePair { a: tree, b: other, own: false };
        let radius = self.error + self.collector.sharpness.margin;
        let flow = trees.traverse(&mut vec![(0, 0, span)], |NodePair { a, b, state: span }| {
            if span.from > limit {
                return ControlFlow::Continue(Next::Prune);
            }
            tally.boxes += 1;
            if self.collector.within_budget(tally.work()).is_break() {
                return ControlFlow::Break(());
            }
            let (tube, node, m) = (self.relative.tube(span), &tree.nodes[a as usize].volume, span.middle());
            let over = node.over(span.from, span.to);
            let (other_over, other_size) = self.other(b, &tube, span);
            if over.grown(radius).apart(other_over) {
                return ControlFlow::Continue(Next::Prune);
            }
            let still = node.over(m, m).size().max_abs();
            let moved = (over.size().max_abs() - still) + (other_over.size().max_abs() - other_size);
            if moved > still.max(other_size) && span.length() > 1e-7 {
                return ControlFlow::Continue(Next::Split([Span::new(span.from, m), Span::new(m, span.to)]));
            }
            if trees.leaves(a, b) {
                for (&x, &y) in tree.items(a).iter().flat_map(|x| other.items(b).iter().map(move |y| (x, y))) {
                    let Some(near) = self.look(x, y, &tube, span, tally) else { continue };
                    let Some(before) = keep(near, tally) else { return ControlFlow::Break(()) };
                    limit = limit.min(before);
                }
            }
            ControlFlow::Continue(if still >= other_size { Next::OpenFirst } else { Next::OpenSecond })
        });
        flow.is_continue()
    }

    /// Two triangles over a span, unless they are proven apart.
    fn look(&self, a: u32, b: u32, tube: &Tube, span: Span, tally: &mut Tally) -> Option<Near> {
        tally.pairs += 1;
        let pair = self.pair(a, b);
        let window = pair.uncovered(tube, self.error, self.collector.sharpness.margin, 0.0, Effort::Usual);
        if window.is_empty() {
            return None;
        }
        let touches = pair.touches(tube, self.error, self.collector.sharpness.margin);
        let (middle, span) = (span.middle(), Span::new(span.at(window.from), span.at(window.to)));
        Some(Near { pair: (a, b), span, touches_at: if touches { middle } else { f64::INFINITY } })
    }

    /// The first contact before `limit`. Pairs are resolved together, so many at a time as memory is meant for.
    fn first(&self, index: usize, limit: f64, tally: &mut Tally) -> Answer {
        let (mut suspects, mut collector) = (Vec::new(), self.collector);
        let done = self.walk(Span::new(0.0, limit.min(1.0)), tally, &mut |near: Near, tally: &mut Tally| {
            if suspects.len() >= MOST_COLLECTED {
                self.resolve(&mut suspects, &mut collector, tally);
            }
            let Near { pair: (a, b), span, touches_at } = near;
            let items = Items { task: index, moving: b, resting: a };
            suspects.push(Suspect { items, span, lag: f64::INFINITY, touches_at });
            Some(touches_at.min(collector.cut()))
        });
        self.resolve(&mut suspects, &mut collector, tally);
        collector.finish(if done { f64::INFINITY } else { 0.0 })
    }

    /// Resolves what was collected.
    fn resolve(&self, suspects: &mut Vec<Suspect>, collector: &mut Collector<'_>, tally: &mut Tally) {
        resolve(suspects, collector, |s, span| {
            if self.collector.within_budget(tally.work()).is_break() {
                return Outcome::Undecided { lo: span.from };
            }
            let pair = self.pair(s.items.resting, s.items.moving);
            let moving = Moving { pair, relative: &self.relative, item_error: self.error, sharpness: self.collector.sharpness };
            moving.first(span, s.lag, &mut tally.pair_steps)
        });
        suspects.clear();
    }
}

impl Query<'_> {
    /// The verdict for everything else, and what deforming bodies meet before it.
    pub(crate) fn with_deforming(&self, verdict: Verdict, mut tally: Tally) -> (Verdict, Tally) {
        let mut best = verdict;
        for (i, task) in self.index.deforming.tasks.iter().enumerate() {
            let walk = Walk::new(self, task);
            let limit = best.contact().map_or(1.0, |c| c.time.1);
            let answer = walk.first(i, limit, &mut tally);
            best = earlier(best, self.tell(&walk, answer));
        }
        for own in &self.index.deforming.own {
            let limit = best.contact().map_or(1.0, |c| c.time.1);
            best = earlier(best, self.own_first(own, limit, &mut tally));
        }
        (best, tally)
    }

    fn tell(&self, walk: &Walk<'_>, answer: Answer) -> Verdict {
        match answer {
            Answer::Free => Verdict::Free,
            Answer::Undecided { free_until } => Verdict::Undecided { free_until },
            Answer::Contact { found: Found { items: Items { moving, resting, .. }, lo, hi }, free_until } => {
                let pair = walk.pair(resting, moving);
                let tube = walk.relative.tube(Span::new(lo, lo));
                let Witness { parts, features, point, normal, .. } =
                    self.witness_of_lines(walk, (resting, moving), &pair, &pair.meeting(&tube), &tube);
                let (free_until, start) = (free_until.min(lo), walk.relative.tube(Span::new(0.0, 0.0)));
                let near = walk.collector.sharpness.margin + walk.collector.sharpness.tolerance;
                let state = if lo > 0.0 || pair.near(&start, walk.error) > near {
                    ContactState::Begins
                } else if pair.overlaps(&start, walk.error) {
                    ContactState::Overlapping
                } else {
                    ContactState::Touching
                };
                // Round solids are searched as such: what deforms may be wholly inside of one.
                let nested = || self.index.containment.nested(self.motion, 0.0, parts);
                if state == ContactState::Overlapping
                    && let Some(nested) = nested()
                {
                    return Verdict::Contact(Box::new(nested));
                }
                let time = (free_until, hi);
                Verdict::Contact(Box::new(Contact { time, free_until, parts, features, point, normal, state }))
            }
        }
    }

    /// Everything that deforming bodies touch at the end of a bracket.
    ///
    /// # Errors
    /// If work or memory runs out before all of it is found.
    pub(crate) fn witnesses_of_lines(
        &self,
        (lo, hi): (f64, f64),
        tally: &mut Tally,
        list: &mut WitnessList<'_>,
    ) -> Result<(), Error> {
        for own in &self.index.deforming.own {
            self.own_witnesses(own, hi, tally, list)?;
        }
        for task in &self.index.deforming.tasks {
            let walk = Walk::new(self, task);
            let (over, at) = (walk.relative.tube(Span::new(lo, hi)), walk.relative.tube(Span::new(hi, hi)));
            let mut pairs = Vec::new();
            let done = walk.walk(Span::new(lo, hi), tally, &mut |near: Near, _: &mut Tally| {
                pairs.push(near.pair);
                (pairs.len() < MOST_LISTED).then_some(f64::INFINITY)
            });
            if !done {
                return Err(incomplete());
            }
            for items in pairs {
                tally.pair_steps += 1;
                if self.limits.end_at(tally.work()) {
                    return Err(incomplete());
                }
                let pair = walk.pair(items.0, items.1);
                let apart = walk.collector.sharpness.margin + walk.collector.sharpness.tolerance + pair.travel(&over);
                if pair.near(&at, walk.error) <= apart || pair.overlaps(&at, walk.error) {
                    let places = pair.meetings(&at, apart);
                    places.iter().try_for_each(|m| list.add(self.witness_of_lines(&walk, items, &pair, m, &at)))?;
                }
            }
        }
        Ok(())
    }

    fn witness_of_lines(&self, walk: &Walk<'_>, (lines, other): (u32, u32), pair: &Pair, m: &Meeting, tube: &Tube) -> Witness {
        let (part, piece) = match &walk.task.other {
            Other::Piece(p) => (p.part, p.piece),
            Other::Lines(_, part) => (*part, 0),
        };
        let sides = [(part, piece, other as usize), (walk.task.lines.1, 0, lines as usize)];
        self.index.witness_between(sides, pair, m, tube, Pose::from_translation(self.motion.origin))
    }
}

/// Of two verdicts about one motion, what both together say.
fn earlier(a: Verdict, b: Verdict) -> Verdict {
    let free_until = |v: &Verdict| match v {
        Verdict::Free => 1.0,
        Verdict::Contact(c) => c.free_until,
        Verdict::Undecided { free_until } => *free_until,
    };
    let until = free_until(&a).min(free_until(&b));
    let contact = match (a, b) {
        (Verdict::Free, Verdict::Free) => return Verdict::Free,
        (Verdict::Contact(x), Verdict::Contact(y)) => Some(if y.time.1 < x.time.1 { y } else { x }),
        (Verdict::Contact(x), _) | (_, Verdict::Contact(x)) => Some(x),
        _ => None,
    };
    match contact {
        Some(mut c) => {
            (c.time.0, c.free_until) = (c.time.0.min(until), until);
            Verdict::Contact(c)
        }
        None => Verdict::Undecided { free_until: until },
    }
}
