//! Meshes and primitives of size about one.

use std::sync::Arc;

use impinge::geometry::Primitive;
use impinge::math::Vec3;
use impinge_io::example::solids::{Ends, capsule, cuboid, cylinder, ring};

use super::numbers::{Flavour, length, point};
use crate::Random;
use crate::world::{Solid, Soup};

/// Draws a mesh or, one time in four if exactness is not required, a primitive.
pub fn solid(random: &mut Random, flavour: Flavour) -> Solid {
    if flavour.turns() && random.chance(0.25) {
        Solid::Primitive(primitive(random, flavour))
    } else {
        Solid::Mesh(mesh(random, flavour))
    }
}

/// Draws a mesh of 1 to about 100 triangles.
pub fn mesh(random: &mut Random, flavour: Flavour) -> Arc<Soup> {
    Arc::new(match random.below(10) {
        0..=2 => boxed(random, flavour),
        3 => one_triangle(random, flavour),
        4 => flat_square(random, flavour),
        5 => needles(random, flavour),
        6 => without_area(random, flavour),
        7 => thrown(random, flavour),
        8 if flavour.turns() => round(random),
        8 => boxed(random, flavour),
        _ => sliver(random, flavour),
    })
}

/// Draws a primitive, sometimes of zero thickness.
pub fn primitive(random: &mut Random, flavour: Flavour) -> Primitive {
    let size = |random: &mut Random| {
        if random.chance(0.08) {
            return 0.0;
        }
        match flavour {
            Flavour::Lattice | Flavour::Nearly => random.pick(&[0.25, 0.5, 1.0]),
            Flavour::Dyadic => random.integer(1, 64) as f64 / 64.0,
            Flavour::Plain => random.within(0.05, 0.8),
        }
    };
    match random.below(4) {
        0 => Primitive::Cuboid { half: Vec3::new(size(random), size(random), size(random)) },
        1 => Primitive::Sphere { radius: size(random) },
        2 => Primitive::Cylinder { radius: size(random), half_length: size(random) },
        _ => Primitive::Capsule { radius: size(random), half_length: size(random) },
    }
}

fn boxed(random: &mut Random, flavour: Flavour) -> Soup {
    let half = |random: &mut Random| match flavour {
        Flavour::Plain => random.within(0.1, 1.0),
        _ => random.pick(&[0.125, 0.5, 0.5, 1.0]),
    };
    let half = Vec3::new(half(random), half(random), half(random));
    let middle = if random.chance(0.5) { Vec3::ZERO } else { point(random, flavour, 1.0) };
    cuboid(middle, half).into()
}

fn one_triangle(random: &mut Random, flavour: Flavour) -> Soup {
    Soup { vertices: (0..3).map(|_| point(random, flavour, 1.0)).collect(), triangles: vec![[0, 1, 2]] }
}

/// Generates two or more triangles in one coordinate plane.
fn flat_square(random: &mut Random, flavour: Flavour) -> Soup {
    let n = random.integer(1, 3) as u32;
    let turn = random.below(3);
    let height = length(random, flavour, 1.0);
    let place = |x: f64, y: f64| {
        let c = [x, y, height];
        Vec3::new(c[turn], c[(turn + 1) % 3], c[(turn + 2) % 3])
    };
    let step = |i: u32| f64::from(i) - f64::from(n) * 0.5;
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j))).map(|(i, j)| place(step(i), step(j))).collect();
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let cell = |i, j| [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]];
    Soup { vertices, triangles: (0..n).flat_map(|i| (0..n).flat_map(move |j| cell(i, j))).collect() }
}

/// Generates long thin triangles through a common point.
fn needles(random: &mut Random, flavour: Flavour) -> Soup {
    let mut soup = Soup::default();
    let thin = if flavour.turns() { random.pick(&[1e-3, 1e-6, 1e-9]) } else { 1.0 / 64.0 };
    for i in 0..random.integer(1, 5) as u32 {
        let (tip, far) = (point(random, flavour, 0.5), point(random, flavour, 2.0));
        soup.vertices.extend([tip, far, far + Vec3::unit(random.below(3)) * thin]);
        soup.triangles.push([3 * i, 3 * i + 1, 3 * i + 2]);
    }
    soup
}

/// Generates segments and points, among real triangles.
fn without_area(random: &mut Random, flavour: Flavour) -> Soup {
    let mut soup = thrown(random, flavour);
    let n = soup.vertices.len() as u32;
    for _ in 0..random.integer(1, 3) {
        let (a, b) = (random.below(n as usize) as u32, random.below(n as usize) as u32);
        soup.triangles.push(random.pick(&[[a, a, a], [a, b, b], [a, b, a]]));
    }
    // A segment with a corner in its middle.
    let (a, b) = (soup.vertices[0], soup.vertices[1]);
    soup.vertices.push((a + b) * 0.5);
    soup.triangles.push([0, n, 1]);
    soup
}

/// Generates triangles over a handful of common corners, crossing each other.
fn thrown(random: &mut Random, flavour: Flavour) -> Soup {
    let n = random.integer(4, 8) as usize;
    let vertices: Vec<Vec3> = (0..n).map(|_| point(random, flavour, 1.0)).collect();
    let corner = |random: &mut Random| random.below(n) as u32;
    let triangles = (0..random.integer(1, 10)).map(|_| [corner(random), corner(random), corner(random)]).collect();
    Soup { vertices, triangles }
}

/// Generates a cylinder, capsule or ring.
fn round(random: &mut Random) -> Soup {
    let sides = random.integer(3, 8) as u32;
    let (from, to) = (Vec3::new(-0.7, 0.0, 0.0), Vec3::new(0.7, 0.0, 0.0));
    match random.below(3) {
        0 => cylinder((from, 0.3), (to, random.pick(&[0.3, 0.05])), sides, 2, random.pick(&[Ends::Open, Ends::Capped])),
        1 => capsule(from, to, 0.25, sides, 2),
        _ => ring(Vec3::ZERO, (Vec3::unit(0), Vec3::unit(1)), 0.6, 0.15, 4, sides),
    }
    .into()
}

/// Generates a tetrahedron that is nearly flat.
fn sliver(random: &mut Random, flavour: Flavour) -> Soup {
    let height = if flavour.turns() { random.pick(&[1e-2, 1e-5, 1e-10]) } else { 1.0 / 64.0 };
    let mut vertices =
        vec![Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, -1.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, height)];
    let turn = random.below(3);
    for v in &mut vertices {
        let c = v.to_array();
        *v = Vec3::new(c[turn], c[(turn + 1) % 3], c[(turn + 2) % 3]);
    }
    Soup { vertices, triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] }
}
