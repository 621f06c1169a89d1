//! A scene and what moves in it, ready to be asked about.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use impinge::query::Report;
use impinge::scene::{BodyId, PartId, RobotId};
use impinge::{Checker, Motion, Pose, RigidMotion, Scene, Verdict};
use impinge_io::{JointMove, JointValues, MotionKind, Place, RigidMove};

use crate::answer::{Answer, ClearanceLine, LinkPose, StageLine, Touching};
use crate::args::AskArgs;
use crate::certificate::Certificates;
use crate::interrupt::Interrupt;
use crate::job::{self, Job};
use crate::mover_args::{EndArg, pose_of};
use crate::movers::RobotMover;
use crate::values::configuration;

/// How a question is put.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Any contact will do; otherwise the first.
    pub any: bool,
    /// Tell everything that touches at the first contact.
    all: bool,
    /// Tell where links are then.
    poses: bool,
    /// Tell what each stage did.
    report: bool,
    /// Tell how near things come, to within this.
    clearance: Option<f64>,
}

impl Goal {
    pub const FIRST: Goal = Goal { any: false, all: false, poses: false, report: false, clearance: None };

    pub fn of(ask: &AskArgs) -> Self {
        Goal { any: ask.any, all: ask.all, poses: ask.poses, report: ask.report, clearance: ask.clearance }
    }

    /// Asks; the verdict, and the answer in the user's terms with the microseconds it took. `name` names parts.
    pub fn ask<'a>(
        self,
        id: &str,
        checker: &Checker,
        motion: &Motion,
        margin: f64,
        name: impl Fn(PartId) -> &'a str,
    ) -> Result<(Verdict, Answer)> {
        let started = Instant::now();
        let clock = || started.elapsed().as_secs_f64();
        let (verdict, report) = match (self.any, self.report) {
            (true, false) => (checker.check(motion)?, None),
            (false, false) => (checker.first_contact(motion)?, None),
            (true, true) => some(checker.check_reported(motion, &clock)?),
            (false, true) => some(checker.first_contact_reported(motion, &clock)?),
        };
        let clearance = self.clearance.map(|width| checker.clearance(motion, width)).transpose()?;
        let nanos = started.elapsed().as_nanos() as f64;
        let mut answer = Answer::of(id, &verdict, margin, &name);
        answer.stages = report.as_ref().map(StageLine::all);
        if let Some(found) = &clearance {
            let line = ClearanceLine::of(found, &name);
            answer.clearance_at_least = line.at_least;
            answer.clearance = Some(line);
        }
        answer.micros = Some((nanos / 100.0).round() / 10.0);
        answer.warn_limits(motion);
        answer.tell_loops(&checker.scene().loop_openings(motion)?);
        if let Some(contact) = verdict.contact() {
            if self.all {
                answer.contacts = Some(checker.all_at(motion, contact.time)?.iter().map(|w| Touching::of(w, &name)).collect());
            }
            if self.poses {
                let links = checker.scene().poses(motion, contact.time.1)?;
                answer.links = Some(links.map(|(name, pose)| LinkPose::of(name, &pose)).collect());
            }
        }
        Ok((verdict, answer))
    }
}

/// The name of a part of an answer about this scene: such a part is never foreign.
pub fn part_name(scene: &Scene, part: PartId) -> &str {
    scene.part_name(part).unwrap_or_default()
}

fn some((verdict, report): (Verdict, Report)) -> (Verdict, Option<Report>) {
    (verdict, Some(report))
}

/// Where values on the command line come from, in messages.
const ENDS: &str = "--from, --to";
/// Where things rest, in questions about one instant.
const REST: &str = "--at";

/// How a robot moves: from values to values.
pub type Line<'q> = (&'q [f64], &'q [f64]);

/// Asks about motions of one scene.
pub struct Asker<'a> {
    checker: Arc<Checker>,
    certificates: Option<Certificates<Arc<Checker>>>,
    job: &'a Job,
    robots: Vec<RobotId>,
    bodies: Vec<BodyId>,
    /// Where each of them is when a motion does not say.
    rests: Vec<Option<Vec<f64>>>,
    body_rests: Vec<Option<Pose>>,
    goal: Goal,
    margin: f64,
}

impl<'a> Asker<'a> {
    /// Builds what questions need; `from` says where things rest.
    ///
    /// # Errors
    /// If an option is out of range, or values do not fit what they are for.
    pub fn new(scene: Scene, job: &'a Job, from: &[EndArg], ask: &AskArgs) -> Result<Self> {
        let lost = || anyhow!("what moves is not in the scene");
        let robots = job.robots.iter().map(|r| scene.robot(&r.name).ok_or_else(lost)).collect::<Result<Vec<_>>>()?;
        let bodies = job.bodies.iter().map(|b| scene.body(&b.name).ok_or_else(lost)).collect::<Result<Vec<_>>>()?;
        let checker = Checker::new(scene, job::options(ask))?;
        let checker = Arc::new(checker.cancelled_by(Interrupt::watched().cancel()));
        let certificates = ask.certificate.as_ref().map(|_| Certificates::new(checker.clone())).transpose()?;
        // A robot without joints has nothing to say; a skeleton is where it is recorded first.
        let known = |r: &RobotMover| match &r.recorded {
            Some(track) => track.rows.first().cloned(),
            None => (r.model.values() == 0).then(Vec::new),
        };
        let mut asker = Asker {
            checker,
            certificates,
            job,
            robots,
            bodies,
            rests: job.robots.iter().map(known).collect(),
            body_rests: vec![None; job.bodies.len()],
            goal: Goal::of(ask),
            margin: ask.margin.unwrap_or(0.0),
        };
        let Ends { robots, bodies } = asker.ends(from)?;
        for (rest, given) in asker.rests.iter_mut().zip(robots) {
            *rest = given.or(rest.take());
        }
        asker.body_rests = bodies;
        Ok(asker)
    }

    /// `--from … --to …`: whatever has no end rests.
    ///
    /// # Errors
    /// If values do not fit what they are for, or something has an end and no beginning.
    pub fn one(&self, to: &[EndArg]) -> Result<Answer> {
        self.ask("0", &self.line(to)?)
    }

    /// The motion of [`Asker::one`].
    ///
    /// # Errors
    /// See there.
    pub fn line(&self, to: &[EndArg]) -> Result<Motion> {
        let Ends { robots, bodies } = self.ends(to)?;
        let at = Place::file(ENDS);
        let lines = self.rests.iter().zip(&robots).map(|(q0, q1)| q0.as_deref().zip(q1.as_deref())).collect::<Vec<_>>();
        let rigid = |(from, to): (&Option<Pose>, &Option<Pose>)| {
            from.as_ref().zip(to.as_ref()).map(|(from, to)| RigidMotion::between_poses(from, to)).transpose()
        };
        let rigid = self.body_rests.iter().zip(&bodies).map(rigid).collect::<Result<Vec<_>, _>>()?;
        let ended = |name: &str| anyhow!("{name} has --to but no --from");
        if let Some(i) = (0..lines.len()).find(|&i| robots[i].is_some() && lines[i].is_none()) {
            return Err(ended(&self.job.robots[i].name));
        }
        if let Some(i) = (0..rigid.len()).find(|&i| bodies[i].is_some() && rigid[i].is_none()) {
            return Err(ended(&self.job.bodies[i].name));
        }
        self.build(&lines, &rigid, &at)
    }

    /// Everything rests where it was said to.
    ///
    /// # Errors
    /// If nothing says where something is.
    pub fn resting(&self) -> Result<Motion> {
        self.build(&[], &[], &Place::file(REST))
    }

    /// What answers.
    pub fn checker(&self) -> &Checker {
        &self.checker
    }

    /// What arguments say about each robot and body; joints that are not named stay where they rest.
    fn ends(&self, args: &[EndArg]) -> Result<Ends> {
        let mut ends = Ends { robots: vec![None; self.robots.len()], bodies: vec![None; self.bodies.len()] };
        let twice = |name: &str| anyhow!("{ENDS}: '{name}' is given twice");
        for EndArg { name, values } in args {
            match self.find(name.as_deref(), ENDS)? {
                Found::Robot(i) => {
                    let mover = &self.job.robots[i];
                    let rest = self.rests[i].as_deref().filter(|_| mover.recorded.is_none());
                    let q = configuration(&mover.model, values, rest, &Place::file(ENDS))?;
                    if ends.robots[i].replace(q).is_some() {
                        return Err(twice(&mover.name));
                    }
                }
                Found::Body(i) => {
                    let JointValues::Array(numbers) = values else { bail!("{ENDS}: a body takes X,Y,Z or X,Y,Z,R,P,Y") };
                    let pose = pose_of(numbers).map_err(|e| anyhow!("{ENDS}: {e}"))?;
                    if ends.bodies[i].replace(pose).is_some() {
                        return Err(twice(&self.job.bodies[i].name));
                    }
                }
            }
        }
        Ok(ends)
    }

    /// What is meant by a name, or by none where only one thing moves.
    fn find(&self, name: Option<&str>, at: &str) -> Result<Found> {
        let Job { robots, bodies, .. } = self.job;
        match (name, &robots[..], &bodies[..]) {
            (Some(name), ..) => robots
                .iter()
                .position(|r| r.name == name)
                .map(Found::Robot)
                .or_else(|| bodies.iter().position(|b| b.name == name).map(Found::Body))
                .ok_or_else(|| anyhow!("{at}: nothing that moves is named '{name}'; known are: {}", self.names())),
            (None, [_], _) => Ok(Found::Robot(0)),
            (None, [], [_]) => Ok(Found::Body(0)),
            (None, ..) => bail!("{at}: say what it is for, NAME:…; things that move are: {}", self.names()),
        }
    }

    fn names(&self) -> String {
        let Job { robots, bodies, .. } = self.job;
        let names: Vec<&str> = robots.iter().map(|r| r.name.as_str()).chain(bodies.iter().map(|b| b.name.as_str())).collect();
        names.join(", ")
    }

    /// A motion of a file; whatever is wrong with it becomes its answer.
    pub fn motion(&self, motion: &impinge_io::Motion, at: &Place) -> Answer {
        match self.moves(motion, at).and_then(|moves| self.ask(&motion.id, &moves)) {
            Ok(answer) => answer,
            Err(error) => Answer::error(&motion.id, error.to_string()),
        }
    }

    /// A motion of a file as the scene takes it.
    ///
    /// # Errors
    /// If it does not fit what moves.
    pub fn moves(&self, motion: &impinge_io::Motion, at: &Place) -> Result<Motion> {
        match &motion.kind {
            MotionKind::Joints { q0, q1 } => self.joints(q0, q1, at),
            MotionKind::Rigid(moves) => self.rigid(moves, at),
            MotionKind::Several { robots, bodies } => self.by_name(robots, bodies, at),
        }
    }

    /// The only robot, from one configuration to another.
    fn joints(&self, q0: &JointValues, q1: &JointValues, at: &Place) -> Result<Motion> {
        let [mover] = &self.job.robots[..] else {
            let why = if self.job.robots.is_empty() { "joint values are for robots" } else { "several robots move; name them" };
            bail!("{at}: {why}");
        };
        let q0 = configuration(&mover.model, q0, None, at)?;
        let q1 = configuration(&mover.model, q1, Some(&q0), at)?;
        self.build(&[Some((&q0, &q1))], &[], at)
    }

    /// The only body, along a rigid motion.
    fn rigid(&self, moves: &RigidMove, at: &Place) -> Result<Motion> {
        if self.bodies.len() != 1 {
            let why = if self.bodies.is_empty() { "a robot takes q0 and q1" } else { "several bodies move; name them" };
            bail!("{at}: a rigid motion, but {why}");
        }
        let rigid = moves.to_motion().map_err(|e| anyhow!("{at}: {e}"))?;
        self.build(&[], &[Some(rigid)], at)
    }

    fn by_name(&self, robots: &[(String, JointMove)], bodies: &[(String, RigidMove)], at: &Place) -> Result<Motion> {
        let place = at.to_string();
        let mut lines: Vec<Option<(Vec<f64>, Vec<f64>)>> = vec![None; self.robots.len()];
        for (name, JointMove { q0, q1 }) in robots {
            let Found::Robot(i) = self.find(Some(name), &place)? else { bail!("{at}: '{name}' is a body, not a robot") };
            let model = &self.job.robots[i].model;
            let q0 = configuration(model, q0, None, at)?;
            let q1 = q1.as_ref().map_or_else(|| Ok(q0.clone()), |q1| configuration(model, q1, Some(&q0), at))?;
            lines[i] = Some((q0, q1));
        }
        let mut rigid = vec![None; self.bodies.len()];
        for (name, moves) in bodies {
            let Found::Body(i) = self.find(Some(name), &place)? else { bail!("{at}: '{name}' is a robot, not a body") };
            rigid[i] = Some(moves.to_motion().map_err(|e| anyhow!("{at}: body '{name}': {e}"))?);
        }
        let lines: Vec<_> = lines.iter().map(|line| line.as_ref().map(|(q0, q1)| (&q0[..], &q1[..]))).collect();
        self.build(&lines, &rigid, at)
    }

    /// Everything at once: who is given no motion rests.
    ///
    /// # Errors
    /// If nothing says where something is, or a value is out of range; the message names the place.
    pub fn several(&self, id: &str, lines: &[Option<Line<'_>>], rigid: &[Option<RigidMotion>], at: &Place) -> Result<Answer> {
        self.ask(id, &self.build(lines, rigid, at)?)
    }

    fn build(&self, lines: &[Option<Line<'_>>], rigid: &[Option<RigidMotion>], at: &Place) -> Result<Motion> {
        let lost = |name: &str| match at.to_string().as_str() {
            REST => anyhow!("nothing says where '{name}' is; add {REST} {name}:…"),
            _ => anyhow!("{at}: nothing says where '{name}' is; give it a motion, or --from {name}:…"),
        };
        let mut motion = self.checker.scene().motion();
        for (i, mover) in self.job.robots.iter().enumerate() {
            let rest = self.rests[i].as_deref().map(|q| (q, q));
            let (q0, q1) = lines.get(i).copied().flatten().or(rest).ok_or_else(|| lost(&mover.name))?;
            motion = motion.joint_line(self.robots[i], q0, q1);
        }
        for (i, mover) in self.job.bodies.iter().enumerate() {
            let rest = self.body_rests[i].map(RigidMotion::resting);
            let moves = rigid.get(i).copied().flatten().or(rest).ok_or_else(|| lost(&mover.name))?;
            motion = motion.rigid(self.bodies[i], moves);
        }
        motion.build().map_err(|e| anyhow!("{at}: {e}"))
    }

    fn ask(&self, id: &str, motion: &Motion) -> Result<Answer> {
        let name = |part| part_name(self.checker.scene(), part);
        let (verdict, mut answer) = self.goal.ask(id, &self.checker, motion, self.margin, name)?;
        answer.certificate = self.certificates.as_ref().filter(|_| verdict.is_free()).map(|c| c.of(id, motion));
        Ok(answer)
    }
}

/// What a name stands for.
enum Found {
    Robot(usize),
    Body(usize),
}

/// What arguments say about each robot and each body.
struct Ends {
    robots: Vec<Option<Vec<f64>>>,
    bodies: Vec<Option<Pose>>,
}
