//! The question's second half: how the scene moves from t = 0 to t = 1.

use std::sync::Arc;

use super::{BodyId, DeformableId, Mover, PlacedRobot, RobotId, Scene, SceneIdentity};
use crate::Error;
use crate::math::{Pose, Vec3};
use crate::motion::chain::{Chain, LinkState};
use crate::motion::in_between::{InBetween, RigidMotion};
use crate::motion::{Socket, Span, VertexLines};
use crate::robot::Robot;

/// Joint values of a robot, in the order of its moving joints.
pub type Configuration = [f64];

/// A joint that a motion takes beyond its limits.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitBreach {
    /// `robot/joint`.
    pub joint: String,
    /// The value farthest outside.
    pub value: f64,
    /// Smallest allowed.
    pub lower: f64,
    /// Largest allowed.
    pub upper: f64,
}

/// A motion of everything in a scene over t in [0, 1]; the curve is a straight line in joint space, or a screw-like rigid motion.
#[derive(Clone, Debug)]
pub struct Motion {
    pub(crate) scene: SceneIdentity,
    pub(crate) chain: Chain,
    pub(crate) origin: Vec3,
    /// One per deforming body.
    pub(crate) lines: Vec<Arc<VertexLines>>,
    /// What it was made of: from and to of every robot, one after the other, and the motion of every body.
    pub(crate) values: Vec<f64>,
    pub(crate) bodies: Vec<RigidMotion>,
    breaches: Vec<LimitBreach>,
    /// Some robot's motion was given by frames of its links: its joints' own values do not exist.
    pub(crate) by_frames: bool,
}

impl Motion {
    /// Nothing moves, and no frame stands anywhere else than the world: enough for what rests there.
    pub(crate) fn resting(scene: &Scene) -> Self {
        let joints = vec![InBetween::resting(Pose::IDENTITY); scene.movers.len()];
        Motion {
            scene: scene.identity,
            chain: Chain::new(scene.parents.clone(), joints),
            origin: scene.origin.unwrap_or(Vec3::ZERO),
            lines: Vec::new(),
            values: Vec::new(),
            bodies: Vec::new(),
            breaches: Vec::new(),
            by_frames: false,
        }
    }

    /// Joints that leave their limits on the way.
    pub fn limit_breaches(&self) -> &[LimitBreach] {
        &self.breaches
    }

    /// [`Motion::frame_pose`] of every frame.
    pub(crate) fn frame_poses(&self, t: f64) -> Vec<Pose> {
        let states = self.chain.states(Span::new(t, t));
        states.iter().enumerate().map(|(frame, state)| self.world_pose(frame, state)).collect()
    }

    /// Pose in the world of the frame that carries things, at time t (rounded, for display).
    pub(crate) fn frame_pose(&self, frame: usize, t: f64) -> Pose {
        self.world_pose(frame, &self.chain.state(frame, t, 0.0))
    }

    fn world_pose(&self, frame: usize, LinkState { rotation, position, .. }: &LinkState) -> Pose {
        let origin = if frame == 0 { Vec3::ZERO } else { self.origin };
        Pose { rotation: rotation.mat3(), translation: position.vec3() + origin }
    }
}

/// How a robot's motion was given.
#[derive(Clone, Copy, Debug)]
enum Given<'a> {
    Values(&'a Configuration, &'a Configuration),
    Frames(&'a [Pose], &'a [Pose]),
}

/// Describes a [`Motion`]; every robot and every body of the scene must be given one.
#[derive(Debug)]
pub struct MotionBuilder<'a> {
    scene: &'a Scene,
    robots: Vec<Option<Given<'a>>>,
    bodies: Vec<Option<RigidMotion>>,
    deformables: Vec<Option<&'a [Vec3]>>,
    /// For each robot, the share by which its values may be off.
    shares: Vec<f64>,
    /// The first id of another scene.
    foreign: Option<Error>,
}

impl<'a> Given<'a> {
    fn values(&self) -> Option<(&'a Configuration, &'a Configuration)> {
        match *self {
            Given::Values(from, to) => Some((from, to)),
            Given::Frames(..) => None,
        }
    }
}

impl<'a> MotionBuilder<'a> {
    pub(super) fn new(scene: &'a Scene) -> Self {
        MotionBuilder {
            scene,
            robots: vec![None; scene.robots.len()],
            bodies: vec![None; scene.bodies.len()],
            deformables: vec![None; scene.deformables.len()],
            shares: vec![0.0; scene.robots.len()],
            foreign: None,
        }
    }

    /// The straight line in joint space; angles are not wrapped.
    pub fn joint_line(mut self, robot: RobotId, from: &'a Configuration, to: &'a Configuration) -> Self {
        if let Some(robot) = self.own(robot.of(self.scene)) {
            self.robots[robot] = Some(Given::Values(from, to));
        }
        self
    }

    /// From frames to frames: where every link is in the world, at the start and at the end, in the order of [`Robot::links`].
    ///
    /// Each link that a joint moves goes, relative to its parent, along the screw-like motion between its two relative poses: turning
    /// about one axis at a constant rate, the short way, while its origin goes straight. What the joint itself allows is not asked. Relative
    /// poses are rounded, which bounds account for. Links behind fixed joints stay where they are fixed, roots where the scene has them:
    /// [`MotionBuilder::build`] refuses frames that put them farther than [`FRAME_SLACK`](super::FRAME_SLACK) from there.
    pub fn link_frames(mut self, robot: RobotId, from: &'a [Pose], to: &'a [Pose]) -> Self {
        if let Some(robot) = self.own(robot.of(self.scene)) {
            self.robots[robot] = Some(Given::Frames(from, to));
        }
        self
    }

    /// A robot that stands still.
    pub fn rest(self, robot: RobotId, at: &'a Configuration) -> Self {
        self.joint_line(robot, at, at)
    }

    /// Each value of this robot is within `share` times itself of the described one: it was converted from other units, which rounds.
    pub fn values_within(mut self, robot: RobotId, share: f64) -> Self {
        if let Some(robot) = self.own(robot.of(self.scene)) {
            self.shares[robot] = share;
        }
        self
    }

    /// The motion of a free body.
    pub fn rigid(mut self, body: BodyId, motion: RigidMotion) -> Self {
        if let Some(body) = self.own(body.of(self.scene)) {
            self.bodies[body] = Some(motion);
        }
        self
    }

    /// Where the vertices of a deforming body go, each along a straight line.
    pub fn vertex_lines(mut self, deformable: DeformableId, end: &'a [Vec3]) -> Self {
        if let Some(deformable) = self.own(deformable.of(self.scene)) {
            self.deformables[deformable] = Some(end);
        }
        self
    }

    /// The position behind an id of this scene; an id of another scene is remembered for [`MotionBuilder::build`].
    fn own(&mut self, index: Result<usize, Error>) -> Option<usize> {
        index.map_err(|e| self.foreign.get_or_insert(e)).ok()
    }

    /// Checks the values and makes the motion.
    ///
    /// # Errors
    /// An id of another scene, a robot or body without motion, a wrong number of values, values not finite or out of range.
    pub fn build(mut self) -> Result<Motion, Error> {
        if let Some(foreign) = self.foreign.take() {
            return Err(foreign);
        }
        for (i, q) in self.robots.iter().enumerate() {
            let robot = &self.scene.robots[i];
            let wrong = |why: String| Error::invalid(format!("robot '{}'", robot.name), why);
            let (expected, links) = (robot.robot.values(), robot.robot.links().len());
            match q.ok_or_else(|| wrong("it was given no motion".into()))? {
                Given::Values(from, to) => {
                    if let Some(found) = [from, to].map(<[f64]>::len).into_iter().find(|&n| n != expected) {
                        return Err(Error::WrongJointCount { robot: robot.name.clone(), expected, found });
                    }
                }
                Given::Frames(from, to) => {
                    if robot.mount.is_some() {
                        return Err(wrong("it stands on another robot; give joint values, not frames".into()));
                    }
                    if let Some(found) = [from, to].map(<[Pose]>::len).into_iter().find(|&n| n != links) {
                        return Err(wrong(format!("it has {links} links, but {found} frames were given")));
                    }
                    robot.check_held("start", from)?;
                    robot.check_held("end", to)?;
                }
            }
        }
        if let Some(share) = self.shares.iter().find(|share| !(0.0..=1.0).contains(*share)) {
            return Err(Error::invalid("error of joint values", format!("a share of {share} is not between 0 and 1")));
        }
        let origin = self.origin();
        let mut joints = Vec::with_capacity(self.scene.movers.len());
        for (frame, mover) in self.scene.movers.iter().enumerate() {
            let origin = if self.scene.parents[frame] == 0 { origin } else { Vec3::ZERO };
            joints.push(self.in_between(mover, self.scene.parents[frame] as usize, origin)?);
        }
        let lines = self.lines(origin)?;
        let breaches = self.breaches();
        let given = || self.robots.iter().flatten().filter_map(|given| given.values()).flat_map(|(from, to)| [from, to]);
        let mut values = Vec::with_capacity(given().map(<[f64]>::len).sum());
        given().for_each(|q| values.extend_from_slice(q));
        let bodies = self.bodies.iter().flatten().copied().collect();
        let by_frames = self.robots.iter().flatten().any(|given| given.values().is_none());
        let (scene, chain) = (self.scene.identity, Chain::new(self.scene.parents.clone(), joints));
        self.scene.check_covered(&chain, origin, &lines)?;
        Ok(Motion { scene, chain, origin, lines, values, bodies, breaches, by_frames })
    }

    fn lines(&self, origin: Vec3) -> Result<Vec<Arc<VertexLines>>, Error> {
        let each = self.scene.deformables.iter().zip(&self.deformables);
        each.map(|((name, _, mesh), end)| {
            let wrong = |why: String| Error::invalid(format!("deforming body '{name}'"), why);
            let end = end.ok_or_else(|| wrong("it was given no motion".into()))?;
            VertexLines::new(mesh, end, origin).map(Arc::new).map_err(|e| wrong(e.to_string()))
        })
        .collect()
    }

    fn origin(&self) -> Vec3 {
        let first_body = || self.bodies.iter().flatten().next().map(|m| m.start.translation);
        self.scene.origin.or_else(first_body).filter(|o| o.is_finite()).unwrap_or(Vec3::ZERO)
    }

    #[inline(always)]
    fn in_between(&self, mover: &Mover, parent: usize, origin: Vec3) -> Result<InBetween, Error> {
        match mover {
            Mover::World => Ok(InBetween::resting(Pose::IDENTITY)),
            Mover::Body { body } => {
                let name = &self.scene.bodies[*body];
                let motion = self.bodies[*body]
                    .as_ref()
                    .ok_or_else(|| Error::invalid(format!("body '{name}'"), "it was given no motion"))?;
                InBetween::of_rigid(motion, origin).map_err(|e| Error::invalid(format!("body '{name}'"), e.to_string()))
            }
            Mover::Joint { robot, joint, socket } => {
                let placed = &self.scene.robots[*robot];
                let model = &placed.robot;
                match self.robots[*robot].unwrap_or(Given::Values(&[], &[])) {
                    Given::Values(from, to) => {
                        self.scene.joint_motion(*robot, *joint, socket, origin, (from, to), self.shares[*robot])
                    }
                    Given::Frames(from, to) => {
                        let above = match self.scene.movers[parent] {
                            Mover::Joint { joint, .. } => Some(model.joints()[joint].child),
                            Mover::World | Mover::Body { .. } => None,
                        };
                        let child = model.joints()[*joint].child;
                        let seen = |links: &[Pose]| above.map_or(links[child], |above| links[above].inverse() * links[child]);
                        let (start, end) = (seen(from), seen(to));
                        let made = RigidMotion::between_poses(&start, &end).and_then(|m| InBetween::of_rigid(&m, origin));
                        let of =
                            |links: &[Pose]| links[child].translation.norm() + above.map_or(0.0, |l| links[l].translation.norm());
                        made.map(|joint| joint.of_rounded_ends(of(from).max(of(to)))).map_err(|e| placed.wrong_joint(*joint, &e))
                    }
                }
            }
        }
    }

    fn breaches(&self) -> Vec<LimitBreach> {
        let mut out = Vec::new();
        for (placed, q) in self.scene.robots.iter().zip(&self.robots) {
            let Some((from, to)) = q.and_then(|given| given.values()) else { continue };
            for (j, joint) in placed.robot.joints().iter().enumerate() {
                let Some(limits) = joint.limits.filter(|_| joint.kind.values() == 1) else { continue };
                let values = [placed.robot.joint_value(j, from), placed.robot.joint_value(j, to)];
                let outside = |v: f64| (v - limits.upper).max(limits.lower - v);
                let value = if outside(values[0]) >= outside(values[1]) { values[0] } else { values[1] };
                if outside(value) > 0.0 {
                    let name = format!("{}/{}", placed.name, joint.name);
                    out.push(LimitBreach { joint: name, value, lower: limits.lower, upper: limits.upper });
                }
            }
        }
        out
    }
}

impl PlacedRobot {
    fn wrong_joint(&self, joint: usize, why: &Error) -> Error {
        Error::invalid(format!("joint '{}/{}'", self.name, self.robot.joints()[joint].name), why.to_string())
    }
}

impl Scene {
    /// Refuses a motion that may leave the region in which a half-space is modelled.
    fn check_covered(&self, chain: &Chain, origin: Vec3, lines: &[Arc<VertexLines>]) -> Result<(), Error> {
        for &(space, center, covers) in &self.half_spaces {
            let (space, apart) = (&self.parts[space], (center - origin).norm());
            let too_far = |name: &str| {
                let reason =
                    format!("'{name}' may go farther than {covers} m from the origin of the half-space '{}'", space.name);
                Err(Error::invalid("motion", reason))
            };
            for part in self.parts.iter().filter(|p| p.frame != 0) {
                let reach = part.pieces.iter().map(|s| s.placement.pose.translation.norm() + s.shape.reach()).fold(0.0, f64::max);
                if !(chain.errors[part.frame].reach + reach + apart <= covers) {
                    return too_far(&part.name);
                }
            }
            for (line, (name, ..)) in lines.iter().zip(&self.deformables) {
                let (start, end) = line.given();
                if start.iter().chain(end).any(|v| !((*v - center).norm() <= covers)) {
                    return too_far(name);
                }
            }
        }
        Ok(())
    }

    /// How a joint that sits in this socket moves between two configurations of its robot, whose values may be off by a share of themselves;
    /// `origin` is subtracted from its offset.
    #[inline]
    pub(crate) fn joint_motion(
        &self,
        robot: usize,
        joint: usize,
        socket: &Socket,
        origin: Vec3,
        (from, to): (&Configuration, &Configuration),
        share: f64,
    ) -> Result<InBetween, Error> {
        let placed = &self.robots[robot];
        let (mut q0, mut q1) = ([0.0; 7], [0.0; 7]);
        let n = placed.robot.joints()[joint].kind.values();
        joint_values(&placed.robot, joint, from, &mut q0[..n]);
        joint_values(&placed.robot, joint, to, &mut q1[..n]);
        let value_error =
            placed.robot.joint_value_error(joint, from, share).max(placed.robot.joint_value_error(joint, to, share));
        socket.between(origin, &q0[..n], &q1[..n], value_error).map_err(|e| placed.wrong_joint(joint, &e))
    }
}

fn joint_values(model: &Robot, joint: usize, q: &Configuration, out: &mut [f64]) {
    match (out.len(), model.value_at(joint)) {
        (1, _) => out[0] = model.joint_value(joint, q),
        (n, Some(at)) => out.copy_from_slice(&q[at..at + n]),
        (_, None) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Piece, Primitive};
    use crate::robot::{JointKind, JointSpec, Link};
    use crate::scene::SelfCollision;

    /// Two links that branch from a third, which turns; one of them slides.
    fn tree() -> Scene {
        let ball = || Piece::new(Primitive::sphere(0.1).expect("a ball"), Pose::IDENTITY);
        let joint = |name: &str, parent: &str, child: &str, kind| JointSpec {
            name: name.into(),
            parent: parent.into(),
            child: child.into(),
            parent_from_joint: Pose::from_translation(Vec3::new(1.0, 0.0, 0.0)),
            kind,
            limits: None,
            mimic: None,
        };
        let z = Vec3::unit(2);
        let links = ["base", "arm", "left", "right"].map(|name| Link { name: name.into(), pieces: vec![ball()] });
        let joints = [
            joint("shoulder", "base", "arm", JointKind::Revolute { axis: z }),
            joint("slide", "arm", "left", JointKind::Prismatic { axis: z }),
            joint("wrist", "arm", "right", JointKind::Revolute { axis: Vec3::unit(0) }),
        ];
        let robot = Robot::new("tree", links.to_vec(), joints.to_vec()).expect("a tree");
        Scene::builder().robot("tree", robot).self_collision(SelfCollision::Skip).build().expect("a scene")
    }

    /// A motion given by values, and by the frames that the values lead to, is the same.
    #[test]
    fn frames_say_what_values_say() {
        let scene = tree();
        let id = scene.robot("tree").expect("there");
        let (from, to) = ([0.3, 0.1, -0.5], [1.5, 0.6, 2.0]);
        let by_values = scene.motion().joint_line(id, &from, &to).build().expect("finite");
        let frames = |t: f64| scene.poses(&by_values, t).expect("its own").map(|(_, pose)| pose).collect::<Vec<Pose>>();
        let (start, end) = (frames(0.0), frames(1.0));
        let by_frames = scene.motion().link_frames(id, &start, &end).build().expect("finite");
        for k in 0..=10 {
            let t = f64::from(k) / 10.0;
            for (a, b) in frames(t).iter().zip(scene.poses(&by_frames, t).expect("its own")) {
                for y in [Vec3::ZERO, Vec3::new(0.3, -0.2, 0.5)] {
                    assert!((a.apply(y) - b.1.apply(y)).norm() < 1e-14, "{} at {t}", b.0);
                }
            }
        }
    }

    /// Any frames are met at both ends, whatever the joints allow.
    #[test]
    fn any_frames_are_met() {
        let scene = tree();
        let id = scene.robot("tree").expect("there");
        let pose = |k: f64| Pose::from_rpy(Vec3::new(k, -k, 0.5 * k), Vec3::new(k, 1.0, -k)).expect("finite");
        let start = [Pose::IDENTITY, pose(0.1), pose(0.2), pose(0.7)];
        let end = [Pose::IDENTITY, pose(0.9), pose(-0.4), pose(0.3)];
        let motion = scene.motion().link_frames(id, &start, &end).build().expect("finite");
        for (t, wanted) in [(0.0, &start), (1.0, &end)] {
            for (pose, (name, found)) in wanted.iter().zip(scene.poses(&motion, t).expect("its own")).skip(1) {
                assert!((pose.translation - found.translation).norm() < 1e-14, "{name} at {t}");
                let turned = |p: &Pose| p.apply(Vec3::unit(0)) - p.translation;
                assert!((turned(pose) - turned(&found)).norm() < 1e-14, "{name} at {t}");
            }
        }
        let few = scene.motion().link_frames(id, &start[..3], &end).build().expect_err("a frame is missing");
        assert!(few.to_string().contains("4 links, but 3 frames"), "{few}");
    }
}
