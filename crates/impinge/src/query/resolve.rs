//! The first contact among pairs that a short span leaves over: earliest first, and each contact found shortens the search for all others.

use super::search::{Answer, Asked, Found, Search, Suspect};
use crate::advance::pair::{Outcome, Recent};
use crate::exact::pair::Meeting;
use crate::math::Vec3;
use crate::math::simd::dispatch;
use crate::motion::{Span, Tube};

/// The last contact found, and how its task moves.
struct Met {
    contact: Suspect,
    lo: f64,
    /// What keeps its neighbours apart until then, once one of them asks.
    across: Option<Vec3>,
    recent: Recent,
}

/// How things stand when a contact begins.
pub(super) struct Seen {
    pub tube: Tube,
    pub meeting: Meeting,
    lo: f64,
    of: (usize, u32, u32),
}

impl Seen {
    pub fn is_of(&self, found: &Found) -> bool {
        self.of == (found.task, found.moving, found.resting) && self.lo == found.lo
    }
}

impl Search<'_> {
    /// Resolves the collected suspects.
    pub fn resolve(&mut self) -> Answer {
        let mut suspects = std::mem::take(&mut self.suspects);
        let mut met: Option<Met> = None;
        let answer = resolve(&mut suspects, self.sharpness.time, |s, span| {
            if self.checker.ends_at(self.tally.work()) {
                return Outcome::Undecided { lo: span.from };
            }
            let mut left = Some(span);
            if let Some(met) = &mut met
                && met.contact.task == s.task
            {
                left = self.after(met, s, span);
            }
            let outcome = left.map_or(Outcome::Free, |span| self.advance(s, span));
            if let Outcome::Contact { lo, .. } = outcome {
                met = Some(Met { contact: *s, lo, across: None, recent: Recent::default() });
            }
            outcome
        });
        suspects.clear();
        self.suspects = suspects;
        answer
    }

    /// The part of the span after all times that the direction across a contact excludes at its beginning, if any.
    fn after(&mut self, met: &mut Met, s: &Suspect, span: Span) -> Option<Span> {
        let direction = *met.across.get_or_insert_with(|| self.across(&met.contact, met.lo));
        if direction == Vec3::ZERO {
            return Some(span);
        }
        let mut steps = 0;
        let left = dispatch(after_avx2, after_portable, (direction, &mut met.recent, (&self.moving(s), span, &mut steps)));
        self.tally.pair_steps += steps;
        left
    }

    /// A direction across the features that meet in a contact; zero where there are none.
    fn across(&mut self, contact: &Suspect, lo: f64) -> Vec3 {
        let moving = self.moving(contact);
        let (tube, meeting) = moving.meeting(lo);
        let across = meeting.touch.map_or(Vec3::ZERO, |touch| moving.pair.across(touch, &tube));
        self.seen = Some(Seen { tube, meeting, lo, of: (contact.task, contact.moving, contact.resting) });
        across
    }
}

/// The first contact among suspects, earliest first; `advance` answers for one of them on a span, brackets are to be `time` wide.
pub(super) fn resolve(suspects: &mut [Suspect], time: f64, mut advance: impl FnMut(&Suspect, Span) -> Outcome) -> Answer {
    suspects.sort_by(|a, b| a.span.from.total_cmp(&b.span.from));
    // What is known to touch comes first: it shortens the search for all others.
    if let Some(at) = (0..suspects.len()).min_by(|&a, &b| suspects[a].touches_at.total_cmp(&suspects[b].touches_at)) {
        suspects[..=at].rotate_right(1);
    }
    let mut best: Option<Found> = None;
    // Where the bracket may begin: nothing needs to be known after it.
    let mut cut = f64::INFINITY;
    let mut undecided = f64::INFINITY;
    for s in suspects.iter() {
        if s.span.from >= cut {
            continue;
        }
        let span = Span::new(s.span.from, s.span.to.min(cut));
        match advance(s, span) {
            Outcome::Free => {}
            Outcome::Contact { lo, hi } => {
                if best.is_none_or(|b| hi < b.hi) {
                    best = Some(Found { task: s.task, moving: s.moving, resting: s.resting, lo, hi });
                    cut = (hi - 0.98 * time).min(lo);
                }
            }
            Outcome::Undecided { lo } => undecided = undecided.min(lo),
        }
    }
    match best {
        Some(found) => Answer::Contact { found, free_until: cut.max(0.0).min(undecided) },
        None if undecided < f64::INFINITY => Answer::Undecided { free_until: undecided },
        None => Answer::Free,
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
