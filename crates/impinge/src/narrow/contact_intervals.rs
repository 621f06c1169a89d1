//! All times at which one pair touches.
//!
//! ```text
//!   free | ? |   contact   | ? | free | ? | contact …        ?: brackets as wide as time is asked for
//!        lo hi            lo hi
//!        begins            ends
//! ```
//! Sound: before `begins.0`, and after `ends.1` until the next span begins, directions exclude contact. At `begins.1` and at `ends.0` it is
//! proven. In between it is proven where a translation leads from contact to contact, for distances of convex things are convex along a
//! line; where something turns it is proven at times that are at most the resolution apart.

use crate::motion::Span;
use crate::narrow::advance::{Moving, Outcome};
use crate::narrow::pair::Effort;

/// A span of time in which a pair touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TouchSpan {
    /// Contact begins in this bracket; `(0, 0)` where the motion begins with it.
    pub begins: (f64, f64),
    /// It ends in this one; `(1, 1)` where it lasts.
    pub ends: (f64, f64),
    /// Whether contact is proven, or shown to be within the tolerance; if not, separation could not be proven either.
    pub proven: bool,
    /// Whether contact is proven throughout.
    pub throughout: bool,
}

/// Steps allowed for one end of a contact.
const MAX_STEPS: usize = 400;
/// Contacts of one pair that are told apart; what grazes may have any number.
const MAX_SPANS: usize = 64;

impl Moving<'_> {
    /// All times of contact on a span, outside of which the pair is proven apart. `straight` says that nothing turns. Once `ended` says so of
    /// the steps taken, the rest is not looked at: it is told as a span that is not proven.
    pub fn spans(
        &self,
        span: Span,
        straight: bool,
        resolution: f64,
        steps: &mut u64,
        ended: &impl Fn(u64) -> bool,
    ) -> Vec<TouchSpan> {
        let mut found: Vec<TouchSpan> = Vec::new();
        let mut from = span.from;
        while from <= span.to {
            let outcome = if found.len() < MAX_SPANS && !ended(*steps) {
                self.first(Span::new(from, span.to), f64::INFINITY, steps)
            } else {
                Outcome::Undecided { lo: from }
            };
            match outcome {
                Outcome::Free => break,
                Outcome::Undecided { lo } => {
                    found.push(TouchSpan { begins: (lo, lo), ends: (span.to, span.to), proven: false, throughout: false });
                    break;
                }
                Outcome::Contact { lo, hi } => {
                    let ends = self.end_of(hi, span.to, straight, resolution, steps, ended);
                    found.push(TouchSpan { begins: (lo, hi), ends, proven: true, throughout: straight });
                    if straight || ends.1 >= span.to {
                        break;
                    }
                    // Beyond the bracket, so that the same contact is not found again.
                    from = ends.1.max(from.next_up());
                }
            }
        }
        found
    }

    /// When a contact that is there at `hi` ends; after `last` it is over, or nothing is asked about.
    fn end_of(
        &self,
        hi: f64,
        last: f64,
        straight: bool,
        resolution: f64,
        steps: &mut u64,
        ended: &impl Fn(u64) -> bool,
    ) -> (f64, f64) {
        if straight {
            return self.last_of(hi, last, steps);
        }
        let (mut touching, mut length) = (hi, resolution);
        for _ in 0..MAX_STEPS.saturating_add((2.0 / resolution) as usize) {
            if touching >= last {
                return (last, last);
            }
            if ended(*steps) {
                return (touching, last);
            }
            *steps += 1;
            let here = Span::new(touching, (touching + length).min(last));
            let window = self.look(here, 0.0, Effort::All).window;
            if window.is_empty() || window.to < 1.0 {
                let free = if window.is_empty() { here.to } else { here.at(window.to) };
                return self.last_of(touching, free, steps);
            }
            if self.touches(here.to) {
                (touching, length) = (here.to, (2.0 * length).min(resolution));
            } else if length <= self.sharpness.time {
                // Neither contact nor separation can be shown: what comes after is looked at anew.
                return (touching, here.to);
            } else {
                length *= 0.5;
            }
        }
        (touching, touching)
    }

    /// The bracket of the last contact between a time of contact and one after which there is none.
    fn last_of(&self, mut touching: f64, mut free: f64, steps: &mut u64) -> (f64, f64) {
        if self.touches(free) {
            return (free, free);
        }
        let mut length = free - touching;
        for _ in 0..MAX_STEPS {
            let time = self.sharpness.time;
            if free - touching <= time {
                break;
            }
            if self.touches(free - 0.9 * time) {
                touching = touching.max(free - 0.9 * time);
                break;
            }
            *steps += 1;
            let here = Span::new((free - length).max(touching), free);
            let look = self.look(here, 1.0, Effort::All);
            if let Some(middle) = look.touches_at {
                touching = touching.max(middle);
            }
            let to = if look.window.is_empty() { here.from.max(touching) } else { here.at(look.window.to) };
            let gained = free - to;
            free = to.max(touching);
            if gained < 0.5 * here.length() {
                length = 0.5 * here.length();
                // What directions do not exclude and is not proven: half of what is left, if contact is proven there.
                let middle = 0.5 * (touching + free);
                if gained <= 0.0 && self.touches(middle) {
                    touching = middle;
                }
            }
            if length < 0.01 * time {
                break;
            }
            length = length.min(free - touching).max(0.005 * time);
        }
        (touching, free)
    }
}
