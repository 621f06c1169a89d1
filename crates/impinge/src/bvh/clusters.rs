//! Clusters of a mesh: a tree whose nodes hold the vertices of their triangles, for volumes that are fitted anew at every step.

use crate::bvh::build::Item;
use crate::bvh::tree::Tree;
use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;

/// The vertices of some triangles, each once.
pub(crate) type ClusterTree = Tree<Box<[u32]>>;

impl ClusterTree {
    /// The tree over a mesh, with at most `leaf` triangles in a leaf.
    pub fn of_mesh(mesh: &Mesh, leaf: usize) -> Self {
        let item = |i: usize| {
            let Aabb { lo, hi } = Aabb::of(mesh.corners(i));
            // Single precision chooses the shape of the tree; there are no boxes in it.
            Item { lo: lo.to_array().map(|x| x as f32), hi: hi.to_array().map(|x| x as f32), id: i as u32 }
        };
        Tree::build((0..mesh.triangles().len()).map(item).collect(), leaf, |_, ids| {
            let mut vertices: Vec<u32> = ids.iter().flat_map(|&i| mesh.triangles()[i as usize]).collect();
            vertices.sort_unstable();
            vertices.dedup();
            vertices.into()
        })
    }

    /// The vertices of a cluster's triangles; cluster 0 is the whole mesh.
    pub fn vertices(&self, node: u32) -> &[u32] {
        &self.nodes[node as usize].volume
    }
}
