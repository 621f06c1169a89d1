//! Bodies swept by translations: distance and interference, exact (Xavier 1997, section 2.2).
//!
//! ```text
//!    A ----- A + x        the hull of the vertices and of their images is what a convex body sweeps, and what a node's hull sweeps
//!      \    /             holds what everything below it sweeps. So the search is that of bodies at rest; only the farthest point
//!        B                of a body has one more place to be.
//! ```
//! Both at the same time: seen from B, A moves by x - y and B rests. Both volumes at once: the points of A at any time and those of B at any
//! other.

use super::search::{self, Answer, Found};
use super::session::DistanceSession;
use super::{DistanceLimits, check_poses};
use crate::Error;
use crate::bvh::HullTree;
use crate::geometry::mesh::MAX_COORDINATE;
use crate::math::pose::Placement;
use crate::math::rounding::U;
use crate::math::{Pose, Vec3};
use crate::narrow::gjk::{Vertex, length};
use crate::narrow::hull_pair::{Measured, Placing, Support};
use crate::narrow::placed_hulls::Placed;

/// What the distance of two sweeps means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// Both move at the same time: the smallest distance at any instant.
    #[default]
    Simultaneous,
    /// Where the one is at any time against where the other is at any other.
    Volumes,
}

/// What is known of the smallest distance during a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptDistance {
    /// Proven: never closer. Zero when they touch.
    pub at_least: f64,
    /// Proven: once this close. Infinite if nothing within `stop_above` was found.
    pub at_most: f64,
    /// What shows it.
    pub witness: Option<SweptWitness>,
    /// The work limit was reached: the bounds hold, and may be farther apart than asked for.
    pub out_of_work: bool,
}

/// Two points, when they are there, and the triangles they are on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptWitness {
    /// Of the first and of the second body, in the world, at their times; up to rounding.
    pub points: (Vec3, Vec3),
    /// In [0, 1]; the same for both while they move at the same time.
    pub times: (f64, f64),
    /// Their triangles, as numbered in the meshes.
    pub triangles: (u32, u32),
}

/// The smallest distance of two bodies while each is translated, from its pose by a vector in the world.
///
/// # Errors
/// If a pose or a vector is not finite or beyond [`MAX_COORDINATE`], or a limit is negative or not a number.
pub fn swept_distance(
    (a, world_from_a, by_a): (&HullTree, &Pose, Vec3),
    (b, world_from_b, by_b): (&HullTree, &Pose, Vec3),
    reading: Reading,
    limits: DistanceLimits,
    session: &mut DistanceSession,
) -> Result<SweptDistance, Error> {
    limits.check()?;
    let slide = Slide::new((a, world_from_a, by_a), (b, world_from_b, by_b), reading)?;
    let Answer { at_least, at_most, found, out_of_work } = search::run((a, b), &slide, limits, session);
    Ok(SweptDistance { at_least, at_most, witness: found.map(|f| slide.witness(&f, (a, b))), out_of_work })
}

/// A body and its sweep.
pub(super) type Swept<'a> = (&'a HullTree, &'a Pose, Vec3);

/// A seen from B, with images of both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slide {
    placed: Placed,
    /// How far A and B go, in the frame of B.
    a: Vec3,
    b: Vec3,
    error: f64,
    /// How far both go together, in the world.
    shared: Vec3,
    reading: Reading,
}

impl Slide {
    /// Sweeps are turned into the frame of B: off by what its rotation is off by and 8 u; their difference and the image of a point round
    /// once each; and heights of images by what those of the points do, for larger coordinates: 96 u in all.
    pub fn new((a, world_from_a, by_a): Swept<'_>, (b, world_from_b, by_b): Swept<'_>, reading: Reading) -> Result<Self, Error> {
        check_poses(world_from_a, world_from_b)?;
        for (by, name) in [(by_a, "sweep of the first body"), (by_b, "sweep of the second body")] {
            check_vector(by, name)?;
        }
        let placed = Placed::new((a.reach, world_from_a), (b.reach, world_from_b)).within(a.error + b.error);
        let rough = Placement::new(*world_from_b).rotation_error;
        let far = (by_a.norm() + by_b.norm()) * (1.0 + 8.0 * U);
        let error = placed.error + (rough + 96.0 * U) * far * (1.0 + 8.0 * U);
        let into_b = |v: Vec3| world_from_b.rotation.transpose_mul(v);
        Ok(match reading {
            Reading::Simultaneous => Slide { placed, a: into_b(by_a - by_b), b: Vec3::ZERO, error, shared: by_b, reading },
            Reading::Volumes => Slide { placed, a: into_b(by_a), b: into_b(by_b), error, shared: Vec3::ZERO, reading },
        })
    }

    pub fn witness(&self, found: &Found, (a, b): (&HullTree, &HullTree)) -> SweptWitness {
        let (i, k) = found.triangles;
        let time = |id: u32| f64::from(id & 1);
        // Weights add up to one, up to rounding.
        let mean = |time: &dyn Fn((u32, u32)) -> f64| found.simplex.mean(|v| time(v.ids)).clamp(0.0, 1.0);
        let (at_a, at_b) = (mean(&|ids| time(ids.0)), mean(&|ids| time(ids.1)));
        let times = if self.reading == Reading::Simultaneous { (at_a, at_a) } else { (at_a, at_b) };
        let along = self.shared * at_a;
        let world = |p: Vec3| self.placed.world_from_b.apply(p) + along;
        let triangles = (a.ids[i as usize], b.ids[k as usize]);
        SweptWitness { points: (world(found.on_a), world(found.on_b)), times, triangles }
    }

    /// The place of a point of A that is lower along d, its own or its image's, and its number.
    #[inline(always)]
    fn lower(&self, i: u32, at: Vec3, d: Vec3) -> (u32, Vec3) {
        if d.dot(self.a) < 0.0 { (2 * i + 1, at + self.a) } else { (2 * i, at) }
    }

    /// The same for B, higher.
    #[inline(always)]
    fn higher(&self, k: u32, at: Vec3, d: Vec3) -> (u32, Vec3) {
        if d.dot(self.b) > 0.0 { (2 * k + 1, at + self.b) } else { (2 * k, at) }
    }
}

impl Placing for Slide {
    type A = [Vec3; 3];
    type B = [Vec3; 3];

    #[inline(always)]
    fn error(&self) -> f64 {
        self.error
    }

    #[inline(always)]
    fn stretch(&self) -> (f64, f64) {
        (1.0, 1.0)
    }

    fn between(&self) -> Vec3 {
        self.placed.position + (self.a - self.b) * 0.5
    }

    #[inline(always)]
    fn vertex(&self, a: &impl Support, b: &impl Support, d: Vec3) -> Vertex {
        let v = self.placed.vertex(a, b, d);
        let ((i, a), (k, b)) = (self.lower(v.ids.0, v.a, d), self.higher(v.ids.1, v.b, d));
        Vertex { a, b, ids: (i, k) }
    }

    #[inline(always)]
    fn recalled(&self, a: &impl Support, b: &impl Support, (i, k): (u32, u32)) -> Vertex {
        let v = self.placed.recalled(a, b, (i / 2, k / 2));
        let image = |at: Vec3, id: u32, by: Vec3| if id & 1 == 1 { at + by } else { at };
        Vertex { a: image(v.a, i, self.a), b: image(v.b, k, self.b), ids: (i, k) }
    }

    /// The parallelogram of all differences, measured along the way to one of its points: any direction gives a bound.
    #[inline(always)]
    fn points(&self, a: Vec3, b: Vec3) -> (f64, Vec3) {
        let start = self.placed.place(a) - b;
        let share = |from: Vec3, along: Vec3| (-from.dot(along) / along.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let on_a = start + self.a * share(start, self.a);
        let v = on_a - self.b * share(on_a, -self.b);
        let low = v.dot(start) + v.dot(self.a).min(0.0) + (-v.dot(self.b)).min(0.0);
        (length(v).map_or(0.0, |length| low / length), v)
    }

    #[inline(always)]
    fn place_a(&self, t: &[Vec3; 3]) -> [Vec3; 3] {
        self.placed.place_a(t)
    }

    #[inline(always)]
    fn place_b(&self, t: &[Vec3; 3]) -> [Vec3; 3] {
        *t
    }

    #[inline(always)]
    fn lowest(&self, a: &[Vec3; 3], n: Vec3) -> f64 {
        self.placed.lowest(a, n) + n.dot(self.a).min(0.0)
    }

    #[inline(always)]
    fn highest(&self, b: &[Vec3; 3], n: Vec3) -> f64 {
        self.placed.highest(b, n) + n.dot(self.b).max(0.0)
    }

    #[inline(always)]
    fn corner(&self, a: &[Vec3; 3], b: &[Vec3; 3], d: Vec3) -> Vertex {
        let v = self.placed.corner(a, b, d);
        let ((i, a), (k, b)) = (self.lower(v.ids.0, v.a, d), self.higher(v.ids.1, v.b, d));
        Vertex { a, b, ids: (i, k) }
    }

    /// Along every direction across two edges: sides of the triangles and ways of the sweeps.
    #[cold]
    fn finer(&self, a: &[Vec3; 3], b: &[Vec3; 3], known: &Measured) -> Measured {
        let edges = [a[1] - a[0], a[2] - a[1], a[0] - a[2], self.a, b[1] - b[0], b[2] - b[1], b[0] - b[2], self.b];
        let mut best = *known;
        for i in 0..8 {
            for k in i + 1..8 {
                let n = edges[i].cross(edges[k]);
                let Some(length) = length(n) else { continue };
                for n in [n * (1.0 / length), n * (-1.0 / length)] {
                    let gap = self.lowest(a, n) - self.highest(b, n) - self.error;
                    if gap > best.at_least {
                        (best.at_least, best.apart) = (gap, n);
                    }
                }
            }
        }
        best
    }
}

pub(super) fn check_vector(v: Vec3, name: &str) -> Result<(), Error> {
    if !v.is_finite() {
        return Err(Error::NonFinite { what: name.into() });
    }
    if v.max_abs() > MAX_COORDINATE {
        return Err(Error::OutOfRange { what: name.into(), value: v.max_abs(), limit: MAX_COORDINATE });
    }
    Ok(())
}
