//! When can two triangles begin to touch? A vertex meets a face or two edges meet, each with an equation in time.
//! [Redon 2004, section 5.2, equations 13, 14 and 18]
//!
//! ```text
//! vertex/face   ab · (bc ^ bd) = 0, and a inside bcd         3 vertices of the moving triangle, 3 of the resting one
//! edge/edge     ac · (ab ^ cd) = 0, and both edges reach it   9
//! ```
//!
//! Theorem. Triangles that are apart where a span begins and meet in it do so first with a vertex in a closed face or with two closed
//! edges crossing. Proof: they meet first at some time, their common set is convex; an extreme point of it lies on an edge. If an edge
//! goes through the inside of a face, across its plane, it did so shortly before. Else the edge lies in the plane, and what is common to
//! both ends at a vertex or at another edge. QED
//! So a pair apart at the start stays apart if each of its fifteen equations is excluded at all times.
//!
//! Each condition says that some function of time is not negative; [`Varying::reaches_zero`] bounds when it can be, from its value at the
//! middle and all its slopes. For the two sides of an equation together that is the interval Newton step. Times that one condition
//! excludes are excluded.
//!
//! Not here: whether they are apart at the start. The resting triangle's own error is part of the motion's position.

mod edges;
mod face;
#[cfg(test)]
mod tests;

use crate::math::Vec3;
use crate::math::interval::{Varying, VaryingVec3};
use crate::math::rounding::U;
use crate::reference::redon2004::taylor_motion::VaryingMotion;
use edges::edges_meet;
use face::Face;

/// Which of the fifteen equations of a pair are asked about: bit k is vertex k of the moving triangle, bit 3 + k that of the resting one,
/// bit 6 + 3 k + l edge k of the moving and edge l of the resting triangle; edge k begins at corner k.
pub(crate) type Active = u16;

/// All fifteen.
pub(crate) const ALL: Active = (1 << 15) - 1;

/// Times from `from` to `to` in tau; none when `from > to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Times {
    pub from: f64,
    pub to: f64,
}

impl Times {
    pub const NONE: Times = Times { from: f64::INFINITY, to: f64::NEG_INFINITY };

    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.from > self.to
    }

    /// Times in both.
    #[inline(always)]
    fn and(self, o: Times) -> Times {
        Times { from: self.from.max(o.from), to: self.to.min(o.to) }
    }

    /// The shortest that holds both.
    #[inline(always)]
    pub fn or(self, o: Times) -> Times {
        Times { from: self.from.min(o.from), to: self.to.max(o.to) }
    }

    /// Times at which `v` may be zero or above.
    #[inline(always)]
    fn not_negative(v: Varying) -> Times {
        v.reaches_zero().map_or(Times::NONE, |(from, to)| Times { from, to })
    }

    /// Times at which `v` may be `level` or above.
    #[inline(always)]
    fn at_least(v: Varying, level: f64) -> Times {
        Times::not_negative(v - Varying::constant(level, 0.0))
    }

    /// Times at which `v` may be `level` or below.
    #[inline(always)]
    fn at_most(v: Varying, level: f64) -> Times {
        Times::not_negative(Varying::constant(level, 0.0) - v)
    }
}

/// What the equations of a pair leave of a span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Roots {
    /// When any of them may have a root.
    pub times: Times,
    /// Which may have one in the first half of the span, and which in the second.
    pub early: Active,
    pub late: Active,
}

impl Roots {
    #[inline(always)]
    fn add(&mut self, bit: usize, times: Times) {
        if times.is_empty() {
            return;
        }
        self.times = self.times.or(times);
        self.early |= Active::from(times.from <= 0.0) << bit;
        self.late |= Active::from(times.to >= 0.0) << bit;
    }
}

/// Bounds the roots of the active equations of two triangles over a span. `motion` is that of the moving triangle's body as seen from
/// where the other rests.
pub(crate) fn roots(motion: &VaryingMotion, moving: &[Vec3; 3], resting: &[Vec3; 3], active: Active) -> Roots {
    let mut roots = Roots { times: Times::NONE, early: 0, late: 0 };
    let face = Face::new(resting);
    let corners = moving.map(|y| face.relative(motion.point(y), resting[0]));
    if face.misses_box(&corners) {
        return roots;
    }
    let heights = corners.map(|x| x.along(face.normal));
    let mut both = face.crossed(&heights);
    if both.is_empty() {
        return roots;
    }
    let own = Face::new(moving);
    let back = motion.rotation.transpose();
    let first = back.apply(VaryingVec3::constant(resting[0], 0.0) - motion.position);
    let seen = [0, 1, 2].map(|k| own.relative(first + back.apply_constant(resting[k] - resting[0]), moving[0]));
    let own_heights = seen.map(|z| z.along(own.normal));
    both = both.and(own.crossed(&own_heights));
    if both.is_empty() {
        return roots;
    }
    for k in 0..3 {
        if active & 1 << k != 0 {
            roots.add(k, face.holds(&corners[k], heights[k], both));
        }
        if active & 1 << (3 + k) != 0 {
            roots.add(3 + k, own.holds(&seen[k], own_heights[k], both));
        }
    }
    for k in 0..3 {
        if active >> (6 + 3 * k) & 0b111 == 0 {
            continue;
        }
        let next = (k + 1) % 3;
        let along = motion.rotation.apply_constant(moving[next] - moving[k]);
        for l in (0..3).filter(|l| active & 1 << (6 + 3 * k + l) != 0) {
            let rest = [face.corners[l], face.corners[(l + 1) % 3]];
            roots.add(6 + 3 * k + l, edges_meet(&[corners[k], corners[next]], &along, rest, both));
        }
    }
    roots
}

/// Covers the rounding of differences of corners, as a shift of the other triangle.
#[inline(always)]
fn slack(corners: &[Vec3; 3]) -> f64 {
    8.0 * U * (corners[1].max_abs() + corners[2].max_abs())
}

/// Whether points are proven to stay all below `low` or all above `high` along a coordinate.
#[inline(always)]
fn stay_beside(points: &[VaryingVec3], axis: usize, low: f64, high: f64) -> bool {
    points.iter().all(|x| x.0[axis].stays_above(high)) || points.iter().all(|x| (-x.0[axis]).stays_above(-low))
}
