//! Pipework around the arm: runs on a lattice that never cross, with elbows, flanges and valves.
//!
//! ```text
//!  ]---[]---(      a leg goes straight for one to four cells; at a turn it is joined to the next by an elbow;
//!            \     long legs have a pair of flanges in the middle, or a valve with stem and handwheel;
//!             |    the ends of a run are closed by a flange
//! ```
//!
//! A column around the arm's base is empty, so that the arm has space.

use impinge::math::Vec3;

use super::random::Random;
use super::solids::{Ends, Solid, cylinder, elbow, ring};

/// Cell size in metres; runs follow cell corners.
const CELL: f64 = 0.2;
/// Corners range from minus this to this in x and y, and from 0 to `HEIGHT` in z.
const WIDTH: i32 = 6;
const HEIGHT: i32 = 8;
/// Minimum distance of runs from the vertical axis through the origin, metres.
const CLEAR: f64 = 0.34;
/// Radius of the centre line of elbows, metres.
const BEND: f64 = 0.09;
const SIDES: u32 = 16;

type Corner = [i32; 3];

/// Returns pipework of at least `triangles` triangles, and few more.
pub fn pipes(triangles: usize, random: &mut Random) -> Solid {
    legs(triangles, random).iter().fold(Solid::default(), |plant, leg| plant.with(leg))
}

/// Returns the same, leg by leg: each a pipe with its fittings and the following elbow.
pub fn legs(triangles: usize, random: &mut Random) -> Vec<Solid> {
    let mut taken = Vec::new();
    let mut legs = Vec::new();
    let mut made = 0;
    while made < triangles {
        let turns = walk(&mut taken, random);
        if turns.len() >= 3 {
            let run = run(&turns, triangles - made, random);
            made += run.iter().map(|leg| leg.triangles.len()).sum::<usize>();
            legs.extend(run);
        }
    }
    legs
}

/// Returns the corners at which a run starts, turns and ends. Marks all corners on it as taken.
fn walk(taken: &mut Vec<Corner>, random: &mut Random) -> Vec<Corner> {
    let side = |random: &mut Random| random.integer(-i64::from(WIDTH), i64::from(WIDTH)) as i32;
    let mut at = [side(random), side(random), random.integer(0, i64::from(HEIGHT)) as i32];
    if !is_free(taken, at) {
        return Vec::new();
    }
    taken.push(at);
    let mut turns = vec![at];
    let mut last_axis = 3;
    for _ in 0..16 {
        let (axis, step) = (random.below(3), random.pick(&[-1, 1]));
        let mut moved = false;
        for _ in 0..random.integer(1, 4) {
            let next = ahead(at, axis, step);
            if axis == last_axis || !is_free(taken, next) {
                break;
            }
            taken.push(next);
            at = next;
            moved = true;
        }
        if moved {
            turns.push(at);
            last_axis = axis;
        }
    }
    turns
}

fn ahead(mut at: Corner, axis: usize, step: i32) -> Corner {
    at[axis] += step;
    at
}

fn is_free(taken: &[Corner], at: Corner) -> bool {
    let inside = at[0].abs() <= WIDTH && at[1].abs() <= WIDTH && (0..=HEIGHT).contains(&at[2]);
    let [x, y, _] = at.map(|c| f64::from(c) * CELL);
    inside && x * x + y * y > CLEAR * CLEAR && !taken.contains(&at)
}

/// Returns the legs of one run, which ends early when it has enough triangles.
fn run(turns: &[Corner], enough: usize, random: &mut Random) -> Vec<Solid> {
    let radius = random.within(0.02, 0.05);
    let points: Vec<Vec3> = turns.iter().map(|c| Vec3::from(c.map(|c| f64::from(c) * CELL))).collect();
    let mut legs = Vec::new();
    let mut made = 0;
    for (i, ends) in points.windows(2).enumerate() {
        let along = towards(ends[0], ends[1]);
        let mut leg = Solid::default();
        if i == 0 {
            flange(&mut leg, ends[0], along, radius);
        }
        let next = points.get(i + 2).filter(|_| made + leg.triangles.len() < enough).map(|&p| towards(ends[1], p));
        let from = ends[0] + along * if i == 0 { 0.0 } else { BEND };
        let to = ends[1] - along * if next.is_none() { 0.0 } else { BEND };
        let cells = ((ends[1] - ends[0]).norm() / CELL).round() as u32;
        leg.add(&cylinder((from, radius), (to, radius), SIDES, 2 * cells, Ends::Open));
        if cells > 1 {
            fitting(&mut leg, (from + to) * 0.5, along, radius, random);
        }
        match next {
            Some(next) => leg.add(&elbow(to + next * BEND, (next * -1.0, along), BEND, radius, SIDES, 6)),
            None => flange(&mut leg, ends[1], along * -1.0, radius),
        }
        made += leg.triangles.len();
        legs.push(leg);
        if next.is_none() {
            break;
        }
    }
    legs
}

/// Returns the unit vector from one point to another.
fn towards(from: Vec3, to: Vec3) -> Vec3 {
    (to - from) * (1.0 / (to - from).norm())
}

/// Adds a disc around a pipe that starts at `at` and extends along `along`.
fn flange(plant: &mut Solid, at: Vec3, along: Vec3, radius: f64) {
    plant.add(&cylinder((at - along * 0.01, 1.5 * radius), (at + along * 0.015, 1.5 * radius), SIDES, 1, Ends::Capped));
}

/// Adds a pair of flanges, or a valve, around the middle of a leg.
fn fitting(plant: &mut Solid, middle: Vec3, along: Vec3, radius: f64, random: &mut Random) {
    if random.chance(0.6) {
        flange(plant, middle - along * 0.016, along, radius);
        flange(plant, middle + along * 0.016, along * -1.0, radius);
    } else {
        valve(plant, middle, along, radius, random);
    }
}

/// Adds a thick body, a stem at right angles, and a handwheel at its end.
fn valve(plant: &mut Solid, middle: Vec3, along: Vec3, radius: f64, random: &mut Random) {
    let (u, v) = (Vec3::unit((along.longest_axis() + 1) % 3), Vec3::unit((along.longest_axis() + 2) % 3));
    let (up, side) = random.pick(&[(u, v), (v, u), (u * -1.0, v), (v * -1.0, u)]);
    let half = along * (1.6 * radius);
    plant.add(&cylinder((middle - half, 1.35 * radius), (middle + half, 1.35 * radius), SIDES, 1, Ends::Capped));
    let wheel = middle + up * (1.35 * radius + 0.05);
    plant.add(&cylinder((middle + up * radius, 0.008), (wheel, 0.008), 8, 1, Ends::Capped));
    plant.add(&ring(wheel, (along, side), 0.035, 0.006, 6, 16));
    plant.add(&cylinder((wheel - side * 0.035, 0.004), (wheel + side * 0.035, 0.004), 6, 1, Ends::Open));
}
