//! Judges a verdict by the oracle.

use impinge::query::Semantics;
use impinge::{Options, Verdict};

use crate::scene::Question;
use crate::trial::{Judgement, surely_in_contact};
use crate::{Oracle, World};

/// Default distance tolerance of the library, metres.
pub const TOLERANCE: f64 = 1e-9;
/// Default time tolerance of the library.
pub const TIME_TOLERANCE: f64 = 1e-9;

/// Work that no small world needs; a query that needs more is undecided instead of running for minutes.
pub const MAX_WORK: u64 = 400_000;

/// Returns options with a margin and a work limit; meshes are surfaces, as in the oracle.
pub fn options(margin: f64) -> Options {
    Options::default().margin(margin).max_work(MAX_WORK).semantics(Semantics::Surface)
}

/// Builds the query of a world.
///
/// # Panics
/// If the library does not accept it.
pub fn question(world: &World, margin: f64) -> Question {
    Question::new(world, options(margin)).expect("a world that the core accepts")
}

/// Queries any contact, without a margin.
pub fn any(world: &World) -> Verdict {
    question(world, 0.0).any().0
}

/// Queries the first contact, without a margin.
pub fn first(world: &World) -> Verdict {
    question(world, 0.0).first().0
}

/// The sampling density of the oracle.
#[derive(Clone, Copy, Debug)]
pub struct Care {
    /// The number of equal steps of the motion.
    pub samples: usize,
    /// The smallest adaptive step; larger steps are as long as no point can cross the gap.
    pub smallest_step: f64,
}

/// The default of most tests.
pub const NORMAL: Care = Care { samples: 64, smallest_step: 1e-3 };

/// Checks soundness. Free: the oracle finds no contact. Contact: it finds none before the bracket, and a small gap at its end.
///
/// # Errors
/// If the verdict is wrong; the message gives the reason.
pub fn judge(world: &World, margin: f64, verdict: &Verdict, care: Care) -> Judgement {
    let oracle = Oracle::new(world);
    match verdict {
        Verdict::Free => nothing_until(world, &oracle, margin, 1.0, care),
        Verdict::Contact(c) => {
            if !(0.0 <= c.time.0 && c.time.0 <= c.time.1 && c.time.1 <= 1.0 && c.free_until <= c.time.1) {
                return Err(format!("the bracket {:?} (free until {}) is none", c.time, c.free_until));
            }
            let gap = oracle.gap(c.time.1).0;
            if gap.at_least > margin + TOLERANCE + 1e-9 + oracle.rounding() {
                return Err(format!("said to touch at t = {}, but the gap is {:e}", c.time.1, gap.at_least));
            }
            nothing_before(world, &oracle, margin, c.free_until, care)
        }
        Verdict::Undecided { free_until } => nothing_before(world, &oracle, margin, *free_until, care),
    }
}

fn nothing_until(world: &World, oracle: &Oracle<'_>, margin: f64, until: f64, care: Care) -> Judgement {
    let below = surely_in_contact(world, oracle, margin);
    let sampled = oracle.first_hit_sampled(below, until, care.samples, 0);
    match sampled.or_else(|| oracle.first_hit_stepped(below, until, care.smallest_step)) {
        Some(hit) => {
            let (pair, gap) = (hit.pair, hit.gap.at_most);
            Err(format!("said to be free until t = {until}, but parts {pair:?} have a gap of {gap:e} at t = {}", hit.time))
        }
        None => Ok(()),
    }
}

/// Requires no contact strictly before a time: the time itself is rounded.
fn nothing_before(world: &World, oracle: &Oracle<'_>, margin: f64, time: f64, care: Care) -> Judgement {
    if time <= 1e-9 { Ok(()) } else { nothing_until(world, oracle, margin, time - 1e-9, care) }
}

/// Returns the time up to which a verdict is free; the whole motion for a free verdict.
pub fn free_before(verdict: &Verdict) -> f64 {
    match verdict {
        Verdict::Free => f64::INFINITY,
        Verdict::Contact(c) => c.free_until,
        Verdict::Undecided { free_until } => *free_until,
    }
}

/// Checks that two verdicts do not contradict each other: a contact of one is not certainly within the free time of the other.
/// `back` maps times of the second to times of the first. Near contact, both verdicts are allowed.
///
/// # Errors
/// If they contradict each other; the message gives both.
pub fn compatible(world: &World, margin: f64, one: &Verdict, other: &Verdict, back: impl Fn(f64) -> f64) -> Judgement {
    let oracle = Oracle::new(world);
    let below = surely_in_contact(world, &oracle, margin);
    let contradicts = |contact: f64, free: f64| contact < free - 1e-12 && oracle.gap(contact).0.at_most <= below;
    if let Some(c) = other.contact()
        && contradicts(back(c.time.1), free_before(one))
    {
        return Err(format!("{one:?}, but also {other:?}"));
    }
    let other_free = if other.is_free() { f64::INFINITY } else { back(free_before(other)) };
    if let Some(c) = one.contact()
        && contradicts(c.time.1, other_free)
    {
        return Err(format!("{one:?}, but also {other:?}"));
    }
    Ok(())
}

/// Checks that the verdict of a small world is not undecided and its bracket is about as narrow as requested.
///
/// # Errors
/// If the verdict is not sharp.
pub fn sharp(verdict: &Verdict) -> Judgement {
    match verdict {
        Verdict::Free => Ok(()),
        Verdict::Undecided { free_until } => Err(format!("undecided, free until {free_until}")),
        Verdict::Contact(c) if c.time.1 - c.time.0 > 10.0 * TIME_TOLERANCE => Err(format!("the bracket {:?} is wide", c.time)),
        Verdict::Contact(_) => Ok(()),
    }
}

/// Checks sharpness of a verdict whose bracket makes no statement about earlier times.
///
/// # Errors
/// If it is undecided.
pub fn decided(verdict: &Verdict) -> Judgement {
    match verdict {
        Verdict::Free | Verdict::Contact(_) => Ok(()),
        Verdict::Undecided { free_until } => Err(format!("undecided, free until {free_until}")),
    }
}

/// Checks that two verdicts are of the same kind and their brackets overlap.
///
/// # Errors
/// If they differ.
pub fn same(one: &Verdict, other: &Verdict) -> Judgement {
    let alike = match (one, other) {
        (Verdict::Contact(a), Verdict::Contact(b)) => a.time.0 <= b.time.1 && b.time.0 <= a.time.1,
        (Verdict::Free, Verdict::Free) | (Verdict::Undecided { .. }, Verdict::Undecided { .. }) => true,
        _ => false,
    };
    if alike { Ok(()) } else { Err(format!("{one:?}, but {other:?}")) }
}
