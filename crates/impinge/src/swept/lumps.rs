//! Shapes cut into convex bits that are close to them: what is swept by [`crate::swept::cells`].

use crate::bvh::ClusterTree;
use crate::geometry::hull::{Hull, decompose, slack};
use crate::geometry::interior::Side;
use crate::geometry::{Mesh, Primitive, Shape};
use crate::math::Vec3;
use crate::math::rounding::INFLATE;
use crate::math::trig::sin_cos;
use crate::narrow::interior::side_of_mesh;
use crate::swept::cells::{MAX_CELLS, SLACK};

/// The hull of balls of one radius around corners; no point of it is farther than a known slack from the shape it is a bit of.
#[derive(Clone, Debug)]
pub(crate) struct Lump {
    /// In the shape's own frame.
    pub corners: Vec<Vec3>,
    /// The radius of the balls.
    pub rounding: f64,
    /// At least the distance of any corner from the origin.
    pub reach: f64,
}

impl Lump {
    fn new(corners: Vec<Vec3>, rounding: f64) -> Self {
        let reach = corners.iter().fold(0.0f64, |r, c| r.max(c.norm())) * INFLATE;
        Lump { corners, rounding, reach }
    }
}

/// Convex meshes with more vertices are cut: their hulls would take long.
const MAX_CORNERS: usize = 1 << 10;
/// Sides to a circle.
const MAX_RIM: usize = 512;
/// The share of the error that rims of cylinders and convex meshes may take.
const SHAPE: f64 = 0.1;

/// Lumps that hold every point of a shape, with slacks of at most [`SLACK`] of the error; `None` if it would take too many.
pub(crate) fn lumps(shape: &Shape, error: f64) -> Option<Vec<Lump>> {
    let point = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    match shape {
        _ if !(error > 0.0) => None,
        Shape::Mesh(mesh) => convex(mesh, error).map_or_else(|| clusters(mesh, error), |lump| Some(vec![lump])),
        Shape::Primitive(Primitive::Cuboid { half }) => {
            let side = |k: u32, bit: u32, h: f64| if k & bit == 0 { -h } else { h };
            Some(vec![Lump::new(
                (0..8).map(|k| point(side(k, 1, half.x), side(k, 2, half.y), side(k, 4, half.z))).collect(),
                0.0,
            )])
        }
        Shape::Primitive(Primitive::Sphere { radius }) => Some(vec![Lump::new(vec![Vec3::ZERO], *radius)]),
        Shape::Primitive(Primitive::Capsule { radius, half_length }) => {
            Some(vec![Lump::new([-1.0, 1.0].map(|s| Vec3::unit(2) * (s * half_length)).to_vec(), *radius)])
        }
        Shape::Primitive(Primitive::Cylinder { radius, half_length }) => {
            let cosine = |n: usize| sin_cos(std::f64::consts::PI / n as f64).1;
            let n = (4..=MAX_RIM).find(|&n| radius * (1.0 / cosine(n) - 1.0) <= SHAPE * error)?;
            let outer = radius / cosine(n) * INFLATE;
            let at = |k: usize, z: f64| {
                let (s, c) = sin_cos(2.0 * std::f64::consts::PI * k as f64 / n as f64);
                point(outer * c, outer * s, z)
            };
            Some(vec![Lump::new((0..n).flat_map(|k| [at(k, -half_length), at(k, *half_length)]).collect(), 0.0)])
        }
    }
}

/// A closed convex mesh, as a solid.
///
/// All of its triangles lie within `slack` of the hull's boundary, and it winds around a point c that is deeper: so every ray from c crosses
/// it there, and every point of the hull beyond all crossings is as near to one as the ray is long within the slack, which is at most the
/// diameter times slack over the depth of c. What is deeper than the slack is all on the side of c, inside.
fn convex(mesh: &Mesh, error: f64) -> Option<Lump> {
    if mesh.vertices().len() > MAX_CORNERS || !mesh.encloses() {
        return None;
    }
    let pieces = decompose(mesh, 1);
    let [piece] = &pieces[..] else { return None };
    let corners = piece.hull.vertices();
    let center = corners.iter().fold(Vec3::ZERO, |sum, &c| sum + c) * (1.0 / corners.len() as f64);
    let radius = corners.iter().fold(0.0f64, |r, &c| r.max((c - center).norm()));
    let (depth, slack) = (depth(&piece.hull, center), slack(mesh));
    let is_thin = !(depth > 4.0 * slack && 2.0 * radius * slack / depth * INFLATE <= SHAPE * error);
    (!is_thin && side_of_mesh(mesh, center, 0.0) == Side::Inside).then(|| Lump::new(corners.to_vec(), 0.0))
}

/// How far a point inside is from the nearest plane of a face, about.
fn depth(hull: &Hull, p: Vec3) -> f64 {
    let height = |face: &[u32]| {
        let at = |k: usize| hull.vertices()[face[k % face.len()] as usize];
        let normal = (1..face.len()).fold(Vec3::ZERO, |sum, k| sum + (at(k) - at(0)).cross(at(k + 1) - at(0)));
        normal.dot(at(0) - p) / normal.norm()
    };
    hull.faces().map(height).fold(f64::INFINITY, f64::min)
}

/// Triangles, or clusters of them that are small: a point of the hull of points in a ball of radius r is within r of one of them, for
/// Σ w |x - v|² = Σ w |v - c|² - |x - c|² <= r² if x = Σ w v.
fn clusters(mesh: &Mesh, error: f64) -> Option<Vec<Lump>> {
    let tree = ClusterTree::of_mesh(mesh, 1);
    let (mut lumps, mut open) = (Vec::new(), vec![0]);
    while let Some(node) = open.pop() {
        let corners: Vec<Vec3> = tree.vertices(node).iter().map(|&k| mesh.vertices()[k as usize]).collect();
        let center = corners.iter().fold(Vec3::ZERO, |sum, &c| sum + c) * (1.0 / corners.len() as f64);
        let radius = corners.iter().fold(0.0f64, |r, &c| r.max((c - center).norm())) * INFLATE;
        match tree.children(node) {
            Some(halves) if radius > SLACK * error => open.extend(halves),
            // A leaf is one triangle, and convex.
            _ => lumps.push(Lump::new(Hull::of_checked(&corners).vertices().to_vec(), 0.0)),
        }
        if lumps.len() + open.len() > MAX_CELLS {
            return None;
        }
    }
    Some(lumps)
}
