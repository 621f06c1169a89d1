//! How one body moves as seen from another, or from the world.

use super::bend::Bend;
use super::chain::{Chain, LinkState, Rates};
use super::in_between::InBetween;
use super::span::Span;
use super::tube::Tube;
use crate::math::pose::Placement;
use crate::math::{Pose, Vec3};

/// A body and the frame that carries it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried<'a> {
    pub frame: usize,
    pub placement: &'a Placement,
}

/// Where a moving body can be, in the frame of a resting one, relative to an origin there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relative<'a> {
    chain: &'a Chain,
    moving: Carried<'a>,
    resting: Carried<'a>,
    /// Of both frames relative to their common ancestor; not needed when the world rests.
    rates: (Rates, Rates),
    origin: Vec3,
}

impl<'a> Relative<'a> {
    /// `ancestor` is a common ancestor of both frames, the lowest for the best bound. Resting frame 0 is the world.
    pub fn new(chain: &'a Chain, moving: Carried<'a>, resting: Carried<'a>, ancestor: usize, origin: Vec3) -> Self {
        let rates = if resting.frame == 0 {
            Default::default()
        } else {
            (chain.rates_from(ancestor, moving.frame), chain.rates_from(ancestor, resting.frame))
        };
        Relative { chain, moving, resting, rates, origin }
    }

    /// The tube over a span.
    #[inline(always)]
    pub fn tube(&self, span: Span) -> Tube {
        let (middle, half) = (span.middle(), span.half());
        let a = self.chain.state(self.moving.frame, middle, half);
        if self.resting.frame == 0 {
            return self.in_world(&a, span);
        }
        let b = self.chain.state(self.resting.frame, middle, half);
        self.between(&a, &b, span)
    }

    /// The tube about `t` that holds from then on until `t + horizon`, the end of the motion at most: what is said of spans before `t` is not
    /// meant.
    #[inline(always)]
    pub fn ahead(&self, t: f64, horizon: f64) -> Tube {
        let span = Span::new(-horizon, horizon);
        let a = self.chain.state(self.moving.frame, t, span.half());
        let mut tube = if self.resting.frame == 0 {
            self.in_world(&a, span)
        } else {
            let b = self.chain.state(self.resting.frame, t, span.half());
            self.between(&a, &b, span)
        };
        tube.middle = t;
        tube
    }

    /// Whether anything turns: if not, both bodies go straight at constant speed.
    pub fn turns(&self) -> bool {
        let turns = |frame: usize| self.chain.rates_from(0, frame).spin > 0.0;
        turns(self.moving.frame) || turns(self.resting.frame)
    }

    /// Where what rests is at a time, in a world whose `origin` is that of the chain (rounded, for display).
    pub fn resting_pose(&self, t: f64, origin: Vec3) -> Pose {
        if self.resting.frame == 0 {
            return Pose::from_translation(origin);
        }
        let LinkState { rotation, position, .. } = self.chain.state(self.resting.frame, t, 0.0);
        Pose { rotation: rotation.mat3(), translation: position.vec3() + origin } * self.resting.placement.pose
    }

    /// The joint that alone moves the body as seen from what rests, if there is one: the body's origin goes straight at constant speed, and
    /// the body turns about an axis that does not turn.
    pub fn one_joint(&self) -> Option<&'a InBetween> {
        let frame = self.moving.frame;
        // An error of its position is in every tube; an error of its rotation would turn the axis.
        let placement = self.moving.placement;
        let in_place = placement.pose.is_identity() && placement.rotation_error == 0.0;
        let alone = self.resting.frame == 0 && self.chain.parents[frame] == 0 && in_place;
        alone.then(|| &self.chain.joints[frame])
    }

    /// How the moving frame bends, where that is known: when the world rests, and every joint is known well.
    pub fn bend(&self, span: Span) -> Option<Bend> {
        if self.resting.frame == 0 { Bend::new(self.chain, self.moving.frame, self.origin, span) } else { None }
    }

    /// The motion of all frames.
    #[inline(always)]
    pub fn chain(&self) -> &'a Chain {
        self.chain
    }

    /// The frames whose states the tube is made of; the second is the world's for what rests there.
    pub fn frames(&self) -> (usize, usize) {
        (self.moving.frame, self.resting.frame)
    }

    /// What moves, and what rests.
    pub fn sides(&self) -> (Carried<'a>, Carried<'a>) {
        (self.moving, self.resting)
    }

    /// The tube, from the state of the moving frame, when the world rests.
    #[inline(always)]
    pub fn in_world(&self, a: &LinkState, span: Span) -> Tube {
        Tube::in_world(a, &self.chain.errors[self.moving.frame], self.moving.placement, self.origin, span)
    }

    /// The tube, from the states of both frames.
    #[inline(always)]
    pub fn between(&self, a: &LinkState, b: &LinkState, span: Span) -> Tube {
        Tube::between(
            (a, &self.chain.errors[self.moving.frame], self.moving.placement),
            (b, &self.chain.errors[self.resting.frame], self.resting.placement),
            self.rates,
            self.origin,
            span,
        )
    }
}
