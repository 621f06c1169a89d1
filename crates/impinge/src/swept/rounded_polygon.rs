//! A flat convex polygon of one to four corners, and all points within a radius of it: as a region and as a closed surface.
//!
//! ```text
//!       top: the polygon, raised                  seen from above: the circle of directions is cut open at the
//!      .-----------------------.   ring           normals of the edges, and each arc goes to its corner
//!     /|                       |\  ring               \ .------. /
//!     \|                       |/  ring                (|      |)      caps at corners, pipes along edges,
//!      '-----------------------'   bottom             / '------' \     offset surfaces above and below
//! ```
//!
//! The surface is that of polygon ⊕ Q, Q the convex polyhedron with vertices at longitudes at most 2 pi/N apart (edge normals among
//! them) and latitudes 2 pi/N apart on a sphere of radius R / cos^2(pi/N). Q holds the ball of radius R: at a latitude, the middle of a
//! side is cos(pi/N) times nearer to the axis than its ends, so along the meridian between them Q is cut by the chords of an ellipse with
//! half axes cos(pi/N) and 1, whose distance from the centre is at least cos(pi/N) times that of the circle's chords, cos(pi/N).

use crate::math::Vec3;
use crate::math::trig::sin_cos;

/// All points within `radius` of a flat convex polygon.
#[derive(Clone, Debug)]
pub(crate) struct RoundedPolygon {
    /// Counter-clockwise about the normal; one to four.
    corners: Vec<Vec3>,
    /// Two axes of the plane and its normal.
    frame: [Vec3; 3],
    pub radius: f64,
}

/// Vertices and triangles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surface {
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// Adds a surface with its own vertices.
    pub fn append(&mut self, vertices: &[Vec3], triangles: impl IntoIterator<Item = [u32; 3]>) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(vertices);
        self.triangles.extend(triangles.into_iter().map(|t| t.map(|k| first + k)));
    }
}

/// Corners closer than this share of the size are one, and sides that turn by less are straight.
const SAME: f64 = 1e-11;

impl RoundedPolygon {
    /// Around the convex hull of points of the plane through `center` with these axes.
    pub fn new(center: Vec3, frame: [Vec3; 3], flat: &[[f64; 2]; 4], radius: f64) -> Self {
        let place = |p: &[f64; 2]| center + frame[0] * p[0] + frame[1] * p[1];
        RoundedPolygon { corners: hull(flat).iter().map(place).collect(), frame, radius }
    }

    pub fn corners(&self) -> &[Vec3] {
        &self.corners
    }

    /// How far a point is from the polygon (rounded).
    pub fn distance(&self, p: Vec3) -> f64 {
        let n = self.corners.len();
        let edge = |k: usize| (self.corners[k], self.corners[(k + 1) % n]);
        let left = |(a, b): (Vec3, Vec3)| self.frame[2].dot((b - a).cross(p - a)) >= 0.0;
        if n > 2 && (0..n).all(|k| left(edge(k))) {
            return self.frame[2].dot(p - self.corners[0]).abs();
        }
        (0..n).map(|k| to_segment(p, edge(k))).fold(f64::INFINITY, f64::min)
    }

    /// The closed surface, outside out, with `sides` (a multiple of four) to a circle; it holds the region.
    pub fn surface(&self, sides: usize) -> Surface {
        let (_, c) = sin_cos(std::f64::consts::PI / sides as f64);
        let radius = self.radius / (c * c);
        let ring = self.ring(sides);
        let (m, rings) = (ring.len() as u32, sides / 2 - 1);
        let mut out = Surface::default();
        for j in 1..=rings {
            let (sin, cos) = sin_cos(std::f64::consts::PI * (j as f64 / (rings + 1) as f64 - 0.5));
            out.vertices.extend(ring.iter().map(|&(k, d)| self.corners[k] + (d * cos + self.frame[2] * sin) * radius));
        }
        let (bottom, top) = (rings as u32 * m, rings as u32 * m + self.corners.len() as u32);
        for height in [-radius, radius] {
            out.vertices.extend(self.corners.iter().map(|&c| c + self.frame[2] * height));
        }
        for i in 0..m {
            let next = (i + 1) % m;
            for j in 0..rings as u32 - 1 {
                let (low, high) = (j * m, (j + 1) * m);
                out.triangles.extend([[low + i, low + next, high + next], [low + i, high + next, high + i]]);
            }
            let (k, l) = (ring[i as usize].0 as u32, ring[next as usize].0 as u32);
            let last = (rings as u32 - 1) * m;
            out.triangles.extend([[last + i, last + next, top + l], [next, i, bottom + k]]);
            if k != l {
                out.triangles.extend([[last + i, top + l, top + k], [next, bottom + k, bottom + l]]);
            }
        }
        for k in 2..self.corners.len() as u32 {
            out.triangles.extend([[top, top + k - 1, top + k], [bottom, bottom + k, bottom + k - 1]]);
        }
        out
    }

    /// Directions all around, counter-clockwise, each with the corner it belongs to; normals of edges come twice.
    fn ring(&self, sides: usize) -> Vec<(usize, Vec3)> {
        let [e1, e2, normal] = self.frame;
        let directions = (0..sides).map(|j| {
            let (s, c) = sin_cos(2.0 * std::f64::consts::PI * j as f64 / sides as f64);
            (turn_of(c, s), e1 * c + e2 * s)
        });
        let directions: Vec<(f64, Vec3)> = directions.collect();
        let n = self.corners.len();
        if n == 1 {
            return directions.into_iter().map(|(_, d)| (0, d)).collect();
        }
        let outward = |k: usize| {
            let along = self.corners[(k + 1) % n] - self.corners[k % n];
            let d = along.cross(normal);
            d * (1.0 / d.norm())
        };
        let mut ring = Vec::new();
        for k in 0..n {
            let (from, to) = (outward(k + n - 1), outward(k));
            let turn = |d: Vec3| turn_of(d.dot(e1), d.dot(e2));
            let start = turn(from);
            let ahead = |t: f64| if t > start { t - start } else { t - start + 4.0 };
            let end = ahead(turn(to));
            let mut between: Vec<(f64, Vec3)> =
                directions.iter().map(|&(t, d)| (ahead(t), d)).filter(|(t, _)| *t > SAME && *t < end - SAME).collect();
            between.sort_by(|p, q| p.0.total_cmp(&q.0));
            ring.push((k, from));
            ring.extend(between.into_iter().map(|(_, d)| (k, d)));
            ring.push((k, to));
        }
        ring
    }
}

/// A number in [0, 4) that grows with the angle of a direction.
fn turn_of(x: f64, y: f64) -> f64 {
    let share = y / (x.abs() + y.abs());
    if x < 0.0 {
        2.0 - share
    } else if y < 0.0 {
        4.0 + share
    } else {
        share
    }
}

/// The corners of the convex hull, counter-clockwise, without what is nearly the same or nearly straight.
fn hull(points: &[[f64; 2]; 4]) -> Vec<[f64; 2]> {
    let size = points.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
    let apart = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).abs() + (a[1] - b[1]).abs() > SAME * size;
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let mut distinct: Vec<[f64; 2]> = Vec::new();
    for p in sorted {
        if distinct.iter().all(|&q| apart(p, q)) {
            distinct.push(p);
        }
    }
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..] {
                let (u, v) = ([b[0] - a[0], b[1] - a[1]], [p[0] - b[0], p[1] - b[1]]);
                let sizes = (u[0].abs() + u[1].abs()) * (v[0].abs() + v[1].abs());
                if u[0] * v[1] - u[1] * v[0] > SAME * sizes {
                    break;
                }
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    if distinct.len() < 2 {
        return distinct;
    }
    let lower = half(&mut distinct.iter().copied());
    let upper = half(&mut distinct.iter().rev().copied());
    lower.into_iter().chain(upper).collect()
}

fn to_segment(p: Vec3, (a, b): (Vec3, Vec3)) -> f64 {
    let d = b - a;
    let dd = d.norm_squared();
    let x = if dd > 0.0 { a + d * ((p - a).dot(d) / dd).clamp(0.0, 1.0) } else { a };
    (p - x).norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Mesh;
    use proptest::prelude::*;

    const AXES: [Vec3; 3] = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];

    /// How deep a point is below the planes of all triangles: the least of the distances.
    fn depth(surface: &Surface, p: Vec3) -> f64 {
        let below = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| surface.vertices[k as usize]);
            let n = (b - a).cross(c - a);
            if n.norm() > 1e-9 { n.dot(a - p) / n.norm() } else { f64::INFINITY }
        };
        surface.triangles.iter().map(below).fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #[test]
        fn the_surface_is_closed_convex_holds_the_region_and_little_more(
            flat in prop::array::uniform4(prop::array::uniform2(-1.0f64..1.0)), kind in 0u8..5, radius in 0.05f64..1.0,
            sides in (2usize..9).prop_map(|n| 4 * n), out in prop::array::uniform3(-1.0f64..1.0), weight in prop::array::uniform4(0.0f64..1.0),
        ) {
            let mut flat = flat;
            match kind {
                0 => flat = [flat[0]; 4],
                1 => flat = [flat[0], flat[1], flat[0], flat[1]],
                2 => flat = [[0.0, 0.0], [0.5, 0.5], [1.0, 1.0], [0.25, 0.25]],
                3 => flat[3] = flat[2],
                _ => {}
            }
            let polygon = RoundedPolygon::new(Vec3::ZERO, AXES, &flat, radius);
            let surface = polygon.surface(sides);
            let mesh = Mesh::new(surface.vertices.clone(), surface.triangles.clone()).expect("valid");
            prop_assert!(mesh.is_closed());
            // A point of the polygon, and one at the radius from it.
            let total: f64 = weight.iter().sum::<f64>();
            prop_assume!(total > 0.1);
            let base = flat.iter().zip(weight).fold(Vec3::ZERO, |p, (q, w)| p + Vec3::new(q[0], q[1], 0.0) * (w / total));
            let out = Vec3::from(out);
            prop_assume!(out.norm() > 0.1);
            let p = base + out * (radius / out.norm());
            prop_assert!(polygon.distance(p) <= radius + 1e-9);
            prop_assert!(depth(&surface, p) >= -1e-9, "{}", depth(&surface, p));
            let (_, c) = sin_cos(std::f64::consts::PI / sides as f64);
            prop_assert!(surface.vertices.iter().all(|&v| polygon.distance(v) <= radius / (c * c) + 1e-9));
        }
    }

    #[test]
    fn distances_to_a_square() {
        let square = RoundedPolygon::new(Vec3::ZERO, AXES, &[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], 0.1);
        assert_eq!(square.corners().len(), 4);
        for (p, d) in [([0.5, 0.5, 0.3], 0.3), ([2.0, 0.5, 0.0], 1.0), ([-3.0, -4.0, 0.0], 5.0), ([0.2, 0.9, 0.0], 0.0)] {
            assert!((square.distance(Vec3::from(p)) - d).abs() < 1e-15, "{p:?}");
        }
    }
}
