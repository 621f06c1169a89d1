//! Distances between parts of a scene at one instant of a motion: links, what they hold, bodies, obstacles.
//!
//! Boxes, cylinders, balls and capsules are solids; closed meshes are too, unless surfaces are asked for: see [`super::solids`]. Poses come
//! from the motion with what rounding does to them, which bounds include.

use std::sync::Arc;

use super::search::{self, Answer};
use super::session::{DistanceSession, Tricks};
use super::solids::{Insides, Nesting, nested, nested_parts};
use super::{Distance, DistanceLimits, DistanceWitness};
use crate::Error;
use crate::bvh::HullTree;
use crate::geometry::{Mesh, Shape};
use crate::math::pose::Placement;
use crate::math::rounding::U;
use crate::math::{Pose, Vec3};
use crate::narrow::hull_pair::Placing;
use crate::narrow::placed_hulls::Placed;
use crate::query::Semantics;
use crate::scene::{Motion, PartId, Scene};
use crate::search::containment::Containment;

/// A scene made ready to be measured: a hull tree for every shape, shared where shapes are.
#[derive(Debug)]
pub struct SceneDistances {
    scene: Arc<Scene>,
    pieces: Vec<Piece>,
    /// Pieces of checked pairs of parts.
    pairs: Vec<(usize, usize)>,
    semantics: Semantics,
    /// Of checked pairs.
    containment: Containment,
}

#[derive(Debug)]
struct Piece {
    part: usize,
    /// Which of the part's.
    number: usize,
    tree: Arc<HullTree>,
}

/// The distance of two parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartDistance {
    /// The parts, in the order of the scene.
    pub parts: (PartId, PartId),
    /// The pieces that the witness is on.
    pub pieces: (usize, usize),
    /// What is known; triangles are those of the pieces, 0 for solids.
    pub distance: Distance,
    /// One of the parts is inside the other, though their surfaces are apart: the distance is 0 and has no witness.
    pub nesting: Option<Nesting>,
}

/// Two pieces in place, and a first bound of their distance.
struct Near {
    at_least: f64,
    pieces: (usize, usize),
    placed: Placed,
}

/// Most pairs of pieces that are measured.
const MOST_PAIRS: usize = 5_000_000;

impl SceneDistances {
    /// Builds the trees. With [`Semantics::Solid`], what is inside a closed mesh is at distance 0 from it.
    ///
    /// # Errors
    /// If something deforms, for it has no hull tree, or there are too many pairs.
    pub fn new(scene: impl Into<Arc<Scene>>, semantics: Semantics) -> Result<Self, Error> {
        let scene = scene.into();
        if let Some((name, ..)) = scene.deformables.first() {
            return Err(Error::invalid(format!("'{name}'"), "it deforms; distances are between rigid parts"));
        }
        let mut known: Vec<(Arc<Mesh>, Arc<HullTree>)> = Vec::new();
        let mut pieces = Vec::new();
        for (part, p) in scene.parts.iter().enumerate() {
            for (number, piece) in p.pieces.iter().enumerate() {
                pieces.push(Piece { part, number, tree: tree_of(&piece.shape, &mut known)? });
            }
        }
        let first_of: Vec<usize> = (0..scene.parts.len()).map(|part| pieces.partition_point(|p| p.part < part)).collect();
        let of = |part: PartId| first_of[part.index()]..first_of[part.index()] + scene.parts[part.index()].pieces.len();
        let both = |(a, b): (PartId, PartId)| of(a).flat_map(move |i| of(b).map(move |k| (i, k)));
        let mut pairs: Vec<(usize, usize)> = scene.checked_pairs().flat_map(both).take(MOST_PAIRS + 1).collect();
        if pairs.len() > MOST_PAIRS {
            let reason = format!("more than {MOST_PAIRS} pairs of pieces would be measured; switch pairs off, or self-collision");
            return Err(Error::invalid("scene", reason));
        }
        pairs.sort_unstable();
        let containment = Containment::new(&scene, semantics);
        Ok(SceneDistances { scene, pieces, pairs, semantics, containment })
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The closest of all checked pairs at time t of a motion; `None` if no pair is checked or all are proven to be beyond `stop_above`.
    /// Where neither that nor a pair within it is proven, `at_most` is infinite.
    ///
    /// # Errors
    /// If a limit is negative or not a number, t is not in [0, 1], or the motion belongs to another scene.
    pub fn nearest(&self, motion: &Motion, t: f64, limits: DistanceLimits) -> Result<Option<PartDistance>, Error> {
        let placements = self.placements(motion, t, &limits)?;
        let insides = Insides::at(&self.containment, motion, t);
        let near = self.closest(&self.pairs, &placements, motion.origin, limits).map(|d| insides.apply_to_nearest(d));
        let near = near.map(|d| with_nested(&self.containment, motion, t, d));
        Ok(near.filter(|d| d.distance.at_most < f64::INFINITY || d.distance.at_least <= limits.stop_above))
    }

    /// Every checked pair of parts at time t of a motion, in the order of the scene.
    ///
    /// # Errors
    /// As for [`SceneDistances::nearest`].
    pub fn all(&self, motion: &Motion, t: f64, limits: DistanceLimits) -> Result<Vec<PartDistance>, Error> {
        let placements = self.placements(motion, t, &limits)?;
        let parts = |&(i, k): &(usize, usize)| (self.pieces[i].part, self.pieces[k].part);
        let mut pairs = self.pairs.clone();
        pairs.sort_by_key(parts);
        let insides = Insides::at(&self.containment, motion, t);
        let groups = pairs.chunk_by(|x, y| parts(x) == parts(y));
        let near = groups.filter_map(|pairs| self.closest(pairs, &placements, motion.origin, limits));
        Ok(near.map(|d| with_nested(&self.containment, motion, t, insides.apply_to_pair(d))).collect())
    }

    /// Two parts at time t of a motion, whether they are checked or not; `None` if one has no geometry.
    ///
    /// # Errors
    /// As for [`SceneDistances::nearest`].
    pub fn between(
        &self,
        a: PartId,
        b: PartId,
        motion: &Motion,
        t: f64,
        limits: DistanceLimits,
    ) -> Result<Option<PartDistance>, Error> {
        let of = |part: usize| (0..self.pieces.len()).filter(move |&i| self.pieces[i].part == part);
        let both = (a, b);
        let (a, b) = (a.of(&self.scene)?, b.of(&self.scene)?);
        let pairs: Vec<(usize, usize)> = of(a).flat_map(|i| of(b).map(move |k| (i, k))).collect();
        let placements = self.placements(motion, t, &limits)?;
        let containment = Containment::of_pairs(&self.scene, self.semantics, std::iter::once(both));
        let insides = Insides::at(&containment, motion, t);
        let near = self.closest(&pairs, &placements, motion.origin, limits).map(|d| insides.apply_to_pair(d));
        Ok(near.map(|d| with_nested(&containment, motion, t, d)))
    }

    /// Where every piece is, relative to the motion's origin.
    fn placements(&self, motion: &Motion, t: f64, limits: &DistanceLimits) -> Result<Vec<Placement>, Error> {
        self.scene.own(motion)?;
        limits.check()?;
        if !(0.0..=1.0).contains(&t) {
            return Err(Error::invalid("time of a distance", format!("{t} is not between 0 and 1")));
        }
        let place = |piece: &Piece| {
            let part = &self.scene.parts[piece.part];
            let own = &part.pieces[piece.number].placement;
            if part.frame == 0 {
                return own.relative_to(motion.origin);
            }
            let (state, errors) = (motion.chain.state(part.frame, t, 0.0), &motion.chain.errors[part.frame]);
            let pose = Pose { rotation: state.rotation.mat3(), translation: state.position.vec3() };
            Placement { pose, rotation_error: errors.rotation, position_error: errors.position }.after(own)
        };
        Ok(self.pieces.iter().map(place).collect())
    }

    /// The closest of some pairs of pieces, the most promising measured first; bounds are those of all of them.
    fn closest(
        &self,
        pairs: &[(usize, usize)],
        placements: &[Placement],
        origin: Vec3,
        limits: DistanceLimits,
    ) -> Option<PartDistance> {
        let mut near: Vec<Near> = pairs.iter().map(|&pair| self.near(pair, placements)).collect();
        near.sort_by(|a, b| a.at_least.total_cmp(&b.at_least));
        let mut session = DistanceSession::with_tricks(Tricks::ONCE);
        let first = near.first()?.pieces;
        let nothing = Distance { at_least: f64::INFINITY, at_most: f64::INFINITY, witness: None, out_of_work: false };
        let mut best = PartDistance { parts: self.parts(first), pieces: self.numbers(first), distance: nothing, nesting: None };
        let mut left = limits.max_work;
        for Near { at_least, pieces, placed } in &near {
            let enough = best.distance.at_most.min(limits.stop_above);
            if *at_least > enough || best.distance.at_most <= limits.stop_below {
                best.distance.at_least = best.distance.at_least.min(*at_least);
                continue;
            }
            let limits = DistanceLimits { stop_above: enough, max_work: left, ..limits };
            let found = self.measure(*pieces, placed, origin, limits, &mut session);
            left = left.saturating_sub(session.tally.work());
            let floor = best.distance.at_least.min(found.at_least);
            let out_of_work = best.distance.out_of_work || found.out_of_work;
            if found.at_most < best.distance.at_most {
                best = PartDistance { parts: self.parts(*pieces), pieces: self.numbers(*pieces), distance: found, nesting: None };
            }
            (best.distance.at_least, best.distance.out_of_work) = (floor, out_of_work);
        }
        Some(best)
    }

    fn near(&self, pieces: (usize, usize), placements: &[Placement]) -> Near {
        let (a, b) = (&self.pieces[pieces.0].tree, &self.pieces[pieces.1].tree);
        let placed = Placed::of((a.reach, &placements[pieces.0]), (b.reach, &placements[pieces.1]));
        let (x, y) = (&a.nodes[0], &b.nodes[0]);
        let balls = (x.ball + y.ball + a.rounding + b.rounding) * (1.0 + 8.0 * U);
        // Sums of radii round by u each; `error` is derived for coordinates of their size.
        let at_least = placed.points(x.center, y.center).0 - balls - 2.0 * placed.error();
        Near { at_least: at_least.max(0.0), pieces, placed }
    }

    fn measure(
        &self,
        (i, k): (usize, usize),
        placed: &Placed,
        origin: Vec3,
        limits: DistanceLimits,
        session: &mut DistanceSession,
    ) -> Distance {
        let trees = (&*self.pieces[i].tree, &*self.pieces[k].tree);
        let Answer { at_least, at_most, found, out_of_work } = search::run(trees, placed, limits, session);
        let world = Pose { translation: placed.world_from_b.translation + origin, ..placed.world_from_b };
        Distance { at_least, at_most, witness: found.map(|f| DistanceWitness::of(&f, trees, &world)), out_of_work }
    }

    fn parts(&self, (i, k): (usize, usize)) -> (PartId, PartId) {
        (self.scene.part_id(self.pieces[i].part), self.scene.part_id(self.pieces[k].part))
    }

    fn numbers(&self, (i, k): (usize, usize)) -> (usize, usize) {
        (self.pieces[i].number, self.pieces[k].number)
    }
}

/// Primitives are measured as solids: one may be inside the other, too, where they share a point.
fn with_nested(containment: &Containment, motion: &Motion, t: f64, d: PartDistance) -> PartDistance {
    if d.nesting.is_some() || d.distance.at_least > 0.0 {
        return d;
    }
    nested_parts(containment, motion, t, d.parts).map_or(d, |nesting| nested(d, nesting))
}

/// Returns the tree of a shape; one mesh has one tree.
fn tree_of(shape: &Shape, known: &mut Vec<(Arc<Mesh>, Arc<HullTree>)>) -> Result<Arc<HullTree>, Error> {
    Ok(match shape {
        Shape::Primitive(p) => Arc::new(HullTree::of_primitive(p)?),
        Shape::Mesh(mesh) => match known.iter().find(|(m, _)| Arc::ptr_eq(m, mesh)) {
            Some((_, tree)) => tree.clone(),
            None => {
                let tree = Arc::new(HullTree::new(mesh));
                known.push((mesh.clone(), tree.clone()));
                tree
            }
        },
    })
}
