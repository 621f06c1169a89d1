//! Worlds beyond ordinary input: mimic joints with large multipliers, far origins, needles, tiny parts, coincident triangles.

use std::sync::Arc;

use impinge::math::Vec3;

use super::rigid::rigid;
use super::robots::robot;
use crate::Random;
use crate::world::{Drive, Solid, World, scale_solid};

/// Generates a world of [`rigid`] or [`robot`] with one or more extreme changes.
pub fn wild(random: &mut Random) -> World {
    let mut world = if random.chance(0.5) { rigid(random) } else { robot(random) };
    let ways: [fn(&mut World, &mut Random); 5] = [geared, far, needles, specks, coincident];
    let surely = random.below(ways.len());
    for (i, way) in ways.into_iter().enumerate() {
        if i == surely || random.chance(0.3) {
            way(&mut world, random);
        }
    }
    world
}

/// Multiplies mimic joints by up to ten thousand; angles beyond 325,000 rad are refused.
fn geared(world: &mut World, random: &mut Random) {
    for frame in &mut world.frames {
        if let Drive::Follow { multiplier, offset, .. } = &mut frame.drive {
            *multiplier = multiplier.signum() * random.within(0.1, 1.0) * 10f64.powi(random.integer(2, 4) as i32);
            *offset = random.within(-100.0, 100.0);
        }
    }
}

/// Moves the whole world far from the origin.
fn far(world: &mut World, random: &mut Random) {
    let power = random.integer(10, 30) as i32;
    let shift = Vec3::from([(); 3].map(|()| random.pick(&[-1.0, 0.0, 1.0]) * 2f64.powi(power)));
    world.shift(shift);
}

/// Makes the meshes of one part thin or long by up to 2^20.
fn needles(world: &mut World, random: &mut Random) {
    let (axis, power) = (random.below(3), random.integer(-20, 4) as i32);
    let Some(part) = pick_part(world, random) else { return };
    for piece in &mut world.parts[part].pieces {
        if let Solid::Mesh(soup) = &mut piece.solid {
            Arc::make_mut(soup).vertices.iter_mut().for_each(|v| *v += Vec3::unit(axis) * (v[axis] * (2f64.powi(power) - 1.0)));
        }
    }
}

/// Shrinks one part, from a thousandth to 2^-100 of its size.
fn specks(world: &mut World, random: &mut Random) {
    let power = -random.integer(10, 100) as i32;
    let Some(part) = pick_part(world, random) else { return };
    world.parts[part].pieces.iter_mut().for_each(|p| scale_solid(&mut p.solid, 2f64.powi(power)));
}

/// Repeats every triangle of one part several times, some with another orientation.
fn coincident(world: &mut World, random: &mut Random) {
    let times = random.integer(2, 20) as usize;
    let Some(part) = pick_part(world, random) else { return };
    for piece in &mut world.parts[part].pieces {
        if let Solid::Mesh(soup) = &mut piece.solid {
            let soup = Arc::make_mut(soup);
            let once = soup.triangles.clone();
            for k in 1..times {
                soup.triangles.extend(once.iter().map(|&[a, b, c]| if k % 2 == 0 { [b, c, a] } else { [a, c, b] }));
            }
        }
    }
}

fn pick_part(world: &World, random: &mut Random) -> Option<usize> {
    (!world.parts.is_empty()).then(|| random.below(world.parts.len()))
}
