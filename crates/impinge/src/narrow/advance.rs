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

use crate::math::Vec3;
use crate::motion::{Relative, Span, Tube};
use crate::narrow::pair::{Effort, Meeting};
use crate::narrow::{Pair, Window};

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

/// The last pair that took many steps: meshes hold equal triangles more than once, and what is asked of each pair of them is the same.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Repeated(Option<(Question, Outcome)>);

/// What the answer for a pair depends on, in one search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question {
    pub task: usize,
    pub pair: Pair,
    pub span: Span,
    /// Of the first contact: see [`Moving::first`]; not a number where any contact will do.
    pub lag: f64,
}

impl Repeated {
    /// The answer, if it is known.
    #[inline(always)]
    pub fn answer(&self, asked: &Question) -> Option<Outcome> {
        let (known, outcome) = self.0.as_ref()?;
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
        let same_time =
            same(known.span.from, asked.span.from) && same(known.span.to, asked.span.to) && same(known.lag, asked.lag);
        (same_time && known.task == asked.task && known.pair.equals(&asked.pair)).then_some(*outcome)
    }

    /// Keeps an answer that took long.
    #[inline(always)]
    pub fn keep(&mut self, asked: Question, outcome: Outcome, steps: u64) {
        if steps >= MANY_STEPS {
            self.0 = Some((asked, outcome));
        }
    }
}

/// An answer that took so many steps is worth being compared with.
const MANY_STEPS: u64 = 4;

/// A pair together with how its moving side moves.
pub(crate) struct Moving<'a> {
    pub pair: Pair,
    pub relative: &'a Relative<'a>,
    /// Error of the resting item's own coordinates.
    pub item_error: f64,
    pub sharpness: Sharpness,
}

/// Steps allowed for one pair. Ordinary contacts take 5 to 15, grazing ones up to 200; a gap below the tolerance that lasts takes more than
/// is worth spending.
const MAX_STEPS: usize = 5_000;

/// Times at which a contact is looked for after a stretch that can not be decided.
const FAR_AHEAD: u32 = 16;
/// And how often the span in which one is found is halved.
const HALVINGS: u32 = 20;

/// Each look along one direction leaves the square of what the last one left, as long as it leaves little.
const MOST_ALONG: usize = 3;

/// At most a quarter more: one of few numbers, so that nearly equal lengths become the same.
#[inline(always)]
fn coarsely_above(length: f64) -> f64 {
    const LOW: u64 = (1 << 50) - 1;
    f64::from_bits((length.to_bits() + LOW) & !LOW)
}

/// The last tubes of one relative motion.
#[derive(Default)]
pub(crate) struct Recent {
    spans: [Option<(f64, f64)>; 2],
    tubes: [Tube; 2],
    last: usize,
}

impl Recent {
    #[inline(always)]
    fn tube(&mut self, relative: &Relative<'_>, span: Span) -> &Tube {
        let wanted = Some((span.from, span.to));
        if self.spans[self.last] != wanted {
            self.last ^= 1;
        }
        if self.spans[self.last] != wanted {
            self.spans[self.last] = wanted;
            self.tubes[self.last] = relative.tube(span);
        }
        &self.tubes[self.last]
    }
}

/// What one look at a span shows.
pub(crate) struct Look {
    pub window: Window,
    /// The middle of the span, when the pair is proven to touch there.
    pub touches_at: Option<f64>,
}

impl Moving<'_> {
    /// The first contact on the span, which is likely to begin within `lag` of it.
    #[inline(always)]
    pub fn first(&self, span: Span, lag: f64, steps: &mut u64) -> Outcome {
        let (mut lo, mut end) = (span.from, span.to);
        let mut hi: Option<f64> = None;
        // A little of the time asked for is left to those who touch at the same moment and are proven apart a little less long.
        let wide = 0.9 * self.sharpness.time;
        // Length of the next span, and what it was before a contact was aimed at.
        let mut stride = span.length();
        let mut length = self.aim(lag).min(stride);
        // Spans in a row that the usual directions gained nothing from: then all are tried, for as long as they help.
        let mut idle = 0;
        for _ in 0..MAX_STEPS {
            *steps += 1;
            if let Some(hi) = hi
                && hi - lo <= self.sharpness.time
            {
                return Outcome::Contact { lo, hi };
            }
            let here = Span::new(lo, (lo + length).min(end));
            let effort = match idle {
                0 | 1 => Effort::Usual,
                2..8 => Effort::All,
                _ => Effort::Bent,
            };
            let Look { window, touches_at } = self.look(here, if hi.is_some() || idle > 0 { -1.0 } else { 0.0 }, effort);
            if window.is_empty() {
                if here.to < end {
                    lo = here.to;
                    stride = if length < stride { stride } else { 2.0 * stride };
                    length = stride;
                    continue;
                }
                // A contact proven at `end` and excluded there would be a contradiction of two proofs; be conservative.
                return if hi.is_some() { Outcome::Undecided { lo } } else { Outcome::Free };
            }
            let (from, to) = (here.at(window.from).max(lo), here.at(window.to));
            let gained = from - lo;
            lo = from;
            if touches_at.is_some() {
                (hi, end) = (touches_at, touches_at.unwrap_or(end));
            } else if here.to >= end && hi.is_none() {
                end = to;
            }
            if gained <= 0.0 && lo == span.from && self.touches(lo) {
                return Outcome::Contact { lo, hi: lo };
            }
            // A contact that begins at once is soon deep enough to be proven.
            let soon = lo + 0.75 * self.sharpness.time;
            if gained > 0.0 && window.lag * here.half() <= 0.1 * self.sharpness.time && soon <= end && self.touches(soon) {
                return Outcome::Contact { lo, hi: soon };
            }
            if here.length() <= 0.25 * self.sharpness.time || to <= from {
                return self.stuck_or(hi, lo, (lo + wide).min(end), end);
            }
            if gained <= 0.05 * here.length() {
                idle += 1;
            } else if idle < 2 {
                idle = 0;
            }
            // Aim at the contact, unless so little is left that all of it is as good a guess.
            let aim = self.aim(window.lag * here.half());
            stride = if gained > 0.5 * here.length() { here.length() } else { 0.5 * here.length() };
            length = if end - lo < 0.1 * here.length() { stride } else { aim.min(stride) };
            length = length.min((end - lo).max(0.25 * self.sharpness.time));
        }
        hi.map_or_else(|| self.stuck(lo, (lo + wide).min(end), end), |hi| Outcome::Contact { lo, hi })
    }

    /// [`Moving::stuck`], and where that decides nothing the contact that was proven before: a wide bracket is better than none.
    fn stuck_or(&self, proven: Option<f64>, lo: f64, end: f64, last: f64) -> Outcome {
        match (self.stuck(lo, end, last), proven) {
            (Outcome::Undecided { .. }, Some(hi)) => Outcome::Contact { lo, hi },
            (outcome, _) => outcome,
        }
    }

    /// How long a span is with its middle just behind where a contact begins that comes within `lag`.
    #[inline(always)]
    fn aim(&self, lag: f64) -> f64 {
        2.5 * lag + 1.5 * self.sharpness.time
    }

    /// The part of the span after all times that one direction excludes at its beginning; `None` if that is all of it.
    ///
    /// What touches next to a contact just found is kept apart until then by the same direction, which costs much less than finding one. Looks
    /// begin a little early, so that those of neighbours are over the same spans.
    #[inline(always)]
    pub fn after(&self, direction: Vec3, mut span: Span, steps: &mut u64, recent: &mut Recent) -> Option<Span> {
        for _ in 0..MOST_ALONG {
            *steps += 1;
            let here = Span::new((span.to - coarsely_above(span.length())).max(0.0), span.to);
            let tube = recent.tube(self.relative, here);
            let window = self.pair.uncovered_along(direction, tube, self.item_error, self.sharpness.margin);
            if window.is_empty() {
                return None;
            }
            if !(window.from > 0.0) {
                break;
            }
            span.from = span.from.max(here.at(window.from));
        }
        Some(span)
    }

    /// Where the two are closest at a time, and the tube at that time.
    pub fn meeting(&self, t: f64) -> (Tube, Meeting) {
        let tube = self.relative.tube(Span::new(t, t));
        (tube, self.pair.meeting(&tube))
    }

    /// Any contact on the span: spans are halved, and an overlap in the middle of one ends the search.
    #[inline(always)]
    pub fn any(&self, span: Span, steps: &mut u64) -> Outcome {
        let mut stack = [span; 64];
        let mut depth = 1;
        let mut doubt = None;
        for _ in 0..MAX_STEPS {
            if depth == 0 {
                return doubt.unwrap_or(Outcome::Free);
            }
            depth -= 1;
            let here = stack[depth];
            *steps += 1;
            let effort = match here.length() / span.length() {
                share if share > 0.1 => Effort::Usual,
                share if share > 0.01 => Effort::All,
                _ => Effort::Bent,
            };
            let Look { window, touches_at } = self.look(here, 0.0, effort);
            if window.is_empty() {
                continue;
            }
            let left = Span::new(here.at(window.from), here.at(window.to));
            if let Some(hi) = touches_at {
                return Outcome::Contact { lo: left.from.min(hi), hi };
            }
            if left.length() <= self.sharpness.time || depth + 2 > stack.len() {
                match self.stuck(left.from, left.to, left.to) {
                    Outcome::Undecided { .. } => doubt = Some(Outcome::Undecided { lo: span.from }),
                    Outcome::Free => {}
                    contact => return contact,
                }
            } else if left.length() <= 0.5 * here.length() {
                stack[depth] = left;
                depth += 1;
            } else {
                stack[depth] = Span::new(left.middle(), left.to);
                stack[depth + 1] = Span::new(left.from, left.middle());
                depth += 2;
            }
        }
        Outcome::Undecided { lo: span.from }
    }

    /// What directions, as they are at `tau`, leave of a span, and whether the pair touches in its middle. All directions are tried once
    /// the span is about as short as time is asked for; where it touches, the usual ones are enough.
    #[inline(always)]
    pub(crate) fn look(&self, span: Span, tau: f64, effort: Effort) -> Look {
        let effort = if span.length() <= 4.0 * self.sharpness.time { effort.max(Effort::All) } else { effort };
        let tube = self.relative.tube(span);
        let touches = || self.pair.touches(&tube, self.item_error, self.sharpness.margin);
        let touching = (effort >= Effort::All).then(touches);
        let effort = if touching == Some(true) { Effort::Usual } else { effort };
        let mut window = self.pair.uncovered(&tube, self.item_error, self.sharpness.margin, tau, effort);
        if effort == Effort::Bent
            && !window.is_empty()
            && let Some(bend) = self.relative.bend(span)
        {
            window = self.pair.uncovered_bent(&tube, &bend, self.item_error, self.sharpness.margin, window);
        }
        window.lag = window.lag.min(self.pair.lag(&tube));
        let open = window.from <= 0.0 && window.to >= 0.0;
        Look { window, touches_at: (open && touching.unwrap_or_else(touches)).then(|| span.middle()) }
    }

    /// Whether the two are proven to touch at a time.
    #[inline(always)]
    pub fn touches(&self, t: f64) -> bool {
        self.pair.touches(&self.relative.tube(Span::new(t, t)), self.item_error, self.sharpness.margin)
    }

    /// No direction helps between `lo` and `end`, which are as close as time is asked for: look for contact there, or for nearness, or for
    /// contact later, up to `last`, where it is deep enough to be proven: a wider bracket than asked for is better than none.
    fn stuck(&self, lo: f64, end: f64, last: f64) -> Outcome {
        let times = [1.0, 0.5, 0.25, 0.125, 1.0 / 64.0, 1.0 / 1024.0, 0.0].map(|f| lo + f * (end - lo));
        let near = self.sharpness.margin + self.sharpness.tolerance;
        for hi in times {
            let tube = self.relative.tube(Span::new(hi, hi));
            let touches = self.pair.touches(&tube, self.item_error, self.sharpness.margin);
            if touches || self.pair.near(&tube, self.item_error) <= near {
                return Outcome::Contact { lo, hi };
            }
        }
        let mut ahead = 4.0 * self.sharpness.time;
        while lo + ahead < last && ahead < 1e3 * self.sharpness.time {
            if self.touches(lo + ahead) {
                return Outcome::Contact { lo, hi: lo + ahead };
            }
            ahead *= 4.0;
        }
        self.far_ahead(lo, last).map_or(Outcome::Undecided { lo }, |hi| Outcome::Contact { lo, hi })
    }

    /// A time of contact after `lo`, up to `last`, for whatever lies between. None of several is the first; it is followed to about where it
    /// begins to be proven.
    #[cold]
    fn far_ahead(&self, lo: f64, last: f64) -> Option<f64> {
        let share = |k: u32| lo + (last - lo) * (f64::from(k) / f64::from(FAR_AHEAD));
        let found = (1..=FAR_AHEAD).find(|&k| lo < share(k) && share(k) <= last && self.touches(share(k)))?;
        let (mut before, mut hi) = (share(found - 1), share(found));
        for _ in 0..HALVINGS {
            let middle = 0.5 * (before + hi);
            *(if self.touches(middle) { &mut hi } else { &mut before }) = middle;
        }
        Some(hi)
    }
}
