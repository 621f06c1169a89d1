//! What a capsule sweeps over a span, by the tube: four corners and a radius.
//!
//! ```text
//!   b- ____________ b+      the ends move along lines, give or take the tube's radius; a point of the segment between them is the
//!     |  conv      |        same mean of both, so the segment sweeps a bilinear patch, which lies in the hull of its corners
//!   a- \__________ a+       swept capsule  ⊂  conv(a-, a+, b+, b-) ⊕ ball(radius of the capsule + radius of the tube)
//! ```

use crate::geometry::bounding::Capsule;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::Vec3;
use crate::math::rounding::{INFLATE, U};
use crate::motion::Tube;
use crate::narrow::closest::closest;
use crate::swept::rounded_polygon::RoundedPolygon;

/// A region that holds a capsule throughout a span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SweptCapsule {
    /// a-, a+, b+, b-.
    corners: [Vec3; 4],
    radius: f64,
}

/// The faces of the hull of four corners.
const FACES: [[usize; 3]; 4] = [[0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3]];

impl SweptCapsule {
    /// A capsule of the tube's body, in the tube's frame of rest.
    pub fn new(tube: &Tube, capsule: &Capsule) -> Self {
        let ((a, da), (b, db)) = (tube.line(capsule.a), tube.line(capsule.b));
        let corners = [a - da, a + da, b + db, b - db];
        let reach = capsule.a.norm().max(capsule.b.norm()) * INFLATE;
        // Each corner is a sum rounded once.
        let rounding = 2.0 * U * corners.iter().map(|c| c.norm1()).fold(0.0, f64::max);
        SweptCapsule { corners, radius: (capsule.radius + tube.radius(reach) + rounding) * INFLATE }
    }

    /// A cell of a swept surface: a region of the same kind.
    pub fn of_cell(cell: &RoundedPolygon) -> Self {
        let corner = |k: usize| cell.corners()[k.min(cell.corners().len() - 1)];
        SweptCapsule { corners: [0, 1, 2, 3].map(corner), radius: cell.radius }
    }

    /// The region and all within `more` of it.
    pub fn grown(&self, more: f64) -> Self {
        SweptCapsule { radius: (self.radius + more) * INFLATE, ..*self }
    }

    /// A box around the region.
    pub fn enclose(&self) -> Aabb {
        let tight = Aabb::of(self.corners);
        tight.grown(self.radius + 4.0 * U * (tight.lo.max_abs() + tight.hi.max_abs() + self.radius))
    }

    /// Whether a direction separates the region from a triangle. `false` proves nothing.
    ///
    /// Sound: with n any vector, region and triangle are apart if min n·triangle - max n·corners > radius |n|. A dot product of three terms
    /// is off by at most 4 u of |n|_1 times the largest coordinate.
    pub fn proven_apart(&self, triangle: &[Vec3; 3]) -> bool {
        FACES.iter().any(|face| {
            let near = closest(&face.map(|k| self.corners[k]), triangle);
            self.separated_by(-near.apart, triangle)
        })
    }

    fn separated_by(&self, n: Vec3, triangle: &[Vec3; 3]) -> bool {
        let beyond = triangle.iter().map(|p| n.dot(*p)).fold(f64::INFINITY, f64::min);
        let within = self.corners.iter().map(|p| n.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
        let size = triangle.iter().chain(&self.corners).map(|p| p.max_abs()).fold(0.0, f64::max);
        beyond - within > (self.radius * n.norm() + 16.0 * U * n.norm1() * size) * INFLATE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use crate::math::pose::Placement;
    use crate::motion::{Carried, Chain, InBetween, Relative, RigidMotion, Span};
    use proptest::prelude::*;

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    /// A chain of one free body, and its tube over a span.
    fn tube_of(chain: &Chain, span: Span) -> Tube {
        let here = Placement::new(Pose::IDENTITY);
        let (moving, world) = (Carried { frame: 1, placement: &here }, Carried { frame: 0, placement: &here });
        Relative::new(chain, moving, world, 0, Vec3::ZERO).tube(span)
    }

    fn body(travel: Vec3, turn: Vec3) -> Chain {
        let motion = RigidMotion { start: Pose::IDENTITY, end_position: travel, rotation_vector: turn };
        let joint = InBetween::of_rigid(&motion, Vec3::ZERO).expect("finite");
        Chain::new(vec![0, 0], vec![InBetween::resting(Pose::IDENTITY), joint])
    }

    proptest! {
        /// Points of the capsule at any time lie in the box, and a triangle with a corner at one of them is never proven apart.
        #[test]
        fn what_the_capsule_touches_is_not_apart(
            a in vector(0.5), b in vector(0.5), radius in 0.0f64..0.3, travel in vector(0.5), turn in vector(3.0),
            t in 0.0f64..0.8, length in 1e-3f64..0.2, at in 0.0f64..1.0, s in 0.0f64..1.0, out in vector(1.0), more in [vector(3.0), vector(3.0)],
        ) {
            let chain = body(travel, turn);
            let swept = SweptCapsule::new(&tube_of(&chain, Span::new(t, t + length)), &Capsule { a, b, radius });
            let when = t + at * length;
            let (p, _) = tube_of(&chain, Span::new(when, when)).line(a + (b - a) * s);
            let p = p + out * (radius * (1.0 - 1e-12) / out.norm().max(1e-9));
            prop_assert!(swept.enclose().contains(p));
            prop_assert!(!swept.proven_apart(&[p, more[0], more[1]]));
        }

        /// What is farther than a little from every sampled capsule is proven apart, over short spans.
        #[test]
        fn what_is_clearly_apart_is_proven_so(
            a in vector(0.3), b in vector(0.3), turn in vector(2.0), corners in [vector(1.0), vector(1.0), vector(1.0)], t in 0.0f64..0.9,
        ) {
            let chain = body(Vec3::splat(0.2), turn);
            let radius = 0.05;
            let swept = SweptCapsule::new(&tube_of(&chain, Span::new(t, t + 0.01)), &Capsule { a, b, radius });
            let (p, _) = tube_of(&chain, Span::new(t, t)).line(a);
            let (q, _) = tube_of(&chain, Span::new(t, t)).line(b);
            let near = closest(&[p, q, q], &corners);
            // A segment may pass through the triangle, which closest features do not see.
            let n = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let pierces = n.dot(p - corners[0]) * n.dot(q - corners[0]) <= 0.0;
            prop_assume!(!pierces && (near.on_a - near.on_b).norm() > radius + 0.05);
            prop_assert!(swept.proven_apart(&corners));
        }
    }

    /// A capsule that is a point, turning: its arc leaves the straight line by all of the tube's radius.
    #[test]
    fn the_arc_of_a_point_is_not_apart() {
        let chain = body(Vec3::ZERO, Vec3::unit(2));
        let point = Capsule { a: Vec3::unit(0), b: Vec3::unit(0), radius: 0.0 };
        let swept = SweptCapsule::new(&tube_of(&chain, Span::new(0.4, 0.6)), &point);
        for t in [0.4, 0.45, 0.55, 0.6] {
            let (p, _) = tube_of(&chain, Span::new(t, t)).line(point.a);
            assert!(!swept.proven_apart(&[p; 3]) && swept.enclose().contains(p), "{t}");
            assert!(swept.proven_apart(&[p * 1.02; 3]), "{t}");
        }
    }
}
