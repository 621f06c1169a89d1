//! Solids: is anything wholly inside something else when the motion begins?
//!
//! A body can only get inside a closed surface by crossing it, which the search for contacts sees. So it is enough to look at t = 0: one
//! point of each connected component of one shape against the inside of the other (and the other way round). Boxes are solids always;
//! closed meshes when asked for. Spheres, capsules and cylinders are searched as solids anyway.

use std::sync::Arc;

use super::options::Semantics;
use super::verdict::{Contact, ContactState, Feature, FeatureKind};
use crate::math::{Pose, Vec3};
use crate::scene::{Motion, PartId, PlacedShape, Scene};
use crate::shape::aabb::Aabb;
use crate::shape::{Mesh, Primitive, Shape};

/// Every pair of pieces of which one could be inside the other.
#[derive(Debug, Default)]
pub(super) struct Enclosures {
    pieces: Vec<Placed>,
    /// Positions of an outer and an inner piece.
    pairs: Vec<(u32, u32)>,
}

#[derive(Debug)]
struct Placed {
    part: PartId,
    piece: usize,
    frame: usize,
    pose: Pose,
    inside: Option<Inside>,
    /// One point of each component, in the piece's own frame.
    points: Arc<[Vec3]>,
}

#[derive(Clone, Debug)]
enum Inside {
    Cuboid(Vec3),
    Mesh(Arc<Mesh>, Aabb),
}

impl Enclosures {
    pub fn new(scene: &Scene, semantics: Semantics) -> Self {
        let all = || scene.parts.iter().flat_map(|p| &p.pieces);
        let solids: Vec<Option<Inside>> = all().map(|s| inside_of(&s.shape, semantics)).collect();
        if solids.iter().all(Option::is_none) {
            return Enclosures::default();
        }
        let mut insides = solids.into_iter();
        let (mut pieces, mut first_of) = (Vec::new(), Vec::new());
        for (part, p) in scene.parts.iter().enumerate() {
            first_of.push(pieces.len());
            for (piece, PlacedShape { placement, shape }) in p.pieces.iter().enumerate() {
                let (inside, points) = (insides.next().flatten(), points_of(shape));
                pieces.push(Placed { part: scene.part_id(part), piece, frame: p.frame, pose: placement.pose, inside, points });
            }
        }
        let of = |part: PartId| first_of[part.index()]..first_of[part.index()] + scene.parts[part.index()].pieces.len();
        let mut pairs = Vec::new();
        for (a, b) in scene.checked_pairs() {
            for (outer, inner) in [(a, b), (b, a)] {
                for i in of(outer).filter(|&i| pieces[i].inside.is_some()) {
                    pairs.extend(of(inner).map(|j| (i as u32, j as u32)));
                }
            }
        }
        Enclosures { pieces, pairs }
    }

    /// A contact by containment at t = 0, if there is one.
    pub fn contact_at_start(&self, motion: &Motion) -> Option<Contact> {
        if self.pairs.is_empty() {
            return None;
        }
        let frames = motion.frame_poses(0.0);
        let poses: Vec<Pose> = self.pieces.iter().map(|p| frames[p.frame] * p.pose).collect();
        let inverses: Vec<Pose> = poses.iter().map(Pose::inverse).collect();
        self.pairs.iter().find_map(|&(i, j)| {
            let (outer, inner) = (&self.pieces[i as usize], &self.pieces[j as usize]);
            let (inside, into) = (outer.inside.as_ref()?, inverses[i as usize] * poses[j as usize]);
            let at = inner.points.iter().map(|&p| into.apply(p)).find(|&p| inside.holds(p))?;
            Some(contact((inner.part, inner.piece), (outer.part, outer.piece), poses[i as usize].apply(at)))
        })
    }
}

impl Inside {
    fn holds(&self, p: Vec3) -> bool {
        match self {
            Inside::Cuboid(half) => (0..3).all(|k| p[k].abs() < half[k]),
            Inside::Mesh(mesh, bounds) => bounds.contains(p) && winds_around(mesh, p),
        }
    }
}

fn inside_of(shape: &Shape, semantics: Semantics) -> Option<Inside> {
    match shape {
        Shape::Primitive(Primitive::Cuboid { half }) => Some(Inside::Cuboid(*half)),
        Shape::Primitive(_) => None,
        Shape::Mesh(m) => (semantics == Semantics::Solid && m.is_closed())
            .then(|| Inside::Mesh(m.clone(), Aabb::of(m.vertices().iter().copied()))),
    }
}

fn contact(inner: (PartId, usize), outer: (PartId, usize), point: Vec3) -> Contact {
    let solid = |piece: usize| Feature { kind: FeatureKind::Solid, piece, triangle: 0, corner: 0 };
    Contact {
        time: (0.0, 0.0),
        free_until: 0.0,
        parts: (inner.0, outer.0),
        features: (solid(inner.1), solid(outer.1)),
        point,
        normal: Vec3::ZERO,
        state: ContactState::Contained,
    }
}

/// One point of each connected component.
fn points_of(shape: &Shape) -> Arc<[Vec3]> {
    match shape {
        Shape::Primitive(_) => [Vec3::ZERO].into(),
        Shape::Mesh(mesh) => component_points(mesh).into(),
    }
}

fn component_points(mesh: &Mesh) -> Vec<Vec3> {
    let mut root: Vec<u32> = (0..mesh.vertices().len() as u32).collect();
    fn find(root: &mut [u32], mut i: u32) -> u32 {
        while root[i as usize] != i {
            root[i as usize] = root[root[i as usize] as usize];
            i = root[i as usize];
        }
        i
    }
    for t in mesh.triangles() {
        let (a, b, c) = (find(&mut root, t[0]), find(&mut root, t[1]), find(&mut root, t[2]));
        let low = a.min(b).min(c);
        for k in [a, b, c] {
            root[k as usize] = low;
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    mesh.triangles()
        .iter()
        .map(|t| find(&mut root, t[0]))
        .filter(|&r| seen.insert(r))
        .map(|r| mesh.vertices()[r as usize])
        .collect()
}

/// Whether the winding number of the surface around p is not zero.
fn winds_around(mesh: &Mesh, p: Vec3) -> bool {
    let total: f64 = (0..mesh.triangles().len()).map(|i| solid_angle(mesh.corners(i).map(|c| c - p))).sum();
    total.abs() > 2.0 * std::f64::consts::PI
}

/// Signed solid angle of a triangle seen from the origin (van Oosterom and Strackee 1983).
fn solid_angle([a, b, c]: [Vec3; 3]) -> f64 {
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let volume = a.dot(b.cross(c));
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * volume.atan2(below)
}
