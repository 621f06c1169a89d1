//! Stage 1: boxes around what links sweep, in a hierarchy built bottom-up for every question, against the hierarchy of the objects.
//! [Redon 2004, section 4.1]

use super::{Other, Pass};
use crate::math::interval::IntervalVec3;
use crate::math::rounding::{INFLATE, U};
use crate::motion::Span;
use crate::motion::interval_chain::IntervalMotion;
use crate::query::options::Bound;
use crate::shape::aabb::Aabb;
use crate::shape::tree::BoxTree;
use crate::shape::volume::Capsule;

impl Pass<'_> {
    /// Keeps the pairs whose boxes meet; returns how many boxes were tested against each other.
    pub fn boxes(&mut self) -> u64 {
        let links = BoxTree::bottom_up(self.link_boxes().into_iter());
        let mut near = vec![false; self.culling.pairs.len()];
        let mut mark = |link: usize, other: Other| {
            if let Some(pair) = self.culling.pair(link, other) {
                near[pair] = true;
            }
        };
        let mut tests = links.meet(&self.culling.objects, |link, object| mark(link, Other::Object(object)));
        if self.culling.pairs.iter().any(|p| matches!(p.other, Other::Link(_))) {
            tests += links.meet(&links, |a, b| mark(a, Other::Link(b)));
        }
        self.pairs.retain(|&p| near[p]);
        tests
    }

    /// For each link, a box around all that its capsule sweeps, grown by the margin.
    fn link_boxes(&self) -> Vec<Aabb> {
        let margin = self.checker.options().margin * INFLATE;
        match self.bound {
            Bound::Tube => {
                let regions = |link| self.culling.regions(&self.in_world(link), link);
                let around = |link| regions(link).iter().map(|r| r.enclose()).fold(Aabb::EMPTY, Aabb::union);
                (0..self.culling.links.len()).map(|link| around(link).grown(margin)).collect()
            }
            Bound::Interval => {
                let frames = IntervalMotion::of_all(self.chain, Span::new(0.0, 1.0));
                let around = |l: &super::Link| interval_box(&frames[l.frame], &l.capsule).grown(margin);
                self.culling.links.iter().map(around).collect()
            }
        }
    }
}

/// A box around all that a capsule sweeps with its frame.
pub(in crate::query) fn interval_box(frame: &IntervalMotion, capsule: &Capsule) -> Aabb {
    let aabb = |v: IntervalVec3| Aabb { lo: v.coordinates.map(|c| c.lo()).into(), hi: v.coordinates.map(|c| c.hi()).into() };
    let [a, b] = [capsule.a, capsule.b].map(|end| aabb(frame.point(end)[0]));
    let both = a.union(b);
    // The sides are rounded once, now and when a margin is added.
    let rounding = (both.lo.max_abs() + both.hi.max_abs() + capsule.radius) * 4.0 * U;
    both.grown((capsule.radius + rounding) * INFLATE)
}
