//! Directed conservative advancement of one pair in time. [Zhang 2006, section 3, per pair instead of per step; Redon 2004, section 5.2]
//!
//! ```text
//!  distance |\                     each span: the part no direction excludes is searched again with a thinner tube;
//!           | \__                  the tube's radius falls with the square of the span, so an ordinary contact is
//!           |    \___              approached quadratically and a grazing one geometrically.
//!           |________\____ t
//!           0   ^    ^ ^ hi: contact proven
//!               spans  lo: free up to here
//! ```
//! Sound: `lo` moves only past excluded times. Complete as far as numbers allow: when directions exclude nothing more at the scale of the
//! time tolerance, contact is proven, or the distance is shown to be within the tolerance, or the answer is undecided.

use crate::exact::pair::Effort;
use crate::exact::{Pair, Window};
use crate::motion::{Relative, Span, Tube};

/// What a contact is and how sharply it is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharpness {
    /// Contact at distance at most this.
    pub margin: f64,
    /// Where proofs fail, a distance of at most margin plus this counts as contact.
    pub tolerance: f64,
    /// Wanted width of a bracket in t.
    pub time: f64,
}

/// The answer for one pair on a span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outcome {
    Free,
    /// Free before `lo`, in contact at `hi`.
    Contact {
        lo: f64,
        hi: f64,
    },
    /// Free before `lo`; no more is known.
    Undecided {
        lo: f64,
    },
}

/// A pair together with how its moving side moves.
pub(crate) struct Moving<'a> {
    pub pair: Pair<'a>,
    pub relative: &'a Relative<'a>,
    /// Error of the resting item's own coordinates.
    pub item_error: f64,
    pub sharpness: Sharpness,
}

/// Steps allowed for one pair. Ordinary contacts take 5 to 15, grazing ones up to 200; beyond that something is wrong with the numbers.
const MAX_STEPS: usize = 20_000;

impl Moving<'_> {
    /// The first contact on the span.
    #[inline(always)]
    pub fn first(&self, span: Span, steps: &mut u64) -> Outcome {
        let mut lo = span.from;
        let mut end = span.to;
        let mut hi = None;
        let mut length = span.length();
        for _ in 0..MAX_STEPS {
            *steps += 1;
            if let Some(hi) = hi
                && hi - lo <= self.sharpness.time
            {
                return Outcome::Contact { lo, hi };
            }
            let here = Span::new(lo, (lo + length).min(end));
            let tube = self.relative.tube(here);
            let window = self.uncovered(here, &tube);
            if window.is_empty() {
                if here.to >= end {
                    // With a proven contact at `end`, an excluded end is a contradiction of two proofs; be conservative.
                    return if hi.is_some() { Outcome::Undecided { lo } } else { Outcome::Free };
                }
                lo = here.to;
                length *= 2.0;
                continue;
            }
            let from = here.at(window.from).max(lo);
            let to = here.at(window.to);
            let gained = from - lo;
            lo = from;
            if here.to >= end && hi.is_none() {
                end = to;
            }
            if gained <= 0.0 && lo == span.from && self.proven(lo) {
                return Outcome::Contact { lo, hi: lo };
            }
            if here.length() <= 0.25 * self.sharpness.time || to <= from {
                return self.stuck(lo, (lo + self.sharpness.time).min(end));
            }
            // A contact along the limiting direction begins within `lag`: look just behind it, else in the middle of what is left.
            let behind = from + 2.0 * window.lag * here.half() + 0.25 * self.sharpness.time;
            let probe = if behind < to { behind } else { 0.5 * (from + to) };
            if hi.is_none_or(|h| probe < h) && self.proven(probe) {
                hi = Some(probe);
                end = probe;
            }
            length = if gained > 0.5 * here.length() { here.length() } else { 0.5 * here.length() };
            length = length.min((end - lo).max(0.25 * self.sharpness.time));
        }
        hi.map_or(Outcome::Undecided { lo }, |hi| Outcome::Contact { lo, hi })
    }

    /// Any contact on the span: spans are halved around their middle, where an overlap is most likely proven at once.
    #[inline(always)]
    pub fn any(&self, span: Span, steps: &mut u64) -> Outcome {
        let mut stack = vec![span];
        for _ in 0..MAX_STEPS {
            let Some(here) = stack.pop() else { return Outcome::Free };
            *steps += 1;
            let tube = self.relative.tube(here);
            let window = self.uncovered(here, &tube);
            if window.is_empty() {
                continue;
            }
            let left = Span::new(here.at(window.from), here.at(window.to));
            let middle = left.middle();
            if self.proven(middle) {
                return Outcome::Contact { lo: left.from, hi: middle };
            }
            if left.length() <= self.sharpness.time {
                match self.stuck(left.from, left.to) {
                    Outcome::Free => continue,
                    other => return other,
                }
            }
            if left.length() <= 0.5 * here.length() {
                stack.push(left);
            } else {
                stack.push(Span::new(middle, left.to));
                stack.push(Span::new(left.from, middle));
            }
        }
        Outcome::Undecided { lo: span.from }
    }

    /// What directions leave of a span; all directions are tried once the span is about as short as time is asked for.
    #[inline(always)]
    fn uncovered(&self, span: Span, tube: &Tube) -> Window {
        let effort = if span.length() <= 4.0 * self.sharpness.time { Effort::All } else { Effort::Usual };
        self.pair.uncovered(tube, self.item_error, self.sharpness.margin, effort)
    }

    #[inline(always)]
    fn proven(&self, t: f64) -> bool {
        let tube = self.relative.tube(Span::new(t, t));
        self.pair.proven_within(&tube, self.item_error, self.sharpness.margin)
    }

    /// No direction helps between `lo` and `end`, which are as close as time is asked for: look for contact there, or for nearness.
    fn stuck(&self, lo: f64, end: f64) -> Outcome {
        let times = [1.0, 0.5, 0.25, 0.125, 1.0 / 64.0, 1.0 / 1024.0, 0.0].map(|f| lo + f * (end - lo));
        if let Some(hi) = times.into_iter().find(|&t| self.proven(t)) {
            return Outcome::Contact { lo, hi };
        }
        let near = self.sharpness.margin + self.sharpness.tolerance;
        for hi in times {
            let tube = self.relative.tube(Span::new(hi, hi));
            if self.pair.near(&tube, self.item_error) <= near {
                return Outcome::Contact { lo, hi };
            }
        }
        Outcome::Undecided { lo }
    }
}
