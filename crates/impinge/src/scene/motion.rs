//! The question's second half: how the scene moves from t = 0 to t = 1.

use std::sync::Arc;

use super::{BodyId, DeformableId, Mover, RobotId, Scene};
use crate::Error;
use crate::math::{Pose, Vec3};
use crate::motion::VertexLines;
use crate::motion::chain::{Chain, LinkState};
use crate::motion::in_between::{InBetween, RigidMotion};
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
    pub(crate) chain: Chain,
    pub(crate) origin: Vec3,
    /// One per deforming body.
    pub(crate) lines: Vec<Arc<VertexLines>>,
    /// What it was made of: from and to of every robot, one after the other, and the motion of every body.
    pub(crate) values: Vec<f64>,
    pub(crate) bodies: Vec<RigidMotion>,
    breaches: Vec<LimitBreach>,
}

impl Motion {
    /// Joints that leave their limits on the way.
    pub fn limit_breaches(&self) -> &[LimitBreach] {
        &self.breaches
    }

    /// Pose in the world of the frame that carries things, at time t (rounded, for display).
    pub(crate) fn frame_pose(&self, frame: usize, t: f64) -> Pose {
        let LinkState { rotation, position, .. } = self.chain.state(frame, t, 0.0);
        let origin = if frame == 0 { Vec3::ZERO } else { self.origin };
        Pose { rotation: rotation.mat3(), translation: position.vec3() + origin }
    }
}

/// Describes a [`Motion`]; every robot and every body of the scene must be given one.
#[derive(Debug)]
pub struct MotionBuilder<'a> {
    scene: &'a Scene,
    robots: Vec<Option<(&'a Configuration, &'a Configuration)>>,
    bodies: Vec<Option<RigidMotion>>,
    deformables: Vec<Option<&'a [Vec3]>>,
}

impl<'a> MotionBuilder<'a> {
    pub(super) fn new(scene: &'a Scene) -> Self {
        MotionBuilder {
            scene,
            robots: vec![None; scene.robots.len()],
            bodies: vec![None; scene.bodies.len()],
            deformables: vec![None; scene.deformables.len()],
        }
    }

    /// The straight line in joint space; angles are not wrapped.
    pub fn joint_line(mut self, robot: RobotId, from: &'a Configuration, to: &'a Configuration) -> Self {
        self.robots[robot.0] = Some((from, to));
        self
    }

    /// A robot that stands still.
    pub fn rest(self, robot: RobotId, at: &'a Configuration) -> Self {
        self.joint_line(robot, at, at)
    }

    /// The motion of a free body.
    pub fn rigid(mut self, body: BodyId, motion: RigidMotion) -> Self {
        self.bodies[body.0] = Some(motion);
        self
    }

    /// Where the vertices of a deforming body go, each along a straight line.
    pub fn vertex_lines(mut self, deformable: DeformableId, end: &'a [Vec3]) -> Self {
        self.deformables[deformable.0] = Some(end);
        self
    }

    /// Checks the values and makes the motion.
    ///
    /// # Errors
    /// A robot or body without motion, a wrong number of values, values not finite or out of range.
    pub fn build(self) -> Result<Motion, Error> {
        for (i, q) in self.robots.iter().enumerate() {
            let robot = &self.scene.robots[i];
            let (from, to) = q.ok_or_else(|| Error::invalid(format!("robot '{}'", robot.name), "it was given no motion"))?;
            for q in [from, to] {
                if q.len() != robot.robot.values() {
                    let (expected, found) = (robot.robot.values(), q.len());
                    return Err(Error::WrongJointCount { robot: robot.name.clone(), expected, found });
                }
            }
        }
        let origin = self.origin();
        let mut joints = Vec::with_capacity(self.scene.movers.len());
        for (frame, mover) in self.scene.movers.iter().enumerate() {
            let origin = if self.scene.parents[frame] == 0 { origin } else { Vec3::ZERO };
            joints.push(self.in_between(mover, origin)?);
        }
        let lines = self.lines(origin)?;
        let breaches = self.breaches();
        let given = || self.robots.iter().flatten().flat_map(|(from, to)| [*from, *to]);
        let mut values = Vec::with_capacity(given().map(<[f64]>::len).sum());
        given().for_each(|q| values.extend_from_slice(q));
        let bodies = self.bodies.iter().flatten().copied().collect();
        Ok(Motion { chain: Chain::new(self.scene.parents.clone(), joints), origin, lines, values, bodies, breaches })
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

    fn in_between(&self, mover: &Mover, origin: Vec3) -> Result<InBetween, Error> {
        match mover {
            Mover::World => Ok(InBetween::resting(Pose::IDENTITY)),
            Mover::Body { body } => {
                let name = &self.scene.bodies[*body];
                let motion = self.bodies[*body]
                    .as_ref()
                    .ok_or_else(|| Error::invalid(format!("body '{name}'"), "it was given no motion"))?;
                InBetween::of_rigid(motion, origin).map_err(|e| Error::invalid(format!("body '{name}'"), e.to_string()))
            }
            Mover::Joint { robot, joint, parent_from_joint } => {
                let placed = &self.scene.robots[*robot];
                let model = &placed.robot;
                let (from, to) = self.robots[*robot].unwrap_or((&[], &[]));
                let (mut q0, mut q1) = ([0.0; 7], [0.0; 7]);
                let kind = model.joints()[*joint].kind;
                let n = kind.values();
                joint_values(model, *joint, from, &mut q0[..n]);
                joint_values(model, *joint, to, &mut q1[..n]);
                InBetween::of_joint(kind, parent_from_joint, origin, &q0[..n], &q1[..n]).map_err(|e| {
                    Error::invalid(format!("joint '{}/{}'", placed.name, model.joints()[*joint].name), e.to_string())
                })
            }
        }
    }

    fn breaches(&self) -> Vec<LimitBreach> {
        let mut out = Vec::new();
        for (placed, q) in self.scene.robots.iter().zip(&self.robots) {
            let Some((from, to)) = q else { continue };
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

fn joint_values(model: &Robot, joint: usize, q: &Configuration, out: &mut [f64]) {
    match (out.len(), model.value_at(joint)) {
        (1, _) => out[0] = model.joint_value(joint, q),
        (n, Some(at)) => out.copy_from_slice(&q[at..at + n]),
        (_, None) => {}
    }
}
