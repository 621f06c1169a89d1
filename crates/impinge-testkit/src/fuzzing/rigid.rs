//! Two bodies: equivalent queries give the same verdict.

use std::sync::Arc;

use impinge::Verdict;
use impinge::math::Vec3;

use super::{Numbers, Target};
use crate::judge::{Care, compatible, judge, options};
use crate::scene::Question;
use crate::trial::Judgement;
use crate::world::{Drive, Frame, Place, Solid, Soup, World};

pub const RIGID: Target = Target { name: "rigid", feed, tokens: &[], smoke: 300 };

const CARE: Care = Care { samples: 16, smallest_step: 0.02 };

fn feed(bytes: &[u8]) {
    let world = world(bytes);
    if let Err(why) = property(&world) {
        panic!("{why}\n{world:?}");
    }
}

fn property(world: &World) -> Judgement {
    let Some(one) = first(world) else { return Ok(()) };
    judge(world, 0.0, &one, CARE)?;
    let same = |other: World| first(&other).map_or(Ok(()), |verdict| compatible(world, 0.0, &one, &verdict, |t| t));
    same(shuffled(world)).map_err(|e| format!("triangles in another order: {e}"))?;
    let Drive::Free { travel, turn } = world.frames[1].drive else { return Ok(()) };
    if turn != Vec3::ZERO {
        return Ok(());
    }
    same(swapped(world, travel)).map_err(|e| format!("the other one moves: {e}"))?;
    let back = reversed(world, travel);
    match (&one, first(&back)) {
        (Verdict::Free, Some(verdict)) => compatible(&back, 0.0, &Verdict::Free, &verdict, |t| t),
        (Verdict::Contact(_), Some(Verdict::Free)) => compatible(world, 0.0, &Verdict::Free, &one, |t| t),
        _ => Ok(()),
    }
    .map_err(|e| format!("backwards: {e}"))
}

/// Returns `None` if the library refuses the world.
fn first(world: &World) -> Option<Verdict> {
    Question::new(world, options(0.0).max_work(50_000)).ok().map(|q| q.first().0)
}

/// Builds a body in frame 1 and an obstacle, of up to six triangles each. All numbers are sixteenths, so that sums are exact.
fn world(bytes: &[u8]) -> World {
    let mut numbers = Numbers(bytes);
    let form = numbers.byte();
    let mut point = || Vec3::from(numbers.bytes::<3>().map(|b| f64::from(b as i8) / 16.0));
    let (start, travel, turn) = (point(), point(), point() * 0.5);
    let mut soup = |count: u8| {
        let vertices = (0..3 * u32::from(count)).map(|_| point() * 0.25).collect();
        Solid::Mesh(Arc::new(Soup {
            vertices,
            triangles: (0..u32::from(count)).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(),
        }))
    };
    let mut world = World::default();
    let turn = if form & 0x80 == 0 { Vec3::ZERO } else { turn };
    let body = world.frame(0, Place::at(start), Drive::Free { travel, turn });
    world.part(body, soup(1 + (form & 7) % 6));
    world.part(0, soup(1 + (form >> 3 & 7) % 6));
    world
}

fn shuffled(world: &World) -> World {
    let mut other = world.clone();
    for piece in other.parts.iter_mut().flat_map(|p| &mut p.pieces) {
        if let Solid::Mesh(soup) = &mut piece.solid {
            let triangles = soup.triangles.iter().rev().map(|&[a, b, c]| [c, a, b]).collect();
            *soup = Arc::new(Soup { vertices: soup.vertices.clone(), triangles });
        }
    }
    other
}

/// Returns the same relative motion with the other body moving.
fn swapped(world: &World, travel: Vec3) -> World {
    let mut other = world.clone();
    let start = world.frames[1].place;
    other.frames[1] = Frame { parent: 0, place: Place::default(), drive: Drive::Free { travel: -travel, turn: Vec3::ZERO } };
    (other.parts[0].frame, other.parts[1].frame) = (0, 1);
    other.parts[0].pieces[0].place = start;
    other
}

fn reversed(world: &World, travel: Vec3) -> World {
    let mut other = world.clone();
    other.frames[1].place.xyz += travel;
    other.frames[1].drive = Drive::Free { travel: -travel, turn: Vec3::ZERO };
    other
}
