//! A body's tube prepared for culling: the box that a node's box sweeps, on the resting frame's axes and on the body's own.
//!
//! ```text
//!        ____            node box: centre c, half sides e, in the body's frame; point c + d, |d_i| <= e_i
//!      _/   /|_          resting axes i: (|R| + h|M|) e + |h x'(c)| + radius,   M = omega x R
//!     /____/ / /         body axes q:    e_q + |h v_q(c)| + h (|w| x e)_q + radius  (w, v in body axes; "x" with all signs +)
//!     |    |/_/
//! ```
//! Sound: by the tube, c + d is at p + R (c + d) + tau h (x'(c) + M d), |tau| <= 1, give or take the radius; take absolute values row by
//! row, and in body axes use R^T M = w x. The rest is rounding, added outward.

use crate::exact::triangles::SweptTriangle;
use crate::math::simd::{DOT_ERROR, Probe};
use crate::math::{M4, V4};
use crate::motion::Tube;
use crate::shape::tree::RestingTree;
use crate::shape::tree::moving::MovingNode;

/// A tube and what follows from it for every node of the body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sweep {
    pub tube: Tube,
    /// |R| + h |M|.
    spread: M4,
    /// The body's axes in `f32`, and the same numbers by rows in `f64`: `rows` applied to x gives its products with all three axes.
    axes: [[f32; 3]; 3],
    rows: M4,
    /// h |w|, in body axes, and turned once and twice.
    spin: [V4; 2],
    /// Margin and errors of the resting items.
    extra: f64,
    scale: f64,
    /// Rounding of the kernel's dot products, in metres.
    dot_error: f64,
}

/// A swept box: what the kernel needs, and how much of it is box and how much motion.
pub(crate) struct SweptBox {
    pub probe: Probe,
    pub half: V4,
    pub motion: V4,
}

/// 2^-23: an axis rounded to `f32` is off by at most 2^-25 sqrt(3) < 2^-24 in length.
const AXIS_ERROR: f64 = 1.0 / (1 << 23) as f64;
/// Rounding of sums of a dozen positive terms.
const TINY: f64 = 1.0 / (1u64 << 45) as f64;

impl Sweep {
    /// Prepares a tube, in place of what was here: too large to pass around.
    #[inline(always)]
    pub fn set(&mut self, tube: Tube, tree: &RestingTree, extra: f64) {
        for q in 0..3 {
            for i in 0..3 {
                self.axes[q][i] = tube.rotation.0[q].0[i] as f32;
                self.rows.0[i].0[q] = f64::from(self.axes[q][i]);
            }
        }
        let w = tube.spin_local.abs().scale(tube.half);
        self.spread = tube.rotation.abs().add(&tube.rotation_rate.abs().scale(tube.half));
        self.spin = [turned(w), turned(turned(w))];
        self.extra = extra;
        self.scale = tree.scale;
        // |axis|_1 <= sqrt(3) (1 + 2^-20), boxes reach at most the extent, rounded outward.
        self.dot_error = 1.75 * DOT_ERROR * tree.extent;
        self.tube = tube;
    }

    #[cfg(test)]
    pub fn new(tube: Tube, tree: &RestingTree, extra: f64) -> Self {
        let mut sweep = Sweep::default();
        sweep.set(tube, tree, extra);
        sweep
    }

    /// The box that a node sweeps.
    #[inline(always)]
    pub fn sweep(&self, node: &MovingNode) -> SweptBox {
        let (center, half) = (V4::from(node.center), V4::from(node.half));
        let (at, travel) = self.tube.line4(center);
        let (radius, extra) = (V4::splat(self.tube.radius(node.reach)), V4::splat(self.extra));
        let size = at.abs().scale(TINY);
        let world = self.spread.apply(half).add(travel.abs()).add(radius).add(extra).scale(1.0 + TINY).add(size);
        let velocity = self.tube.velocity_local.add(self.tube.spin_local.cross(center)).scale(self.tube.half);
        // (|w| x e) with all signs plus: w' e'' + w'' e'.
        let turn = self.spin[0].mul(turned(turned(half))).add(self.spin[1].mul(turned(half)));
        let motion = velocity.abs().add(turn).add(radius);
        let sum = |v: V4| v.0[0] + v.0[1] + v.0[2];
        let slack = AXIS_ERROR * sum(world) + self.dot_error + sum(size);
        let reach = half.add(motion).add(extra).add(V4::splat(slack));
        let probe = self.probe((at.sub(world), at.add(world)), self.rows.apply(at), reach);
        SweptBox { probe, half, motion }
    }

    /// What a swept triangle occupies on the same six axes: each corner sweeps a segment, give or take the radius.
    #[inline(always)]
    pub fn probe_of(&self, t: &SweptTriangle) -> Probe {
        let (mut lo, mut hi) = (V4::splat(f64::INFINITY), V4::splat(f64::NEG_INFINITY));
        let (mut low, mut high) = (lo, hi);
        let mut size = V4::splat(0.0);
        for k in 0..3 {
            let (c, d) = (V4::from(t.corners[k]), V4::from(t.travel[k]));
            let reach = d.abs();
            (lo, hi) = (c.sub(reach).min(lo), c.add(reach).max(hi));
            let (c, reach) = (self.rows.apply(c), self.rows.apply(d).abs());
            (low, high) = (c.sub(reach).min(low), c.add(reach).max(high));
            size = size.max(c.abs().add(reach));
        }
        let tiny = (size.0[0] + size.0[1] + size.0[2]) * TINY;
        let radius = V4::splat(t.radius + tiny);
        let reach = high.sub(low).scale(0.5).add(V4::splat(t.radius * (1.0 + AXIS_ERROR) + 2.0 * tiny + self.dot_error));
        self.probe((lo.sub(radius), hi.add(radius)), high.add(low).scale(0.5), reach)
    }

    #[inline(always)]
    fn probe(&self, (lo, hi): (V4, V4), middle: V4, reach: V4) -> Probe {
        // Doubled, and 2 u of both more, as the kernel wants it.
        let (middle, reach) = (middle.scale(2.0), reach.add(middle.abs().add(reach).scale(AXIS_ERROR)).scale(2.0));
        let scale = self.scale;
        Probe {
            lo: lo.scale(scale).f32_below(),
            hi: hi.scale(scale).f32_above(),
            axes: self.axes,
            middle: middle.scale(scale).f32(),
            reach: reach.scale(scale).f32_above(),
        }
    }
}

#[inline(always)]
fn turned(v: V4) -> V4 {
    V4([v.0[1], v.0[2], v.0[0], v.0[3]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::pose::Placement;
    use crate::math::{Pose, Vec3};
    use crate::motion::in_between::RigidMotion;
    use crate::motion::{Carried, Chain, InBetween, Relative, Span};
    use proptest::prelude::*;

    proptest! {
        /// Every point of a node's box, at every time of the span, lies within the probe on all six axes. Corners of flat and long boxes
        /// that turn fast use all of it.
        #[test]
        fn the_probe_holds_every_point_of_the_box(
            center in prop::array::uniform3(-0.5f64..0.5), half in prop::array::uniform3(0.0f64..0.5), corner in 0u32..8,
            travel in prop::array::uniform3(-0.5f64..0.5), turn in prop::array::uniform3(-3.0f64..3.0),
            t in 0.0f64..0.9, length in 1e-3f64..0.1, at in 0.0f64..1.0,
        ) {
            let motion = RigidMotion { start: Pose::IDENTITY, end_position: travel.into(), rotation_vector: turn.into() };
            let body = InBetween::of_rigid(&motion, Vec3::ZERO).expect("finite");
            let chain = Chain::new(vec![0, 0], vec![InBetween::resting(Pose::IDENTITY), body]);
            let here = Placement::new(Pose::IDENTITY);
            let (moving, world) = (Carried { frame: 1, placement: &here }, Carried { frame: 0, placement: &here });
            let relative = Relative::new(&chain, moving, world, 0, Vec3::ZERO);
            let tree = RestingTree::new(Vec3::ZERO, vec![[Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)]], Vec::new());
            let sweep = Sweep::new(relative.tube(Span::new(t, t + length)), &tree, 0.0);

            let (center, half) = (Vec3::from(center), Vec3::from(half));
            let reach = (center.abs() + half).norm();
            let node = MovingNode { center, half, reach, first: 0, second: 0, leaf: true };
            let probe = sweep.sweep(&node).probe;
            let sign = |bit: u32| if corner & bit == 0 { -1.0 } else { 1.0 };
            let y = center + Vec3::new(half.x * sign(1), half.y * sign(2), half.z * sign(4));
            let when = t + at * length;
            let (p, _) = relative.tube(Span::new(when, when)).line(y);
            let p = p * tree.scale;
            for i in 0..3 {
                prop_assert!(f64::from(probe.lo[i]) <= p[i] && p[i] <= f64::from(probe.hi[i]), "axis {i} of the world");
                let a = probe.axes[i];
                let along = f64::from(a[0]) * p.x + f64::from(a[1]) * p.y + f64::from(a[2]) * p.z;
                let gap = (2.0 * along - f64::from(probe.middle[i])).abs();
                prop_assert!(gap <= f64::from(probe.reach[i]), "axis {i} of the body");
            }
        }
    }
}
