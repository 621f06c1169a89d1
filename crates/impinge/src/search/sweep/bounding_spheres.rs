//! Balls around whole pieces over a span: the first look at a task where there are many.
//!
//! ```text
//!   (a)----->        centres go along lines, give or take the radii of their tubes; a point of a body is never farther from
//!         <-----(b)  its centre than the ball's radius, however it turns: apart if a direction keeps both lines apart by all radii
//! ```
//! A ball is made once for a piece and a span, and a look at a task costs a tenth of one at its boxes.

use crate::math::Vec3;
use crate::math::rounding::{INFLATE, U};
use crate::motion::{Carried, Tube};
use crate::search::sweep::Search;
use crate::search::sweep::timeline::SpanId;

/// A ball that holds a piece throughout a span: its centre is at `at + tau travel`, tau in [-1, 1], up to what `radius` allows for.
#[derive(Clone, Copy, Debug)]
struct MovingBall {
    at: Vec3,
    travel: Vec3,
    radius: f64,
}

/// The balls of one span, of moving pieces and of trees at rest, as far as they were asked for.
#[derive(Debug, Default)]
pub(crate) struct Balls {
    moving: Vec<Option<MovingBall>>,
    resting: Vec<Option<MovingBall>>,
}

impl Balls {
    /// Another span begins.
    pub fn reset(&mut self, moving: usize, resting: usize) {
        for (balls, n) in [(&mut self.moving, moving), (&mut self.resting, resting)] {
            balls.clear();
            balls.resize(n, None);
        }
    }
}

impl MovingBall {
    /// The ball about `center` of a body in a tube: the centre strays from its line by the tube's radius there, and a rigid body keeps all
    /// its points as near to the centre as they were.
    fn new(tube: &Tube, center: Vec3, radius: f64) -> Self {
        let (at, travel) = tube.line(center);
        MovingBall { at, travel, radius: (radius + tube.radius(center.norm() * INFLATE)) * INFLATE }
    }

    /// Whether a direction keeps the two farther apart than `margin` at all times. `false` proves nothing.
    ///
    /// Sound: along any n the lines are apart by n·d + tau n·v >= n·d - |n·v|. Differences and dot products are off by at most 8 u of |n|_1
    /// times the largest coordinates.
    fn proven_apart(&self, other: &MovingBall, margin: f64) -> bool {
        let (d, v) = (self.at - other.at, self.travel - other.travel);
        let nearest = (-d.dot(v) / v.norm_squared()).clamp(-1.0, 1.0);
        let n = if nearest.is_nan() { d } else { d + v * nearest };
        let largest = |b: &MovingBall| b.at.max_abs() + b.travel.max_abs();
        let rounding = 16.0 * U * n.norm1() * (largest(self) + largest(other));
        n.dot(d) - n.dot(v).abs() > ((self.radius + other.radius + margin) * n.norm() + rounding) * INFLATE
    }
}

impl Search<'_> {
    /// Whether balls around both sides of a task keep them apart for all of a span that [`Balls::reset`] was told of.
    pub fn balls_apart(&mut self, task: usize, span: SpanId) -> bool {
        self.tally.pack_tests += 1;
        let t = self.tasks[task];
        let (a, b) = self.relatives[task].sides();
        let (moving, resting) = (&self.index.tasks.moving[t.moving], &self.index.tasks.resting[t.resting]);
        let a = self.scratch.balls.moving[t.moving].unwrap_or_else(|| {
            let node = moving.tree.root();
            MovingBall::new(&self.tube(a, span), node.center, node.half.norm())
        });
        self.scratch.balls.moving[t.moving] = Some(a);
        let b = self.scratch.balls.resting[t.resting].unwrap_or_else(|| {
            let bounds = resting.tree.bounds;
            let radius = 0.5 * bounds.size().norm()
                + resting.item_error
                + 4.0 * U * (bounds.center().norm1() + resting.tree.origin.norm1());
            MovingBall::new(&self.tube(b, span), bounds.center() + resting.tree.origin, radius)
        });
        self.scratch.balls.resting[t.resting] = Some(b);
        a.proven_apart(&b, self.collector.sharpness.margin)
    }

    /// The tube of a body in the world.
    fn tube(&mut self, Carried { frame, placement }: Carried<'_>, id: SpanId) -> Tube {
        let span = self.scratch.timeline.span(id);
        let state = self.scratch.timeline.state(self.chain, frame, id);
        Tube::in_world(state, &self.chain.errors[frame], placement, Vec3::ZERO, span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use crate::math::pose::Placement;
    use crate::motion::{Chain, InBetween, Relative, RigidMotion, Span};
    use proptest::prelude::*;

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    proptest! {
        /// A point of a turning body, and a ball at rest that has it on its surface at some time: never apart; a little less than that, and
        /// for a short span, apart.
        #[test]
        fn what_touches_at_some_time_is_not_apart(
            center in vector(1.0), radius in 1e-3f64..0.5, out in vector(1.0), travel in vector(1.0), turn in vector(3.0),
            from in 0.0f64..0.9, length in 1e-4f64..0.3, share in 0.0f64..1.0, beyond in vector(1.0), size in 0.0f64..0.5, margin in 0.0f64..0.1,
        ) {
            let motion = RigidMotion { start: Pose::IDENTITY, end_position: travel, rotation_vector: turn };
            let joint = InBetween::of_rigid(&motion, Vec3::ZERO).expect("finite");
            let chain = Chain::new(vec![0, 0], vec![InBetween::resting(Pose::IDENTITY), joint]);
            let here = Placement::new(Pose::IDENTITY);
            let side = |frame| Carried { frame, placement: &here };
            let relative = Relative::new(&chain, side(1), side(0), 0, Vec3::ZERO);
            let (span, when) = (Span::new(from, from + length), from + share * length);
            let ball = MovingBall::new(&relative.tube(span), center, radius);
            let unit = |v: Vec3| v * (1.0 / v.norm().max(1e-9));
            let (p, _) = relative.tube(Span::new(when, when)).line(center + unit(out) * (radius * (1.0 - 1e-12)));
            let touching = MovingBall { at: p + unit(beyond) * ((size + margin) * (1.0 - 1e-12)), travel: Vec3::ZERO, radius: size };
            prop_assert!(!ball.proven_apart(&touching, margin) && !touching.proven_apart(&ball, margin));
            let far = MovingBall { at: ball.at + unit(beyond) * (ball.radius + ball.travel.norm() + size + margin + 1e-6), ..touching };
            prop_assert!(ball.proven_apart(&far, margin));
        }
    }
}
