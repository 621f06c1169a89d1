//! Branch and bound over pairs of nodes, depth first, the nearer child first.
//!
//! A pair is cut only if it is proven no closer than what was found (less what the limits allow). The smallest bound of all that was cut or
//! measured bounds the distance.

use super::pair::Placed;
use super::session::DistanceSession;
use super::{Distance, DistanceLimits, DistanceWitness};
use crate::exact::gjk::{Enough, length};
use crate::math::Vec3;
use crate::math::simd::dispatch;
use crate::shape::hull::HullTree;

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

struct Search<'a> {
    a: &'a HullTree,
    b: &'a HullTree,
    placed: &'a Placed,
    limits: DistanceLimits,
    session: &'a mut DistanceSession,
    /// The best found; infinite before.
    at_most: f64,
    witness: Option<Found>,
    /// Nothing cut or measured is closer.
    floor: f64,
}

/// Points in the frame of B, and the places of their triangles.
#[derive(Clone, Copy, Debug)]
struct Found {
    on_a: Vec3,
    on_b: Vec3,
    triangles: (u32, u32),
}

pub(super) fn run(
    a: &HullTree,
    b: &HullTree,
    placed: &Placed,
    limits: DistanceLimits,
    session: &mut DistanceSession,
) -> Distance {
    session.tally = Default::default();
    session.steps.clear();
    let mut search = Search { a, b, placed, limits, session, at_most: f64::INFINITY, witness: None, floor: f64::INFINITY };
    dispatch(descend_avx2, descend_portable, &mut search);
    search.answer()
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn descend_avx2(search: &mut Search<'_>) {
    search.descend();
}

fn descend_portable(search: &mut Search<'_>) {
    search.descend();
}

impl Search<'_> {
    /// What is proven to be farther than this need not be looked at.
    #[inline(always)]
    fn cut_above(&self) -> f64 {
        let DistanceLimits { stop_above, absolute, relative, .. } = self.limits;
        let room = if self.at_most < f64::INFINITY { absolute.max(relative * self.at_most) } else { 0.0 };
        (self.at_most - room).max(0.0).min(stop_above)
    }

    /// Whether nothing closer is asked for, or could be told from what was found.
    #[inline(always)]
    fn is_done(&self) -> bool {
        self.at_most <= self.limits.stop_below.max(2.0 * self.placed.error)
    }

    #[inline(always)]
    fn descend(&mut self) {
        let (i, k) = self.session.closest.take().filter(|_| self.session.tricks.closest_pair).unwrap_or((u32::MAX, u32::MAX));
        if (i as usize) < self.a.triangles.len() && (k as usize) < self.b.triangles.len() {
            let corners = self.placed_triangle(i);
            self.measure(&corners, (i, k), self.placed.position);
        }
        if let Some(root) = self.compare(0, 0, self.placed.position, 0.0) {
            self.session.steps.push(root);
        }
        while let Some(step) = self.session.steps.pop() {
            if self.is_done() || step.at_least > self.cut_above() {
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
        let (cut, error) = (self.cut_above(), self.placed.error);
        self.session.tally.balls += 1;
        let between = self.placed.place(node_a.center) - node_b.center;
        let at_least = (between.norm() - node_a.ball - node_b.ball - error).max(known);
        if at_least > cut {
            self.floor = self.floor.min(at_least);
            return None;
        }
        let tricks = self.session.tricks;
        let recalled = self.session.recall(a, b).copied();
        if tricks.cut_table && recalled.is_some_and(|e| e.opened) {
            return Some(Step { a, b, at_least, apart: first });
        }
        let (hull_a, hull_b) = (self.a.hull(node_a), self.b.hull(node_b));
        let start =
            recalled.filter(|_| tricks.simplices).and_then(|e| self.placed.simplex(hull_a, hull_b, &e.ids[..e.len as usize]));
        let fuzz = node_a.radius + node_b.radius + error;
        let enough = if tricks.stop_early { Enough { at_least: cut + fuzz, at_most: 0.0 } } else { Enough::ALL };
        self.session.tally.hulls += 1;
        let first = direction(first, between);
        let found = self.placed.hulls(hull_a, hull_b, first, start, enough, &mut self.session.tally.supports);
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
        let n = length(step.apart).map_or(Vec3::ZERO, |length| step.apart * (1.0 / length));
        for i in a.first..a.first + a.count {
            let corners = self.placed_triangle(i);
            let low = n.dot(corners[0]).min(n.dot(corners[1])).min(n.dot(corners[2]));
            for k in b.first..b.first + b.count {
                let t = &self.b.triangles[k as usize];
                let gap = low - n.dot(t[0]).max(n.dot(t[1])).max(n.dot(t[2])) - self.placed.error;
                if gap > self.cut_above() {
                    self.floor = self.floor.min(gap);
                } else {
                    self.measure(&corners, (i, k), step.apart);
                }
            }
        }
    }

    /// The corners of a triangle of A.
    #[inline(always)]
    fn placed_triangle(&self, i: u32) -> [Vec3; 3] {
        let [x, y, z] = self.a.triangles[i as usize];
        [self.placed.place(x), self.placed.place(y), self.placed.place(z)]
    }

    /// Measures one pair of triangles.
    #[inline(always)]
    fn measure(&mut self, corners: &[Vec3; 3], (i, k): (u32, u32), first: Vec3) {
        self.session.tally.triangles += 1;
        let other = &self.b.triangles[k as usize];
        let first = direction(first, corners[0] - other[0]);
        let m = self.placed.triangles(corners, other, first, self.cut_above(), &mut self.session.tally.supports);
        self.floor = self.floor.min(m.at_least);
        if m.at_most < self.at_most && m.at_most <= self.limits.stop_above {
            self.at_most = m.at_most;
            self.witness = Some(Found { on_a: m.on_a, on_b: m.on_b, triangles: (i, k) });
        }
    }

    fn answer(self) -> Distance {
        let world = |p: Vec3| self.placed.world_from_b.apply(p);
        self.session.closest = self.witness.map(|w| w.triangles);
        let witness = self.witness.map(|w| DistanceWitness {
            points: (world(w.on_a), world(w.on_b)),
            triangles: (self.a.ids[w.triangles.0 as usize], self.b.ids[w.triangles.1 as usize]),
        });
        Distance { at_least: self.floor.min(self.at_most).max(0.0), at_most: self.at_most, witness }
    }
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
