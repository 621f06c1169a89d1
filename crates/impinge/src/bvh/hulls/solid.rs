//! Primitives as trees of one leaf, as they are: nothing is made of triangles.
//!
//! A ball is a point and a capsule a segment, with a radius that distances are lessened by. Boxes and cylinders are known by their farthest
//! points; the hull around the leaf is the smallest box.

use crate::Error;
use crate::bvh::hulls::{HullNode, HullTree, block};
use crate::geometry::Primitive;
use crate::math::Vec3;
use crate::math::rounding::U;

/// A convex solid around its own origin, by its farthest points.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Solid {
    /// Half sides.
    Cuboid(Vec3),
    /// Along z.
    Cylinder { radius: f64, half_length: f64 },
}

impl Solid {
    /// The point with the largest d·x, to within 4 u of the size.
    pub fn farthest(&self, d: Vec3) -> Vec3 {
        match *self {
            Solid::Cuboid(half) => Vec3::new(half.x.copysign(d.x), half.y.copysign(d.y), half.z.copysign(d.z)),
            Solid::Cylinder { radius, half_length } => {
                let across = (d.x * d.x + d.y * d.y).sqrt();
                let out = if across > 0.0 { radius / across } else { 0.0 };
                Vec3::new(d.x * out, d.y * out, half_length.copysign(d.z))
            }
        }
    }
}

impl HullTree {
    /// Builds the tree of a primitive, solid: what is inside has distance 0.
    ///
    /// # Errors
    /// If a size is negative, not finite or out of range; variants of [`Primitive`] can be made without a constructor.
    pub fn of_primitive(primitive: &Primitive) -> Result<Self, Error> {
        primitive.check()?;
        let along = |h: f64| vec![Vec3::new(0.0, 0.0, -h), Vec3::new(0.0, 0.0, h)];
        Ok(match *primitive {
            Primitive::Cuboid { half } => HullTree::of_leaf(&corners(half), Some(Solid::Cuboid(half)), 0.0),
            Primitive::Cylinder { radius, half_length } => {
                let around = corners(Vec3::new(radius, radius, half_length));
                HullTree::of_leaf(&around, Some(Solid::Cylinder { radius, half_length }), 0.0)
            }
            Primitive::Sphere { radius } => HullTree::of_leaf(&[Vec3::ZERO], None, radius),
            Primitive::Capsule { radius, half_length } => HullTree::of_leaf(&along(half_length), None, radius),
        })
    }

    /// One leaf with these vertices around it; without a solid it is a point or a segment.
    fn of_leaf(around: &[Vec3], solid: Option<Solid>, rounding: f64) -> Self {
        let reach = around.iter().fold(0.0f64, |r, v| r.max(v.norm())) * (1.0 + 8.0 * U) + f64::MIN_POSITIVE;
        let blocks: Vec<_> = around.chunks(4).map(block).collect();
        let node = HullNode { ball: reach, blocks: blocks.len() as u32, count: 1, ..HullNode::NEW };
        let last = around[around.len() - 1];
        let triangles = vec![[around[0], last, last]];
        HullTree { nodes: vec![node], blocks, triangles, ids: vec![0], reach, error: 0.0, solid, rounding, pieces: 1 }
    }
}

fn corners(half: Vec3) -> Vec<Vec3> {
    let side = |k: u32, bit: u32, h: f64| if k & bit == 0 { -h } else { h };
    (0..8).map(|k| Vec3::new(side(k, 1, half.x), side(k, 2, half.y), side(k, 4, half.z))).collect()
}
