//! Oriented trees of everything that can touch.

use crate::bvh::{OrientedTree, RestingItem};
use crate::math::Pose;
use crate::search::pairs::{Body, MovingPiece, Resting, Tasks};

/// One tree for every moving piece and for every owner of a resting tree.
#[derive(Debug)]
pub(super) struct OrientedTrees {
    /// Each in its own frame.
    pub moving: Vec<OrientedTree>,
    /// Of each resting tree the items of each owner, relative to the origin of the tree.
    pub resting: Vec<Vec<OrientedTree>>,
}

impl OrientedTrees {
    pub fn new(tasks: &Tasks) -> Self {
        OrientedTrees {
            moving: tasks.moving.iter().map(of_piece).collect(),
            resting: tasks.resting.iter().map(|r| (0..r.owners.len()).map(|owner| of_owner(r, owner)).collect()).collect(),
        }
    }
}

fn of_piece(piece: &MovingPiece) -> OrientedTree {
    match &piece.body {
        Body::Mesh(mesh) => OrientedTree::of_triangles(mesh.triangles().len(), 0, |i| mesh.corners(i as usize)),
        Body::Solid(solid) => OrientedTree::of_solid(solid.half_extent(), &Pose::IDENTITY, 0),
    }
}

fn of_owner(resting: &Resting, owner: usize) -> OrientedTree {
    let first = resting.owners[owner].0;
    let end = resting.owners.get(owner + 1).map_or(resting.tree.items(), |next| next.0);
    if first >= end {
        return OrientedTree::of_triangles(0, first, |_| Default::default());
    }
    match resting.tree.item(first) {
        RestingItem::Solid(solid) => OrientedTree::of_solid(solid.primitive.half_extent(), &solid.pose, first),
        RestingItem::Triangle(_) => {
            OrientedTree::of_triangles((end - first) as usize, first, |i| match resting.tree.item(first + i) {
                RestingItem::Triangle(corners) => *corners,
                RestingItem::Solid(solid) => [solid.pose.translation; 3],
            })
        }
    }
}
