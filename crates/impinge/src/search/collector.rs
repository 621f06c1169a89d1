//! What a search has found so far, and what still matters: the only place that knows the goal, the best contact, the time horizon, the
//! budget, and how an answer follows from them.
//!
//! ```text
//! engine ──► offer(pair, outcome) ──► best contact, undecided times        horizon ◄── nothing at or after it matters any more
//!        ──► within_budget(work)  ──► stop, when work runs out or the query is cancelled
//!                                     finish ──► Answer
//! ```
//! Sound: an engine may stop at the horizon, because nothing after it changes the answer; it says up to which time it has searched
//! everything, and no answer claims more than that.

use std::ops::ControlFlow;

use crate::narrow::advance::{Outcome, Sharpness};
use crate::search::options::Cancel;

/// Which contact is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    /// Any contact ends the search.
    Any,
    /// The first contact, bracketed.
    First,
}

/// When a search ends undecided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<'a> {
    pub max_work: u64,
    pub cancel: Option<&'a Cancel>,
    /// Where any contact will do, the first pair that can not be decided ends the search, too.
    pub doubt_ends: bool,
}

impl Limits<'_> {
    /// Whether a query that took this much work ends.
    #[inline(always)]
    pub fn end_at(&self, work: u64) -> bool {
        work > self.max_work || self.cancel.is_some_and(Cancel::is_cancelled)
    }
}

/// Two items of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Items {
    pub task: usize,
    pub moving: u32,
    pub resting: u32,
}

/// A contact of a pair: proven free for that pair before `lo`, in contact at `hi`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub items: Items,
    pub lo: f64,
    pub hi: f64,
}

/// What a whole search comes to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    Free,
    /// Everything is free before `free_until`.
    Contact {
        found: Found,
        free_until: f64,
    },
    Undecided {
        free_until: f64,
    },
}

impl Answer {
    /// Until when everything is proven free.
    fn free_until(&self) -> f64 {
        match *self {
            Answer::Free => f64::INFINITY,
            Answer::Contact { free_until, .. } | Answer::Undecided { free_until } => free_until,
        }
    }

    /// The same with what another answer to the same question proves free before it.
    pub fn free_as_long_as(&self, other: &Answer, goal: Goal) -> Answer {
        let known = other.free_until();
        match *self {
            Answer::Contact { found, free_until } if goal == Goal::First && known <= found.hi => {
                let free_until = free_until.max(known);
                Answer::Contact { found: Found { lo: found.lo.max(free_until), ..found }, free_until }
            }
            Answer::Undecided { free_until } if goal == Goal::First && known <= 1.0 => {
                Answer::Undecided { free_until: free_until.max(known) }
            }
            answer => answer,
        }
    }

    /// How much of the motion is not known: the width of a bracket that was asked for; more than all of it where nothing was decided, and
    /// less the longer it is known to be free.
    pub fn doubt(&self, goal: Goal) -> f64 {
        match *self {
            Answer::Free => 0.0,
            Answer::Contact { .. } if goal == Goal::Any => 0.0,
            Answer::Contact { found, free_until } => found.hi - free_until,
            Answer::Undecided { free_until } => 2.0 - free_until,
        }
    }
}

/// Why a search ends before everything is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stop {
    /// A contact, when any will do.
    Contact,
    /// The work limit is reached, the query is cancelled, or memory would exceed its bound.
    OutOfWork,
}

pub(crate) type Flow = ControlFlow<Stop>;

/// A pair that begins this share of the time tolerance before the best contact ends may still move the bracket: the rest is left to rounding.
const BRACKET: f64 = 0.98;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Collector<'a> {
    pub goal: Goal,
    pub sharpness: Sharpness,
    limits: Limits<'a>,
    best: Option<Found>,
    /// Where the bracket of the best contact may begin.
    cut: f64,
    /// The earliest time that could not be decided.
    undecided: f64,
}

impl<'a> Collector<'a> {
    pub fn new(goal: Goal, sharpness: Sharpness, limits: Limits<'a>) -> Self {
        Collector { goal, sharpness, limits, best: None, cut: f64::INFINITY, undecided: f64::INFINITY }
    }

    /// Nothing at or after this time can change the answer. What is undecided does not shorten it: a contact after that is an answer, too.
    #[inline(always)]
    pub fn horizon(&self) -> f64 {
        match self.goal {
            Goal::Any => f64::INFINITY,
            Goal::First => self.cut,
        }
    }

    /// No contact that begins at or after this time is better than the best one; what is undecided does not shorten it.
    #[inline(always)]
    pub fn cut(&self) -> f64 {
        self.cut
    }

    /// Takes what is known of a pair, free before the times that `outcome` names.
    #[inline(always)]
    pub fn offer(&mut self, items: Items, outcome: Outcome) -> Flow {
        match outcome {
            Outcome::Free => {}
            Outcome::Contact { lo, hi } => {
                self.take(Found { items, lo, hi }, lo);
                if self.goal == Goal::Any {
                    return Flow::Break(Stop::Contact);
                }
            }
            Outcome::Undecided { lo } => {
                self.leave_open(lo);
                if self.doubt_ends() {
                    return Flow::Break(Stop::OutOfWork);
                }
            }
        }
        Flow::Continue(())
    }

    /// Whether a pair that can not be decided ends the search.
    pub fn doubt_ends(&self) -> bool {
        self.limits.doubt_ends && self.goal == Goal::Any
    }

    /// Takes a contact whose bracket begins where everything that was searched is proven free.
    pub fn adopt_contact(&mut self, found: Found, free_until: f64) {
        self.take(found, free_until.min(found.lo));
    }

    /// Takes a contact before which nothing is open but from `from` on. Within the width asked for nothing better is looked for; where more
    /// is open, others may show an earlier contact.
    #[inline(always)]
    fn take(&mut self, found: Found, from: f64) {
        if self.best.is_none_or(|best| found.hi < best.hi) {
            self.best = Some(found);
            self.cut = self.cut.min(found.hi - BRACKET * self.sharpness.time);
        }
        if found.hi - from <= self.sharpness.time {
            self.cut = self.cut.min(from);
        } else if from < self.cut {
            self.leave_open(from);
        }
    }

    /// Whether a contact is proven.
    pub fn has_contact(&self) -> bool {
        self.best.is_some()
    }

    /// Some pair is not known to be free from this time on.
    #[inline(always)]
    pub fn leave_open(&mut self, from: f64) {
        self.undecided = self.undecided.min(from);
    }

    /// Takes the answer of another search, about pairs that this one leaves out.
    pub fn adopt(&mut self, answer: Answer) {
        match answer {
            Answer::Free => {}
            Answer::Contact { found, free_until } => self.adopt_contact(found, free_until),
            Answer::Undecided { free_until } => self.leave_open(free_until),
        }
    }

    /// Ends the search when this much work is too much.
    #[inline(always)]
    pub fn within_budget(&self, work: u64) -> Flow {
        if self.limits.end_at(work) { Flow::Break(Stop::OutOfWork) } else { Flow::Continue(()) }
    }

    /// The answer, when everything that begins before `reached` was searched; infinity when nothing is left.
    pub fn finish(&self, reached: f64) -> Answer {
        let known_free = match self.goal {
            Goal::Any if self.undecided < f64::INFINITY || reached < f64::INFINITY => 0.0,
            Goal::Any => f64::INFINITY,
            Goal::First => self.undecided.min(reached),
        };
        match self.best {
            Some(found) => {
                let free_until = if self.goal == Goal::Any { 0.0 } else { self.cut.max(0.0).min(known_free) };
                Answer::Contact { found, free_until }
            }
            None if known_free < f64::INFINITY => Answer::Undecided { free_until: known_free },
            None => Answer::Free,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn collector(goal: Goal) -> Collector<'static> {
        let sharpness = Sharpness { margin: 0.0, tolerance: 1e-9, time: 1e-9 };
        Collector::new(goal, sharpness, Limits { max_work: 10, cancel: None, doubt_ends: false })
    }

    fn outcomes() -> impl Strategy<Value = Vec<Outcome>> {
        let time = 0.0f64..1.0;
        let width = prop_oneof![0.0f64..1e-9, 0.0f64..0.5];
        let contact = (time.clone(), width).prop_map(|(hi, width)| Outcome::Contact { lo: (hi - width).max(0.0), hi });
        let undecided = time.prop_map(|lo| Outcome::Undecided { lo });
        prop::collection::vec(prop_oneof![Just(Outcome::Free), contact, undecided], 0..12)
    }

    fn items(at: usize) -> Items {
        Items { task: at, moving: 0, resting: 0 }
    }

    proptest! {
        /// The first contact is the earliest that was offered, and nothing is called free that one of the pairs leaves open.
        #[test]
        fn no_answer_claims_more_than_its_pairs(outcomes in outcomes(), reached in prop_oneof![Just(f64::INFINITY), 0.0f64..1.0]) {
            let mut all = collector(Goal::First);
            for (at, outcome) in outcomes.iter().enumerate() {
                prop_assert!(all.offer(items(at), *outcome).is_continue());
            }
            let mut proven = reached;
            let mut first = f64::INFINITY;
            for outcome in &outcomes {
                match *outcome {
                    Outcome::Free => {}
                    Outcome::Contact { lo, hi } => (proven, first) = (proven.min(lo), first.min(hi)),
                    Outcome::Undecided { lo } => proven = proven.min(lo),
                }
            }
            match all.finish(reached) {
                Answer::Free => prop_assert!(proven == f64::INFINITY && first == f64::INFINITY),
                Answer::Contact { found, free_until } => {
                    prop_assert_eq!(found.hi, first);
                    prop_assert!(free_until <= proven);
                }
                Answer::Undecided { free_until } => prop_assert!(first == f64::INFINITY && free_until <= proven),
            }
        }

        /// Any contact ends the search at once, and what is left open is never free.
        #[test]
        fn any_contact_ends_the_search(outcomes in outcomes(), complete in any::<bool>()) {
            let mut any = collector(Goal::Any);
            let stopped = outcomes.iter().enumerate().position(|(at, outcome)| any.offer(items(at), *outcome).is_break());
            prop_assert_eq!(stopped, outcomes.iter().position(|o| matches!(o, Outcome::Contact { .. })));
            let open = !complete || outcomes.iter().any(|o| matches!(o, Outcome::Undecided { .. }));
            match any.finish(if complete { f64::INFINITY } else { 0.5 }) {
                Answer::Free => prop_assert!(stopped.is_none() && !open),
                Answer::Contact { found, free_until } => prop_assert!(stopped == Some(found.items.task) && free_until == 0.0),
                Answer::Undecided { free_until } => prop_assert!(stopped.is_none() && open && free_until == 0.0),
            }
        }
    }

    #[test]
    fn work_and_cancelling_end_a_search() {
        let cancel = Cancel::new();
        let limits = Limits { max_work: 10, cancel: Some(&cancel), doubt_ends: false };
        let collector = Collector::new(Goal::First, collector(Goal::First).sharpness, limits);
        assert!(collector.within_budget(10).is_continue() && collector.within_budget(11).is_break());
        cancel.cancel();
        assert!(collector.within_budget(0).is_break());
    }
}
