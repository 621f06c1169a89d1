//! Two triangles, one moving along the lines of a tube: directions that keep them apart, and proofs that they touch.
//!
//! Along a direction n the corners of the moving triangle project to linear functions of tau, the resting ones to constants:
//!
//! ```text
//!   n·x |  moving  \        g_k(tau) = n·(corner_k + tau travel_k) - max_j n·rest_j - E
//!       |           \_____   all g_k > 0: apart at tau
//!       |  resting ========
//! ```
//! Error budget of E = radius |n| + 16 u m |n|_1, with m at least every coordinate of the differences to `rest[0]`: differences u and dot
//! products 3u at each end, combining the ends 3u, adding E u, the crossing time 2 + 2 u of slopes up to 2 m |n|_1; 12 u in all.

use crate::geometry::pierce::pierces;
use crate::math::rounding::U;
use crate::math::{V4, Vec3};
use crate::motion::Tube;
use crate::narrow::closest::{Closest, closest};
use crate::narrow::window::{Narrowing, Window};

/// A triangle over a span: corner k moves along `corners[k] + tau * travel[k]`, plus a ball of `radius`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SweptTriangle {
    pub corners: [Vec3; 3],
    pub travel: [Vec3; 3],
    pub radius: f64,
}

impl SweptTriangle {
    /// A triangle of a body (corners in the body's frame, at most `reach` from its origin) in a tube; `extra` is added to the radius.
    #[inline(always)]
    pub fn new(tube: &Tube, corners: &[Vec3; 3], reach: f64, extra: f64) -> Self {
        let lines = [tube.line(corners[0]), tube.line(corners[1]), tube.line(corners[2])];
        SweptTriangle {
            corners: [lines[0].0, lines[1].0, lines[2].0],
            travel: [lines[0].1, lines[1].1, lines[2].1],
            radius: tube.radius(reach) + extra,
        }
    }

    fn corners_at(&self, tau: f64) -> [Vec3; 3] {
        let at = |k: usize| self.corners[k] + self.travel[k] * tau;
        [at(0), at(1), at(2)]
    }
}

/// What the eleven axes of two triangles, as they are at `tau`, leave of the span.
#[inline(always)]
pub(crate) fn narrow(moving: &SweptTriangle, rest: &[Vec3; 3], tau: f64) -> Narrowing {
    let mut n = Narrowing::new(Window::FULL);
    Gap::new(moving, rest).narrow_by_axes(tau, &mut n);
    n
}

/// [`narrow`], and again with the axes that let go last, as they are where the window begins, while that moves it by more than a contact
/// could lag behind.
///
/// Axes turn with the triangle: those of an earlier time let go too early, by a share of the time left that does not get smaller with the
/// span. Those of the time until which the pair is known to be apart come as near to the contact as the radius allows.
#[inline(always)]
pub(crate) fn narrow_often(moving: &SweptTriangle, rest: &[Vec3; 3], tau: f64) -> Narrowing {
    let gap = Gap::new(moving, rest);
    let mut n = Narrowing::new(Window::FULL);
    let four = gap.narrow_by_axes(tau, &mut n);
    let mut before = -1.0;
    for _ in 0..MOST_REPEATS {
        let Window { from, lag, .. } = n.window;
        if n.window.is_empty() || !(from - before > lag) {
            break;
        }
        before = from;
        gap.narrow(gap.edges(from).four(four), &mut n);
    }
    n
}

/// What one direction leaves of the span.
#[inline(always)]
pub(crate) fn narrow_by_one(moving: &SweptTriangle, rest: &[Vec3; 3], direction: Vec3) -> Narrowing {
    let mut n = Narrowing::new(Window::FULL);
    Gap::new(moving, rest).narrow(by_coordinate([direction, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO]), &mut n);
    n
}

/// Each repetition leaves a tenth to a half of what the last one left.
const MOST_REPEATS: usize = 6;

/// Narrows the window by directions between closest points at its two ends: what the eleven axes lack for coplanar, parallel and
/// degenerate triangles, and for margins.
pub(crate) fn narrow_by_closest(moving: &SweptTriangle, rest: &[Vec3; 3], narrowing: &mut Narrowing) {
    let gap = Gap::new(moving, rest);
    let n = gap.rest[0].cross(gap.rest[1]);
    for at_start in [true, false] {
        let Window { from, to, .. } = narrowing.window;
        if narrowing.window.is_empty() {
            return;
        }
        let c = closest(&moving.corners_at(if at_start { from } else { to }), rest);
        let d = c.apart;
        // And in the plane of the resting triangle, for sliding contact.
        gap.narrow(by_coordinate([d, d * n.norm_squared() - n * n.dot(d), Vec3::ZERO, Vec3::ZERO]), narrowing);
    }
}

/// [`narrow`], and [`narrow_by_closest`] if `more`, for two triangles that both move; the radius is that of the first.
///
/// Along n every corner of one is above every corner of the other by a linear function of tau: nine of them instead of three. Error: as for
/// [`Gap`], with 4 u more for the second slope and their difference; 32 u instead of 16 leaves room.
pub(crate) fn narrow_both(a: &SweptTriangle, b: &SweptTriangle, tau: f64, more: bool) -> Narrowing {
    let mut n = Narrowing::new(Window::FULL);
    let (p, q) = (a.corners_at(tau), b.corners_at(tau));
    let sides = |t: &[Vec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (e, f) = (sides(&p), sides(&q));
    let products = e.iter().flat_map(|x| f.iter().map(move |y| x.cross(*y)));
    for direction in [f[0].cross(f[1]), e[0].cross(e[1])].into_iter().chain(products) {
        narrow_along(a, b, direction, &mut n);
        if n.window.is_empty() {
            return n;
        }
    }
    for at_start in [true, false] {
        if !more || n.window.is_empty() {
            break;
        }
        let tau = if at_start { n.window.from } else { n.window.to };
        let (p, q) = (a.corners_at(tau), b.corners_at(tau));
        let c = closest(&p, &q);
        let (d, normal) = (c.apart, (q[1] - q[0]).cross(q[2] - q[0]));
        narrow_along(a, b, d, &mut n);
        narrow_along(a, b, d * normal.norm_squared() - normal * normal.dot(d), &mut n);
    }
    n
}

/// Narrows a window by the directions in which a moving triangle bends least: `bends` are its corners' accelerations times h^2/2 and how
/// far they stray from that; `moving.radius` is everything else.
pub(crate) fn narrow_bent(moving: &SweptTriangle, bends: &[(Vec3, f64); 3], rest: &[Vec3; 3], narrowing: &mut Narrowing) {
    let still = SweptTriangle { corners: *rest, travel: [Vec3::ZERO; 3], radius: 0.0 };
    for at_start in [true, false] {
        if narrowing.window.is_empty() {
            return;
        }
        let corners = moving.corners_at(if at_start { narrowing.window.from } else { narrowing.window.to });
        let c = closest(&corners, rest);
        let (normal, own) =
            ((rest[1] - rest[0]).cross(rest[2] - rest[0]), (corners[1] - corners[0]).cross(corners[2] - corners[0]));
        for n in [normal, own, c.apart] {
            let length = n.norm();
            let extra = bends.map(|(bend, stray)| n.dot(bend).abs() * (1.0 + 16.0 * U) + stray * length);
            narrow_with(moving, &still, n, extra, narrowing);
        }
    }
}

fn narrow_along(a: &SweptTriangle, b: &SweptTriangle, n: Vec3, narrowing: &mut Narrowing) {
    narrow_with(a, b, n, [0.0; 3], narrowing);
}

/// Excludes the times at which direction n keeps the triangles apart, each corner of the first by its own `extra` more.
fn narrow_with(a: &SweptTriangle, b: &SweptTriangle, n: Vec3, extra: [f64; 3], narrowing: &mut Narrowing) {
    let square = n.norm_squared();
    if !(square > 1e-280 && square < 1e280) {
        return;
    }
    // Everything relative to one corner, as for a triangle at rest.
    let origin = b.corners[0];
    let (mut above, mut m) = ([(0.0, 0.0); 9], 0.0f64);
    for k in 0..3 {
        let x = a.corners[k] - origin;
        for j in 0..3 {
            let y = b.corners[j] - origin;
            above[3 * k + j] = (n.dot(x) - n.dot(y), n.dot(a.travel[k]) - n.dot(b.travel[j]));
            m = m.max((x.abs() + a.travel[k].abs()).max_abs()).max((y.abs() + b.travel[j].abs()).max_abs());
        }
    }
    let need = a.radius * square.sqrt() * (1.0 + 8.0 * U) + 32.0 * U * m * n.norm1();
    let need = extra.map(|e| need + e);
    let most = need[0].max(need[1]).max(need[2]);
    let each = |sign: f64| std::array::from_fn::<_, 9, _>(|i| (sign * above[i].0 - need[i / 3], sign * above[i].1));
    positive(each(1.0), most, narrowing);
    positive(each(-1.0), most, narrowing);
}

/// Four directions, by coordinate.
type Directions = [V4; 3];

#[inline(always)]
fn by_coordinate(d: [Vec3; 4]) -> Directions {
    [V4([d[0].x, d[1].x, d[2].x, d[3].x]), V4([d[0].y, d[1].y, d[2].y, d[3].y]), V4([d[0].z, d[1].z, d[2].z, d[3].z])]
}

#[inline(always)]
fn splat(v: Vec3) -> Directions {
    [V4::splat(v.x), V4::splat(v.y), V4::splat(v.z)]
}

#[inline(always)]
fn with_last(mut d: Directions, v: Vec3) -> Directions {
    (d[0].0[3], d[1].0[3], d[2].0[3]) = (v.x, v.y, v.z);
    d
}

#[inline(always)]
fn cross(p: Directions, q: Directions) -> Directions {
    [p[1].mul(q[2]).sub(p[2].mul(q[1])), p[2].mul(q[0]).sub(p[0].mul(q[2])), p[0].mul(q[1]).sub(p[1].mul(q[0]))]
}

/// The edges of two triangles.
struct Edges {
    moving: [Vec3; 3],
    /// The first, second and third resting edge, and the second again.
    resting: Directions,
    first: Vec3,
}

impl Edges {
    /// Four of the eleven axes: the products of one moving edge and all resting ones, and a normal in the last lane, as long as there is one.
    #[inline(always)]
    fn four(&self, k: usize) -> Directions {
        let (a, b) = (self.moving[k], self.resting);
        match k {
            0 => cross(with_last(splat(a), self.first), b),
            1 => cross(with_last(splat(a), self.moving[0]), with_last(b, a)),
            _ => cross(splat(a), b),
        }
    }
}

/// Everything relative to the first resting corner.
struct Gap {
    corners: [Vec3; 3],
    travel: [Vec3; 3],
    /// The second and third resting corner.
    rest: [Vec3; 2],
    radius: f64,
    rounding: f64,
}

impl Gap {
    #[inline(always)]
    fn new(moving: &SweptTriangle, rest: &[Vec3; 3]) -> Self {
        let origin = rest[0];
        let corners = [moving.corners[0] - origin, moving.corners[1] - origin, moving.corners[2] - origin];
        let (travel, rest) = (moving.travel, [rest[1] - origin, rest[2] - origin]);
        let mut m = 0.0f64;
        for k in 0..3 {
            m = m.max((corners[k].abs() + travel[k].abs()).max_abs());
        }
        let m = m.max(rest[0].max_abs()).max(rest[1].max_abs());
        Gap { corners, travel, rest, radius: moving.radius * (1.0 + 8.0 * U), rounding: 16.0 * U * m }
    }

    /// Both normals and the nine products of edges as they are at `tau`, four at a time; tells which four moved the window's begin last.
    #[inline(always)]
    fn narrow_by_axes(&self, tau: f64, n: &mut Narrowing) -> usize {
        let (edges, mut last) = (self.edges(tau), 0);
        for four in 0..3 {
            let before = n.window.from;
            self.narrow(edges.four(four), n);
            if n.window.is_empty() {
                break;
            }
            if n.window.from > before {
                last = four;
            }
        }
        last
    }

    #[inline(always)]
    fn edges(&self, tau: f64) -> Edges {
        let [a0, a1, a2] = [self.corner(0, tau), self.corner(1, tau), self.corner(2, tau)];
        let [b1, b2] = self.rest;
        Edges { moving: [a1 - a0, a2 - a1, a0 - a2], first: b1, resting: by_coordinate([b1, b2 - b1, -b2, b2 - b1]) }
    }

    #[inline(always)]
    fn corner(&self, k: usize, tau: f64) -> Vec3 {
        self.corners[k] + self.travel[k] * tau
    }

    /// Excludes the times at which one of the directions, or its opposite, keeps the triangles apart.
    #[inline(always)]
    fn narrow(&self, n: Directions, narrowing: &mut Narrowing) {
        let along = |v: Vec3| n[0].scale(v.x).add(n[1].scale(v.y)).add(n[2].scale(v.z));
        let square = n[0].mul(n[0]).add(n[1].mul(n[1])).add(n[2].mul(n[2]));
        let norm1 = n[0].abs().add(n[1].abs()).add(n[2].abs());
        let need = square.sqrt().scale(self.radius).add(norm1.scale(self.rounding));
        let (r1, r2, zero) = (along(self.rest[0]), along(self.rest[1]), V4::splat(0.0));
        let (top, bottom) = (zero.max(r1).max(r2).add(need), zero.min(r1).min(r2).sub(need));
        let at = [along(self.corners[0]), along(self.corners[1]), along(self.corners[2])];
        let slope = [along(self.travel[0]), along(self.travel[1]), along(self.travel[2])];
        let reach = [slope[0].abs(), slope[1].abs(), slope[2].abs()];
        // Most directions separate at no time: each corner would have to get past at one end at least. Look before dividing.
        let up = at[0].add(reach[0]).min(at[1].add(reach[1])).min(at[2].add(reach[2])).sub(top);
        let down = bottom.sub(at[0].sub(reach[0]).max(at[1].sub(reach[1])).max(at[2].sub(reach[2])));
        for d in 0..4 {
            // Written so that NaN, overflow and underflow exclude nothing.
            if !(up.0[d] > 0.0 || down.0[d] > 0.0) || !(square.0[d] > 1e-280 && square.0[d] < 1e280) {
                continue;
            }
            let (at, slope) = ([at[0].0[d], at[1].0[d], at[2].0[d]], [slope[0].0[d], slope[1].0[d], slope[2].0[d]]);
            let (top, bottom, need) = (top.0[d], bottom.0[d], need.0[d]);
            if up.0[d] > 0.0 {
                positive([(at[0] - top, slope[0]), (at[1] - top, slope[1]), (at[2] - top, slope[2])], need, narrowing);
            }
            if down.0[d] > 0.0 {
                positive(
                    [(bottom - at[0], -slope[0]), (bottom - at[1], -slope[1]), (bottom - at[2], -slope[2])],
                    need,
                    narrowing,
                );
            }
        }
    }
}

/// Excludes the open interval of tau in which all `g + tau * s` are positive.
#[inline(always)]
fn positive<const N: usize>(functions: [(f64, f64); N], need: f64, narrowing: &mut Narrowing) {
    let (mut a, mut b, mut lag) = (-2.0f64, 2.0f64, f64::INFINITY);
    for (g, s) in functions {
        if !(g.is_finite() && s.is_finite()) {
            return;
        }
        if s > 0.0 {
            a = a.max(-g / s);
        } else if s < 0.0 {
            let end = g / -s;
            if end < b {
                b = end;
                lag = 2.0 * need / -s;
            }
        } else if !(g > 0.0) {
            return;
        }
    }
    if a < b {
        narrowing.exclude(a, b, lag);
    }
}

/// Whether two triangles whose corners are each known within `error` are proven to be within `margin` of each other.
#[inline(always)]
pub(crate) fn proven_within(a: &[Vec3; 3], b: &[Vec3; 3], error: f64, margin: f64) -> bool {
    if margin > 0.0 && near(a, b, error) <= margin {
        return true;
    }
    pierces(a, b, error) || pierces(b, a, error)
}

/// An upper bound of the distance: that of two points that exist, rounded upwards.
///
/// With S at least every |coordinate|, a combination a + u (b - a) + v (c - a) with u, v >= 0 and u + v <= 1 is off by (2 + 2 + 2 + 2) u S for
/// the two differences and products, 3 u S and 5 u S for the sums, and 2 u S as u + v may be 1 + u: 18 u S in a coordinate, 32 u S in length.
/// On a segment it is 12 u S, for each of two. Corners are off by `error` each, which moves every combination of them by no more.
pub(crate) fn near(a: &[Vec3; 3], b: &[Vec3; 3], error: f64) -> f64 {
    let Closest { on_a, on_b, .. } = closest(a, b);
    let size = a.iter().chain(b).fold(0.0f64, |size, p| size.max(p.max_abs()));
    (on_a - on_b).norm() * (1.0 + 16.0 * U) + 2.0 * error + 40.0 * U * size
}
