//! Solids: is anything wholly inside something else when the motion begins?
//!
//! A body can only get inside a closed surface by crossing it, which the search for contacts sees. So it is enough to look at t = 0: one
//! point of each connected component of one mesh against the winding number of the other (and the other way round).

use std::sync::Arc;

use super::checker::Checker;
use super::verdict::{Contact, Feature, FeatureKind};
use crate::math::{Pose, Vec3};
use crate::scene::{Motion, PairStatus, PartId};
use crate::shape::aabb::Aabb;
use crate::shape::{Mesh, Shape};

/// A contact by containment at t = 0, if there is one.
pub(super) fn at_start(checker: &Checker, motion: &Motion) -> Option<Contact> {
    let scene = checker.scene();
    let placed: Vec<Vec<(Pose, &Shape)>> = scene
        .parts
        .iter()
        .map(|p| {
            let world_from_frame = motion.frame_pose(p.frame, 0.0);
            p.pieces.iter().map(|s| (world_from_frame * s.placement.pose, &s.shape)).collect()
        })
        .collect();
    for (a, b, status) in scene.pairs() {
        if status != PairStatus::Checked {
            continue;
        }
        for (outer, inner) in [(b, a), (a, b)] {
            for (i, (outer_pose, shape)) in placed[outer.0].iter().enumerate() {
                let Shape::Mesh(mesh) = shape else { continue };
                if !mesh.is_closed() {
                    continue;
                }
                for (j, (inner_pose, shape)) in placed[inner.0].iter().enumerate() {
                    let into = outer_pose.inverse() * *inner_pose;
                    if let Some(p) = points_of(shape).into_iter().map(|p| into.apply(p)).find(|&p| encloses(mesh, p)) {
                        return Some(contact((inner, j), (outer, i), outer_pose.apply(p)));
                    }
                }
            }
        }
    }
    None
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
    }
}

/// One point of each connected component.
fn points_of(shape: &Shape) -> Vec<Vec3> {
    match shape {
        Shape::Primitive(_) => vec![Vec3::ZERO],
        Shape::Mesh(mesh) => component_points(mesh),
    }
}

fn component_points(mesh: &Arc<Mesh>) -> Vec<Vec3> {
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
fn encloses(mesh: &Mesh, p: Vec3) -> bool {
    if !Aabb::of(mesh.vertices().iter().copied()).contains(p) {
        return false;
    }
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
