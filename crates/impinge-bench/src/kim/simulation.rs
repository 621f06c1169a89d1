//! A mechanism that moves, collides, bounces, and restarts elsewhere when it comes to rest.
//!
//! A step that would collide does not move: an impulse at the contact changes speeds, and the step is queried again. So
//! time proceeds while bodies rest on each other, as in time stepping after Moreau.

use impinge::query::{Contact, Session, Verdict};
use impinge::scene::RobotId;
use impinge_io::example::random::Random;

use super::dynamics::{Hit, Push, State};
use super::scenes::Stage;
use crate::Outcome;

/// Seconds of a step.
const STEP: f64 = 0.01;
/// Coefficient of restitution: the remaining share of the approach speed.
const BOUNCE: f64 = 0.4;
/// The minimum separation speed, m/s.
const APART: f64 = 1e-3;
/// The number of force evaluations in a step.
const FINER: usize = 4;
/// The number of queried steps before a restart.
const RUN: usize = 300;
/// This number of contacts without a free step between them counts as rest.
const RESTING: usize = 10;
/// A joint that turns by more than this within a step makes the step unrealistic.
const WILD: f64 = 1.5;

/// A running simulation, with a number of active joints.
pub struct Simulation<'a> {
    stage: &'a Stage,
    active: usize,
    pub state: State,
    /// Joints that may move in the next step, of each robot, as declared to the session.
    pub declared: Vec<(RobotId, Vec<usize>)>,
    /// Set at a restart; the reader clears it.
    pub placed: bool,
    /// Steps since the restart, and contacts since the last free step.
    asked: usize,
    stuck: usize,
    random: Random,
}

impl<'a> Simulation<'a> {
    /// Starts at rest at a random free state, with a session at the same state.
    pub fn new(stage: &'a Stage, active: usize, seed: u64) -> Outcome<(Self, Session<'a>)> {
        let still = State { q: stage.start.clone(), speed: vec![0.0; stage.start.len()] };
        let mut session = Session::new(&stage.checker, &stage.each(&still.q))?;
        let (declared, random) = (Vec::new(), Random::new(seed));
        let mut world = Simulation { stage, active, state: still, declared, placed: true, asked: 0, stuck: 0, random };
        world.start_over(&mut session)?;
        Ok((world, session))
    }

    /// Restarts at rest at another state.
    fn start_over(&mut self, session: &mut Session<'_>) -> Outcome<()> {
        (self.asked, self.stuck, self.placed) = (0, 0, true);
        self.state.speed.fill(0.0);
        for _ in 0..100 {
            self.state.q = self.stage.somewhere(&mut self.random);
            let here = self.stage.each(&self.state.q);
            session.place(&here)?;
            if session.step(&here)?.is_free() {
                return Ok(());
            }
        }
        Err("no free place to start from".into())
    }

    /// Returns the end of a step without collision; only joints that may move do, in the session as well.
    pub fn next(&mut self, session: &mut Session<'_>) -> Outcome<State> {
        loop {
            if self.stuck > RESTING || self.asked == RUN {
                self.start_over(session)?;
            }
            self.asked += 1;
            let (stage, mechanism) = (self.stage, &self.stage.mechanism);
            let pushes = |frames: &[impinge::Pose]| springs(stage, frames);
            let locked = mechanism.locked_but(self.active, &self.state, STEP, &pushes(&mechanism.frames(&self.state.q)));
            self.declared.clear();
            for (id, own) in &stage.robots {
                let free: Vec<usize> = own.clone().filter(|&j| !locked[j]).map(|j| j - own.start).collect();
                session.set_active(*id, &free)?;
                self.declared.push((*id, free));
            }
            rest(&mut self.state, &locked);
            let mut next = Some(self.state.clone());
            for _ in 0..FINER {
                next = next
                    .map(|now| mechanism.step(&now, &locked, STEP / FINER as f64, &pushes))
                    .filter(|next| is_calm(&next.speed));
            }
            match next {
                Some(next) => return Ok(next),
                None => self.start_over(session)?,
            }
        }
    }

    /// Takes the step if it is free; otherwise applies an impulse at the contact, and the step is tried again with other speeds.
    pub fn go_on(&mut self, next: State, verdict: &Verdict) -> Outcome<()> {
        match verdict {
            Verdict::Free => (self.state, self.stuck) = (next, 0),
            Verdict::Contact(contact) => self.bounce(&next, contact),
            Verdict::Undecided { .. } => return Err("a step is undecided".into()),
        }
        Ok(())
    }

    /// Applies an impulse that separates parts that collide on the way to `next`. The joints with the largest response become active.
    fn bounce(&mut self, next: &State, contact: &Contact) {
        let (mechanism, state) = (&self.stage.mechanism, &mut self.state);
        let body = |part| self.stage.bodies.get(&part).copied();
        let (at, normal) = (contact.point, contact.normal);
        let hit = match (body(contact.parts.0), body(contact.parts.1)) {
            (Some(body), other) => Hit { body, other, at, normal },
            (None, Some(body)) => Hit { body, other: None, at, normal: -normal },
            (None, None) => return,
        };
        self.stuck += 1;
        // The contact point, and the speeds of the queried motion.
        let q = state.q.iter().zip(&next.q).map(|(a, b)| a + (b - a) * contact.time.0).collect();
        let mut way = State { q, speed: state.q.iter().zip(&next.q).map(|(a, b)| (b - a) / STEP).collect() };
        let answer = |way: &State, locked: &[bool]| mechanism.impulse(way, locked, &hit, BOUNCE, APART);
        let add = |state: &State, gain: &[f64]| state.speed.iter().zip(gain).map(|(v, g)| v + g).collect();
        let speed = add(&way, &answer(&way, &mechanism.unlocked()));
        let locked = mechanism.calmest(self.active, &State { q: way.q.clone(), speed });
        rest(&mut way, &locked);
        rest(state, &locked);
        state.speed = add(state, &answer(&way, &locked));
    }
}

fn is_calm(speeds: &[f64]) -> bool {
    speeds.iter().all(|v| v.abs() * STEP < WILD)
}

fn rest(state: &mut State, locked: &[bool]) {
    state.speed.iter_mut().zip(locked).filter(|(_, locked)| **locked).for_each(|(v, _)| *v = 0.0);
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
    use super::super::scenes;
    use super::*;

    /// During the fall no joint moves; a collision bends the joints, never more at a time than may move.
    #[test]
    fn a_fall_bends_the_man() {
        let stage = scenes::falling().expect("a scene");
        for active in [3, stage.start.len()] {
            let (mut world, mut session) = Simulation::new(&stage, active, 1).expect("a free start");
            let (mut hit, mut bent) = (false, 0);
            for _ in 0..80 {
                let next = world.next(&mut session).expect("a step");
                let verdict = session.step(&stage.each(&next.q)).expect("an answer");
                let moved: Vec<bool> = world.state.q.iter().zip(&next.q).map(|(a, b)| (a - b).abs() > 1e-3).collect();
                assert!(moved.iter().filter(|m| **m).count() <= active);
                // The first six joints are those of the base.
                let limbs = moved.iter().skip(6).filter(|m| **m).count();
                assert!(hit || limbs == 0, "{limbs} joints move in free fall");
                bent = bent.max(limbs);
                hit |= !verdict.is_free();
                world.go_on(next, &verdict).expect("decided");
            }
            assert!(hit && 3 * bent >= active, "{bent} of {active} joints bent");
        }
    }
}
