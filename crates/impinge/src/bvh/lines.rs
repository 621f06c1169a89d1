//! The tree of triangles whose corners move along straight lines: each node has its box at the start and at the end.
//!
//! Sound: a coordinate of a corner at t is the same mixture of its ends as that of the boxes, so the mixed box holds the corner; and over
//! a span each face of the box moves linearly, so the boxes at both ends of the span hold it in between.

use crate::bvh::build;
use crate::bvh::build::{BinaryTree, Item};
use crate::geometry::bounding::aabb::Aabb;
use crate::math::Vec3;
use crate::math::rounding::{f32_down, f32_up};

/// A node: two boxes, and children or triangles as in [`crate::bvh::moving::MovingNode`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineNode {
    pub start: Aabb,
    pub end: Aabb,
    pub first: u32,
    pub second: u32,
    pub leaf: bool,
}

/// A tree over moving triangles.
#[derive(Clone, Debug)]
pub(crate) struct LineTree {
    pub nodes: Vec<LineNode>,
    /// Triangle ids in leaf order.
    pub order: Vec<u32>,
}

const LEAF: usize = 2;

impl LineTree {
    pub fn new(triangles: &[[u32; 3]], start: &[Vec3], end: &[Vec3]) -> Self {
        let corners = |t: [u32; 3], of: &[Vec3]| Aabb::of(t.map(|i| of[i as usize]));
        let both = |t: [u32; 3]| corners(t, start).union(corners(t, end));
        let middle = triangles.iter().fold(Aabb::EMPTY, |all, &t| all.union(both(t))).center();
        let items = triangles.iter().enumerate().map(|(i, &t)| item(both(t), middle, i as u32)).collect();
        let binary = build::build(items, LEAF);
        let order: Vec<u32> = binary.items.iter().map(|i| i.id).collect();
        let mut nodes = Vec::with_capacity(triangles.len());
        let leaf = |id: u32| (corners(triangles[id as usize], start), corners(triangles[id as usize], end));
        refit(&binary, 0, &order, &leaf, &mut nodes);
        LineTree { nodes, order }
    }
}

impl LineNode {
    /// The box over a span of t, up to 8 u of its coordinates.
    pub fn over(&self, from: f64, to: f64) -> Aabb {
        self.at(from).union(self.at(to))
    }

    fn at(&self, t: f64) -> Aabb {
        let mix = |a: Vec3, b: Vec3| a + (b - a) * t;
        Aabb { lo: mix(self.start.lo, self.end.lo), hi: mix(self.start.hi, self.end.hi) }
    }
}

fn item(b: Aabb, middle: Vec3, id: u32) -> Item {
    let (lo, hi) = (b.lo - middle, b.hi - middle);
    Item { lo: [0, 1, 2].map(|k| f32_down(lo[k])), hi: [0, 1, 2].map(|k| f32_up(hi[k])), id }
}

/// Boxes from the triangles up; the build's own boxes only said how to split.
fn refit(tree: &BinaryTree, at: u32, order: &[u32], leaf: &impl Fn(u32) -> (Aabb, Aabb), out: &mut Vec<LineNode>) -> u32 {
    let node = tree.nodes[at as usize];
    let index = out.len();
    out.push(LineNode { start: Aabb::EMPTY, end: Aabb::EMPTY, first: node.first, second: node.count, leaf: node.is_leaf() });
    let parts: Vec<(Aabb, Aabb)> = if node.is_leaf() {
        order[node.first as usize..(node.first + node.count) as usize].iter().map(|&id| leaf(id)).collect()
    } else {
        let children = [refit(tree, node.left, order, leaf, out), refit(tree, node.right, order, leaf, out)];
        (out[index].first, out[index].second) = (children[0], children[1]);
        children.iter().map(|&c| (out[c as usize].start, out[c as usize].end)).collect()
    };
    for (start, end) in parts {
        out[index].start = out[index].start.union(start);
        out[index].end = out[index].end.union(end);
    }
    index as u32
}
