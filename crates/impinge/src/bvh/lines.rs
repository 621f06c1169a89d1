//! The tree of triangles whose corners move along straight lines: each node has its box at the start and at the end.
//!
//! Sound: a coordinate of a corner at t is the same mixture of its ends as that of the boxes, so the mixed box holds the corner; and over
//! a span each face of the box moves linearly, so the boxes at both ends of the span hold it in between.

use crate::bvh::build::Item;
use crate::bvh::tree::Tree;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::Vec3;
use crate::math::rounding::{f32_down, f32_up};

/// Boxes around the same triangles at both ends of the motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineBox {
    start: Aabb,
    end: Aabb,
}

/// Triangles whose corners move along straight lines.
pub(crate) type LineTree = Tree<LineBox>;

/// Triangles in a leaf, at most.
const LEAF: usize = 2;

impl LineTree {
    /// The tree over triangles with these corners at the start and at the end.
    pub fn of_lines(triangles: &[[u32; 3]], start: &[Vec3], end: &[Vec3]) -> Self {
        let corners = |t: [u32; 3], of: &[Vec3]| Aabb::of(t.map(|i| of[i as usize]));
        let both = |t: [u32; 3]| LineBox { start: corners(t, start), end: corners(t, end) };
        let over = |t: [u32; 3]| both(t).start.union(both(t).end);
        let middle = triangles.iter().fold(Aabb::EMPTY, |all, &t| all.union(over(t))).center();
        let items = triangles.iter().zip(0..).map(|(&t, i)| item(over(t), middle, i)).collect();
        let mut tree = Tree::build(items, LEAF, |_, _| LineBox::NONE);
        let leaf = |ids: &[u32]| ids.iter().fold(LineBox::NONE, |all, &id| all.join(&both(triangles[id as usize])));
        tree.refit(leaf, LineBox::join);
        tree
    }
}

impl LineBox {
    const NONE: LineBox = LineBox { start: Aabb::EMPTY, end: Aabb::EMPTY };

    fn join(&self, other: &LineBox) -> LineBox {
        LineBox { start: self.start.union(other.start), end: self.end.union(other.end) }
    }

    /// The box over a span of time; mixing rounds by 8 u of the coordinates, which callers add.
    pub fn over(&self, from: f64, to: f64) -> Aabb {
        self.at(from).union(self.at(to))
    }

    fn at(&self, t: f64) -> Aabb {
        let mix = |a: Vec3, b: Vec3| a + (b - a) * t;
        Aabb { lo: mix(self.start.lo, self.end.lo), hi: mix(self.start.hi, self.end.hi) }
    }
}

/// Only the shape of the tree comes from these boxes, so rounding does not matter.
fn item(b: Aabb, middle: Vec3, id: u32) -> Item {
    let (lo, hi) = (b.lo - middle, b.hi - middle);
    Item { lo: [0, 1, 2].map(|k| f32_down(lo[k])), hi: [0, 1, 2].map(|k| f32_up(hi[k])), id }
}
