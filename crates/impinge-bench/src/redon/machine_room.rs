//! A machine room: 1,180 objects of about 160 triangles around an arm: tanks, pipes, pumps, beams and cabinets.
//!
//! ```text
//!   [ ]  (  )  ====   objects are at distances drawn uniformly from the arm's column to the walls, so that they are dense near
//!    ==   o   [ ]     the arm and most are far; no two bounding boxes overlap, and the column stays clear
//! ```

use impinge::math::Vec3;
use impinge_io::example::random::Random;
use impinge_io::example::solids::{Ends, Solid, capsule, cuboid, cylinder};

/// The number of objects of each kind, 1,180 in total.
const KINDS: [(Kind, usize); 5] =
    [(Kind::Tank, 150), (Kind::Pump, 180), (Kind::Cabinet, 120), (Kind::Beam, 230), (Kind::Pipe, 500)];
/// The smallest distance of an object from the vertical axis of the arm, metres.
const CLEAR: f64 = 0.34;
/// The distance of the walls from the arm, and the height of the ceiling, metres.
const WALL: f64 = 8.0;
const CEILING: f64 = 4.0;
/// The seed of the room.
const SEED: u64 = 1180;

#[derive(Clone, Copy)]
enum Kind {
    Tank,
    Pump,
    Cabinet,
    Beam,
    Pipe,
}

/// Returns all objects in the room, in the world frame.
pub fn machine_room() -> Vec<Solid> {
    let mut random = Random::new(SEED);
    let mut room = Vec::new();
    let mut boxes: Vec<(Vec3, Vec3)> = Vec::new();
    for (kind, count) in KINDS {
        let wanted = room.len() + count;
        while room.len() < wanted {
            let thing = kind.at(place(kind, &mut random), &mut random);
            let bounds = bounds(&thing);
            if is_clear_of_arm(bounds) && !boxes.iter().any(|&other| overlap(bounds, other)) {
                boxes.push(bounds);
                room.push(thing);
            }
        }
    }
    room
}

/// Draws a point on the floor for heavy objects, anywhere for suspended ones.
fn place(kind: Kind, random: &mut Random) -> Vec3 {
    let away = random.within(CLEAR, WALL);
    let at = loop {
        let v = Vec3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), 0.0);
        if (0.1..1.0).contains(&v.norm()) {
            break v * (away / v.norm());
        }
    };
    let height = match kind {
        Kind::Tank | Kind::Pump | Kind::Cabinet => random.pick(&[0.0, 0.0, 1.2, 2.4]),
        Kind::Beam | Kind::Pipe => random.within(0.0, CEILING),
    };
    at + Vec3::unit(2) * height
}

impl Kind {
    fn at(self, at: Vec3, random: &mut Random) -> Solid {
        match self {
            Kind::Tank => tank(at, random),
            Kind::Pump => pump(at, random),
            Kind::Cabinet => cabinet(at, random),
            Kind::Beam => beam(at, random),
            Kind::Pipe => pipe(at, random),
        }
    }
}

/// Builds an upright capsule: 160 triangles.
fn tank(at: Vec3, random: &mut Random) -> Solid {
    let (radius, height) = (random.within(0.12, 0.4), random.within(0.1, 0.5));
    let low = at + Vec3::unit(2) * radius;
    capsule(low, low + Vec3::unit(2) * height, radius, 10, 4)
}

/// Builds a motor, a volute and an outlet on a plate: 156 triangles.
fn pump(at: Vec3, random: &mut Random) -> Solid {
    let along = Vec3::unit(random.below(2));
    let (size, up) = (random.within(0.08, 0.16), Vec3::unit(2));
    let shaft = at + up * (1.4 * size);
    let motor = cylinder((shaft - along * (2.0 * size), 0.8 * size), (shaft, 0.8 * size), 12, 1, Ends::Capped);
    let volute = cylinder((shaft, size), (shaft + along * size, size), 16, 1, Ends::Capped);
    let outlet = cylinder(
        (shaft + along * (0.5 * size), 0.4 * size),
        (shaft + along * (0.5 * size) + up * (2.0 * size), 0.4 * size),
        8,
        1,
        Ends::Capped,
    );
    let plate = cuboid(at + up * (0.1 * size) - along * (0.5 * size), Vec3::new(1.6 * size, 1.6 * size, 0.1 * size));
    motor.with(&volute).with(&outlet).with(&plate)
}

/// Builds a box with a handle and eleven louvres on its front: 156 triangles.
fn cabinet(at: Vec3, random: &mut Random) -> Solid {
    let half = Vec3::new(random.within(0.15, 0.35), random.within(0.1, 0.25), random.within(0.3, 0.55));
    let front = at + Vec3::new(0.0, half.y, half.z);
    let handle = cuboid(front + Vec3::new(0.8 * half.x, 0.01, 0.0), Vec3::new(0.01, 0.01, 0.08));
    let body = cuboid(at + Vec3::unit(2) * half.z, half).with(&handle);
    (0..11).fold(body, |body, i| {
        let height = half.z * (0.3 + 0.05 * f64::from(i));
        body.with(&cuboid(front + Vec3::new(0.0, 0.004, height), Vec3::new(0.6 * half.x, 0.004, 0.015 * half.z)))
    })
}

/// Builds a level I-beam with stiffeners: 156 triangles.
fn beam(at: Vec3, random: &mut Random) -> Solid {
    let axis = random.below(2);
    let (along, aside) = (Vec3::unit(axis), Vec3::unit(1 - axis));
    let (half, size) = (random.within(0.3, 1.2), random.within(0.03, 0.07));
    let slab = |middle: Vec3, a: f64, b: f64, c: f64| cuboid(at + middle, along * a + aside * b + Vec3::unit(2) * c);
    let flange = |up: f64| slab(Vec3::unit(2) * (up * size), half, size, 0.15 * size);
    let beam = slab(Vec3::ZERO, half, 0.12 * size, size).with(&flange(1.0)).with(&flange(-1.0));
    (0..10).fold(beam, |beam, i| {
        let at = half * (f64::from(i) - 4.5) / 5.0;
        beam.with(&slab(along * at, 0.1 * size, 0.9 * size, 0.85 * size))
    })
}

/// Builds a straight pipe along any axis: 160 triangles.
fn pipe(at: Vec3, random: &mut Random) -> Solid {
    let half = Vec3::unit(random.below(3)) * random.within(0.2, 1.2);
    let radius = random.within(0.02, 0.07);
    cylinder((at - half, radius), (at + half, radius), 16, 4, Ends::Capped)
}

/// Returns the smallest and the largest corner.
fn bounds(solid: &Solid) -> (Vec3, Vec3) {
    let pick = |f: fn(f64, f64) -> f64, from: f64| {
        solid.vertices.iter().fold(Vec3::splat(from), |m, v| Vec3::new(f(m.x, v.x), f(m.y, v.y), f(m.z, v.z)))
    };
    (pick(f64::min, f64::INFINITY), pick(f64::max, f64::NEG_INFINITY))
}

fn is_clear_of_arm((lo, hi): (Vec3, Vec3)) -> bool {
    let nearest = |lo: f64, hi: f64| 0f64.clamp(lo, hi);
    nearest(lo.x, hi.x).hypot(nearest(lo.y, hi.y)) > CLEAR
}

fn overlap(a: (Vec3, Vec3), b: (Vec3, Vec3)) -> bool {
    (0..3).all(|k| a.0[k] <= b.1[k] && b.0[k] <= a.1[k])
}
