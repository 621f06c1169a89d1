//! A scene and its moving parts, ready for queries.

use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use impinge::math::rounding::U;
use impinge::scene::{BodyId, RobotId};
use impinge::{Checker, Error, Motion, Pose, RigidMotion, Robot, Scene, Verdict};
use impinge_io::suggest::known_names;
use impinge_io::{FrameMove, Id, JointValues, MotionKind, Place, RigidMove, RobotMove};

use crate::answer::Answer;
use crate::args::SearchArgs;
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

/// Relative error of a converted value: degrees are multiplied by a rounded factor, recorded angles are unwrapped first and
/// interpolated where clocks differ. Each step rounds by u or 2 u.
const CONVERTED: f64 = 16.0 * U;

/// The flags that give values on the command line, in messages.
const ENDS: &str = "--from, --to";
/// The flag that gives values for queries at one instant.
const REST: &str = "--at";

/// Runs queries about motions of one scene.
pub struct Runner<'a> {
    checker: Arc<Checker>,
    certificates: Option<Certificates<Arc<Checker>>>,
    job: &'a Job,
    robots: Vec<RobotId>,
    bodies: Vec<BodyId>,
    /// Static configuration of each robot, used where a motion gives none.
    rests: Vec<Option<Vec<f64>>>,
    body_rests: Vec<Option<Pose>>,
    goal: Goal,
    margin: f64,
    /// Whether some values of `--from` were converted from other units.
    units: bool,
    /// Notes about static configurations.
    pub notes: Vec<String>,
}

impl<'a> Runner<'a> {
    /// Prepares queries; `from` gives static configurations.
    ///
    /// # Errors
    /// If an option is out of range, or values do not fit their robot or body.
    pub fn new(scene: Scene, job: &'a Job, from: &[EndArg], search: &SearchArgs) -> Result<Self> {
        Self::resting_at(scene, job, (from, ENDS), search)
    }

    /// The same for queries at one instant, which `--at` describes.
    ///
    /// # Errors
    /// See [`Runner::new`].
    pub fn at_rest(scene: Scene, job: &'a Job, at: &[EndArg], search: &SearchArgs) -> Result<Self> {
        Self::resting_at(scene, job, (at, REST), search)
    }

    fn resting_at(scene: Scene, job: &'a Job, (from, flag): (&[EndArg], &str), search: &SearchArgs) -> Result<Self> {
        let lost = || anyhow!("a moving robot or body is not in the scene");
        let robots = job.robots.iter().map(|r| scene.robot(&r.name).ok_or_else(lost)).collect::<Result<Vec<_>>>()?;
        let bodies = job.bodies.iter().map(|b| scene.body(&b.name).ok_or_else(lost)).collect::<Result<Vec<_>>>()?;
        let checker = Checker::new(scene, job::options(search))?;
        let checker = Arc::new(checker.cancelled_by(Interrupt::watched().cancel()));
        let certificates = search.certificate.as_ref().map(|_| Certificates::new(checker.clone())).transpose()?;
        // A robot without joints needs no values; a skeleton rests in its first recorded frame.
        let known = |r: &RobotMover| match &r.recorded {
            Some(track) => track.rows.first().cloned(),
            None => r.state.clone().or_else(|| (r.model.values() == 0).then(Vec::new)),
        };
        let mut runner = Runner {
            checker,
            certificates,
            job,
            robots,
            bodies,
            rests: job.robots.iter().map(known).collect(),
            body_rests: vec![None; job.bodies.len()],
            goal: Goal::of(search),
            margin: search.margin.unwrap_or(0.0),
            units: from.iter().any(EndArg::has_units),
            notes: Vec::new(),
        };
        let Ends { robots, bodies, notes } = runner.ends(from, flag)?;
        runner.notes = notes;
        for (rest, given) in runner.rests.iter_mut().zip(robots) {
            *rest = given.or(rest.take());
        }
        runner.body_rests = bodies;
        Ok(runner)
    }

    /// Runs the motion of `--from … --to …`: a robot or body without `--to` is static.
    ///
    /// # Errors
    /// If values do not fit their robot or body, or one has an end and no start.
    pub fn one(&self, to: &[EndArg]) -> Result<Answer> {
        self.run(&0.into(), &self.line(to)?)
    }

    /// Returns the motion of [`Runner::one`].
    ///
    /// # Errors
    /// See [`Runner::one`].
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

    /// Returns the motion in which everything is static.
    ///
    /// # Errors
    /// If a robot or body has no position.
    pub fn resting(&self) -> Result<Motion> {
        self.build(&[], &[], &Place::file(REST), false)
    }

    /// Returns the models of the robots, in order.
    pub fn models(&self) -> impl Iterator<Item = &Robot> {
        self.job.robots.iter().map(|r| &*r.model)
    }

    /// Returns the checker.
    pub fn checker(&self) -> &Checker {
        &self.checker
    }

    /// Returns the values of each robot and body in arguments of this flag; joints that are not named keep their static value.
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

    /// Returns the robot or body of this name; without a name, the only one.
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
                bail!("{at}: add the name of a robot or body, NAME:…; robots and bodies are: {}", names.join(", "))
            }
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let Job { robots, bodies, .. } = self.job;
        robots.iter().map(|r| r.name.as_str()).chain(bodies.iter().map(|b| b.name.as_str()))
    }

    /// Runs a motion of a file; an error becomes its answer.
    pub fn motion(&self, motion: &impinge_io::Motion, at: &Place) -> Answer {
        match self.moves(motion, at).and_then(|moves| self.run(&motion.id, &moves)) {
            Ok(answer) => answer,
            Err(error) => Answer::error(&motion.id, error.to_string()),
        }
    }

    /// Converts a motion of a file to a motion of the scene.
    ///
    /// # Errors
    /// If it does not fit the moving robots and bodies.
    pub fn moves(&self, motion: &impinge_io::Motion, at: &Place) -> Result<Motion> {
        match &motion.kind {
            MotionKind::Joints { q0, q1 } => self.joints(q0, q1, at),
            MotionKind::Frames(frames) => self.frames(frames, at),
            MotionKind::Rigid(moves) => self.rigid(moves, at),
            MotionKind::Several { robots, bodies } => self.by_name(robots, bodies, at),
        }
    }

    /// Returns the motion of the only robot between two configurations.
    fn joints(&self, q0: &JointValues, q1: &JointValues, at: &Place) -> Result<Motion> {
        let mover = self.only_robot("joint values are", at)?;
        let q0 = configuration(&mover.model, q0, mover.state.as_deref(), at)?;
        let q1 = configuration(&mover.model, q1, Some(&q0), at)?;
        self.build(&[Some(Course::Values(&q0, &q1))], &[], at, false)
    }

    /// Returns the motion of the only robot between two sets of link frames.
    fn frames(&self, frames: &FrameMove, at: &Place) -> Result<Motion> {
        let mover = self.only_robot("frames of links are", at)?;
        let (start, end) = frames.poses(&mover.model, &mover.base(), at)?;
        self.build(&[Some(Course::Frames(&start, &end))], &[], at, false)
    }

    fn only_robot(&self, what: &str, at: &Place) -> Result<&RobotMover> {
        match &self.job.robots[..] {
            [mover] => Ok(mover),
            [] => bail!("{at}: {what} only valid for robots"),
            _ => bail!("{at}: several robots move; name them: {{\"robots\": {{\"NAME\": …}}}}"),
        }
    }

    /// Returns the rigid motion of the only body.
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

    /// Runs a motion of all robots and bodies; those without a course are static.
    ///
    /// # Errors
    /// If a robot or body has no position, or a value is out of range; the message names the place.
    pub fn several(&self, id: &Id, courses: &[Option<Course<'_>>], rigid: &[Option<RigidMotion>], at: &Place) -> Result<Answer> {
        self.run(id, &self.build(courses, rigid, at, false)?)
    }

    /// Returns a motion of all robots and bodies; those without a course are static. `units`: some values were converted from
    /// other units.
    ///
    /// # Errors
    /// See [`Runner::several`].
    pub fn build(
        &self,
        courses: &[Option<Course<'_>>],
        rigid: &[Option<RigidMotion>],
        at: &Place,
        units: bool,
    ) -> Result<Motion> {
        let lost = |name: &str| match at.to_string().as_str() {
            REST => anyhow!("'{name}' has no position; add {REST} {name}:…"),
            _ => anyhow!("{at}: '{name}' has no position; give it a motion, or --from {name}:…"),
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

    /// Runs a step of a follower: the same answer as [`Runner::several`], in less time where few joints move.
    ///
    /// # Errors
    /// See [`Runner::several`].
    pub fn followed(&self, id: &Id, courses: &[Option<Course<'_>>], follower: &mut Follower<'_>, at: &Place) -> Result<Answer> {
        let motion = self.build(courses, &[], at, false)?;
        let ends = self.ends_of(courses);
        self.run_with(id, &motion, || match ends.and_then(|ends| follower.first_contact(&ends)) {
            Some(verdict) => Ok(verdict),
            None => self.checker.first_contact(&motion),
        })
    }

    /// Returns the start and the end of every robot; `None` if joint values do not describe them.
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

    /// Returns a follower of the robots, if it can save work: the goal is the first contact, and only robots move.
    pub fn follower(&self) -> Option<Follower<'_>> {
        (self.goal.is_first() && self.bodies.is_empty()).then(|| Follower::new(&self.checker))
    }

    fn run(&self, id: &Id, motion: &Motion) -> Result<Answer> {
        self.run_with(id, motion, || self.checker.first_contact(motion))
    }

    fn run_with(&self, id: &Id, motion: &Motion, first: impl FnOnce() -> Result<Verdict, Error>) -> Result<Answer> {
        let name = |part| part_name(self.checker.scene(), part);
        let (verdict, mut answer) = self.goal.run_with(id, &self.checker, motion, self.margin, name, first)?;
        answer.certificate = self.certificates.as_ref().filter(|_| verdict.is_free()).map(|c| c.of(&id.to_string(), motion));
        answer.hint = self.hint(motion);
        Ok(answer)
    }

    /// Prints a hint, if it is the first of several motions.
    pub fn hint_once(&self, motion: &Motion, at: &Place, hinted: &mut bool) {
        let hint = self.hint(motion).filter(|_| !*hinted);
        *hinted |= hint.is_some();
        warn::hint(hint.map(|hint| format!("{at}: {hint}")));
    }

    /// Returns a hint if joint values look like degrees.
    pub fn hint(&self, motion: &Motion) -> Option<String> {
        let joint = |name: &str| {
            let own = |r: &RobotMover| name.strip_prefix(r.name.as_str())?.strip_prefix('/').and_then(|n| r.model.find_joint(n));
            self.job.robots.iter().find_map(|r| own(r).map(|j| &r.model.joints()[j]))
        };
        degrees_hint(motion.limit_breaches(), |name| joint(name).is_some_and(turns))
    }
}

/// A robot or body found by its name.
enum Found {
    Robot(usize),
    Body(usize),
}

/// Values of each robot and each body in arguments.
struct Ends {
    robots: Vec<Option<Vec<f64>>>,
    bodies: Vec<Option<Pose>>,
    notes: Vec<String>,
}
