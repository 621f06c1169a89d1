//! Steps of a simulation, recorded once, and queried repeatedly in three ways.
//!
//! ```text
//! record: simulation ──► steps ──► replay, a round: few    a session in which only the joints that move are declared active
//!                                                  all     a session in which all joints are declared active, for the same motion
//!                                                  scratch a query without state of the previous one
//! ```
//! The order of the three changes from step to step and from round to round, because later queries find warm caches. The declaration of
//! the moving joints belongs to `few`: it precedes the query, and is also timed separately.

use impinge::query::{Session, Verdict};
use impinge::scene::{Configuration, RobotId};

use super::scenes::Stage;
use super::simulation::Simulation;
use crate::rounds::{Rounds, turns};
use crate::{Outcome, clock};

/// A queried motion.
pub struct Step {
    /// Whether the mechanism was placed at the start, instead of continuing the previous step.
    placed: bool,
    /// Joints that may move, of each robot.
    active: Vec<(RobotId, Vec<usize>)>,
    from: Vec<f64>,
    to: Vec<f64>,
    /// Whether it is in contact.
    pub touches: bool,
}

/// Ways to query, in the order of [`Times`].
const WAYS: usize = 3;

/// Rounds of one kind of steps, free or in contact: seconds for all of them.
#[derive(Clone, Default)]
pub struct Times {
    /// The number of steps, and the number of runs that they come from.
    pub n: usize,
    pub runs: usize,
    /// Few joints declared active, including the declaration; all joints declared active; from scratch.
    pub ways: [Rounds; WAYS],
    /// The declaration of the moving joints alone.
    pub declaring: Rounds,
}

impl Step {
    /// Runs the step in a session after the previous step; resets the mechanism if the step requires this.
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

/// Simulates with a number of active joints, and records every step.
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

/// Queries all steps in all ways; times are added to `[free, contact]`.
///
/// # Errors
/// If a verdict disagrees with the simulation.
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
                // The start is proven free.
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

/// Returns the number of steps with and without contact, and the number of runs with such steps.
fn counts(steps: &[Step], touches: bool) -> (usize, usize) {
    let of_kind = |run: &[Step]| run.iter().filter(|step| step.touches == touches).count();
    let runs = steps.chunk_by(|_, next| !next.placed).map(of_kind).filter(|n| *n > 0);
    (of_kind(steps), runs.count())
}

/// Returns the states of the robots.
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

    /// The mechanisms of the paper collide: the men with each other, the pendulum with itself, the man with his dishes; all methods agree.
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
