//! What shapes themselves sweep, within a given error: a union of convex cells.
//!
//! ```text
//!    lump   a convex bit of the shape: its corners, and a ball around each          cell   the hull of a lump's corners at both ends of a
//!   (----)  box, cylinder, capsule, convex mesh, few triangles, or one              ,--.   span's straight lines, grown by how far the
//!                                                                                  (____)  motion strays from these
//! ```
//!
//! Contained: by [`crate::motion::tube`] a corner y is within ρ of x + τ d, τ in [-1, 1], at every time of the span, d half its travel; so is
//! every mean of corners with the mean of their lines, for the motion of a rigid body is affine in y, and that mean is in the hull of the lines'
//! ends. A ball of radius r about a corner adds r. So the lump is in hull ⊕ ball(r + ρ), which is in the hull of polyhedra that hold the
//! ball, one about each end.
//!
//! No larger than 2 error, E for short: a point of the ends' hull is Σ w_k (x_k + σ_k d_k), σ_k = ±1. With means σ and d of σ_k and d_k the
//! point Σ w_k x_k + σ d is one of the lump's lines at τ = σ, and they differ by Σ w_k (σ_k - σ)(d_k - d), at most sqrt(var σ var d) <= 1 times
//! the radius of a ball around all d_k: [`SPREAD`] E. That line is within ρ of the motion, and the polyhedra reach to √3 g about a point
//! or to (r + g) / cos² about a ball, g = ρ + pad: [`STRAY`] E for (1 + √3) g and [`ROUND`] E for what r adds. A point of a lump's hull is
//! within its slack of the shape: [`SLACK`] E. The four shares sum to 2.

use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::hull::Hull;
use crate::math::pose::Placement;
use crate::math::rounding::INFLATE;
use crate::math::trig::sin_cos;
use crate::math::{Vec3, rounding};
use crate::motion::{Chain, Span, Tube};
use crate::swept::lumps::Lump;

/// Shares of the error, see the head of this file.
pub(crate) const SLACK: f64 = 0.8;
const SPREAD: f64 = 0.5;
const STRAY: f64 = 0.6;
const ROUND: f64 = 0.1;
/// More cells than this are a mistake in the wanted error.
pub(crate) const MAX_CELLS: usize = 1 << 16;
const MAX_SIDES: usize = 512;
/// Coordinates may be written as `f32`, off by 2^-24 of their size, and computed with less.
const PAD: f64 = 1.0 / (1u64 << 22) as f64;
/// Cells are solid, however little their lumps are: they are grown by this share of the error at least.
const LEAST: f64 = 1.0 / (1u64 << 10) as f64;
/// Just above √3: an octahedron of that size holds the ball of radius one.
const ROOT_3: f64 = 1.732_050_807_568_88;

/// A body carried by a frame of a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CarriedBody<'a> {
    pub chain: &'a Chain,
    pub frame: usize,
    pub placement: &'a Placement,
    /// Where the chain's own origin is in the world.
    pub origin: Vec3,
}

/// A convex polyhedron in the world.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub hull: Hull,
    bounds: Aabb,
    /// Outward unit normals of the faces, and their heights.
    planes: Vec<(Vec3, f64)>,
}

impl Cell {
    fn new(points: &[Vec3]) -> Self {
        let hull = Hull::of_checked(points);
        let plane = |face: &[u32]| {
            let at = |k: usize| hull.vertices()[face[k % face.len()] as usize];
            let sum = (1..face.len()).fold(Vec3::ZERO, |sum, k| sum + (at(k) - at(0)).cross(at(k + 1) - at(0)));
            let normal = sum * (1.0 / sum.norm().max(f64::MIN_POSITIVE));
            (normal, face.iter().fold(f64::NEG_INFINITY, |h, &k| h.max(normal.dot(hull.vertices()[k as usize]))))
        };
        let planes = hull.faces().map(plane).collect();
        Cell { bounds: Aabb::of(hull.vertices().iter().copied()), planes, hull }
    }

    /// Whether a point is inside by more than a margin; within rounding of that it may be called either.
    pub fn holds(&self, p: Vec3, margin: f64) -> bool {
        let Aabb { lo, hi } = self.bounds;
        (0..3).all(|k| lo[k] <= p[k] && p[k] <= hi[k]) && self.planes.iter().all(|(n, height)| n.dot(p) <= height - margin)
    }

    /// What rounding may do to heights, and more.
    pub fn margin(&self) -> f64 {
        1e-9 * (self.bounds.lo.max_abs() + self.bounds.hi.max_abs())
    }
}

impl CarriedBody<'_> {
    /// The cells of a lump, in the order of time, added to those of others; `None` if there are too many, or the error is too small for `f32`.
    pub fn sweep(&self, lump: &Lump, error: f64, cells: &mut Vec<Cell>) -> Option<()> {
        let ball = if lump.rounding > 0.0 { ball(lump.rounding + error, error)? } else { octahedron() };
        let mut open = vec![Span::new(0.0, 1.0)];
        while let Some(span) = open.pop() {
            if let Some(points) = self.cell(lump, span, &ball, error) {
                cells.push(Cell::new(&points));
            } else if cells.len() + open.len() < MAX_CELLS && span.length() > 1.0 / (1u64 << 30) as f64 {
                let middle = span.middle();
                open.extend([Span::new(middle, span.to), Span::new(span.from, middle)]);
            } else {
                return None;
            }
        }
        (cells.len() <= MAX_CELLS).then_some(())
    }

    /// The points whose hull is the cell of a span; `None` if that is too large for the error.
    fn cell(&self, lump: &Lump, span: Span, ball: &[Vec3], error: f64) -> Option<Vec<Vec3>> {
        let state = self.chain.state(self.frame, span.middle(), span.half());
        let tube = Tube::in_world(&state, &self.chain.errors[self.frame], self.placement, -self.origin, span);
        let lines: Vec<(Vec3, Vec3)> = lump.corners.iter().map(|&y| tube.line(y)).collect();
        let middle = lines.iter().fold(Vec3::ZERO, |sum, (_, d)| sum + *d) * (1.0 / lines.len() as f64);
        let spread = lines.iter().fold(0.0f64, |r, (_, d)| r.max((*d - middle).norm()));
        let size = lines.iter().fold(lump.rounding, |size, (x, d)| size.max(x.norm1() + d.norm1()));
        let grown = (tube.radius(lump.reach) + PAD * size).max(LEAST * error) * INFLATE;
        // Written so that what is not a number is too large.
        if !(spread * INFLATE <= SPREAD * error && (1.0 + ROOT_3) * grown <= STRAY * error) {
            return None;
        }
        let radius = lump.rounding + grown;
        let ends = lines.iter().flat_map(|&(x, d)| if d == Vec3::ZERO { vec![x] } else { vec![x - d, x + d] });
        Some(ends.flat_map(|end| ball.iter().map(move |&b| end + b * radius)).collect())
    }
}

/// Holds the ball of radius one.
fn octahedron() -> Vec<Vec3> {
    (0..3).flat_map(|k| [Vec3::unit(k) * ROOT_3, Vec3::unit(k) * -ROOT_3]).collect()
}

/// A polyhedron around the ball of radius one that reaches no farther than [`ROUND`] of the error beyond a ball of this radius: see
/// [`crate::swept::rounded_polygon`] for why it holds the ball.
fn ball(radius: f64, error: f64) -> Option<Vec<Vec3>> {
    let half_angle = |n: usize| sin_cos(std::f64::consts::PI / n as f64);
    let fits = |&n: &usize| {
        let (s, c) = half_angle(n);
        radius * (s / c) * (s / c) * INFLATE <= ROUND * error
    };
    let sides = (2..=MAX_SIDES / 4).map(|n| 4 * n).find(fits)?;
    let out = rounding::next_up(1.0 / (half_angle(sides).1 * half_angle(sides).1)) * INFLATE;
    let mut points = vec![Vec3::unit(2) * out, Vec3::unit(2) * -out];
    for j in 1..sides / 2 {
        let (z, across) = sin_cos(std::f64::consts::PI * (2.0 * j as f64 / sides as f64 - 0.5));
        points.extend((0..sides).map(|k| {
            let (s, c) = sin_cos(2.0 * std::f64::consts::PI * k as f64 / sides as f64);
            Vec3::new(c * across, s * across, z) * out
        }));
    }
    Some(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Mesh, Primitive, Shape};
    use crate::math::Pose;
    use crate::motion::{InBetween, RigidMotion};
    use crate::swept::lumps::lumps;
    use proptest::prelude::*;

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    fn shapes() -> impl Strategy<Value = Shape> {
        let side = || 0.02f64..0.3;
        let soup = prop::collection::vec(vector(0.4), 3..24).prop_map(|v| {
            let triangles = (0..v.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
            Shape::from(Mesh::new(v, triangles).expect("valid"))
        });
        let solid = |p: Result<Primitive, crate::Error>| p.expect("valid");
        prop_oneof![
            soup,
            prop::array::uniform3(side()).prop_map(move |s| solid(Primitive::cuboid(Vec3::from(s))).into()),
            prop::array::uniform3(side())
                .prop_map(move |s| solid(Primitive::cuboid(Vec3::from(s))).flat_surface().expect("flat").into()),
            side().prop_map(move |r| solid(Primitive::sphere(r)).into()),
            (side(), side()).prop_map(move |(r, l)| solid(Primitive::capsule(r, l)).into()),
            (side(), side()).prop_map(move |(r, l)| solid(Primitive::cylinder(r, l)).into()),
        ]
    }

    /// A point of a shape, from numbers in [0, 1].
    fn point_of(shape: &Shape, pick: usize, u: [f64; 3]) -> Vec3 {
        let [x, y, z] = u.map(|c| 2.0 * c - 1.0);
        let round = |r: f64| Vec3::new(x, y, z) * (r / Vec3::new(x, y, z).norm().max(1.0));
        match shape {
            Shape::Mesh(m) => {
                let [a, b, c] = m.corners(pick % m.triangles().len());
                let (s, t) = (u[0].max(u[1]), u[0].min(u[1]));
                a * (1.0 - s) + b * (s - t) + c * t
            }
            Shape::Primitive(Primitive::Cuboid { half }) => Vec3::new(x * half.x, y * half.y, z * half.z),
            Shape::Primitive(Primitive::Sphere { radius }) => round(*radius),
            Shape::Primitive(Primitive::Capsule { radius, half_length }) => {
                round(*radius) + Vec3::unit(2) * (half_length * if pick.is_multiple_of(2) { 1.0 } else { -1.0 })
            }
            Shape::Primitive(Primitive::Cylinder { radius, half_length }) => {
                let flat = Vec3::new(x, y, 0.0);
                flat * (radius / flat.norm().max(1.0)) + Vec3::unit(2) * (half_length * z)
            }
        }
    }

    /// How far a point is from a solid or surface, in its own frame.
    fn distance(shape: &Shape, p: Vec3) -> f64 {
        let beyond = |v: Vec3| v.max(Vec3::ZERO).norm();
        match shape {
            Shape::Mesh(m) => (0..m.triangles().len()).map(|i| to_triangle(p, m.corners(i))).fold(f64::INFINITY, f64::min),
            Shape::Primitive(Primitive::Cuboid { half }) => beyond(p.abs() - *half),
            Shape::Primitive(Primitive::Sphere { radius }) => (p.norm() - radius).max(0.0),
            Shape::Primitive(Primitive::Capsule { radius, half_length }) => {
                ((p - Vec3::unit(2) * p.z.clamp(-half_length, *half_length)).norm() - radius).max(0.0)
            }
            Shape::Primitive(Primitive::Cylinder { radius, half_length }) => {
                beyond(Vec3::new(p.x.hypot(p.y) - radius, p.z.abs() - half_length, 0.0))
            }
        }
    }

    fn to_triangle(p: Vec3, t: [Vec3; 3]) -> f64 {
        let c = crate::narrow::closest::closest(&[p; 3], &t);
        (c.on_a - c.on_b).norm()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        /// Every sampled point of the shape at every sampled time is in a cell; every vertex of a cell is within twice the error of the
        /// shape at some time.
        #[test]
        fn cells_hold_what_the_shape_sweeps_and_little_more(
            shape in shapes(), from in vector(1.0), to in vector(1.0), turn in vector(1.5), at in vector(0.3), tilt in vector(3.0),
            error in 0.02f64..0.06, origin in vector(2.0),
            samples in prop::collection::vec((0.0f64..1.0, 0usize..1000, prop::array::uniform3(0.0f64..1.0)), 60),
        ) {
            let motion = RigidMotion { start: Pose::from_translation(from), end_position: to, rotation_vector: turn };
            let joint = InBetween::of_rigid(&motion, Vec3::ZERO).expect("in range");
            let chain = Chain::new(vec![0, 0], vec![InBetween::resting(Pose::IDENTITY), joint]);
            let placement = Placement::new(Pose::from_rpy(at, tilt).expect("finite"));
            let body = CarriedBody { chain: &chain, frame: 1, placement: &placement, origin };
            let mut cells = Vec::new();
            for lump in lumps(&shape, error).expect("few") {
                body.sweep(&lump, error, &mut cells).expect("not too small");
            }
            let pose = |t: f64| {
                let state = chain.state(1, t, 0.0);
                let frame = Pose { rotation: state.rotation.mat3(), translation: state.position.vec3() + origin };
                frame * placement.pose
            };
            for (t, pick, u) in samples {
                let p = pose(t).apply(point_of(&shape, pick, u));
                prop_assert!(cells.iter().any(|c| c.holds(p, -1e-12)), "{p:?} at {t}");
            }
            let vertices: Vec<Vec3> = cells.iter().flat_map(|c| c.hull.vertices().iter().copied()).collect();
            for v in vertices.iter().step_by(vertices.len() / 80 + 1) {
                let at = |t: f64| distance(&shape, pose(t.clamp(0.0, 1.0)).inverse().apply(*v));
                let mut t = (0..=100).map(|k| f64::from(k) / 100.0).min_by(|s, t| at(*s).total_cmp(&at(*t))).unwrap_or(0.0);
                let mut step = 0.01;
                for _ in 0..25 {
                    t = [t - step, t, t + step].into_iter().min_by(|s, t| at(*s).total_cmp(&at(*t))).unwrap_or(t);
                    step *= 0.6;
                }
                prop_assert!(at(t) <= 2.0 * error + 1e-9, "{} beyond, error {error}", at(t));
            }
        }
    }

    #[test]
    fn errors_that_make_no_sense_are_refused() {
        let chain = Chain::new(vec![0], vec![InBetween::resting(Pose::IDENTITY)]);
        let placement = Placement::new(Pose::IDENTITY);
        let body = CarriedBody { chain: &chain, frame: 0, placement: &placement, origin: Vec3::ZERO };
        let shape = Shape::from(Primitive::sphere(1.0).expect("valid"));
        for error in [0.0, -1.0, f64::NAN, 1e-9] {
            let swept = lumps(&shape, error).and_then(|l| l.iter().try_for_each(|lump| body.sweep(lump, error, &mut Vec::new())));
            assert!(swept.is_none(), "{error}");
        }
        let mut cells = Vec::new();
        for lump in lumps(&shape, 0.1).expect("one") {
            body.sweep(&lump, 0.1, &mut cells).expect("large enough");
        }
        assert_eq!(cells.len(), 1, "what rests is one cell");
    }
}
