//! Distance of two convex hulls by support points (Gilbert, Johnson and Keerthi 1988), with a bound on either side.
//!
//! With W = A - B the distance is that of W from the origin. A simplex of up to four points of W has a point v nearest to the origin: the
//! distance is at most |v|. Along v no point of W is lower than the support point w: the distance is at least v·w / |v|, for *any* v.
//!
//! ```text
//!     o ---- v            at most |v|: the ends of v are points of A and of B
//!     |\     :            at least v·w / |v|, if w is the lowest of all points: whoever scans all vertices need trust nothing else
//!     | `--- w
//! ```
//! Both hold whatever rounding does to v; what it does to the two numbers is for the caller to add.

use crate::math::Vec3;
use crate::math::rounding::U;
use crate::narrow::simplex::surrounds_origin;
pub(crate) use crate::narrow::simplex::{Simplex, Vertex};

/// What is known about two hulls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// At least this far apart, if supports were exhaustive; before rounding.
    pub at_least: f64,
    /// The direction that shows it, from B to A.
    pub apart: Vec3,
    /// Carries the closest points found; their distance is no less than that of the hulls.
    pub simplex: Simplex,
    /// They share a point: proven, with points off by `error` at most.
    pub overlapping: bool,
}

/// When to stop before the two bounds meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Enough {
    /// At least this far apart.
    pub at_least: f64,
    /// Within this.
    pub at_most: f64,
    /// Whether the upper bound is wanted as closely as the lower one: near contact it takes longer.
    pub insist: bool,
}

impl Enough {
    /// Never.
    pub const ALL: Enough = Enough { at_least: f64::INFINITY, at_most: 0.0, insist: false };
}

/// Two convex bodies, by their support points. A trait and not a closure, so that it is compiled with its caller's instructions.
pub(crate) trait Bodies {
    /// The vertex of A - B with the least d·w.
    fn support(&mut self, d: Vec3) -> Vertex;
}

/// A vector whose square is below this is no direction: its length would be off by more than rounding.
const SHORT: f64 = 1e-280;

/// The length of a direction; `None` if it is too short to be one.
#[inline(always)]
pub(crate) fn length(d: Vec3) -> Option<f64> {
    let square = d.norm_squared();
    (square > SHORT).then(|| square.sqrt())
}

/// Rounds: convergence takes about five.
const ROUNDS: usize = 100;
/// Rounds in a row that may bring nothing, near contact.
const IDLE: usize = 40;
/// A bracket wider than this many errors, of 64 u of the size each, is searched again from other vertices: 5e-10 of the size.
const LOOSE: f64 = (1u64 << 16) as f64;
/// Directions beside the last one that lead to those, level with no edge of a usual body.
const SKEW: [Vec3; 6] = [
    Vec3::new(0.31, -0.17, 0.23),
    Vec3::new(-0.13, 0.37, -0.29),
    Vec3::new(0.19, 0.41, -0.07),
    Vec3::new(-1.7, 0.9, 1.3),
    Vec3::new(1.1, -1.9, 0.7),
    Vec3::new(0.8, 1.2, -2.3),
];

/// Four vertices in four directions (or the four opposite ones) that surround the origin: what overlaps deeply is proven to, even where
/// the search ended on a face because everything is symmetric.
#[cold]
fn surround(bodies: &mut impl Bodies, error: f64) -> Option<Simplex> {
    [1.0, -1.0].into_iter().find_map(|s| {
        let directions = [Vec3::new(s, s, s), Vec3::new(s, -s, -s), Vec3::new(-s, s, -s), Vec3::new(-s, -s, s)];
        let simplex = Simplex::around_origin(directions.map(|d| bodies.support(d)));
        surrounds_origin(simplex.corners(), error).then_some(simplex)
    })
}

impl Nearest {
    /// What is known before the search.
    #[inline(always)]
    fn begin(first: Vec3, known: Option<Simplex>, bodies: &mut impl Bodies) -> Self {
        let (apart, at_least, overlapping) = (first, f64::NEG_INFINITY, false);
        if let Some(simplex) = known {
            return Nearest { at_least, apart, simplex, overlapping };
        }
        let w = bodies.support(first);
        let at_least = length(first).map_or(at_least, |length| first.dot(w.w()) / length);
        Nearest { at_least, apart, simplex: Simplex::of(w), overlapping }
    }

    /// Between the bounds, if |v| is the root of `square`.
    #[inline(always)]
    fn gap(&self, square: f64) -> f64 {
        square.sqrt() - self.at_least.max(0.0)
    }

    /// Goes on from a simplex that brought nothing, and from others while the bounds are far apart; the square of the upper one.
    #[cold]
    fn insist(&mut self, stalled: Simplex, bodies: &mut impl Bodies, square: f64, error: f64) -> f64 {
        let mut square = self.go_on(stalled, bodies, square, error);
        for skew in SKEW {
            if self.overlapping || self.gap(square) <= LOOSE * error {
                break;
            }
            let apart = self.simplex.nearest();
            let from = Simplex::of(bodies.support(apart + skew * apart.norm()));
            square = self.go_on(from, bodies, square, error);
        }
        square
    }

    /// Goes on where a new vertex brought nothing that rounding shows: where v is level with an edge of a body, that vertex may be the wrong
    /// end of it, and the next direction, with what it adds, finds the right one. The best simplex stays; the square of its distance.
    fn go_on(&mut self, mut simplex: Simplex, bodies: &mut impl Bodies, mut square: f64, error: f64) -> f64 {
        let mut idle = 0;
        for _ in 0..ROUNDS {
            let v = simplex.nearest();
            let Some(length) = length(v) else { break };
            let next = bodies.support(v);
            let height = v.dot(next.w()) / length;
            if height > self.at_least {
                (self.at_least, self.apart) = (height, v);
            }
            if idle > IDLE || length - height <= 4.0 * error || simplex.vertices().iter().any(|s| s.w() == next.w()) {
                break;
            }
            self.overlapping = simplex.add(next) && surrounds_origin(simplex.corners(), error);
            let closer = simplex.nearest().norm_squared();
            idle = if closer < square { 0 } else { idle + 1 };
            if self.overlapping || closer < square {
                (self.simplex, square) = (simplex, closer);
            }
            if simplex.vertices().len() == 4 {
                break;
            }
        }
        square
    }

    /// Near contact v is mostly rounding, and a direction that is off by little lets a distant corner of a face be lower. The normal of the
    /// face that v ends on is not.
    #[inline(always)]
    fn sharpen(&mut self, at_most: f64, bodies: &mut impl Bodies) {
        if self.simplex.vertices().len() != 3 || at_most - self.at_least <= 64.0 * U * at_most {
            return;
        }
        let [a, b, c, _] = self.simplex.corners();
        let n = (b - a).cross(c - a);
        let n = if n.dot(a) < 0.0 { -n } else { n };
        let Some(length) = length(n) else { return };
        let height = n.dot(bodies.support(n).w()) / length;
        if height > self.at_least {
            (self.at_least, self.apart) = (height, n);
        }
    }
}

/// Closes in on the distance from a simplex of the bodies' points, or along a first direction if that is given.
///
/// Stops when both bounds are within 4 u, or as `enough` says.
#[inline(always)]
pub(crate) fn nearest(first: Vec3, known: Option<Simplex>, bodies: &mut impl Bodies, enough: Enough, error: f64) -> Nearest {
    let mut best = Nearest::begin(first, known, bodies);
    if best.at_least > enough.at_least {
        return best;
    }
    let mut v = best.simplex.nearest();
    let mut square = v.norm_squared();
    let mut stalled = None;
    for _ in 0..ROUNDS {
        if !(square > SHORT && square > enough.at_most * enough.at_most) {
            break;
        }
        let next = bodies.support(v);
        let along = v.dot(next.w());
        let height = along / square.sqrt();
        if height > best.at_least {
            (best.at_least, best.apart) = (height, v);
        }
        let old = best.simplex;
        let known = old.vertices().iter().any(|s| s.w() == next.w());
        if best.at_least > enough.at_least || square - along <= 4.0 * U * square || known {
            stalled = known.then(|| Simplex::of(next));
            break;
        }
        if best.simplex.add(next) {
            best.overlapping = surrounds_origin(best.simplex.corners(), error);
            // Touching bodies: nothing is proven, but a combination of all four is nearly a common point.
            let common = best.simplex.nearest().norm_squared();
            if best.overlapping || common < square {
                square = common;
            } else {
                best.simplex = old;
            }
            stalled = (!best.overlapping).then(|| Simplex::of(next));
            break;
        }
        v = best.simplex.nearest();
        let closer = v.norm_squared();
        if !(closer < square) {
            stalled = Some(best.simplex);
            best.simplex = old;
            break;
        }
        square = closer;
    }
    if let Some(simplex) = stalled
        && enough.insist
        && !(best.at_least > enough.at_least)
        && best.gap(square) > 4.0 * error
    {
        square = best.insist(simplex, bodies, square, error);
    }
    if !(best.at_least > enough.at_least) {
        best.sharpen(square.sqrt(), bodies);
    }
    if !best.overlapping
        && square <= 16.0 * error * error
        && let Some(simplex) = surround(bodies, error)
    {
        (best.simplex, best.overlapping) = (simplex, true);
    }
    best
}
