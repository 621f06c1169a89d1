//! Wide trees of everything that can touch: built with the checker where its engine needs them, else when first needed.

use crate::build_once::BuildOnce;
use crate::bvh::{RestingItem, WideTree};
use crate::search::pairs::{Body, Tasks};

/// One tree for every moving piece and for every resting tree.
#[derive(Debug)]
pub(crate) struct WideTrees {
    moving: Vec<BuildOnce<Option<WideTree>>>,
    resting: Vec<BuildOnce<Option<WideTree>>>,
}

impl WideTrees {
    pub fn new(tasks: &Tasks) -> Self {
        let empty = |n: usize| std::iter::repeat_with(BuildOnce::new).take(n).collect::<Vec<_>>();
        WideTrees { moving: empty(tasks.moving.len()), resting: empty(tasks.resting.len()) }
    }

    /// Builds all trees of all tasks.
    pub fn build(&self, tasks: &Tasks) {
        for task in &tasks.tasks {
            self.moving(tasks, task.moving);
            self.resting(tasks, task.resting);
        }
    }

    /// The tree of a moving piece, in its own frame; `None` for a round solid.
    pub fn moving(&self, tasks: &Tasks, piece: usize) -> Option<&WideTree> {
        let tree = self.moving[piece].get_or_build(|| match &tasks.moving[piece].body {
            Body::Mesh(mesh) => Some(WideTree::of_triangles(mesh.triangles().len(), |i| mesh.corners(i as usize))),
            Body::Solid(_) => None,
        });
        tree.as_ref()
    }

    /// The tree of what rests, relative to its origin; `None` where there is a round solid in it.
    pub fn resting(&self, tasks: &Tasks, resting: usize) -> Option<&WideTree> {
        let tree = self.resting[resting].get_or_build(|| {
            let tree = &tasks.resting[resting].tree;
            let corners = |i: u32| match tree.item(i) {
                RestingItem::Triangle(corners) => Some(*corners),
                RestingItem::Solid(_) => None,
            };
            let all = (0..tree.items()).map(corners).collect::<Option<Vec<_>>>()?;
            Some(WideTree::of_triangles(all.len(), |i| all[i as usize]))
        });
        tree.as_ref()
    }
}
