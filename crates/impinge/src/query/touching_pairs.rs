//! Everything that touches during a motion: all pairs of triangles within the margin, and when each begins and ends to touch. Problems (i),
//! (ii) and (iii) of Xavier 1997, section 3.3, for every kind of motion.
//!
//! ```text
//! pair of parts ─► candidate pairs of triangles over all slices ─► proven apart after all? dropped : reported ─► next pair of parts
//!                                                                                            │ with times: `narrow::contact_intervals`
//! ```
//! Complete: only pairs that are proven apart throughout are not reported. Each report says whether contact was proven, too. Pieces inside a
//! solid at t = 0 are reported first, each pair once. A round piece inside a round one is reported where the search finds it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::Error;
use crate::math::simd::dispatch;
use crate::motion::Span;
use crate::narrow::advance::{Moving, Outcome};
use crate::query::checker::Checker;
use crate::scene::{Motion, PartId};
use crate::search::obb::straight::Straight;
use crate::search::pairs::Task;
use crate::search::sweep::{MOST_LISTED, Mode, SCRATCH, SLICE, Search, Suspect, slices};
use crate::search::verdict::{Contact, ContactState, Tally};
use crate::search::{Goal, Query};

pub use crate::narrow::contact_intervals::TouchSpan;

/// Two items that touch at some time.
#[derive(Clone, Debug, PartialEq)]
pub struct TouchingPair {
    /// The two parts.
    pub parts: (PartId, PartId),
    /// Which of the parts' pieces.
    pub pieces: (usize, usize),
    /// Which triangles of the pieces' meshes; 0 for solids.
    pub triangles: (usize, usize),
    /// The first piece is inside of the second, a solid, when the motion begins; its triangles count as touching until surfaces meet, or as long
    /// as a round solid has all of them.
    pub contained: bool,
    /// Whether contact is proven, or a distance within margin and tolerance shown. If not, neither that nor separation could be proven.
    pub proven: bool,
    /// When they touch, in order; empty unless times are asked for.
    pub spans: Vec<TouchSpan>,
}

/// What is told of pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TouchOptions {
    /// When contacts begin and end, too.
    pub times: bool,
    /// Where contact is not proven throughout, it is proven at times at most this far apart: shorter gaps may be overlooked. Translations
    /// have none.
    pub resolution: f64,
}

impl Default for TouchOptions {
    fn default() -> Self {
        TouchOptions { times: false, resolution: 1.0 / 128.0 }
    }
}

/// Times at which a piece is looked for inside of a round one.
const LOOKS: u32 = 32;

/// Pieces, by part and number, that start inside of round ones: the inner one, the outer one, and whether the inner one is a single item, so
/// that the pair is found once by the search; all others here stay inside, and were told.
#[derive(Default)]
struct InsideRound(BTreeMap<[(usize, usize); 2], bool>);

impl InsideRound {
    fn key(parts: (PartId, PartId), pieces: (usize, usize)) -> [(usize, usize); 2] {
        [(parts.0.index(), pieces.0), (parts.1.index(), pieces.1)]
    }

    /// What is told of a pair that the search found, if anything is.
    fn told(&self, pair: TouchingPair) -> Option<TouchingPair> {
        let TouchingPair { parts, pieces, triangles, .. } = pair;
        let swapped = TouchingPair {
            parts: (parts.1, parts.0),
            pieces: (pieces.1, pieces.0),
            triangles: (triangles.1, triangles.0),
            ..pair.clone()
        };
        let known = |pair: &TouchingPair| self.0.get(&InsideRound::key(pair.parts, pair.pieces)).copied();
        match (known(&pair), known(&swapped)) {
            (Some(true), _) => Some(TouchingPair { contained: true, ..pair }),
            (_, Some(true)) => Some(TouchingPair { contained: true, ..swapped }),
            (Some(false), _) | (_, Some(false)) => None,
            (None, None) => Some(pair),
        }
    }
}

/// How telling ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// All that touches was told.
    All,
    /// The listener had heard enough.
    Stopped,
    /// The work limit ran out: there may be more.
    OutOfWork,
}

impl Checker {
    /// Tells of every pair of triangles (or solids) that is not proven to be farther apart than the margin throughout the motion: each once, in
    /// a fixed order, as they are found, until `tell` breaks.
    ///
    /// # Errors
    /// If something in the scene deforms, the resolution is not in (0, 1], or the motion belongs to another scene.
    pub fn touching_pairs(
        &self,
        motion: &Motion,
        options: TouchOptions,
        mut tell: impl FnMut(TouchingPair) -> ControlFlow<()>,
    ) -> Result<Told, Error> {
        self.scene().own(motion)?;
        if !self.index().deforming.is_empty() {
            return Err(Error::invalid("touching pairs", "something deforms; ask about rigid parts"));
        }
        if !(options.resolution > 0.0 && options.resolution <= 1.0) {
            return Err(Error::invalid("resolution", format!("{} is not between 0 and 1", options.resolution)));
        }
        let query = self.query(motion, Goal::First);
        let mut spent = Tally::default();
        let inside_round = match self.contained_pairs(&query, options, &mut spent, &mut tell) {
            ControlFlow::Break(()) => return Ok(Told::Stopped),
            ControlFlow::Continue(inside_round) => inside_round,
        };
        for tasks in [&self.index().tasks.standing, &self.index().tasks.tasks] {
            // Taken out, so that the listener may ask questions of its own.
            let mut scratch = SCRATCH.take();
            let mut search = Search::new(&query, tasks, &mut scratch);
            search.begin_with(spent);
            let told = (0..tasks.len()).try_for_each(|task| match search.suspects_of(task, &query, options) {
                None => ControlFlow::Break(Told::OutOfWork),
                Some(suspects) => suspects.chunk_by(|x, y| x.items == y.items).try_for_each(|same| {
                    if let Some(pair) = self.touching_pair(&mut search, &query, same, options).and_then(|p| inside_round.told(p))
                    {
                        tell(pair).map_break(|()| Told::Stopped)?;
                    }
                    if search.out_of_work() { ControlFlow::Break(Told::OutOfWork) } else { ControlFlow::Continue(()) }
                }),
            });
            spent = search.tally;
            SCRATCH.set(scratch);
            if let ControlFlow::Break(told) = told {
                return Ok(told);
            }
        }
        Ok(if query.limits.end_at(spent.work()) { Told::OutOfWork } else { Told::All })
    }

    /// Reports every piece that is inside of a solid at the start. What is inside of a round one is found by the search, too: that is returned.
    fn contained_pairs(
        &self,
        query: &Query<'_>,
        options: TouchOptions,
        spent: &mut Tally,
        tell: &mut impl FnMut(TouchingPair) -> ControlFlow<()>,
    ) -> ControlFlow<(), InsideRound> {
        let (mut found, mut unclear, motion) = (Vec::new(), false, query.motion);
        let _: ControlFlow<()> = self.index().containment.each(motion, 0.0, &mut unclear, |contact| {
            found.push(contact);
            ControlFlow::Continue(())
        });
        let told = |contact: &Contact, ends: (f64, f64), throughout: bool| {
            let (parts, pieces) = (contact.parts, (contact.features.0.piece, contact.features.1.piece));
            let span = TouchSpan { begins: (0.0, 0.0), ends, proven: true, throughout };
            let spans = if options.times { vec![span] } else { Vec::new() };
            TouchingPair { parts, pieces, triangles: (0, 0), contained: true, proven: true, spans }
        };
        let is_in_round = |c: &Contact| {
            let [_, (part, piece)] = InsideRound::key(c.parts, (c.features.0.piece, c.features.1.piece));
            c.state == ContactState::Contained && self.scene().parts[part].pieces[piece].shape.is_round()
        };
        for contact in found.into_iter().filter(|contact| !is_in_round(contact) && query.is_contained(contact)) {
            let (parts, pieces) = (contact.parts, (contact.features.0.piece, contact.features.1.piece));
            let ends = if options.times { self.surfaces_meet(query, parts, pieces, spent) } else { (1.0, 1.0) };
            tell(told(&contact, ends, true))?;
        }
        let mut inside_round = InsideRound::default();
        for contact in self.index().containment.inside_round(motion, 0.0, self.scene().checked_pairs()) {
            let [inner, outer] = InsideRound::key(contact.parts, (contact.features.0.piece, contact.features.1.piece));
            let is_item = self.scene().parts[inner.0].pieces[inner.1].shape.is_round();
            let leaves = if is_item { None } else { self.leaves_round(motion, &contact) };
            if !is_item {
                tell(told(&contact, leaves.unwrap_or((1.0, 1.0)), false))?;
            }
            if leaves.is_none() {
                inside_round.0.insert([inner, outer], is_item);
            }
        }
        ControlFlow::Continue(inside_round)
    }

    /// When a piece that starts inside of a round one may no longer be: not before the first of the bracket, at which it is still there. `None`
    /// if it is there at every time that is looked at.
    fn leaves_round(&self, motion: &Motion, contact: &Contact) -> Option<(f64, f64)> {
        let inner = (contact.parts.0, contact.features.0.piece);
        let outer = (contact.parts.1, contact.features.1.piece);
        let is_inside = |k: u32| self.index().containment.is_piece_inside(motion, f64::from(k) / f64::from(LOOKS), inner, outer);
        (1..=LOOKS).find(|&k| !is_inside(k)).map(|k| (f64::from(k - 1) / f64::from(LOOKS), 1.0))
    }

    /// When surfaces of two pieces first meet, in a bracket; `(1, 1)` if they do not. What is inside of a solid stays there until then. Where
    /// work runs out nothing is known of when: the bracket begins at 0.
    fn surfaces_meet(&self, query: &Query<'_>, parts: (PartId, PartId), pieces: (usize, usize), spent: &mut Tally) -> (f64, f64) {
        let wanted = [(parts.0.index(), pieces.0), (parts.1.index(), pieces.1)];
        let mut first = (1.0f64, 1.0f64);
        for tasks in [&self.index().tasks.standing, &self.index().tasks.tasks] {
            let mut scratch = SCRATCH.take();
            let mut search = Search::new(query, tasks, &mut scratch);
            search.begin_with(*spent);
            for (task, of) in tasks.iter().enumerate() {
                let (moving, resting) = (&self.index().tasks.moving[of.moving], &self.index().tasks.resting[of.resting]);
                let Some(side) = wanted.iter().position(|&w| w == (moving.part, moving.piece)) else { continue };
                let other = wanted[1 - side];
                if !resting.owners.iter().any(|o| (o.1, o.2) == other) {
                    continue;
                }
                let options = TouchOptions { times: true, ..TouchOptions::default() };
                let Some(suspects) = search.suspects_of(task, query, options) else {
                    first.0 = 0.0;
                    continue;
                };
                for s in suspects.iter().filter(|s| {
                    let o = resting.owner(s.items.resting);
                    (o.0, o.1) == other
                }) {
                    if search.out_of_work() {
                        first.0 = 0.0;
                        break;
                    }
                    match search.advance_first(s) {
                        Outcome::Free => {}
                        Outcome::Contact { lo, hi } => first = (first.0.min(lo), first.1.min(hi)),
                        Outcome::Undecided { lo } => first.0 = first.0.min(lo),
                    }
                }
            }
            *spent = search.tally;
            SCRATCH.set(scratch);
        }
        first
    }

    /// What is to be told of one pair, given where it is not proven apart; `None` if it is proven apart after all. When work runs out on the
    /// way, the rest is told as not proven.
    fn touching_pair(
        &self,
        search: &mut Search<'_>,
        query: &Query<'_>,
        same: &[Suspect],
        options: TouchOptions,
    ) -> Option<TouchingPair> {
        let task = search.tasks[same[0].items.task];
        let (moving, resting) = (&self.index().tasks.moving[task.moving], &self.index().tasks.resting[task.resting]);
        let (part, piece, item) = resting.owner(same[0].items.resting);
        let mut told = TouchingPair {
            parts: (self.scene().part_id(moving.part), self.scene().part_id(part)),
            pieces: (moving.piece, piece),
            triangles: (same[0].items.moving as usize, item),
            contained: false,
            proven: same.iter().any(|s| s.touches_at < f64::INFINITY),
            spans: Vec::new(),
        };
        let pair = Moving {
            pair: self.index().pair(&task, same[0].items.moving, same[0].items.resting),
            relative: &search.relatives[same[0].items.task],
            item_error: resting.item_error,
            sharpness: search.collector.sharpness,
        };
        let other_work = search.tally.work() - search.tally.pair_steps;
        let ended = |steps: u64| query.limits.end_at(other_work + steps);
        let steps = &mut search.tally.pair_steps;
        if options.times {
            let straight = is_straight(search.chain, &task, moving.frame, resting.frame);
            let spans = merged(same.iter().map(|s| s.span), straight);
            told.spans = spans.iter().flat_map(|&span| pair.spans(span, straight, options.resolution, steps, &ended)).collect();
            told.proven = told.spans.iter().any(|s| s.proven);
            return (!told.spans.is_empty()).then_some(told);
        }
        let mut open = told.proven;
        for suspect in same {
            if told.proven {
                break;
            }
            if ended(*steps) {
                open = true;
                break;
            }
            let asked = (&pair, suspect.span, &mut *steps);
            match dispatch(crate::search::sweep::any_avx2, crate::search::sweep::any_portable, asked) {
                Outcome::Free => {}
                Outcome::Contact { .. } => (open, told.proven) = (true, true),
                Outcome::Undecided { .. } => open = true,
            }
        }
        open.then_some(told)
    }
}

impl Search<'_> {
    /// Every pair of a task that is not proven apart, with all spans in which it is not; by pair, then by time. `None` if work ran out.
    fn suspects_of(&mut self, task: usize, query: &Query<'_>, options: TouchOptions) -> Option<Vec<Suspect>> {
        let n = slices(self.amount_of(task), SLICE);
        let mut all = match Straight::new(query, (task, &self.tasks[task]), !options.times) {
            Some(straight) => cut(straight.suspects(&mut self.tally)?, n)?,
            None => self.suspects_of_slices(task, n)?,
        };
        all.sort_by(|x, y| x.items.cmp(&y.items).then(x.span.from.total_cmp(&y.span.from)));
        Some(all)
    }

    /// The same by a search of one slice of time after another.
    fn suspects_of_slices(&mut self, task: usize, n: usize) -> Option<Vec<Suspect>> {
        self.mode = Mode::All;
        let mut all = Vec::new();
        for slice in 0..n {
            let root = self.scratch.timeline.reset(self.chain.joints.len(), Span::slice(slice, n));
            self.suspects.clear();
            if self.visit(std::iter::once(task), root).is_some() || all.len() + self.suspects.len() > MOST_LISTED {
                return None;
            }
            all.append(&mut self.suspects);
        }
        Some(all)
    }
}

/// Where contact is not proven, spans are cut into parts no longer than slices: more can be proven of a short one. `None` if these are more
/// than memory is meant for.
fn cut(mut suspects: Vec<Suspect>, slices: usize) -> Option<Vec<Suspect>> {
    for at in 0..suspects.len() {
        let s = suspects[at];
        let parts = if s.touches_at < f64::INFINITY { 1.0 } else { (s.span.length() * slices as f64).ceil().max(1.0) };
        if suspects.len() + parts as usize > MOST_LISTED {
            return None;
        }
        let mut from = s.span.from;
        for k in 1..=parts as usize {
            let share = k as f64 / parts;
            let to = if share < 1.0 { (s.span.from + share * s.span.length()).clamp(from, s.span.to) } else { s.span.to };
            let part = Suspect { span: Span::new(from, to), ..s };
            if k == 1 {
                suspects[at] = part
            } else {
                suspects.push(part)
            }
            from = to;
        }
    }
    Some(suspects)
}

/// Whether the one frame seen from the other is translated and never turned: nothing turns between them and what carries both.
fn is_straight(chain: &crate::motion::Chain, task: &Task, moving: usize, resting: usize) -> bool {
    let above = |frame: usize| std::iter::successors(Some(frame), |&f| (f > 0).then(|| chain.parents[f] as usize));
    let turns = |frame: usize| above(frame).take_while(|&f| f != task.ancestor).any(|f| chain.joints[f].rate != 0.0);
    !turns(moving) && !turns(resting)
}

/// Spans that touch or overlap become one; all of them where the times of contact are known to be one interval.
fn merged(spans: impl Iterator<Item = Span>, all: bool) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    for span in spans {
        match out.last_mut() {
            Some(last) if all || span.from <= last.to => last.to = last.to.max(span.to),
            _ => out.push(span),
        }
    }
    out
}
