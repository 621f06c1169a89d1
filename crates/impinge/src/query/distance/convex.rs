//! The distance of two convex bodies: hulls, as solids.
//!
//! Support points are found by climbing, which may end a little below the top. So the direction that GJK ends with is measured once more
//! over all vertices: that gap is the proof.

use super::check_poses;
use crate::Error;
use crate::geometry::Hull;
use crate::geometry::hull::Climber;
use crate::math::rounding::U;
use crate::math::{Pose, Vec3};
use crate::narrow::gjk::{Bodies, Enough, Vertex, length, nearest};
use crate::narrow::placed_hulls::Placed;

/// A hull, ready to be measured.
#[derive(Clone, Debug)]
pub struct ConvexBody {
    hull: Hull,
    climber: Climber,
    reach: f64,
}

/// What is known of the distance of two convex bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexDistance {
    /// Proven: no two points are closer. Zero when they overlap or touch.
    pub at_least: f64,
    /// Proven: two points are this close. Zero only if a common point is proven.
    pub at_most: f64,
    /// A point of each, in the world, up to rounding: the closest, or a common one.
    pub points: (Vec3, Vec3),
}

impl ConvexBody {
    /// Prepares a hull.
    pub fn new(hull: Hull) -> Self {
        let reach = hull.vertices().iter().fold(0.0f64, |r, v| r.max(v.norm())) * (1.0 + 8.0 * U);
        ConvexBody { climber: Climber::new(&hull), hull, reach }
    }

    /// The hull.
    pub fn hull(&self) -> &Hull {
        &self.hull
    }
}

/// The distance of two convex bodies at poses. Ends when the bounds meet as closely as rounding allows, or once the bodies are known to be
/// farther than `stop_above` apart.
///
/// # Errors
/// If a pose is not finite or translates beyond [`crate::geometry::mesh::MAX_COORDINATE`], or the limit is not a number.
pub fn convex_distance(
    (a, world_from_a): (&ConvexBody, &Pose),
    (b, world_from_b): (&ConvexBody, &Pose),
    stop_above: f64,
) -> Result<ConvexDistance, Error> {
    check_poses(world_from_a, world_from_b)?;
    if stop_above.is_nan() {
        return Err(Error::invalid("limit of a distance", "it is not a number"));
    }
    let placed = Placed::new((a.reach, world_from_a), (b.reach, world_from_b));
    let mut bodies = Climbing { placed: &placed, a, b };
    let enough = Enough { at_least: stop_above + placed.error, at_most: 0.0, insist: true };
    let found = nearest(Vec3::unit(0), None, &mut bodies, enough, placed.error);
    let (on_a, on_b) = found.simplex.points();
    let at_most = if found.overlapping { 0.0 } else { (on_a - on_b).norm() + placed.error };
    let gap = bodies.gap(found.apart) - placed.error;
    let at_least = if gap > 0.0 { gap } else { 0.0 };
    Ok(ConvexDistance { at_least, at_most, points: (world_from_b.apply(on_a), world_from_b.apply(on_b)) })
}

struct Climbing<'a> {
    placed: &'a Placed,
    a: &'a ConvexBody,
    b: &'a ConvexBody,
}

impl Climbing<'_> {
    /// How far A is above B along d, over all vertices; nothing if d is no direction.
    fn gap(&self, d: Vec3) -> f64 {
        let y = self.a.hull.vertices()[self.a.hull.farthest(-self.placed.rotation.transpose_mul(d)) as usize];
        let x = self.b.hull.vertices()[self.b.hull.farthest(d) as usize];
        length(d).map_or(0.0, |length| d.dot(self.placed.place(y) - x) / length)
    }
}

impl Bodies for Climbing<'_> {
    fn support(&mut self, d: Vec3) -> Vertex {
        let i = self.a.climber.farthest(&self.a.hull, -self.placed.rotation.transpose_mul(d));
        let k = self.b.climber.farthest(&self.b.hull, d);
        Vertex { a: self.placed.place(self.a.hull.vertices()[i as usize]), b: self.b.hull.vertices()[k as usize], ids: (i, k) }
    }
}
