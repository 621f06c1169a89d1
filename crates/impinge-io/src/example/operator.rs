//! A hand guides a drill over a hull: poses as a teleoperation loop would record them, computed deterministically.
//!
//! ```text
//!        o start        a reach is smooth, of least jerk [Flash and Hogan 1985]: x = from + (to - from) (10 s^3 - 15 s^4 + 6 s^5);
//!         \             a hand also trembles at 9 Hz, and sensors are noisy;
//!   ~~~~~~~\~~~~ hull   a change of mind is a second reach, back, on top of the first
//! ```

use std::f64::consts::TAU;

use impinge::math::trig::sin_cos;
use impinge::math::{Mat3, Pose, Vec3};

use super::random::Random;
use super::solids::{Ends, Solid, cylinder};
use crate::placement::turn;

/// Half the hull's sides, metres; x and y.
const HALF: [f64; 2] = [0.4, 0.2];
/// The drill: radius and half of its length, metres.
pub const DRILL: (f64, f64) = (0.01, 0.1);

/// Types of hand motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hand {
    /// Without noise.
    Smooth,
    /// With tremor and sensor noise.
    Trembling,
    /// With reversals on the way, sometimes too late.
    Reversing,
}

/// Returns the height of the hull: a vault with a wave.
fn height(x: f64, y: f64) -> f64 {
    let (u, v) = (x / HALF[0], y / HALF[1]);
    0.1 * (1.0 - 0.5 * (u * u + v * v)) + 0.01 * sin_cos(TAU * u).0
}

/// Returns the hull as an open surface of about this number of triangles, at least 4.
pub fn hull(triangles: usize) -> Solid {
    let rows = ((triangles as f64 / 4.0).sqrt().round() as u32).max(1);
    let columns = 2 * rows;
    let mut solid = Solid::default();
    for i in 0..=rows {
        for j in 0..=columns {
            let at = |k: u32, n: u32, half: f64| half * (2.0 * f64::from(k) / f64::from(n) - 1.0);
            let (x, y) = (at(j, columns, HALF[0]), at(i, rows, HALF[1]));
            solid.vertices.push(Vec3::new(x, y, height(x, y)));
        }
    }
    let corner = |i: u32, j: u32| i * (columns + 1) + j;
    for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
        let [a, b, c, d] = [corner(i, j), corner(i, j + 1), corner(i + 1, j), corner(i + 1, j + 1)];
        solid.triangles.extend([[a, b, d], [a, d, c]]);
    }
    solid
}

/// Returns the hull pressed in by a centimetre around a point, as by a finger: every vertex moves.
pub fn pressed(vertices: &[Vec3], at: Vec3) -> Vec<Vec3> {
    let press = |v: &Vec3| {
        let d = *v - at;
        *v - Vec3::unit(2) * (0.01 / (1.0 + 400.0 * (d.x * d.x + d.y * d.y)))
    };
    vertices.iter().map(press).collect()
}

/// Returns the drill along z, centred at the origin; its tip is its lower end.
pub fn drill() -> Solid {
    let (radius, half) = DRILL;
    let end = |z: f64| (Vec3::new(0.0, 0.0, z), radius);
    cylinder(end(-half), end(half), 24, 1, Ends::Capped)
}

/// Returns the position on a reach of least jerk: the fraction of the path after the fraction s of the time.
fn reach(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    s * s * s * (10.0 + s * (6.0 * s - 15.0))
}

/// Returns the pose of the drill with its tip at a point, tilted by a rotation vector.
fn held(tip: Vec3, lean: Vec3) -> Pose {
    let rotation = if lean == Vec3::ZERO { Mat3::IDENTITY } else { turn(lean, lean.norm()) };
    Pose { rotation, translation: tip + rotation * Vec3::unit(2) * DRILL.1 }
}

/// Returns one approach to the hull, with time stamps; some approaches touch it and some do not. The hand rests for the first
/// quarter of a second.
pub fn approach(hand: Hand, seed: u64, samples_per_second: u32) -> Vec<(f64, Pose)> {
    let mut random = Random::new(seed);
    let mut place = |above: f64| {
        let (x, y) = (random.within(-0.7, 0.7) * HALF[0], random.within(-0.7, 0.7) * HALF[1]);
        let lean = Vec3::new(random.within(-0.4, 0.4), random.within(-0.4, 0.4), random.within(-1.0, 1.0));
        (Vec3::new(x, y, height(x, y) + above), lean)
    };
    let from = place(0.25);
    let touches = hand == Hand::Reversing || seed % 4 != 3;
    let to = place(if touches { -0.03 } else { 0.03 });
    let seconds = random.within(1.0, 2.2);
    let (back_at, back) = if hand == Hand::Reversing { (random.within(0.35, 0.75), 0.8) } else { (1.0, 0.0) };
    let last = ((seconds + 0.75) * f64::from(samples_per_second)) as u32;
    let sample = |i: u32| {
        let t = f64::from(i) / f64::from(samples_per_second);
        let s = (t - 0.25) / seconds;
        let part = reach(s) - back * reach((s - back_at) / 0.5);
        let (mut tip, mut lean) = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
        if hand == Hand::Trembling {
            let (a, b) = sin_cos(TAU * 9.0 * t);
            tip += Vec3::new(a, b, 0.7 * a) * 2e-4 + noise(&mut random, 2e-5);
            lean += Vec3::new(b, a, 0.0) * 1e-3 + noise(&mut random, 2e-4);
        }
        (t, held(tip, lean))
    };
    (0..=last).map(sample).collect()
}

fn noise(random: &mut Random, size: f64) -> Vec3 {
    Vec3::new(random.within(-size, size), random.within(-size, size), random.within(-size, size))
}

/// Returns poses of the drill gliding along the hull, its tip five millimetres deep, swaying: 60 poses per second, every step is
/// in contact.
pub fn gliding() -> Vec<(f64, Pose)> {
    let sample = |i: u32| {
        let t = f64::from(i) / 60.0;
        let ((a, b), (c, _)) = (sin_cos(0.7 * t), sin_cos(1.9 * t));
        let (x, y) = (0.8 * HALF[0] * a, 0.8 * HALF[1] * c);
        (t, held(Vec3::new(x, y, height(x, y) - 0.005), Vec3::new(0.4 * c, 0.5 * b, t)))
    };
    (0..600).map(sample).collect()
}

/// Returns the recorded example, 100 poses per second: the hand approaches, rises again, comes down and touches, and leaves.
pub fn recording() -> Vec<(f64, Pose)> {
    let way = [
        (0.1, 0.0, 0.25, 0.3),
        (0.0, 0.03, 0.015, 1.4),
        (-0.1, 0.0, 0.15, 1.2),
        (-0.12, -0.05, -0.01, 1.5),
        (0.0, 0.0, 0.2, 1.2),
    ];
    let tip = |(x, y, above, _): (f64, f64, f64, f64)| Vec3::new(x, y, height(x, y) + above);
    let mut random = Random::new(2001);
    let (mut poses, mut began) = (Vec::new(), 0.0);
    for (k, &to) in way.iter().enumerate() {
        let from = way[k.saturating_sub(1)];
        for i in 0..(100.0 * to.3) as u32 {
            let t = began + f64::from(i) / 100.0;
            let ((a, b), part) = (sin_cos(TAU * 9.0 * t), reach(f64::from(i) / (100.0 * to.3)));
            let place = tip(from) + (tip(to) - tip(from)) * part + Vec3::new(a, b, a) * 1e-4 + noise(&mut random, 1e-5);
            poses.push((t, held(place, Vec3::new(0.1 * (k as f64 - part), 0.15, 0.2 * part))));
        }
        began += to.3;
    }
    poses
}
