//! One deforming body against itself over a motion of a scene: the tree is the motion's, the test of two triangles is that of a step.
//!
//! ```text
//! (node, node) ─► boxes until the first contact known so far apart? drop
//!              ─► (n, n) splits into its halves with themselves and with each other
//!              ─► triangle × triangle ─► pairs of features that share no vertex ─► exact
//! ```
//! Unlike a [`super::StepChecker`] it runs on one thread, keeps nothing from one motion to the next, and ends when it is told to.

use super::Lines;
use super::features::{Fine, Side, owned};
use super::step::StepOptions;
use super::touch::{Found, StepAnswer};
use crate::Error;
use crate::exact::features::Settings;
use crate::math::Vec3;
use crate::math::rounding::next_up;
use crate::motion::VertexLines;
use crate::shape::tree::Box32;
use crate::shape::tree::lines::{LineNode, LineTree};

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
}

/// What of a body touches what else of it. `None` when `go_on`, which is told of units of work, ends the search.
///
/// # Errors
/// If the margin is negative or not finite.
pub(crate) fn own_contacts(
    lines: &VertexLines,
    owned: &Owned,
    query: &OwnQuery,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<Option<StepAnswer>, Error> {
    let extent = lines.tree.nodes.first().map_or(0.0, |root| root.over(0.0, 1.0).size().max_abs());
    let settings = query.settings(extent)?;
    let (start, end) = lines.given();
    let (origin, by) = (start.first().copied().unwrap_or(Vec3::ZERO), next_up(0.5 * query.margin));
    let boxes: Vec<Box32> = start.iter().zip(end).map(|(&a, &b)| Box32::of_line(a, b, origin, by)).collect();
    let side =
        Side { body: 0, triangles: lines.triangles(), owned: &owned.0, lines: Lines { start, end }, boxes: &boxes, names: None };
    let fine = Fine { a: side, b: side, own: true, start_unknown: true, settings };
    let radius = next_up(next_up(2.0 * lines.error) + query.margin);
    let mut walk =
        Walk { tree: &lines.tree, fine, found: Found::new(query.all).before(query.limit), radius, all: query.all, stack: vec![] };
    walk.stack.extend((!lines.tree.nodes.is_empty()).then_some((0, 0)));
    while let Some(nodes) = walk.stack.pop() {
        let before = walk.found.answer.tests;
        walk.visit(nodes);
        if !go_on(1 + walk.found.answer.tests - before) {
            return Ok(None);
        }
    }
    Ok(Some(walk.found.answer))
}

/// A walk of a tree in tandem with itself.
struct Walk<'a> {
    tree: &'a LineTree,
    fine: Fine<'a>,
    found: Found,
    /// Boxes farther apart than this hold nothing within the margin: each is off by at most the error of the lines.
    radius: f64,
    all: bool,
    stack: Vec<(u32, u32)>,
}

impl Walk<'_> {
    /// Drops a pair of nodes, splits it, or tests its triangles.
    fn visit(&mut self, (a, b): (u32, u32)) {
        let (x, y) = (&self.tree.nodes[a as usize], &self.tree.nodes[b as usize]);
        if a == b && !x.leaf {
            self.stack.extend([(x.first, x.second), (x.second, x.second), (x.first, x.first)]);
            return;
        }
        let until = self.found.limit().min(1.0);
        let (over, other) = (x.over(0.0, until), y.over(0.0, until));
        if a != b && over.grown(self.radius).apart(other) {
            return;
        }
        if x.leaf && y.leaf {
            self.triangles(x, y, a == b);
        } else if y.leaf || (!x.leaf && over.size().max_abs() >= other.size().max_abs()) {
            self.stack.extend([(x.second, b), (x.first, b)]);
        } else {
            self.stack.extend([(a, y.second), (a, y.first)]);
        }
    }

    /// Tests the triangles of two leaves, each pair once; a triangle does not meet itself.
    fn triangles(&mut self, x: &LineNode, y: &LineNode, same: bool) {
        let of = |n: &LineNode| &self.tree.order[n.first as usize..(n.first + n.second) as usize];
        for (i, &s) in of(x).iter().enumerate() {
            for &t in &of(y)[if same { i + 1 } else { 0 }..] {
                self.fine.pair(s, t, &mut self.found);
            }
        }
        if !self.all && self.found.keep_first() {
            self.stack.clear();
        }
    }
}
