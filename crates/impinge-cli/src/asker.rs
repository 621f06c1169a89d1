//! A scene with one thing that moves, ready to be asked about.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, anyhow};
use impinge::query::Report;
use impinge::robot::Robot;
use impinge::scene::{BodyId, PartId, RobotId};
use impinge::{Checker, Motion, Scene, Verdict};
use impinge_io::{JointValues, MotionKind, Place};

use crate::answer::{Answer, LinkPose, StageLine, Touching};
use crate::args::AskArgs;
use crate::certificate::Certificates;
use crate::job::{self, Job, Mover};
use crate::values::{configuration, rigid_motion};

/// How a question is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// Any contact will do; otherwise the first.
    pub any: bool,
    /// Tell everything that touches at the first contact.
    all: bool,
    /// Tell where links are then.
    poses: bool,
    /// Tell what each stage did.
    report: bool,
}

impl Goal {
    pub const FIRST: Goal = Goal { any: false, all: false, poses: false, report: false };

    pub fn of(ask: &AskArgs) -> Self {
        Goal { any: ask.any, all: ask.all, poses: ask.poses, report: ask.report }
    }

    /// Asks; the verdict, and the answer in the user's terms with the microseconds it took. `name` names parts.
    pub fn ask<'a>(
        self,
        id: &str,
        checker: &Checker,
        motion: &Motion,
        margin: f64,
        name: impl Fn(PartId) -> &'a str,
    ) -> (Verdict, Answer) {
        let started = Instant::now();
        let clock = || started.elapsed().as_secs_f64();
        let (verdict, report) = match (self.any, self.report) {
            (true, false) => (checker.check(motion), None),
            (false, false) => (checker.first_contact(motion), None),
            (true, true) => some(checker.check_reported(motion, &clock)),
            (false, true) => some(checker.first_contact_reported(motion, &clock)),
        };
        let nanos = started.elapsed().as_nanos() as f64;
        let mut answer = Answer::of(id, &verdict, margin, &name);
        answer.stages = report.as_ref().map(StageLine::all);
        answer.micros = Some((nanos / 100.0).round() / 10.0);
        answer.warn_limits(motion);
        if let Some(contact) = verdict.contact() {
            let all = || checker.all_at(motion, contact).iter().map(|w| Touching::of(w, &name)).collect();
            let links = || checker.scene().poses(motion, contact.time.1).map(|(name, pose)| LinkPose::of(name, &pose)).collect();
            answer.contacts = self.all.then(all);
            answer.links = self.poses.then(links);
        }
        (verdict, answer)
    }
}

fn some((verdict, report): (Verdict, Report)) -> (Verdict, Option<Report>) {
    (verdict, Some(report))
}

/// What moves.
enum Subject<'a> {
    Robot(RobotId, &'a Robot),
    Body(BodyId),
}

/// Asks about motions of one scene.
pub struct Asker<'a> {
    checker: Arc<Checker>,
    certificates: Option<Certificates<Arc<Checker>>>,
    subject: Subject<'a>,
    goal: Goal,
    margin: f64,
}

impl<'a> Asker<'a> {
    /// Builds what questions need.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(scene: Scene, job: &'a Job, ask: &AskArgs) -> Result<Self> {
        let subject = match &job.mover {
            Mover::Robot { name, model, .. } => scene.robot(name).map(|id| Subject::Robot(id, model)),
            Mover::Body { name, .. } => scene.body(name).map(Subject::Body),
        };
        let subject = subject.ok_or_else(|| anyhow!("what moves is not in the scene"))?;
        let checker = Arc::new(Checker::new(scene, job::options(ask))?);
        let certificates = ask.certificate.as_ref().map(|_| Certificates::new(checker.clone())).transpose()?;
        Ok(Asker { checker, certificates, subject, goal: Goal::of(ask), margin: ask.margin.unwrap_or(0.0) })
    }

    /// The robot, if one moves.
    ///
    /// # Errors
    /// If a rigid body does.
    pub fn robot(&self) -> Result<&'a Robot> {
        match self.subject {
            Subject::Robot(_, robot) => Ok(robot),
            Subject::Body(_) => Err(anyhow!("joint values are for robots, but --moving is a rigid body")),
        }
    }

    /// A motion of a file; whatever is wrong with it becomes its answer.
    pub fn motion(&self, motion: &impinge_io::Motion, at: &Place) -> Answer {
        let answer = match &motion.kind {
            MotionKind::Joints { q0, q1 } => self.joints(&motion.id, q0, q1, at),
            MotionKind::Rigid(moves) => match self.subject {
                Subject::Body(body) => rigid_motion(moves)
                    .and_then(|rigid| self.checker.scene().motion().rigid(body, rigid).build())
                    .map(|built| self.ask(&motion.id, &built))
                    .map_err(|e| anyhow!("{at}: {e}")),
                Subject::Robot(..) => Err(anyhow!("{at}: a rigid motion, but a robot takes q0 and q1")),
            },
        };
        answer.unwrap_or_else(|e| Answer::error(&motion.id, e.to_string()))
    }

    /// From one configuration to another, as files or arguments give them.
    ///
    /// # Errors
    /// If the values do not fit the robot; the message names the place.
    pub fn joints(&self, id: &str, from: &JointValues, to: &JointValues, at: &Place) -> Result<Answer> {
        let robot = self.robot().map_err(|e| anyhow!("{at}: {e}"))?;
        let q0 = configuration(robot, from, None, at)?;
        let q1 = configuration(robot, to, Some(&q0), at)?;
        self.line(id, &q0, &q1).map_err(|e| anyhow!("{at}: {e}"))
    }

    /// From one configuration to another.
    ///
    /// # Errors
    /// If a value is out of range.
    pub fn line(&self, id: &str, q0: &[f64], q1: &[f64]) -> Result<Answer> {
        let Subject::Robot(robot, _) = self.subject else { return Err(anyhow!("there is no robot")) };
        Ok(self.ask(id, &self.checker.scene().motion().joint_line(robot, q0, q1).build()?))
    }

    fn ask(&self, id: &str, motion: &Motion) -> Answer {
        let name = |part| self.checker.scene().part_name(part);
        let (verdict, mut answer) = self.goal.ask(id, &self.checker, motion, self.margin, name);
        answer.certificate = self.certificates.as_ref().filter(|_| verdict.is_free()).map(|c| c.of(id, motion));
        answer
    }
}
