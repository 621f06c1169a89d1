//! Clusters of a mesh: a tree whose nodes know the vertices of their triangles, for volumes that are fitted anew at every step.

use crate::bvh::build;
use crate::bvh::build::{BinaryTree, Item};
use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;

/// A node: which vertices, and where its right child is; the left one comes right behind it.
#[derive(Clone, Copy, Debug)]
struct Cluster {
    first: u32,
    count: u32,
    /// 0 for a leaf.
    right: u32,
}

/// A tree of clusters.
#[derive(Clone, Debug)]
pub(crate) struct ClusterTree {
    nodes: Vec<Cluster>,
    vertices: Vec<u32>,
}

impl ClusterTree {
    /// With at most `leaf` triangles in a leaf.
    pub fn new(mesh: &Mesh, leaf: usize) -> Self {
        let item = |i: usize| {
            let Aabb { lo, hi } = Aabb::of(mesh.corners(i));
            // Single precision chooses the shape of the tree; there are no boxes in it.
            Item { lo: lo.to_array().map(|x| x as f32), hi: hi.to_array().map(|x| x as f32), id: i as u32 }
        };
        let binary = build::build((0..mesh.triangles().len()).map(item).collect(), leaf);
        let mut tree = ClusterTree { nodes: Vec::new(), vertices: Vec::new() };
        tree.copy(mesh, &binary, 0);
        tree
    }

    fn copy(&mut self, mesh: &Mesh, binary: &BinaryTree, at: u32) -> u32 {
        let (node, index) = (binary.nodes[at as usize], self.nodes.len());
        let items = &binary.items[node.first as usize..(node.first + node.count) as usize];
        let mut vertices: Vec<u32> = items.iter().flat_map(|i| mesh.triangles()[i.id as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        self.nodes.push(Cluster { first: self.vertices.len() as u32, count: vertices.len() as u32, right: 0 });
        self.vertices.extend(vertices);
        if !node.is_leaf() {
            self.copy(mesh, binary, node.left);
            self.nodes[index].right = self.copy(mesh, binary, node.right);
        }
        index as u32
    }

    /// How many clusters there are; 0 is the whole mesh.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The vertices of a cluster's triangles, each once.
    pub fn vertices(&self, node: u32) -> &[u32] {
        let Cluster { first, count, .. } = self.nodes[node as usize];
        &self.vertices[first as usize..(first + count) as usize]
    }

    /// The two halves of a cluster, unless it is a leaf.
    pub fn halves(&self, node: u32) -> Option<[u32; 2]> {
        let right = self.nodes[node as usize].right;
        (right != 0).then_some([node + 1, right])
    }
}
