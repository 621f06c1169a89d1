//! The first contact among pairs that a short span leaves over: earliest first, and each contact found shortens the search for all others.

use crate::math::Vec3;
use crate::math::simd::dispatch;
use crate::motion::{Span, Tube};
use crate::narrow::advance::{Outcome, Recent};
use crate::narrow::pair::Meeting;
use crate::search::sweep::{Asked, Search, Suspect};
use crate::search::{Collector, Found, Items};

/// The last contact found, and how its task moves.
struct Met {
    contact: Suspect,
    lo: f64,
    /// What keeps its neighbours apart until then, once one of them asks.
    across: Option<Vec3>,
    recent: Recent,
}

/// How things stand when a contact begins.
pub(crate) struct Seen {
    pub tube: Tube,
    pub meeting: Meeting,
    lo: f64,
    of: Items,
}

impl Seen {
    pub fn is_of(&self, found: &Found) -> bool {
        self.of == found.items && self.lo == found.lo
    }
}

impl Search<'_> {
    /// Resolves the collected suspects; the collector takes what comes of them.
    pub fn resolve(&mut self) {
        let mut suspects = std::mem::take(&mut self.suspects);
        let mut met: Option<Met> = None;
        let mut collector = self.collector;
        resolve(&mut suspects, &mut collector, |s, span| {
            if self.out_of_work() {
                return Outcome::Undecided { lo: span.from };
            }
            let mut left = Some(span);
            if let Some(met) = &mut met
                && met.contact.items.task == s.items.task
            {
                left = self.after(met, s, span);
            }
            let outcome = left.map_or(Outcome::Free, |span| self.advance(s, span));
            if let Outcome::Contact { lo, .. } = outcome {
                met = Some(Met { contact: *s, lo, across: None, recent: Recent::default() });
            }
            outcome
        });
        self.collector = collector;
        suspects.clear();
        self.suspects = suspects;
    }

    /// The part of the span after all times that the direction across a contact excludes at its beginning, if any.
    fn after(&mut self, met: &mut Met, s: &Suspect, span: Span) -> Option<Span> {
        let direction = *met.across.get_or_insert_with(|| self.across(&met.contact, met.lo));
        if direction == Vec3::ZERO {
            return Some(span);
        }
        let mut steps = 0;
        let left = dispatch(after_avx2, after_portable, (direction, &mut met.recent, (&self.moving(s.items), span, &mut steps)));
        self.tally.pair_steps += steps;
        left
    }

    /// A direction across the features that meet in a contact; zero where there are none.
    fn across(&mut self, contact: &Suspect, lo: f64) -> Vec3 {
        let moving = self.moving(contact.items);
        let (tube, meeting) = moving.meeting(lo);
        let across = meeting.touch.map_or(Vec3::ZERO, |touch| moving.pair.across(touch, &tube));
        self.seen = Some(Seen { tube, meeting, lo, of: contact.items });
        across
    }
}

/// Offers suspects to the collector, the earliest first; `advance` answers for one of them on a span.
pub(crate) fn resolve(
    suspects: &mut [Suspect],
    collector: &mut Collector<'_>,
    mut advance: impl FnMut(&Suspect, Span) -> Outcome,
) {
    suspects.sort_by(|a, b| a.span.from.total_cmp(&b.span.from));
    // What is known to touch comes first: it shortens the search for all others.
    if let Some(at) = (0..suspects.len()).min_by(|&a, &b| suspects[a].touches_at.total_cmp(&suspects[b].touches_at)) {
        suspects[..=at].rotate_right(1);
    }
    for s in suspects.iter() {
        let cut = collector.cut();
        if s.span.from >= cut {
            continue;
        }
        let span = Span::new(s.span.from, s.span.to.min(cut));
        let outcome = match advance(s, span) {
            // What is proven to touch does, whatever else is not known of it.
            Outcome::Undecided { lo } if lo <= s.touches_at && s.touches_at <= span.to => {
                Outcome::Contact { lo, hi: s.touches_at }
            }
            outcome => outcome,
        };
        if collector.offer(s.items, outcome).is_break() {
            return;
        }
    }
}

type AskedAfter<'a> = (Vec3, &'a mut Recent, Asked<'a>);

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn after_avx2((direction, recent, (moving, span, steps)): AskedAfter<'_>) -> Option<Span> {
    moving.after(direction, span, steps, recent)
}

fn after_portable((direction, recent, (moving, span, steps)): AskedAfter<'_>) -> Option<Span> {
    moving.after(direction, span, steps, recent)
}
