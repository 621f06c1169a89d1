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
use crate::math::rounding::{f32_down, f32_up};
use crate::math::simd::{DOT_ERROR, Probe, SLACK_PER_COORDINATE, SweptTriangle32};
use crate::math::{Mat3, Vec3};
use crate::motion::Tube;
use crate::shape::tree::RestingTree;
use crate::shape::tree::moving::MovingNode;

/// A tube and what follows from it for every node of the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweep {
    pub tube: Tube,
    /// |R| + h |M|.
    spread: Mat3,
    /// The body's axes in `f32`, and the same numbers in `f64`.
    axes: [[f32; 3]; 3],
    /// h |w|, in body axes.
    spin: Vec3,
    /// Margin and errors of the resting items.
    extra: f64,
    scale: f64,
    /// Rounding of the kernel's dot products, in metres.
    dot_error: f64,
}

/// A swept box: what the kernel needs, and how much of it is box and how much motion.
pub(crate) struct SweptBox {
    pub probe: Probe,
    pub half: Vec3,
    pub motion: Vec3,
}

/// 2^-23: an axis rounded to `f32` is off by at most 2^-25 sqrt(3) < 2^-24 in length.
const AXIS_ERROR: f64 = 1.0 / (1 << 23) as f64;
/// Rounding of sums of a dozen positive terms.
const TINY: f64 = 1.0 / (1u64 << 45) as f64;

impl Sweep {
    pub fn new(tube: Tube, tree: &RestingTree, extra: f64) -> Self {
        Sweep {
            spread: tube.rotation.abs() + tube.rotation_rate.abs() * tube.half,
            axes: tube.rotation.columns.map(|c| c.to_array().map(|x| x as f32)),
            spin: tube.spin_local.abs() * tube.half,
            extra,
            scale: tree.scale,
            // |axis|_1 <= sqrt(3) (1 + 2^-20), boxes reach at most the extent, rounded outward.
            dot_error: 1.75 * DOT_ERROR * tree.extent,
            tube,
        }
    }

    /// The box that a node sweeps.
    #[inline(always)]
    pub fn sweep(&self, node: &MovingNode) -> SweptBox {
        let (at, travel) = self.tube.line(node.center);
        let radius = self.tube.radius(node.reach) + self.extra;
        let e = node.half;
        let world = self.spread * e + travel.abs() + Vec3::splat(radius);
        let world = world * (1.0 + TINY) + at.abs() * TINY;
        let velocity = (self.tube.velocity_local + self.tube.spin_local.cross(node.center)) * self.tube.half;
        let s = self.spin;
        let turn = Vec3::new(s.y * e.z + s.z * e.y, s.z * e.x + s.x * e.z, s.x * e.y + s.y * e.x);
        let motion = velocity.abs() + turn + Vec3::splat(radius);
        let slack = AXIS_ERROR * (world.norm1() + at.max_abs() * TINY) + self.dot_error + at.norm1() * TINY;
        let mut probe = Probe { lo: [0.0; 3], hi: [0.0; 3], axes: self.axes, low: [0.0; 3], high: [0.0; 3] };
        for i in 0..3 {
            probe.lo[i] = f32_down((at[i] - world[i]) * self.scale);
            probe.hi[i] = f32_up((at[i] + world[i]) * self.scale);
            let a = self.axes[i];
            let center = f64::from(a[0]) * at.x + f64::from(a[1]) * at.y + f64::from(a[2]) * at.z;
            let reach = e[i] + motion[i] + slack;
            probe.low[i] = f32_down((center - reach) * self.scale);
            probe.high[i] = f32_up((center + reach) * self.scale);
        }
        SweptBox { probe, half: e, motion }
    }

    /// What a swept triangle occupies on the same six axes: each corner sweeps a segment, give or take the radius.
    #[inline(always)]
    pub fn probe_of(&self, t: &SweptTriangle) -> Probe {
        let mut probe = Probe { lo: [0.0; 3], hi: [0.0; 3], axes: self.axes, low: [0.0; 3], high: [0.0; 3] };
        let size = (0..3).fold(0.0f64, |m, k| m.max(t.corners[k].max_abs() + t.travel[k].max_abs()));
        let tiny = size * TINY;
        for i in 0..3 {
            let (lo, hi) = reach_of(t, |v| v[i]);
            probe.lo[i] = f32_down((lo - t.radius - tiny) * self.scale);
            probe.hi[i] = f32_up((hi + t.radius + tiny) * self.scale);
            let a = Vec3::new(self.axes[i][0].into(), self.axes[i][1].into(), self.axes[i][2].into());
            let (lo, hi) = reach_of(t, |v| a.dot(v));
            let slack = t.radius * (1.0 + AXIS_ERROR) + tiny + self.dot_error;
            probe.low[i] = f32_down((lo - slack) * self.scale);
            probe.high[i] = f32_up((hi + slack) * self.scale);
        }
        probe
    }

    /// A swept triangle in the kernel's units.
    #[inline(always)]
    pub fn narrow(&self, t: &SweptTriangle) -> SweptTriangle32 {
        let convert = |v: Vec3| (v * self.scale).to_array().map(|x| x as f32);
        let size = (0..3).fold(1.0f64, |m, k| m.max((t.corners[k].max_abs() + t.travel[k].max_abs()) * self.scale));
        SweptTriangle32 {
            corners: t.corners.map(convert),
            travel: t.travel.map(convert),
            radius: f32_up(t.radius * self.scale),
            slack: f32_up(SLACK_PER_COORDINATE * size),
        }
    }
}

#[inline(always)]
fn reach_of(t: &SweptTriangle, along: impl Fn(Vec3) -> f64) -> (f64, f64) {
    let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
    for k in 0..3 {
        let (at, travel) = (along(t.corners[k]), along(t.travel[k]).abs());
        lo = lo.min(at - travel);
        hi = hi.max(at + travel);
    }
    (lo, hi)
}
