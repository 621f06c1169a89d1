//! How far loops open: the tree moves, and a loop joint's two frames drift apart between two configurations that close it.
//!
//! ```text
//!  gap  |    _--_        the gap is bounded span by span, by the tube of one frame seen from the other,
//!       |  .'    '.      and the span with the largest bound is halved while that is well above the largest gap met
//!       |_/________\__ t
//! ```
//! Sound: the spans cover [0, 1], and each counts with its own upper bound, however coarse.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::{Motion, Scene};
use crate::Error;
use crate::math::Vec3;
use crate::math::pose::Placement;
use crate::math::rounding::{INFLATE, U};
use crate::math::trig::{SIN_COS_ERROR, sin_cos};
use crate::motion::chain::common_ancestor;
use crate::motion::{Span, Tube};
use crate::robot::{LoopJoint, LoopKind};

/// How far a loop joint is from being closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening {
    /// Distance of the frames' origins, apart from travel that the joint allows.
    pub metres: f64,
    /// Angle between the frames, apart from turning that the joint allows; `None` where it allows any.
    pub radians: Option<f64>,
}

/// How far a loop joint opens during a motion. Upper bounds, rounding included.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopOpening {
    /// `robot/joint`.
    pub name: String,
    /// At any time.
    pub at_most: Opening,
    /// When the motion begins.
    pub at_start: Opening,
    /// When it ends.
    pub at_end: Opening,
}

/// A loop joint between two frames of a scene.
#[derive(Clone, Debug)]
pub(crate) struct PlacedLoop {
    name: String,
    kind: LoopKind,
    /// What carries the frame on each link, and where it sits there.
    ends: [(usize, Placement); 2],
}

impl PlacedLoop {
    /// `links` says for each link of the robot what carries it, and where.
    pub fn new(robot: &str, joint: &LoopJoint, links: &[(usize, Placement)]) -> Self {
        let end = |k: usize| {
            let (frame, at) = links[joint.links[k]];
            (frame, at.then(&joint.link_from_loop[k]))
        };
        PlacedLoop { name: format!("{robot}/{}", joint.name), kind: joint.kind, ends: [end(0), end(1)] }
    }

    /// The second frame seen from the first over a span.
    fn tube(&self, motion: &Motion, span: Span) -> Tube {
        let chain = &motion.chain;
        let [(f, p), (g, q)] = self.ends;
        let here = |frame: usize, at: Placement| if frame == 0 { at.relative_to(motion.origin) } else { at };
        let state = |frame: usize| chain.state(frame, span.middle(), span.half());
        let ancestor = common_ancestor(&chain.parents, f, g);
        let rates = (chain.rates_from(ancestor, g), chain.rates_from(ancestor, f));
        let moving = (&state(g), &chain.errors[g], &here(g, q));
        let resting = (&state(f), &chain.errors[f], &here(f, p));
        Tube::between(moving, resting, rates, Vec3::ZERO, span)
    }

    /// At least the distance, over the span, of the second origin from where the joint lets it be.
    ///
    /// The origin is within the tube's radius of a straight line, and the distance to a point, line or plane is convex along it: the
    /// ends of the line are farthest. Projecting along a unit axis that is off by 4 u rounds by less than 16 u of the length.
    fn metres(&self, motion: &Motion, span: Span) -> f64 {
        let tube = self.tube(motion, span);
        let (x, dx) = tube.line(Vec3::ZERO);
        let off = |v: Vec3| {
            let along = |axis: Vec3| axis * (axis.dot(v) / axis.dot(axis));
            let left = match self.kind {
                LoopKind::Fixed | LoopKind::Revolute { .. } | LoopKind::Spherical => v,
                LoopKind::Prismatic { axis } => v - along(unit(axis)),
                LoopKind::Planar { axis } => along(unit(axis)),
            };
            left.norm() + 16.0 * U * v.norm()
        };
        (larger(off(x - dx), off(x + dx)) + tube.radius(0.0)) * INFLATE
    }

    /// At least the angle, over the span, between directions that the joint keeps together; `None` where it keeps none.
    ///
    /// R e stays within radius(1) of a straight line, so |R e - e| is at most its largest value at the line's ends plus that. For one
    /// direction that is 2 sin(angle / 2); over three axes the squares sum to 2 (2 sin(angle / 2))^2, the Frobenius norm of R - 1.
    fn radians(&self, motion: &Motion, span: Span) -> Option<f64> {
        let tube = self.tube(motion, span);
        let chord = |e: Vec3| {
            let (at, travel) = (tube.rotation.apply(e.into()).vec3() - e, tube.rotation_rate.apply(e.into()).vec3() * tube.half);
            (larger((at - travel).norm(), (at + travel).norm()) + tube.radius(1.0) + 16.0 * U) * INFLATE
        };
        let chord = match self.kind {
            LoopKind::Spherical => return None,
            LoopKind::Revolute { axis } | LoopKind::Planar { axis } => chord(unit(axis)),
            LoopKind::Fixed | LoopKind::Prismatic { .. } => {
                let squares: f64 = (0..3).map(|k| chord(Vec3::unit(k)).powi(2)).sum();
                (0.5 * squares).sqrt() * INFLATE
            }
        };
        Some(angle_of_chord(chord))
    }

    fn opening(&self, motion: &Motion, span: Span) -> Opening {
        Opening { metres: self.metres(motion, span), radians: self.radians(motion, span) }
    }
}

impl Scene {
    /// How far each loop joint opens while the tree goes through a motion.
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn loop_openings(&self, motion: &Motion) -> Result<Vec<LoopOpening>, Error> {
        self.own(motion)?;
        let of = |l: &PlacedLoop| LoopOpening {
            name: l.name.clone(),
            at_most: Opening {
                metres: largest(&|span| l.metres(motion, span)),
                radians: l.radians(motion, Span::new(0.0, 0.0)).map(|_| {
                    let angle = |span| l.radians(motion, span).unwrap_or(HALF_TURN);
                    largest(&angle)
                }),
            },
            at_start: l.opening(motion, Span::new(0.0, 0.0)),
            at_end: l.opening(motion, Span::new(1.0, 1.0)),
        };
        Ok(self.loops.iter().map(of).collect())
    }
}

/// No angle between two frames is larger; rounded up.
const HALF_TURN: f64 = std::f64::consts::PI * (1.0 + f64::EPSILON);
/// A bound is sharp enough when it is above the largest value met by this share, or by this much: a micrometre, a microradian.
const SHARP: f64 = 1e-3;
const TINY: f64 = 1e-6;
/// Spans looked at before bounds are taken as they are.
const WORK: usize = 4096;

/// A span and its bound, ordered by the bound; NaN is largest.
#[derive(PartialEq)]
struct Bounded {
    most: f64,
    span: Span,
}

impl Eq for Bounded {}

impl Ord for Bounded {
    fn cmp(&self, other: &Self) -> Ordering {
        self.most.total_cmp(&other.most)
    }
}

impl PartialOrd for Bounded {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// An upper bound, over [0, 1], of a function given by upper bounds over spans: the span with the largest is halved until that is sharp.
fn largest(bound: &dyn Fn(Span) -> f64) -> f64 {
    let at = |t: f64| bound(Span::new(t, t));
    let bounded = |span: Span| Bounded { most: larger(bound(span), 0.0), span };
    let mut met = at(0.0).max(at(1.0));
    let mut spans: BinaryHeap<Bounded> = (0..8).map(|k| bounded(Span::slice(k, 8))).collect();
    for _ in 0..WORK {
        let Some(worst) = spans.peek().filter(|worst| worst.most > met * (1.0 + SHARP) + TINY) else { break };
        let (Span { from, to }, middle) = (worst.span, worst.span.middle());
        met = met.max(at(middle));
        spans.pop();
        spans.extend([bounded(Span::new(from, middle)), bounded(Span::new(middle, to))]);
    }
    spans.peek().map_or(0.0, |worst| worst.most)
}

/// The larger; NaN, which says nothing, is infinite.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// At least the angle in [0, pi] whose chord on the unit circle is at most `chord`: the sine of its half, which grows, is no less.
fn angle_of_chord(chord: f64) -> f64 {
    let (mut below, mut above) = (0.0, HALF_TURN);
    for _ in 0..60 {
        let middle = 0.5 * (below + above);
        if 2.0 * (sin_cos(0.5 * middle).0 - SIN_COS_ERROR) > chord { above = middle } else { below = middle }
    }
    above
}

fn unit(axis: Vec3) -> Vec3 {
    axis * (1.0 / axis.norm())
}

#[cfg(test)]
mod tests;
