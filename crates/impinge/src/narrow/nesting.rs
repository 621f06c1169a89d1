//! Is one shape wholly inside another, at an instant? `true` is a proof; anything else says nothing.
//!
//! ```text
//! convex outer   holds a shape if it holds balls around the points that the shape is the hull of:
//!                corners; centres of spheres; ends of a capsule's segment; corners of polygons around a cylinder's ends
//! mesh outer     a point of every component is inside, and no triangle of the outer one comes near: of a solid by a
//!                direction that separates them, of a surface triangle by triangle
//! ```
//! Sound: a place is off by at most its error, which counts as a radius. Boxes, spheres, capsules and cylinders are convex, so hulls of what
//! they hold they hold, too. Inside means in the interior: what touches from inside is not proven to be there.

use std::f64::consts::TAU;

use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::interior::Side;
use crate::geometry::{Mesh, Primitive, Shape};
use crate::math::Vec3;
use crate::math::rounding::{INFLATE, U};
use crate::math::trig::sin_cos;
use crate::narrow::gjk::{Bodies, Enough, Vertex, length, nearest};
use crate::narrow::interior::{side_of_cuboid, side_of_mesh};
use crate::narrow::triangle_pair;
use crate::narrow::triangle_pair::SweptTriangle;

/// Arcs that the rim of a cylinder is cut into at most; a polygon of so many sides is nowhere farther out than 5e-8 of the radius.
const MOST_ARCS: u32 = 1 << 14;
/// Arcs that it is cut into at first.
const FIRST_ARCS: u32 = 8;

/// Returns true only if the inner shape is proven to lie in the interior of the outer solid. `place` transforms a point from the inner frame
/// to the outer frame and returns an upper bound of its error.
pub(crate) fn is_inside(inner: &Shape, outer: &Shape, place: &dyn Fn(Vec3) -> (Vec3, f64)) -> bool {
    match outer {
        Shape::Primitive(outer) => is_inside_convex(inner, |p, radius| {
            let (x, error) = place(p);
            holds(outer, x, radius + error)
        }),
        Shape::Mesh(outer) => outer.encloses() && is_inside_mesh(inner, outer, place),
    }
}

/// Whether a convex solid around the origin holds the ball around a point, given by its frame, in its interior.
fn holds(solid: &Primitive, p: Vec3, radius: f64) -> bool {
    let size = solid.half_extent().norm1();
    let radius = (radius + 16.0 * U * (size + p.norm1())) * INFLATE;
    match *solid {
        Primitive::Cuboid { half } => side_of_cuboid(half, p, radius) == Side::Inside,
        Primitive::Sphere { radius: whole } => p.norm() + radius < whole,
        Primitive::Capsule { radius: whole, half_length } => {
            let nearest = Vec3::new(0.0, 0.0, p.z.clamp(-half_length, half_length));
            (p - nearest).norm() + radius < whole
        }
        Primitive::Cylinder { radius: whole, half_length } => {
            Vec3::new(p.x, p.y, 0.0).norm() + radius < whole && p.z.abs() + radius < half_length
        }
    }
}

/// Whether something convex holds all of a shape: `holds` is asked for balls around points of the shape's frame.
fn is_inside_convex(inner: &Shape, holds: impl Fn(Vec3, f64) -> bool) -> bool {
    let ends = |half_length: f64| [half_length, -half_length].map(|z| Vec3::new(0.0, 0.0, z));
    match inner {
        Shape::Mesh(mesh) => mesh.triangles().iter().flatten().all(|&v| holds(mesh.vertices()[v as usize], 0.0)),
        Shape::Primitive(Primitive::Cuboid { half }) => corners(*half).all(|p| holds(p, 0.0)),
        Shape::Primitive(Primitive::Sphere { radius }) => holds(Vec3::ZERO, *radius),
        Shape::Primitive(Primitive::Capsule { radius, half_length }) => ends(*half_length).iter().all(|&p| holds(p, *radius)),
        Shape::Primitive(Primitive::Cylinder { radius, half_length }) => {
            ends(*half_length).iter().all(|&end| is_rim_inside(end, *radius, &holds))
        }
    }
}

fn corners(half: Vec3) -> impl Iterator<Item = Vec3> {
    let side = |k: u32, bit: u32, h: f64| if k & bit == 0 { -h } else { h };
    (0..8).map(move |k| Vec3::new(side(k, 1, half.x), side(k, 2, half.y), side(k, 4, half.z)))
}

/// Whether something convex holds the circle around `center` in a plane across z: the polygon of its tangents where the circle is cut into
/// arcs, which are halved where the tangents' common point is too far out.
///
/// Sines are off by 4 u, and so are quotients by 3 u more: a corner is off by less than 16 u of the radius, which its ball allows for.
fn is_rim_inside(center: Vec3, radius: f64, holds: &impl Fn(Vec3, f64) -> bool) -> bool {
    let mut arcs: Vec<(u32, u32)> = (0..FIRST_ARCS).map(|k| (k, FIRST_ARCS)).collect();
    while let Some((k, n)) = arcs.pop() {
        let (s, c) = sin_cos(TAU * (f64::from(k) + 0.5) / f64::from(n));
        let out = radius / sin_cos(0.5 * TAU / f64::from(n)).1;
        let at = |radius: f64| center + Vec3::new(radius * c, radius * s, 0.0);
        if holds(at(out), 32.0 * U * radius) {
            continue;
        }
        // A point of the circle that is not held: no polygon will do.
        if n >= MOST_ARCS || !holds(at(radius), 32.0 * U * radius) {
            return false;
        }
        arcs.extend([(2 * k, 2 * n), (2 * k + 1, 2 * n)]);
    }
    true
}

/// Whether a closed mesh has all of a shape inside.
fn is_inside_mesh(inner: &Shape, outer: &Mesh, place: &dyn Fn(Vec3) -> (Vec3, f64)) -> bool {
    match inner {
        Shape::Primitive(Primitive::Sphere { radius }) => {
            let (x, error) = place(Vec3::ZERO);
            side_of_mesh(outer, x, (radius + error) * INFLATE) == Side::Inside
        }
        Shape::Primitive(solid) => {
            let (x, error) = place(Vec3::ZERO);
            side_of_mesh(outer, x, error) == Side::Inside && PlacedSolid::new(solid, place).is_apart_from(outer)
        }
        Shape::Mesh(mesh) => is_mesh_inside(mesh, outer, place),
    }
}

/// Whether a closed mesh has all of another mesh inside.
fn is_mesh_inside(inner: &Mesh, outer: &Mesh, place: &dyn Fn(Vec3) -> (Vec3, f64)) -> bool {
    let is_point_inside = |p: Vec3| {
        let (x, error) = place(p);
        side_of_mesh(outer, x, error) == Side::Inside
    };
    if !inner.components().points().iter().copied().all(is_point_inside) {
        return false;
    }
    let tree = outer.resting_tree();
    let mut all = Aabb::EMPTY;
    for i in 0..inner.triangles().len() {
        let placed = inner.corners(i).map(place);
        let error = placed.iter().fold(0.0f64, |m, p| m.max(p.1));
        let corners = placed.map(|(x, _)| x - tree.origin);
        // Differences from the tree's origin round by u of themselves, on both sides.
        let radius = error + 8.0 * U * (tree.extent + corners.iter().fold(0.0f64, |m, c| m.max(c.norm1())));
        let around = Aabb::of(corners).grown(radius);
        all = all.union(around);
        let swept = SweptTriangle { corners, travel: [Vec3::ZERO; 3], radius };
        let mut is_apart = true;
        tree.near(around, |id| is_apart = is_apart && is_triangle_apart(&swept, &outer_corners(outer, id)));
        if !is_apart {
            return false;
        }
    }
    // What of the outer one is inside of the inner one, a cavity perhaps, would not be in the outer one's solid.
    !inner.encloses() || outer.components().points().iter().all(|&p| !all.contains(p - tree.origin))
}

/// The corners of a triangle of the outer mesh, relative to the origin of its tree.
fn outer_corners(outer: &Mesh, id: u32) -> [Vec3; 3] {
    let origin = outer.resting_tree().origin;
    outer.corners(id as usize).map(|c| c - origin)
}

fn is_triangle_apart(moving: &SweptTriangle, resting: &[Vec3; 3]) -> bool {
    let mut narrowing = triangle_pair::narrow(moving, resting, 0.0);
    if !narrowing.window.is_empty() {
        triangle_pair::narrow_by_closest(moving, resting, &mut narrowing);
    }
    narrowing.window.is_empty()
}

/// A box, capsule or cylinder in another frame: all sums of the centre, a share in [-1, 1] of each axis, a point of the disc that two vectors
/// span, and a point of a ball.
struct PlacedSolid {
    center: Vec3,
    axes: [Vec3; 3],
    disc: [Vec3; 2],
    radius: f64,
}

impl PlacedSolid {
    /// Each vector is a difference of two places, off by the errors of both, which the ball holds, too.
    fn new(solid: &Primitive, place: &dyn Fn(Vec3) -> (Vec3, f64)) -> Self {
        let ((center, mut radius), zero) = (place(Vec3::ZERO), Vec3::ZERO);
        let mut vector = |v: Vec3| {
            let (x, error) = place(v);
            radius += 2.0 * error + 8.0 * U * (x.norm1() + center.norm1());
            x - center
        };
        let z = Vec3::unit(2);
        let (axes, disc, ball) = match *solid {
            Primitive::Cuboid { half } => ([0, 1, 2].map(|k| vector(Vec3::unit(k) * half[k])), [zero; 2], 0.0),
            Primitive::Sphere { radius } => ([zero; 3], [zero; 2], radius),
            Primitive::Capsule { radius, half_length } => ([vector(z * half_length), zero, zero], [zero; 2], radius),
            Primitive::Cylinder { radius, half_length } => {
                let disc = [0, 1].map(|k| vector(Vec3::unit(k) * radius));
                ([vector(z * half_length), zero, zero], disc, 0.0)
            }
        };
        PlacedSolid { center, axes, disc, radius: (radius + ball) * INFLATE }
    }

    /// Whether it is proven not to touch a mesh.
    fn is_apart_from(&self, mesh: &Mesh) -> bool {
        let tree = mesh.resting_tree();
        let center = self.center - tree.origin;
        let reach = |k: usize| {
            let axes: f64 = self.axes.iter().map(|a| a[k].abs()).sum();
            (axes + self.disc[0][k].abs() + self.disc[1][k].abs() + self.radius) * INFLATE
        };
        let reach = Vec3::new(reach(0), reach(1), reach(2));
        let rounding = 16.0 * U * (tree.extent + center.norm1() + reach.norm1());
        let around = Aabb { lo: center - reach, hi: center + reach }.grown(rounding);
        let mut is_apart = true;
        tree.near(around, |id| is_apart = is_apart && self.is_apart_from_triangle(center, &outer_corners(mesh, id), rounding));
        is_apart
    }

    /// Whether the direction that GJK ends with keeps it apart from a triangle; both relative to the same origin.
    fn is_apart_from_triangle(&self, center: Vec3, corners: &[Vec3; 3], rounding: f64) -> bool {
        let mut bodies = SolidAndTriangle { solid: self, center, corners };
        let found = nearest(center - corners[0], None, &mut bodies, Enough::ALL, 0.0);
        let n = found.apart;
        let Some(length) = length(n) else { return false };
        let highest = corners.iter().fold(f64::NEG_INFINITY, |m, c| m.max(n.dot(*c - center)));
        // Dot products and their sums round by less than 16 u of the sizes, which `rounding` has twice.
        -self.height(n) - highest > (self.radius + rounding) * length * INFLATE
    }

    /// The largest n·x over the solid around its centre, but for the ball.
    fn height(&self, n: Vec3) -> f64 {
        let axes: f64 = self.axes.iter().map(|a| n.dot(*a).abs()).sum();
        let [u, v] = self.disc.map(|d| n.dot(d));
        axes + (u * u + v * v).sqrt()
    }

    /// The point around its centre, but for the ball, with the largest n·x.
    fn farthest(&self, n: Vec3) -> Vec3 {
        let axes = self.axes.iter().fold(Vec3::ZERO, |sum, &a| sum + a * if n.dot(a) < 0.0 { -1.0 } else { 1.0 });
        let [u, v] = self.disc.map(|d| n.dot(d));
        let out = (u * u + v * v).sqrt();
        if out > 0.0 { axes + self.disc[0] * (u / out) + self.disc[1] * (v / out) } else { axes }
    }
}

/// What GJK sees: the solid but for its ball, and a triangle.
struct SolidAndTriangle<'a> {
    solid: &'a PlacedSolid,
    center: Vec3,
    corners: &'a [Vec3; 3],
}

impl Bodies for SolidAndTriangle<'_> {
    fn support(&mut self, d: Vec3) -> Vertex {
        let a = self.center + self.solid.farthest(-d);
        let b = self.corners.iter().fold(self.corners[0], |best, &c| if d.dot(c) > d.dot(best) { c } else { best });
        Vertex { a, b, ids: (0, 0) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::math::Pose;
    use proptest::prelude::*;

    fn mesh(half: Vec3) -> Mesh {
        Primitive::cuboid(half * 2.0).expect("a box").flat_surface().expect("flat")
    }

    fn shape(kind: u8, size: Vec3) -> Shape {
        match kind {
            0 => Primitive::Cuboid { half: size }.into(),
            1 => Primitive::Sphere { radius: size.x }.into(),
            2 => Primitive::Capsule { radius: size.x, half_length: size.z }.into(),
            3 => Primitive::Cylinder { radius: size.x, half_length: size.z }.into(),
            _ => Shape::Mesh(Arc::new(mesh(size))),
        }
    }

    /// How far out of a shape around the origin a point is; below zero inside.
    fn beyond(kind: u8, size: Vec3, p: Vec3) -> f64 {
        let across = p.x.hypot(p.y) - size.x;
        match kind {
            1 => p.norm() - size.x,
            2 => p.x.hypot(p.y).hypot((p.z.abs() - size.z).max(0.0)) - size.x,
            3 => across.max(p.z.abs() - size.z),
            _ => (0..3).map(|k| p[k].abs() - size[k]).fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// Points of the surface of a shape around the origin: enough that none is far from one of them.
    fn surface(kind: u8, size: Vec3) -> Vec<Vec3> {
        let turn = |k: u32, n: u32| sin_cos(TAU * f64::from(k) / f64::from(n));
        let ball = |center: Vec3, radius: f64| {
            (0..=40u32).flat_map(move |i| {
                (0..80u32).map(move |k| {
                    let ((s, c), (t, u)) = (turn(k, 80), turn(i, 80));
                    center + Vec3::new(radius * t * c, radius * t * s, radius * u)
                })
            })
        };
        let end = |z: f64| Vec3::new(0.0, 0.0, z);
        match kind {
            1 => ball(Vec3::ZERO, size.x).collect(),
            2 => ball(end(size.z), size.x).chain(ball(end(-size.z), size.x)).collect(),
            3 => [size.z, -size.z]
                .iter()
                .flat_map(|&z| (0..4000u32).map(move |k| (turn(k, 4000), z)))
                .map(|((s, c), z)| Vec3::new(size.x * c, size.x * s, z))
                .collect(),
            _ => corners(size).collect(),
        }
    }

    fn pose(at: Vec3, turn: Vec3) -> Pose {
        Pose::from_rpy(at, turn).expect("finite")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// Against points of the inner one's surface: what sticks out is never proven inside; what is inside by more than the samples miss
        /// and the rounding adds is.
        #[test]
        fn what_is_proven_inside_is_and_what_is_well_inside_is_proven(
            kinds in (0u8..5, 0u8..5), inner in prop::array::uniform3(0.05f64..0.6), outer in prop::array::uniform3(0.3f64..1.5),
            at in prop::array::uniform3(-0.5f64..0.5), turn in prop_oneof![Just([0.0; 3]), prop::array::uniform3(-3.0f64..3.0)],
        ) {
            let (inner, outer, place) = (Vec3::from(inner), Vec3::from(outer), pose(Vec3::from(at), Vec3::from(turn)));
            let deepest = surface(kinds.0, inner).into_iter().map(|p| beyond(kinds.1, outer, place.apply(p))).fold(f64::NEG_INFINITY, f64::max);
            let proven = is_inside(&shape(kinds.0, inner), &shape(kinds.1, outer), &|p| (place.apply(p), 1e-14));
            prop_assert!(!(proven && deepest > 1e-12), "{deepest}");
            prop_assert!(proven || deepest > -5e-3, "{deepest}");
        }
    }

    /// One axis, radii that differ by little: polygons are refined as far as it takes.
    #[test]
    fn cylinders_that_fit_closely_are_inside() {
        let round = |radius: f64, half_length: f64| Shape::from(Primitive::Cylinder { radius, half_length });
        let fits = |gap: f64| is_inside(&round(1.0 - gap, 0.5), &round(1.0, 1.0), &|p| (p, 0.0));
        assert!(fits(1e-3) && fits(1e-6) && !fits(0.0) && !fits(-1e-3));
    }

    /// A box of three components inside of a mesh, then with one of them sticking out; a cavity, a neighbour.
    #[test]
    fn every_component_counts() {
        let joined = |parts: &[(Vec3, Vec3, bool)]| {
            let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
            for &(half, at, flip) in parts {
                let (part, first) = (mesh(half), vertices.len() as u32);
                vertices.extend(part.vertices().iter().map(|&v| v + at));
                triangles.extend(
                    part.triangles()
                        .iter()
                        .map(|t| t.map(|i| i + first))
                        .map(|[a, b, c]| if flip { [a, c, b] } else { [a, b, c] }),
                );
            }
            Mesh::new(vertices, triangles).expect("valid")
        };
        let (small, x) = (Vec3::splat(0.1), Vec3::unit(0));
        let three =
            |far: f64| Shape::from(joined(&[(small, Vec3::ZERO, false), (small, x * 0.5, false), (small, x * far, false)]));
        let inside = |inner: &Shape, outer: &Shape| is_inside(inner, outer, &|p| (p, 0.0));
        for outer in [Shape::from(mesh(Vec3::splat(1.0))), Primitive::Cuboid { half: Vec3::splat(1.0) }.into()] {
            assert!(inside(&three(-0.5), &outer));
            assert!(!inside(&three(-0.95), &outer) && !inside(&three(-2.0), &outer));
            assert!(!inside(&outer, &three(-0.5)));
        }
        let hollow = Shape::from(joined(&[(Vec3::splat(1.0), Vec3::ZERO, false), (Vec3::splat(0.3), Vec3::ZERO, true)]));
        let boxed = |half: f64| Shape::from(Primitive::Cuboid { half: Vec3::splat(half) });
        // In the cavity, around it, and through its surface.
        for half in [0.2, 0.5, 0.3] {
            assert!(!inside(&boxed(half), &hollow) && !inside(&mesh(Vec3::splat(half)).into(), &hollow), "{half}");
        }
        let beside = is_inside(&boxed(0.2), &hollow, &|p| (p + x * 0.65, 0.0));
        assert!(beside);
    }
}
