//! Oriented trees of everything that can touch, built with a checker whose bound needs them.

use crate::build_once::BuildOnce;
use crate::bvh::{OrientedTree, RestingItem};
use crate::math::Pose;
use crate::search::pairs::{Body, MovingPiece, Resting, Tasks};

/// One tree for every moving piece and for every owner of a resting tree.
#[derive(Debug)]
pub(crate) struct OrientedTrees {
    moving: Vec<BuildOnce<OrientedTree>>,
    resting: Vec<Vec<BuildOnce<OrientedTree>>>,
}

impl OrientedTrees {
    pub fn new(tasks: &Tasks) -> Self {
        let empty = |n: usize| std::iter::repeat_with(BuildOnce::new).take(n).collect::<Vec<_>>();
        OrientedTrees {
            moving: empty(tasks.moving.len()),
            resting: tasks.resting.iter().map(|r| empty(r.owners.len())).collect(),
        }
    }

    /// Builds all trees.
    pub fn build(&self, tasks: &Tasks) {
        for piece in 0..self.moving.len() {
            self.moving(tasks, piece);
        }
        for resting in 0..self.resting.len() {
            for owner in 0..self.resting[resting].len() {
                self.resting(tasks, resting, owner);
            }
        }
    }

    /// The tree of a moving piece, in its own frame.
    pub fn moving(&self, tasks: &Tasks, piece: usize) -> &OrientedTree {
        self.moving[piece].get_or_build(|| of_piece(&tasks.moving[piece]))
    }

    /// The tree of one owner's items in a resting tree, relative to that tree's origin.
    pub fn resting(&self, tasks: &Tasks, resting: usize, owner: usize) -> &OrientedTree {
        self.resting[resting][owner].get_or_build(|| of_owner(&tasks.resting[resting], owner))
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
