//! Scenes: a truck chassis among others, and a gear that drops through a plate onto the spindle of a motor.

use std::f64::consts::{PI, TAU};
use std::path::Path;

use impinge::geometry::Mesh;
use impinge::math::trig::sin_cos;
use impinge::query::distance::HullTree;
use impinge::{Pose, Vec3};
use impinge_io::example::solids::{Ends, Solid, cuboid, cylinder, ring};
use impinge_io::load_mesh;

use crate::Outcome;

/// A translating body among others at rest.
pub struct Scenario {
    pub name: &'static str,
    /// The moving body, and all bodies at rest as one mesh.
    pub meshes: [Mesh; 2],
    pub trees: [HullTree; 2],
    pub start: Vec3,
    pub travel: Vec3,
    /// A note on missing data and its replacement; empty if nothing is missing.
    pub substitute: String,
}

impl Scenario {
    fn new(name: &'static str, meshes: [Mesh; 2], start: Vec3, travel: Vec3) -> Self {
        let trees = [HullTree::new(&meshes[0]), HullTree::new(&meshes[1])];
        Scenario { name, meshes, trees, start, travel, substitute: String::new() }
    }

    /// Adds a sentence about a file if it is missing.
    fn unless_there(self, path: &Path, instead: &str) -> Self {
        let missing = || format!("**{}: {} is missing**; {instead}.", self.name, path.display());
        let substitute = if path.exists() { String::new() } else { missing() };
        Scenario { substitute, ..self }
    }

    /// Returns the start of step k of n, and its translation.
    pub fn step(&self, k: u32, n: u32) -> (Pose, Vec3) {
        let at = self.start + self.travel * (f64::from(k) / f64::from(n));
        (Pose::from_translation(at), self.travel * (1.0 / f64::from(n)))
    }

    /// Returns the triangles of the moving body and of the bodies at rest.
    pub fn triangles(&self) -> (usize, usize) {
        (self.meshes[0].triangles().len(), self.meshes[1].triangles().len())
    }
}

/// Builds FT: a truck chassis flies 20 units past others and a teapot; it is in contact near both ends.
pub fn free_flight(shared: &Path) -> Outcome<Scenario> {
    let mut rest = Solid::default();
    for (at, turn) in [(Vec3::new(0.0, 3.4, 0.0), 0.1), (Vec3::new(-1.0, -3.6, 0.3), -0.15), (Vec3::new(-10.3, 1.2, 1.5), 0.6)] {
        rest.add(&moved(&chassis(48), at, turn));
    }
    let teapot = shared.join("data/meshes/common-3d/teapot.obj");
    let pot = if teapot.is_file() {
        let mesh = load_mesh(&teapot, Vec3::splat(1.0))?.value;
        Solid { vertices: mesh.vertices().to_vec(), triangles: mesh.triangles().to_vec() }
    } else {
        ring(Vec3::ZERO, (Vec3::unit(0), Vec3::unit(2)), 2.0, 1.0, 40, 79)
    };
    rest.add(&moved(&pot, Vec3::new(11.3, 0.4, -0.5), 0.4));
    let meshes = [chassis(44).into_mesh()?, rest.into_mesh()?];
    let scenario = Scenario::new("FT", meshes, Vec3::new(10.0, 0.0, 0.0), Vec3::new(-20.0, 0.0, 0.0));
    Ok(scenario.unless_there(&teapot, "a ring of as many triangles replaces the teapot"))
}

/// Builds GPM: the shared scene, or a generated one.
pub fn gear_plate_motor(shared: &Path) -> Outcome<Scenario> {
    let folder = shared.join("workloads/rigid/gpm");
    let meshes = if folder.is_dir() {
        let mesh = |file: &str| load_mesh(folder.join(file), Vec3::splat(1.0)).map(|m| m.value);
        [mesh("A.obj")?, mesh("B.obj")?]
    } else {
        let exact = |s: Solid| Mesh::new(s.vertices, s.triangles);
        [exact(gear())?, exact(plate().with(&motor()))?]
    };
    let scenario = Scenario::new("GPM", meshes, Vec3::new(0.0, 0.0, 1.05), Vec3::new(0.0, 0.0, -1.0));
    Ok(scenario.unless_there(&folder, "gear, plate and motor of the same sizes are generated"))
}

/// Rotates about z and translates.
fn moved(solid: &Solid, by: Vec3, turn: f64) -> Solid {
    let (s, c) = sin_cos(turn);
    let place = |v: &Vec3| Vec3::new(c * v.x - s * v.y, s * v.x + c * v.y, v.z) + by;
    Solid { vertices: solid.vertices.iter().map(place).collect(), triangles: solid.triangles.clone() }
}

/// Builds two rails with rungs, axles and six wheels, ten units long; `sides` is the subdivision of round parts: about 10,000 triangles for 44.
fn chassis(sides: u32) -> Solid {
    let mut all = Solid::default();
    for y in [-0.8, 0.8] {
        all.add(&cuboid(Vec3::new(0.0, y, 0.0), Vec3::new(4.9, 0.08, 0.2)));
        all.add(&cylinder(
            (Vec3::new(-4.0, 0.7 * y, 0.3), 0.06),
            (Vec3::new(4.0, 0.7 * y, 0.3), 0.06),
            sides / 2,
            12,
            Ends::Capped,
        ));
    }
    for k in 0..9 {
        let x = f64::from(k) * 1.15 - 4.6;
        all.add(&cylinder((Vec3::new(x, -0.8, 0.0), 0.1), (Vec3::new(x, 0.8, 0.0), 0.1), sides / 2, 2, Ends::Capped));
    }
    for x in [-3.6, -2.2, 3.4] {
        all.add(&cylinder((Vec3::new(x, -1.2, -0.3), 0.12), (Vec3::new(x, 1.2, -0.3), 0.12), sides / 2, 4, Ends::Capped));
        for y in [-1.2, 1.2] {
            let plane = (Vec3::unit(0), Vec3::unit(2));
            all.add(&ring(Vec3::new(x, y, -0.3), plane, 0.45, 0.17, sides / 4, sides));
            all.add(&cylinder((Vec3::new(x, y - 0.1, -0.3), 0.3), (Vec3::new(x, y + 0.1, -0.3), 0.3), sides, 2, Ends::Capped));
        }
    }
    all
}

/// Connects consecutive rings of equally many points.
fn rings(rings: &[Vec<Vec3>], pairs: &[(usize, usize)]) -> Solid {
    let n = rings[0].len() as u32;
    let mut triangles = Vec::new();
    for &(a, b) in pairs {
        let (a, b) = (a as u32 * n, b as u32 * n);
        triangles.extend((0..n).flat_map(|i| {
            let j = (i + 1) % n;
            [[a + i, a + j, b + i], [a + j, b + j, b + i]]
        }));
    }
    Solid { vertices: rings.concat(), triangles }
}

fn around(n: u32, phase: f64, radius: impl Fn(u32, f64, f64) -> f64, z: f64) -> Vec<Vec3> {
    let point = |i: u32| {
        let (s, c) = sin_cos(TAU * (f64::from(i) + phase) / f64::from(n));
        let r = radius(i, c, s);
        Vec3::new(r * c, r * s, z)
    };
    (0..n).map(point).collect()
}

/// Builds a gear of 49 teeth with a bore: 3,920 triangles.
fn gear() -> Solid {
    let tooth = |i: u32, _: f64, _: f64| match i % 10 {
        0..=2 => 0.27,
        k @ (3 | 4) => 0.27 + 0.03 * (f64::from(k) / 10.0 - 0.2) / 0.25,
        5..=7 => 0.30,
        k => 0.30 - 0.03 * (f64::from(k) / 10.0 - 0.7) / 0.3,
    };
    let bore = |_: u32, _: f64, _: f64| 0.10125;
    let all =
        [around(490, 0.0, tooth, 0.0), around(490, 0.0, tooth, 0.1), around(490, 0.0, bore, 0.0), around(490, 0.0, bore, 0.1)];
    rings(&all, &[(0, 1), (3, 2), (2, 0), (1, 3)])
}

/// Builds a square plate with a hole that the gear just passes: 4,056 triangles.
fn plate() -> Solid {
    let hole = |_: u32, _: f64, _: f64| 0.30125 / sin_cos(PI / 507.0).1;
    let square = |_: u32, c: f64, s: f64| 0.6 / c.abs().max(s.abs());
    let at = |z: f64| (around(507, 0.0, hole, z), around(507, 0.0, square, z));
    let ((h0, s0), (h1, s1)) = (at(0.6), at(0.7));
    rings(&[h0, h1, s0, s1], &[(2, 3), (1, 0), (0, 2), (3, 1)])
}

/// Builds a motor with its spindle: 2,256 triangles.
fn motor() -> Solid {
    let at = |r: f64, z: f64| around(282, 0.37, move |_, _, _| r, z);
    let mut motor = rings(&[at(0.4, -0.5), at(0.4, 0.0), at(0.1, 0.0), at(0.1, 0.3)], &[(0, 1), (1, 2), (2, 3)]);
    for (z, first, turn) in [(-0.5, 0, true), (0.3, 3 * 282, false)] {
        let apex = motor.vertices.len() as u32;
        motor.vertices.push(Vec3::new(0.0, 0.0, z));
        motor.triangles.extend((0..282).map(|i| {
            let (a, b) = (first + i, first + (i + 1) % 282);
            if turn { [b, a, apex] } else { [a, b, apex] }
        }));
    }
    motor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_have_the_sizes_of_the_paper() {
        let counts = [gear(), plate(), motor(), chassis(44)].map(|s| s.triangles.len());
        assert_eq!(counts[..3], [3920, 4056, 2256]);
        assert!(counts[3].abs_diff(10_000) < 500, "{}", counts[3]);
        let flight = free_flight(Path::new("nowhere")).expect("made here");
        assert!(flight.triangles().1.abs_diff(42_000) < 2_000, "{:?}", flight.triangles());
    }
}
