//! Trees of boxes over whole parts, in `f64`: built once by the surface-area heuristic, or bottom-up for every query.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::bvh::build::Item;
use crate::bvh::tree::{Next, NodePair, Tree, TreePair};
use crate::geometry::bounding::aabb::Aabb;

/// A box, and what of everything below is never met among itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupBox {
    bounds: Aabb,
    /// The group of all items below, or [`MIXED`].
    group: u32,
}

const MIXED: u32 = u32::MAX;

impl GroupBox {
    const NONE: GroupBox = GroupBox { bounds: Aabb::EMPTY, group: MIXED };

    fn join(&self, other: &GroupBox) -> GroupBox {
        let group = if self.group == other.group { self.group } else { MIXED };
        GroupBox { bounds: self.bounds.union(other.bounds), group }
    }

    fn size(&self) -> f64 {
        self.bounds.size().norm_squared()
    }
}

/// Boxes of parts, by their positions.
pub(crate) type PartBoxes = Tree<GroupBox>;

impl PartBoxes {
    /// The tree over some boxes, split by the surface-area heuristic. No two of them are of one group.
    pub fn of_boxes(boxes: &[Aabb]) -> Self {
        // Single precision chooses the shape of the tree; the boxes in it are the given ones.
        let item = |(b, id): (&Aabb, u32)| {
            let rounded = |v: crate::Vec3| [v.x as f32, v.y as f32, v.z as f32];
            Item { lo: rounded(b.lo), hi: rounded(b.hi), id }
        };
        let mut tree = Tree::build(boxes.iter().zip(0..).map(item).collect(), 1, |_, _| GroupBox::NONE);
        let leaf = |ids: &[u32]| ids.first().map_or(GroupBox::NONE, |&id| GroupBox { bounds: boxes[id as usize], group: id });
        tree.refit(leaf, GroupBox::join);
        tree
    }

    /// The tree over boxes and their groups, two neighbours below each inner node: for boxes that are new in every query. Boxes of one group
    /// never meet in [`PartBoxes::meet`]; those of a group should be neighbours.
    pub fn bottom_up(boxes: impl Iterator<Item = (Aabb, u32)>) -> Self {
        Tree::of_neighbours(boxes.map(|(bounds, group)| GroupBox { bounds, group }), GroupBox::join)
    }

    /// Calls with every pair of items, one of each tree, whose boxes meet; of a tree and itself with every unordered pair of different groups.
    /// Returns how many pairs of boxes were tested.
    pub fn meet(&self, other: &PartBoxes, mut pair: impl FnMut(usize, usize)) -> u64 {
        let own = std::ptr::eq(self, other);
        let mut tests = 0;
        let mut stack = match self.nodes.is_empty() || other.nodes.is_empty() {
            true => Vec::new(),
            false => vec![(0, 0, ())],
        };
        let trees = TreePair { a: self, b: other, own };
        let ControlFlow::Continue(()) = trees.traverse::<(), Infallible>(&mut stack, |NodePair { a, b, .. }| {
            let (x, y) = (&self.nodes[a as usize].volume, &other.nodes[b as usize].volume);
            let (one_group, same) = (own && x.group == y.group && x.group != MIXED, own && a == b);
            tests += u64::from(!one_group && !same);
            ControlFlow::Continue(if one_group || !same && x.bounds.apart(y.bounds) {
                Next::Prune
            } else {
                if trees.leaves(a, b) {
                    pair(self.items(a)[0] as usize, other.items(b)[0] as usize);
                }
                if x.size() >= y.size() { Next::OpenFirst } else { Next::OpenSecond }
            })
        });
        tests
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use proptest::prelude::*;

    fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
        let one = (prop::array::uniform3(-2.0f64..2.0), prop::array::uniform3(0.0f64..0.7));
        let aabb = one.prop_map(|(lo, size)| Aabb { lo: lo.into(), hi: Vec3::from(lo) + Vec3::from(size) });
        prop::collection::vec(aabb, 0..40)
    }

    proptest! {
        /// Both ways of building find the pairs that testing all with all finds.
        #[test]
        fn all_pairs_that_meet_are_found(a in boxes(), b in boxes()) {
            let expected: Vec<(usize, usize)> = (0..a.len())
                .flat_map(|i| (0..b.len()).map(move |j| (i, j)))
                .filter(|&(i, j)| !a[i].apart(b[j]))
                .collect();
            for first in [PartBoxes::of_boxes(&a), PartBoxes::bottom_up(a.iter().copied().zip(0..))] {
                let mut found = Vec::new();
                first.meet(&PartBoxes::of_boxes(&b), |i, j| found.push((i, j)));
                found.sort_unstable();
                prop_assert_eq!(&found, &expected);
            }
        }

        /// Within one tree: pairs of different groups, each once.
        #[test]
        fn pairs_of_different_groups_meet_once(boxes in boxes(), groups in prop::collection::vec(0u32..4, 40), sorted in any::<bool>()) {
            let mut groups = groups[..boxes.len()].to_vec();
            if sorted {
                groups.sort_unstable();
            }
            let expected: Vec<(usize, usize)> = (0..boxes.len())
                .flat_map(|j| (0..j).map(move |i| (i, j)))
                .filter(|&(i, j)| groups[i] != groups[j] && !boxes[i].apart(boxes[j]))
                .collect();
            let mut found = Vec::new();
            let tree = PartBoxes::bottom_up(boxes.iter().copied().zip(groups.iter().copied()));
            tree.meet(&tree, |i, j| found.push((i.min(j), i.max(j))));
            found.sort_unstable_by_key(|&(i, j)| (j, i));
            prop_assert_eq!(found, expected);
        }
    }
}
