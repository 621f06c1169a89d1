//! Chains and trees of joints among obstacles.

use std::sync::Arc;

use impinge::geometry::Primitive;
use impinge::math::Vec3;
use impinge::math::trig::sin_cos;
use impinge_io::example::solids::{Ends, cuboid, cylinder};

use super::numbers::{Flavour, angle, axis, length, point};
use super::rigid::disable_some;
use super::solids::solid;
use crate::Random;
use crate::place::frames_at;
use crate::world::{Drive, Part, Piece, Place, Solid, Soup, World};

/// Length of a link, metres.
const LINK: f64 = 0.75;

/// Generates a robot of one to seven joints, a chain or a tree, among up to four obstacles; sometimes with a second robot.
pub fn robot(random: &mut Random) -> World {
    let flavour = random.pick(&[Flavour::Dyadic, Flavour::Nearly, Flavour::Plain, Flavour::Plain]);
    let mut world = World { self_checked: random.chance(0.6), ..World::default() };
    add_robot(&mut world, random, flavour, Vec3::ZERO);
    if random.chance(0.25) {
        add_robot(&mut world, random, flavour, Vec3::new(2.0, 0.0, 0.0));
    }
    for _ in 0..random.integer(0, 4) {
        // Half of them at later places of the robot.
        let xyz = if flavour.turns() && random.chance(0.5) { on_the_way(&world, random) } else { point(random, flavour, 3.0) };
        let piece =
            Piece { place: Place { xyz, rpy: Vec3::new(0.0, 0.0, angle(random, flavour)) }, solid: solid(random, flavour) };
        world.parts.push(Part { frame: 0, pieces: vec![piece] });
    }
    if !world.parts.is_empty() {
        disable_some(&mut world, random);
    }
    world
}

/// Returns the place of the far end of a link at some later time.
fn on_the_way(world: &World, random: &mut Random) -> Vec3 {
    let frames = frames_at(world, random.within(0.2, 1.0));
    frames[1 + random.below(frames.len() - 1)].apply(Vec3::new(LINK, 0.0, 0.0))
}

fn add_robot(world: &mut World, random: &mut Random, flavour: Flavour, at: Vec3) {
    let base = world.frame(0, Place::at(at), Drive::Base);
    if random.chance(0.5) {
        world.parts.push(Part { frame: base, pieces: link(random) });
    }
    let tree = random.chance(0.3);
    let first = world.frames.len();
    let mut parent = base;
    for _ in 0..random.integer(1, 7) {
        let drive = joint(world, random, flavour, first);
        let place = Place { xyz: joint_at(world, parent, base), rpy: bend(random, flavour) };
        let frame = world.frame(parent, place, drive);
        if random.chance(0.9) {
            world.parts.push(Part { frame, pieces: link(random) });
        }
        parent = if tree { base + random.below(frame - base + 1) } else { frame };
    }
}

/// Returns the end of the previous link; the first joint of the robot is on its base.
fn joint_at(world: &World, parent: usize, base: usize) -> Vec3 {
    if parent == base || world.frames.is_empty() { Vec3::new(0.0, 0.0, 0.5) } else { Vec3::new(LINK, 0.0, 0.0) }
}

fn bend(random: &mut Random, flavour: Flavour) -> Vec3 {
    if random.chance(0.5) { Vec3::ZERO } else { Vec3::unit(random.below(3)) * angle(random, flavour) }
}

/// Draws a joint, mostly revolute; `first` is the first joint of the robot.
fn joint(world: &World, random: &mut Random, flavour: Flavour, first: usize) -> Drive {
    let axis = axis(random, flavour);
    let leaders: Vec<usize> =
        (first..world.frames.len()).filter(|&f| matches!(world.frames[f].drive, Drive::Turn { .. })).collect();
    if !flavour.turns() {
        return Drive::Slide { axis, from: length(random, flavour, 0.5), to: length(random, flavour, 1.0) };
    }
    match random.below(12) {
        0 | 1 => Drive::Slide { axis, from: length(random, flavour, 0.5), to: length(random, flavour, 1.0) },
        2 => Drive::Base,
        3 => {
            let mut at = || [length(random, flavour, 0.5), length(random, flavour, 0.5), angle(random, flavour)];
            Drive::Planar { from: at(), to: at() }
        }
        4 => {
            let mut at = || (point(random, flavour, 0.5).to_array(), quaternion(random, flavour));
            Drive::Float { from: at(), to: at() }
        }
        5 if !leaders.is_empty() => {
            let (leader, multiplier) = (random.pick(&leaders), random.pick(&[1.0, -1.0, 0.5, -2.0]));
            Drive::Follow { leader, axis, multiplier, offset: angle(random, flavour) }
        }
        _ => {
            let from = angle(random, flavour);
            let to = if random.chance(0.5) { from + random.within(-0.5, 0.5) } else { angle(random, flavour) };
            Drive::Turn { axis, from, to }
        }
    }
}

/// Draws a unit quaternion of a turn about some axis; both signs occur.
fn quaternion(random: &mut Random, flavour: Flavour) -> [f64; 4] {
    let about = axis(random, flavour);
    let (s, c) = sin_cos(0.5 * angle(random, flavour));
    let v = about * (s / about.norm());
    let sign = random.pick(&[1.0, -1.0]);
    [c, v.x, v.y, v.z].map(|x| x * sign)
}

/// Draws a link, sometimes with a second piece across it.
fn link(random: &mut Random) -> Vec<Piece> {
    let mut pieces = vec![Piece { place: Place::default(), solid: body(random) }];
    if random.chance(0.15) {
        let rpy = Vec3::new(0.0, 0.0, if random.chance(0.5) { std::f64::consts::FRAC_PI_2 } else { random.within(-2.0, 2.0) });
        pieces.push(Piece { place: Place { xyz: Vec3::new(0.5 * LINK, 0.0, 0.0), rpy }, solid: body(random) });
    }
    pieces
}

/// Draws a body from the origin of its joint along x.
fn body(random: &mut Random) -> Solid {
    let middle = Vec3::new(0.5 * LINK, 0.0, 0.0);
    match random.below(4) {
        0 | 1 => mesh(cuboid(middle, Vec3::new(0.5 * LINK - 0.0625, 0.125, 0.0625))),
        2 => {
            let (from, to) = (Vec3::new(0.0625, 0.0, 0.0), Vec3::new(LINK - 0.0625, 0.0, 0.0));
            mesh(cylinder((from, 0.1), (to, 0.1), 6, 1, Ends::Capped))
        }
        _ => Solid::Primitive(Primitive::Sphere { radius: 0.25 }),
    }
}

fn mesh(solid: impinge_io::example::solids::Solid) -> Solid {
    Solid::Mesh(Arc::new(Soup::from(solid)))
}

/// Generates a chain of `links` links of 0.1 m, each turning by up to `turn` radians about a perpendicular axis, over a floor and near
/// a pillar. Neighbours do not touch; self-collision is off.
pub fn long_chain(random: &mut Random, links: usize, turn: f64) -> World {
    let mut world = World { self_checked: false, ..World::default() };
    let soup = Arc::new(Soup::from(cuboid(Vec3::new(0.05, 0.0, 0.0), Vec3::new(0.045, 0.02, 0.02))));
    let mut parent = world.frame(0, Place::at(Vec3::new(0.0, 0.0, 1.0)), Drive::Base);
    for i in 0..links {
        let xyz = Vec3::new(if i == 0 { 0.0 } else { 0.1 }, 0.0, 0.0);
        let from = random.within(-0.05, 0.05);
        let drive = Drive::Turn { axis: Vec3::unit(1 + i % 2), from, to: from + random.within(-turn, turn) };
        parent = world.frame(parent, Place::at(xyz), drive);
        world.part(parent, Solid::Mesh(soup.clone()));
    }
    let at = on_the_way(&world, random);
    world.part(0, mesh(cylinder((at, 0.05), (at + Vec3::new(0.0, 0.0, 3.0), 0.05), 12, 4, Ends::Capped)));
    let floor = Vec3::new(0.0, 0.0, -random.within(0.0, 2.0) - 1.0);
    world.part(0, mesh(cuboid(floor, Vec3::new(40.0, 40.0, 0.05))));
    world
}
