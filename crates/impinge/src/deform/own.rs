//! One deforming body against itself over a motion of a scene: the tree is the motion's, the test of two triangles is that of a step.
//!
//! ```text
//! (node, node) ─► boxes until the first contact known so far apart? drop
//!              ─► (n, n) splits into its halves with themselves and with each other
//!              ─► triangle × triangle ─► pairs of features that share no vertex ─► exact
//! ```
//! Unlike a [`super::StepChecker`] it runs on one thread, keeps nothing from one motion to the next, and ends when it is told to.
//!
//! Vertices that are off by up to e ([`crate::Mesh::within`]) are two features that are off by 2 e against each other: what is farther apart
//! than the margin and 2 e, as given, is free; what is within the margin less 2 e is in contact. Between these it is within the tolerance
//! where that is at least 4 e, and undecided where it is not.

use std::ops::ControlFlow;

use super::Lines;
use super::features::{Fine, Side, owned};
use super::step::StepOptions;
use super::touch::{Found, MOST_CONTACTS, StepAnswer};
use crate::Error;
use crate::bvh::Box32;
use crate::bvh::tree::{Next, NodePair, TreePair};
use crate::math::Vec3;
use crate::math::rounding::{next_down, next_up};
use crate::motion::VertexLines;
use crate::narrow::features::Settings;

/// What a body answers for, see [`owned`]; it depends on its triangles alone.
#[derive(Clone, Debug)]
pub(crate) struct Owned(Vec<u8>);

impl Owned {
    pub fn new(triangles: &[[u32; 3]]) -> Self {
        Owned(owned(triangles))
    }
}

/// What is asked of a motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnQuery {
    pub margin: f64,
    /// Absolute, metres.
    pub tolerance: f64,
    pub time_tolerance: f64,
    /// Contacts that begin after this are not wanted.
    pub limit: f64,
    /// All contacts, not only the first.
    pub all: bool,
}

impl OwnQuery {
    /// The settings of one pair of features of a body that fits into a box with sides up to `extent` at all times.
    ///
    /// Settings take a tolerance relative to the size of a pair: the largest coordinates of two edges and of a gap, each at most `extent`.
    /// Divided by four times that, the tolerance of every pair is below the absolute one.
    fn settings(&self, extent: f64) -> Result<Settings, Error> {
        let relative = if extent > 0.0 { self.tolerance / (4.0 * extent) } else { 0.0 };
        let tolerance = relative.min(Settings::default().tolerance);
        Ok(Settings { tolerance, time_tolerance: self.time_tolerance, ..StepOptions::settings(self.margin)? })
    }

    /// What has to be farther apart as given, so that it is farther apart than the margin as described: features are `off` by so much
    /// against each other. What this calls a contact is one within the tolerance, if there is any left.
    fn grown(&self, off: f64) -> OwnQuery {
        let left = self.tolerance - 2.0 * off;
        OwnQuery { margin: next_up(self.margin + off), tolerance: if left >= 0.0 { left } else { self.tolerance }, ..*self }
    }

    /// What is this near as given is within the margin as described, if anything is proven to be.
    fn shrunk(&self, off: f64) -> Option<OwnQuery> {
        (self.margin > off).then(|| OwnQuery { margin: next_down(self.margin - off).max(0.0), ..*self })
    }
}

/// What a search of a body against itself comes to.
#[derive(Clone, Debug)]
pub(crate) struct OwnAnswer {
    /// What was found; undecided from the start on where the search was ended.
    pub found: StepAnswer,
    /// Nothing ended the search.
    pub complete: bool,
}

/// What of a body touches what else of it. `go_on`, which is told of units of work, may end the search.
///
/// # Errors
/// If the margin is negative or not finite.
pub(crate) fn own_contacts(
    lines: &VertexLines,
    owned: &Owned,
    query: &OwnQuery,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<OwnAnswer, Error> {
    let off = 2.0 * lines.within();
    if off == 0.0 {
        return own_contacts_as_given(lines, owned, query, &mut go_on);
    }
    let mut near = own_contacts_as_given(lines, owned, &query.grown(off), &mut go_on)?;
    near.found.contacts.iter_mut().for_each(|touch| touch.certified = false);
    // All that may touch is listed; a contact within the tolerance needs no proof.
    if query.all || near.found.is_free() || 2.0 * off <= query.tolerance {
        return Ok(near);
    }
    let free_until = near.found.free_until();
    let mut proven = match query.shrunk(off) {
        Some(shrunk) => own_contacts_as_given(lines, owned, &shrunk, &mut go_on)?,
        None => OwnAnswer { found: StepAnswer::default(), complete: true },
    };
    proven.found.doubt(Some(free_until));
    Ok(OwnAnswer { complete: near.complete && proven.complete, ..proven })
}

/// The same for vertices that are where they are given.
fn own_contacts_as_given(
    lines: &VertexLines,
    owned: &Owned,
    query: &OwnQuery,
    go_on: &mut impl FnMut(u64) -> bool,
) -> Result<OwnAnswer, Error> {
    let extent = lines.tree.nodes.first().map_or(0.0, |root| root.volume.over(0.0, 1.0).size().max_abs());
    let settings = query.settings(extent)?;
    let (start, end) = lines.given();
    let (origin, by) = (start.first().copied().unwrap_or(Vec3::ZERO), next_up(0.5 * query.margin));
    let boxes: Vec<Box32> = start.iter().zip(end).map(|(&a, &b)| Box32::of_line(a, b, origin, by)).collect();
    let side =
        Side { body: 0, triangles: lines.triangles(), owned: &owned.0, lines: Lines { start, end }, boxes: &boxes, names: None };
    let fine = Fine { a: side, b: side, own: true, start_unknown: true, settings };
    // Boxes farther apart than this hold nothing within the margin: each is off by at most the error of the lines.
    let radius = next_up(next_up(2.0 * lines.error) + query.margin);
    let mut found = Found::new(query.all).before(query.limit);
    let tree = &lines.tree;
    let trees = TreePair { a: tree, b: tree, own: true };
    let mut stack: Vec<(u32, u32, ())> = (!tree.nodes.is_empty()).then_some((0, 0, ())).into_iter().collect();
    let flow = trees.traverse(&mut stack, |NodePair { a, b, .. }| {
        let (before, mut next, leaves) = (found.work(), Next::OpenFirst, trees.leaves(a, b));
        let until = found.limit().min(1.0);
        let (over, other) = (tree.nodes[a as usize].volume.over(0.0, until), tree.nodes[b as usize].volume.over(0.0, until));
        if a != b && over.grown(radius).apart(other) {
            next = Next::Prune;
        } else if leaves {
            test_leaves(&fine, (tree.items(a), tree.items(b)), a == b, &mut found);
        } else if over.size().max_abs() < other.size().max_abs() {
            next = Next::OpenSecond;
        }
        let work = 1 + found.work() - before;
        if !go_on(work) || found.answer.contacts.len() > MOST_CONTACTS {
            ControlFlow::Break(Stop::OutOfWork)
        } else if leaves && !query.all && found.keep_first() {
            ControlFlow::Break(Stop::Decided)
        } else {
            ControlFlow::Continue(next)
        }
    });
    let mut answer = found.answer;
    if flow == ControlFlow::Break(Stop::OutOfWork) {
        answer.doubt(Some(0.0));
        return Ok(OwnAnswer { found: answer, complete: false });
    }
    Ok(OwnAnswer { found: answer, complete: true })
}

/// Why a traversal ends early.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stop {
    OutOfWork,
    /// Nothing earlier can be found.
    Decided,
}

/// Tests the triangles of two leaves, each pair once; a triangle does not meet itself.
fn test_leaves(fine: &Fine<'_>, (x, y): (&[u32], &[u32]), same: bool, found: &mut Found) {
    for (i, &s) in x.iter().enumerate() {
        for &t in &y[if same { i + 1 } else { 0 }..] {
            fine.pair(s, t, found);
        }
    }
}
