//! A box tree over the triangles of a soup, in the frame of the soup.

use impinge::math::Vec3;

use super::triangle_gap;
use crate::world::Soup;

/// A box with its two children, or with its triangles.
#[derive(Clone, Debug)]
struct Node {
    lo: Vec3,
    hi: Vec3,
    /// Children, or a range of `order`.
    children: Option<[usize; 2]>,
    range: (usize, usize),
}

/// Triangles, sorted into boxes.
#[derive(Clone, Debug)]
pub struct Tree {
    triangles: Vec<[Vec3; 3]>,
    order: Vec<usize>,
    nodes: Vec<Node>,
}

impl Tree {
    /// Splits at the median along the longest side, down to four triangles.
    pub fn new(soup: &Soup) -> Self {
        let triangles: Vec<_> = (0..soup.triangles.len()).map(|i| soup.corners(i)).collect();
        let mut tree = Tree { order: (0..triangles.len()).collect(), triangles, nodes: Vec::new() };
        tree.build(0, tree.order.len());
        tree
    }

    /// Returns the triangles, as given.
    pub fn triangles(&self) -> &[[Vec3; 3]] {
        &self.triangles
    }

    fn build(&mut self, from: usize, to: usize) -> usize {
        let corners = || self.order[from..to].iter().flat_map(|&i| self.triangles[i]);
        let lo = corners().fold(Vec3::splat(f64::INFINITY), Vec3::min);
        let hi = corners().fold(Vec3::splat(f64::NEG_INFINITY), Vec3::max);
        let at = self.nodes.len();
        self.nodes.push(Node { lo, hi, children: None, range: (from, to) });
        if to - from > 4 {
            let axis = (hi - lo).longest_axis();
            let triangles = &self.triangles;
            let key = |i: usize| triangles[i].iter().map(|p| p[axis]).sum::<f64>();
            self.order[from..to].sort_by(|&i, &j| key(i).total_cmp(&key(j)));
            let middle = from.midpoint(to);
            self.nodes[at].children = Some([self.build(from, middle), self.build(middle, to)]);
        }
        at
    }

    /// Returns the smallest gap to a triangle in the frame of the soup, if it is below `best`; `best` otherwise.
    pub fn gap_to(&self, t: &[Vec3; 3], mut best: f64) -> f64 {
        let (lo, hi) = (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at];
            // The gap between boxes is exact enough; overlapping boxes are always visited.
            let apart = (node.lo - hi).max(lo - node.hi).max(Vec3::ZERO).norm();
            if apart > best.max(0.0) {
                continue;
            }
            match node.children {
                Some(children) => stack.extend(children),
                None => {
                    for &i in &self.order[node.range.0..node.range.1] {
                        best = best.min(triangle_gap(t, &self.triangles[i]));
                    }
                }
            }
        }
        best
    }
}
