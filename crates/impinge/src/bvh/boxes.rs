//! A binary tree of boxes over a few things, in `f64`: built once by the skeleton, or bottom-up for every question.

use crate::bvh::build;
use crate::bvh::build::{BinaryTree, Item};
use crate::geometry::bounding::aabb::Aabb;

/// A node: its box, the group of all that is in it, and its children or what it stands for.
#[derive(Clone, Copy, Debug)]
struct BoxNode {
    bounds: Aabb,
    group: u32,
    below: Below,
}

/// The group of things of several groups.
const MIXED: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
enum Below {
    Children(u32, u32),
    Item(u32),
}

/// Boxes of things numbered from zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoxTree {
    nodes: Vec<BoxNode>,
    root: Option<u32>,
}

impl BoxTree {
    /// By the surface-area heuristic: for what stays.
    pub fn new(boxes: &[Aabb]) -> Self {
        if boxes.is_empty() {
            return BoxTree::default();
        }
        // Single precision chooses the shape of the tree; the boxes in it are the given ones.
        let item = |(id, b): (usize, &Aabb)| {
            let rounded = |v: crate::Vec3| [v.x as f32, v.y as f32, v.z as f32];
            Item { lo: rounded(b.lo), hi: rounded(b.hi), id: id as u32 }
        };
        let binary = build::build(boxes.iter().enumerate().map(item).collect(), 1);
        let mut tree = BoxTree::default();
        tree.root = Some(tree.copy(&binary, 0, boxes));
        tree
    }

    fn copy(&mut self, binary: &BinaryTree, at: u32, boxes: &[Aabb]) -> u32 {
        let node = binary.nodes[at as usize];
        if node.is_leaf() {
            let id = binary.items[node.first as usize].id;
            return self.push(boxes[id as usize], id, Below::Item(id));
        }
        let (left, right) = (self.copy(binary, node.left, boxes), self.copy(binary, node.right, boxes));
        self.join(left, right)
    }

    /// Neighbours joined two by two, level by level: for what changes with every question and is in a good order, as links are. Each box
    /// comes with the number of its group, less than `u32::MAX`; those of a group best follow each other.
    pub fn bottom_up(boxes: impl Iterator<Item = (Aabb, u32)>) -> Self {
        let mut tree = BoxTree::default();
        let mut level: Vec<u32> = boxes.zip(0..).map(|((b, group), id)| tree.push(b, group, Below::Item(id))).collect();
        tree.nodes.reserve(level.len());
        while level.len() > 1 {
            let half = level.len() / 2;
            for k in 0..half {
                level[k] = tree.join(level[2 * k], level[2 * k + 1]);
            }
            if level.len() % 2 == 1 {
                level[half] = level[2 * half];
            }
            level.truncate(level.len().div_ceil(2));
        }
        tree.root = level.first().copied();
        tree
    }

    fn push(&mut self, bounds: Aabb, group: u32, below: Below) -> u32 {
        self.nodes.push(BoxNode { bounds, group, below });
        self.nodes.len() as u32 - 1
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        let (x, y) = (&self.nodes[a as usize], &self.nodes[b as usize]);
        let (bounds, group) = (x.bounds.union(y.bounds), if x.group == y.group { x.group } else { MIXED });
        self.push(bounds, group, Below::Children(a, b))
    }

    /// Every pair of things of this tree and another whose boxes meet; of a tree and itself, those of different groups, once each. Returns
    /// how many pairs of boxes were tested.
    pub fn meet(&self, other: &BoxTree, mut pair: impl FnMut(usize, usize)) -> u64 {
        let itself = std::ptr::eq(self, other);
        let mut tests = 0;
        let mut open: Vec<(u32, u32)> = self.root.zip(other.root).into_iter().collect();
        while let Some((a, b)) = open.pop() {
            let (x, y) = (&self.nodes[a as usize], &other.nodes[b as usize]);
            if itself && x.group == y.group && x.group != MIXED {
                continue;
            }
            if itself && a == b {
                if let Below::Children(c, d) = x.below {
                    open.extend([(c, c), (d, d), (c, d)]);
                }
                continue;
            }
            tests += 1;
            if x.bounds.apart(y.bounds) {
                continue;
            }
            match (x.below, y.below) {
                (Below::Item(i), Below::Item(j)) => pair(i as usize, j as usize),
                (Below::Children(c, d), below) if matches!(below, Below::Item(_)) || size(x) >= size(y) => {
                    open.extend([(c, b), (d, b)]);
                }
                (_, Below::Children(c, d)) => open.extend([(a, c), (a, d)]),
                (Below::Children(c, d), Below::Item(_)) => open.extend([(c, b), (d, b)]),
            }
        }
        tests
    }
}

fn size(node: &BoxNode) -> f64 {
    node.bounds.size().norm_squared()
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
            for first in [BoxTree::new(&a), BoxTree::bottom_up(a.iter().copied().zip(0..))] {
                let mut found = Vec::new();
                first.meet(&BoxTree::new(&b), |i, j| found.push((i, j)));
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
            let tree = BoxTree::bottom_up(boxes.iter().copied().zip(groups.iter().copied()));
            tree.meet(&tree, |i, j| found.push((i.min(j), i.max(j))));
            found.sort_unstable_by_key(|&(i, j)| (j, i));
            prop_assert_eq!(found, expected);
        }
    }
}
