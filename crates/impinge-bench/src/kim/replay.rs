//! Steps of a simulation, recorded once, and asked again and again in three ways.
//!
//! ```text
//! record: simulation ──► steps ──► replay, a round: few    a session in which only the joints that move are declared active
//!                                                  all     a session in which all joints are declared active, about the same motion
//!                                                  scratch a query that knows nothing of the last one
//! ```
//! All orders of the three take turns, from step to step and from round to round: whoever is asked later finds the caches warm. Declaring which joints
//! move belongs to `few`: it is told right before it is asked, and timed by itself too.

use impinge::query::{Session, Verdict};
use impinge::scene::{Configuration, RobotId};

use super::scenes::Stage;
use super::simulation::Simulation;
use crate::rounds::{Rounds, turns};
use crate::{Outcome, clock};

/// A motion that was asked about.
pub struct Step {
    /// Whether the mechanism was put there, instead of coming from the step before.
    placed: bool,
    /// Joints that may move, of each robot.
    active: Vec<(RobotId, Vec<usize>)>,
    from: Vec<f64>,
    to: Vec<f64>,
    /// Whether it touches.
    pub touches: bool,
}

/// Ways of asking, in the order of [`Times`].
const WAYS: usize = 3;

/// Rounds of one kind of steps, free or in contact: seconds for all of them.
#[derive(Clone, Default)]
pub struct Times {
    /// How many steps there are, and from how many runs they come.
    pub n: usize,
    pub runs: usize,
    /// Few joints declared active, with declaring them; all joints declared active; from scratch.
    pub ways: [Rounds; WAYS],
    /// Declaring the joints that move alone.
    pub declaring: Rounds,
}

impl Step {
    /// Runs the step in a session that comes from the step before; puts the mechanism where it starts if it was put there.
    ///
    /// # Errors
    /// If the session refuses it.
    pub fn replay(&self, stage: &Stage, session: &mut Session<'_>) -> Outcome<Verdict> {
        if self.placed {
            session.place(&stage.each(&self.from))?;
        }
        for (id, own) in &self.active {
            session.set_active(*id, own)?;
        }
        Ok(session.step(&stage.each(&self.to))?)
    }
}

/// Simulates with so many active joints, and records every step.
pub fn record(stage: &Stage, active: usize, steps: usize, seed: u64) -> Outcome<Vec<Step>> {
    let (mut world, mut session) = Simulation::new(stage, active, seed)?;
    let mut recorded = Vec::with_capacity(steps);
    for _ in 0..steps {
        let next = world.next(&mut session)?;
        let from = world.state.q.clone();
        let verdict = session.step(&stage.each(&next.q))?;
        recorded.push(Step {
            placed: std::mem::take(&mut world.placed),
            active: world.declared.clone(),
            from,
            to: next.q.clone(),
            touches: !verdict.is_free(),
        });
        world.go_on(next, &verdict)?;
    }
    Ok(recorded)
}

/// Asks about all steps in all ways; times go to `[free, contact]`.
///
/// # Errors
/// If a way disagrees with the simulation.
pub fn replay(stage: &Stage, steps: &[Step], round: usize, times: &mut [Times; 2]) -> Outcome<()> {
    let start = stage.each(&stage.start);
    let mut sessions = [Session::new(&stage.checker, &start)?, Session::new(&stage.checker, &start)?];
    let mut sums = [[0.0; WAYS]; 2];
    let mut declaring = [0.0; 2];
    for (k, step) in steps.iter().enumerate() {
        let (from, to) = (stage.each(&step.from), stage.each(&step.to));
        if step.placed {
            for session in &mut sessions {
                session.place(&from)?;
                // Where it starts is free, and is known to be.
                session.step(&from)?;
            }
        }
        let kind = usize::from(step.touches);
        for way in turns(WAYS, k + round) {
            if way == 0 {
                let few = &mut sessions[0];
                let (seconds, declared) = clock::timed(|| step.active.iter().try_for_each(|(id, own)| few.set_active(*id, own)));
                declared?;
                declaring[kind] += seconds;
                sums[kind][way] += seconds;
            }
            let (seconds, verdict) = clock::timed(|| ask(stage, &mut sessions, way, (&from, &to)));
            sums[kind][way] += seconds;
            if verdict?.is_free() == step.touches {
                return Err(format!("step {k}: way {way} and the simulation disagree whether it touches").into());
            }
        }
    }
    for (kind, times) in times.iter_mut().enumerate() {
        (times.n, times.runs) = counts(steps, kind == 1);
        times.ways.iter_mut().zip(sums[kind]).for_each(|(rounds, sum)| rounds.push(sum));
        times.declaring.push(declaring[kind]);
    }
    Ok(())
}

/// How many steps touch, or do not, and in how many runs there are such steps.
fn counts(steps: &[Step], touches: bool) -> (usize, usize) {
    let of_kind = |run: &[Step]| run.iter().filter(|step| step.touches == touches).count();
    let runs = steps.chunk_by(|_, next| !next.placed).map(of_kind).filter(|n| *n > 0);
    (of_kind(steps), runs.count())
}

/// Where robots are.
type Place<'q> = [(RobotId, &'q Configuration)];

fn ask(stage: &Stage, sessions: &mut [Session<'_>; 2], way: usize, (from, to): (&Place<'_>, &Place<'_>)) -> Outcome<Verdict> {
    if let Some(session) = sessions.get_mut(way) {
        return Ok(session.step(to)?);
    }
    let ends = from.iter().zip(to);
    let motion = ends.fold(stage.checker.scene().motion(), |motion, ((id, a), (_, b))| motion.joint_line(*id, a, b));
    Ok(stage.checker.first_contact(&motion.build()?)?)
}

#[cfg(test)]
mod tests {
    use super::super::{SEED, scenes};
    use super::*;

    /// What the paper's mechanisms do: men hit each other, the pendulum itself, the man his dishes; and all ways agree about every step.
    #[test]
    fn mechanisms_collide_and_all_ways_agree() {
        for stage in [scenes::men(), scenes::pendulum(), scenes::falling()].map(|stage| stage.expect("a scene")) {
            let joints = stage.mechanism.bodies.len();
            let steps = record(&stage, joints / 4, 500, SEED).expect("a simulation");
            let mut times = [Times::default(), Times::default()];
            replay(&stage, &steps, 0, &mut times).expect("all ways agree");
            assert!(times.iter().all(|t| t.n > 0) && times[0].n + times[1].n == 500);
            let runs = steps.iter().filter(|s| s.placed).count();
            assert!(steps[0].placed && runs < 100 && times.iter().all(|t| t.runs > 0 && t.runs <= runs));
        }
    }
}
