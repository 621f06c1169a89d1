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

/// A point of each body, with their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vertex {
    pub a: Vec3,
    pub b: Vec3,
    pub ids: (u32, u32),
}

impl Vertex {
    #[inline(always)]
    pub fn w(&self) -> Vec3 {
        self.a - self.b
    }
}

/// Up to four vertices and how much each counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Simplex {
    vertices: [Vertex; 4],
    weights: [f64; 4],
    len: usize,
}

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
}

impl Enough {
    /// Never.
    pub const ALL: Enough = Enough { at_least: f64::INFINITY, at_most: 0.0 };
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
const ROUNDS: usize = 48;

impl Simplex {
    /// One vertex.
    #[inline(always)]
    pub fn of(v: Vertex) -> Self {
        Simplex { vertices: [v, Vertex::default(), Vertex::default(), Vertex::default()], weights: [1.0, 0.0, 0.0, 0.0], len: 1 }
    }

    /// Those that carry the nearest point.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.len]
    }

    /// Adds a vertex, if there is room, and finds the nearest point anew. Whether the simplex now surrounds the origin, as far as can be seen.
    #[inline(always)]
    pub fn add(&mut self, v: Vertex) -> bool {
        if self.len == 4 {
            return false;
        }
        self.vertices[self.len] = v;
        self.len += 1;
        self.reduce()
    }

    /// The closest points.
    #[inline(always)]
    pub fn points(&self) -> (Vec3, Vec3) {
        let (mut a, mut b) = (Vec3::ZERO, Vec3::ZERO);
        for (v, &weight) in self.vertices().iter().zip(&self.weights) {
            a += v.a * weight;
            b += v.b * weight;
        }
        (a, b)
    }

    /// The mean of what vertices are given, with the weights of the closest points.
    pub fn mean<T: Copy + Default + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>>(
        &self,
        of: impl Fn(&Vertex) -> T,
    ) -> T {
        self.vertices().iter().zip(&self.weights).fold(T::default(), |sum, (v, &weight)| sum + of(v) * weight)
    }

    #[inline(always)]
    fn nearest(&self) -> Vec3 {
        let (a, b) = self.points();
        a - b
    }

    #[inline(always)]
    fn keep(&mut self, kept: &[(usize, f64)]) {
        let old = self.vertices;
        self.len = kept.len();
        for (i, &(k, weight)) in kept.iter().enumerate() {
            (self.vertices[i], self.weights[i]) = (old[k], weight);
        }
    }

    /// All four.
    fn corners(&self) -> [Vec3; 4] {
        self.vertices.map(|v| v.w())
    }

    /// Drops what does not carry the point nearest to the origin.
    #[inline(always)]
    fn reduce(&mut self) -> bool {
        let w = [self.vertices[0].w(), self.vertices[1].w(), self.vertices[2].w(), self.vertices[3].w()];
        match self.len {
            1 => self.weights[0] = 1.0,
            2 => {
                let (face, len) = on_segment(w[0], w[1], [0, 1]);
                self.keep(&face[..len]);
            }
            3 => {
                let (face, len) = on_triangle([w[0], w[1], w[2]], [0, 1, 2]);
                self.keep(&face[..len]);
            }
            _ => return self.reduce_tetrahedron(&w),
        }
        false
    }

    /// Weights of the origin in a tetrahedron around it: the volumes opposite to each vertex.
    fn weigh_common_point(&mut self, w: &[Vec3; 4]) {
        let volume = |p: Vec3, q: Vec3, r: Vec3| p.cross(q).dot(r).abs();
        let parts = [volume(w[1], w[2], w[3]), volume(w[0], w[2], w[3]), volume(w[0], w[1], w[3]), volume(w[0], w[1], w[2])];
        let sum = parts[0] + parts[1] + parts[2] + parts[3];
        self.weights = parts.map(|p| p / sum);
    }

    /// The nearest of the faces that the origin is outside of, among those with the newest vertex.
    #[inline(always)]
    fn reduce_tetrahedron(&mut self, w: &[Vec3; 4]) -> bool {
        let mut best: Option<(f64, Kept)> = None;
        for (face, opposite) in [([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)] {
            let [a, b, c] = [w[face[0]], w[face[1]], w[face[2]]];
            let n = (b - a).cross(c - a);
            let (origin, inside) = (-n.dot(a), n.dot(w[opposite] - a));
            if origin * inside > 0.0 {
                continue;
            }
            let (kept, len) = on_triangle([a, b, c], face);
            let mut at = Vec3::ZERO;
            for &(i, weight) in &kept[..len] {
                at += w[i] * weight;
            }
            let square = at.norm_squared();
            if best.is_none_or(|b| square < b.0) {
                best = Some((square, (kept, len)));
            }
        }
        let Some((_, (kept, len))) = best else {
            self.weigh_common_point(w);
            return true;
        };
        self.keep(&kept[..len]);
        false
    }
}

/// Four vertices in four directions (or the four opposite ones) that surround the origin: what overlaps deeply is proven to, even where
/// the search ended on a face because everything is symmetric.
#[cold]
fn surround(bodies: &mut impl Bodies, error: f64) -> Option<Simplex> {
    [1.0, -1.0].into_iter().find_map(|s| {
        let directions = [Vec3::new(s, s, s), Vec3::new(s, -s, -s), Vec3::new(-s, s, -s), Vec3::new(-s, -s, s)];
        let mut simplex = Simplex { vertices: directions.map(|d| bodies.support(d)), weights: [0.0; 4], len: 4 };
        simplex.weigh_common_point(&simplex.corners());
        surrounds_origin(simplex.corners(), error).then_some(simplex)
    })
}

type Kept = ([(usize, f64); 3], usize);

#[inline(always)]
fn on_segment(a: Vec3, b: Vec3, [i, k]: [usize; 2]) -> Kept {
    let d = b - a;
    let (along, square) = (-a.dot(d), d.norm_squared());
    if !(along > 0.0) {
        ([(i, 1.0), (0, 0.0), (0, 0.0)], 1)
    } else if along >= square {
        ([(k, 1.0), (0, 0.0), (0, 0.0)], 1)
    } else {
        let t = along / square;
        ([(i, 1.0 - t), (k, t), (0, 0.0)], 2)
    }
}

/// Region by region (Ericson 2005, 5.1.5), with the origin for the point.
#[inline(always)]
fn on_triangle([a, b, c]: [Vec3; 3], [i, j, k]: [usize; 3]) -> Kept {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return ([(i, 1.0), (0, 0.0), (0, 0.0)], 1);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return ([(j, 1.0), (0, 0.0), (0, 0.0)], 1);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return ([(k, 1.0), (0, 0.0), (0, 0.0)], 1);
    }
    let n = ab.cross(ac);
    let (va, vb, vc) = (n.dot(b.cross(c)), n.dot(c.cross(a)), n.dot(a.cross(b)));
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return on_segment(a, b, [i, j]);
    }
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return on_segment(a, c, [i, k]);
    }
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return on_segment(b, c, [j, k]);
    }
    let sum = va + vb + vc;
    if !(sum > 0.0 && va >= 0.0 && vb >= 0.0 && vc >= 0.0) {
        return on_sides([a, b, c], [i, j, k]);
    }
    ([(i, va / sum), (j, vb / sum), (k, vc / sum)], 3)
}

/// A triangle without area: the nearest of its sides.
#[cold]
fn on_sides(w: [Vec3; 3], ids: [usize; 3]) -> Kept {
    let sides = [(0, 1), (1, 2), (2, 0)].map(|(p, q)| {
        let (kept, len) = on_segment(w[p], w[q], [p, q]);
        let at = kept[..len].iter().fold(Vec3::ZERO, |sum, &(i, l)| sum + w[i] * l).norm_squared();
        (at, kept.map(|(i, l)| (ids[i], l)), len)
    });
    let best = sides.into_iter().reduce(|a, b| if b.0 < a.0 { b } else { a });
    best.map_or(([(ids[0], 1.0); 3], 1), |(_, kept, len)| (kept, len))
}

impl Nearest {
    /// Near contact v is mostly rounding, and a direction that is off by little lets a distant corner of a face be lower. The normal of the
    /// face that v ends on is not.
    #[inline(always)]
    fn sharpen(&mut self, at_most: f64, bodies: &mut impl Bodies) {
        if self.simplex.len != 3 || at_most - self.at_least <= 64.0 * U * at_most {
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
    let mut best = Nearest { at_least: f64::NEG_INFINITY, apart: first, simplex: Simplex::default(), overlapping: false };
    match known {
        Some(simplex) => best.simplex = simplex,
        None => {
            let w = bodies.support(first);
            best.simplex = Simplex::of(w);
            if let Some(length) = length(first) {
                best.at_least = first.dot(w.w()) / length;
            }
            if best.at_least > enough.at_least {
                return best;
            }
        }
    }
    let mut v = best.simplex.nearest();
    let mut square = v.norm_squared();
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
            break;
        }
        v = best.simplex.nearest();
        let closer = v.norm_squared();
        if !(closer < square) {
            best.simplex = old;
            break;
        }
        square = closer;
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

/// Whether the origin is inside the tetrahedron by more than the points' error and rounding.
pub(crate) fn surrounds_origin(w: [Vec3; 4], error: f64) -> bool {
    let m = w.iter().fold(0.0f64, |m, p| m.max(p.max_abs()));
    (0..4).all(|i| {
        let (a, b, c, d) = (w[(i + 1) % 4], w[(i + 2) % 4], w[(i + 3) % 4], w[i]);
        let n = (b - a).cross(c - a);
        let (inside, origin) = (n.dot(d - a), -n.dot(a));
        let slack = n.norm() * 2.0 * error + m * m * (64.0 * error + 256.0 * U * m);
        (inside > slack && origin > slack) || (inside < -slack && origin < -slack)
    })
}
