//! Two bodies that turn by less than a quarter turn, in place for the search, and what its answer says of the truth.

use super::images::{Axis, Corners, Images};
use super::{Turn, TurnOptions, TurnedDistance, Turning, Way};
use crate::bvh::HullTree;
use crate::math::rounding::U;
use crate::math::{Pose, Vec3};
use crate::narrow::gjk::{Vertex, length};
use crate::narrow::hull_pair::{Measured, Placing, Support};
use crate::query::distance::DistanceLimits;
use crate::query::distance::search::{self, Answer, Found};
use crate::query::distance::session::DistanceSession;
use crate::query::distance::sweep::{Reading, SweptWitness};

/// A piece of both turns, of at most a quarter turn each.
pub(super) struct Piece<'a> {
    a: Turning<'a>,
    b: Turning<'a>,
    options: TurnOptions,
    images: (Images, Images),
    angles: (f64, f64),
    error: f64,
}

impl<'a> Piece<'a> {
    pub fn new(a: Turning<'a>, b: Turning<'a>, options: TurnOptions, spans: ((f64, f64), (f64, f64))) -> Self {
        // Seen from B, which goes straight, A goes by the difference.
        let shared = if options.reading == Reading::Simultaneous { b.2.translation } else { Vec3::ZERO };
        let of_a = Images::new(a, b.1, shared, spans.0, options.way);
        let resting = Turn::default();
        let path = if options.reading == Reading::Simultaneous { &resting } else { b.2 };
        let of_b = Images::new((b.0, b.1, path), b.1, Vec3::ZERO, spans.1, options.way);
        let angle = |turn: &Turn, (from, to): (f64, f64)| turn.rotation.norm() * (to - from);
        let error = (of_a.error + of_b.error + 64.0 * U * (of_a.size + of_b.size)) * (1.0 + 16.0 * U) + f64::MIN_POSITIVE.sqrt();
        Piece { a, b, options, images: (of_a, of_b), angles: (angle(a.2, spans.0), angle(path, spans.1)), error }
    }

    pub fn measure(&self, limits: DistanceLimits, session: &mut DistanceSession) -> TurnedDistance {
        let Answer { at_least, at_most, found, out_of_work } = search::run((self.a.0, self.b.0), self, limits, session);
        let axes = [(self.a, self.angles.0), (self.b, self.angles.1)].map(|((tree, pose, turn), angle)| {
            let axis = if angle > 0.0 { Axis::new(pose, turn) } else { None };
            (tree, axis, angle)
        });
        let way = self.options.way;
        let inside: f64 = match way {
            Way::Conservative => 0.0,
            Way::Estimate => axes.iter().map(|(tree, axis, angle)| axis.map_or(0.0, |x| x.inside(tree, *angle))).sum(),
        };
        let low = (at_least - inside).max(0.0);
        let Some(found) = found else {
            return TurnedDistance {
                value: f64::INFINITY,
                error: f64::INFINITY,
                at_least: low,
                at_most: f64::INFINITY,
                witness: None,
                out_of_work,
            };
        };
        // The points are within `Axis::outside` of the hulls' nearest ones: what they show is no weaker.
        let (witness, high) = self.witness(&found);
        let (value, error, witness) = (at_most, f64::INFINITY, Some(witness));
        TurnedDistance { value, error, at_least: low, at_most: high, witness, out_of_work }
    }

    /// The points that the nearest points of the hulls stand for, where they really are, and at least their distance.
    ///
    /// Both are computed in the world, far from its origin perhaps. What turns is as far from its axis as in the images, so `error` covers
    /// it, twice where a vertex of a solid is found from its image; each point is then the sum of at most four vectors, each rounding by u of sums below `far`, and so do moving it onto a round
    /// surface and the difference of both: 16 u of `far` for each are more than that. The length of the difference rounds by 4 u.
    fn witness(&self, found: &Found) -> (SweptWitness, f64) {
        let ((a, pose_a, turn_a), (b, pose_b, turn_b)) = (self.a, self.b);
        let (i, k) = found.triangles;
        // The vertices of a solid are what their images are images of.
        let own = |tree: &HullTree, images: &Images, place: u32, id: u32, at: Vec3| match tree.solid {
            Some(_) => images.source(at, id),
            None => tree.triangles[place as usize][id as usize / 4],
        };
        let at_a = self.images.0.time(&found.simplex, |ids| ids.0);
        let at_b =
            if self.options.reading == Reading::Simultaneous { at_a } else { self.images.1.time(&found.simplex, |ids| ids.1) };
        let on_a = turn_a.at(pose_a.apply(found.simplex.mean(|v| own(a, &self.images.0, i, v.ids.0, v.a))), at_a);
        let on_b = turn_b.at(pose_b.apply(found.simplex.mean(|v| own(b, &self.images.1, k, v.ids.1, v.b))), at_b);
        let far = |tree: &HullTree, pose: &Pose, turn: &Turn| {
            pose.translation.norm() + tree.reach + 2.0 * turn.about.norm() + turn.translation.norm()
        };
        let rounding = 4.0 * self.error + 16.0 * U * (far(a, pose_a, turn_a) + far(b, pose_b, turn_b));
        let apart = (on_a - on_b).norm() * (1.0 + 8.0 * U) + rounding - (a.rounding + b.rounding) * (1.0 - 4.0 * U);
        let Found { on_a, on_b, .. } = Found { on_a, on_b, ..*found }.rounded(a.rounding, b.rounding);
        let triangles = (a.ids[i as usize], b.ids[k as usize]);
        (SweptWitness { points: (on_a, on_b), times: (at_a, at_b), triangles }, apart.max(0.0))
    }
}

impl Placing for Piece<'_> {
    type A = Corners;
    type B = Corners;

    fn error(&self) -> f64 {
        self.error
    }

    fn stretch(&self) -> (f64, f64) {
        (self.images.0.stretch, self.images.1.stretch)
    }

    fn between(&self) -> Vec3 {
        self.images.0.middle(Vec3::ZERO) - self.images.1.middle(Vec3::ZERO)
    }

    #[inline(always)]
    fn vertex(&self, a: &impl Support, b: &impl Support, d: Vec3) -> Vertex {
        let ((i, a), (k, b)) = (self.images.0.farthest(a, -d), self.images.1.farthest(b, d));
        Vertex { a, b, ids: (i, k) }
    }

    fn recalled(&self, a: &impl Support, b: &impl Support, (i, k): (u32, u32)) -> Vertex {
        Vertex { a: self.images.0.recalled(a, i), b: self.images.1.recalled(b, k), ids: (i, k) }
    }

    fn points(&self, a: Vec3, b: Vec3) -> (f64, Vec3) {
        let v = self.images.0.middle(a) - self.images.1.middle(b);
        let low = self.images.0.range(a, v).0 - self.images.1.range(b, v).1;
        (length(v).map_or(0.0, |length| low / length), v)
    }

    #[inline(always)]
    fn place_a(&self, t: &[Vec3; 3]) -> Corners {
        self.images.0.corners(t)
    }

    #[inline(always)]
    fn place_b(&self, t: &[Vec3; 3]) -> Corners {
        self.images.1.corners(t)
    }

    #[inline(always)]
    fn lowest(&self, a: &Corners, n: Vec3) -> f64 {
        -a.height(-n)
    }

    #[inline(always)]
    fn highest(&self, b: &Corners, n: Vec3) -> f64 {
        b.height(n)
    }

    #[inline(always)]
    fn corner(&self, a: &Corners, b: &Corners, d: Vec3) -> Vertex {
        let ((i, a), (k, b)) = (a.farthest(-d), b.farthest(d));
        Vertex { a, b, ids: (i, k) }
    }

    fn finer(&self, _: &Corners, _: &Corners, known: &Measured) -> Measured {
        *known
    }
}
