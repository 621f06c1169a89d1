//! A convex volume around the swept tool: three slabs (the oriented box), and side and frontal planes.   [Caby 2001, section 3.1, figure 5]
//!
//! ```text
//!        z (length)
//!   +----/--\-+     directions come from statistics and from the ends of the tool; how far the volume reaches along each is
//!   |   /    \|     measured over all vertices at both instants, so whatever the directions, the volume holds every line
//!   |  / swept/     between them
//!   | / tool / |
//!   +-\----/---+--- y (width)
//! ```
//! Rounding: a product n·x with |n_i| <= 1 is off by less than 4 u |x|_1. Measured reaches are larger by 8 u |x|_1, and what is compared
//! with them is moved inward by as much: what lies beyond a reach does so exactly.

use super::statistics::axes;
use crate::geometry::polygon::clip_by;
use crate::math::Vec3;
use crate::math::rounding::U;

/// Room for the rounding of one product, per |x|_1.
const ROUNDING: f64 = 8.0 * U;
/// Room for clipping, per |x|_1: see [`Region::meets`].
const CLIPPING: f64 = 256.0 * U;

/// Points x with `normal·x <= reach`.
#[derive(Clone, Copy, Debug)]
struct HalfSpace {
    normal: Vec3,
    reach: f64,
}

/// The volume.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// x height, y width, z length: from the thinnest to the longest.
    axes: [Vec3; 3],
    lo: [f64; 3],
    hi: [f64; 3],
    planes: [HalfSpace; 4],
    count: usize,
}

impl Region {
    /// The box around points, grown by `by`. Nothing is excluded by one around no points.
    pub fn around(points: &[Vec3], by: f64) -> Region {
        let none = HalfSpace { normal: Vec3::ZERO, reach: f64::INFINITY };
        let axes = axes(points);
        let mut spans = axes.map(|axis| {
            let (lo, hi) = (-reach(points, -axis, by), reach(points, axis, by));
            (axis, lo, hi)
        });
        spans.sort_by(|a, b| (a.2 - a.1).total_cmp(&(b.2 - b.1)));
        Region { axes: spans.map(|s| s.0), lo: spans.map(|s| s.1), hi: spans.map(|s| s.2), planes: [none; 4], count: 0 }
    }

    /// With the side and frontal planes: for each corner of the box in the plane of width and length, the line through two of the outermost
    /// points of the tool's faces that cuts off most of it. `faces` are its front and rear, at both instants.
    pub fn with_planes(mut self, points: &[Vec3], faces: [&[Vec3]; 4], by: f64) -> Region {
        let flat = |p: Vec3| [self.axes[1].dot(p), self.axes[2].dot(p)];
        let mut outermost = [[0.0; 2]; 8];
        for (face, out) in faces.iter().zip(outermost.chunks_exact_mut(2)) {
            let places = face.iter().map(|&p| flat(p));
            let (mut least, mut most) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
            for p in places {
                least = if p[0] < least[0] { p } else { least };
                most = if p[0] > most[0] { p } else { most };
            }
            out.copy_from_slice(&[least, most]);
        }
        let mut best = [(0.0, [0.0; 2]); 4];
        for (i, p) in outermost.iter().enumerate() {
            for q in &outermost[i + 1..] {
                for n in [[q[1] - p[1], p[0] - q[0]], [p[1] - q[1], q[0] - p[0]]] {
                    let corner = usize::from(n[0] > 0.0) + 2 * usize::from(n[1] > 0.0);
                    let cut = self.cut_off(n, &outermost);
                    if cut > best[corner].0 {
                        best[corner] = (cut, n);
                    }
                }
            }
        }
        for (_, [y, z]) in best.into_iter().filter(|b| b.0 > 0.0) {
            let normal = self.axes[1] * y + self.axes[2] * z;
            let normal = normal * (1.0 / normal.norm());
            self.planes[self.count] = HalfSpace { normal, reach: reach(points, normal, by) };
            self.count += 1;
        }
        self
    }

    /// The area of the box, in the plane of width and length, beyond the farthest of the points in direction n.
    fn cut_off(&self, n: [f64; 2], points: &[[f64; 2]; 8]) -> f64 {
        let corner = [1, 2].map(|k| if n[k - 1] > 0.0 { self.hi[k] } else { self.lo[k] });
        let along = |p: &[f64; 2]| n[0] * p[0] + n[1] * p[1];
        let farthest = points.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
        let beyond = along(&corner) - farthest;
        let area = beyond * beyond / (2.0 * (n[0] * n[1]).abs());
        if beyond > 0.0 && area.is_finite() { area } else { 0.0 }
    }

    /// Directions of the box, of length one up to a few u.
    pub fn axes(&self) -> [Vec3; 3] {
        self.axes
    }

    /// On which sides of the box a point is: a bit for each face that it is beyond.
    #[inline(always)]
    pub fn sides(&self, p: Vec3) -> u8 {
        let slack = ROUNDING * p.norm1();
        let mut bits = 0;
        for k in 0..3 {
            let along = self.axes[k].dot(p);
            bits |= u8::from(along + slack < self.lo[k]) << (2 * k);
            bits |= u8::from(along - slack > self.hi[k]) << (2 * k + 1);
        }
        bits
    }

    /// Whether one face or plane has all these points beyond it.
    pub fn excludes(&self, points: &[Vec3]) -> bool {
        let beyond = |n: Vec3, reach: f64| points.iter().all(|&p| n.dot(p) - ROUNDING * p.norm1() > reach);
        self.half_spaces().any(|h| beyond(h.normal, h.reach))
    }

    fn half_spaces(&self) -> impl Iterator<Item = HalfSpace> + '_ {
        let of_box = (0..6).map(|i| {
            let k = i / 2;
            let sign = if i % 2 == 0 { -1.0 } else { 1.0 };
            HalfSpace { normal: self.axes[k] * sign, reach: if i % 2 == 0 { -self.lo[k] } else { self.hi[k] } }
        });
        of_box.chain(self.planes[..self.count].iter().copied())
    }

    /// Whether a triangle at rest has a point in the volume, up to rounding: not all of it is beyond one face, and clipped by one plane after
    /// the other, something is left.
    ///
    /// Never a wrong no: let p be a common point, M the largest |corner|_1. Planes are moved outward by 256 u M. A height is off by 6 u M, so what
    /// a plane cuts off lies further outward than p by 250 u M; and a corner that is made by cutting is off by 8 u M, so p is never further
    /// than 10 · 8 u M from what is left, which therefore has a corner that no plane cuts off.
    pub fn meets(&self, triangle: [Vec3; 3], scratch: &mut Scratch) -> bool {
        let size = triangle.iter().fold(0.0, |m: f64, p| m.max(p.norm1()));
        if !size.is_finite() {
            return true;
        }
        if triangle.iter().fold(u8::MAX, |all, &p| all & self.sides(p)) != 0 {
            return false;
        }
        let Scratch(polygon, next) = scratch;
        polygon.clear();
        polygon.extend(triangle);
        for HalfSpace { normal, reach } in self.half_spaces() {
            let out = reach + CLIPPING * size;
            next.clear();
            clip_by(polygon, |p| normal.dot(p) - out, |_| {}, next);
            std::mem::swap(polygon, next);
            if polygon.is_empty() {
                return false;
            }
        }
        true
    }
}

/// Two polygons, so that clipping allocates nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch(Vec<Vec3>, Vec<Vec3>);

/// At least n·x for all points, and `by` more. NaN makes it infinite: nothing is excluded then.
fn reach(points: &[Vec3], n: Vec3, by: f64) -> f64 {
    let mut most = f64::NEG_INFINITY;
    for &p in points {
        let along = n.dot(p) + ROUNDING * p.norm1();
        if along.is_nan() {
            return f64::INFINITY;
        }
        most = if along > most { along } else { most };
    }
    // The normal is of length one up to a few u, and the sum rounds once.
    let all = most + by * (1.0 + 64.0 * U) + 2.0 * U * most.abs();
    if all.is_nan() || points.is_empty() { f64::INFINITY } else { all }
}
