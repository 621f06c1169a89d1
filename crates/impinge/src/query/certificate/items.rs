//! The items of a piece in an order in which near ones are neighbours, and the ranges that proofs cut them into.

use std::sync::Arc;

use crate::bvh::MovingTree;
use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::{Mesh, Primitive, Shape};
use crate::math::Vec3;

/// A range of items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub from: usize,
    pub to: usize,
    /// The ranges it is cut into, unless it is a single item.
    pub halves: Option<(usize, usize)>,
    /// No point is farther from the piece's origin.
    pub reach: f64,
    pub center: Vec3,
    /// Of the box around it.
    pub diameter: f64,
}

/// What a piece consists of.
#[derive(Debug)]
pub(super) struct Items {
    pub kind: Kind,
    /// The first is all of it.
    pub ranges: Vec<Range>,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// Triangles in tree order.
    Mesh {
        mesh: Arc<Mesh>,
        tree: Arc<MovingTree>,
    },
    Solid(Primitive),
}

impl Items {
    pub fn new(shape: &Shape) -> Self {
        match shape {
            Shape::Mesh(mesh) => {
                let tree = mesh.moving_tree();
                let kind = Kind::Mesh { mesh: mesh.clone(), tree: tree.clone() };
                let mut items = Items { kind, ranges: Vec::new() };
                items.add_node(tree, 0);
                items
            }
            Shape::Primitive(p) => {
                let half = p.half_extent();
                let all =
                    Range { from: 0, to: 1, halves: None, reach: half.norm(), center: Vec3::ZERO, diameter: 2.0 * half.norm() };
                Items { kind: Kind::Solid(*p), ranges: vec![all] }
            }
        }
    }

    /// A node of the tree and everything below it; the index of its range.
    fn add_node(&mut self, tree: &MovingTree, node: u32) -> usize {
        let Some([first, second]) = tree.boxes.children(node) else {
            let items = tree.boxes.nodes[node as usize].items();
            return self.add_run(items.start, items.end);
        };
        let at = self.reserve();
        let (left, right) = (self.add_node(tree, first), self.add_node(tree, second));
        self.ranges[at] = self.range(self.ranges[left].from, self.ranges[right].to, Some((left, right)));
        at
    }

    /// A few items, halved down to single ones.
    fn add_run(&mut self, from: usize, to: usize) -> usize {
        let at = self.reserve();
        let middle = from.midpoint(to);
        let halves = (to - from > 1).then(|| (self.add_run(from, middle), self.add_run(middle, to)));
        self.ranges[at] = self.range(from, to, halves);
        at
    }

    fn reserve(&mut self) -> usize {
        self.ranges.push(Range { from: 0, to: 0, halves: None, reach: 0.0, center: Vec3::ZERO, diameter: 0.0 });
        self.ranges.len() - 1
    }

    fn range(&self, from: usize, to: usize, halves: Option<(usize, usize)>) -> Range {
        let Kind::Mesh { tree, .. } = &self.kind else { return self.ranges[0] };
        let points = || tree.corners[from..to].iter().flatten().copied();
        let bounds = Aabb::of(points());
        let reach = points().fold(0.0, |r: f64, p| r.max(p.norm())) * (1.0 + f64::EPSILON * 4.0);
        Range { from, to, halves, reach, center: bounds.center(), diameter: bounds.size().norm() }
    }

    /// The point of a range that is farthest along a direction, without the radius of round shapes.
    pub fn farthest(&self, range: &Range, along: Vec3) -> Vec3 {
        match &self.kind {
            Kind::Mesh { tree, .. } => {
                let (mut best, mut far) = (tree.corners[range.from][0], f64::NEG_INFINITY);
                for &p in tree.corners[range.from..range.to].as_flattened() {
                    let at = p.dot(along);
                    if at > far {
                        (best, far) = (p, at);
                    }
                }
                best
            }
            Kind::Solid(solid) => farthest_of_solid(solid, along),
        }
    }

    /// What a round shape adds to the points of [`Items::farthest`] in every direction.
    pub fn radius(&self) -> f64 {
        match self.kind {
            Kind::Solid(Primitive::Sphere { radius } | Primitive::Capsule { radius, .. }) => radius,
            _ => 0.0,
        }
    }
}

fn farthest_of_solid(solid: &Primitive, along: Vec3) -> Vec3 {
    let side = |h: f64, c: f64| if c < 0.0 { -h } else { h };
    match *solid {
        Primitive::Cuboid { half } => Vec3::new(side(half.x, along.x), side(half.y, along.y), side(half.z, along.z)),
        Primitive::Sphere { .. } => Vec3::ZERO,
        Primitive::Capsule { half_length, .. } => Vec3::new(0.0, 0.0, side(half_length, along.z)),
        Primitive::Cylinder { radius, half_length } => {
            let flat = Vec3::new(along.x, along.y, 0.0);
            let length = flat.norm();
            let rim = if length > 0.0 { flat * (radius / length) } else { Vec3::ZERO };
            rim + Vec3::new(0.0, 0.0, side(half_length, along.z))
        }
    }
}
