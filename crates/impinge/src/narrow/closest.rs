//! Closest points of two triangles, by features. Candidates for separating axes and witnesses of distance; proofs are made elsewhere.
//!
//! A point of a triangle is always a convex combination of its corners: with weights in [0, 1] it lies on the triangle, up to the rounding of
//! that combination, however thin the triangle is. A foot on the plane does not: the normal of a needle is mostly rounding.

use crate::math::Vec3;
use crate::math::orient::Plane;
use crate::math::rounding::U;

/// Which features of two triangles carry a contact; indices are corners, an edge is named by its first corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    VertexFace { vertex: u8 },
    FaceVertex { vertex: u8 },
    EdgeEdge { a: u8, b: u8 },
}

/// A point on each triangle and the features they lie on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closest {
    /// Convex combinations of the corners: each is off by less than 14 u of the largest coordinate, in every coordinate.
    pub on_a: Vec3,
    pub on_b: Vec3,
    /// From the second to the first, as a candidate for a separating axis: along the normal where a vertex is above a face, which the
    /// difference of the points is too short to show.
    pub apart: Vec3,
    pub touch: Touch,
    /// Parallel edges touch along a segment: its other end, on the second triangle.
    pub to: Option<Vec3>,
}

/// The closest pair among all vertex/face and edge/edge pairs. (Piercing triangles have distance zero, which this does not see.)
pub(crate) fn closest(a: &[Vec3; 3], b: &[Vec3; 3]) -> Closest {
    let apart = a[0] - b[0];
    let mut best = Closest { on_a: a[0], on_b: b[0], apart, touch: Touch::VertexFace { vertex: 0 }, to: None };
    let mut best_square = apart.norm_squared();
    let mut take = |on_a: Vec3, on_b: Vec3, apart: Vec3, touch: Touch| {
        let square = (on_a - on_b).norm_squared();
        if square < best_square {
            best_square = square;
            best = Closest { on_a, on_b, apart, touch, to: None };
        }
    };
    let (on_a, on_b) = (Facet::new(a), Facet::new(b));
    for k in 0..3u8 {
        let (p, q) = (a[k as usize], b[k as usize]);
        let (foot, apart) = on_b.nearest(p);
        take(p, foot, apart, Touch::VertexFace { vertex: k });
        let (foot, apart) = on_a.nearest(q);
        take(foot, q, -apart, Touch::FaceVertex { vertex: k });
    }
    for i in 0..3u8 {
        for j in 0..3u8 {
            let (p, q) = segments(edge(a, i), edge(b, j));
            take(p, q, p - q, Touch::EdgeEdge { a: i, b: j });
        }
    }
    best
}

/// A point of two triangles that cross, nearer to both than `gap`: the middle of what their edges' crossings with the other span.
pub(crate) fn common_point(a: &[Vec3; 3], b: &[Vec3; 3], gap: f64) -> Option<Vec3> {
    let size = a.iter().chain(b).fold(0.0f64, |m, c| m.max(c.max_abs()));
    let (mut sum, mut count, mut best) = (Vec3::ZERO, 0.0, (gap, None));
    for (t, other) in [(a, b), (b, a)] {
        let plane = Plane::new(*other);
        let facet = Facet::new(other);
        for i in 0..3u8 {
            let (p, q) = edge(t, i);
            let x = match (plane.side(p), plane.side(q)) {
                (0, _) => p,
                (one, two) if one * two < 0 => {
                    let (above, below) = (plane.estimate_height(p), plane.estimate_height(q));
                    p + (q - p) * (above / (above - below)).clamp(0.0, 1.0)
                }
                _ => continue,
            };
            let off = (x - facet.nearest(x).0).norm();
            if off <= 64.0 * U * size {
                (sum, count) = (sum + x, count + 1.0);
            }
            if off < best.0 {
                best = (off, Some(x));
            }
        }
    }
    // Triangles are convex: between common points are common points.
    if count > 0.0 && gap > 0.0 { Some(sum * (1.0 / count)) } else { best.1 }
}

/// Every pair of features within `reach` of each other: vertices with faces (ends and edges of the face included), edges that cross
/// inside both, and parallel edges that run along each other.
pub(crate) fn all_within(a: &[Vec3; 3], b: &[Vec3; 3], reach: f64) -> Vec<Closest> {
    let mut found = Vec::new();
    let pair = |on_a: Vec3, on_b: Vec3, touch, to| Closest { on_a, on_b, apart: on_a - on_b, touch, to };
    for k in 0..3u8 {
        let (p, q) = (a[k as usize], b[k as usize]);
        found.push(pair(p, point_on_triangle(p, b), Touch::VertexFace { vertex: k }, None));
        found.push(pair(point_on_triangle(q, a), q, Touch::FaceVertex { vertex: k }, None));
    }
    for i in 0..3u8 {
        for j in 0..3u8 {
            let (e, f, touch) = (edge(a, i), edge(b, j), Touch::EdgeEdge { a: i, b: j });
            if parallel(e, f) {
                found.extend(alongside(e, f).map(|(on_a, on_b, to)| pair(on_a, on_b, touch, Some(to))));
                continue;
            }
            let (on_a, on_b) = segments(e, f);
            let inside = |x: Vec3, (p, q): (Vec3, Vec3)| (x - p).norm().min((x - q).norm()) > END * (p - q).norm();
            if inside(on_a, e) && inside(on_b, f) {
                found.push(pair(on_a, on_b, touch, None));
            }
        }
    }
    found.retain(|c| (c.on_a - c.on_b).norm() <= reach);
    found
}

/// Share of an edge at each end that counts as its vertex.
const END: f64 = 1e-6;

/// Whether two edges are parallel within 1e-6 rad; edges without length are not.
fn parallel((p0, p1): (Vec3, Vec3), (q0, q1): (Vec3, Vec3)) -> bool {
    let (d, e) = (p1 - p0, q1 - q0);
    d.cross(e).norm() < 1e-6 * d.norm() * e.norm()
}

/// Where two parallel edges run along each other: a point on each at one end, and the other end on the second.
fn alongside(e: (Vec3, Vec3), f: (Vec3, Vec3)) -> Option<(Vec3, Vec3, Vec3)> {
    let (from, to) = (point_on_segment(e.0, f), point_on_segment(e.1, f));
    ((to - from).norm() > END * (f.1 - f.0).norm()).then(|| (point_on_segment(from, e), from, to))
}

#[inline(always)]
pub(crate) fn edge(t: &[Vec3; 3], i: u8) -> (Vec3, Vec3) {
    (t[i as usize], t[(i as usize + 1) % 3])
}

/// The point of a triangle nearest to p; degenerate triangles are taken as their edges.
pub(crate) fn point_on_triangle(p: Vec3, t: &[Vec3; 3]) -> Vec3 {
    Facet::new(t).nearest(p).0
}

/// A triangle with what every point asks of it.
struct Facet<'a> {
    corners: &'a [Vec3; 3],
    sides: [Vec3; 2],
    normal: Vec3,
    /// One over the normal's square; zero where the triangle is degenerate.
    inverse: f64,
}

impl<'a> Facet<'a> {
    #[inline(always)]
    fn new(corners: &'a [Vec3; 3]) -> Self {
        let (ab, ac) = (corners[1] - corners[0], corners[2] - corners[0]);
        let normal = ab.cross(ac);
        let nn = normal.norm_squared();
        let inverse = if nn > 1e-20 * ab.norm_squared() * ac.norm_squared() { 1.0 / nn } else { 0.0 };
        Facet { corners, sides: [ab, ac], normal, inverse }
    }

    /// The nearest point, and the way from it to p: see [`Closest::apart`].
    #[inline(always)]
    fn nearest(&self, p: Vec3) -> (Vec3, Vec3) {
        let ([ab, ac], n, ap) = (self.sides, self.normal, p - self.corners[0]);
        if self.inverse > 0.0 {
            let (u, v) = (n.dot(ap.cross(ac)) * self.inverse, n.dot(ab.cross(ap)) * self.inverse);
            if u >= 0.0 && v >= 0.0 && u + v <= 1.0 {
                return (self.corners[0] + ab * u + ac * v, n * (n.dot(ap) * self.inverse));
            }
        }
        let mut best = point_on_segment(p, edge(self.corners, 0));
        for i in 1..3 {
            let other = point_on_segment(p, edge(self.corners, i));
            if (other - p).norm_squared() < (best - p).norm_squared() {
                best = other;
            }
        }
        (best, p - best)
    }
}

#[inline(always)]
fn point_on_segment(p: Vec3, (a, b): (Vec3, Vec3)) -> Vec3 {
    let d = b - a;
    let dd = d.norm_squared();
    if dd > 0.0 { a + d * ((p - a).dot(d) / dd).clamp(0.0, 1.0) } else { a }
}

/// Closest points of two segments.
#[inline(always)]
fn segments((p0, p1): (Vec3, Vec3), (q0, q1): (Vec3, Vec3)) -> (Vec3, Vec3) {
    let (d, e, r) = (p1 - p0, q1 - q0, p0 - q0);
    let (dd, ee, de) = (d.norm_squared(), e.norm_squared(), d.dot(e));
    let determinant = dd * ee - de * de;
    let (dr, er) = (d.dot(r), e.dot(r));
    let s = if determinant > 1e-14 * dd * ee { ((de * er - ee * dr) / determinant).clamp(0.0, 1.0) } else { 0.5 };
    let y = point_on_segment(p0 + d * s, (q0, q1));
    let x = point_on_segment(y, (p0, p1));
    (x, point_on_segment(x, (q0, q1)))
}
