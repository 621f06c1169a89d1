//! What a good answer is, judged by the oracle.

use impinge::query::Semantics;
use impinge::{Options, Verdict};

use crate::scene::Question;
use crate::trial::{Judgement, surely_in_contact};
use crate::{Oracle, World};

/// Distance tolerance of the core by default, metres.
pub const TOLERANCE: f64 = 1e-9;
/// Time tolerance of the core by default.
pub const TIME_TOLERANCE: f64 = 1e-9;

/// Work that no small world needs; a query that needs more is told as undecided instead of running for minutes.
pub const MAX_WORK: u64 = 400_000;

/// Options with a margin, and a limit of work; meshes are surfaces, as the oracle takes them.
pub fn options(margin: f64) -> Options {
    Options::default().margin(margin).max_work(MAX_WORK).semantics(Semantics::Surface)
}

/// The question a world is.
///
/// # Panics
/// If the core does not accept it.
pub fn question(world: &World, margin: f64) -> Question {
    Question::new(world, options(margin)).expect("a world that the core accepts")
}

/// Any contact, without a margin.
pub fn any(world: &World) -> Verdict {
    question(world, 0.0).any().0
}

/// The first contact, without a margin.
pub fn first(world: &World) -> Verdict {
    question(world, 0.0).first().0
}

/// How closely the oracle looks.
#[derive(Clone, Copy, Debug)]
pub struct Care {
    /// At so many equal steps of the motion.
    pub samples: usize,
    /// … and wherever nothing can have moved across the gap, but no closer than this.
    pub smallest_step: f64,
}

/// What most tests use.
pub const NORMAL: Care = Care { samples: 64, smallest_step: 1e-3 };

/// Free: the oracle finds nothing on the whole motion. Contact: it finds nothing before the bracket, and nearness at its end.
///
/// # Errors
/// What is wrong with the verdict.
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

/// Nothing strictly before a time: the time itself is rounded.
fn nothing_before(world: &World, oracle: &Oracle<'_>, margin: f64, time: f64, care: Care) -> Judgement {
    if time <= 1e-9 { Ok(()) } else { nothing_until(world, oracle, margin, time - 1e-9, care) }
}

/// Free before this; all of it when the verdict is free.
pub fn free_before(verdict: &Verdict) -> f64 {
    match verdict {
        Verdict::Free => f64::INFINITY,
        Verdict::Contact(c) => c.free_until,
        Verdict::Undecided { free_until } => *free_until,
    }
}

/// Two verdicts about the same thing do not contradict each other: what one calls free is not surely touched by the other's contact.
/// `back` takes times of the second to times of the first. Nearly touching may be told either way.
///
/// # Errors
/// Both, where they do.
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

/// A small world must not stay undecided, and a bracket must be about as narrow as asked for.
///
/// # Errors
/// What is not sharp.
pub fn sharp(verdict: &Verdict) -> Judgement {
    match verdict {
        Verdict::Free => Ok(()),
        Verdict::Undecided { free_until } => Err(format!("undecided, free until {free_until}")),
        Verdict::Contact(c) if c.time.1 - c.time.0 > 10.0 * TIME_TOLERANCE => Err(format!("the bracket {:?} is wide", c.time)),
        Verdict::Contact(_) => Ok(()),
    }
}

/// Like [`sharp`], for an answer whose bracket says nothing about what came before.
///
/// # Errors
/// If it is undecided.
pub fn decided(verdict: &Verdict) -> Judgement {
    match verdict {
        Verdict::Free | Verdict::Contact(_) => Ok(()),
        Verdict::Undecided { free_until } => Err(format!("undecided, free until {free_until}")),
    }
}

/// The same word about the same thing, and brackets that meet.
///
/// # Errors
/// If not.
pub fn same(one: &Verdict, other: &Verdict) -> Judgement {
    let alike = match (one, other) {
        (Verdict::Contact(a), Verdict::Contact(b)) => a.time.0 <= b.time.1 && b.time.0 <= a.time.1,
        (Verdict::Free, Verdict::Free) | (Verdict::Undecided { .. }, Verdict::Undecided { .. }) => true,
        _ => false,
    };
    if alike { Ok(()) } else { Err(format!("{one:?}, but {other:?}")) }
}
