//! Two triangles at the end of two trees: steps in time of their own, and the last word by `advance`.

use crate::bvh::RestingItem;
use crate::math::simd::{Lanes, dispatch};
use crate::motion::Span;
use crate::narrow::advance::{Moving, Outcome};
use crate::search::obb::queue::Entry;
use crate::search::obb::triangles::{Approach, reach_of};
use crate::search::obb::{Boxes, later};
use crate::search::pairs::Body;
use crate::search::sweep::{first_avx2, first_portable};
use crate::search::{Flow, Items};

/// A pair that steps this little in time is near a contact.
const FINE: f64 = 1e-5;
/// The shortest span that is looked at for a contact, in units of the bracket asked for: `advance` looks ahead so far.
const SHORTEST: f64 = 2048.0;
/// Steps of a pair before others have their turn.
const STEPS: usize = 16;
/// How many steps ahead the next bound reaches.
const FARTHER: f64 = 8.0;
/// A span without a contact is followed by one this many times as long.
const LONGER: f32 = 8.0;

impl Boxes<'_> {
    /// Steps in time until the two are apart for good, or others are earlier, or a contact is near.
    #[inline(always)]
    pub(crate) fn triangles<L: Lanes>(&mut self, mut entry: Entry, moving: u32, resting: u32) -> Flow {
        if entry.stride < 0.0 {
            return self.bracket(entry, moving, resting);
        }
        let end = self.collector.horizon().min(1.0);
        let bucket = self.queue.bucket(entry.t);
        let side = &self.sides[entry.task as usize];
        let tasks = &self.index.tasks;
        let (Body::Mesh(mesh), RestingItem::Triangle(rest)) =
            (&tasks.moving[side.task.moving].body, tasks.resting[side.task.resting].tree.item(resting))
        else {
            return Flow::Continue(());
        };
        let corners = mesh.corners(moving as usize);
        let reach = reach_of(&corners);
        self.tally.pairs += 1;
        let mut horizon = end - entry.t;
        for _ in 0..STEPS {
            self.tally.pair_steps += 1;
            let mut room = None;
            let state = side.state(entry.t, horizon, &mut room);
            let step = Approach::new::<L::Doubles>(&state, &corners, reach, rest, side.extra, horizon)
                .free_for::<L::Doubles>(self.collector.sharpness.margin > 0.0);
            if horizon >= end - entry.t && step > horizon {
                return Flow::Continue(());
            }
            let step = step.min(horizon);
            entry.t = later(entry.t, step);
            // Less may happen until a nearer horizon: what slides along something gets farther.
            horizon = (FARTHER * step).min(end - entry.t);
            if step < FINE {
                entry.stride = -((16.0 * step).max(SHORTEST * self.collector.sharpness.time) as f32);
                break;
            }
            if self.queue.bucket(entry.t) != bucket {
                break;
            }
        }
        if entry.stride < 0.0 && self.queue.bucket(entry.t) == bucket {
            return self.bracket(entry, moving, resting);
        }
        self.queue.push(entry);
        Flow::Continue(())
    }

    /// Looks for a contact on a short span; if there is none, a longer one follows later.
    fn bracket(&mut self, mut entry: Entry, moving: u32, resting: u32) -> Flow {
        let end = self.collector.horizon().min(1.0);
        let side = &self.sides[entry.task as usize];
        let advance = Moving {
            pair: self.index.pair(&side.task, moving, resting),
            relative: &side.relative,
            item_error: self.index.tasks.resting[side.task.resting].item_error,
            sharpness: self.collector.sharpness,
        };
        let span = Span::new(entry.t, (entry.t - f64::from(entry.stride)).min(end));
        let steps = &mut self.tally.pair_steps;
        let mut outcome = dispatch(first_avx2, first_portable, (&advance, span, f64::INFINITY, steps));
        if let Outcome::Undecided { lo } = outcome
            && span.to < end
        {
            // With more ahead there is more to find.
            outcome = dispatch(first_avx2, first_portable, (&advance, Span::new(lo, end), f64::INFINITY, steps));
        }
        match outcome {
            Outcome::Free if span.to < end => {
                (entry.t, entry.stride) = (span.to, LONGER * entry.stride);
                self.queue.push(entry);
                Flow::Continue(())
            }
            outcome => self.collector.offer(Items { task: entry.task as usize, moving, resting }, outcome),
        }
    }
}
