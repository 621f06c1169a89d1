//! Two convex shapes of which at least one is a cylinder, one moving along the lines of a tube. (Boxes are their surfaces, spheres and
//! capsules are points and segments with a radius: see [`crate::narrow::pair`].)
//!
//! A shape is a core (a triangle, perhaps degenerate, or a cylinder) plus a radius. Its support function h(d) = max over the core of d·x is
//! convex in d. A tube moves the point y to p + R y + tau h (v + M y), so along n the moving shape's lowest point is
//!
//! ```text
//! n·(p + tau h v) - h_A(-m(tau)) - radii,   m(tau) = R^T n + tau h M^T n   linear in tau
//! ```
//! which is concave in tau: where it exceeds the resting shape's height at both ends of an interval, it does so in between, and it lies
//! above its chord. No tessellation: cylinders are as round as they are.

use crate::geometry::polygon::clip;
use crate::math::rounding::U;
use crate::math::{Pose, Vec3};
use crate::motion::Tube;
use crate::narrow::gjk::{Bodies, Enough, Vertex, nearest};
use crate::narrow::window::Window;

/// A convex shape in its own frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convex {
    pub core: Core,
    pub radius: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Core {
    Facet([Vec3; 3]),
    Cylinder {
        radius: f64,
        half_length: f64,
    },
    /// A triangle whose corners run along lines; only ever at rest otherwise.
    Lines {
        start: [Vec3; 3],
        end: [Vec3; 3],
    },
}

/// Corners on lines at time t.
pub(crate) fn along_lines(start: &[Vec3; 3], end: &[Vec3; 3], t: f64) -> [Vec3; 3] {
    [0, 1, 2].map(|k| start[k] + (end[k] - start[k]) * t)
}

/// The fastest of corners on lines.
pub(crate) fn speed_of_lines(start: &[Vec3; 3], end: &[Vec3; 3]) -> f64 {
    (0..3).map(|k| (end[k] - start[k]).norm()).fold(0.0, f64::max)
}

impl Convex {
    /// The shape as it is at time t.
    fn at(&self, t: f64) -> Convex {
        match &self.core {
            Core::Lines { start, end } => Convex { core: Core::Facet(along_lines(start, end, t)), ..*self },
            Core::Facet(_) | Core::Cylinder { .. } => *self,
        }
    }

    /// The fastest of its own corners.
    pub fn speed(&self) -> f64 {
        match &self.core {
            Core::Lines { start, end } => speed_of_lines(start, end),
            Core::Facet(_) | Core::Cylinder { .. } => 0.0,
        }
    }

    /// A point of the core with the largest d·x.
    fn support(&self, d: Vec3) -> Vec3 {
        match self.core {
            Core::Facet(c) | Core::Lines { start: c, .. } => {
                let h = c.map(|p| d.dot(p));
                if h[0] >= h[1] && h[0] >= h[2] {
                    c[0]
                } else if h[1] >= h[2] {
                    c[1]
                } else {
                    c[2]
                }
            }
            Core::Cylinder { radius, half_length } => {
                let across = (d.x * d.x + d.y * d.y).sqrt();
                let (x, y) = if across > 0.0 { (d.x / across * radius, d.y / across * radius) } else { (radius, 0.0) };
                Vec3::new(x, y, if d.z < 0.0 { -half_length } else { half_length })
            }
        }
    }

    /// `max d·x` over the core, to within 8 u |d|_1 times the core's size.
    fn height(&self, d: Vec3) -> f64 {
        match self.core {
            Core::Facet(c) | Core::Lines { start: c, .. } => d.dot(c[0]).max(d.dot(c[1])).max(d.dot(c[2])),
            Core::Cylinder { radius, half_length } => radius * (d.x * d.x + d.y * d.y).sqrt() + half_length * d.z.abs(),
        }
    }

    /// At least the distance of every point of the core from the origin.
    pub fn reach(&self) -> f64 {
        let reach = match self.core {
            Core::Facet(c) => c[0].norm().max(c[1].norm()).max(c[2].norm()),
            Core::Lines { start, end } => start.iter().chain(&end).fold(0.0, |m: f64, c| m.max(c.norm())),
            Core::Cylinder { radius, half_length } => Vec3::new(radius, 0.0, half_length).norm(),
        };
        reach * (1.0 + 16.0 * U)
    }

    /// At least every coordinate of the core.
    fn size(&self) -> f64 {
        match self.core {
            Core::Facet(c) => c[0].max_abs().max(c[1].max_abs()).max(c[2].max_abs()),
            Core::Lines { start, end } => start.iter().chain(&end).fold(0.0, |m: f64, c| m.max(c.max_abs())),
            Core::Cylinder { radius, half_length } => radius.max(half_length),
        }
    }

    /// Whether some point of a polygon (or a lone point) in this shape's frame is inside the core by more than `slack`.
    fn holds(&self, polygon: &[Vec3], slack: f64) -> bool {
        let Core::Cylinder { radius, half_length } = self.core else { return false };
        let (r, h) = (radius - slack, half_length - slack);
        let slab = clip(&clip(polygon, 2, h, 1.0), 2, -h, -1.0);
        !slab.is_empty() && h >= 0.0 && r >= 0.0 && distance_from_axis(&slab) <= r
    }
}

/// Smallest distance of a convex polygon's points from the z axis.
fn distance_from_axis(polygon: &[Vec3]) -> f64 {
    let flat = |p: Vec3| Vec3::new(p.x, p.y, 0.0);
    let (mut least, mut left, mut right) = (f64::INFINITY, true, true);
    for (i, &p) in polygon.iter().enumerate() {
        let (p, q) = (flat(p), flat(polygon[(i + 1) % polygon.len()]));
        let turn = p.cross(q).z;
        (left, right) = (left && turn > 0.0, right && turn < 0.0);
        let d = q - p;
        let dd = d.norm_squared();
        let at = if dd > 0.0 { p + d * (-p.dot(d) / dd).clamp(0.0, 1.0) } else { p };
        least = least.min(at.norm());
    }
    if left || right { 0.0 } else { least }
}

/// A moving shape, a resting shape, and where the latter rests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConvexPair {
    pub moving: Convex,
    pub resting: Convex,
    pub pose: Pose,
}

/// Witnesses of the distance between two cores: actual points of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Witness {
    pub on_a: Vec3,
    pub on_b: Vec3,
    /// The cores are proven to share a point.
    pub overlapping: bool,
    /// The direction that kept the cores farthest apart, of all that were tried: near contact the last one is mostly rounding.
    pub apart: Vec3,
}

impl ConvexPair {
    fn radii(&self) -> f64 {
        self.moving.radius + self.resting.radius
    }

    /// Narrows the window by the directions between closest points at its ends. `radius`: tube, margin, errors; shapes' radii come on top.
    pub fn narrow(&self, tube: &Tube, radius: f64, window: &mut Window) {
        for forward in [true, false] {
            if window.is_empty() {
                return;
            }
            let tau = if forward { window.from } else { window.to };
            let w = self.witness(tube, tau, 0.0);
            self.narrow_along(w.apart, tube, radius, forward, window);
        }
    }

    /// Excludes a prefix (or suffix) of the window by one direction. Evaluated at both ends of what is left; the chord gives the rest.
    ///
    /// Error: heights of both shapes 16 u |n|_1 (sizes), the line of the origin 16 u |n|_1 |position|, as for triangles with room.
    fn narrow_along(&self, n: Vec3, tube: &Tube, radius: f64, forward: bool, window: &mut Window) {
        let square = n.norm_squared();
        if !(square > 1e-280) {
            return;
        }
        let travel = tube.velocity.vec3() * tube.half;
        let size = self.moving.size()
            + self.resting.size()
            + (tube.position.vec3() - self.pose.translation).max_abs()
            + travel.max_abs();
        let need = (radius + self.radii()) * square.sqrt() * (1.0 + 8.0 * U) + 64.0 * U * n.norm1() * size;
        let local = tube.rotation.transpose_apply(n.into()).vec3();
        let local_rate = tube.rotation_rate.transpose_apply(n.into()).vec3() * tube.half;
        let resting_local = self.pose.rotation.transpose_mul(n);
        let base = n.dot(tube.position.vec3() - self.pose.translation);
        let slope = n.dot(travel);
        // Concave in tau: a resting triangle on lines has a convex height.
        let gap = |tau: f64| {
            let rest = self.resting.at(tube.middle + tau * tube.half).height(resting_local);
            base + tau * slope - self.moving.height(-(local + local_rate * tau)) - rest - need
        };
        let (near, far) = if forward { (window.from, window.to) } else { (window.to, window.from) };
        let (g0, g1) = (gap(near), gap(far));
        if !(g0 > 0.0) {
            return;
        }
        if g1 > 0.0 {
            window.from = 2.0;
            return;
        }
        let cross = near + (far - near) * (g0 / (g0 - g1)) * (1.0 - 16.0 * U);
        if forward {
            window.from = cross;
            window.lag = 2.0 * need / ((g0 - g1) / (far - near));
        } else {
            window.to = cross;
        }
    }

    /// Whether the shapes, at the middle of the tube's span, are proven to be within `margin`.
    pub fn proven_within(&self, tube: &Tube, error: f64, margin: f64) -> bool {
        let w = self.witness(tube, 0.0, error);
        w.overlapping || self.near_of(&w, error) <= margin || self.overlap_within(tube, &w, error)
    }

    /// Whether the shapes, at the middle of the tube's span, are proven to share more than a boundary.
    pub fn proven_overlapping(&self, tube: &Tube, error: f64) -> bool {
        let w = self.witness(tube, 0.0, error);
        w.overlapping || self.near_of(&w, error) < 0.0 || self.overlap_within(tube, &w, error)
    }

    /// Whether a point of one core is well inside the other. Points of facets, lowest points along the direction between the shapes, and
    /// GJK's own points are tried; each is a point of its shape within a few roundings of the sizes.
    fn overlap_within(&self, tube: &Tube, w: &Witness, error: f64) -> bool {
        let (turned, origin) = (tube.rotation.mat3(), tube.position.vec3());
        let size = self.moving.size() + self.resting.size() + (origin - self.pose.translation).max_abs();
        let slack = 2.0 * error + 64.0 * U * size;
        let into_moving = |p: Vec3| turned.transpose_mul(p - origin);
        let into_resting = |p: Vec3| self.pose.rotation.transpose_mul(p - self.pose.translation);
        let place_moving = |y: Vec3| origin + turned * y;
        if let Core::Facet(c) = self.moving.core {
            return self.resting.holds(&c.map(|y| into_resting(place_moving(y))), slack);
        }
        if let Core::Facet(c) = self.resting.at(tube.middle).core {
            return self.moving.holds(&c.map(|x| into_moving(self.pose.apply(x))), slack);
        }
        let n = w.on_a - w.on_b;
        let lowest = place_moving(self.moving.support(turned.transpose_mul(-n)));
        let highest = self.pose.apply(self.resting.support(self.pose.rotation.transpose_mul(n)));
        [lowest, w.on_a].iter().any(|&p| self.resting.holds(&[into_resting(p)], slack))
            || [highest, w.on_b].iter().any(|&p| self.moving.holds(&[into_moving(p)], slack))
    }

    /// An upper bound of the distance at the middle of the tube's span, and its witnesses.
    pub fn near(&self, tube: &Tube, error: f64) -> (f64, Witness) {
        let w = self.witness(tube, 0.0, error);
        (if w.overlapping { 0.0 } else { self.near_of(&w, error).max(0.0) }, w)
    }

    fn near_of(&self, w: &Witness, error: f64) -> f64 {
        let size = w.on_a.max_abs() + w.on_b.max_abs() + self.moving.size() + self.resting.size();
        (w.on_a - w.on_b).norm() * (1.0 + 16.0 * U) + 2.0 * error + 64.0 * U * size - self.radii()
    }

    /// Closest points of the cores at `tau`, by GJK; each is a convex combination of support points and so belongs to its shape.
    fn witness(&self, tube: &Tube, tau: f64, error: f64) -> Witness {
        let turned = tube.rotation.add(&tube.rotation_rate.scale(tau * tube.half)).mat3();
        let origin = (tube.position.add(tube.velocity.scale(tau * tube.half))).vec3();
        let resting = self.resting.at(tube.middle + tau * tube.half);
        let support = |d: Vec3| {
            let a = origin + turned * self.moving.support(turned.transpose_mul(-d));
            let b = self.pose.apply(resting.support(self.pose.rotation.transpose_mul(d)));
            (a, b)
        };
        let found = nearest(Vec3::unit(0), None, &mut Shapes(support), Enough::ALL, error);
        let (on_a, on_b) = found.simplex.points();
        Witness { on_a, on_b, overlapping: found.overlapping, apart: found.apart }
    }
}

/// Two shapes as GJK sees them.
struct Shapes<F>(F);

impl<F: Fn(Vec3) -> (Vec3, Vec3)> Bodies for Shapes<F> {
    fn support(&mut self, d: Vec3) -> Vertex {
        let (a, b) = (self.0)(d);
        Vertex { a, b, ids: (0, 0) }
    }
}
