//! The surface of what a capsule sweeps, within a given error: the offset of a ruled surface.
//!
//! ```text
//!   b(0) ____ b(1)          ruled surface  f(t, s) = (1 - s) a(t) + s b(t); swept capsule = f ⊕ ball(r)   [Redon 2004, equations 8 to 10]
//!    |  |  |  |  s          cut into cells; each cell is a flat convex polygon, made round: offset surfaces above and below it,
//!   a(0) ---- a(1)  t       pipes along its edges, caps at its corners. The swept surface is what is outside of all others.
//! ```
//!
//! Equation 11 (Filip et al.) on a cell of h in t: a bilinear patch through the corners is off by e <= h^2/8 sup |f_tt|, for f is linear in
//! s, and |f_tt| is largest on a or b: bounded by interval arithmetic. The mixed term is the patch's own twist d = f00 - f10 - f01 + f11,
//! which is known; it is cut in s until it is small. M3 = 0.
//!
//! Contained: the patch is within z of its plane, z the largest height of a corner, and inside the corners' hull P as seen along the normal;
//! so f ⊕ ball(r) ⊂ P ⊕ ball(R), R = r + e + z. No larger than 2 error: a point of P is within g of the patch, where g = z if the corners
//! are in convex position (then the patch covers P), else z + |d|/4 (a mean of corners with weights w is, with u = w10 + w11 and
//! v = w01 + w11, off the patch at (u, v) by (w11 - u v) d, a covariance of at most 1/4); the patch is within e of f; the surface of
//! [`RoundedPolygon`] is within R tan^2 of P ⊕ ball(R). Sum: g + e + (e + z) + R tan^2 + pads <= 2 error, each of 2 e, g + z and
//! the last two within its share: error, error / 2, error / 2.

use crate::geometry::bounding::Capsule;
use crate::math::interval::IntervalVec3;
use crate::math::rounding::INFLATE;
use crate::math::trig::sin_cos;
use crate::math::{Interval, Vec3};
use crate::motion::interval_chain::IntervalMotion;
use crate::motion::{Chain, Span};
use crate::swept::rounded_polygon::{RoundedPolygon, Surface};

/// A capsule carried by a frame of a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CarriedCapsule<'a> {
    pub chain: &'a Chain,
    pub frame: usize,
    pub capsule: Capsule,
    /// Where the chain's own origin is in the world.
    pub origin: Vec3,
}

/// The spans that cells belong to, each with how many.
type Spans = Vec<(Span, usize)>;

/// The swept region, a union of cells, and its surface.
#[derive(Clone, Debug)]
pub(crate) struct SweptSurface {
    /// In the order of time.
    pub cells: Vec<RoundedPolygon>,
    pub spans: Spans,
    pub surface: Surface,
}

/// Coordinates may be written as `f32`, off by 2^-24 of their size, and computed with less: 2^-22 of it is added to every radius.
const PAD: f64 = 1.0 / (1u64 << 22) as f64;
/// More than this many cells or sides of a circle is a mistake in the wanted error.
const MAX_CELLS: usize = 1 << 14;
const MAX_SIDES: usize = 512;
const MAX_VERTICES: usize = 1 << 24;
/// Well inside, whatever rounding did.
const INSIDE: f64 = 1.0 - 1e-9;
/// How many spans before and after are looked at for what hides a cell.
const NEIGHBOURS: usize = 6;

impl SweptSurface {
    /// The region and its surface; `None` if the error is too small for `f32` or for the work allowed, or is not a positive number.
    pub fn new(body: &CarriedCapsule<'_>, error: f64) -> Option<SweptSurface> {
        let (cells, spans) = body.cells(error)?;
        let sides = sides(&cells, error)?;
        if cells.len() * sides * sides / 2 > MAX_VERTICES {
            return None;
        }
        let surface = visible(&cells, &spans, sides);
        Some(SweptSurface { cells, spans, surface })
    }

    /// Whether a point lies in the region: then it lies inside the surface.
    pub fn holds(&self, p: Vec3) -> bool {
        self.cells.iter().any(|cell| cell.distance(p) <= cell.radius)
    }
}

/// Where a segment is at an instant, and how far the true one may be.
#[derive(Clone, Copy, Debug)]
struct Segment {
    a: Vec3,
    b: Vec3,
    error: f64,
}

impl CarriedCapsule<'_> {
    /// The region alone, in the order of time; `None` as for the surface.
    pub fn cells(&self, error: f64) -> Option<(Vec<RoundedPolygon>, Spans)> {
        let cut = if error > 0.0 { self.cut(error)? } else { return None };
        let mut spans = Vec::with_capacity(cut.len());
        let mut cells = Vec::new();
        let mut from = self.segment_at(0.0);
        for (span, bend) in cut {
            let to = self.segment_at(span.to);
            let strips = Patch { from, to }.cells(self.capsule.radius + bend, error)?;
            spans.push((span, strips.len()));
            cells.extend(strips);
            from = to;
            if cells.len() > MAX_CELLS {
                return None;
            }
        }
        Some((cells, spans))
    }

    /// Spans of time, each with its e <= error / 2: halved until they bend little enough.
    fn cut(&self, error: f64) -> Option<Vec<(Span, f64)>> {
        let mut done = Vec::new();
        let mut open = vec![Span::new(0.0, 1.0)];
        while let Some(span) = open.pop() {
            let bend = self.bend(span);
            if bend <= 0.5 * error {
                done.push((span, bend));
            } else if open.len() + done.len() < MAX_CELLS && span.length() > 1.0 / (1u64 << 30) as f64 {
                let middle = span.middle();
                open.extend([Span::new(middle, span.to), Span::new(span.from, middle)]);
            } else {
                return None;
            }
        }
        Some(done)
    }

    /// h^2/8 sup |f_tt|, at least.
    fn bend(&self, span: Span) -> f64 {
        let motion = IntervalMotion::of_frame(self.chain, self.frame, span);
        let along = |y: Vec3| motion.point(y)[2].norm().hi();
        let h = span.length();
        h * h / 8.0 * along(self.capsule.a).max(along(self.capsule.b)) * INFLATE
    }

    fn segment_at(&self, t: f64) -> Segment {
        let motion = IntervalMotion::of_frame(self.chain, self.frame, Span::new(t, t));
        let place = |y: Vec3| motion.point(y)[0] + IntervalVec3::from(self.origin);
        let (a, b) = (place(self.capsule.a), place(self.capsule.b));
        let radius = |v: IntervalVec3| v.coordinates.map(Interval::radius).iter().sum::<f64>() * INFLATE;
        Segment { a: a.midpoint(), b: b.midpoint(), error: radius(a).max(radius(b)) }
    }
}

/// The bilinear patch between two places of a segment.
struct Patch {
    from: Segment,
    to: Segment,
}

impl Patch {
    /// Cells of at least the given radius, in as few strips as their twist allows.
    fn cells(&self, radius: f64, error: f64) -> Option<Vec<RoundedPolygon>> {
        let mut strips = 1;
        while strips <= MAX_CELLS {
            let cells: Option<Vec<RoundedPolygon>> = (0..strips).map(|j| self.strip(j, strips, radius, error)).collect();
            if cells.is_some() {
                return cells;
            }
            strips *= 2;
        }
        None
    }

    /// One of several equal strips, if g + z is within half the error.
    fn strip(&self, j: usize, strips: usize, radius: f64, error: f64) -> Option<RoundedPolygon> {
        let on = |segment: &Segment, k: usize| segment.a + (segment.b - segment.a) * (k as f64 / strips as f64);
        let corners = [on(&self.from, j), on(&self.to, j), on(&self.to, j + 1), on(&self.from, j + 1)];
        let center = (corners[0] + corners[1] + corners[2] + corners[3]) * 0.25;
        let frame = plane(&corners);
        let local = corners.map(|c| frame.map(|axis| axis.dot(c - center)));
        let height = local.iter().map(|c| c[2].abs()).fold(0.0, f64::max);
        let flat = local.map(|[x, y, _]| [x, y]);
        let twist = (corners[0] - corners[1] + corners[2] - corners[3]).norm();
        let gap = if is_convex(&flat) { height } else { height + 0.25 * twist };
        let size = corners.iter().map(|c| c.norm1()).fold(radius, f64::max);
        let wanted = radius + height + self.from.error.max(self.to.error) + PAD * size;
        (gap + height <= 0.5 * error).then(|| RoundedPolygon::new(center, frame, &flat, wanted))
    }
}

/// Axes of the plane of a quadrilateral's diagonals, and its normal; any that fits where they are parallel.
fn plane(corners: &[Vec3; 4]) -> [Vec3; 3] {
    let (p, q) = (corners[2] - corners[0], corners[3] - corners[1]);
    let long = if p.norm_squared() >= q.norm_squared() { p } else { q };
    let length = long.norm();
    let e1 = if length > 0.0 { long * (1.0 / length) } else { Vec3::unit(0) };
    let mut normal = p.cross(q);
    if !(normal.norm() > 1e-9 * length * length) {
        normal = e1.cross(Vec3::unit((e1.longest_axis() + 1) % 3));
    }
    normal = normal - e1 * e1.dot(normal);
    normal = normal * (1.0 / normal.norm());
    [e1, normal.cross(e1), normal]
}

/// Whether the corners of a flat quadrilateral, one after the other, turn one way only.
fn is_convex(flat: &[[f64; 2]; 4]) -> bool {
    let turn = |k: usize| {
        let (a, b, c) = (flat[k], flat[(k + 1) % 4], flat[(k + 2) % 4]);
        (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
    };
    (0..4).all(|k| turn(k) >= 0.0) || (0..4).all(|k| turn(k) <= 0.0)
}

/// Sides to a circle, so that the surfaces are within half the error of the regions, pads included.
fn sides(cells: &[RoundedPolygon], error: f64) -> Option<usize> {
    let radius = cells.iter().map(|c| c.radius).fold(0.0, f64::max);
    let size = cells.iter().flat_map(RoundedPolygon::corners).map(|c| c.norm1()).fold(radius, f64::max);
    let left = 0.5 * error - 4.0 * PAD * size;
    (2..=MAX_SIDES / 4).map(|n| 4 * n).find(|&n| {
        let (s, c) = sin_cos(std::f64::consts::PI / n as f64);
        radius * (s / c) * (s / c) <= left
    })
}

/// The surfaces of all cells, each closed and with vertices of its own, without cells that lie wholly inside another one. Nothing is cut out of a
/// surface: a union of closed surfaces, outside out, is solid wherever it is read again, and with holes it would be hollow.
fn visible(cells: &[RoundedPolygon], spans: &[(Span, usize)], sides: usize) -> Surface {
    let mut firsts = vec![0];
    firsts.extend(spans.iter().scan(0, |sum, (_, count)| {
        *sum += count;
        Some(*sum)
    }));
    let mut out = Surface::default();
    for (i, &(_, count)) in spans.iter().enumerate() {
        let near = firsts[i.saturating_sub(NEIGHBOURS)]..firsts[(i + NEIGHBOURS + 1).min(spans.len())];
        for own in firsts[i]..firsts[i] + count {
            let surface = cells[own].surface(sides);
            // A cell is convex: it is where its vertices are. Being well inside is a strict order, so the outermost stays.
            let holds = |other: &RoundedPolygon| surface.vertices.iter().all(|&v| other.distance(v) < other.radius * INSIDE);
            if !near.clone().any(|k| k != own && holds(&cells[k])) {
                out.append(&surface.vertices, surface.triangles.iter().copied());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use crate::motion::{InBetween, RigidMotion};
    use proptest::prelude::*;

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    /// Free bodies, each moving in the frame of the one before: turning, sliding or both.
    fn chain() -> impl Strategy<Value = Chain> {
        let joint = (0u8..3, vector(1.0), vector(0.5), vector(0.8));
        prop::collection::vec(joint, 1..4).prop_map(|spec| {
            let mut joints = vec![InBetween::resting(Pose::IDENTITY)];
            for (kind, turn, offset, travel) in spec {
                let start = Pose::from_rpy(offset, offset).expect("finite");
                let (turn, travel) = (if kind == 1 { Vec3::ZERO } else { turn }, if kind == 0 { Vec3::ZERO } else { travel });
                let motion = RigidMotion { start, end_position: offset + travel, rotation_vector: turn };
                joints.push(InBetween::of_rigid(&motion, Vec3::ZERO).expect("in range"));
            }
            Chain::new((0..joints.len() as u32).map(|i| i.saturating_sub(1)).collect::<Vec<_>>(), joints)
        })
    }

    /// Ends of the segment at an instant, by the tube's chain rather than by intervals.
    fn ends(body: &CarriedCapsule<'_>, t: f64) -> (Vec3, Vec3) {
        let state = body.chain.state(body.frame, t, 0.0);
        let place = |y: Vec3| (state.position.add(state.rotation.apply(y.into()))).vec3() + body.origin;
        (place(body.capsule.a), place(body.capsule.b))
    }

    /// How far a point is from the moving segment, at the best of many instants and then between them.
    fn distance_over_time(body: &CarriedCapsule<'_>, p: Vec3) -> f64 {
        let at = |t: f64| {
            let (a, b) = ends(body, t.clamp(0.0, 1.0));
            (p - Capsule { a, b, radius: 0.0 }.nearest(p)).norm()
        };
        let best = (0..=200).map(|k| k as f64 / 200.0).min_by(|s, t| at(*s).total_cmp(&at(*t))).unwrap_or(0.0);
        let (mut t, mut step) = (best, 1.0 / 400.0);
        for _ in 0..30 {
            t = [t - step, t, t + step].into_iter().min_by(|s, t| at(*s).total_cmp(&at(*t))).unwrap_or(t);
            step *= 0.6;
        }
        at(t)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        /// Every sampled point of the capsule is in the region; no vertex or middle of a triangle is farther out than twice the error.
        #[test]
        fn the_surface_holds_the_swept_capsule_and_little_more(
            chain in chain(), a in vector(0.3), b in vector(0.3), radius in 0.02f64..0.2, error in 0.004f64..0.05, origin in vector(2.0),
            samples in prop::collection::vec((0.0f64..1.0, 0.0f64..1.0, vector(1.0)), 60),
        ) {
            let body = CarriedCapsule { chain: &chain, frame: chain.joints.len() - 1, capsule: Capsule { a, b, radius }, origin };
            let swept = SweptSurface::new(&body, error).expect("not too small");
            for (t, s, out) in samples {
                let (a, b) = ends(&body, t);
                let p = a + (b - a) * s + out * (radius / out.norm().max(1e-3));
                prop_assert!(swept.holds(p), "{p:?} at {t}");
            }
            let every = swept.surface.triangles.len() / 150 + 1;
            for t in swept.surface.triangles.iter().step_by(every) {
                let [p, q, r] = t.map(|k| swept.surface.vertices[k as usize]);
                for x in [p, (p + q + r) * (1.0 / 3.0)] {
                    let beyond = distance_over_time(&body, x) - radius;
                    prop_assert!(beyond <= 2.0 * error + 1e-9, "{beyond} beyond, error {error}");
                }
            }
        }
    }

    const BAR: Capsule = Capsule { a: Vec3::new(-1.0, 0.0, 0.0), b: Vec3::new(1.0, 0.0, 0.0), radius: 0.1 };

    fn one_body(end_position: Vec3, rotation_vector: Vec3) -> Chain {
        let motion = RigidMotion { start: Pose::IDENTITY, end_position, rotation_vector };
        let joint = InBetween::of_rigid(&motion, Vec3::ZERO).expect("in range");
        Chain::new(vec![0, 0], vec![InBetween::resting(Pose::IDENTITY), joint])
    }

    /// A bar that turns a little about its direction of travel sweeps a saddle: one cell, whose corners are all off its plane.
    #[test]
    fn the_height_of_a_saddle_is_covered() {
        let chain = one_body(Vec3::unit(1), Vec3::unit(1) * 0.02);
        let body = CarriedCapsule { chain: &chain, frame: 1, capsule: BAR, origin: Vec3::ZERO };
        let swept = SweptSurface::new(&body, 0.05).expect("not too small");
        assert_eq!(swept.cells.len(), 1);
        for (end, side) in [(ends(&body, 0.0), 1.0), (ends(&body, 1.0), -1.0)] {
            for (p, up) in [(end.0, -side), (end.1, side)] {
                assert!(swept.holds(p + Vec3::unit(2) * (0.1 * up)) && swept.holds(p - Vec3::unit(2) * (0.1 * up)), "{p:?}");
            }
        }
    }

    /// A bar that turns about its middle sweeps a bow tie, whose hull is far larger: it must be cut.
    #[test]
    fn a_bow_tie_is_not_filled() {
        let chain = one_body(Vec3::ZERO, Vec3::unit(2) * 0.4);
        let body = CarriedCapsule { chain: &chain, frame: 1, capsule: BAR, origin: Vec3::ZERO };
        let swept = SweptSurface::new(&body, 0.05).expect("not too small");
        for t in &swept.surface.triangles {
            let [p, q, r] = t.map(|k| swept.surface.vertices[k as usize]);
            assert!(distance_over_time(&body, (p + q + r) * (1.0 / 3.0)) <= 0.1 + 2.0 * 0.05);
        }
    }

    #[test]
    fn errors_that_make_no_sense_are_refused() {
        let chain = Chain::new(vec![0], vec![InBetween::resting(Pose::IDENTITY)]);
        let body = CarriedCapsule { chain: &chain, frame: 0, capsule: BAR, origin: Vec3::ZERO };
        for error in [0.0, -1.0, f64::NAN, 1e-9] {
            assert!(SweptSurface::new(&body, error).is_none(), "{error}");
        }
        assert_eq!(SweptSurface::new(&body, 0.01).map(|s| s.cells.len()), Some(1), "what rests is one capsule");
    }
}
