//! Lengths, angles and directions.

use std::f64::consts::{FRAC_PI_2, TAU};

use impinge::math::Vec3;

use crate::Random;

/// The kind of numbers in a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Small integers, no angles: coincidences are frequent.
    Lattice,
    /// Multiples of 1/64, no angles.
    Dyadic,
    /// Small integers and quarter turns, some with a tiny error.
    Nearly,
    /// Arbitrary numbers.
    Plain,
}

impl Flavour {
    /// Draws one of the four, with equal probability.
    pub fn any(random: &mut Random) -> Self {
        random.pick(&[Flavour::Lattice, Flavour::Dyadic, Flavour::Nearly, Flavour::Plain])
    }

    /// Tests whether there are rotations.
    pub fn turns(self) -> bool {
        matches!(self, Flavour::Nearly | Flavour::Plain)
    }
}

/// Differences of almost zero, relative to one.
const TINY: [f64; 6] = [1e-15, 1e-12, 1e-9, 1e-7, 1e-5, 9.5367431640625e-7];

/// Draws a length in [-reach, reach].
pub fn length(random: &mut Random, flavour: Flavour, reach: f64) -> f64 {
    match flavour {
        Flavour::Lattice => random.within(-reach, reach + 1.0).floor(),
        Flavour::Dyadic => (random.within(-reach, reach) * 64.0).round() / 64.0,
        Flavour::Nearly => random.within(-reach, reach + 1.0).floor() + tiny(random),
        Flavour::Plain => random.within(-reach, reach),
    }
}

/// Draws zero, or almost zero.
fn tiny(random: &mut Random) -> f64 {
    if random.chance(0.6) { 0.0 } else { random.pick(&TINY) * random.pick(&[-1.0, 1.0]) }
}

/// Draws a point in the cube of half side `reach`.
pub fn point(random: &mut Random, flavour: Flavour, reach: f64) -> Vec3 {
    Vec3::new(length(random, flavour, reach), length(random, flavour, reach), length(random, flavour, reach))
}

/// Draws an angle: zero without rotations; quarter turns, nearly, or arbitrary; sometimes several turns.
pub fn angle(random: &mut Random, flavour: Flavour) -> f64 {
    let turns = if random.chance(0.05) { TAU * random.integer(-3, 3) as f64 } else { 0.0 };
    match flavour {
        Flavour::Lattice | Flavour::Dyadic => 0.0,
        Flavour::Nearly => turns + random.integer(-2, 2) as f64 * FRAC_PI_2 + tiny(random),
        Flavour::Plain => turns + random.within(-1.5, 1.5),
    }
}

/// Draws a direction: along a coordinate axis, along a diagonal, or arbitrary; of any length.
pub fn axis(random: &mut Random, flavour: Flavour) -> Vec3 {
    let along = Vec3::unit(random.below(3)) * random.pick(&[-1.0, 1.0]);
    if matches!(flavour, Flavour::Lattice | Flavour::Dyadic) || random.chance(0.5) {
        return along;
    }
    let v = if random.chance(0.3) { point(random, Flavour::Lattice, 1.0) } else { point(random, Flavour::Plain, 1.0) };
    let length = random.pick(&[1.0, 1.0, 1e-30, 1e30]);
    if v.norm() > 0.1 { v * length } else { along }
}
