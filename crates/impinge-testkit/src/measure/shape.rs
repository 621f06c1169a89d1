//! Pieces prepared for measuring, and the gap between two of them in any pose.

use impinge::geometry::Primitive;
use impinge::math::Vec3;

use super::{Convex, Gap, Tree, convex_gap};
use crate::place::Rigid;
use crate::world::Solid;

/// A piece in its own frame.
#[derive(Clone, Debug)]
pub enum Body {
    /// Triangles.
    Mesh(Tree),
    /// A convex solid.
    Primitive(Primitive),
}

/// A piece and its extent from its own origin.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The piece.
    pub body: Body,
    /// The largest distance of a point from its origin.
    pub reach: f64,
}

impl Measured {
    /// Builds the tree of a mesh.
    pub fn new(solid: &Solid) -> Self {
        match solid {
            Solid::Mesh(soup) => {
                Measured { body: Body::Mesh(Tree::new(soup)), reach: soup.vertices.iter().fold(0.0, |r, v| r.max(v.norm())) }
            }
            Solid::Primitive(p) => Measured { body: Body::Primitive(*p), reach: p.half_extent().norm() },
        }
    }
}

/// Returns the gap between two placed pieces. Gaps above `best` need not be exact: any value above `best` may be returned.
pub fn gap_between((a, at_a): (&Measured, &Rigid), (b, at_b): (&Measured, &Rigid), best: f64) -> Gap {
    // Bounding spheres of both.
    if (at_a.shift - at_b.shift).norm() - a.reach - b.reach > best.max(0.0) {
        return Gap::FAR;
    }
    match (&a.body, &b.body) {
        (Body::Mesh(x), Body::Mesh(y)) => {
            let into = at_b.inverse().after(at_a);
            // The smaller tree is traversed, the other one is queried.
            let (walked, asked, into) =
                if x.triangles().len() <= y.triangles().len() { (x, y, into) } else { (y, x, into.inverse()) };
            let place = |t: &[Vec3; 3]| t.map(|p| into.apply(p));
            Gap::exactly(walked.triangles().iter().fold(best, |best, t| asked.gap_to(&place(t), best)))
        }
        (Body::Mesh(x), Body::Primitive(p)) => mesh_to_solid(x, at_a, &placed(p, at_b)),
        (Body::Primitive(p), Body::Mesh(y)) => mesh_to_solid(y, at_b, &placed(p, at_a)),
        (Body::Primitive(p), Body::Primitive(q)) => convex_gap(&placed(p, at_a), &placed(q, at_b)),
    }
}

fn mesh_to_solid(tree: &Tree, at: &Rigid, solid: &Convex) -> Gap {
    tree.triangles()
        .iter()
        .map(|t| convex_gap(&Convex::Points { points: t.map(|p| at.apply(p)).to_vec(), radius: 0.0 }, solid))
        .fold(Gap::FAR, Gap::min)
}

fn placed(p: &Primitive, at: &Rigid) -> Convex {
    let hull = |points: &[Vec3], radius| Convex::Points { points: points.iter().map(|&p| at.apply(p)).collect(), radius };
    match *p {
        Primitive::Cuboid { half } => {
            let corner = |i: usize| {
                let side = |bit: usize, h: f64| if i & bit == 0 { -h } else { h };
                Vec3::new(side(1, half.x), side(2, half.y), side(4, half.z))
            };
            hull(&std::array::from_fn::<_, 8, _>(corner), 0.0)
        }
        Primitive::Sphere { radius } => hull(&[Vec3::ZERO], radius),
        Primitive::Capsule { radius, half_length } => {
            hull(&[Vec3::new(0.0, 0.0, -half_length), Vec3::new(0.0, 0.0, half_length)], radius)
        }
        Primitive::Cylinder { radius, half_length } => Convex::Cylinder { middle: at.shift, turn: at.turn, radius, half_length },
    }
}
