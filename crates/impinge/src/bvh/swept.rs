//! The tree of triangles over one whole step: a node's box holds everything that its triangles pass through. Its shape stays from step to
//! step, its boxes are refitted from the leaves up.
//!
//! Sound: a point of a triangle whose corners run along lines is, at any t, between the ends of those lines; boxes are rounded outward to
//! `f32`. Quality is that of the step for which the tree was built; answers are right however far things have moved since.

use crate::bvh::build;
use crate::bvh::build::{BinaryTree, Item};
use crate::math::Vec3;
use crate::math::rounding::{f32_down, f32_up, next_down, next_up};

/// A closed box in `f32`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Box32 {
    pub lo: [f32; 3],
    pub hi: [f32; 3],
}

impl Box32 {
    /// Around both ends of a line, grown by `by`, relative to `origin`. The difference rounds once, growing once more: a step outward each.
    #[inline(always)]
    pub fn of_line(a: Vec3, b: Vec3, origin: Vec3, by: f64) -> Self {
        let down = |x: f64, o: f64| f32_down(next_down(next_down(x - o) - by));
        let up = |x: f64, o: f64| f32_up(next_up(next_up(x - o) + by));
        let (lo, hi) = (a.min(b), a.max(b));
        Box32 {
            lo: [down(lo.x, origin.x), down(lo.y, origin.y), down(lo.z, origin.z)],
            hi: [up(hi.x, origin.x), up(hi.y, origin.y), up(hi.z, origin.z)],
        }
    }

    #[inline(always)]
    pub fn union(self, o: Box32) -> Self {
        let pick = |a: [f32; 3], b: [f32; 3], f: fn(f32, f32) -> f32| [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])];
        Box32 {
            lo: pick(self.lo, o.lo, |a, b| if a < b { a } else { b }),
            hi: pick(self.hi, o.hi, |a, b| if a > b { a } else { b }),
        }
    }

    /// Whether the boxes share no point; NaN keeps nothing apart.
    #[inline(always)]
    pub fn apart(&self, o: &Box32) -> bool {
        let beyond = |k: usize| (self.lo[k] > o.hi[k]) | (o.lo[k] > self.hi[k]);
        beyond(0) | beyond(1) | beyond(2)
    }

    #[inline(always)]
    fn size(&self) -> f32 {
        (self.hi[0] - self.lo[0]) + (self.hi[1] - self.lo[1]) + (self.hi[2] - self.lo[2])
    }
}

/// A node; its left child, if it has children, comes right behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SweptNode {
    pub bounds: Box32,
    /// The right child; 0 for a leaf.
    right: u32,
    /// The triangle of a leaf.
    pub triangle: u32,
}

impl SweptNode {
    #[inline(always)]
    pub fn is_leaf(&self) -> bool {
        self.right == 0
    }
}

/// A tree with one triangle in each leaf.
#[derive(Clone, Debug)]
pub(crate) struct SweptTree {
    pub nodes: Vec<SweptNode>,
}

/// The box of a triangle, from those of its corners.
#[inline(always)]
pub(crate) fn triangle_box(t: [u32; 3], corners: &[Box32]) -> Box32 {
    corners[t[0] as usize].union(corners[t[1] as usize]).union(corners[t[2] as usize])
}

impl SweptTree {
    /// Over at least one triangle; `corners` are the boxes of all vertices.
    pub fn new(triangles: &[[u32; 3]], corners: &[Box32]) -> Self {
        let item = |(id, &t): (usize, &[u32; 3])| {
            let Box32 { lo, hi } = triangle_box(t, corners);
            Item { lo, hi, id: id as u32 }
        };
        let binary = build::build(triangles.iter().enumerate().map(item).collect(), 1);
        let mut tree = SweptTree { nodes: Vec::with_capacity(2 * triangles.len()) };
        tree.copy(&binary, 0);
        tree
    }

    fn copy(&mut self, binary: &BinaryTree, at: u32) -> u32 {
        let (node, index) = (binary.nodes[at as usize], self.nodes.len());
        let triangle = if node.is_leaf() { binary.items[node.first as usize].id } else { u32::MAX };
        self.nodes.push(SweptNode { bounds: Box32 { lo: node.lo, hi: node.hi }, right: 0, triangle });
        if !node.is_leaf() {
            self.copy(binary, node.left);
            self.nodes[index].right = self.copy(binary, node.right);
        }
        index as u32
    }

    /// New boxes for the same triangles. Children stand behind their parents, so one pass from the back does it.
    pub fn refit(&mut self, triangles: &[[u32; 3]], corners: &[Box32]) {
        for i in (0..self.nodes.len()).rev() {
            let node = self.nodes[i];
            self.nodes[i].bounds = if node.is_leaf() {
                triangle_box(triangles[node.triangle as usize], corners)
            } else {
                self.nodes[i + 1].bounds.union(self.nodes[node.right as usize].bounds)
            };
        }
    }

    /// Every triangle whose box meets this one.
    pub fn near(&self, bounds: &Box32, stack: &mut Vec<u32>, mut found: impl FnMut(u32)) {
        stack.clear();
        stack.push(0);
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            if node.bounds.apart(bounds) {
                continue;
            }
            if node.is_leaf() {
                found(node.triangle);
            } else {
                stack.extend([node.right, at + 1]);
            }
        }
    }
}

/// Two trees, or one with itself, walked together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreePair<'a> {
    pub a: &'a SweptTree,
    pub b: &'a SweptTree,
    /// Both are the same tree: every pair of its triangles is met once.
    pub own: bool,
}

/// What a pair of nodes comes to.
enum Below {
    Apart,
    Triangles(u32, u32),
    Pairs([(u32, u32); 3], usize),
}

impl TreePair<'_> {
    /// The work, cut into about so many parts if there is as much; always the same ones.
    pub fn parts(&self, wanted: usize) -> Vec<(u32, u32)> {
        let mut parts = vec![(0, 0)];
        loop {
            let (mut next, mut grew) = (Vec::with_capacity(2 * parts.len()), false);
            for &pair in &parts {
                match self.below(pair) {
                    Below::Apart => {}
                    Below::Triangles(..) => next.push(pair),
                    Below::Pairs(pairs, n) => {
                        next.extend(&pairs[..n]);
                        grew = true;
                    }
                }
            }
            parts = next;
            if !grew || parts.len() >= wanted {
                return parts;
            }
        }
    }

    /// Every pair of nodes below one, and the pair of triangles that it is where that is one whose boxes meet; until `visit` says no.
    pub fn walk(&self, from: (u32, u32), mut visit: impl FnMut(Option<(u32, u32)>) -> bool) {
        let mut stack = vec![from];
        while let Some(pair) = stack.pop() {
            let go_on = match self.below(pair) {
                Below::Apart => visit(None),
                Below::Triangles(a, b) => visit(Some((a, b))),
                Below::Pairs(pairs, n) => {
                    stack.extend(&pairs[..n]);
                    visit(None)
                }
            };
            if !go_on {
                return;
            }
        }
    }

    #[inline(always)]
    fn below(&self, (i, j): (u32, u32)) -> Below {
        let (x, y) = (&self.a.nodes[i as usize], &self.b.nodes[j as usize]);
        if self.own && i == j {
            // A triangle does not meet itself.
            let halves = [(i + 1, i + 1), (x.right, x.right), (i + 1, x.right)];
            return if x.is_leaf() { Below::Apart } else { Below::Pairs(halves, 3) };
        }
        if x.bounds.apart(&y.bounds) {
            return Below::Apart;
        }
        match (x.is_leaf(), y.is_leaf()) {
            (true, true) => Below::Triangles(x.triangle, y.triangle),
            (false, leaf) if leaf || x.bounds.size() >= y.bounds.size() => Below::Pairs([(i + 1, j), (x.right, j), (0, 0)], 2),
            _ => Below::Pairs([(i, j + 1), (i, y.right), (0, 0)], 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points(n: usize) -> impl Strategy<Value = Vec<Vec3>> {
        prop::collection::vec(prop::array::uniform3(-1.0f64..1.0).prop_map(Vec3::from), n)
    }

    fn boxes(start: &[Vec3], end: &[Vec3], offset: Vec3) -> Vec<Box32> {
        start.iter().zip(end).map(|(&a, &b)| Box32::of_line(a, b, offset, 0.0)).collect()
    }

    proptest! {
        /// After refitting for other places: both kinds of walk find what testing all with all finds, in parts or not.
        #[test]
        fn refitted_trees_find_every_pair(built in points(90), start in points(90), end in points(90), wanted in 1usize..40) {
            let triangles: Vec<[u32; 3]> = (0..30).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let still: Vec<Vec3> = start.iter().map(|&p| p * 0.3).collect();
            let end: Vec<Vec3> = still.iter().zip(&end).map(|(&p, &e)| p + e * 0.1).collect();
            let mut tree = SweptTree::new(&triangles, &boxes(&built, &built, Vec3::ZERO));
            let corners = boxes(&still, &end, Vec3::ZERO);
            tree.refit(&triangles, &corners);
            let bounds: Vec<Box32> = triangles.iter().map(|&t| triangle_box(t, &corners)).collect();
            let expected = |own: bool| -> Vec<(u32, u32)> {
                let all = (0..30u32).flat_map(|i| (0..30u32).map(move |j| (i, j)));
                all.filter(|&(i, j)| (!own || i < j) && !bounds[i as usize].apart(&bounds[j as usize])).collect()
            };
            for own in [false, true] {
                let pair = TreePair { a: &tree, b: &tree, own };
                let mut found = Vec::new();
                for part in pair.parts(wanted) {
                    pair.walk(part, |met| {
                        found.extend(met.map(|(a, b)| if own { (a.min(b), a.max(b)) } else { (a, b) }));
                        true
                    });
                }
                found.sort_unstable();
                prop_assert_eq!(found, expected(own));
            }
        }

        /// Far from the origin, in `f32`: the ends of lines are in their boxes, exactly.
        #[test]
        fn boxes_hold_their_lines(a in prop::array::uniform3(-1.0f64..1.0), b in prop::array::uniform3(-1.0f64..1.0), far in -1e9f64..1e9, by in 0.0f64..1e-3) {
            let (a, b, origin) = (Vec3::from(a) + Vec3::splat(far), Vec3::from(b) + Vec3::splat(far), Vec3::splat(far * 0.7));
            let bounds = Box32::of_line(a, b, origin, by);
            for p in [a, b] {
                for k in 0..3 {
                    use num_rational::BigRational;
                    let exact = |x: f64| BigRational::from_float(x).expect("finite");
                    let place = exact(p[k]) - exact(origin[k]);
                    prop_assert!(exact(f64::from(bounds.lo[k])) <= &place - exact(by), "{:?} {}", bounds, place);
                    prop_assert!(exact(f64::from(bounds.hi[k])) >= &place + exact(by), "{:?} {}", bounds, place);
                }
            }
        }
    }
}
