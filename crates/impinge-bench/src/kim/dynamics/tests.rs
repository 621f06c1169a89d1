//! Known motions and conserved quantities.

use super::*;
use std::f64::consts::PI;

const DOWN: Vec3 = Vec3::new(0.0, 0.0, -9.81);

fn rod(parent: Option<usize>, at: Vec3, axis: Vec3, length: f64) -> Body {
    let across = length * length / 12.0;
    Body {
        parent,
        placement: Pose::from_translation(at),
        kind: Kind::Turn,
        axis,
        mass: 1.0,
        center: Vec3::new(0.0, 0.0, -0.5 * length),
        inertia: Vec3::new(across, across, 1e-4),
    }
}

fn nothing(_: &[Pose]) -> Vec<Push> {
    Vec::new()
}

/// A rod swings with the period 2 pi sqrt(2 L / 3 g).
#[test]
fn a_rod_swings_with_its_known_period() {
    let length = 0.7;
    let swing = Mechanism { bodies: vec![rod(None, Vec3::ZERO, Vec3::unit(1), length)], gravity: DOWN, damping: 0.0 };
    let mut state = State { q: vec![0.01], speed: vec![0.0] };
    let (h, mut t, mut crossings) = (1e-3, 0.0, Vec::new());
    while crossings.len() < 3 {
        let next = swing.step(&state, &[false], h, &nothing);
        if state.q[0].signum() != next.q[0].signum() {
            crossings.push(t + h * state.q[0] / (state.q[0] - next.q[0]));
        }
        (state, t) = (next, t + h);
    }
    let expected = 2.0 * PI * (2.0 * length / (3.0 * 9.81)).sqrt();
    assert!((crossings[2] - crossings[0] - expected).abs() < 1e-4 * expected, "{crossings:?}, {expected}");
}

/// A chaotic triple pendulum keeps its energy, also with a locked joint.
#[test]
fn energy_is_kept() {
    let end = Vec3::new(0.0, 0.0, -0.5);
    let bodies = vec![
        rod(None, Vec3::ZERO, Vec3::unit(1), 0.5),
        rod(Some(0), end, Vec3::unit(0), 0.5),
        rod(Some(1), end, Vec3::unit(1), 0.5),
    ];
    let swing = Mechanism { bodies, gravity: DOWN, damping: 0.0 };
    for locked in [[false; 3], [false, true, false]] {
        let mut state = State { q: vec![1.5, 0.7, -1.0], speed: vec![0.5, 0.0, 2.0] };
        let before = swing.energy(&state);
        let mut moved = 0.0f64;
        for _ in 0..2000 {
            state = swing.step(&state, &locked, 1e-3, &nothing);
            moved = moved.max(state.speed[0].abs());
        }
        assert!((swing.energy(&state) - before).abs() < 1e-5 * before.abs() && moved > 1.0, "{locked:?}");
        assert!(!locked[1] || state.q[1] == 0.7);
    }
}

/// A free sliding body accelerates by force over mass if the force acts at its centre; off its centre it turns, too.
#[test]
fn pushes_act_where_they_are() {
    let mut slide = rod(None, Vec3::ZERO, Vec3::unit(0), 0.4);
    (slide.kind, slide.mass) = (Kind::Slide, 2.0);
    let mechanism = Mechanism { bodies: vec![slide], gravity: DOWN, damping: 0.0 };
    let state = State { q: vec![0.0], speed: vec![0.0] };
    let push = Push { body: 0, at: Vec3::new(0.0, 1.0, 0.0), force: Vec3::new(6.0, 1.0, 0.0) };
    assert!((mechanism.accelerations(&state, &[false], &[push])[0] - 3.0).abs() < 1e-12);
    let hinge = Mechanism { bodies: vec![rod(None, Vec3::ZERO, Vec3::unit(1), 0.6)], gravity: Vec3::ZERO, damping: 0.0 };
    let push = Push { body: 0, at: Vec3::new(0.0, 0.0, -0.6), force: Vec3::new(1.0, 0.0, 0.0) };
    // Torque about y of a force along x at -0.6 below: -0.6; inertia about the end m L^2 / 3.
    let expected = -0.6 / (0.36 / 3.0);
    assert!((hinge.accelerations(&state, &[false], &[push])[0] - expected).abs() < 1e-12);
}

/// Two free rods in an end-to-end collision: they separate at their approach speed, and energy and momentum are conserved.
#[test]
fn hits_keep_energy_and_momentum() {
    let mut bodies = Vec::new();
    for _ in 0..2 {
        let first = bodies.len();
        for k in 0..6 {
            let mut body = rod(if k == 0 { None } else { Some(first + k - 1) }, Vec3::ZERO, Vec3::unit(k % 3), 0.5);
            body.kind = if k < 3 { Kind::Slide } else { Kind::Turn };
            if k < 5 {
                (body.mass, body.inertia) = (0.0, Vec3::ZERO);
            }
            bodies.push(body);
        }
    }
    let mechanism = Mechanism { bodies, gravity: Vec3::ZERO, damping: 0.0 };
    let mut state = State { q: vec![0.0; 12], speed: vec![0.0; 12] };
    (state.q[4], state.q[6], state.speed[0], state.speed[10]) = (0.4, 0.3, 1.0, 2.0);
    let hit = Hit { body: 5, other: Some(11), at: Vec3::new(0.1, 0.02, -0.4), normal: Vec3::new(-0.8, 0.6, 0.0) };
    let momentum = |state: &State| {
        let (frames, velocity) = (mechanism.frames(&state.q), mechanism.velocities(state));
        let of = |i: usize| {
            let (w, v) = parts(&velocity[i]);
            frames[i].rotation * (v + w.cross(mechanism.bodies[i].center)) * mechanism.bodies[i].mass
        };
        of(5) + of(11)
    };
    let before = (mechanism.parting(&state, &hit), mechanism.energy(&state), momentum(&state));
    assert!(before.0 < -0.1, "they meet: {before:?}");
    let gain = mechanism.impulse(&state, &mechanism.unlocked(), &hit, 1.0, 0.0);
    state.speed.iter_mut().zip(&gain).for_each(|(v, g)| *v += g);
    let after = (mechanism.parting(&state, &hit), mechanism.energy(&state), momentum(&state));
    assert!((after.0 + before.0).abs() < 1e-9, "{before:?} {after:?}");
    assert!((after.1 - before.1).abs() < 1e-9 * before.1, "{before:?} {after:?}");
    assert!((after.2 - before.2).norm() < 1e-9, "{before:?} {after:?}");
    // A completely locked mechanism has no response.
    assert!(mechanism.impulse(&state, &[true; 12], &hit, 1.0, 1.0).iter().all(|g| *g == 0.0));
}

/// The upper of two rods carries both: the same speed has more energy there.
#[test]
fn the_joints_that_move_most_stay_free() {
    let bodies = vec![rod(None, Vec3::ZERO, Vec3::unit(1), 0.5), rod(Some(0), Vec3::unit(0), Vec3::unit(1), 0.5)];
    let mechanism = Mechanism { bodies, gravity: Vec3::ZERO, damping: 0.0 };
    let state = State { q: vec![0.0, 0.0], speed: vec![0.0, 3.0] };
    assert_eq!(mechanism.locked_but(1, &state, 0.01, &[]), [true, false]);
    assert_eq!(mechanism.locked_but(2, &state, 0.01, &[]), [false, false]);
    let state = State { q: vec![0.0, 0.0], speed: vec![1.0, 1.0] };
    assert_eq!(mechanism.calmest(1, &state), [false, true]);
}
