//! Verifies a proof for two pieces: the product of A's items, B's items and time, divided until a direction separates each leaf.
//!
//! ```text
//! t        halve the span                             first the earlier half, then the later
//! a, b     divide A's or B's range of items           one number k: from..k, then k..to
//! A, B     a leaf                                     three numbers: a direction n that is fixed in A's or B's own coordinates
//! ```
//!
//! A leaf claims that during its span, along n, every point of A's range is farther than every point of B's by more than the margin times
//! |n|. Whatever the numbers are, the leaves cover all items and times: a division omits nothing.

use std::collections::BTreeMap;

use crate::interval::{Interval, ONE};
use crate::jet::{Jet, Vector, add, apply, dot, norm, scale, transpose};
use crate::motion::Moves;
use crate::read::{Proof, Scene};
use crate::shape::Points;
use crate::verifier::Problem;

/// The maximal number of halvings of the span of a proof; more never helps.
const MOST_HALVINGS: u32 = 40;
/// The maximal number of halvings of the span of one leaf.
const MOST_CUTS: u32 = 10;
/// The maximal number of cached motions over spans.
const REMEMBERED: usize = 4096;

/// The subject of a node: ranges of items, and a span in units of 2^-80.
#[derive(Clone, Copy)]
struct Node {
    a: (usize, usize),
    b: (usize, usize),
    span: (i128, i128),
    halvings: u32,
}

/// The state that all nodes share.
struct Check<'a> {
    scene: &'a Scene,
    moves: &'a Moves<'a>,
    proof: &'a Proof,
    margin: Interval,
    /// By span: A relative to B at its middle, and over all of it.
    motions: BTreeMap<(i128, i128), (Jet, Jet)>,
}

/// Verifies a proof and returns the number of its leaves.
///
/// # Errors
/// If it is not complete, or the claim of a leaf could not be shown.
pub fn proof(scene: &Scene, moves: &Moves<'_>, proof: &Proof, margin: Interval) -> Result<usize, Problem> {
    let items = |piece: (usize, usize)| (0, scene.shape(piece).items());
    // Every point of a described piece is within this distance of one of the file.
    let margin = margin + scene.piece(proof.a).within + scene.piece(proof.b).within;
    let mut check = Check { scene, moves, proof, margin, motions: BTreeMap::new() };
    let mut stack = vec![Node { a: items(proof.a), b: items(proof.b), span: (0, ONE), halvings: 0 }];
    let mut steps = proof.steps.bytes();
    let mut numbers = proof.numbers.iter().copied();
    let mut leaves = 0;
    while let Some(node) = stack.pop() {
        match steps.next() {
            Some(b't') if node.halvings < MOST_HALVINGS => {
                let middle = (node.span.0 + node.span.1) / 2;
                let half = |span| Node { span, halvings: node.halvings + 1, ..node };
                stack.extend([half((middle, node.span.1)), half((node.span.0, middle))]);
            }
            Some(b'a') => {
                let k = cut(node.a, numbers.next())?;
                stack.extend([Node { a: (k, node.a.1), ..node }, Node { a: (node.a.0, k), ..node }]);
            }
            Some(b'b') => {
                let k = cut(node.b, numbers.next())?;
                stack.extend([Node { b: (k, node.b.1), ..node }, Node { b: (node.b.0, k), ..node }]);
            }
            Some(side @ (b'A' | b'B')) => {
                let mut next = || numbers.next().map(Interval::of).ok_or_else(|| Problem::refused("a proof has too few numbers"));
                let direction = [next()?, next()?, next()?];
                leaves += 1;
                check.leaf(&node, side, &direction).map_err(|p| p.at(proof, leaves))?;
            }
            Some(b't') => return Err(Problem::refused("a proof halves a span too often")),
            Some(_) => return Err(Problem::refused("a proof has an unknown step")),
            None => return Err(Problem::refused("a proof does not cover all items and times")),
        }
    }
    if steps.next().is_some() || numbers.next().is_some() {
        return Err(Problem::refused("a proof continues after it covers all items and times"));
    }
    Ok(leaves)
}

/// Returns the place of a division: strictly inside the range, so that both parts are smaller.
fn cut((from, to): (usize, usize), at: Option<f64>) -> Result<usize, Problem> {
    let whole = at.map(|x| x as usize).filter(|&k| Some(k as f64) == at && from < k && k < to);
    whole.ok_or_else(|| Problem::refused("a proof divides a range at an invalid place"))
}

impl Check<'_> {
    /// Shows the claim of a leaf. The set whose coordinates fix the direction is at rest, and the other one moves.
    fn leaf(&mut self, node: &Node, side: u8, n: &Vector) -> Result<(), Problem> {
        let (a, b) = (self.scene.shape(self.proof.a).points(node.a), self.scene.shape(self.proof.b).points(node.b));
        let back = n.map(|c| -c);
        // Apart if (farthest of A along -n) + (farthest of B along n) + margin |n| < 0.
        let wanted = self.margin * norm(n);
        let (moving, along, rest) = match side {
            b'B' => (a, back, b.reach(n, wanted)),
            _ => (b, *n, a.reach(&back, wanted)),
        };
        let mut spans = vec![(node.span, 0)];
        while let Some((span, cuts)) = spans.pop() {
            let gap = self.reach_over(&moving, &along, side, span) + rest;
            if gap.is_negative() {
                continue;
            }
            let middle = (span.0 + span.1) / 2;
            if cuts == MOST_CUTS || self.is_false_at(&moving, &along, side, span, rest) {
                return Err(Problem::refused(not_shown(middle, gap, n)));
            }
            spans.extend([((middle, span.1), cuts + 1), ((span.0, middle), cuts + 1)]);
        }
        Ok(())
    }

    /// Bounds the extent of the moving set along a direction during a span.
    ///
    /// Proof. A point y is at height f(t) = a(t) . y + s(t), with a = R^T n and s = n . p. By Taylor's theorem, with m the middle of the
    /// span, h half its length and d = t - m: f(t) = f(m) + d f'(m) + d^2/2 f''(u) for some u of the span. The first two terms are linear in
    /// d, so that their maximum over all y is convex in d and largest at d = h or d = -h; the last is at most h^2/2 max(0, f''). QED
    fn reach_over(&mut self, moving: &Points<'_>, n: &Vector, side: u8, span: (i128, i128)) -> Interval {
        let h = Interval::point((span.1 - span.0) / 2);
        let (middle, whole) = self.motion(span);
        let (middle, whole) = if side == b'B' { (middle, whole) } else { (middle.inverse(), whole.inverse()) };
        let height = |jet: &Jet, k: usize| (apply(&transpose(&jet.rotation[k]), n), dot(n, &jet.position[k]));
        let ((a, s), (a1, s1), (a2, s2)) = (height(&middle, 0), height(&middle, 1), height(&whole, 2));
        let end = |h: Interval| moving.reach(&add(&a, &scale(&a1, h)), s + s1 * h);
        let bend = moving.reach(&a2, s2).max(Interval::ZERO);
        end(h).max(end(-h)) + h * h.divided(2) * bend
    }

    /// Tests whether the claim of a leaf is certainly false in the middle of a span, so that halving cannot help.
    fn is_false_at(&mut self, moving: &Points<'_>, n: &Vector, side: u8, span: (i128, i128), rest: Interval) -> bool {
        let (middle, _) = self.motion(span);
        let jet = if side == b'B' { middle } else { middle.inverse() };
        let far = moving.reach(&apply(&transpose(&jet.rotation[0]), n), dot(n, &jet.position[0])) + rest;
        far.is_anything() || far.lo() >= 0
    }

    fn motion(&mut self, span: (i128, i128)) -> (Jet, Jet) {
        if self.motions.len() > REMEMBERED {
            self.motions.clear();
        }
        let over = |t| self.moves.relative(self.proof.a, self.proof.b, t);
        let make = || (over(Interval::point((span.0 + span.1) / 2)), over(Interval::new(span.0, span.1)));
        *self.motions.entry(span).or_insert_with(make)
    }
}

fn not_shown(middle: i128, gap: Interval, n: &Vector) -> String {
    let t = Interval::point(middle).upper_f64();
    if gap.is_anything() {
        return format!("numbers are out of range near t = {t}");
    }
    let short = gap.upper_f64() / norm(n).upper_f64();
    format!("its direction is not proven to separate near t = {t}: the gap is {short:e} too small")
}
