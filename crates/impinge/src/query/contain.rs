//! Solids: is anything wholly inside something else when the motion begins?
//!
//! A body can only get inside a closed surface by crossing it, which the search for contacts sees. So it is enough to look at t = 0: one
//! point of each connected component of one shape against the inside of the other (and the other way round). Boxes are solids always;
//! closed meshes when asked for. Spheres, capsules and cylinders are searched as solids anyway.

use std::sync::Arc;

use super::options::Semantics;
use super::verdict::{Contact, ContactState, Feature, FeatureKind};
use crate::math::{Pose, Vec3};
use crate::scene::{Motion, PairStatus, PartId, Scene};
use crate::shape::aabb::Aabb;
use crate::shape::{Mesh, Primitive, Shape};

/// Every pair of pieces of which one could be inside the other.
#[derive(Debug)]
pub(super) struct Enclosures(Vec<Enclosure>);

#[derive(Debug)]
struct Enclosure {
    outer: Placed,
    inner: Placed,
    inside: Inside,
    /// One point of each component of the inner piece, in its own frame.
    points: Arc<[Vec3]>,
}

#[derive(Clone, Copy, Debug)]
struct Placed {
    part: PartId,
    piece: usize,
    frame: usize,
    pose: Pose,
}

#[derive(Clone, Debug)]
enum Inside {
    Cuboid(Vec3),
    Mesh(Arc<Mesh>, Aabb),
}

impl Enclosures {
    pub fn new(scene: &Scene, semantics: Semantics) -> Self {
        let insides: Vec<Vec<Option<Inside>>> =
            scene.parts.iter().map(|p| p.pieces.iter().map(|s| inside_of(&s.shape, semantics)).collect()).collect();
        if insides.iter().flatten().all(Option::is_none) {
            return Enclosures(Vec::new());
        }
        let points: Vec<Vec<Arc<[Vec3]>>> =
            scene.parts.iter().map(|p| p.pieces.iter().map(|s| points_of(&s.shape)).collect()).collect();
        let mut list = Vec::new();
        for (a, b, status) in scene.pairs() {
            if status != PairStatus::Checked {
                continue;
            }
            for (outer, inner) in [(a, b), (b, a)] {
                for (i, inside) in insides[outer.0].iter().enumerate() {
                    let Some(inside) = inside else { continue };
                    for (j, points) in points[inner.0].iter().enumerate() {
                        let place = |part: PartId, piece: usize| {
                            let p = &scene.parts[part.0];
                            Placed { part, piece, frame: p.frame, pose: p.pieces[piece].placement.pose }
                        };
                        let (outer, inner) = (place(outer, i), place(inner, j));
                        list.push(Enclosure { outer, inner, inside: inside.clone(), points: points.clone() });
                    }
                }
            }
        }
        Enclosures(list)
    }

    /// A contact by containment at t = 0, if there is one.
    pub fn contact_at_start(&self, motion: &Motion) -> Option<Contact> {
        if self.0.is_empty() {
            return None;
        }
        let frames: Vec<Pose> = (0..motion.chain.joints.len()).map(|f| motion.frame_pose(f, 0.0)).collect();
        self.0.iter().find_map(|e| {
            let outer = frames[e.outer.frame] * e.outer.pose;
            let into = outer.inverse() * (frames[e.inner.frame] * e.inner.pose);
            let at = e.points.iter().map(|&p| into.apply(p)).find(|&p| e.inside.holds(p))?;
            Some(contact((e.inner.part, e.inner.piece), (e.outer.part, e.outer.piece), outer.apply(at)))
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
