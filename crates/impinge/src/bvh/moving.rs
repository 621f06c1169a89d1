//! The tree of a body that moves: binary, boxes in the body's own frame, so that all of them turn with one rotation.

use crate::bvh::build::Item;
use crate::bvh::tree::{Node, Tree};
use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::Vec3;
use crate::math::rounding::{f32_down, f32_up, next_down, next_up};

/// A box as centre and half sides, both in the body's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovingBox {
    pub center: Vec3,
    pub half: Vec3,
    /// At least the distance of any point of the box from the body's origin.
    pub reach: f64,
}

/// A node of a [`MovingTree`].
pub(crate) type MovingNode = Node<MovingBox>;

/// Triangles of a mesh, or one primitive, in a binary tree.
#[derive(Debug)]
pub(crate) struct MovingTree {
    pub boxes: Tree<MovingBox>,
    /// Corners of the triangles in leaf order: searches read leaf after leaf.
    pub corners: Vec<[Vec3; 3]>,
}

/// Triangles per leaf: two to eight cost the same within noise, and fewer nodes are less memory.
const LEAF: usize = 4;

impl MovingTree {
    /// The tree over all triangles of a mesh.
    pub fn of_mesh(mesh: &Mesh) -> Self {
        let origin = Aabb::of(mesh.vertices().iter().copied()).center();
        let items = (0..mesh.triangles().len()).map(|i| item(Aabb::of(mesh.corners(i)), origin, i as u32)).collect();
        let mut boxes = Tree::build(items, LEAF, |item, _| MovingBox::of(item, origin));
        boxes.nodes.shrink_to_fit();
        let corners = boxes.order.iter().map(|&i| mesh.corners(i as usize)).collect();
        MovingTree { boxes, corners }
    }

    /// The box around everything.
    #[inline(always)]
    pub fn root(&self) -> &MovingBox {
        &self.boxes.nodes[0].volume
    }

    /// Bytes held, for the memory promise.
    pub fn bytes(&self) -> usize {
        self.boxes.bytes() + size_of_val(&self.corners[..])
    }

    /// One leaf around a primitive.
    pub fn of_box(half: Vec3) -> Self {
        let root = MovingBox { center: Vec3::ZERO, half, reach: half.norm() };
        MovingTree { boxes: Tree::of_neighbours(std::iter::once(root), |&a, _| a), corners: Vec::new() }
    }
}

impl MovingBox {
    /// The box of a node that was built relative to `origin`.
    fn of(Item { lo, hi, .. }: &Item, origin: Vec3) -> Self {
        let corner = |c: &[f32; 3]| Vec3::new(c[0].into(), c[1].into(), c[2].into());
        let (lo, hi) = (corner(lo), corner(hi));
        // Sums of two f32 are exact in f64; adding the origin rounds once, which one part in 2^40 of the half sides and of the origin covers.
        let center = (lo + hi) * 0.5 + origin;
        let half = (hi - lo) * 0.5 + (center.abs() + hi - lo) * (1.0 / (1u64 << 50) as f64);
        MovingBox { center, half, reach: (center.abs() + half).norm() }
    }
}

/// A box relative to `origin`, rounded outward. The difference itself is rounded once, so one more step outward is needed.
fn item(b: Aabb, origin: Vec3, id: u32) -> Item {
    let (lo, hi) = (b.lo - origin, b.hi - origin);
    Item { lo: [0, 1, 2].map(|k| f32_down(next_down(lo[k]))), hi: [0, 1, 2].map(|k| f32_up(next_up(hi[k]))), id }
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
        above.push(at);
        let Some([first, second]) = tree.boxes.children(at as u32) else {
            for &t in tree.boxes.items(at as u32) {
                seen[t as usize] += 1;
                for p in mesh.corners(t as usize) {
                    for &n in above.iter() {
                        let n = &tree.boxes.nodes[n].volume;
                        assert!((0..3).all(|k| (p[k] - n.center[k]).abs() <= n.half[k]) && p.norm() <= n.reach);
                    }
                }
            }
            above.pop();
            return;
        };
        visit(tree, mesh, first as usize, above, seen);
        visit(tree, mesh, second as usize, above, seen);
        above.pop();
    }
}
