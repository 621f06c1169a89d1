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

use crate::bvh::RestingTree;
use crate::bvh::moving::MovingBox;
use crate::math::rounding::f32_above;
use crate::math::simd::{Boxes8, DOT_ERROR, Probe, SLACK_PER_COORDINATE, SweptTriangle32};
use crate::math::{M4, V4, Vec3};
use crate::motion::Tube;
use crate::narrow::triangle_pair::SweptTriangle;

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

/// Up to four triangles over a span, one in each lane; those of the last lanes may be the same. Corner k moves along
/// `corners[k] + tau * travel[k]`, plus a ball of `radius`.
///
/// Each corner sweeps a segment, so a triangle lies between the least and the largest of its corners' ends along any axis, give or take the
/// radius. The body's axes are the numbers in `rows`, of length at most 1 + [`AXIS_ERROR`].
pub(crate) struct SweptFour {
    /// By corner and coordinate.
    corners: [[V4; 3]; 3],
    travel: [[V4; 3]; 3],
    radius: f64,
    /// What they occupy on the resting frame's axes and on the body's, in the units of the resting tree.
    from: [V4; 6],
    to: [V4; 6],
    rows: M4,
    scale: f64,
}

/// What the kernel needs of four triangles: by corner, coordinate and lane.
pub(crate) struct Scaled {
    corners: [[[f32; 4]; 3]; 3],
    travel: [[[f32; 4]; 3]; 3],
    radius: f32,
    slack: [f32; 4],
}

impl Scaled {
    /// The one in a lane.
    #[inline(always)]
    pub fn triangle(&self, lane: usize) -> SweptTriangle32 {
        let (c, t) = (&self.corners, &self.travel);
        SweptTriangle32 {
            corners: [of_lane(&c[0], lane), of_lane(&c[1], lane), of_lane(&c[2], lane)],
            travel: [of_lane(&t[0], lane), of_lane(&t[1], lane), of_lane(&t[2], lane)],
            radius: self.radius,
            slack: self.slack[lane],
        }
    }
}

#[inline(always)]
fn of_lane(v: &[[f32; 4]; 3], lane: usize) -> [f32; 3] {
    [v[0][lane], v[1][lane], v[2][lane]]
}

impl SweptFour {
    /// Which of them are not proven apart from one of eight boxes: bit d for the one in lane d.
    ///
    /// A box is `middle ± half` on the body's axes, here doubled; its coordinates are at most 2 in the tree's units, so that six products
    /// and their sums round by less than the slack. NaN proves nothing.
    #[inline(always)]
    pub fn near(&self, boxes: &Boxes8, lane: usize) -> u32 {
        let lo = V4([boxes.lo[0][lane].into(), boxes.lo[1][lane].into(), boxes.lo[2][lane].into(), 0.0]);
        let hi = V4([boxes.hi[0][lane].into(), boxes.hi[1][lane].into(), boxes.hi[2][lane].into(), 0.0]);
        let (middle, half) = (self.rows.apply(lo.add(hi)), self.rows.abs().apply(hi.sub(lo)).add(V4::splat(4.0 * TINY)));
        let (low, high) = (middle.sub(half).scale(0.5), middle.add(half).scale(0.5));
        let mut gap = V4::splat(f64::NEG_INFINITY);
        for i in 0..3 {
            gap = self.from[i].sub(V4::splat(hi.0[i])).max(gap);
            gap = V4::splat(lo.0[i]).sub(self.to[i]).max(gap);
            gap = self.from[3 + i].sub(V4::splat(high.0[i])).max(gap);
            gap = V4::splat(low.0[i]).sub(self.to[3 + i]).max(gap);
        }
        (0..4).fold(0, |near, d| near | (u32::from(!(gap.0[d] > 0.0)) << d))
    }

    /// In the units of the resting tree, for the kernel: no coordinate is larger than what is occupied on its axis.
    #[inline(always)]
    pub fn scaled(&self) -> Scaled {
        let (mut corners, mut travel) = ([[[0.0; 4]; 3]; 3], [[[0.0; 4]; 3]; 3]);
        let mut size = V4::splat(1.0);
        for i in 0..3 {
            size = self.to[i].abs().max(self.from[i].abs().max(size));
            for k in 0..3 {
                (corners[k][i], travel[k][i]) =
                    (self.corners[k][i].scale(self.scale).f32(), self.travel[k][i].scale(self.scale).f32());
            }
        }
        let mut slack = size.scale(SLACK_PER_COORDINATE).f32_above();
        // Products of three coordinates must stay in the range of `f32`; NaN proves nothing.
        for lane in 0..4 {
            if !(size.0[lane] <= MOST_SCALED) {
                slack[lane] = f32::NAN;
            }
        }
        Scaled { corners, travel, radius: f32_above(self.radius * self.scale), slack }
    }

    /// The one in a lane.
    #[inline(always)]
    pub fn triangle(&self, lane: usize) -> SweptTriangle {
        let of = |c: &[V4; 3]| Vec3::new(c[0].0[lane], c[1].0[lane], c[2].0[lane]);
        SweptTriangle {
            corners: [of(&self.corners[0]), of(&self.corners[1]), of(&self.corners[2])],
            travel: [of(&self.travel[0]), of(&self.travel[1]), of(&self.travel[2])],
            radius: self.radius,
        }
    }
}

/// A row of a matrix times four vectors by coordinate, in the order of [`M4::apply`].
#[inline(always)]
fn row(m: &M4, i: usize, v: [V4; 3]) -> V4 {
    v[0].scale(m.0[0].0[i]).add(v[1].scale(m.0[1].0[i])).add(v[2].scale(m.0[2].0[i]))
}

/// 2^-23: an axis rounded to `f32` is off by at most 2^-25 sqrt(3) < 2^-24 in length.
const AXIS_ERROR: f64 = 1.0 / (1 << 23) as f64;
/// Coordinates in the units of the resting tree, up to which the kernel of triangles may prove anything. Edges are at most 2^41, axes 2^83 per
/// coordinate, their products with corners and travel 3 * 2^124: all below 2^128.
const MOST_SCALED: f64 = (1u64 << 40) as f64;
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
    pub fn sweep(&self, node: &MovingBox) -> SweptBox {
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

    /// What up to four triangles of a leaf sweep.
    ///
    /// # Panics
    /// If there are more, or none: one that is left out would never be found to touch.
    #[inline(always)]
    pub fn four(&self, triangles: &[[Vec3; 3]], reach: f64) -> SweptFour {
        assert!(matches!(triangles.len(), 1..=4), "a leaf has one to four triangles");
        let last = triangles.len() - 1;
        let [t0, t1, t2, t3] = [&triangles[0], &triangles[last.min(1)], &triangles[last.min(2)], &triangles[last]];
        let (tube, zero) = (&self.tube, V4::splat(0.0));
        let (mut corners, mut travel) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        let (mut from, mut to) = ([V4::splat(f64::INFINITY); 6], [V4::splat(f64::NEG_INFINITY); 6]);
        // Not the largest of all sizes but their sum: NaN and infinity stay in it.
        let mut size = zero;
        for k in 0..3 {
            let y = [
                V4([t0[k].x, t1[k].x, t2[k].x, t3[k].x]),
                V4([t0[k].y, t1[k].y, t2[k].y, t3[k].y]),
                V4([t0[k].z, t1[k].z, t2[k].z, t3[k].z]),
            ];
            // As `Tube::line4` does it.
            for i in 0..3 {
                let x = V4::splat(tube.position.0[i]).add(row(&tube.rotation, i, y));
                let d = V4::splat(tube.velocity.0[i]).add(row(&tube.rotation_rate, i, y)).scale(tube.half);
                (from[i], to[i]) = (x.sub(d.abs()).min(from[i]), x.add(d.abs()).max(to[i]));
                (corners[k][i], travel[k][i]) = (x, d);
            }
            for q in 0..3 {
                let (x, d) = (row(&self.rows, q, corners[k]), row(&self.rows, q, travel[k]).abs());
                (from[3 + q], to[3 + q]) = (x.sub(d).min(from[3 + q]), x.add(d).max(to[3 + q]));
                size = size.add(x.abs()).add(d);
            }
        }
        let radius = tube.radius(reach) + self.extra;
        let around = V4::splat(radius * (1.0 + AXIS_ERROR)).add(size.scale(2.0 * TINY));
        for i in 0..6 {
            (from[i], to[i]) = (from[i].sub(around).scale(self.scale), to[i].add(around).scale(self.scale));
        }
        SweptFour { corners, travel, radius, from, to, rows: self.rows, scale: self.scale }
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
    use crate::math::{Mat3, Pose};
    use crate::motion::in_between::RigidMotion;
    use crate::motion::{Carried, Chain, InBetween, Relative, Span};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// A triangle and a box that share a corner and nothing else are never apart: rounding is accounted for. An axis of the body
        /// separates them but for that corner.
        #[test]
        fn what_shares_one_corner_is_near(
            axes in prop::array::uniform9(-1.0f32..1.0), low in prop::array::uniform3(-1.0f32..1.0), side in prop::array::uniform3(0.0f32..0.5),
            q in 0usize..3, lane in 0usize..4,
        ) {
            let axis = |q: usize| Vec3::new(axes[3 * q].into(), axes[3 * q + 1].into(), axes[3 * q + 2].into());
            let [a, b, c] = [axis(0), axis(1), axis(2)];
            let rows = M4([V4([a.x, b.x, c.x, 0.0]), V4([a.y, b.y, c.y, 0.0]), V4([a.z, b.z, c.z, 0.0])]);
            let (lo, hi) = (low, [low[0] + side[0], low[1] + side[1], low[2] + side[2]]);
            let boxes = Boxes8 { lo: lo.map(|x| [x; 8]), hi: hi.map(|x| [x; 8]) };
            // The box's last corner along the axis, and two more beyond it.
            let n = axis(q);
            let last = |i: usize| f64::from(if n[i] > 0.0 { hi[i] } else { lo[i] });
            let corner = Vec3::new(last(0), last(1), last(2));
            let others = [corner + n, corner + n * 2.0];
            let mut triangles = [[Vec3::splat(7.0); 3]; 4];
            triangles[lane] = [corner, others[0], others[1]];
            // Nothing moves.
            let mut sweep = Sweep { rows, scale: 1.0, ..Sweep::default() };
            sweep.tube.rotation = Mat3::IDENTITY.into();
            let four = sweep.four(&triangles, 0.0);
            prop_assert_eq!(four.near(&boxes, 0), 1 << lane);
        }

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
            let node = MovingBox { center, half, reach };
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
