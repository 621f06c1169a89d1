//! Meshes of hundreds to thousands of triangles, which give deep trees.

use std::sync::Arc;

use impinge::math::Vec3;
use impinge_io::example::solids::torus_knot;

use super::numbers::{Flavour, angle, axis, point};
use crate::Random;
use crate::world::{Drive, Place, Solid, Soup, World};

/// Generates a knot or a cloud of small triangles that passes another while turning.
pub fn fine(random: &mut Random) -> World {
    let flavour = Flavour::Plain;
    let mut world = World::default();
    let start = point(random, flavour, 1.0) + Vec3::unit(random.below(3)) * random.pick(&[-2.5, 2.5]);
    let about = axis(random, flavour);
    let turn = about * (angle(random, flavour) / about.norm());
    let rpy = point(random, flavour, 3.0);
    let travel = start * random.pick(&[-1.0, -1.5]) + point(random, flavour, 0.5);
    let body = world.frame(0, Place { xyz: start, rpy }, Drive::Free { travel, turn });
    let (a, b) = (mesh(random), mesh(random));
    world.part(body, a);
    world.part(0, b);
    world
}

fn mesh(random: &mut Random) -> Solid {
    let soup = if random.chance(0.5) {
        torus_knot(random.integer(20, 120) as u32, random.integer(3, 12) as u32).into()
    } else {
        cloud(random)
    };
    Solid::Mesh(Arc::new(soup))
}

/// Generates triangles of all sizes from tiny to medium, in a sphere of radius one.
fn cloud(random: &mut Random) -> Soup {
    let mut soup = Soup::default();
    for i in 0..random.integer(50, 1000) as u32 {
        let at = point(random, Flavour::Plain, 0.6);
        let size = random.pick(&[0.3, 0.05, 0.05, 1e-3]);
        soup.vertices.extend([0; 3].map(|_| at + point(random, Flavour::Plain, size)));
        soup.triangles.push([3 * i, 3 * i + 1, 3 * i + 2]);
    }
    soup
}
