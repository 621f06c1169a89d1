//! All active equations over one interval: those without a root are dropped, the rest goes on over less time.
//! [Redon 2004, sections 5.2.2 to 5.2.4]

use crate::bvh::RestingItem;
use crate::math::Vec3;
use crate::math::rounding::U;
use crate::motion::Span;
use crate::reference::redon2004::equations::{Roots, Times, roots};
use crate::reference::redon2004::{ActivePair, Interval, Simultaneous};
use crate::search::Flow;
use crate::search::pairs::Body;

/// A pair's equations narrow an interval when they leave less than this share of it.
const NARROWED: f64 = 0.75;
/// A pair whose equations narrowed none of this many intervals in a row is handed over: halving would go on for long.
const PATIENCE: u8 = 3;
/// Intervals of this many time tolerances are not cut any more.
const SHORT: f64 = 4.0;

impl Simultaneous<'_> {
    /// Bounds all equations over the interval and pushes what is left.
    pub(super) fn solve(&mut self, here: Interval, stack: &mut Vec<Interval>) -> Flow {
        let short = here.span.length() <= SHORT * self.collector.sharpness.time;
        let mut left: Vec<(ActivePair, Roots)> = Vec::new();
        let mut times = Times::NONE;
        for mut pair in here.pairs {
            let roots = self.roots(&pair);
            self.tally.solved += u64::from(pair.active.count_ones());
            if roots.times.is_empty() {
                continue;
            }
            pair.idle = if roots.times.to - roots.times.from > 2.0 * NARROWED { pair.idle + 1 } else { 0 };
            if short || pair.idle >= PATIENCE {
                self.decide(&pair, within(here.span, roots.times))?;
            } else {
                times = times.or(roots.times);
                left.push((pair, roots));
            }
        }
        if left.is_empty() && here.suspects.is_empty() {
            return Flow::Continue(());
        }
        let level = here.level + 1;
        let reduced = within(here.span, times);
        // Newton reduction: all equations allow it, and nobody waits for a level.
        if here.suspects.is_empty() && reduced.length() < NARROWED * here.span.length() {
            let pairs = left.iter().map(|(pair, roots)| ActivePair { active: roots.early | roots.late, ..*pair }).collect();
            stack.push(Interval { span: reduced, level, suspects: here.suspects, pairs });
            return Flow::Continue(());
        }
        // Newton culling: each half keeps the equations that may have a root in it.
        let half = |of: fn(&Roots) -> u16| -> Vec<ActivePair> {
            let active = left.iter().map(|(pair, roots)| ActivePair { active: of(roots), ..*pair });
            active.filter(|pair| pair.active != 0).collect()
        };
        let middle = here.span.middle();
        let late =
            Interval { span: Span::new(middle, here.span.to), level, suspects: here.suspects.clone(), pairs: half(|r| r.late) };
        let early =
            Interval { span: Span::new(here.span.from, middle), level, suspects: here.suspects, pairs: half(|r| r.early) };
        stack.extend([late, early].into_iter().filter(|i| !(i.pairs.is_empty() && i.suspects.is_empty())));
        Flow::Continue(())
    }

    /// When the active equations of a pair may have roots.
    fn roots(&mut self, pair: &ActivePair) -> Roots {
        let (moving, resting) = self.corners(pair);
        roots(&self.bounds(pair.task).motion, &moving, &resting, pair.active)
    }

    /// The corners of both triangles; only pairs of triangles have equations.
    fn corners(&self, pair: &ActivePair) -> ([Vec3; 3], [Vec3; 3]) {
        let task = &self.tasks[pair.task as usize];
        let moving = match &self.index.tasks.moving[task.moving].body {
            Body::Mesh(mesh) => mesh.corners(pair.moving as usize),
            Body::Solid(_) => [Vec3::ZERO; 3],
        };
        let resting = match self.index.tasks.resting[task.resting].tree.item(pair.resting) {
            RestingItem::Triangle(corners) => *corners,
            RestingItem::Solid(solid) => [solid.pose.translation; 3],
        };
        (moving, resting)
    }
}

/// The part of a span between two times in tau, rounded outward: product and sum round once each, by their sizes before they cancel.
fn within(span: Span, times: Times) -> Span {
    let (middle, half) = (span.middle(), span.half());
    let pad = 4.0 * U * (middle + half);
    Span::new((middle + times.from * half - pad).max(span.from), (middle + times.to * half + pad).min(span.to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;
    use proptest::prelude::*;

    proptest! {
        /// Also where middle and half cancel.
        #[test]
        fn times_are_rounded_outward(from in 0.0f64..1e-3, length in 1e-6f64..0.5, tau in -1.0f64..-0.99, to in -0.9f64..1.0) {
            let exact = |x: f64| BigRational::from_float(x).expect("finite");
            let span = Span::new(from, from + length);
            let part = within(span, Times { from: tau, to });
            let at = |tau: f64| exact(span.middle()) + exact(tau) * exact(span.half());
            prop_assert!(exact(part.from) <= at(tau).max(exact(span.from)) && at(to).min(exact(span.to)) <= exact(part.to));
        }
    }
}
