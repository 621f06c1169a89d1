//! Trees of hulls over everything made of triangles: built before the first query of an engine or a session that needs them.

use crate::build_once::BuildOnce;
use crate::bvh::HullTree;
use crate::bvh::RestingItem;
use crate::geometry::Mesh;
use crate::math::Vec3;
use crate::search::pairs::{Body, MovingPiece, Resting, Task, Tasks};

/// One tree for every moving piece and for every resting tree; none where something is not made of triangles.
#[derive(Debug)]
pub(crate) struct HullTrees {
    moving: Vec<BuildOnce<Option<HullTree>>>,
    resting: Vec<BuildOnce<Option<HullTree>>>,
}

impl HullTrees {
    pub fn new(tasks: &Tasks) -> Self {
        let empty = |n: usize| std::iter::repeat_with(BuildOnce::new).take(n).collect();
        HullTrees { moving: empty(tasks.moving.len()), resting: empty(tasks.resting.len()) }
    }

    /// Builds all trees of all tasks.
    pub fn build(&self, tasks: &Tasks) {
        for task in &tasks.tasks {
            self.of(tasks, task);
        }
    }

    /// Both trees of a task: of the piece in its own frame, of what rests relative to its origin.
    pub fn of(&self, tasks: &Tasks, task: &Task) -> Option<(&HullTree, &HullTree)> {
        let a = self.moving[task.moving].get_or_build(|| of_piece(&tasks.moving[task.moving])).as_ref()?;
        let b = self.resting[task.resting].get_or_build(|| of_resting(&tasks.resting[task.resting])).as_ref()?;
        Some((a, b))
    }
}

fn of_piece(piece: &MovingPiece) -> Option<HullTree> {
    match &piece.body {
        Body::Mesh(mesh) => Some(HullTree::new(mesh)),
        Body::Solid(_) => None,
    }
}

/// Triangle k of the tree's mesh is item k of what rests.
fn of_resting(resting: &Resting) -> Option<HullTree> {
    let corners = (0..resting.tree.items()).map(|id| match resting.tree.item(id) {
        RestingItem::Triangle(corners) => Some(*corners),
        RestingItem::Solid(_) => None,
    });
    let corners: Vec<[Vec3; 3]> = corners.collect::<Option<_>>()?;
    Some(HullTree::new(&welded(&corners).ok()?))
}

/// A mesh in which corners at the same place are one vertex.
fn welded(triangles: &[[Vec3; 3]]) -> Result<Mesh, crate::Error> {
    let corner = |i: u32| triangles[i as usize / 3][i as usize % 3];
    let key = |i: u32| corner(i).to_array().map(|c| (c + 0.0).to_bits());
    let mut order: Vec<u32> = (0..3 * triangles.len() as u32).collect();
    order.sort_unstable_by_key(|&i| (key(i), i));
    let (mut vertices, mut indices) = (Vec::new(), vec![[0; 3]; triangles.len()]);
    for same in order.chunk_by(|&i, &k| key(i) == key(k)) {
        same.iter().for_each(|&i| indices[i as usize / 3][i as usize % 3] = vertices.len() as u32);
        vertices.push(corner(same[0]));
    }
    Mesh::new(vertices, indices)
}
