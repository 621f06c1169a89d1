//! The tree of a body that moves: binary, boxes in the body's own frame, so that all of them turn with one rotation.

use crate::bvh::build;
use crate::bvh::build::Item;
use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::Vec3;
use crate::math::rounding::{f32_down, f32_up, next_down, next_up};

/// A node's box as centre and half sides, both in the body's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovingNode {
    pub center: Vec3,
    pub half: Vec3,
    /// At least the distance of any point of the box from the body's origin.
    pub reach: f64,
    /// Inner: index of the left child (the right one follows the left subtree). Leaf: first triangle in `order`.
    pub first: u32,
    /// Inner: index of the right child. Leaf: number of triangles.
    pub second: u32,
    pub leaf: bool,
}

/// Triangles of a mesh, or one primitive, in a binary tree.
#[derive(Debug)]
pub(crate) struct MovingTree {
    pub nodes: Vec<MovingNode>,
    /// Triangle ids in leaf order.
    pub order: Vec<u32>,
    /// Their corners in the same order: searches read leaf after leaf.
    pub corners: Vec<[Vec3; 3]>,
}

/// Triangles per leaf: two to eight cost the same within noise, and fewer nodes are less memory.
const LEAF: usize = 4;

impl MovingTree {
    /// The tree over all triangles of a mesh.
    pub fn of_mesh(mesh: &Mesh) -> Self {
        let bounds = Aabb::of(mesh.vertices().iter().copied());
        let origin = bounds.center();
        let items = (0..mesh.triangles().len()).map(|i| item(Aabb::of(mesh.corners(i)), origin, i as u32)).collect();
        let tree = build::build(items, LEAF);
        let mut nodes = Vec::with_capacity(tree.items.len() / 2 + 1);
        compact(&tree, 0, origin, &mut nodes);
        nodes.shrink_to_fit();
        let corners = tree.items.iter().map(|i| mesh.corners(i.id as usize)).collect();
        MovingTree { nodes, order: tree.items.iter().map(|i| i.id).collect(), corners }
    }

    /// Bytes held, for the memory promise.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.order[..]) + size_of_val(&self.corners[..])
    }

    /// One leaf around a primitive.
    pub fn of_box(half: Vec3) -> Self {
        let root = MovingNode { center: Vec3::ZERO, half, reach: half.norm(), first: 0, second: 1, leaf: true };
        MovingTree { nodes: vec![root], order: vec![0], corners: Vec::new() }
    }
}

/// A box relative to `origin`, rounded outward. The difference itself is rounded once, so one more step outward is needed.
fn item(b: Aabb, origin: Vec3, id: u32) -> Item {
    let (lo, hi) = (b.lo - origin, b.hi - origin);
    Item { lo: [0, 1, 2].map(|k| f32_down(next_down(lo[k]))), hi: [0, 1, 2].map(|k| f32_up(next_up(hi[k]))), id }
}

fn compact(tree: &build::BinaryTree, at: u32, origin: Vec3, out: &mut Vec<MovingNode>) -> u32 {
    let node = tree.nodes[at as usize];
    let corner = |c: [f32; 3]| Vec3::new(c[0].into(), c[1].into(), c[2].into());
    let (lo, hi) = (corner(node.lo), corner(node.hi));
    // Sums of two f32 are exact in f64; adding the origin rounds once, which one part in 2^40 of the half sides and of the origin covers.
    let center = (lo + hi) * 0.5 + origin;
    let half = (hi - lo) * 0.5 + (center.abs() + hi - lo) * (1.0 / (1u64 << 50) as f64);
    let reach = (center.abs() + half).norm();
    let index = out.len() as u32;
    out.push(MovingNode { center, half, reach, first: node.first, second: node.count, leaf: node.is_leaf() });
    if !node.is_leaf() {
        let first = compact(tree, node.left, origin, out);
        let second = compact(tree, node.right, origin, out);
        out[index as usize].first = first;
        out[index as usize].second = second;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_triangle_lies_in_every_box_above_it(
            points in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 3..200), offset in -1e6f64..1e6,
        ) {
            let vertices: Vec<Vec3> = points.iter().map(|&p| Vec3::from(p) + Vec3::splat(offset)).collect();
            let triangles: Vec<[u32; 3]> = (0..vertices.len() as u32 - 2).map(|i| [i, i + 1, i + 2]).collect();
            let mesh = Mesh::new(vertices, triangles).expect("valid");
            let tree = MovingTree::of_mesh(&mesh);
            let mut seen = vec![0; mesh.triangles().len()];
            visit(&tree, &mesh, 0, &mut Vec::new(), &mut seen);
            prop_assert!(seen.iter().all(|&n| n == 1));
        }
    }

    fn visit(tree: &MovingTree, mesh: &Mesh, at: usize, above: &mut Vec<usize>, seen: &mut [usize]) {
        let node = &tree.nodes[at];
        above.push(at);
        if node.leaf {
            for &t in &tree.order[node.first as usize..(node.first + node.second) as usize] {
                seen[t as usize] += 1;
                for p in mesh.corners(t as usize) {
                    for &n in above.iter() {
                        let n = &tree.nodes[n];
                        assert!((0..3).all(|k| (p[k] - n.center[k]).abs() <= n.half[k]) && p.norm() <= n.reach);
                    }
                }
            }
        } else {
            visit(tree, mesh, node.first as usize, above, seen);
            visit(tree, mesh, node.second as usize, above, seen);
        }
        above.pop();
    }
}
