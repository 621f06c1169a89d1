//! The tree of a proof: cut time, A or B until a direction separates what is left.

use super::items::{Items, Range};
use super::separate;
use crate::math::pose::Placement;
use crate::math::{Mat3, Vec3};
use crate::motion::chain::{Errors, Rates};
use crate::motion::{Chain, LinkState, Span, Tube};

/// Nodes of all proofs of a motion together, at most: some ten megabytes of text.
pub(super) const MOST_NODES: usize = 300_000;
/// How often time is halved, at most.
const MOST_HALVINGS: u32 = 36;
/// A leaf is made only where it holds with this much more of the tube's radius than needed: others bound motions differently.
const SPARE: f64 = 1.1;

/// One piece and how it is carried; what is in the world is placed relative to the motion's origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a> {
    pub frame: usize,
    pub placement: Placement,
    pub items: &'a Items,
}

/// A tree in preorder: a letter for every node, and the numbers they need.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub steps: String,
    pub numbers: Vec<f64>,
}

/// Whose coordinates a direction is fixed in.
#[derive(Clone, Copy, PartialEq)]
enum Fixed {
    A,
    B,
}

#[derive(Clone, Copy)]
struct Node {
    a: usize,
    b: usize,
    span: Span,
    halvings: u32,
}

#[derive(Clone, Copy, PartialEq)]
enum Cut {
    Time,
    A,
    B,
}

pub(super) struct Prover<'a> {
    chain: &'a Chain,
    a: Side<'a>,
    b: Side<'a>,
    margin: f64,
    /// Of A's and B's frames, relative to the lowest frame that carries both.
    rates: (Rates, Rates),
}

impl<'a> Prover<'a> {
    pub fn new(chain: &'a Chain, a: Side<'a>, b: Side<'a>, margin: f64) -> Self {
        let (mut f, mut g) = (a.frame, b.frame);
        while f != g {
            if f > g { f = chain.parents[f] as usize } else { g = chain.parents[g] as usize }
        }
        Prover { chain, a, b, margin, rates: (chain.rates_from(f, a.frame), chain.rates_from(f, b.frame)) }
    }

    /// The proof; `None` when there is no work left, of which it takes its share.
    pub fn prove(&self, work: &mut usize) -> Option<Tree> {
        let mut tree = Tree::default();
        let mut stack = vec![Node { a: 0, b: 0, span: Span::new(0.0, 1.0), halvings: 0 }];
        while let Some(node) = stack.pop() {
            *work = work.checked_sub(1)?;
            if let Some((fixed, n)) = self.leaf(&node) {
                tree.steps.push(if fixed == Fixed::A { 'A' } else { 'B' });
                tree.numbers.extend(n.to_array());
                continue;
            }
            let cut = self.best_cut(&node)?;
            tree.steps.push(match cut {
                Cut::Time => 't',
                Cut::A => 'a',
                Cut::B => 'b',
            });
            let [first, second] = self.halves(&node, cut)?;
            match cut {
                Cut::Time => {}
                Cut::A => tree.numbers.push(self.range_a(&second).from as f64),
                Cut::B => tree.numbers.push(self.range_b(&second).from as f64),
            }
            stack.extend([second, first]);
        }
        Some(tree)
    }

    fn range_a(&self, node: &Node) -> &Range {
        &self.a.items.ranges[node.a]
    }

    fn range_b(&self, node: &Node) -> &Range {
        &self.b.items.ranges[node.b]
    }

    fn halves(&self, node: &Node, cut: Cut) -> Option<[Node; 2]> {
        match cut {
            Cut::Time => {
                let (s, m) = (node.span, node.span.middle());
                let half = |span| Node { span, halvings: node.halvings + 1, ..*node };
                (node.halvings < MOST_HALVINGS).then(|| [half(Span::new(s.from, m)), half(Span::new(m, s.to))])
            }
            Cut::A => self.range_a(node).halves.map(|(x, y)| [Node { a: x, ..*node }, Node { a: y, ..*node }]),
            Cut::B => self.range_b(node).halves.map(|(x, y)| [Node { b: x, ..*node }, Node { b: y, ..*node }]),
        }
    }

    /// The cut after which most is done; among equals the one of what is largest.
    fn best_cut(&self, node: &Node) -> Option<Cut> {
        let (a, b) = (self.range_a(node), self.range_b(node));
        let tube = self.tube(node.span, Fixed::B);
        let (_, way) = tube.line(a.center);
        let travel = 2.0 * way.norm() + node.span.length() * tube.spin_local.norm() * a.diameter + 2.0 * tube.radius(a.reach);
        let sizes = [(Cut::Time, travel), (Cut::A, a.diameter), (Cut::B, b.diameter)];
        let done = |halves: &[Node; 2]| halves.iter().filter(|n| self.leaf(n).is_some()).count();
        let options = sizes.iter().filter_map(|&(cut, size)| Some((cut, done(&self.halves(node, cut)?), size)));
        options.max_by(|x, y| x.1.cmp(&y.1).then(x.2.total_cmp(&y.2))).map(|(cut, ..)| cut)
    }

    /// A direction that separates the two ranges over the span, and whose coordinates it is fixed in.
    fn leaf(&self, node: &Node) -> Option<(Fixed, Vec3)> {
        let (a, b) = ((self.a.items, self.range_a(node)), (self.b.items, self.range_b(node)));
        let seen_from_b = || Some((Fixed::B, Sweep::new(&self.tube(node.span, Fixed::B), a, b, self.margin).direction()?));
        // Seen from A, B is the one that moves, and the direction points the other way.
        let seen_from_a = || Some((Fixed::A, -Sweep::new(&self.tube(node.span, Fixed::A), b, a, self.margin).direction()?));
        seen_from_b().or_else(seen_from_a)
    }

    /// How the other side moves over a span, in the coordinates of the one that is fixed.
    fn tube(&self, span: Span, fixed: Fixed) -> Tube {
        let (middle, half) = (span.middle(), span.half());
        let state = |frame: usize| if frame == 0 { LinkState::WORLD } else { self.chain.state(frame, middle, half) };
        let errors = |frame: usize| if frame == 0 { Errors::default() } else { self.chain.errors[frame] };
        let (states, errors) = ((state(self.a.frame), state(self.b.frame)), (errors(self.a.frame), errors(self.b.frame)));
        let a = (&states.0, &errors.0, &self.a.placement);
        let b = (&states.1, &errors.1, &self.b.placement);
        match fixed {
            Fixed::B => Tube::between(a, b, self.rates, Vec3::ZERO, span),
            Fixed::A => Tube::between(b, a, (self.rates.1, self.rates.0), Vec3::ZERO, span),
        }
    }
}

/// One range that sweeps along straight lines, and one that rests.
struct Sweep<'a> {
    /// Where the moving piece is at both ends of its lines.
    ends: [(Mat3, Vec3); 2],
    moving: (&'a Items, &'a Range),
    resting: (&'a Items, &'a Range),
    /// How far apart the swept points must be.
    wanted: f64,
}

impl<'a> Sweep<'a> {
    fn new(tube: &Tube, moving: (&'a Items, &'a Range), resting: (&'a Items, &'a Range), margin: f64) -> Self {
        let end = |h: f64| {
            let rotation = tube.rotation.add(&tube.rotation_rate.scale(h)).mat3();
            (rotation, tube.position.add(tube.velocity.scale(h)).vec3())
        };
        let wanted = (margin + moving.0.radius() + resting.0.radius() + SPARE * tube.radius(moving.1.reach)) * (1.0 + 1e-12);
        Sweep { ends: [end(tube.half), end(-tube.half)], moving, resting, wanted }
    }

    /// The point of the swept range that is farthest along n.
    fn swept(&self, n: Vec3) -> Vec3 {
        let [x, y] = self.ends.map(|(rotation, position)| {
            let local = self.moving.0.farthest(self.moving.1, rotation.transpose_mul(n));
            rotation * local + position
        });
        if x.dot(n) >= y.dot(n) { x } else { y }
    }

    /// From the resting range to the moving one, with as few digits as will do.
    fn direction(&self) -> Option<Vec3> {
        let farthest = |n: Vec3| self.swept(n) - self.resting.0.farthest(self.resting.1, -n);
        let (rotation, position) = self.ends[0];
        let first = rotation * self.moving.1.center + position - self.resting.1.center;
        let start = if first.norm() > 0.0 { farthest(-first) } else { farthest(Vec3::unit(0)) };
        let n = separate::direction(farthest, start, self.wanted)?;
        let rounded = |digits: f64| Vec3::from(n.to_array().map(|c| (c * digits).round() / digits));
        let holds = |n: &Vec3| n.dot(farthest(-*n)) > self.wanted * n.norm();
        [rounded(100.0), rounded(1e4), rounded(1e7), n].into_iter().find(holds)
    }
}
