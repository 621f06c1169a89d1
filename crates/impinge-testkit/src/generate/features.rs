//! Difficult vertex/face and edge/edge queries, in families.

use impinge::Vec3;
use impinge::features::{FeaturePair, Kind};

use crate::Random;

/// The number of families.
pub const FAMILIES: usize = 16;

/// Generates a query of a family, `0..FAMILIES`.
pub fn query(family: usize, kind: Kind, random: &mut Random) -> FeaturePair {
    let mut pair = FeaturePair { kind, start: corners(random, anywhere), end: corners(random, anywhere) };
    match family {
        // General position.
        0 => {}
        // On a small grid, with many coincident coordinates.
        1 => pair = FeaturePair { kind, start: corners(random, grid), end: corners(random, grid) },
        // Near that grid.
        2 => {
            let noise = 10f64.powi(-(random.integer(6, 16) as i32));
            let near = |r: &mut Random| grid(r) + anywhere(r) * noise;
            pair = FeaturePair { kind, start: corners(random, near), end: corners(random, near) };
        }
        // In one plane, or sliding at a small height.
        3 | 4 => {
            let height = if family == 3 || random.chance(0.3) { 0.0 } else { 10f64.powi(-(random.integer(6, 17) as i32)) };
            flatten(&mut pair, height);
        }
        // Nearly parallel edges.
        5 => {
            let bend = 10f64.powi(-(random.integer(4, 17) as i32));
            for p in [&mut pair.start, &mut pair.end] {
                p[3] = p[2] + (p[1] - p[0]) * random.within(-1.5, 1.5) + anywhere(random) * bend;
            }
        }
        // With a contact at some time, perhaps only nearly, at a corner, on a border or inside.
        6 => touch(&mut pair, random, 0.0),
        7 => {
            let offset = 10f64.powi(-(random.integer(6, 17) as i32));
            touch(&mut pair, random, offset);
        }
        // Far from the origin.
        8 => {
            touch(&mut pair, random, 0.0);
            let far = anywhere(random) * 10f64.powi(random.integer(3, 8) as i32);
            all(&mut pair, |p| p + far);
        }
        // Almost no motion, starting close to contact.
        9 => {
            touch(&mut pair, random, 1e-4);
            let small = 10f64.powi(-(random.integer(3, 12) as i32));
            pair.end = std::array::from_fn(|i| pair.start[i] + pair.end[i] * small);
        }
        // Degenerate: repeated corners, or no motion.
        10 => {
            let (i, j) = (random.below(4), random.below(4));
            (pair.start[i], pair.end[i]) = (pair.start[j], pair.end[j]);
            if random.chance(0.3) {
                pair.end = pair.start;
            }
        }
        // Needles.
        11 => {
            let thin = 10f64.powi(-(random.integer(3, 15) as i32));
            for p in [&mut pair.start, &mut pair.end] {
                p[3] = p[1] + (p[2] - p[1]) * random.within(0.0, 1.0) + anywhere(random) * thin;
            }
        }
        // Turned inside out through a point.
        12 => pair.end = pair.start.map(|p| p * -1.0),
        // Turning about an axis, with a gap.
        13 => {
            let (c, s) = (0.8, 0.6);
            let gap = Vec3::new(0.0, 0.0, 10f64.powi(-(random.integer(1, 17) as i32)));
            pair.end = pair.start.map(|p| Vec3::new(c * p.x - s * p.y, s * p.x + c * p.y, p.z));
            (pair.start[0], pair.end[0]) = (pair.start[0] + gap, pair.end[0] + gap);
        }
        // Huge and tiny.
        14 => {
            touch(&mut pair, random, 0.0);
            let scale = 2f64.powi(random.integer(-300, 300) as i32);
            all(&mut pair, |p| p * scale);
        }
        // Grazing: down to a height at half time, and up again, with integers so that the double root is exact.
        _ => {
            pair = FeaturePair { kind, start: corners(random, grid), end: corners(random, grid) };
            flatten(&mut pair, 0.0);
            let lift = random.integer(-1, 1) as f64;
            pair.start[0].z = 1.0;
            pair.end[1].z = lift;
            pair.end[2].z = 1.0;
        }
    }
    pair
}

fn corners(random: &mut Random, one: impl Fn(&mut Random) -> Vec3) -> [Vec3; 4] {
    std::array::from_fn(|_| one(random))
}

fn anywhere(random: &mut Random) -> Vec3 {
    Vec3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), random.within(-1.0, 1.0))
}

fn grid(random: &mut Random) -> Vec3 {
    Vec3::from([0; 3].map(|_| random.integer(-2, 2) as f64))
}

fn all(pair: &mut FeaturePair, change: impl Fn(Vec3) -> Vec3) {
    (pair.start, pair.end) = (pair.start.map(&change), pair.end.map(&change));
}

fn flatten(pair: &mut FeaturePair, height: f64) {
    all(pair, |p| Vec3::new(p.x, p.y, 0.0));
    (pair.start[0].z, pair.end[0].z) = (height, height);
}

/// Moves one feature so that at some time one of its points meets a point of the other, up to an offset.
fn touch(pair: &mut FeaturePair, random: &mut Random, offset: f64) {
    let t = random.pick(&[0.0, 0.25, 0.5, 1.0, 0.3, 0.7]);
    let at = |i: usize| pair.start[i] * (1.0 - t) + pair.end[i] * t;
    let share = |r: &mut Random| r.pick(&[0.0, 0.5, 1.0, 0.3, 0.6]);
    let (a, b) = (share(random), share(random));
    let (from, to, moved) = match pair.kind {
        Kind::VertexFace => {
            let b = b * (1.0 - a);
            (at(0), at(1) + (at(2) - at(1)) * a + (at(3) - at(1)) * b, 1)
        }
        Kind::EdgeEdge => (at(0) + (at(1) - at(0)) * a, at(2) + (at(3) - at(2)) * b, 2),
    };
    let shift = to - from + anywhere(random) * offset;
    for p in [&mut pair.start, &mut pair.end] {
        for corner in &mut p[..moved] {
            *corner += shift;
        }
    }
}
