//! Two bodies at rest.
//!
//! Everything happens in the frame of B, where a point y of A is at R y + p. R and p are rounded and so are the poses they come from:
//! every point of A is off by at most `error`, see [`Placed::new`]. Numbers computed from it are off by further roundings, all below 64 u S
//! with S at least |y| + |p| + |x| for all points: the local direction 6 u, heights of A 4 u and of B 3 u, each twice because the vertex that
//! a scan finds is the lowest but for that; placing the vertex 8 u, the difference and its height 5 u, the length of v 4 u: 43 u in all.
//! `error` contains that too. So a gap along a direction, less `error`, is a proof, and the distance of two points plus `error` is another.

use crate::math::pose::Placement;
use crate::math::rounding::U;
use crate::math::{Mat3, Pose, Vec3};
use crate::narrow::closest::closest;
use crate::narrow::gjk::{Vertex, length};
use crate::narrow::hull_pair::{Measured, Placing, Support, highest};

/// Squares of lengths below this underflow.
const UNDERFLOW: f64 = 1e-150;

/// A as seen from B.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub rotation: Mat3,
    pub position: Vec3,
    /// Every bound is off by this, at most.
    pub error: f64,
    pub world_from_b: Pose,
}

impl Placed {
    /// For bodies whose points are at most `reach` from their origins.
    pub fn new((reach_a, world_from_a): (f64, &Pose), (reach_b, world_from_b): (f64, &Pose)) -> Self {
        Placed::of((reach_a, &Placement::new(*world_from_a)), (reach_b, &Placement::new(*world_from_b)))
    }

    /// The same for poses that were rounded on their way. Rotations are off by their own errors and 16 u for the product, the offset by that
    /// of B's rotation, by those of both positions, u for the difference of the translations and 8 u for turning it.
    pub fn of((reach_a, a): (f64, &Placement), (reach_b, b): (f64, &Placement)) -> Self {
        let (rough_a, rough_b) = (a.rotation_error, b.rotation_error);
        let offset = a.pose.translation - b.pose.translation;
        let both_rough = if rough_a + rough_b > 0.0 { 16.0 * U } else { 0.0 };
        let far = offset.norm() * (1.0 + 8.0 * U);
        let placing =
            (rough_a + rough_b + both_rough) * reach_a + (rough_b + 12.0 * U) * far + a.position_error + b.position_error;
        Placed {
            rotation: b.pose.rotation.transpose() * a.pose.rotation,
            position: b.pose.rotation.transpose_mul(offset),
            error: (placing + 64.0 * U * (reach_a + far + reach_b)) * (1.0 + 16.0 * U) + UNDERFLOW,
            world_from_b: b.pose,
        }
    }

    /// The same for bodies whose points are together off by `error` more.
    pub fn within(self, error: f64) -> Self {
        if error > 0.0 { Placed { error: (self.error + error) * (1.0 + 4.0 * U), ..self } } else { self }
    }

    /// Where a point of A is.
    #[inline(always)]
    pub fn place(&self, y: Vec3) -> Vec3 {
        self.rotation * y + self.position
    }
}

impl Placing for Placed {
    type A = [Vec3; 3];
    type B = [Vec3; 3];

    #[inline(always)]
    fn error(&self) -> f64 {
        self.error
    }

    #[inline(always)]
    fn stretch(&self) -> (f64, f64) {
        (1.0, 1.0)
    }

    fn between(&self) -> Vec3 {
        self.position
    }

    #[inline(always)]
    fn vertex(&self, a: &impl Support, b: &impl Support, d: Vec3) -> Vertex {
        let (i, y) = a.farthest(-self.rotation.transpose_mul(d));
        let (k, x) = b.farthest(d);
        Vertex { a: self.place(y), b: x, ids: (i, k) }
    }

    #[inline(always)]
    fn recalled(&self, a: &impl Support, b: &impl Support, (i, k): (u32, u32)) -> Vertex {
        Vertex { a: self.place(a.point(i)), b: b.point(k), ids: (i, k) }
    }

    #[inline(always)]
    fn points(&self, a: Vec3, b: Vec3) -> (f64, Vec3) {
        let between = self.place(a) - b;
        (between.norm(), between)
    }

    #[inline(always)]
    fn place_a(&self, t: &[Vec3; 3]) -> [Vec3; 3] {
        [self.place(t[0]), self.place(t[1]), self.place(t[2])]
    }

    #[inline(always)]
    fn place_b(&self, t: &[Vec3; 3]) -> [Vec3; 3] {
        *t
    }

    #[inline(always)]
    fn lowest(&self, a: &[Vec3; 3], n: Vec3) -> f64 {
        n.dot(a[0]).min(n.dot(a[1])).min(n.dot(a[2]))
    }

    #[inline(always)]
    fn highest(&self, b: &[Vec3; 3], n: Vec3) -> f64 {
        n.dot(b[0]).max(n.dot(b[1])).max(n.dot(b[2]))
    }

    #[inline(always)]
    fn corner(&self, a: &[Vec3; 3], b: &[Vec3; 3], d: Vec3) -> Vertex {
        let (i, k) = (highest(a, -d), highest(b, d));
        Vertex { a: a[i], b: b[k], ids: (i as u32, k as u32) }
    }

    /// Once more, by all pairs of features: where GJK ended before its bounds met.
    #[cold]
    fn finer(&self, a: &[Vec3; 3], b: &[Vec3; 3], known: &Measured) -> Measured {
        let c = closest(a, b);
        let (v, at_most) = (c.apart, (c.on_a - c.on_b).norm() + self.error);
        let low = a.iter().fold(f64::INFINITY, |m, p| m.min(v.dot(*p)));
        let high = b.iter().fold(f64::NEG_INFINITY, |m, p| m.max(v.dot(*p)));
        let at_least = length(v).map_or(0.0, |length| (low - high) / length - self.error);
        let mut best = *known;
        if at_least > best.at_least {
            (best.at_least, best.apart) = (at_least, v);
        }
        if at_most < best.at_most {
            (best.at_most, best.on_a, best.on_b) = (at_most, c.on_a, c.on_b);
        }
        best
    }
}
