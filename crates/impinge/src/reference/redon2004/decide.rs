//! What equations leave over, one pair at a time, by the exact advance.

use crate::math::simd::dispatch;
use crate::motion::Span;
use crate::narrow::advance::{Moving, Outcome};
use crate::narrow::pair::Effort;
use crate::reference::redon2004::{ActivePair, Simultaneous};
use crate::search::sweep::{any_avx2, any_portable, first_avx2, first_portable};
use crate::search::{Flow, Goal, Items};

/// A pair that touches is proven to do so a little later than its equations say: this many time tolerances more are looked at.
/// With fewer, some brackets come out wider than asked for.
const BEYOND: f64 = 1000.0;

impl Simultaneous<'_> {
    /// Decides a pair on a span, as far as that still matters.
    pub(super) fn decide(&mut self, pair: &ActivePair, span: Span) -> Flow {
        if span.from >= self.collector.horizon() {
            return Flow::Continue(());
        }
        let span = Span::new(span.from, (span.to + BEYOND * self.collector.sharpness.time).min(1.0).min(self.collector.cut()));
        self.tally.handed_over += 1;
        let outcome = self.advance(pair, span);
        let items = Items { task: pair.task as usize, moving: pair.moving, resting: pair.resting };
        self.collector.offer(items, outcome)?;
        self.within_limit()
    }

    fn advance(&mut self, pair: &ActivePair, span: Span) -> Outcome {
        let moving = self.moving(pair);
        let mut steps = 0;
        let outcome = match self.collector.goal {
            Goal::Any => dispatch(any_avx2, any_portable, (&moving, span, &mut steps)),
            Goal::First => dispatch(first_avx2, first_portable, (&moving, span, f64::INFINITY, &mut steps)),
        };
        self.tally.pair_steps += steps;
        outcome
    }

    fn moving(&self, pair: &ActivePair) -> Moving<'_> {
        let task = &self.tasks[pair.task as usize];
        Moving {
            pair: self.index.pair(task, pair.moving, pair.resting),
            relative: &self.relatives[pair.task as usize],
            item_error: self.index.tasks.resting[task.resting].item_error,
            sharpness: self.collector.sharpness,
        }
    }

    /// Whether a pair is proven apart at t = 0.
    pub(super) fn starts_apart(&mut self, pair: &ActivePair) -> bool {
        let at = pair.task as usize;
        let tube = *self.starts[at].get_or_insert_with(|| self.relatives[at].tube(Span::new(0.0, 0.0)));
        let Moving { pair, item_error, sharpness, .. } = self.moving(pair);
        let apart = |effort| pair.uncovered(&tube, item_error, sharpness.margin, 0.0, effort).is_empty();
        apart(Effort::Usual) || apart(Effort::All)
    }
}
