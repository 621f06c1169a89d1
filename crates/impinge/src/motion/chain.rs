//! Motions composed along the tree of frames: state at the middle of a span, and bounds over all of it.
//!
//! With l the parent of i, W an angular speed, L an angular acceleration, V and A speed and acceleration of the origin, all at most:
//!
//! ```text
//! W_i = min(W_l + |w_i|,  |omega_i(middle)| + h L_i)        L_i = L_l + W_l |w_i|
//! V_i = min(V_l + W_l |c_i| + |s_i|,  |v_i(middle)| + h A_i)  A_i = A_l + (W_l^2 + L_l) |c_i| + 2 W_l |s_i|
//! ```
//!
//! Proof. omega_i = omega_l + w_i a_i, with a_i = R_l u_i carried by l, so omega_i' = omega_l' + w_i omega_l x a_i. The origin is
//! p_i = p_l + R_l c_i(t) with c_i'' = 0; differentiate twice: p_i'' = p_l'' + omega_l' x r + omega_l x (omega_l x r) + 2 omega_l x R_l s_i,
//! r = R_l c_i. Take norms: rotations keep lengths. The second form in each minimum is the mean value theorem over the half span h.
//! Norms do not wrap: a chain of 300 links gives sums, where interval matrices would give products.

use std::sync::Arc;

use super::in_between::InBetween;
use super::span::Span;
use crate::math::rounding::{INFLATE, U};
use crate::math::{M4, V4};

/// Upper bounds over a span of how fast a frame moves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rates {
    /// Angular speed.
    pub spin: f64,
    /// Angular acceleration.
    pub spin_change: f64,
    /// Speed of the origin.
    pub speed: f64,
    /// Acceleration of the origin.
    pub acceleration: f64,
}

impl Rates {
    /// One joint further out; the part that holds for the whole motion.
    #[inline(always)]
    pub(super) fn child(&self, joint: &InBetween) -> Rates {
        let (w, s) = (joint.rate.abs() + joint.rate_error, joint.speed + joint.offset_error);
        Rates {
            spin: (self.spin + w) * INFLATE,
            spin_change: (self.spin_change + self.spin * w) * INFLATE,
            speed: (self.speed + self.spin * joint.arm + s) * INFLATE,
            acceleration: (self.acceleration + (self.spin * self.spin + self.spin_change) * joint.arm + 2.0 * self.spin * s)
                * INFLATE,
        }
    }
}

/// Upper bounds, over the whole motion, of what rounding does to a [`LinkState`]: `|computed - true|`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Errors {
    /// Spectral norm, for the rotation.
    pub rotation: f64,
    /// For the position.
    pub position: f64,
    /// For the angular velocity.
    pub spin: f64,
    /// For the origin's velocity.
    pub velocity: f64,
    /// At least the distance of the origin from the chain's own origin.
    pub reach: f64,
}

impl Errors {
    /// Nothing was rounded.
    pub const NONE: Errors = Errors { rotation: 0.0, position: 0.0, spin: 0.0, velocity: 0.0, reach: 0.0 };

    /// One joint further out. A product of rotations rounds by at most 9 u (taken as 16 u), a rotated vector by 8 u of its length.
    pub(super) fn child(&self, joint: &InBetween, rates: &Rates, own: &Rates) -> Errors {
        let (w, s) = (joint.rate.abs() + joint.rate_error, joint.speed);
        let c = joint.arm;
        Errors {
            rotation: (self.rotation + joint.rotation_error + 16.0 * U) * INFLATE,
            position: (self.position + self.rotation * c + joint.offset_error + 8.0 * U * (self.reach + c)) * INFLATE,
            // The axis is as far off as the joint's rotation, whose error includes that of its placement.
            spin: (self.spin + w * (self.rotation + joint.rotation_error) + joint.rate_error + 4.0 * U * own.spin) * INFLATE,
            velocity: (self.velocity
                + self.spin * c
                + rates.spin * (self.rotation * c + joint.offset_error + 8.0 * U * c)
                + (self.rotation + 8.0 * U) * s
                + joint.offset_error
                + 8.0 * U * own.speed)
                * INFLATE,
            reach: (self.reach + c) * INFLATE,
        }
    }
}

/// Where a frame is at the middle of a span, how it moves there, and how it can move within the span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkState {
    pub rotation: M4,
    pub position: V4,
    /// Angular velocity.
    pub spin: V4,
    /// Velocity of the origin.
    pub velocity: V4,
    pub rates: Rates,
}

impl LinkState {
    /// The world: nothing moves.
    pub const WORLD: LinkState = LinkState {
        rotation: M4([V4([1.0, 0.0, 0.0, 0.0]), V4([0.0, 1.0, 0.0, 0.0]), V4([0.0, 0.0, 1.0, 0.0])]),
        position: V4([0.0; 4]),
        spin: V4([0.0; 4]),
        velocity: V4([0.0; 4]),
        rates: Rates { spin: 0.0, spin_change: 0.0, speed: 0.0, acceleration: 0.0 },
    };

    #[inline(always)]
    pub(super) fn child(&self, joint: &InBetween, errors: &Errors, middle: f64, half: f64) -> LinkState {
        let (rotation, offset) = joint.at(middle);
        let r = self.rotation.apply(offset);
        let spin = self.spin.add(self.rotation.apply(joint.axis).scale(joint.rate));
        let velocity = self.velocity.add(self.spin.cross(r)).add(self.rotation.apply(joint.travel));
        let mut rates = self.rates.child(joint);
        rates.spin = rates.spin.min((spin.norm() + errors.spin + half * rates.spin_change) * INFLATE);
        rates.speed = rates.speed.min((velocity.norm() + errors.velocity + half * rates.acceleration) * INFLATE);
        LinkState { rotation: self.rotation.mul(&rotation), position: self.position.add(r), spin, velocity, rates }
    }
}

/// Where a frame is at an instant: the part of a [`LinkState`] that needs no rates, to the last bit, with the same [`Errors`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct FramePose {
    pub rotation: M4,
    pub position: V4,
}

impl FramePose {
    const WORLD: FramePose = FramePose { rotation: LinkState::WORLD.rotation, position: LinkState::WORLD.position };

    #[inline(always)]
    fn child(&self, joint: &InBetween, t: f64) -> FramePose {
        let (rotation, offset) = joint.at(t);
        FramePose { rotation: self.rotation.mul(&rotation), position: self.position.add(self.rotation.apply(offset)) }
    }
}

/// The lowest frame that carries both; `parents[i] < i` for every i > 0.
pub(crate) fn common_ancestor(parents: &[u32], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b { a = parents[a] as usize } else { b = parents[b] as usize }
    }
    a
}

/// [`common_ancestor`] for many pairs of frames: in at most log n steps each, however long the chains.
///
/// Every frame continues its parent's path if no sibling carries more, else it begins a path, so whoever leaves a path upwards comes to one
/// that carries at least twice as much.
#[derive(Debug)]
pub(crate) struct Ancestors<'a> {
    parents: &'a [u32],
    /// The frame at which each frame's path begins.
    heads: Vec<u32>,
}

impl<'a> Ancestors<'a> {
    /// `parents[i] < i` for every i > 0.
    pub fn new(parents: &'a [u32]) -> Self {
        let mut carried = vec![1u32; parents.len()];
        for i in (1..parents.len()).rev() {
            carried[parents[i] as usize] += carried[i];
        }
        // The child of each frame that carries most; a frame that has none is its own.
        let mut heaviest: Vec<u32> = (0..parents.len() as u32).collect();
        for i in 1..parents.len() {
            let best = &mut heaviest[parents[i] as usize];
            if *best == parents[i] || carried[i] > carried[*best as usize] {
                *best = i as u32;
            }
        }
        let mut heads: Vec<u32> = (0..parents.len() as u32).collect();
        for i in 1..parents.len() {
            if heaviest[parents[i] as usize] == i as u32 {
                heads[i] = heads[parents[i] as usize];
            }
        }
        Ancestors { parents, heads }
    }

    /// The lowest frame that carries both. Of two paths the one whose head has the larger number does not carry the other's head, for carriers
    /// come first: so it is left.
    pub fn of(&self, mut a: usize, mut b: usize) -> usize {
        while self.heads[a] != self.heads[b] {
            if self.heads[a] < self.heads[b] {
                std::mem::swap(&mut a, &mut b);
            }
            a = self.parents[self.heads[a] as usize] as usize;
        }
        a.min(b)
    }
}

/// How many joints are walked without recursion.
const PATH: usize = 32;

/// The motion of every frame of a scene: a forest, parents before children, frame 0 the world.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub parents: Arc<[u32]>,
    /// Entry 0, the world's, is a resting identity.
    pub joints: Vec<InBetween>,
    pub errors: Vec<Errors>,
}

impl Chain {
    /// Composes joints; `parents[i] < i` for every i > 0.
    pub fn new(parents: impl Into<Arc<[u32]>>, joints: Vec<InBetween>) -> Self {
        let parents = parents.into();
        let mut errors = Vec::with_capacity(joints.len());
        let mut rates = Vec::with_capacity(joints.len());
        errors.push(Errors::default());
        rates.push(Rates::default());
        for i in 1..joints.len() {
            let l = parents[i] as usize;
            let own = rates[l].child(&joints[i]);
            errors.push(errors[l].child(&joints[i], &rates[l], &own));
            rates.push(own);
        }
        Chain { parents, joints, errors }
    }

    /// The state of frame `i` over a span, given its parent's over the same span.
    #[inline(always)]
    pub fn step(&self, i: usize, parent: &LinkState, middle: f64, half: f64) -> LinkState {
        parent.child(&self.joints[i], &self.errors[i], middle, half)
    }

    /// The state of frame `i` over a span, from the root.
    #[inline(always)]
    pub fn state(&self, i: usize, middle: f64, half: f64) -> LinkState {
        // Up to the root, or as far as the stack goes, then back down.
        let mut path = [0u32; PATH];
        let mut depth = 0;
        let mut at = i;
        while at != 0 && depth < PATH {
            path[depth] = at as u32;
            depth += 1;
            at = self.parents[at] as usize;
        }
        let mut state = if at == 0 { LinkState::WORLD } else { self.state_far(at, middle, half) };
        while depth > 0 {
            depth -= 1;
            state = self.step(path[depth] as usize, &state, middle, half);
        }
        state
    }

    /// The states of all frames over a span.
    pub fn states(&self, span: Span) -> Vec<LinkState> {
        let (middle, half) = (span.middle(), span.half());
        let mut states = Vec::with_capacity(self.joints.len());
        states.push(LinkState::WORLD);
        for i in 1..self.joints.len() {
            states.push(self.step(i, &states[self.parents[i] as usize], middle, half));
        }
        states
    }

    /// Where all frames are at time t, in the place of what is there.
    pub fn poses_into(&self, t: f64, poses: &mut Vec<FramePose>) {
        poses.clear();
        poses.push(FramePose::WORLD);
        for i in 1..self.joints.len() {
            poses.push(poses[self.parents[i] as usize].child(&self.joints[i], t));
        }
    }

    /// Whatever the depth: no recursion, which a long chain would overflow the stack by.
    #[inline(never)]
    fn state_far(&self, i: usize, middle: f64, half: f64) -> LinkState {
        let down = self.path(0, i);
        down.into_iter().fold(LinkState::WORLD, |state, frame| self.step(frame, &state, middle, half))
    }

    /// Rates of frame `i` relative to its ancestor `base`, over the whole motion.
    pub fn rates_from(&self, base: usize, i: usize) -> Rates {
        let mut path = [0u32; PATH];
        let mut depth = 0;
        let mut at = i;
        while at != base && depth < PATH {
            path[depth] = at as u32;
            depth += 1;
            at = self.parents[at] as usize;
        }
        let child = |rates: Rates, frame: usize| rates.child(&self.joints[frame]);
        let far = if at == base { Vec::new() } else { self.path(base, at) };
        let rates = far.into_iter().fold(Rates::default(), child);
        path[..depth].iter().rev().fold(rates, |rates, &frame| child(rates, frame as usize))
    }

    /// The frames from below `base` down to `i`.
    fn path(&self, base: usize, i: usize) -> Vec<usize> {
        let up = std::iter::successors(Some(i), |&frame| Some(self.parents[frame] as usize));
        let mut path: Vec<usize> = up.take_while(|&frame| frame != base).collect();
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Pose, Vec3};
    use crate::robot::JointKind;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ancestors_are_those_found_by_walking(jumps in prop::collection::vec((0u32..4, 0u32..1000), 0..80)) {
            // Long chains that branch now and then.
            let mut parents = vec![0u32];
            for (kind, jump) in jumps {
                let last = parents.len() as u32 - 1;
                parents.push(if kind == 0 { jump % (last + 1) } else { last });
            }
            let ancestors = Ancestors::new(&parents);
            for a in 0..parents.len() {
                for b in 0..parents.len() {
                    prop_assert_eq!(ancestors.of(a, b), common_ancestor(&parents, a, b), "{} and {} of {:?}", a, b, parents);
                }
            }
        }
    }

    /// A chain as long as this overflowed the stack, or would have at a few times its length.
    #[test]
    fn a_very_long_chain_is_walked() {
        let n = 300_000;
        let kind = JointKind::Prismatic { axis: Vec3::unit(0) };
        let joint = InBetween::of_joint(kind, &crate::math::pose::Placement::new(Pose::IDENTITY), Vec3::ZERO, &[0.0], &[1e-3]);
        let parents: Vec<u32> = (0..n).map(|i: u32| i.saturating_sub(1)).collect();
        let chain = Chain::new(parents, vec![joint.expect("finite"); n as usize]);
        let last = n as usize - 1;
        let state = chain.state(last, 1.0, 0.0);
        assert!((state.position.vec3().x - 1e-3 * last as f64).abs() < 1e-6, "{:?}", state.position);
        let rates = chain.rates_from(0, last);
        assert!(rates.speed >= 1e-3 * last as f64 && rates.speed < 1.01e-3 * last as f64, "{rates:?}");
        assert_eq!(chain.rates_from(last - 1, last).speed, Rates::default().child(&chain.joints[last]).speed);
    }
}
