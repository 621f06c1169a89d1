//! Kim 2008: time per query against the number of active joints, with a session and from scratch, on motions of a simulation whose joints are
//! locked where they hardly move; and kinematics on assembly trees.

mod dynamics;
pub mod kinematics;
mod scenes;

use std::time::Instant;

use clap::Args;
use impinge::query::Session;
use impinge::scene::Configuration;

use crate::Outcome;
use crate::plot::{Axis, Line, Plot, Scale, Stroke};
use crate::results::Results;
use crate::table::{Table, count, number, target};
use dynamics::{Mechanism, Push, State};
use scenes::Stage;

/// How long to run.
#[derive(Args)]
pub struct Run {
    /// Steps for each number of active joints
    #[arg(long, default_value_t = 300)]
    steps: usize,
    /// Rounds; numbers are the best over them
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    #[command(flatten)]
    results: Results,
}

/// Seconds of a step.
const STEP: f64 = 0.01;
/// What is left of speeds when something is hit.
const BOUNCE: f64 = -0.4;
/// Goals: a tenth of the joints active against all; all active against from scratch.
const FEW: f64 = 0.4;
const ALL: f64 = 1.1;

/// Two men pulled together.
pub fn men(run: &Run) -> Outcome<Table> {
    measure("men", &scenes::men()?, run)
}

/// A pendulum that hits itself.
pub fn pendulum(run: &Run) -> Outcome<Table> {
    measure("pendulum", &scenes::pendulum()?, run)
}

/// A man falling on dishes.
pub fn falling(run: &Run) -> Outcome<Table> {
    measure("falling", &scenes::falling()?, run)
}

/// Means over the steps of a run, microseconds; the best of several runs.
#[derive(Clone, Copy)]
struct Measured {
    active: usize,
    session: f64,
    scratch: f64,
    contacts: usize,
}

fn measure(name: &str, stage: &Stage, run: &Run) -> Outcome<Table> {
    let joints = stage.mechanism.bodies.len();
    let mut counts: Vec<usize> =
        [0.03, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0].iter().map(|s| ((joints as f64 * s).round() as usize).max(1)).collect();
    counts.dedup();
    // The first run warms up. Every round does the same steps, all numbers in turns.
    simulate(stage, joints, run.steps / 4)?;
    let mut all: Vec<Measured> = counts.iter().map(|&m| simulate(stage, m, run.steps)).collect::<Outcome<_>>()?;
    for _ in 1..run.rounds {
        for best in &mut all {
            let again = simulate(stage, best.active, run.steps)?;
            (best.session, best.scratch) = (best.session.min(again.session), best.scratch.min(again.scratch));
        }
    }
    let full = all.last().map_or(f64::NAN, |m| m.session);
    let columns = ["active", "share", "session us", "of all", "scratch us", "session/scratch", "contacts"];
    let mut table = Table::new(format!("Kim 2008, figure 4, {name}: {joints} joints, {} steps", run.steps), &columns);
    for m in &all {
        let share = m.active as f64 / joints as f64;
        table.row(vec![
            count(m.active),
            number(Some(share), 2),
            number(Some(m.session), 1),
            target(Some(m.session / full), if share < 0.15 { FEW } else { f64::INFINITY }, 2),
            number(Some(m.scratch), 1),
            target(Some(m.session / m.scratch), ALL, 2),
            count(m.contacts),
        ]);
    }
    let line = |name: &str, colour: usize, of: &dyn Fn(&Measured) -> f64| Line {
        name: name.into(),
        points: all.iter().map(|m| (m.active as f64, of(m))).collect(),
        stroke: Stroke::Solid,
        colour,
    };
    let plot = Plot {
        title: format!("Time per query: {name}"),
        x: Axis { label: "active joints".into(), scale: Scale::Linear },
        y: Axis { label: "microseconds".into(), scale: Scale::Linear },
        lines: vec![line("session", 0, &|m| m.session), line("from scratch", 1, &|m| m.scratch)],
    };
    run.results.save(&format!("kim-{name}"), &table, &[("", plot)])?;
    Ok(table)
}

/// Simulates with so many active joints, and asks about every step both ways.
fn simulate(stage: &Stage, active: usize, steps: usize) -> Outcome<Measured> {
    let mechanism = &stage.mechanism;
    let own = |q: &[f64]| -> Vec<Vec<f64>> { stage.robots.iter().map(|(_, range)| q[range.clone()].to_vec()).collect() };
    let named = |parts: &[Vec<f64>]| -> Vec<_> { stage.robots.iter().zip(parts).map(|((id, _), q)| (*id, q.clone())).collect() };
    let start = named(&own(&stage.start));
    let start: Vec<_> = start.iter().map(|(id, q)| (*id, q.as_slice() as &Configuration)).collect();
    let mut session = Session::new(&stage.checker, &start)?;
    session.step(&start)?;
    let mut state = State { q: stage.start.clone(), speed: vec![0.0; stage.start.len()] };
    let (mut session_time, mut scratch_time, mut contacts, mut stuck) = (0.0, 0.0, 0, 0);
    for _ in 0..steps {
        let pushes = |frames: &[impinge::Pose]| springs(stage, frames);
        let locked = mechanism.locked_but(active, &state, STEP, &pushes(&mechanism.frames(&state.q)));
        rest(&mut state, &locked);
        let next = mechanism.step(&state, &locked, STEP, &pushes);
        for (id, range) in &stage.robots {
            let free: Vec<usize> = range.clone().filter(|&j| !locked[j]).map(|j| j - range.start).collect();
            session.set_active(*id, &free)?;
        }
        let (from, to) = (own(&state.q), own(&next.q));
        let goals: Vec<_> = stage.robots.iter().zip(&to).map(|((id, _), q)| (*id, q.as_slice())).collect();
        let began = Instant::now();
        let pairs = from.iter().zip(&to);
        let motion =
            stage.robots.iter().zip(pairs).fold(stage.checker.scene().motion(), |m, ((id, _), (a, b))| m.joint_line(*id, a, b));
        let scratch = stage.checker.first_contact(&motion.build()?);
        scratch_time += began.elapsed().as_secs_f64();
        let began = Instant::now();
        let verdict = session.step(&goals)?;
        session_time += began.elapsed().as_secs_f64();
        if verdict.is_free() != scratch.is_free() {
            return Err(format!("a session says {verdict:?}, but from scratch it is {scratch:?}").into());
        }
        if verdict.is_free() {
            (state, stuck) = (next, 0);
        } else {
            contacts += 1;
            stuck += 1;
            state.speed = next.speed.iter().map(|v| BOUNCE * v).collect();
        }
        if stuck > 5 || too_fast(mechanism, &state) {
            // Start over, at rest.
            state = State { q: stage.start.clone(), speed: vec![0.0; stage.start.len()] };
            session.place(&start)?;
            session.step(&start)?;
            stuck = 0;
        }
    }
    let mean = |seconds: f64| seconds / steps.max(1) as f64 * 1e6;
    Ok(Measured { active, session: mean(session_time), scratch: mean(scratch_time), contacts })
}

fn rest(state: &mut State, locked: &[bool]) {
    state.speed.iter_mut().zip(locked).filter(|(_, locked)| **locked).for_each(|(v, _)| *v = 0.0);
}

/// A joint that turns by more than a quarter within a step is no motion worth asking about.
fn too_fast(mechanism: &Mechanism, state: &State) -> bool {
    debug_assert_eq!(mechanism.bodies.len(), state.speed.len());
    !state.speed.iter().all(|v| v.abs() * STEP < 1.5)
}

fn springs(stage: &Stage, frames: &[impinge::Pose]) -> Vec<Push> {
    let pull = |&(a, b, stiffness): &(usize, usize, f64)| {
        let (x, y) = (frames[a].translation, frames[b].translation);
        [Push { body: a, at: x, force: (y - x) * stiffness }, Push { body: b, at: y, force: (x - y) * stiffness }]
    };
    stage.springs.iter().flat_map(pull).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the paper's mechanisms do: the pendulum hits itself, the man his dishes, and a session says what a search from scratch says.
    #[test]
    fn mechanisms_collide() {
        for stage in [scenes::pendulum().expect("a scene"), scenes::falling().expect("a scene")] {
            let joints = stage.mechanism.bodies.len();
            assert!(simulate(&stage, joints / 2, 300).expect("both agree").contacts > 0);
        }
    }
}
