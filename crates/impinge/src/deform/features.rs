//! Two triangles whose corners run along lines: six pairs of vertex and face, nine of edges, less what other triangles answer for.
//!
//! ```text
//!   o-----o      a vertex and an edge belong to many triangles: one of them answers for it,
//!  / \ A / \     so that every pair of features is tested once                    [Tang et al. 2008, representative triangles]
//! o---o-----o
//! ```
//! Complete: triangles that are apart at the start and touch later touch first with a vertex in a face or with two edges. Those that share
//! vertices too: where they meet elsewhere, a free corner is in the other face or an edge crosses the opposite one. What crosses at the
//! start has an edge through a face: the edge is a vertex that runs along it.

use super::Lines;
use super::touch::{Element, Found, Touch, Touching, place};
use crate::bvh::Box32;
use crate::bvh::swept::triangle_box;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::Vec3;
use crate::math::rounding::U;
use crate::narrow::features::{Answer, FeaturePair, Kind, Settings, first_contact};

/// Additional work that a test which finds a contact counts for: exact arithmetic takes longer than filters.
const CONTACT_WORK: u64 = 63;

/// What a triangle answers for: bits 0 to 2 its corners, bits 3 to 5 its edges from corner k to the next.
pub(super) fn owned(triangles: &[[u32; 3]]) -> Vec<u8> {
    let mut owned = vec![0; triangles.len()];
    let mut all: Vec<(u32, u32, u32, u8)> = Vec::with_capacity(6 * triangles.len());
    for (i, t) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            all.push((a, a, i as u32, 1 << k));
            if a != b {
                all.push((a.min(b), a.max(b), i as u32, 8 << k));
            }
        }
    }
    all.sort_unstable();
    all.dedup_by_key(|f| (f.0, f.1));
    for (.., triangle, bit) in all {
        owned[triangle as usize] |= bit;
    }
    owned
}

/// Triangles of one body and how they move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a> {
    pub body: usize,
    pub triangles: &'a [[u32; 3]],
    pub owned: &'a [u8],
    pub lines: Lines<'a>,
    /// Of all vertices, grown by half of the margin.
    pub boxes: &'a [Box32],
    /// What triangles and vertices are called, where these are only some of them.
    pub names: Option<(&'a [u32], &'a [u32])>,
}

impl Side<'_> {
    fn touching(&self, triangle: u32, element: Element) -> Touching {
        let Some((triangles, vertices)) = self.names else { return Touching { body: self.body, triangle, element } };
        let name = |v: u32| vertices[v as usize];
        let element = match element {
            Element::Vertex(v) => Element::Vertex(name(v)),
            Element::Edge(e) => Element::Edge(e.map(name)),
            Element::Face(f) => Element::Face(f.map(name)),
        };
        Touching { body: self.body, triangle: triangles[triangle as usize], element }
    }

    fn vertex_box(&self, v: u32) -> &Box32 {
        &self.boxes[v as usize]
    }

    fn edge_box(&self, [a, b]: [u32; 2]) -> Box32 {
        self.boxes[a as usize].union(self.boxes[b as usize])
    }
}

/// An edge of a triangle.
#[inline(always)]
fn edge(t: [u32; 3], k: usize) -> [u32; 2] {
    [t[k], t[(k + 1) % 3]]
}

/// The test of two sides, or of one with itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fine<'a> {
    pub a: Side<'a>,
    pub b: Side<'a>,
    /// Both sides are one body: what shares vertices is not tested.
    pub own: bool,
    /// What crosses at the start has to be found too.
    pub start_unknown: bool,
    pub settings: Settings,
}

/// A feature of a triangle of the one side and one of the other: corners by number, edges by their first corner.
#[derive(Clone, Copy, Debug)]
enum Features {
    VertexFace { vertex: usize },
    FaceVertex { vertex: usize },
    EdgeEdge { mine: usize, theirs: usize },
}

/// Features that may touch, and when at the earliest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    triangles: (u32, u32),
    features: Features,
    not_before: f64,
}

impl Fine<'_> {
    /// Tests triangle i of a and triangle j of b, whose boxes meet.
    pub fn pair(&self, i: u32, j: u32, out: &mut Found) {
        self.each(i, j, |features| {
            let pair = self.posed(i, j, features);
            if !(out.limit() < 1.0 && not_before(&pair, self.settings.margin) > out.limit()) {
                self.test(&pair, || self.sides(i, j, features), out);
            }
        });
        self.start(i, j, out);
    }

    /// The same, but only what crosses at the start is tested yet.
    pub fn gather(&self, i: u32, j: u32, candidates: &mut Vec<Candidate>, out: &mut Found) {
        self.each(i, j, |features| {
            let not_before = not_before(&self.posed(i, j, features), self.settings.margin);
            candidates.push(Candidate { triangles: (i, j), features, not_before });
        });
        self.start(i, j, out);
    }

    /// Tests what was gathered, earliest first: what touches first is found soon, and the rest need not be looked at.
    pub fn test_gathered(&self, candidates: &mut [Candidate], out: &mut Found) {
        candidates.sort_by(|a, b| a.not_before.total_cmp(&b.not_before));
        for &Candidate { triangles: (i, j), features, not_before } in candidates.iter() {
            if not_before > out.limit() || !out.may_go_on() {
                break;
            }
            self.test(&self.posed(i, j, features), || self.sides(i, j, features), out);
        }
    }

    /// The features that both triangles answer for, and whose boxes meet.
    #[inline(always)]
    fn each(&self, i: u32, j: u32, mut look: impl FnMut(Features)) {
        self.vertices_and_face((&self.a, i), (&self.b, j), |vertex| look(Features::VertexFace { vertex }));
        self.vertices_and_face((&self.b, j), (&self.a, i), |vertex| look(Features::FaceVertex { vertex }));
        self.edges(i, j, |mine, theirs| look(Features::EdgeEdge { mine, theirs }));
    }

    /// The corners that triangle i answers for, and face j.
    #[inline(always)]
    fn vertices_and_face(&self, (a, i): (&Side<'_>, u32), (b, j): (&Side<'_>, u32), mut look: impl FnMut(usize)) {
        let (t, face, owned) = (a.triangles[i as usize], b.triangles[j as usize], a.owned[i as usize]);
        if owned & 7 == 0 {
            return;
        }
        let bounds = triangle_box(face, b.boxes);
        for k in 0..3 {
            let v = t[k];
            if owned >> k & 1 == 1 && !a.vertex_box(v).apart(&bounds) && !(self.own && face.contains(&v)) {
                look(k);
            }
        }
    }

    /// The edges that both triangles answer for.
    #[inline(always)]
    fn edges(&self, i: u32, j: u32, mut look: impl FnMut(usize, usize)) {
        let (a, b) = (&self.a, &self.b);
        let (s, t) = (a.triangles[i as usize], b.triangles[j as usize]);
        let (mine, theirs) = (a.owned[i as usize] >> 3, b.owned[j as usize] >> 3);
        if mine == 0 || theirs == 0 {
            return;
        }
        let boxes = [0, 1, 2].map(|k| b.edge_box(edge(t, k)));
        for k in (0..3).filter(|k| mine >> k & 1 == 1) {
            let e = edge(s, k);
            let bounds = a.edge_box(e);
            for l in (0..3).filter(|l| theirs >> l & 1 == 1) {
                let joined = || self.own && e.iter().any(|v| edge(t, l).contains(v));
                if !bounds.apart(&boxes[l]) && !joined() {
                    look(k, l);
                }
            }
        }
    }

    /// Where features of two triangles are at the start and at the end.
    #[inline(always)]
    fn posed(&self, i: u32, j: u32, features: Features) -> FeaturePair {
        let (a, b) = (&self.a, &self.b);
        let (s, t) = (a.triangles[i as usize], b.triangles[j as usize]);
        let vertex_face = |a: &Side<'_>, v: u32, b: &Side<'_>, face: [u32; 3]| {
            let corners = |of: &[Vec3], other: &[Vec3]| {
                [of[v as usize], other[face[0] as usize], other[face[1] as usize], other[face[2] as usize]]
            };
            let (start, end) = (corners(a.lines.start, b.lines.start), corners(a.lines.end, b.lines.end));
            FeaturePair { kind: Kind::VertexFace, start, end }
        };
        match features {
            Features::VertexFace { vertex } => vertex_face(a, s[vertex], b, t),
            Features::FaceVertex { vertex } => vertex_face(b, t[vertex], a, s),
            Features::EdgeEdge { mine, theirs } => {
                let (e, f) = (edge(s, mine), edge(t, theirs));
                let ends = |of: &[Vec3], other: &[Vec3]| {
                    [of[e[0] as usize], of[e[1] as usize], other[f[0] as usize], other[f[1] as usize]]
                };
                let (start, end) = (ends(a.lines.start, b.lines.start), ends(a.lines.end, b.lines.end));
                FeaturePair { kind: Kind::EdgeEdge, start, end }
            }
        }
    }

    /// What they are called.
    fn sides(&self, i: u32, j: u32, features: Features) -> [Touching; 2] {
        let (a, b) = (&self.a, &self.b);
        let (s, t) = (a.triangles[i as usize], b.triangles[j as usize]);
        match features {
            Features::VertexFace { vertex } => [a.touching(i, Element::Vertex(s[vertex])), b.touching(j, Element::Face(t))],
            Features::FaceVertex { vertex } => [b.touching(j, Element::Vertex(t[vertex])), a.touching(i, Element::Face(s))],
            Features::EdgeEdge { mine, theirs } => {
                [a.touching(i, Element::Edge(edge(s, mine))), b.touching(j, Element::Edge(edge(t, theirs)))]
            }
        }
    }

    fn test(&self, pair: &FeaturePair, sides: impl Fn() -> [Touching; 2], out: &mut Found) {
        out.answer.tests += 1;
        match first_contact(pair, &self.settings) {
            Answer::Free => {}
            Answer::Undecided { span } => out.answer.doubt(Some(span.0)),
            Answer::Contact { time, certified } => {
                let at = std::array::from_fn(|i| pair.start[i] * (1.0 - time.1) + pair.end[i] * time.1);
                let (point, normal) = place(pair.kind, &at);
                // Towards the first: from where it came.
                let from = match pair.kind {
                    Kind::VertexFace => pair.start[0] - pair.start[1],
                    Kind::EdgeEdge => pair.start[0] - pair.start[2],
                };
                let normal = if normal.dot(from) < 0.0 { -normal } else { normal };
                out.add(Touch { time, certified, sides: sides(), point, normal });
                out.count(CONTACT_WORK);
            }
        }
    }

    /// What crosses at the start, if that is not known.
    #[inline(always)]
    fn start(&self, i: u32, j: u32, out: &mut Found) {
        if self.start_unknown && !self.start_apart(i, j) {
            self.crossing((&self.a, i), (&self.b, j), out);
            self.crossing((&self.b, j), (&self.a, i), out);
        }
    }

    /// Whether an axis separates two triangles at the start.
    fn start_apart(&self, i: u32, j: u32) -> bool {
        let corners = |s: &Side<'_>, t: u32| s.triangles[t as usize].map(|v| s.lines.start[v as usize]);
        Aabb::of(corners(&self.a, i)).apart(Aabb::of(corners(&self.b, j)))
    }

    /// The edges that triangle i answers for, through face j, when the step begins.
    fn crossing(&self, (a, i): (&Side<'_>, u32), (b, j): (&Side<'_>, u32), out: &mut Found) {
        let (t, face, owned) = (a.triangles[i as usize], b.triangles[j as usize], a.owned[i as usize] >> 3);
        let f = face.map(|v| b.lines.start[v as usize]);
        for k in (0..3).filter(|k| owned >> k & 1 == 1) {
            let e = edge(t, k);
            let [p, q] = e.map(|v| a.lines.start[v as usize]);
            let joined = self.own && e.iter().any(|v| face.contains(v));
            if joined || Aabb::of([p, q]).apart(Aabb::of(f)) || on_one_side(p, q, f) {
                continue;
            }
            let pair = FeaturePair { kind: Kind::VertexFace, start: [p, f[0], f[1], f[2]], end: [q, f[0], f[1], f[2]] };
            out.answer.tests += 1;
            match first_contact(&pair, &Settings { margin: 0.0, exact: true, ..self.settings }) {
                Answer::Free => {}
                Answer::Undecided { .. } => out.answer.doubt(Some(0.0)),
                Answer::Contact { time, .. } => {
                    let along = 0.5 * (time.0 + time.1);
                    let (_, normal) = place(pair.kind, &pair.start);
                    let sides = [a.touching(i, Element::Edge(e)), b.touching(j, Element::Face(face))];
                    let point = p * (1.0 - along) + q * along;
                    out.add(Touch { time: (0.0, 0.0), certified: true, sides, point, normal });
                }
            }
        }
    }
}

/// Whether both ends of an edge are proven to be on one side of a triangle's plane.
///
/// With e1, e2, g differences of corners and L their |·|_1: a coordinate of e1 x e2 is off by at most 8 u L1 L2, its product with g by
/// 4 u more; in all below 16 u L1 L2 L. 32 and a tiny number have room for the rounding of the bound and for underflow.
fn on_one_side(p: Vec3, q: Vec3, f: [Vec3; 3]) -> bool {
    let (e1, e2) = (f[1] - f[0], f[2] - f[0]);
    let (n, size) = (e1.cross(e2), 32.0 * U * e1.norm1() * e2.norm1());
    let side = |x: Vec3| {
        let g = x - f[0];
        let (height, off) = (n.dot(g), size * g.norm1() + 1e-290);
        i32::from(height > off) - i32::from(height < -off)
    };
    side(p) * side(q) > 0
}

/// At most the time of the first contact: features apart along an axis at the start stay so until their gap may have closed.
///
/// Axes are those of the world and the one across both features as they are at the start. Along any fixed axis the gap of their extremes at
/// t is at least (1 - t) g0 + t g1, with g0 and g1 those at the ends, for extremes of linear functions are concave; both are made smaller by
/// the margin and by more than what they round. Where g0 > 0 > g1 the gap is positive before g0 / (g0 - g1), a quotient with three roundings.
fn not_before(pair: &FeaturePair, margin: f64) -> f64 {
    let (p, q) = (&pair.start, &pair.end);
    let [(a0, a1), (b0, b1)] = extremes(pair.kind, p, Vec3::min, Vec3::max);
    let [(c0, c1), (d0, d1)] = extremes(pair.kind, q, Vec3::min, Vec3::max);
    let mut latest = 0.0;
    for k in 0..3 {
        for (start, end) in [(b0[k] - a1[k], d0[k] - c1[k]), (a0[k] - b1[k], c0[k] - d1[k])] {
            let less = margin + 8.0 * U * (margin + start.abs() + end.abs());
            latest = closes_after(start - less, end - less).max(latest);
        }
    }
    let n = match pair.kind {
        Kind::VertexFace => (p[2] - p[1]).cross(p[3] - p[1]),
        Kind::EdgeEdge => (p[1] - p[0]).cross(p[3] - p[2]),
    };
    // Relative to a corner, coordinates up to M: a difference rounds by u, its product by 3 u more, of M |n|_1; two of them, and their own.
    let o = p[0];
    let along = |p: &[Vec3; 4]| [n.dot(p[0] - o), n.dot(p[1] - o), n.dot(p[2] - o), n.dot(p[3] - o)];
    let far = |p: &[Vec3; 4]| (p[0] - o).abs().max((p[1] - o).abs()).max((p[2] - o).abs()).max((p[3] - o).abs());
    let less = margin * n.norm() * (1.0 + 8.0 * U) + 32.0 * U * n.norm1() * far(p).max(far(q)).max_abs();
    let [(a0, a1), (b0, b1)] = extremes(pair.kind, &along(p), f64::min, f64::max);
    let [(c0, c1), (d0, d1)] = extremes(pair.kind, &along(q), f64::min, f64::max);
    latest = closes_after(b0 - a1 - less, d0 - c1 - less).max(latest);
    closes_after(a0 - b1 - less, c0 - d1 - less).max(latest)
}

/// The least and the largest of both features.
#[inline(always)]
fn extremes<T: Copy>(kind: Kind, p: &[T; 4], min: impl Fn(T, T) -> T, max: impl Fn(T, T) -> T) -> [(T, T); 2] {
    match kind {
        Kind::VertexFace => [(p[0], p[0]), (min(min(p[1], p[2]), p[3]), max(max(p[1], p[2]), p[3]))],
        Kind::EdgeEdge => [(min(p[0], p[1]), max(p[0], p[1])), (min(p[2], p[3]), max(p[2], p[3]))],
    }
}

/// Until when a gap that is at least (1 - t) g0 + t g1 is open.
#[inline(always)]
fn closes_after(g0: f64, g1: f64) -> f64 {
    match g0 > 0.0 {
        true if g1 > 0.0 => 1.0,
        true => g0 / (g0 - g1) * (1.0 - 16.0 * U),
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Edges that end in a triangle's plane or go through it, up to a rounding, are not on one side of it.
        #[test]
        fn edges_that_reach_a_plane_are_on_no_side(
            f in prop::array::uniform9(-1.0f64..1.0), s in -1.0f64..2.0, t in -1.0f64..2.0, far in prop_oneof![Just(0.0), -1e6f64..1e6], up in 0.0f64..1e-17,
        ) {
            let corner = |i: usize| Vec3::new(f[3 * i], f[3 * i + 1], f[3 * i + 2]) + Vec3::splat(far);
            let face = [corner(0), corner(1), corner(2)];
            let inside = face[0] + (face[1] - face[0]) * s + (face[2] - face[0]) * t;
            let normal = (face[1] - face[0]).cross(face[2] - face[0]);
            let pair = |p: Vec3, q: Vec3| FeaturePair { kind: Kind::VertexFace, start: [p, face[0], face[1], face[2]], end: [q, face[0], face[1], face[2]] };
            for p in [inside, inside + normal * up, inside - normal * up] {
                let q = inside + normal;
                let touches = matches!(first_contact(&pair(p, q), &Settings::default()), Answer::Contact { .. });
                prop_assert!(!touches || !on_one_side(p, q, face));
            }
        }

        /// On a grid, so that places are exact, but so fine that products round: what touches at t = 1/2 does not touch later.
        #[test]
        fn what_touches_half_way_is_not_later(x in prop::array::uniform12(-1.0f64..1.0), ee in any::<bool>()) {
            let at = |i: usize| Vec3::from([x[3 * i], x[3 * i + 1], x[3 * i + 2]].map(|c| (c * 2f64.powi(40)).round() * 2f64.powi(-38)));
            let (a, b, c, way) = (at(0), at(1), at(2), at(3));
            // A point of a face, and a vertex that comes through it; or the middle of an edge, and another edge's.
            let (kind, meet) = if ee { (Kind::EdgeEdge, a) } else { (Kind::VertexFace, a * 0.5 + (b + c) * 0.25) };
            let posed = |by: Vec3| if ee { [meet - b + by, meet + b + by, meet - c, meet + c] } else { [meet + by, a, b, c] };
            let pair = FeaturePair { kind, start: posed(-way), end: posed(way) };
            prop_assert!(not_before(&pair, 0.0) <= 0.5, "{}", not_before(&pair, 0.0));
        }

        /// On a grid, so that many touch: no contact is earlier.
        #[test]
        fn nothing_touches_before(grid in prop::array::uniform32(-3i8..=3), ee in any::<bool>(), margin in prop_oneof![Just(0.0), 0.0f64..0.5]) {
            let point = |i: usize| Vec3::new(f64::from(grid[3 * i]), f64::from(grid[3 * i + 1]), f64::from(grid[3 * i + 2]) * 0.7);
            let kind = if ee { Kind::EdgeEdge } else { Kind::VertexFace };
            let pair = FeaturePair { kind, start: std::array::from_fn(point), end: std::array::from_fn(|i| point(i + 4)) };
            let settings = Settings { margin, exact: margin == 0.0, max_steps: 256, ..Settings::default() };
            if let Answer::Contact { time, certified: true } = first_contact(&pair, &settings) {
                prop_assert!(not_before(&pair, margin) <= time.1, "{:?} {}", time, not_before(&pair, margin));
            }
        }
    }
}
