//! A vertex and a face, seen from where the face rests: all conditions are linear in the vertex's place.
//!
//! For any direction q a point of a triangle lies between its lowest and its highest corner along q. With q the normal that is equation 14,
//! with q across an edge in the plane it is the test whether the vertex is inside. No q needs to be exact.

use crate::math::Vec3;
use crate::math::interval::{Varying, VaryingVec3};
use crate::math::rounding::U;
use crate::reference::redon2004::equations::{Times, slack, stay_beside};

/// A triangle in its own frame, relative to its first corner.
pub(crate) struct Face {
    pub corners: [Vec3; 3],
    pub normal: Vec3,
    slack: f64,
}

impl Face {
    #[inline(always)]
    pub fn new(t: &[Vec3; 3]) -> Self {
        let corners = [Vec3::ZERO, t[1] - t[0], t[2] - t[0]];
        Face { corners, normal: corners[1].cross(corners[2]), slack: slack(&corners) }
    }

    /// A point relative to the first corner; the rounding of the other corners counts as its shift.
    #[inline(always)]
    pub fn relative(&self, point: VaryingVec3, first: Vec3) -> VaryingVec3 {
        (point - VaryingVec3::constant(first, 0.0)).shifted_within(self.slack)
    }

    /// Lowest and highest corner along q, rounded outward.
    #[inline(always)]
    fn extent(&self, q: Vec3) -> (f64, f64) {
        let [_, b, c] = self.corners;
        let (along_b, along_c) = (q.dot(b), q.dot(c));
        let pad = 8.0 * U * (q.abs().dot(b.abs()) + q.abs().dot(c.abs())) + f64::MIN_POSITIVE;
        (along_b.min(along_c).min(0.0) - pad, along_b.max(along_c).max(0.0) + pad)
    }

    /// Whether another triangle with these corners is proven to stay beside this one along a coordinate.
    #[inline(always)]
    pub fn misses_box(&self, corners: &[VaryingVec3; 3]) -> bool {
        let [_, b, c] = self.corners;
        (0..3).any(|i| stay_beside(corners, i, b[i].min(c[i]).min(0.0), b[i].max(c[i]).max(0.0)))
    }

    /// When a triangle whose corners have these heights along the normal can meet this one: some are not below it and some not above.
    #[inline(always)]
    pub fn crossed(&self, heights: &[Varying; 3]) -> Times {
        let (low, high) = self.extent(self.normal);
        let any = |of: &dyn Fn(Varying) -> Times| heights.iter().fold(Times::NONE, |t, h| t.or(of(*h)));
        any(&|h| Times::at_least(h, low)).and(any(&|h| Times::at_most(h, high)))
    }

    /// When a vertex can be in the face; `height` is its place along the normal, `both` the times that are not excluded yet.
    #[inline(always)]
    pub fn holds(&self, vertex: &VaryingVec3, height: Varying, both: Times) -> Times {
        let (low, high) = self.extent(self.normal);
        let mut times = both.and(Times::at_least(height, low)).and(Times::at_most(height, high));
        for k in 0..3 {
            if times.is_empty() {
                break;
            }
            let inward = self.normal.cross(self.corners[(k + 1) % 3] - self.corners[k]);
            times = times.and(Times::at_least(vertex.along(inward), self.extent(inward).0));
        }
        times
    }
}
