//! Triangulated building blocks: boxes, cylinders, capsules, elbows, rings.
//!
//! ```text
//! a sweep of rings:   o---o---o---o      ring i and ring i + 1 are joined by a band of 2 x sides triangles;
//!                     |  /|  /|  /|      the ends stay open, or are closed by fans around their middle
//!                     o---o---o---o
//! ```
//!
//! All solids are wound outwards. Coordinates are plain `f64`; [`Solid::into_mesh`] rounds them to `f32`, so that a binary STL
//! file holds exactly the same mesh.

use std::f64::consts::{FRAC_PI_2, TAU};

use impinge::geometry::Mesh;
use impinge::math::Vec3;
use impinge::math::trig::sin_cos;

/// Vertices and triangles under construction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solid {
    /// Coordinates, metres.
    pub vertices: Vec<Vec3>,
    /// Triples of vertex indices.
    pub triangles: Vec<[u32; 3]>,
}

/// Treatment of the two ends of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Open.
    Open,
    /// Each end is closed by a fan.
    Capped,
    /// The last ring is joined to the first.
    Joined,
}

impl Solid {
    /// Adds another solid.
    pub fn add(&mut self, other: &Solid) {
        let offset = self.vertices.len() as u32;
        self.vertices.extend(&other.vertices);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|i| i + offset)));
    }

    /// Returns this solid together with another.
    pub fn with(mut self, other: &Solid) -> Solid {
        self.add(other);
        self
    }

    /// Converts the solid to a mesh; every coordinate is rounded to `f32`.
    ///
    /// # Errors
    /// If it has no triangles or a coordinate is not finite.
    pub fn into_mesh(self) -> Result<Mesh, impinge::Error> {
        let round = |c: f64| f64::from(c as f32);
        let vertices = self.vertices.iter().map(|v| Vec3::new(round(v.x), round(v.y), round(v.z))).collect();
        Mesh::new(vertices, self.triangles)
    }

    /// Adds a ring of `sides` points, given by its centre and its two radius vectors.
    fn ring(&mut self, middle: Vec3, x: Vec3, y: Vec3, sides: u32) {
        self.vertices.extend((0..sides).map(|i| {
            let (s, c) = sin_cos(TAU * f64::from(i) / f64::from(sides));
            middle + x * c + y * s
        }));
    }

    /// Joins `rings` rings of `sides` points each, which must be all existing vertices.
    fn skin(&mut self, sides: u32, rings: u32, ends: Ends) {
        let bands = if ends == Ends::Joined { rings } else { rings - 1 };
        for band in 0..bands {
            let (a, b) = (band * sides, (band + 1) % rings * sides);
            for i in 0..sides {
                let j = (i + 1) % sides;
                self.triangles.push([a + i, a + j, b + i]);
                self.triangles.push([a + j, b + j, b + i]);
            }
        }
        if ends == Ends::Capped {
            self.fan(0, sides, Turn::Back);
            self.fan((rings - 1) * sides, sides, Turn::Ahead);
        }
    }

    /// Closes the ring that starts at vertex `first` by a fan around its centre.
    fn fan(&mut self, first: u32, sides: u32, turn: Turn) {
        let range = first as usize..(first + sides) as usize;
        let middle = self.vertices[range].iter().fold(Vec3::ZERO, |sum, &v| sum + v) * (1.0 / f64::from(sides));
        let apex = self.vertices.len() as u32;
        self.vertices.push(middle);
        for i in 0..sides {
            let (a, b) = (first + i, first + (i + 1) % sides);
            self.triangles.push(if turn == Turn::Ahead { [a, b, apex] } else { [b, a, apex] });
        }
    }
}

/// The orientation of a fan along a sweep.
#[derive(Clone, Copy, PartialEq)]
enum Turn {
    Ahead,
    Back,
}

/// Returns a box, given by its centre and half sides: 12 triangles.
pub fn cuboid(middle: Vec3, half: Vec3) -> Solid {
    let vertices = (0..8)
        .map(|i| {
            let side = |bit: u32, h: f64| if i & bit == 0 { -h } else { h };
            middle + Vec3::new(side(4, half.x), side(2, half.y), side(1, half.z))
        })
        .collect();
    let faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    Solid { vertices, triangles: faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect() }
}

/// Returns a cylinder between two points, or a frustum: `(point, radius)` for each end; `bands` equal pieces along it.
pub fn cylinder(from: (Vec3, f64), to: (Vec3, f64), sides: u32, bands: u32, ends: Ends) -> Solid {
    let (x, y) = across(to.0 - from.0);
    let mut solid = Solid::default();
    for k in 0..=bands {
        let t = f64::from(k) / f64::from(bands);
        let radius = from.1 + (to.1 - from.1) * t;
        solid.ring(from.0 + (to.0 - from.0) * t, x * radius, y * radius, sides);
    }
    solid.skin(sides, bands + 1, ends);
    solid
}

/// Returns a capsule around the segment of two points; `bands` rings of facets in each half ball. Its facets lie inside the exact
/// capsule.
pub fn capsule(from: Vec3, to: Vec3, radius: f64, sides: u32, bands: u32) -> Solid {
    let (x, y) = across(to - from);
    let along = x.cross(y);
    let mut solid = Solid::default();
    let angle = |k: u32| FRAC_PI_2 * f64::from(k) / f64::from(bands);
    let mut ring = |middle: Vec3, height: f64, width: f64| solid.ring(middle + along * height, x * width, y * width, sides);
    for k in 1..=bands {
        let (s, c) = sin_cos(angle(k));
        ring(from, -radius * c, radius * s);
    }
    for k in (1..=bands).rev() {
        let (s, c) = sin_cos(angle(k));
        ring(to, radius * c, radius * s);
    }
    solid.skin(sides, 2 * bands, Ends::Capped);
    // The centres of the fans become the poles.
    let n = solid.vertices.len();
    solid.vertices[n - 2] = from - along * radius;
    solid.vertices[n - 1] = to + along * radius;
    solid
}

/// Returns a pipe bent by a quarter circle of radius `bend` around `middle`, from the direction `u` to the direction `v` (unit
/// vectors, at right angles).
pub fn elbow(middle: Vec3, (u, v): (Vec3, Vec3), bend: f64, radius: f64, sides: u32, bands: u32) -> Solid {
    arc(middle, (u, v), bend, radius, (sides, bands), Ends::Open)
}

/// Returns a torus around `middle`, in the plane of the unit vectors `u` and `v`.
pub fn ring(middle: Vec3, (u, v): (Vec3, Vec3), bend: f64, radius: f64, sides: u32, bands: u32) -> Solid {
    arc(middle, (u, v), bend, radius, (sides, bands), Ends::Joined)
}

fn arc(middle: Vec3, (u, v): (Vec3, Vec3), bend: f64, radius: f64, (sides, bands): (u32, u32), ends: Ends) -> Solid {
    let (turn, rings) = if ends == Ends::Joined { (TAU, bands) } else { (FRAC_PI_2, bands + 1) };
    let up = u.cross(v);
    let mut solid = Solid::default();
    for k in 0..rings {
        let (s, c) = sin_cos(turn * f64::from(k) / f64::from(bands));
        let out = u * c + v * s;
        // The order of the axes makes rings run to the right along the bend, as in `skin`.
        solid.ring(middle + out * bend, up * radius, out * radius, sides);
    }
    solid.skin(sides, rings, ends);
    solid
}

/// Returns a tube of round section along a (2, 3) torus knot that fits into a ball of radius 1.2: `2 * along * around` triangles.
pub fn torus_knot(along: u32, around: u32) -> Solid {
    const TUBE: f64 = 0.19;
    let at = |u: f64| {
        let ((s2, c2), (s3, c3)) = (sin_cos(2.0 * u), sin_cos(3.0 * u));
        Vec3::new((2.0 + c3) * c2, (2.0 + c3) * s2, -s3) * (1.0 / 3.0)
    };
    let direction = |u: f64| {
        let ((s2, c2), (s3, c3)) = (sin_cos(2.0 * u), sin_cos(3.0 * u));
        let r = 2.0 + c3;
        Vec3::new(-3.0 * s3 * c2 - 2.0 * r * s2, -3.0 * s3 * s2 + 2.0 * r * c2, -3.0 * c3)
    };
    let mut solid = Solid::default();
    for i in 0..along {
        let u = TAU * f64::from(i) / f64::from(along);
        let d = unit(direction(u));
        let up = unit(Vec3::unit(2) - d * d.z);
        solid.ring(at(u), up * TUBE, d.cross(up) * TUBE, around);
    }
    solid.skin(around, along, Ends::Joined);
    solid
}

/// Returns two unit vectors at right angles to `along` and to each other; the three are right-handed.
fn across(along: Vec3) -> (Vec3, Vec3) {
    let d = unit(along);
    let other = if d.x.abs() < 0.9 { Vec3::unit(0) } else { Vec3::unit(1) };
    let x = unit(d.cross(other));
    (x, d.cross(x))
}

fn unit(v: Vec3) -> Vec3 {
    v * (1.0 / v.norm())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the enclosed volume, positive if wound outwards.
    fn volume(solid: &Solid) -> f64 {
        let at = |i: u32| solid.vertices[i as usize];
        solid.triangles.iter().map(|t| at(t[0]).dot(at(t[1]).cross(at(t[2]))) / 6.0).sum()
    }

    #[test]
    fn closed_blocks_are_closed_and_wound_outwards() {
        let (o, z) = (Vec3::new(3.0, -1.0, 2.0), Vec3::new(0.3, 0.2, 1.0));
        let plane = (Vec3::unit(1), Vec3::unit(2));
        let blocks = [
            (cuboid(o, Vec3::new(1.0, 2.0, 3.0)), 12, 48.0),
            (cylinder((o, 1.0), (o + z, 0.5), 24, 3, Ends::Capped), 24 * 8, 1.92),
            (capsule(o, o + z, 0.5, 24, 6), 24 * 2 * 12, 1.33),
            (ring(o, plane, 2.0, 0.5, 24, 48), 24 * 48 * 2, 9.7),
            (torus_knot(120, 12), 2880, 1.14),
        ];
        for (solid, triangles, about) in blocks {
            assert_eq!(solid.triangles.len(), triangles);
            let v = volume(&solid);
            assert!((v - about).abs() < 0.03 * about, "{v} is not about {about}");
            assert!(solid.into_mesh().expect("finite").is_closed());
        }
    }

    #[test]
    fn an_elbow_leads_from_one_pipe_to_the_next() {
        let (u, v) = (Vec3::unit(0), Vec3::unit(2));
        let bent = elbow(Vec3::ZERO, (u, v), 0.2, 0.05, 8, 4);
        assert_eq!((bent.vertices.len(), bent.triangles.len()), (40, 64));
        assert!(bent.vertices[..8].iter().all(|p| (*p - u * 0.2).norm() < 0.05 + 1e-12 && p.z.abs() < 1e-12));
        assert!(bent.vertices[32..].iter().all(|p| (*p - v * 0.2).norm() < 0.05 + 1e-12 && p.x.abs() < 1e-12));
    }
}
