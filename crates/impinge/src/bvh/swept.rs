//! The tree of triangles over one whole step: a node's box holds everything that its triangles pass through. Its shape stays from step to
//! step, its boxes are refitted from the leaves up.
//!
//! Sound: a point of a triangle whose corners run along lines is, at any t, between the ends of those lines; boxes are rounded outward to
//! `f32`. Quality is that of the step for which the tree was built; answers are right however far things have moved since.

use crate::bvh::build::Item;
use crate::bvh::tree::{Next, NodePair, Tree, TreePair};
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

/// Triangles over a whole step, one in each leaf.
pub(crate) type SweptTree = Tree<Box32>;

/// The box of a triangle, from those of its corners.
#[inline(always)]
pub(crate) fn triangle_box(t: [u32; 3], corners: &[Box32]) -> Box32 {
    corners[t[0] as usize].union(corners[t[1] as usize]).union(corners[t[2] as usize])
}

impl SweptTree {
    /// The tree over triangles, at least one; `corners` are the boxes of all vertices.
    pub fn of_triangles(triangles: &[[u32; 3]], corners: &[Box32]) -> Self {
        let item = |(&t, id): (&[u32; 3], u32)| {
            let Box32 { lo, hi } = triangle_box(t, corners);
            Item { lo, hi, id }
        };
        let items = triangles.iter().zip(0..).map(item).collect();
        Tree::build(items, 1, |&Item { lo, hi, .. }, _| Box32 { lo, hi })
    }

    /// Makes the boxes anew for the same triangles.
    pub fn refit_to(&mut self, triangles: &[[u32; 3]], corners: &[Box32]) {
        self.refit(|ids| triangle_box(triangles[ids[0] as usize], corners), |&a, &b| a.union(b));
    }

    /// Calls with every triangle whose box meets this one.
    pub fn near(&self, bounds: &Box32, stack: &mut Vec<u32>, mut found: impl FnMut(u32)) {
        stack.clear();
        stack.push(0);
        while let Some(at) = stack.pop() {
            if self.nodes[at as usize].volume.apart(bounds) {
                continue;
            }
            match self.children(at) {
                Some([first, second]) => stack.extend([second, first]),
                None => found(self.items(at)[0]),
            }
        }
    }
}

impl TreePair<'_, Box32, Box32> {
    /// Prunes nodes whose boxes are apart, and opens the larger one. A triangle does not meet itself.
    #[inline(always)]
    pub fn by_boxes(&self, NodePair { a, b, .. }: &NodePair<()>) -> Next<()> {
        let (x, y) = (&self.a.nodes[*a as usize].volume, &self.b.nodes[*b as usize].volume);
        match self.own && a == b {
            true if self.leaves(*a, *b) => Next::Prune,
            true => Next::OpenFirst,
            false if x.apart(y) => Next::Prune,
            false if x.size() >= y.size() => Next::OpenFirst,
            false => Next::OpenSecond,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

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
            let mut tree = SweptTree::of_triangles(&triangles, &boxes(&built, &built, Vec3::ZERO));
            let corners = boxes(&still, &end, Vec3::ZERO);
            tree.refit_to(&triangles, &corners);
            let bounds: Vec<Box32> = triangles.iter().map(|&t| triangle_box(t, &corners)).collect();
            let expected = |own: bool| -> Vec<(u32, u32)> {
                let all = (0..30u32).flat_map(|i| (0..30u32).map(move |j| (i, j)));
                all.filter(|&(i, j)| (!own || i < j) && !bounds[i as usize].apart(&bounds[j as usize])).collect()
            };
            for own in [false, true] {
                let pair = TreePair { a: &tree, b: &tree, own };
                let mut found = Vec::new();
                for (a, b) in pair.parts(wanted, |nodes| pair.by_boxes(&nodes)) {
                    let flow = pair.traverse::<(), ()>(&mut vec![(a, b, ())], |nodes| {
                        let next = pair.by_boxes(&nodes);
                        if !matches!(next, Next::Prune) && pair.leaves(nodes.a, nodes.b) {
                            let (a, b) = (tree.items(nodes.a)[0], tree.items(nodes.b)[0]);
                            found.push(if own { (a.min(b), a.max(b)) } else { (a, b) });
                        }
                        ControlFlow::Continue(next)
                    });
                    prop_assert!(flow.is_continue());
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
