//! Branch and bound over pairs of nodes, depth first, the nearer child first.
//!
//! A pair is cut only if it is proven no closer than what was found (less what the limits allow). The smallest bound of all that was cut or
//! measured bounds the distance.

use std::ops::ControlFlow;

use super::DistanceLimits;
use super::session::DistanceSession;
use crate::bvh::HullTree;
use crate::math::Vec3;
use crate::math::rounding::{U, next_down, next_up};
use crate::math::simd::dispatch;
use crate::narrow::gjk::{Enough, Simplex, length};
use crate::narrow::hull_pair::{self, Item, Measured, NodeHull, Placing};

/// A pair of nodes, not yet cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    a: u32,
    b: u32,
    /// They are at least this far apart.
    at_least: f64,
    /// A direction from B to A that shows it, or is a good first one.
    apart: Vec3,
}

/// Told of every pair of triangles, by their places, that is not proven farther apart than the limit.
pub(super) type Visit<'a> = &'a mut dyn FnMut((u32, u32), &Measured) -> ControlFlow<()>;

struct Search<'a, 'v, P> {
    a: &'a HullTree,
    b: &'a HullTree,
    placing: &'a P,
    limits: DistanceLimits,
    /// Radii of balls and capsules: distances of what is inside them are larger by these.
    rounding: f64,
    session: &'a mut DistanceSession,
    visit: Option<Visit<'v>>,
    /// The best found; infinite before.
    at_most: f64,
    witness: Option<Found>,
    /// Nothing cut or measured is closer.
    floor: f64,
    stopped: bool,
    out_of_work: bool,
}

/// Points in the frame of B, what they are made of, and the places of their triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub on_a: Vec3,
    pub on_b: Vec3,
    pub simplex: Simplex,
    pub triangles: (u32, u32),
}

impl Found {
    /// The points on the surfaces of balls and capsules, or a common one where these overlap.
    pub fn rounded(mut self, a: f64, b: f64) -> Self {
        let apart = self.on_a - self.on_b;
        let length = apart.norm();
        if a + b > 0.0 && length > 0.0 {
            let n = apart * (1.0 / length);
            let from_b = b.min(length);
            self.on_a = self.on_b + n * (length - a).max(from_b);
            self.on_b += n * from_b;
        }
        self
    }
}

/// What a search comes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub at_least: f64,
    pub at_most: f64,
    pub found: Option<Found>,
    /// The work limit was reached.
    pub out_of_work: bool,
}

/// The distance.
pub(super) fn run<P: Placing>(
    (a, b): (&HullTree, &HullTree),
    placing: &P,
    limits: DistanceLimits,
    session: &mut DistanceSession,
) -> Answer {
    search((a, b), placing, limits, session, None)
}

/// Every pair of triangles within `limits.stop_above`, until the visitor has seen enough.
pub(super) fn visit<P: Placing>(
    (a, b): (&HullTree, &HullTree),
    placing: &P,
    limits: DistanceLimits,
    session: &mut DistanceSession,
    visitor: Visit<'_>,
) {
    search((a, b), placing, limits, session, Some(visitor));
}

fn search<P: Placing>(
    (a, b): (&HullTree, &HullTree),
    placing: &P,
    limits: DistanceLimits,
    session: &mut DistanceSession,
    visit: Option<Visit<'_>>,
) -> Answer {
    session.tally = Default::default();
    session.steps.clear();
    let (at_most, floor) = (f64::INFINITY, f64::INFINITY);
    let rounding = a.rounding + b.rounding;
    let (stopped, out_of_work) = (false, false);
    let mut search =
        Search { a, b, placing, limits, rounding, session, visit, at_most, witness: None, floor, stopped, out_of_work };
    dispatch(descend_avx2, descend_portable, &mut search);
    let Search { at_most, witness, floor, out_of_work, .. } = search;
    session.closest = witness.map(|w| w.triangles);
    let (low, high) = (floor.min(at_most).max(0.0), at_most);
    let found = witness.map(|found| found.rounded(a.rounding, b.rounding));
    if rounding > 0.0 {
        // The sum of the radii and the differences round by u each.
        let slack = 4.0 * U * rounding;
        return Answer {
            at_least: (next_down(low - rounding) - slack).max(0.0),
            at_most: (next_up(high - rounding) + slack).max(0.0),
            found,
            out_of_work,
        };
    }
    Answer { at_least: low, at_most: high, found, out_of_work }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn descend_avx2<P: Placing>(search: &mut Search<'_, '_, P>) {
    search.descend();
}

fn descend_portable<P: Placing>(search: &mut Search<'_, '_, P>) {
    search.descend();
}

impl<P: Placing> Search<'_, '_, P> {
    /// What is proven to be farther than this need not be looked at.
    #[inline(always)]
    fn cut_above(&self) -> f64 {
        let DistanceLimits { stop_above, absolute, relative, .. } = self.limits;
        let room = if self.at_most < f64::INFINITY { absolute.max(relative * (self.at_most - self.rounding)) } else { 0.0 };
        (self.at_most - room).max(0.0).min(stop_above + self.rounding)
    }

    /// Whether nothing closer is asked for, or could be told from what was found.
    #[inline(always)]
    fn is_done(&self) -> bool {
        self.stopped || self.at_most <= self.limits.stop_below.max(2.0 * self.placing.error()) + self.rounding
    }

    #[inline(always)]
    fn descend(&mut self) {
        let (i, k) = self.session.closest.take().filter(|_| self.session.tricks.closest_pair).unwrap_or((u32::MAX, u32::MAX));
        if (i as usize) < self.a.triangles.len() && (k as usize) < self.b.triangles.len() {
            self.measure_hint((i, k));
        }
        if let Some(root) = self.compare(0, 0, self.placing.between(), 0.0) {
            self.session.steps.push(root);
        }
        while let Some(step) = self.session.steps.pop() {
            if self.is_done() || step.at_least > self.cut_above() {
                self.floor = self.floor.min(step.at_least);
                continue;
            }
            // What waits is as near as is known of it.
            if self.session.tally.work() >= self.limits.max_work {
                self.out_of_work = true;
                self.floor = self.floor.min(step.at_least);
                continue;
            }
            let (a, b) = (&self.a.nodes[step.a as usize], &self.b.nodes[step.b as usize]);
            if a.is_leaf() && b.is_leaf() {
                self.leaves(&step);
                continue;
            }
            let open_a = b.is_leaf() || (!a.is_leaf() && a.ball >= b.ball);
            let pairs = if open_a { [(a.left, step.b), (a.right, step.b)] } else { [(step.a, b.left), (step.a, b.right)] };
            let mut children = [None; 2];
            for (child, (a, b)) in children.iter_mut().zip(pairs) {
                *child = self.compare(a, b, step.apart, step.at_least);
            }
            let [left, right] = children;
            if left.is_none() && right.is_none() && self.session.tricks.cut_table {
                self.session.entry(step.a, step.b).into_iter().for_each(|e| e.opened = false);
            }
            match (left, right) {
                (Some(l), Some(r)) if l.at_least <= r.at_least => self.session.steps.extend([r, l]),
                (l, r) => self.session.steps.extend(l.into_iter().chain(r)),
            }
        }
    }

    /// Compares two nodes that are at least `known` apart; `None` if they are cut.
    #[inline(always)]
    fn compare(&mut self, a: u32, b: u32, first: Vec3, known: f64) -> Option<Step> {
        let (node_a, node_b) = (&self.a.nodes[a as usize], &self.b.nodes[b as usize]);
        let (cut, error, (grow_a, grow_b)) = (self.cut_above(), self.placing.error(), self.placing.stretch());
        self.session.tally.balls += 1;
        let (apart, between) = self.placing.points(node_a.center, node_b.center);
        let at_least = (apart - node_a.ball * grow_a - node_b.ball * grow_b - error).max(known);
        if at_least > cut {
            self.floor = self.floor.min(at_least);
            return None;
        }
        let tricks = self.session.tricks;
        let recalled = self.session.recall(a, b).copied();
        if tricks.cut_table && recalled.is_some_and(|e| e.opened) {
            return Some(Step { a, b, at_least, apart: first });
        }
        let (hull_a, hull_b) = (NodeHull(self.a.hull(node_a)), NodeHull(self.b.hull(node_b)));
        let start = recalled
            .filter(|_| tricks.simplices)
            .and_then(|e| hull_pair::simplex(self.placing, &hull_a, &hull_b, &e.ids[..e.len as usize]));
        let fuzz = node_a.radius * grow_a + node_b.radius * grow_b + error;
        let enough = if tricks.stop_early { Enough { at_least: cut + fuzz, ..Enough::ALL } } else { Enough::ALL };
        self.session.tally.hulls += 1;
        let first = direction(first, between);
        let supports = &mut self.session.tally.supports;
        let found = hull_pair::compare(self.placing, (&hull_a, &hull_b), first, start, enough, supports);
        let at_least = if found.at_least - fuzz > at_least { found.at_least - fuzz } else { at_least };
        let is_cut = at_least > cut;
        if let Some(entry) = self.session.entry(a, b) {
            let vertices = found.simplex.vertices();
            entry.len = vertices.len().min(3) as u8;
            vertices.iter().take(3).enumerate().for_each(|(i, v)| entry.ids[i] = v.ids);
            entry.opened = !is_cut;
        }
        if is_cut {
            self.floor = self.floor.min(at_least);
            return None;
        }
        Some(Step { a, b, at_least, apart: found.apart })
    }

    /// Measures the triangles of two leaves that the direction between these does not keep far enough apart.
    #[inline(always)]
    fn leaves(&mut self, step: &Step) {
        let (a, b) = (&self.a.nodes[step.a as usize], &self.b.nodes[step.b as usize]);
        if self.a.solid.is_some() || self.b.solid.is_some() {
            return self.solids(step);
        }
        let n = length(step.apart).map_or(Vec3::ZERO, |length| step.apart * (1.0 / length));
        for i in a.first..a.first + a.count {
            let corners = self.placing.place_a(&self.a.triangles[i as usize]);
            let low = self.placing.lowest(&corners, n);
            for k in b.first..b.first + b.count {
                let other = self.placing.place_b(&self.b.triangles[k as usize]);
                let gap = low - self.placing.highest(&other, n) - self.placing.error();
                if gap > self.cut_above() {
                    self.floor = self.floor.min(gap);
                } else {
                    self.measure((&corners, &other), (i, k), step.apart);
                }
            }
        }
    }

    /// The same where one of them, or both, is a box or a cylinder.
    #[cold]
    fn solids(&mut self, step: &Step) {
        let (a, b) = (&self.a.nodes[step.a as usize], &self.b.nodes[step.b as usize]);
        let (trees, cut) = ((self.a, self.b), |s: &Self| s.cut_above());
        for i in a.first..a.first + a.count {
            for k in b.first..b.first + b.count {
                self.session.tally.triangles += 1;
                let (x, y) = (item(trees.0, i), item(trees.1, k));
                let first = direction(step.apart, self.placing.between());
                let measured = hull_pair::items(self.placing, &x, &y, first, cut(self), &mut self.session.tally.supports);
                self.note(&measured, (i, k));
            }
        }
    }

    /// The pair that was closest the last time.
    fn measure_hint(&mut self, (i, k): (u32, u32)) {
        if self.a.solid.is_some() || self.b.solid.is_some() || self.visit.is_some() {
            return;
        }
        let pair = (self.placing.place_a(&self.a.triangles[i as usize]), self.placing.place_b(&self.b.triangles[k as usize]));
        self.measure((&pair.0, &pair.1), (i, k), self.placing.between());
    }

    /// Measures one pair of triangles.
    #[inline(always)]
    fn measure(&mut self, pair: (&P::A, &P::B), at: (u32, u32), first: Vec3) {
        self.session.tally.triangles += 1;
        let first = direction(first, self.placing.between());
        let m = hull_pair::triangles(self.placing, pair, first, self.cut_above(), &mut self.session.tally.supports);
        self.note(&m, at);
    }

    #[inline(always)]
    fn note(&mut self, m: &Measured, triangles: (u32, u32)) {
        self.floor = self.floor.min(m.at_least);
        if let Some(visit) = &mut self.visit {
            if !self.stopped && !(m.at_least > self.limits.stop_above + self.rounding) {
                self.stopped = visit(triangles, m).is_break();
            }
        } else if m.at_most < self.at_most && m.at_most <= self.limits.stop_above + self.rounding {
            self.at_most = m.at_most;
            self.witness = Some(Found { on_a: m.on_a, on_b: m.on_b, simplex: m.simplex, triangles });
        }
    }
}

fn item(tree: &HullTree, at: u32) -> Item {
    tree.solid.map_or_else(|| Item::Triangle(tree.triangles[at as usize]), Item::Solid)
}

/// The first of two vectors that is long enough for a direction, or any.
#[inline(always)]
fn direction(first: Vec3, second: Vec3) -> Vec3 {
    if length(first).is_some() {
        first
    } else if length(second).is_some() {
        second
    } else {
        Vec3::unit(0)
    }
}
