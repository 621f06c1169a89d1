//! Two triangles, one moving along the lines of a tube: directions that keep them apart, and proofs that they touch.
//!
//! Along a direction n the corners of the moving triangle project to linear functions of tau, the resting ones to constants:
//!
//! ```text
//!   n·x |  moving  \        g_k(tau) = n·(corner_k + tau travel_k) - max_j n·rest_j - E
//!       |           \_____   all g_k > 0: apart at tau
//!       |  resting ========
//! ```
//! Error budget of E = radius |n| + 16 u m |n|_1, with m at least every coordinate of the differences to `rest[0]`: differences u and dot
//! products 3u at each end, combining the ends 3u, adding E u, the crossing time 2 + 2 u of slopes up to 2 m |n|_1; 12 u in all.

use super::closest::{Closest, closest, edge};
use super::window::{Narrowing, Window};
use crate::math::rounding::U;
use crate::math::{V4, Vec3};
use crate::motion::Tube;

/// A triangle over a span: corner k moves along `corners[k] + tau * travel[k]`, plus a ball of `radius`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SweptTriangle {
    pub corners: [Vec3; 3],
    pub travel: [Vec3; 3],
    pub radius: f64,
}

impl SweptTriangle {
    /// A triangle of a body (corners in the body's frame, at most `reach` from its origin) in a tube; `extra` is added to the radius.
    #[inline(always)]
    pub fn new(tube: &Tube, corners: &[Vec3; 3], reach: f64, extra: f64) -> Self {
        let lines = [tube.line(corners[0]), tube.line(corners[1]), tube.line(corners[2])];
        SweptTriangle {
            corners: [lines[0].0, lines[1].0, lines[2].0],
            travel: [lines[0].1, lines[1].1, lines[2].1],
            radius: tube.radius(reach) + extra,
        }
    }

    fn corners_at(&self, tau: f64) -> [Vec3; 3] {
        [0, 1, 2].map(|k| self.corners[k] + self.travel[k] * tau)
    }
}

/// What the eleven axes of two triangles, as they are at `tau`, leave of the span.
#[inline(always)]
pub(crate) fn narrow(moving: &SweptTriangle, rest: &[Vec3; 3], tau: f64) -> Narrowing {
    let gap = Gap::new(moving, rest);
    let mut n = Narrowing::new(Window::FULL);
    let (a0, a1, a2) = (gap.corner(0, tau), gap.corner(1, tau), gap.corner(2, tau));
    let (b1, b2) = (gap.rest(1), gap.rest(2));
    let edges_b = [b1, b2 - b1, -b2];
    gap.narrow(edges_b[0].cross(edges_b[1]), &mut n);
    if n.window.is_empty() {
        return n;
    }
    let edges_a = [a1 - a0, a2 - a1, a0 - a2];
    gap.narrow(edges_a[0].cross(edges_a[1]), &mut n);
    for a in edges_a {
        for b in edges_b {
            if n.window.is_empty() {
                return n;
            }
            gap.narrow(a.cross(b), &mut n);
        }
    }
    n
}

/// Narrows the window by directions between closest points at its two ends: what the eleven axes lack for coplanar, parallel and
/// degenerate triangles, and for margins.
pub(crate) fn narrow_by_closest(moving: &SweptTriangle, rest: &[Vec3; 3], narrowing: &mut Narrowing) {
    let gap = Gap::new(moving, rest);
    let n = gap.rest(1).cross(gap.rest(2));
    for at_start in [true, false] {
        let Window { from, to, .. } = narrowing.window;
        if narrowing.window.is_empty() {
            return;
        }
        let c = closest(&moving.corners_at(if at_start { from } else { to }), rest);
        let d = c.on_a - c.on_b;
        gap.narrow(d, narrowing);
        // In the plane of the resting triangle, for sliding contact.
        gap.narrow(d * n.norm_squared() - n * n.dot(d), narrowing);
    }
}

/// Everything relative to the first resting corner, by coordinate: `corners[axis]` holds that coordinate of all three corners.
struct Gap {
    corners: [V4; 3],
    travel: [V4; 3],
    rest: [V4; 3],
    radius: f64,
    rounding: f64,
}

impl Gap {
    #[inline(always)]
    fn new(moving: &SweptTriangle, rest: &[Vec3; 3]) -> Self {
        let origin = rest[0];
        let by_axis = |p: &[Vec3; 3], o: f64, axis: usize| V4::gather(p, axis).sub(V4::splat(o));
        let corners =
            [by_axis(&moving.corners, origin.x, 0), by_axis(&moving.corners, origin.y, 1), by_axis(&moving.corners, origin.z, 2)];
        let travel = [V4::gather(&moving.travel, 0), V4::gather(&moving.travel, 1), V4::gather(&moving.travel, 2)];
        let rest = [by_axis(rest, origin.x, 0), by_axis(rest, origin.y, 1), by_axis(rest, origin.z, 2)];
        let mut m = V4::splat(0.0);
        for axis in 0..3 {
            m = m.max(corners[axis].abs().add(travel[axis].abs())).max(rest[axis].abs());
        }
        let m = m.0[0].max(m.0[1]).max(m.0[2]);
        Gap { corners, travel, rest, radius: moving.radius * (1.0 + 8.0 * U), rounding: 16.0 * U * m }
    }

    #[inline(always)]
    fn corner(&self, k: usize, tau: f64) -> Vec3 {
        let at = |axis: usize| self.corners[axis].0[k] + tau * self.travel[axis].0[k];
        Vec3::new(at(0), at(1), at(2))
    }

    #[inline(always)]
    fn rest(&self, k: usize) -> Vec3 {
        Vec3::new(self.rest[0].0[k], self.rest[1].0[k], self.rest[2].0[k])
    }

    /// Excludes the times at which direction `n`, or its opposite, keeps the triangles apart.
    #[inline(always)]
    fn narrow(&self, n: Vec3, narrowing: &mut Narrowing) {
        let square = n.norm_squared();
        // Written so that NaN and underflow exclude nothing.
        if !(square > 1e-280) {
            return;
        }
        let need = self.radius * square.sqrt() + self.rounding * n.norm1();
        let along = |v: &[V4; 3]| v[0].scale(n.x).add(v[1].scale(n.y)).add(v[2].scale(n.z));
        let (at, slope, rest) = (along(&self.corners), along(&self.travel), along(&self.rest));
        let (r0, r1, r2) = (rest.0[0], rest.0[1], rest.0[2]);
        let (top, bottom) = (r0.max(r1).max(r2) + need, r0.min(r1).min(r2) - need);
        // Most directions separate at no time: each corner would have to get past at one end at least. Look before dividing.
        let (reach_up, reach_down) = (at.add(slope.abs()), at.sub(slope.abs()));
        if reach_up.0[0] > top && reach_up.0[1] > top && reach_up.0[2] > top {
            positive([at.0[0] - top, at.0[1] - top, at.0[2] - top], [slope.0[0], slope.0[1], slope.0[2]], need, narrowing);
        }
        if reach_down.0[0] < bottom && reach_down.0[1] < bottom && reach_down.0[2] < bottom {
            positive(
                [bottom - at.0[0], bottom - at.0[1], bottom - at.0[2]],
                [-slope.0[0], -slope.0[1], -slope.0[2]],
                need,
                narrowing,
            );
        }
    }
}

/// Excludes the open interval of tau in which all `g[k] + tau * slope[k]` are positive.
#[inline(always)]
fn positive(g: [f64; 3], slope: [f64; 3], need: f64, narrowing: &mut Narrowing) {
    let (mut a, mut b, mut lag) = (-2.0f64, 2.0f64, f64::INFINITY);
    for k in 0..3 {
        let s = slope[k];
        if s > 0.0 {
            a = a.max(-g[k] / s);
        } else if s < 0.0 {
            let end = g[k] / -s;
            if end < b {
                b = end;
                lag = 2.0 * need / -s;
            }
        } else if !(g[k] > 0.0) {
            return;
        }
    }
    if a < b {
        narrowing.exclude(a, b, lag);
    }
}

/// Whether two triangles whose corners are each known within `error` are proven to be within `margin` of each other.
#[inline(always)]
pub(crate) fn proven_within(a: &[Vec3; 3], b: &[Vec3; 3], error: f64, margin: f64) -> bool {
    if margin > 0.0 && near(a, b, error) <= margin {
        return true;
    }
    (0..3u8).any(|i| pierces(edge(a, i), b, error) || pierces(edge(b, i), a, error))
}

/// An upper bound of the distance, from two actual points.
pub(crate) fn near(a: &[Vec3; 3], b: &[Vec3; 3], error: f64) -> f64 {
    let Closest { on_a, on_b, .. } = closest(a, b);
    let size = on_a.max_abs().max(on_b.max_abs());
    (on_a - on_b).norm() * (1.0 + 16.0 * U) + 2.0 * error + 32.0 * U * size
}

/// Whether the segment is proven to cross the triangle: its ends lie on both sides of the plane, and its line runs round all three edges
/// the same way, for every placement of the corners within `error`.
///
/// A determinant of three vectors with coordinates up to m, each off by 2 `error` in length, changes by at most 3 * 2 error * 3 m^2 = 18
/// error m^2 and is rounded by at most 40 u m^3; the three for the edges have coordinates up to 2 m: 72 error m^2 and 300 u m^3.
#[inline(always)]
fn pierces((p, q): (Vec3, Vec3), t: &[Vec3; 3], error: f64) -> bool {
    let (u, v, a, b) = (t[1] - t[0], t[2] - t[0], p - t[0], q - t[0]);
    let m = [u, v, a, b].iter().fold(0.0f64, |m, x| m.max(x.max_abs()));
    let slack = m * m * (64.0 * error + 128.0 * U * m);
    let n = u.cross(v);
    let (above, below) = (n.dot(a), n.dot(b));
    if !((above > slack && below < -slack) || (above < -slack && below > slack)) {
        return false;
    }
    let d = b - a;
    let round = [a.cross(u).dot(d), (a - u).cross(v - u).dot(d), (a - v).cross(-v).dot(d)];
    round.iter().all(|&x| x > 4.0 * slack) || round.iter().all(|&x| x < -4.0 * slack)
}
