//! Binary trees of volumes, each in one array in depth-first order, and the traversal of two of them in tandem.
//!
//! ```text
//! nodes   root | first half … | second half …      the first child of a node follows it
//! order   items in leaf order; every node holds a run of them
//! ```
//!
//! Sound: [`TreePair::traverse`] passes over a pair of nodes only where its caller prunes it, and otherwise reaches every pair of leaves below.

use std::ops::{ControlFlow, Range};

use crate::bvh::build::{Item, Skeleton, build};

/// A volume around everything below a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<V> {
    pub volume: V,
    /// Inner nodes: the second child. Leaves: 0.
    second: u32,
    first: u32,
    count: u32,
}

impl<V> Node<V> {
    #[inline(always)]
    pub fn is_leaf(&self) -> bool {
        self.second == 0
    }

    /// Positions in leaf order of the items below.
    #[inline(always)]
    pub fn items(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// A binary tree; the root is node 0.
#[derive(Clone, Debug)]
pub(crate) struct Tree<V> {
    pub nodes: Vec<Node<V>>,
    /// Item ids in leaf order.
    pub order: Vec<u32>,
}

impl<V> Default for Tree<V> {
    fn default() -> Self {
        Tree { nodes: Vec::new(), order: Vec::new() }
    }
}

impl<V> Tree<V> {
    /// Splits items by the surface-area heuristic, with at most `leaf` of them in a leaf. `volume` makes the volume of a node from its box and
    /// its item ids. No items give no nodes.
    pub fn build(items: Vec<Item>, leaf: usize, mut volume: impl FnMut(&Item, &[u32]) -> V) -> Self {
        if items.is_empty() {
            return Tree::default();
        }
        let skeleton = build(items, leaf);
        let order: Vec<u32> = skeleton.items.iter().map(|i| i.id).collect();
        let mut tree = Tree { nodes: Vec::with_capacity(2 * order.len().div_ceil(leaf)), order };
        tree.copy(&skeleton, 0, &mut volume);
        tree
    }

    fn copy(&mut self, skeleton: &Skeleton, at: u32, volume: &mut impl FnMut(&Item, &[u32]) -> V) -> u32 {
        let (node, index) = (skeleton.nodes[at as usize], self.nodes.len());
        let (first, count) = (node.first, node.count);
        let bounds = Item { lo: node.lo, hi: node.hi, id: at };
        let volume_of = volume(&bounds, &self.order[first as usize..(first + count) as usize]);
        self.nodes.push(Node { volume: volume_of, second: 0, first, count });
        if !node.is_leaf() {
            self.copy(skeleton, node.left, volume);
            self.nodes[index].second = self.copy(skeleton, node.right, volume);
        }
        index as u32
    }

    /// A tree over volumes in the given order, two neighbours in each inner node: built for every query, without sorting.
    pub fn of_neighbours(volumes: impl Iterator<Item = V>, join: impl Fn(&V, &V) -> V) -> Self
    where
        V: Copy,
    {
        let leaves: Vec<V> = volumes.collect();
        let mut tree = Tree { nodes: Vec::with_capacity(2 * leaves.len()), order: (0..leaves.len() as u32).collect() };
        if !leaves.is_empty() {
            tree.pair_up(&leaves, 0, &join);
        }
        tree
    }

    /// The largest power of two of leaves that is not all of them comes first.
    fn pair_up(&mut self, leaves: &[V], first: usize, join: &impl Fn(&V, &V) -> V) -> u32
    where
        V: Copy,
    {
        let (index, count) = (self.nodes.len(), leaves.len());
        self.nodes.push(Node { volume: leaves[0], second: 0, first: first as u32, count: count as u32 });
        if count > 1 {
            let half = count.next_power_of_two() / 2;
            let a = self.pair_up(&leaves[..half], first, join);
            let b = self.pair_up(&leaves[half..], first + half, join);
            self.nodes[index].second = b;
            self.nodes[index].volume = join(&self.nodes[a as usize].volume, &self.nodes[b as usize].volume);
        }
        index as u32
    }

    /// Makes all volumes anew, from the leaves up; the tree keeps its shape.
    pub fn refit(&mut self, leaf: impl Fn(&[u32]) -> V, join: impl Fn(&V, &V) -> V) {
        // Leaves come in the order of their items.
        let mut before = &self.order[..];
        for i in (0..self.nodes.len()).rev() {
            let Node { second, first, .. } = self.nodes[i];
            self.nodes[i].volume = match second {
                0 => {
                    let items;
                    (before, items) = before.split_at(first as usize);
                    leaf(items)
                }
                second => join(&self.nodes[i + 1].volume, &self.nodes[second as usize].volume),
            };
        }
    }

    /// The two children of a node, unless it is a leaf.
    #[inline(always)]
    pub fn children(&self, at: u32) -> Option<[u32; 2]> {
        match self.nodes[at as usize].second {
            0 => None,
            second => Some([at + 1, second]),
        }
    }

    /// Item ids below a node.
    #[inline(always)]
    pub fn items(&self, at: u32) -> &[u32] {
        &self.order[self.nodes[at as usize].items()]
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.order[..])
    }
}

/// Two nodes that a traversal reaches, and what the caller carries with them: a span of time, or nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodePair<S> {
    pub a: u32,
    pub b: u32,
    pub state: S,
}

/// How a traversal goes on from a pair of nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Next<S> {
    /// Passes over everything below.
    Prune,
    /// Visits the children of the first node, or of the second one where the first is a leaf. Nothing is below two leaves.
    OpenFirst,
    /// The other way round.
    OpenSecond,
    /// Visits the same nodes with one state, then with the other.
    Split([S; 2]),
}

/// Two trees walked in tandem.
#[derive(Debug)]
pub(crate) struct TreePair<'a, V, W> {
    pub a: &'a Tree<V>,
    pub b: &'a Tree<W>,
    /// Both are one tree: unordered pairs are visited once, nodes with themselves too.
    pub own: bool,
}

impl<V, W> TreePair<'_, V, W> {
    /// Walks both trees depth first from the pairs on the stack, the last one first. `visit` prunes a pair of nodes, opens it, or ends the
    /// traversal; it also handles pairs of leaves.
    #[inline(always)]
    pub fn traverse<S: Copy, B>(
        &self,
        stack: &mut Vec<(u32, u32, S)>,
        mut visit: impl FnMut(NodePair<S>) -> ControlFlow<B, Next<S>>,
    ) -> ControlFlow<B> {
        while let Some((a, b, state)) = stack.pop() {
            match visit(NodePair { a, b, state })? {
                Next::Prune => {}
                Next::Split([early, late]) => stack.extend([(a, b, late), (a, b, early)]),
                Next::OpenFirst => self.open((a, b), true, |i, j| stack.push((i, j, state))),
                Next::OpenSecond => self.open((a, b), false, |i, j| stack.push((i, j, state))),
            }
        }
        ControlFlow::Continue(())
    }

    /// At least `wanted` pairs of nodes below the roots, or all pairs of leaves, that hold every pair of leaves which `visit` does not prune:
    /// parts of a traversal for several threads.
    pub fn parts(&self, wanted: usize, visit: impl Fn(NodePair<()>) -> Next<()>) -> Vec<(u32, u32)> {
        let mut parts = vec![(0, 0)];
        loop {
            let (mut next, mut grew) = (Vec::with_capacity(2 * parts.len()), false);
            for &(a, b) in &parts {
                let leaves = self.leaves(a, b);
                let from = next.len();
                match visit(NodePair { a, b, state: () }) {
                    Next::Prune => {}
                    _ if leaves => next.push((a, b)),
                    choice => self.open((a, b), !matches!(choice, Next::OpenSecond), |i, j| next.push((i, j))),
                }
                grew |= !leaves && next.len() > from;
                next[from..].reverse();
            }
            parts = next;
            if !grew || parts.len() >= wanted {
                return parts;
            }
        }
    }

    /// Tests whether both nodes are leaves.
    #[inline(always)]
    pub fn leaves(&self, a: u32, b: u32) -> bool {
        self.a.nodes[a as usize].is_leaf() && self.b.nodes[b as usize].is_leaf()
    }

    /// Pushes the pairs below a pair of nodes, the first to be visited last.
    #[inline(always)]
    fn open(&self, (a, b): (u32, u32), first: bool, mut push: impl FnMut(u32, u32)) {
        match (self.a.children(a), self.b.children(b)) {
            (None, None) => {}
            (Some([c, d]), _) if self.own && a == b => [(c, d), (d, d), (c, c)].into_iter().for_each(|(i, j)| push(i, j)),
            (Some(below), None) => below.into_iter().rev().for_each(|c| push(c, b)),
            (Some(below), Some(_)) if first => below.into_iter().rev().for_each(|c| push(c, b)),
            (_, Some(below)) => below.into_iter().rev().for_each(|c| push(a, c)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Intervals on a line, one item in a leaf or several.
    fn tree(ends: &[(f32, f32)], leaf: usize, sorted: bool) -> Tree<(f32, f32)> {
        let join = |a: &(f32, f32), b: &(f32, f32)| (a.0.min(b.0), a.1.max(b.1));
        if sorted {
            let items = ends.iter().zip(0..).map(|(&(lo, hi), id)| Item { lo: [lo, 0.0, 0.0], hi: [hi, 0.0, 0.0], id }).collect();
            let mut tree = Tree::build(items, leaf, |_, _| (0.0, 0.0));
            let of = |ids: &[u32]| ids.iter().map(|&i| ends[i as usize]).reduce(|a, b| join(&a, &b)).expect("a leaf holds items");
            tree.refit(of, join);
            tree
        } else {
            Tree::of_neighbours(ends.iter().copied(), join)
        }
    }

    fn intervals() -> impl Strategy<Value = Vec<(f32, f32)>> {
        prop::collection::vec((-9.0f32..9.0, 0.0f32..2.0).prop_map(|(lo, size)| (lo, lo + size)), 0..40)
    }

    fn meet(a: (f32, f32), b: (f32, f32)) -> bool {
        a.0 <= b.1 && b.0 <= a.1
    }

    proptest! {
        /// Every pair of items that meet is reached once, whichever node is opened first and whatever is split on the way.
        #[test]
        fn every_pair_is_visited_once(
            x in intervals(), y in intervals(), leaf in 1usize..4, sorted in any::<bool>(), own in any::<bool>(), choices in any::<u64>(),
            wanted in 1usize..30,
        ) {
            let (a, b) = (tree(&x, leaf, sorted), tree(if own { &x } else { &y }, leaf, sorted));
            let pair = TreePair { a: &a, b: if own { &a } else { &b }, own };
            let items = |t: &Tree<_>| t.nodes.first().map_or(0..0, Node::items).len();
            prop_assert_eq!((items(&a), a.order.len()), (x.len(), x.len()));
            if a.nodes.is_empty() || b.nodes.is_empty() {
                return Ok(());
            }
            let near = |i: u32, j: u32| meet(pair.a.nodes[i as usize].volume, pair.b.nodes[j as usize].volume);
            let is_first = |n: u32| choices >> (n % 64) & 1 == 0;
            let parts = pair.parts(wanted, |NodePair { a, b, .. }| match (near(a, b), is_first(a + b)) {
                (false, _) => Next::Prune,
                (true, true) => Next::OpenFirst,
                (true, false) => Next::OpenSecond,
            });
            let mut found = Vec::new();
            // The state counts down: nodes that are far from leaves are split once.
            let mut stack: Vec<(u32, u32, u32)> = parts.into_iter().map(|(i, j)| (i, j, 1)).collect();
            let end = pair.traverse::<u32, ()>(&mut stack, |NodePair { a: i, b: j, state }| {
                let leaves = pair.leaves(i, j);
                if !near(i, j) || state == 9 {
                    return ControlFlow::Continue(Next::Prune);
                }
                if leaves {
                    for (k, &s) in pair.a.items(i).iter().enumerate() {
                        let from = if own && i == j { k + 1 } else { 0 };
                        found.extend(pair.b.items(j)[from..].iter().map(|&t| if own { (s.min(t), s.max(t)) } else { (s, t) }));
                    }
                }
                ControlFlow::Continue(match is_first(i ^ j) {
                    _ if state == 1 && !leaves => Next::Split([9, 0]),
                    true => Next::OpenFirst,
                    false => Next::OpenSecond,
                })
            });
            prop_assert!(end.is_continue());
            let of = if own { &x } else { &y };
            let all = (0..x.len() as u32).flat_map(|i| (0..of.len() as u32).map(move |j| (i, j)));
            let expected: Vec<_> = all.filter(|&(i, j)| (!own || i < j) && meet(x[i as usize], of[j as usize])).collect();
            found.retain(|&(i, j)| meet(x[i as usize], of[j as usize]));
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
