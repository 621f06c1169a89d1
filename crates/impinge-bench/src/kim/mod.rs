//! Kim 2008: time per query against the number of active joints, with a session and from scratch, on motions of a simulation whose joints are
//! locked where they hardly move; and kinematics on assembly trees.

mod dynamics;
pub mod kinematics;
mod scenes;
mod simulation;

use std::time::Instant;

use clap::Args;

use crate::Outcome;
use crate::plot::{Axis, Line, Plot, Scale, Stroke};
use crate::results::Results;
use crate::table::{Table, count, number, target};
use scenes::Stage;
use simulation::Simulation;

/// How long to run.
#[derive(Args)]
pub struct Run {
    /// Steps for each number of active joints
    #[arg(long, default_value_t = 3000)]
    steps: usize,
    /// Rounds; numbers are the best over them
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Where mechanisms start
    #[arg(long, default_value_t = SEED)]
    seed: u64,
    #[command(flatten)]
    results: Results,
}

/// Starts that benchmarks use unless asked for others.
const SEED: u64 = 2008;
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
    simulate(stage, joints, run.steps / 4, run.seed)?;
    let mut all: Vec<Measured> = counts.iter().map(|&m| simulate(stage, m, run.steps, run.seed)).collect::<Outcome<_>>()?;
    for _ in 1..run.rounds {
        for best in &mut all {
            let again = simulate(stage, best.active, run.steps, run.seed)?;
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
fn simulate(stage: &Stage, active: usize, steps: usize, seed: u64) -> Outcome<Measured> {
    let (mut world, mut session) = Simulation::new(stage, active, seed)?;
    let (mut session_time, mut scratch_time, mut contacts) = (0.0, 0.0, 0);
    for _ in 0..steps {
        let next = world.next(&mut session)?;
        let (from, to) = (stage.each(&world.state.q), stage.each(&next.q));
        let began = Instant::now();
        let ends = from.iter().zip(&to);
        let motion = ends.fold(stage.checker.scene().motion(), |motion, ((id, a), (_, b))| motion.joint_line(*id, a, b));
        let scratch = stage.checker.first_contact(&motion.build()?)?;
        scratch_time += began.elapsed().as_secs_f64();
        let began = Instant::now();
        let verdict = session.step(&to)?;
        session_time += began.elapsed().as_secs_f64();
        if verdict.is_free() != scratch.is_free() {
            return Err(format!("a session says {verdict:?}, but from scratch it is {scratch:?}").into());
        }
        contacts += usize::from(!verdict.is_free());
        world.go_on(next, &verdict)?;
    }
    let mean = |seconds: f64| seconds / steps.max(1) as f64 * 1e6;
    Ok(Measured { active, session: mean(session_time), scratch: mean(scratch_time), contacts })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the paper's mechanisms do: men hit each other, the pendulum itself, the man his dishes, and a session says what a search from
    /// scratch says.
    #[test]
    fn mechanisms_collide() {
        for stage in [scenes::men(), scenes::pendulum(), scenes::falling()].map(|stage| stage.expect("a scene")) {
            let joints = stage.mechanism.bodies.len();
            assert!(simulate(&stage, joints / 4, 500, SEED).expect("both agree").contacts > 0);
        }
    }
}
