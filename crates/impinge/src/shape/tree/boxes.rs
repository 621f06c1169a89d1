//! A binary tree of boxes over a few things, in `f64`: built once by the skeleton, or bottom-up for every question.

use super::build::{self, BinaryTree, Item};
use crate::shape::aabb::Aabb;

/// A node: its box, and its children or what it stands for.
#[derive(Clone, Copy, Debug)]
struct BoxNode {
    bounds: Aabb,
    below: Below,
}

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
            return self.push(boxes[id as usize], Below::Item(id));
        }
        let (left, right) = (self.copy(binary, node.left, boxes), self.copy(binary, node.right, boxes));
        self.join(left, right)
    }

    /// Neighbours joined two by two, level by level: for what changes with every question and is in a good order, as links are.
    pub fn bottom_up(boxes: impl Iterator<Item = Aabb>) -> Self {
        let mut tree = BoxTree::default();
        let mut level: Vec<u32> = boxes.zip(0..).map(|(b, id)| tree.push(b, Below::Item(id))).collect();
        while level.len() > 1 {
            let join = |pair: &[u32]| if let [a, b] = *pair { tree.join(a, b) } else { pair[0] };
            level = level.chunks(2).map(join).collect();
        }
        tree.root = level.first().copied();
        tree
    }

    fn push(&mut self, bounds: Aabb, below: Below) -> u32 {
        self.nodes.push(BoxNode { bounds, below });
        self.nodes.len() as u32 - 1
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        let bounds = self.nodes[a as usize].bounds.union(self.nodes[b as usize].bounds);
        self.push(bounds, Below::Children(a, b))
    }

    /// Every pair of things of this tree and another whose boxes meet; returns how many pairs of boxes were tested.
    pub fn meet(&self, other: &BoxTree, mut pair: impl FnMut(usize, usize)) -> u64 {
        let mut tests = 0;
        let mut open: Vec<(u32, u32)> = self.root.zip(other.root).into_iter().collect();
        while let Some((a, b)) = open.pop() {
            tests += 1;
            let (x, y) = (&self.nodes[a as usize], &other.nodes[b as usize]);
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
            for first in [BoxTree::new(&a), BoxTree::bottom_up(a.iter().copied())] {
                let mut found = Vec::new();
                first.meet(&BoxTree::new(&b), |i, j| found.push((i, j)));
                found.sort_unstable();
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}
