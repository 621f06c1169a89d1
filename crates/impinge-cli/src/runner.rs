//! A scene and what moves in it, ready to be asked about.

use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use impinge::math::rounding::U;
use impinge::scene::{BodyId, RobotId};
use impinge::{Checker, Error, Motion, Pose, RigidMotion, Robot, Scene, Verdict};
use impinge_io::suggest::known_names;
use impinge_io::{FrameMove, Id, JointValues, MotionKind, Place, RigidMove, RobotMove};

use crate::answer::Answer;
use crate::args::AskArgs;
use crate::certificate::Certificates;
use crate::course::{Course, OwnedCourse};
use crate::follower::{Follower, RobotStep};
use crate::goal::{Goal, part_name};
use crate::interrupt::Interrupt;
use crate::job::{self, Job};
use crate::mover_args::{EndArg, Given, angle_hint, pose_of};
use crate::movers::RobotMover;
use crate::values::{Resolver, configuration, degrees_hint, turns};
use crate::warn;

/// Share of itself by which a value may be off that was converted: degrees are multiplied by a rounded factor, recorded angles are unwrapped
/// first and may be mixed where clocks differ. Each step rounds by u or 2 u.
const CONVERTED: f64 = 16.0 * U;

/// Where values on the command line come from, in messages.
const ENDS: &str = "--from, --to";
/// Where things rest, in questions about one instant.
const REST: &str = "--at";

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
    /// Some values of `--from` were converted from other units.
    units: bool,
    /// What is worth knowing about where things rest.
    pub notes: Vec<String>,
}

impl<'a> Asker<'a> {
    /// Builds what questions need; `from` says where things rest.
    ///
    /// # Errors
    /// If an option is out of range, or values do not fit what they are for.
    pub fn new(scene: Scene, job: &'a Job, from: &[EndArg], ask: &AskArgs) -> Result<Self> {
        Self::resting_at(scene, job, (from, ENDS), ask)
    }

    /// The same for questions about one instant, which `--at` describes.
    ///
    /// # Errors
    /// See [`Asker::new`].
    pub fn at_rest(scene: Scene, job: &'a Job, at: &[EndArg], ask: &AskArgs) -> Result<Self> {
        Self::resting_at(scene, job, (at, REST), ask)
    }

    fn resting_at(scene: Scene, job: &'a Job, (from, flag): (&[EndArg], &str), ask: &AskArgs) -> Result<Self> {
        let lost = || anyhow!("what moves is not in the scene");
        let robots = job.robots.iter().map(|r| scene.robot(&r.name).ok_or_else(lost)).collect::<Result<Vec<_>>>()?;
        let bodies = job.bodies.iter().map(|b| scene.body(&b.name).ok_or_else(lost)).collect::<Result<Vec<_>>>()?;
        let checker = Checker::new(scene, job::options(ask))?;
        let checker = Arc::new(checker.cancelled_by(Interrupt::watched().cancel()));
        let certificates = ask.certificate.as_ref().map(|_| Certificates::new(checker.clone())).transpose()?;
        // A robot without joints has nothing to say; a skeleton is where it is recorded first.
        let known = |r: &RobotMover| match &r.recorded {
            Some(track) => track.rows.first().cloned(),
            None => r.state.clone().or_else(|| (r.model.values() == 0).then(Vec::new)),
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
            units: from.iter().any(EndArg::has_units),
            notes: Vec::new(),
        };
        let Ends { robots, bodies, notes } = asker.ends(from, flag)?;
        asker.notes = notes;
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
        self.ask(&0.into(), &self.line(to)?)
    }

    /// The motion of [`Asker::one`].
    ///
    /// # Errors
    /// See there.
    pub fn line(&self, to: &[EndArg]) -> Result<Motion> {
        let Ends { robots, bodies, .. } = self.ends(to, ENDS)?;
        let at = Place::file(ENDS);
        let lines: Vec<Option<Course<'_>>> = (self.rests.iter().zip(&robots))
            .map(|(q0, q1)| q0.as_deref().zip(q1.as_deref()).map(|(q0, q1)| Course::Values(q0, q1)))
            .collect();
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
        self.build(&lines, &rigid, &at, to.iter().any(EndArg::has_units))
    }

    /// Everything rests where it was said to.
    ///
    /// # Errors
    /// If nothing says where something is.
    pub fn resting(&self) -> Result<Motion> {
        self.build(&[], &[], &Place::file(REST), false)
    }

    /// The models of the robots, in order.
    pub fn models(&self) -> impl Iterator<Item = &Robot> {
        self.job.robots.iter().map(|r| &*r.model)
    }

    /// What answers.
    pub fn checker(&self) -> &Checker {
        &self.checker
    }

    /// What arguments under this flag say about each robot and body; joints that are not named stay where they rest.
    fn ends(&self, args: &[EndArg], flag: &str) -> Result<Ends> {
        let mut ends = Ends { robots: vec![None; self.robots.len()], bodies: vec![None; self.bodies.len()], notes: Vec::new() };
        let twice = |name: &str| anyhow!("{flag}: '{name}' is given twice");
        for EndArg { name, values } in args {
            match self.find(name.as_deref(), flag)? {
                Found::Robot(i) => {
                    let mover = &self.job.robots[i];
                    let default = self.rests[i].as_deref().filter(|_| mover.recorded.is_none());
                    let (srdf, at) = (mover.srdf.as_ref(), &Place::file(flag));
                    let (q, note) = Resolver { robot: &mover.model, srdf, default, at }.resolve(values)?;
                    ends.notes.extend(note);
                    if ends.robots[i].replace(q).is_some() {
                        return Err(twice(&mover.name));
                    }
                }
                Found::Body(i) => {
                    let Given::InOrder(numbers) = values else { bail!("{flag}: a body takes X,Y,Z or X,Y,Z,R,P,Y") };
                    let pose = pose_of(numbers).map_err(|e| anyhow!("{flag}: {e}"))?;
                    warn::hint(angle_hint(&numbers[3..]).map(|hint| format!("{flag}: {hint}")));
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
                .ok_or_else(|| anyhow!("{at}: no robot or body is named '{name}'; {}", known_names(name, self.names()))),
            (None, [_], _) => Ok(Found::Robot(0)),
            (None, [], [_]) => Ok(Found::Body(0)),
            (None, ..) => {
                let names: Vec<&str> = self.names().collect();
                bail!("{at}: say what it is for, NAME:…; robots and bodies are: {}", names.join(", "))
            }
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let Job { robots, bodies, .. } = self.job;
        robots.iter().map(|r| r.name.as_str()).chain(bodies.iter().map(|b| b.name.as_str()))
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
            MotionKind::Frames(frames) => self.frames(frames, at),
            MotionKind::Rigid(moves) => self.rigid(moves, at),
            MotionKind::Several { robots, bodies } => self.by_name(robots, bodies, at),
        }
    }

    /// The only robot, from one configuration to another.
    fn joints(&self, q0: &JointValues, q1: &JointValues, at: &Place) -> Result<Motion> {
        let mover = self.only_robot("joint values are", at)?;
        let q0 = configuration(&mover.model, q0, mover.state.as_deref(), at)?;
        let q1 = configuration(&mover.model, q1, Some(&q0), at)?;
        self.build(&[Some(Course::Values(&q0, &q1))], &[], at, false)
    }

    /// The only robot, from frames of its links to others.
    fn frames(&self, frames: &FrameMove, at: &Place) -> Result<Motion> {
        let mover = self.only_robot("frames of links are", at)?;
        let (start, end) = frames.poses(&mover.model, &mover.base(), at)?;
        self.build(&[Some(Course::Frames(&start, &end))], &[], at, false)
    }

    fn only_robot(&self, what: &str, at: &Place) -> Result<&RobotMover> {
        match &self.job.robots[..] {
            [mover] => Ok(mover),
            [] => bail!("{at}: {what} for robots"),
            _ => bail!("{at}: several robots move; name them: {{\"robots\": {{\"NAME\": …}}}}"),
        }
    }

    /// The only body, along a rigid motion.
    fn rigid(&self, moves: &RigidMove, at: &Place) -> Result<Motion> {
        if self.bodies.len() != 1 {
            let why = if self.bodies.is_empty() { "a robot takes q0 and q1" } else { "several bodies move; name them" };
            bail!("{at}: a rigid motion, but {why}");
        }
        let rigid = moves.to_motion().map_err(|e| anyhow!("{at}: {e}"))?;
        self.build(&[], &[Some(rigid)], at, false)
    }

    fn by_name(&self, robots: &[(String, RobotMove)], bodies: &[(String, RigidMove)], at: &Place) -> Result<Motion> {
        let place = at.to_string();
        let mut moves: Vec<Option<OwnedCourse>> = self.robots.iter().map(|_| None).collect();
        for (name, robot) in robots {
            let Found::Robot(i) = self.find(Some(name), &place)? else { bail!("{at}: '{name}' is a body, not a robot") };
            moves[i] = Some(OwnedCourse::of(robot, &self.job.robots[i], at)?);
        }
        let mut rigid = vec![None; self.bodies.len()];
        for (name, moves) in bodies {
            let Found::Body(i) = self.find(Some(name), &place)? else { bail!("{at}: '{name}' is a robot, not a body") };
            rigid[i] = Some(moves.to_motion().map_err(|e| anyhow!("{at}: body '{name}': {e}"))?);
        }
        let courses: Vec<_> = moves.iter().map(|course| course.as_ref().map(OwnedCourse::borrowed)).collect();
        self.build(&courses, &rigid, at, false)
    }

    /// Everything at once: who is given no motion rests.
    ///
    /// # Errors
    /// If nothing says where something is, or a value is out of range; the message names the place.
    pub fn several(&self, id: &Id, courses: &[Option<Course<'_>>], rigid: &[Option<RigidMotion>], at: &Place) -> Result<Answer> {
        self.ask(id, &self.build(courses, rigid, at, false)?)
    }

    /// A motion of everything: who is given no course rests. `units`: some values were converted from other units.
    ///
    /// # Errors
    /// See [`Asker::several`].
    pub fn build(
        &self,
        courses: &[Option<Course<'_>>],
        rigid: &[Option<RigidMotion>],
        at: &Place,
        units: bool,
    ) -> Result<Motion> {
        let lost = |name: &str| match at.to_string().as_str() {
            REST => anyhow!("nothing says where '{name}' is; add {REST} {name}:…"),
            _ => anyhow!("{at}: nothing says where '{name}' is; give it a motion, or --from {name}:…"),
        };
        let mut motion = self.checker.scene().motion();
        for (i, mover) in self.job.robots.iter().enumerate() {
            let rest = self.rests[i].as_deref().map(|q| Course::Values(q, q));
            motion = match courses.get(i).copied().flatten().or(rest).ok_or_else(|| lost(&mover.name))? {
                Course::Values(q0, q1) => motion.joint_line(self.robots[i], q0, q1),
                Course::Frames(start, end) => motion.link_frames(self.robots[i], start, end),
            };
            if units || self.units || mover.recorded.is_some() {
                motion = motion.values_within(self.robots[i], CONVERTED);
            }
        }
        for (i, mover) in self.job.bodies.iter().enumerate() {
            let rest = self.body_rests[i].map(RigidMotion::resting);
            let moves = rigid.get(i).copied().flatten().or(rest).ok_or_else(|| lost(&mover.name))?;
            motion = motion.rigid(self.bodies[i], moves);
        }
        motion.build().map_err(|e| anyhow!("{at}: {e}"))
    }

    /// A step of a follower: the same answer as that of [`Asker::several`], in less time where little moves.
    ///
    /// # Errors
    /// See there.
    pub fn followed(&self, id: &Id, courses: &[Option<Course<'_>>], follower: &mut Follower<'_>, at: &Place) -> Result<Answer> {
        let motion = self.build(courses, &[], at, false)?;
        let ends = self.ends_of(courses);
        self.ask_with(id, &motion, || match ends.and_then(|ends| follower.first_contact(&ends)) {
            Some(verdict) => Ok(verdict),
            None => self.checker.first_contact(&motion),
        })
    }

    /// Where every robot begins and ends; `None` if it cannot be told by joint values.
    fn ends_of(&self, courses: &[Option<Course<'_>>]) -> Option<Vec<RobotStep>> {
        let robots = self.robots.iter().enumerate();
        robots
            .map(|(i, &robot)| match courses.get(i).copied().flatten() {
                Some(Course::Values(from, to)) => Some(RobotStep { robot, from: from.to_vec(), to: to.to_vec() }),
                Some(Course::Frames(..)) => None,
                None => self.rests[i].as_ref().map(|q| RobotStep { robot, from: q.clone(), to: q.clone() }),
            })
            .collect()
    }

    /// What follows robots from step to step, where that can spare work: the first contact is wanted, and only robots move.
    pub fn follower(&self) -> Option<Follower<'_>> {
        (self.goal.is_first() && self.bodies.is_empty()).then(|| Follower::new(&self.checker))
    }

    fn ask(&self, id: &Id, motion: &Motion) -> Result<Answer> {
        self.ask_with(id, motion, || self.checker.first_contact(motion))
    }

    fn ask_with(&self, id: &Id, motion: &Motion, first: impl FnOnce() -> Result<Verdict, Error>) -> Result<Answer> {
        let name = |part| part_name(self.checker.scene(), part);
        let (verdict, mut answer) = self.goal.ask_with(id, &self.checker, motion, self.margin, name, first)?;
        answer.certificate = self.certificates.as_ref().filter(|_| verdict.is_free()).map(|c| c.of(&id.to_string(), motion));
        answer.hint = self.hint(motion);
        Ok(answer)
    }

    /// Tells the first hint of several motions.
    pub fn hint_once(&self, motion: &Motion, at: &Place, hinted: &mut bool) {
        let hint = self.hint(motion).filter(|_| !*hinted);
        *hinted |= hint.is_some();
        warn::hint(hint.map(|hint| format!("{at}: {hint}")));
    }

    /// A hint where joint values look like degrees.
    pub fn hint(&self, motion: &Motion) -> Option<String> {
        let joint = |name: &str| {
            let own = |r: &RobotMover| name.strip_prefix(r.name.as_str())?.strip_prefix('/').and_then(|n| r.model.find_joint(n));
            self.job.robots.iter().find_map(|r| own(r).map(|j| &r.model.joints()[j]))
        };
        degrees_hint(motion.limit_breaches(), |name| joint(name).is_some_and(turns))
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
    notes: Vec<String>,
}
