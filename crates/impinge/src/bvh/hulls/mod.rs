//! A tree of hulls over a surface: whole, pieces, parts of pieces, down to a few triangles (Xavier 1997; Ehmann and Lin 2001).
//!
//! ```text
//!            root                     inner nodes: at most `max_vertices` vertices of the mesh and a radius, see `bounded`
//!          /      \
//!      piece      ...                 a convex piece of the surface, or a part of one if it has many triangles
//!     /     \
//!  triangles  triangles               a few triangles each
//! ```
//! Sound: every vertex below a node is within the node's radius of the hull of its vertices, and so is every point of every triangle, for
//! that set is convex. Points are passed upwards from children only if they are exactly outside the children's hulls or corners of them.

pub(crate) mod solid;

use crate::bvh::build;
use crate::bvh::build::{Item, Skeleton};
use crate::bvh::hulls::solid::Solid;
use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::hull::bounded::bounded;
use crate::geometry::hull::decompose::cut;
use crate::math::rounding::U;
use crate::math::{V4, Vec3};

/// How a tree is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HullTreeOptions {
    /// Vertices of a node's hull, at most (at least four): more are tighter, fewer are faster to scan. On torus knots 32, 64, 128, 256 and
    /// all vertices lead to 660, 280, 190, 130 and 110 pairs of hulls compared for a distance; 128 takes the least time.
    pub max_vertices: usize,
    /// Triangles of a leaf, at most.
    pub leaf_triangles: usize,
    /// Orders of seeds tried by the decomposition, see [`crate::geometry::hull::decompose()`].
    pub seed_orders: usize,
}

impl Default for HullTreeOptions {
    fn default() -> Self {
        HullTreeOptions { max_vertices: 128, leaf_triangles: 4, seed_orders: 1 }
    }
}

/// A hierarchy of convex hulls over all triangles of a mesh, in the mesh's frame.
#[derive(Clone, Debug)]
pub struct HullTree {
    pub(crate) nodes: Vec<HullNode>,
    /// Vertices of the nodes, four at a time.
    pub(crate) blocks: Vec<Block>,
    /// Corners of the triangles, in leaf order.
    pub(crate) triangles: Vec<[Vec3; 3]>,
    /// Their numbers in the mesh.
    pub(crate) ids: Vec<u32>,
    /// At least the distance of any vertex from the origin.
    pub(crate) reach: f64,
    /// How far vertices may be from the described ones, see [`Mesh::within`]: bounds of distances, and of what moves, add it.
    pub(crate) error: f64,
    /// What there is instead of triangles: a box or a cylinder.
    pub(crate) solid: Option<Solid>,
    /// Everything within this of the rest belongs to it, too: balls and capsules.
    pub(crate) rounding: f64,
    pub(crate) pieces: usize,
}

/// A node; a leaf when `left` is zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HullNode {
    /// A ball around everything below.
    pub center: Vec3,
    pub ball: f64,
    /// Nothing below is farther from the hull of the vertices.
    pub radius: f64,
    /// Blocks of vertices.
    pub first_block: u32,
    pub blocks: u32,
    pub left: u32,
    pub right: u32,
    /// Triangles below, in leaf order.
    pub first: u32,
    pub count: u32,
}

impl HullNode {
    #[inline(always)]
    pub fn is_leaf(&self) -> bool {
        self.left == 0
    }
}

/// Coordinates of four vertices; the last block is filled up with its last vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub x: V4,
    pub y: V4,
    pub z: V4,
}

impl HullTree {
    /// Builds the tree of a mesh.
    pub fn new(mesh: &Mesh) -> Self {
        HullTree::with_options(mesh, HullTreeOptions::default())
    }

    /// Builds the tree of a mesh as told.
    pub fn with_options(mesh: &Mesh, options: HullTreeOptions) -> Self {
        let pieces = cut(mesh, options.seed_orders);
        let reach = mesh.vertices().iter().fold(0.0f64, |r, v| r.max(v.norm())) * (1.0 + 8.0 * U);
        let n = mesh.triangles().len();
        let tree = HullTree {
            nodes: Vec::with_capacity(n / 2),
            blocks: Vec::with_capacity(n),
            triangles: Vec::with_capacity(n),
            ids: Vec::with_capacity(n),
            reach,
            error: mesh.error(),
            solid: None,
            rounding: 0.0,
            pieces: pieces.len(),
        };
        let mut builder = Builder { mesh, options, tree, mark: vec![0; mesh.vertices().len()], round: 0 };
        builder.over_pieces(&pieces);
        builder.tree
    }

    /// How many convex pieces the surface was cut into.
    pub fn pieces(&self) -> usize {
        self.pieces
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..])
            + size_of_val(&self.blocks[..])
            + size_of_val(&self.triangles[..])
            + size_of_val(&self.ids[..])
    }

    /// The vertices of a node.
    #[inline(always)]
    pub(crate) fn hull(&self, node: &HullNode) -> &[Block] {
        &self.blocks[node.first_block as usize..(node.first_block + node.blocks) as usize]
    }
}

/// The place of the vertex with the largest d·x, and the vertex; the first of several in each lane.
#[inline(always)]
pub(crate) fn farthest(blocks: &[Block], d: Vec3) -> (u32, Vec3) {
    // Places as numbers, so that heights and places are chosen alike.
    let (mut height, mut place, mut at) = (V4::splat(f64::NEG_INFINITY), V4::splat(0.0), V4::splat(0.0));
    for b in blocks {
        let h = b.x.scale(d.x).add(b.y.scale(d.y)).add(b.z.scale(d.z));
        place = where_greater(h, height, at, place);
        height = h.max(height);
        at = at.add(V4::splat(1.0));
    }
    let pick = |i: usize, k: usize| if height.0[k] > height.0[i] { k } else { i };
    let lane = pick(pick(0, 1), pick(2, 3));
    let id = 4 * place.0[lane] as u32 + lane as u32;
    (id, vertex(blocks, id))
}

/// Lane by lane: `then` where a > b, else `other`.
#[inline(always)]
fn where_greater(a: V4, b: V4, then: V4, other: V4) -> V4 {
    let ([a0, a1, a2, a3], [b0, b1, b2, b3], [t0, t1, t2, t3], [o0, o1, o2, o3]) = (a.0, b.0, then.0, other.0);
    V4([
        if a0 > b0 { t0 } else { o0 },
        if a1 > b1 { t1 } else { o1 },
        if a2 > b2 { t2 } else { o2 },
        if a3 > b3 { t3 } else { o3 },
    ])
}

/// A vertex by its place; the nearest one there is if there is none.
#[inline(always)]
pub(crate) fn vertex(blocks: &[Block], id: u32) -> Vec3 {
    let block = &blocks[(id as usize / 4).min(blocks.len() - 1)];
    let lane = id as usize % 4;
    Vec3::new(block.x.0[lane], block.y.0[lane], block.z.0[lane])
}

struct Builder<'a> {
    mesh: &'a Mesh,
    options: HullTreeOptions,
    tree: HullTree,
    /// The last node that a vertex was gathered for.
    mark: Vec<u32>,
    round: u32,
}

impl Builder<'_> {
    fn over_pieces(&mut self, pieces: &[Vec<u32>]) {
        let bounds = |t: &[u32]| Aabb::of(t.iter().flat_map(|&t| self.mesh.corners(t as usize)));
        let items = pieces.iter().enumerate().map(|(i, p)| item(bounds(p), i as u32)).collect();
        let upper = build::build(items, 1);
        self.upper_node(&upper, 0, pieces);
    }

    /// A node over pieces; returns the vertices that its hull is made of.
    fn upper_node(&mut self, upper: &Skeleton, at: u32, pieces: &[Vec<u32>]) -> Vec<u32> {
        let node = upper.nodes[at as usize];
        if !node.is_leaf() {
            return self.inner(|b| b.upper_node(upper, node.left, pieces), |b| b.upper_node(upper, node.right, pieces));
        }
        let piece = &pieces[upper.items[node.first as usize].id as usize];
        if piece.len() <= self.options.leaf_triangles {
            return self.leaf(piece.iter().copied());
        }
        let items = piece.iter().map(|&t| item(Aabb::of(self.mesh.corners(t as usize)), t)).collect();
        let lower = build::build(items, self.options.leaf_triangles.max(1));
        self.lower_node(&lower, 0)
    }

    /// A node over triangles of one piece.
    fn lower_node(&mut self, lower: &Skeleton, at: u32) -> Vec<u32> {
        let node = lower.nodes[at as usize];
        if !node.is_leaf() {
            return self.inner(|b| b.lower_node(lower, node.left), |b| b.lower_node(lower, node.right));
        }
        self.leaf(lower.items[node.first as usize..(node.first + node.count) as usize].iter().map(|i| i.id))
    }

    fn inner(&mut self, left: impl FnOnce(&mut Self) -> Vec<u32>, right: impl FnOnce(&mut Self) -> Vec<u32>) -> Vec<u32> {
        let (at, first) = (self.tree.nodes.len(), self.tree.triangles.len());
        self.tree.nodes.push(HullNode::NEW);
        let left_at = self.tree.nodes.len() as u32;
        let mut vertices = left(self);
        let right_at = self.tree.nodes.len() as u32;
        vertices.extend(right(self));
        self.finish(at, first, (left_at, right_at), vertices)
    }

    fn leaf(&mut self, triangles: impl Iterator<Item = u32>) -> Vec<u32> {
        let (at, first) = (self.tree.nodes.len(), self.tree.triangles.len());
        self.tree.nodes.push(HullNode::NEW);
        for t in triangles {
            self.tree.triangles.push(self.mesh.corners(t as usize));
            self.tree.ids.push(t);
        }
        let vertices = self.tree.ids[first..].iter().flat_map(|&t| self.mesh.triangles()[t as usize]).collect();
        self.finish(at, first, (0, 0), vertices)
    }

    /// Gives a node its hull over vertices, some of them perhaps repeated; returns those that it and its parent are made of.
    fn finish(&mut self, at: usize, first: usize, (left, right): (u32, u32), mut vertices: Vec<u32>) -> Vec<u32> {
        self.round += 1;
        vertices.retain(|&v| std::mem::replace(&mut self.mark[v as usize], self.round) != self.round);
        let points: Vec<Vec3> = vertices.iter().map(|&v| self.mesh.vertices()[v as usize]).collect();
        let hull = bounded(&points, self.options.max_vertices.max(4));
        let chosen: Vec<Vec3> = hull.chosen.iter().map(|&i| points[i as usize]).collect();
        let center = Aabb::of(chosen.iter().copied()).center();
        let ball = chosen.iter().fold(0.0f64, |r, v| r.max((*v - center).norm()));
        let first_block = self.tree.blocks.len() as u32;
        self.tree.blocks.extend(chosen.chunks(4).map(block));
        self.tree.nodes[at] = HullNode {
            center,
            // The difference and its length are off by 5 u of the length.
            ball: ball * (1.0 + 16.0 * U) + hull.radius + f64::MIN_POSITIVE,
            radius: hull.radius,
            first_block,
            blocks: self.tree.blocks.len() as u32 - first_block,
            left,
            right,
            first: first as u32,
            count: (self.tree.triangles.len() - first) as u32,
        };
        hull.outer.iter().map(|&i| vertices[i as usize]).collect()
    }
}

impl HullNode {
    pub(crate) const NEW: HullNode =
        HullNode { center: Vec3::ZERO, ball: 0.0, radius: 0.0, first_block: 0, blocks: 0, left: 0, right: 0, first: 0, count: 0 };
}

pub(crate) fn block(four: &[Vec3]) -> Block {
    let at = |lane: usize| four[lane.min(four.len() - 1)];
    let lanes = |k: usize| V4(std::array::from_fn(|lane| at(lane)[k]));
    Block { x: lanes(0), y: lanes(1), z: lanes(2) }
}

/// Boxes only decide how the tree is cut: rounding does not matter.
fn item(b: Aabb, id: u32) -> Item {
    let corner = |v: Vec3| v.to_array().map(|c| c as f32);
    Item { lo: corner(b.lo), hi: corner(b.hi), id }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Hull;
    use proptest::prelude::*;

    /// Every corner below a node is within its radius of its hull and in its ball, every triangle is in one leaf.
    fn check(mesh: &Mesh, options: HullTreeOptions) {
        let tree = HullTree::with_options(mesh, options);
        let mut seen = vec![0; mesh.triangles().len()];
        for node in &tree.nodes {
            let blocks = tree.hull(node);
            assert!(blocks.len() <= options.max_vertices.max(4).div_ceil(4));
            let vertices: Vec<Vec3> = (0..4 * blocks.len() as u32).map(|i| vertex(blocks, i)).collect();
            let hull = Hull::of(&vertices).expect("valid");
            for i in node.first as usize..(node.first + node.count) as usize {
                assert_eq!(tree.triangles[i], mesh.corners(tree.ids[i] as usize));
                if node.is_leaf() {
                    seen[tree.ids[i] as usize] += 1;
                }
                for p in tree.triangles[i] {
                    assert!((p - node.center).norm() <= node.ball && p.norm() <= tree.reach);
                    assert!(outside(&hull, p) <= node.radius, "{} {}", outside(&hull, p), node.radius);
                }
            }
        }
        assert!(seen.iter().all(|&n| n == 1));
    }

    /// At most the distance of a point from a hull: along normals of faces, or along the line of a flat one.
    fn outside(hull: &Hull, p: Vec3) -> f64 {
        let at = |i: u32| hull.vertices()[i as usize];
        if hull.vertices().contains(&p) {
            return 0.0;
        }
        let side = |f: &[u32]| crate::math::orient::Plane::new([at(f[0]), at(f[1]), at(f[2])]);
        hull.faces().map(side).filter(|s| s.side(p) > 0).map(|s| s.estimate_height(p) / s.normal().norm()).fold(0.0, f64::max)
    }

    fn mesh(points: Vec<[f64; 3]>, offset: f64, scale: f64) -> Mesh {
        let vertices: Vec<Vec3> = points.iter().map(|&p| Vec3::from(p) * scale + Vec3::splat(offset)).collect();
        let n = vertices.len() as u32;
        Mesh::new(vertices, (0..n).map(|i| [i, (i + 1) % n, (i + 2) % n]).collect()).expect("valid")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn nodes_hold_what_is_below_them(
            points in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 1..150), offset in prop_oneof![Just(0.0), -1e3f64..1e3],
            max_vertices in 4usize..12, leaf_triangles in 1usize..6, flat in any::<bool>(),
        ) {
            let points = points.into_iter().map(|p| if flat { [p[0], p[1], 0.0] } else { p }).collect();
            check(&mesh(points, offset, 1.0), HullTreeOptions { max_vertices, leaf_triangles, seed_orders: 1 });
        }

        #[test]
        fn scanning_finds_a_farthest_vertex(points in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 1..40), d in prop::array::uniform3(-1.0f64..1.0)) {
            let points: Vec<Vec3> = points.into_iter().map(Vec3::from).collect();
            let blocks: Vec<Block> = points.chunks(4).map(block).collect();
            let d = Vec3::from(d);
            let (id, at) = farthest(&blocks, d);
            prop_assert!(points.iter().all(|p| d.dot(*p) <= d.dot(at)) && vertex(&blocks, id) == at);
        }
    }
}
