//! Many steps of one mechanism of which few joints move at a time. [Kim, Redon, Kim 2008, section 3]
//!
//! ```text
//! active joints ─► groups   bodies joined by resting joints are one: one frame each, everything in it at a fixed place
//!                    │      a pair within a group was proven free once and stays so
//!                    ▼
//! step ─► a chain of as many frames as there are active joints ─► the same search, over pairs of different groups
//! ```
//! Sound: a step begins where the last one ended. Two bodies of one group keep their relative pose, so what was proven of it stays true;
//! and a chain in which resting joints are merged describes the same motion, its rounding accounted for as that of fixed joints is.

use std::sync::Arc;

use super::checker::Checker;
use crate::Error;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::pose::Placement;
use crate::math::{Interval, Pose, Vec3};
use crate::motion::assembly::{AssemblyTree, Carry, Kinematics, Transform};
use crate::motion::interval_chain::IntervalMotion;
use crate::motion::{Carried, Chain, InBetween, Relative, Socket, Span, Tube};
use crate::scene::{Configuration, Motion, Mover, PartId, RobotId, Scene};
use crate::search::broad_phase::{Carriers, interval_box};
use crate::search::options::Bound;
use crate::search::pairs::{Task, common_ancestor};
use crate::search::sweep::{SCRATCH, Search};
use crate::search::verdict::Verdict;
use crate::search::{Answer, Goal};
use crate::swept::capsule::SweptCapsule;

/// Robots of one scene on their way, step by step.
#[derive(Debug)]
pub struct Session<'a> {
    checker: &'a Checker,
    /// Where every robot is.
    at: Vec<Vec<f64>>,
    /// For every robot, which of its joints may move.
    active: Vec<Vec<bool>>,
    /// Made when first needed after joints were activated.
    groups: Option<Groups>,
    /// Whether everything is proven free where it stands.
    proven: bool,
    /// How every frame stands on its parent, but for those that moved since that was needed; frames on the world relative to [`origin`].
    standing: Vec<Placement>,
    kinematics: Kinematics<Pose>,
    moved: Vec<bool>,
    /// The same over a whole step, by either bound.
    bounds: (Swept<Carry>, Swept<IntervalMotion>),
}

/// Bounds on an assembly tree over a step, kept from step to step: only active joints are bounded anew.
#[derive(Debug)]
struct Swept<T>(Option<Kinematics<T>>);

impl<T: Transform> Swept<T> {
    fn over(
        &mut self,
        tree: &Arc<AssemblyTree>,
        joints: &[(InBetween, bool)],
        bound: impl Fn(&InBetween) -> T,
    ) -> &mut Kinematics<T> {
        if let Some(kept) = &mut self.0 {
            joints.iter().enumerate().filter(|(_, (_, active))| *active).for_each(|(i, (joint, _))| kept.set(i, bound(joint)));
            kept.update();
        }
        self.0.get_or_insert_with(|| Kinematics::new(tree.clone(), joints.iter().map(|(joint, _)| bound(joint)).collect()))
    }
}

/// Bodies that are rigid to each other, as one frame each: 0 the world, 1 what stands in it, then one for every active joint.
#[derive(Debug)]
struct Groups {
    parents: Arc<[u32]>,
    joints: Vec<ActiveJoint>,
    /// Every frame of the scene.
    frames: Vec<Placed>,
    /// Moving pieces and trees at rest, once they are asked for.
    moving: Vec<Option<Placed>>,
    resting: Vec<Option<Placed>>,
    /// Links, where boxes around them are wanted.
    links: Option<Carriers>,
}

/// The frame that carries a thing here, and its place in that.
type Placed = (usize, Placement);

#[derive(Debug)]
struct ActiveJoint {
    robot: usize,
    joint: usize,
    /// In the group that carries it.
    socket: Socket,
}

const STANDING: usize = 1;

impl<'a> Session<'a> {
    /// Robots that begin at these configurations, all joints active. Nothing is proven yet: the first step looks at everything.
    ///
    /// # Errors
    /// A robot without or with a wrong configuration; a scene with free or deforming bodies (a free body can be a robot with a floating
    /// joint).
    pub fn new(checker: &'a Checker, at: &[(RobotId, &Configuration)]) -> Result<Self, Error> {
        let scene = checker.scene();
        if !scene.bodies.is_empty() || !scene.deformables.is_empty() {
            return Err(Error::invalid("session", "the scene has free or deforming bodies; sessions are for robots"));
        }
        let mut given: Vec<Option<Vec<f64>>> = vec![None; scene.robots.len()];
        for (robot, q) in at {
            given[robot.of(scene)?] = Some(q.to_vec());
        }
        let missing = |i: usize| Error::invalid(format!("robot '{}'", scene.robots[i].name), "it was given no configuration");
        let at: Vec<Vec<f64>> =
            given.into_iter().enumerate().map(|(i, q)| q.ok_or_else(|| missing(i))).collect::<Result<_, _>>()?;
        motion(checker, &at, &at)?;
        let standing: Vec<Placement> =
            (0..scene.movers.len()).map(|frame| placement_at(scene, frame, &at)).collect::<Result<_, _>>()?;
        let tree = Arc::new(AssemblyTree::new(&scene.parents));
        let kinematics = Kinematics::new(tree, standing.iter().map(|place| place.pose).collect());
        let active = scene.robots.iter().map(|r| vec![true; r.robot.joints().len()]).collect();
        let (bounds, moved) = ((Swept(None), Swept(None)), vec![false; standing.len()]);
        Ok(Session { checker, at, active, groups: None, proven: false, standing, kinematics, moved, bounds })
    }

    /// Where a robot is.
    ///
    /// # Errors
    /// If the id belongs to another scene.
    pub fn configuration(&self, robot: RobotId) -> Result<&Configuration, Error> {
        Ok(&self.at[robot.of(self.checker.scene())?])
    }

    /// Says which joints of a robot may move from now on, by their positions in [`crate::Robot::joints`]; joints that follow others do as
    /// those do.
    ///
    /// # Errors
    /// If there is no such joint, or the id belongs to another scene.
    pub fn set_active(&mut self, robot: RobotId, joints: &[usize]) -> Result<(), Error> {
        let robot = robot.of(self.checker.scene())?;
        let placed = &self.checker.scene().robots[robot];
        let all = placed.robot.joints();
        if let Some(j) = joints.iter().find(|j| **j >= all.len()) {
            return Err(Error::invalid(
                format!("robot '{}'", placed.name),
                format!("there is no joint {j}; it has {}", all.len()),
            ));
        }
        let mut active = vec![false; all.len()];
        joints.iter().for_each(|&j| active[j] = true);
        for (j, joint) in all.iter().enumerate() {
            if let Some(mimic) = joint.mimic {
                active[j] = active[mimic.joint];
            }
        }
        if active != self.active[robot] {
            self.active[robot] = active;
            self.groups = None;
            self.bounds = (Swept(None), Swept(None));
        }
        Ok(())
    }

    /// Whether a joint may move.
    ///
    /// # Errors
    /// If the id belongs to another scene.
    pub fn is_active(&self, robot: RobotId, joint: usize) -> Result<bool, Error> {
        Ok(self.active[robot.of(self.checker.scene())?].get(joint).copied().unwrap_or(false))
    }

    /// The straight line in joint space to these configurations; robots that are not named stay. When it is free, that is where the
    /// session is then; otherwise it stays where it was.
    ///
    /// # Errors
    /// A joint that is not active would move; values of a wrong number, not finite or out of range.
    pub fn step(&mut self, to: &[(RobotId, &Configuration)]) -> Result<Verdict, Error> {
        let next = self.next(to)?;
        let verdict = if self.proven {
            self.search(&next)?
        } else {
            self.checker.first_contact(&motion(self.checker, &self.at, &next)?)?
        };
        if verdict.is_free() {
            self.arrive(next);
            self.proven = true;
        }
        Ok(verdict)
    }

    /// Puts the robots elsewhere, without a motion: nothing is proven of the new place.
    ///
    /// # Errors
    /// Values of a wrong number, not finite or out of range.
    pub fn place(&mut self, at: &[(RobotId, &Configuration)]) -> Result<(), Error> {
        let mut next = self.at.clone();
        for (robot, q) in at {
            next[robot.of(self.checker.scene())?] = q.to_vec();
        }
        // Everything that can fail comes before anything changes: a refused place leaves the session as it was.
        let placed = Session::new(self.checker, &named(self.checker.scene(), &next))?;
        *self = Session { active: std::mem::take(&mut self.active), ..placed };
        Ok(())
    }

    /// Where a part is in the world (rounded), found in a time that goes with the logarithm of the number of links.
    ///
    /// # Errors
    /// If the id belongs to another scene.
    pub fn pose(&mut self, part: PartId) -> Result<Pose, Error> {
        let part = &self.checker.scene().parts[part.of(self.checker.scene())?];
        self.settle();
        let mut pose = *self.kinematics.locate(part.frame) * part.placement.pose;
        if part.frame != 0 {
            pose.translation += origin(self.checker.scene());
        }
        Ok(pose)
    }

    /// A box around all that a part sweeps during the straight line to these configurations: what active joints move is bounded anew, the
    /// rest is known.
    ///
    /// # Errors
    /// As for [`Session::step`]; a part that does not move, or is checked against nothing.
    pub fn swept_box(&mut self, to: &[(RobotId, &Configuration)], part: PartId, bound: Bound) -> Result<Aabb, Error> {
        let next = self.next(to)?;
        let scene = self.checker.scene();
        let part = part.of(scene)?;
        let (name, frame) = (&scene.parts[part].name, scene.parts[part].frame);
        let unchecked = || Error::invalid(format!("part '{name}'"), "it does not move, or is checked against nothing");
        let capsule = *self.checker.index().culling().capsule_of(part).ok_or_else(unchecked)?;
        let joints = self.joints(&next)?;
        let (tree, span) = (self.kinematics.tree(), Span::new(0.0, 1.0));
        match bound {
            Bound::Tube => {
                let carry = self.bounds.0.over(tree, &joints, |j| Carry::of_joint(j, span)).locate(frame);
                let here = Placement::new(Pose::IDENTITY);
                let tube = Tube::in_world(&carry.state, &carry.errors, &here, Vec3::ZERO, span);
                Ok(SweptCapsule::new(&tube, &capsule).enclose())
            }
            Bound::Interval => {
                let of_joint = |j: &InBetween| IntervalMotion::of_joint(j, Interval::new(span.from, span.to));
                Ok(interval_box(self.bounds.1.over(tree, &joints, of_joint).locate(frame), &capsule))
            }
        }
    }

    /// How every frame moves on its parent, on the way to `next`, and whether its joint is active.
    fn joints(&self, next: &[Vec<f64>]) -> Result<Vec<(InBetween, bool)>, Error> {
        let scene = self.checker.scene();
        let of = |mover: &Mover| match mover {
            Mover::Joint { robot, joint, socket } => {
                let ends = (self.at[*robot].as_slice(), next[*robot].as_slice());
                let moved = scene.joint_motion(*robot, *joint, socket, Vec3::ZERO, ends, 0.0)?;
                Ok((moved, self.active[*robot][*joint]))
            }
            Mover::World | Mover::Body { .. } => Ok((InBetween::resting(Pose::IDENTITY), false)),
        };
        scene.movers.iter().map(of).collect()
    }

    /// All configurations, with those given in their places.
    fn next(&self, to: &[(RobotId, &Configuration)]) -> Result<Vec<Vec<f64>>, Error> {
        let mut next = self.at.clone();
        for (robot, q) in to {
            let robot = robot.of(self.checker.scene())?;
            self.check_active(robot, q)?;
            next[robot].copy_from_slice(q);
        }
        Ok(next)
    }

    fn check_active(&self, robot: usize, q: &Configuration) -> Result<(), Error> {
        let placed = &self.checker.scene().robots[robot];
        let (expected, found) = (self.at[robot].len(), q.len());
        if expected != found {
            return Err(Error::WrongJointCount { robot: placed.name.clone(), expected, found });
        }
        let moved = |j: &usize| {
            let own = |at: usize| at..at + placed.robot.joints()[*j].kind.values();
            placed.robot.value_at(*j).is_some_and(|at| self.at[robot][own(at)] != q[own(at)])
        };
        match (0..self.active[robot].len()).filter(|&j| !self.active[robot][j]).find(moved) {
            None => Ok(()),
            Some(j) => {
                let name = &placed.robot.joints()[j].name;
                Err(Error::invalid(
                    format!("joint '{}/{name}'", placed.name),
                    "it would move but is not active; activate it first",
                ))
            }
        }
    }

    /// The session is at `next` now.
    fn arrive(&mut self, next: Vec<Vec<f64>>) {
        let before = std::mem::replace(&mut self.at, next);
        for (frame, mover) in self.checker.scene().movers.iter().enumerate() {
            if let Mover::Joint { robot, joint, .. } = mover {
                self.moved[frame] |= self.active[*robot][*joint] && self.at[*robot] != before[*robot];
            }
        }
    }

    /// Finds out how frames that moved stand now.
    fn settle(&mut self) {
        let scene = self.checker.scene();
        for frame in (0..scene.movers.len()).filter(|&frame| self.moved[frame]) {
            if let Ok(placed) = placement_at(scene, frame, &self.at) {
                self.standing[frame] = placed;
                self.kinematics.set(frame, placed.pose);
            }
        }
        self.moved.fill(false);
        self.kinematics.update();
    }

    /// What only active joints move, searched.
    fn search(&mut self, next: &[Vec<f64>]) -> Result<Verdict, Error> {
        let checker = self.checker;
        if self.groups.is_none() {
            self.settle();
        }
        let groups = self.groups.get_or_insert_with(|| Groups::new(checker, &self.active, &self.standing));
        let chain = groups.chain(checker, &self.at, next)?;
        let tasks = groups.tasks(checker, &chain);
        let sides: Vec<_> = tasks.iter().map(|task| groups.sides(checker, task)).collect();
        let relative = |task: usize| {
            let (moving, resting) = (side(&sides[task].0), side(&sides[task].1));
            let ancestor = common_ancestor(&chain.parents, moving.frame, resting.frame);
            Relative::new(&chain, moving, resting, ancestor, checker.index().tasks.resting[tasks[task].resting].tree.origin)
        };
        let relatives = (0..tasks.len()).map(relative).collect();
        let collector = checker.collector(Goal::First);
        let (answer, seen) = SCRATCH.with_borrow_mut(|scratch| {
            let mut search = Search::with(checker.index(), collector, &chain, (&tasks, relatives), scratch);
            (search.run(), search.seen)
        });
        match answer {
            Answer::Contact { found, free_until } if found.lo > 0.0 => {
                let (task, relative) = (&tasks[found.items.task], relative(found.items.task));
                Ok(Verdict::Contact(Box::new(checker.index().describe(task, &relative, &found, free_until, seen.as_ref()))))
            }
            Answer::Free => Ok(Verdict::Free),
            Answer::Undecided { free_until } => Ok(Verdict::Undecided { free_until }),
            // At the start: rare, for what is proven free there may still be nearer than the tolerance.
            answer @ Answer::Contact { .. } => {
                Ok(checker.query(&motion(checker, &self.at, next)?, Goal::First).verdict(&tasks, &answer, None))
            }
        }
    }
}

impl Groups {
    fn new(checker: &Checker, active: &[Vec<bool>], standing: &[Placement]) -> Self {
        let scene = checker.scene();
        let here = Placement::new(Pose::IDENTITY);
        let mut frames: Vec<Placed> = vec![(0, here)];
        let mut parents = vec![0u32, 0];
        let mut joints = Vec::new();
        for (frame, mover) in scene.movers.iter().enumerate().skip(1) {
            let Mover::Joint { robot, joint, socket } = mover else { continue };
            let (group, place) = frames[scene.parents[frame] as usize];
            if active[*robot][*joint] {
                parents.push(group as u32);
                frames.push((parents.len() - 1, here));
                joints.push(ActiveJoint { robot: *robot, joint: *joint, socket: socket.within(&place) });
            } else {
                frames.push((group.max(STANDING), place.after(&standing[frame])));
            }
        }
        let links = checker
            .options()
            .stages
            .unwrap_or_else(|| checker.index().usual_stages())
            .boxes
            .then(|| checker.index().culling().carriers(|frame| side(&frames[frame])));
        let (moving, resting) = (vec![None; checker.index().tasks.moving.len()], vec![None; checker.index().tasks.resting.len()]);
        Groups { parents: parents.into(), joints, frames, moving, resting, links }
    }

    /// The motion of active joints, from one configuration of all robots to the next.
    fn chain(&self, checker: &Checker, at: &[Vec<f64>], next: &[Vec<f64>]) -> Result<Chain, Error> {
        let origin = origin(checker.scene());
        // What stands is placed relative to the origin already.
        let mut joints = vec![InBetween::resting(Pose::IDENTITY); 2];
        for (k, j) in self.joints.iter().enumerate() {
            let origin = if self.parents[k + 2] == 0 { origin } else { Vec3::ZERO };
            joints.push(checker.scene().joint_motion(
                j.robot,
                j.joint,
                &j.socket,
                origin,
                (&at[j.robot], &next[j.robot]),
                0.0,
            )?);
        }
        Ok(Chain::new(self.parents.clone(), joints))
    }

    /// What has to be searched during a motion.
    fn tasks(&self, checker: &Checker, chain: &Chain) -> Vec<Task> {
        let all = &checker.index().tasks.tasks;
        match &self.links {
            Some(links) => {
                let near = checker.index().tasks_by_boxes(chain, links, checker.options().margin).into_iter().map(|t| all[t]);
                near.filter(|t| self.moves(checker, t)).collect()
            }
            None => all.iter().filter(|t| self.moves(checker, t)).copied().collect(),
        }
    }

    /// Whether the two sides of a task can move against each other.
    fn moves(&self, checker: &Checker, task: &Task) -> bool {
        let group = |frame: usize| self.frames[frame].0.max(STANDING);
        group(checker.index().tasks.moving[task.moving].frame) != group(checker.index().tasks.resting[task.resting].frame)
    }

    /// The frames that carry what moves and what rests, and their places there.
    fn sides(&mut self, checker: &Checker, task: &Task) -> (Placed, Placed) {
        let (moving, resting) = (&checker.index().tasks.moving[task.moving], &checker.index().tasks.resting[task.resting]);
        let frames = &self.frames;
        let placed = |frame: usize, placement: &Placement| (frames[frame].0, frames[frame].1.after(placement));
        let a = *self.moving[task.moving].get_or_insert_with(|| placed(moving.frame, &moving.placement));
        let b = *self.resting[task.resting].get_or_insert_with(|| placed(resting.frame, &resting.placement));
        (a, b)
    }
}

fn side((frame, placement): &Placed) -> Carried<'_> {
    Carried { frame: *frame, placement }
}

/// What coordinates are relative to: far from the world's origin nothing is rounded by how far that is.
fn origin(scene: &Scene) -> Vec3 {
    scene.origin.unwrap_or(Vec3::ZERO)
}

/// How a frame stands on its parent while robots are at these configurations; on the world, relative to [`origin`].
fn placement_at(scene: &Scene, frame: usize, at: &[Vec<f64>]) -> Result<Placement, Error> {
    let Mover::Joint { robot, joint, socket } = &scene.movers[frame] else { return Ok(Placement::new(Pose::IDENTITY)) };
    let origin = if scene.parents[frame] == 0 { origin(scene) } else { Vec3::ZERO };
    let resting = scene.joint_motion(*robot, *joint, socket, origin, (&at[*robot], &at[*robot]), 0.0)?;
    let (rotation, offset) = resting.at(0.0);
    let pose = Pose { rotation: rotation.mat3(), translation: offset.vec3() };
    Ok(Placement { pose, rotation_error: resting.rotation_error, position_error: resting.offset_error })
}

fn named<'q>(scene: &Scene, at: &'q [Vec<f64>]) -> Vec<(RobotId, &'q Configuration)> {
    at.iter().enumerate().map(|(i, q)| (scene.robot_id(i), q.as_slice())).collect()
}

/// The motion of all robots, described in full.
fn motion(checker: &Checker, from: &[Vec<f64>], to: &[Vec<f64>]) -> Result<Motion, Error> {
    let start = checker.scene().motion();
    let each = from.iter().zip(to).enumerate();
    each.fold(start, |motion, (i, (from, to))| motion.joint_line(checker.scene().robot_id(i), from, to)).build()
}
