//! One pair: two placed hulls, or two triangles.
//!
//! Everything happens in the frame of B, where a point y of A is at R y + p. R and p are rounded and so are the poses they come from:
//! every point of A is off by at most `error`, see [`Placed::new`]. Numbers computed from it are off by further roundings, all below 64 u S
//! with S at least |y| + |p| + |x| for all points: the local direction 6 u, heights of A 4 u and of B 3 u, each twice because the vertex that
//! a scan finds is the lowest but for that; placing the vertex 8 u, the difference and its height 5 u, the length of v 4 u: 43 u in all.
//! `error` contains that too. So a gap along a direction, less `error`, is a proof, and the distance of two points plus `error` is another.

use crate::exact::closest::closest;
use crate::exact::gjk::{Bodies, Enough, Nearest, Simplex, Vertex, length, nearest};
use crate::math::pose::Placement;
use crate::math::rounding::U;
use crate::math::{Mat3, Pose, Vec3};
use crate::shape::hull::tree::{Block, farthest, vertex};

/// Squares of lengths below this underflow.
const UNDERFLOW: f64 = 1e-150;

/// A as seen from B.
#[derive(Clone, Copy, Debug)]
pub(in crate::query) struct Placed {
    pub rotation: Mat3,
    pub position: Vec3,
    /// Every bound is off by this, at most.
    pub error: f64,
    pub world_from_b: Pose,
}

/// Bounds on the distance of two triangles, rounding included, and the points.
#[derive(Clone, Copy, Debug)]
pub(in crate::query) struct Measured {
    pub at_least: f64,
    pub at_most: f64,
    pub on_a: Vec3,
    pub on_b: Vec3,
    /// From B to A.
    pub apart: Vec3,
}

impl Placed {
    /// For bodies whose points are at most `reach` from their origins. Rotations are off by their own errors and 16 u for the product, the offset by that of B's rotation, u for the difference of the
    /// translations and 8 u for turning it.
    pub fn new((reach_a, world_from_a): (f64, &Pose), (reach_b, world_from_b): (f64, &Pose)) -> Self {
        let [rough_a, rough_b] = [world_from_a, world_from_b].map(|p| Placement::new(*p).rotation_error);
        let offset = world_from_a.translation - world_from_b.translation;
        let both_rough = if rough_a + rough_b > 0.0 { 16.0 * U } else { 0.0 };
        let far = offset.norm() * (1.0 + 8.0 * U);
        let placing = (rough_a + rough_b + both_rough) * reach_a + (rough_b + 12.0 * U) * far;
        Placed {
            rotation: world_from_b.rotation.transpose() * world_from_a.rotation,
            position: world_from_b.rotation.transpose_mul(offset),
            error: (placing + 64.0 * U * (reach_a + far + reach_b)) * (1.0 + 16.0 * U) + UNDERFLOW,
            world_from_b: *world_from_b,
        }
    }

    /// Where a point of A is.
    #[inline(always)]
    pub fn place(&self, y: Vec3) -> Vec3 {
        self.rotation * y + self.position
    }

    /// Compares two hulls, first along a direction; `supports` counts.
    #[inline(always)]
    pub fn hulls(
        &self,
        a: &[Block],
        b: &[Block],
        first: Vec3,
        known: Option<Simplex>,
        enough: Enough,
        supports: &mut u64,
    ) -> Nearest {
        nearest(first, known, &mut Hulls { placed: self, a, b, supports }, enough, self.error)
    }

    /// The simplex of remembered vertices, as they now are.
    pub fn simplex(&self, a: &[Block], b: &[Block], ids: &[(u32, u32)]) -> Option<Simplex> {
        let mut vertices = ids.iter().map(|&(i, k)| Vertex { a: self.place(vertex(a, i)), b: vertex(b, k), ids: (i, k) });
        let mut simplex = Simplex::of(vertices.next()?);
        for v in vertices {
            simplex.add(v);
        }
        Some(simplex)
    }

    /// Measures two triangles, the first already placed. Stops when they are known to be farther than `enough` apart.
    #[inline(always)]
    pub fn triangles(&self, a: &[Vec3; 3], b: &[Vec3; 3], first: Vec3, enough: f64, supports: &mut u64) -> Measured {
        let enough_for_both = Enough { at_least: enough + self.error, at_most: 0.0 };
        let found = nearest(first, None, &mut Triangles { a, b, supports }, enough_for_both, self.error);
        let (on_a, on_b) = found.simplex.points();
        let at_most = (on_a - on_b).norm() + self.error;
        let at_most = if found.overlapping { 0.0 } else { at_most };
        let measured = Measured { at_least: (found.at_least - self.error).max(0.0), at_most, on_a, on_b, apart: found.apart };
        let loose = measured.at_most - measured.at_least > 4.0 * self.error + 1e-12 * measured.at_most;
        if measured.at_least > enough || found.overlapping || !loose { measured } else { self.by_features(a, b, &measured) }
    }

    /// Once more, by all pairs of features: where GJK ended before its bounds met.
    #[cold]
    fn by_features(&self, a: &[Vec3; 3], b: &[Vec3; 3], known: &Measured) -> Measured {
        let c = closest(a, b);
        let v = c.on_a - c.on_b;
        let at_most = v.norm() + self.error;
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

/// Two hulls of nodes, scanned.
struct Hulls<'a> {
    placed: &'a Placed,
    a: &'a [Block],
    b: &'a [Block],
    supports: &'a mut u64,
}

impl Bodies for Hulls<'_> {
    #[inline(always)]
    fn support(&mut self, d: Vec3) -> Vertex {
        *self.supports += 1;
        let (i, y) = farthest(self.a, -self.placed.rotation.transpose_mul(d));
        let (k, x) = farthest(self.b, d);
        Vertex { a: self.placed.place(y), b: x, ids: (i, k) }
    }
}

/// Two triangles, both placed.
struct Triangles<'a> {
    a: &'a [Vec3; 3],
    b: &'a [Vec3; 3],
    supports: &'a mut u64,
}

impl Bodies for Triangles<'_> {
    #[inline(always)]
    fn support(&mut self, d: Vec3) -> Vertex {
        *self.supports += 1;
        let (i, k) = (highest(self.a, -d), highest(self.b, d));
        Vertex { a: self.a[i], b: self.b[k], ids: (i as u32, k as u32) }
    }
}

/// The corner with the largest d·x.
#[inline(always)]
fn highest(t: &[Vec3; 3], d: Vec3) -> usize {
    let h = [d.dot(t[0]), d.dot(t[1]), d.dot(t[2])];
    if h[0] >= h[1] && h[0] >= h[2] {
        0
    } else if h[1] >= h[2] {
        1
    } else {
        2
    }
}
