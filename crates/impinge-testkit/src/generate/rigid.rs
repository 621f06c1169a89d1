//! Free bodies among obstacles.

use std::sync::Arc;

use impinge::math::Vec3;
use impinge_io::example::solids::cuboid;

use super::numbers::{Flavour, angle, axis, length, point};
use super::solids::solid;
use crate::Random;
use crate::world::{Drive, Part, Piece, Place, Solid, Soup, World};

/// Generates one or two bodies of any shape that come from outside and pass one to four obstacles near the middle.
pub fn rigid(random: &mut Random) -> World {
    let flavour = Flavour::any(random);
    let mut world = World::default();
    for _ in 0..random.integer(1, 2) {
        let mut start = place(random, flavour, 2.0);
        start.xyz += Vec3::unit(random.below(3)) * random.pick(&[-3.0, 3.0]);
        // Towards the middle, where the obstacles are, and mostly beyond.
        let travel = start.xyz * random.pick(&[-1.0, -1.5, -2.0]) + point(random, flavour, 1.0);
        let body = world.frame(0, start, Drive::Free { travel, turn: turn(random, flavour) });
        world.parts.push(part(random, flavour, body));
    }
    for _ in 0..random.integer(1, 4) {
        let mut part = part(random, flavour, 0);
        let at = place(random, flavour, 2.0);
        part.pieces.iter_mut().for_each(|p| p.place = at);
        if random.chance(0.2) {
            part.pieces[0].solid = world.parts[0].pieces[0].solid.clone();
        }
        world.parts.push(part);
    }
    disable_some(&mut world, random);
    world
}

/// Disables a pair or two, sometimes.
pub(super) fn disable_some(world: &mut World, random: &mut Random) {
    if random.chance(0.2) {
        for _ in 0..random.integer(1, 3) {
            let (a, b) = (random.below(world.parts.len()), random.below(world.parts.len()));
            if a != b {
                world.disabled.push((a, b));
            }
        }
    }
}

/// Generates a box that slides along a floor of flat triangles, or past the edge of another box: in contact, nearly, or just not.
pub fn grazing(random: &mut Random) -> World {
    let flavour = random.pick(&[Flavour::Lattice, Flavour::Nearly]);
    let gap: f64 = random.pick(&[0.0, 0.0, 0.015625, -0.015625, 1e-12, -1e-12, 1e-10, 1e-8, -1e-8, 1e-6]);
    let gap = if flavour == Flavour::Lattice { (gap * 64.0).round() / 64.0 } else { gap };
    let block = |half: Vec3| Solid::Mesh(Arc::new(Soup::from(cuboid(Vec3::ZERO, half))));
    let mut world = World::default();
    let travel = Vec3::new(random.integer(2, 6) as f64, random.pick(&[0.0, 0.0, 1.0]), 0.0);
    let spin = if flavour == Flavour::Nearly { Vec3::new(0.0, 0.0, angle(random, flavour)) } else { Vec3::ZERO };
    // The blocks meet at the height 0, or side by side at x = -gap, or at an edge.
    let beside = random.pick(&[Vec3::ZERO, Vec3::ZERO, Vec3::new(0.0, 1.0, 0.0)]);
    let start = Vec3::new(-random.integer(1, 4) as f64, 0.0, 0.5 + gap) + beside;
    let body = world.frame(0, Place::at(start), Drive::Free { travel, turn: spin });
    world.part(body, block(Vec3::splat(0.5)));
    let below = random.pick(&[Vec3::new(0.5, 0.5, 0.5), Vec3::new(2.0, 0.5, 0.5)]);
    let obstacle = world.part(0, block(below));
    world.parts[obstacle].pieces[0].place = Place::at(Vec3::new(0.0, 0.0, -0.5));
    world
}

/// Draws a rotation vector about some axis.
fn turn(random: &mut Random, flavour: Flavour) -> Vec3 {
    let about = axis(random, flavour);
    about * (angle(random, flavour) / about.norm())
}

/// Draws a pose.
fn place(random: &mut Random, flavour: Flavour, reach: f64) -> Place {
    let xyz = point(random, flavour, reach);
    if random.chance(0.4) {
        return Place::at(xyz);
    }
    Place { xyz, rpy: Vec3::new(angle(random, flavour), angle(random, flavour), angle(random, flavour)) }
}

/// Draws one piece, sometimes two.
fn part(random: &mut Random, flavour: Flavour, frame: usize) -> Part {
    let mut pieces = vec![Piece { place: Place::default(), solid: solid(random, flavour) }];
    if random.chance(0.2) {
        let shift = Vec3::unit(random.below(3)) * length(random, flavour, 1.0);
        pieces.push(Piece { place: Place::at(shift), solid: solid(random, flavour) });
    }
    Part { frame, pieces }
}
