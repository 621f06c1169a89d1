//! Putting a scene together.

use std::collections::HashSet;
use std::sync::Arc;

use super::pairs::{Rules, SelfCollision};
use super::{BodyId, DeformableId, Mover, Owner, Part, PlacedRobot, PlacedShape, RobotId, Scene};
use crate::Error;
use crate::math::pose::Placement;
use crate::math::{Pose, Vec3};
use crate::robot::{JointKind, Robot};
use crate::shape::aabb::Aabb;
use crate::shape::mesh::MAX_COORDINATE;
use crate::shape::{Mesh, Piece, Shape};

/// Collects parts and rules; [`SceneBuilder::build`] checks them.
#[derive(Debug)]
pub struct SceneBuilder {
    parts: Vec<Part>,
    parents: Vec<u32>,
    movers: Vec<Mover>,
    robots: Vec<PlacedRobot>,
    bodies: Vec<String>,
    deformables: Vec<(String, usize, Arc<Mesh>)>,
    disabled: Vec<(String, String, String)>,
    self_collision: SelfCollision,
    error: Option<Error>,
}

impl Default for SceneBuilder {
    fn default() -> Self {
        SceneBuilder {
            parts: Vec::new(),
            parents: vec![0],
            movers: vec![Mover::World],
            robots: Vec::new(),
            bodies: Vec::new(),
            deformables: Vec::new(),
            disabled: Vec::new(),
            self_collision: SelfCollision::default(),
            error: None,
        }
    }
}

impl SceneBuilder {
    /// Adds a robot with its root link at the world's origin. Its links become parts named `name/link`.
    pub fn robot(self, name: impl Into<String>, robot: impl Into<Arc<Robot>>) -> Self {
        self.robot_at(name, robot, Pose::IDENTITY)
    }

    /// Adds a robot with its root link at `base`.
    pub fn robot_at(mut self, name: impl Into<String>, robot: impl Into<Arc<Robot>>, base: Pose) -> Self {
        self.add_robot(name, robot, base);
        self
    }

    /// Adds a resting shape.
    pub fn obstacle(mut self, name: impl Into<String>, shape: impl Into<Shape>, pose: Pose) -> Self {
        self.add_obstacle(name, vec![Piece::new(shape, pose)]);
        self
    }

    /// Adds a free body whose motion is given with each [`super::Motion`].
    pub fn body(mut self, name: impl Into<String>, shape: impl Into<Shape>) -> Self {
        self.add_body(name, vec![Piece::new(shape, Pose::IDENTITY)]);
        self
    }

    /// Adds a body that deforms: each [`super::Motion`] says where its vertices go, along straight lines from where they are in the mesh.
    pub fn deformable(mut self, name: impl Into<String>, mesh: impl Into<Arc<Mesh>>) -> Self {
        self.add_deformable(name, mesh);
        self
    }

    /// Does not check the two parts against each other; `reason` is what reports say.
    pub fn disable(mut self, a: impl Into<String>, b: impl Into<String>, reason: impl Into<String>) -> Self {
        self.disabled.push((a.into(), b.into(), reason.into()));
        self
    }

    /// Whether links of one robot are checked against each other; they are by default.
    pub fn self_collision(mut self, choice: SelfCollision) -> Self {
        self.self_collision = choice;
        self
    }

    /// [`SceneBuilder::robot_at`], for use in loops.
    pub fn add_robot(&mut self, name: impl Into<String>, robot: impl Into<Arc<Robot>>, base: Pose) -> RobotId {
        let (name, robot) = (name.into(), robot.into());
        self.check_pose(&base, &name);
        let id = self.robots.len();
        let mut links: Vec<(usize, Placement)> = vec![(0, Placement::new(base)); robot.links().len()];
        for &link in robot.order() {
            if let Some(j) = robot.joint_above(link) {
                let joint = &robot.joints()[j];
                let (frame, at) = links[joint.parent];
                let parent_from_joint = at.then(&joint.parent_from_joint);
                links[link] = if joint.kind == JointKind::Fixed {
                    (frame, parent_from_joint)
                } else {
                    (
                        self.push_frame(frame, Mover::Joint { robot: id, joint: j, parent_from_joint }),
                        Placement::new(Pose::IDENTITY),
                    )
                };
            }
        }
        for (l, link) in robot.links().iter().enumerate() {
            let (frame, at) = links[l];
            let pieces = link.pieces.iter().map(|p| placed(at.then(&p.part_from_shape), &p.shape)).collect();
            self.push_part(format!("{name}/{}", link.name), (frame, at.pose), Owner::Link { robot: id, link: l }, pieces);
        }
        self.robots.push(PlacedRobot { name, base, robot });
        RobotId(id)
    }

    /// Adds a resting part made of several pieces.
    pub fn add_obstacle(&mut self, name: impl Into<String>, pieces: Vec<Piece>) {
        let name = name.into();
        let pieces = self.own_pieces(&name, pieces);
        self.push_part(name, (0, Pose::IDENTITY), Owner::Obstacle, pieces);
    }

    /// Adds a free body made of several pieces.
    pub fn add_body(&mut self, name: impl Into<String>, pieces: Vec<Piece>) -> BodyId {
        let name = name.into();
        let body = self.bodies.len();
        let frame = self.push_frame(0, Mover::Body { body });
        let pieces = self.own_pieces(&name, pieces);
        self.push_part(name.clone(), (frame, Pose::IDENTITY), Owner::Body, pieces);
        self.bodies.push(name);
        BodyId(body)
    }

    /// [`SceneBuilder::deformable`], for use in loops.
    pub fn add_deformable(&mut self, name: impl Into<String>, mesh: impl Into<Arc<Mesh>>) -> DeformableId {
        let (name, mesh) = (name.into(), mesh.into());
        let deformable = self.deformables.len();
        let whole = placed(Placement::new(Pose::IDENTITY), &Shape::Mesh(mesh.clone()));
        self.deformables.push((name.clone(), self.parts.len(), mesh));
        self.push_part(name, (0, Pose::IDENTITY), Owner::Deformable { deformable }, vec![whole]);
        DeformableId(deformable)
    }

    /// [`SceneBuilder::disable`], for use in loops.
    pub fn add_disabled(&mut self, a: impl Into<String>, b: impl Into<String>, reason: impl Into<String>) {
        self.disabled.push((a.into(), b.into(), reason.into()));
    }

    /// Checks everything and makes the scene.
    ///
    /// # Errors
    /// Duplicate part names, unknown names in disabled pairs, poses that are not finite or out of range.
    pub fn build(self) -> Result<Scene, Error> {
        if let Some(e) = self.error {
            return Err(e);
        }
        let mut names = HashSet::new();
        if let Some(p) = self.parts.iter().find(|p| !names.insert(p.name.as_str())) {
            return Err(Error::DuplicateName { kind: "part", name: p.name.clone() });
        }
        let mut rules = Rules { self_collision: self.self_collision, ..Rules::default() };
        for (a, b, reason) in &self.disabled {
            for i in find_parts(&self.parts, a)? {
                for j in find_parts(&self.parts, b)? {
                    rules.disabled.entry((i.min(j), i.max(j))).or_insert_with(|| reason.clone());
                }
            }
        }
        let origin = middle_of_resting(&self.parts);
        Ok(Scene {
            parts: self.parts,
            parents: self.parents.into(),
            movers: self.movers,
            robots: self.robots,
            bodies: self.bodies,
            deformables: self.deformables,
            rules,
            origin,
        })
    }

    fn push_frame(&mut self, parent: usize, mover: Mover) -> usize {
        self.parents.push(parent as u32);
        self.movers.push(mover);
        self.movers.len() - 1
    }

    fn push_part(&mut self, name: String, (frame, pose): (usize, Pose), owner: Owner, pieces: Vec<PlacedShape>) {
        self.parts.push(Part { name, frame, pose, owner, pieces });
    }

    fn own_pieces(&mut self, name: &str, pieces: Vec<Piece>) -> Vec<PlacedShape> {
        pieces.iter().for_each(|p| self.check_pose(&p.part_from_shape, name));
        pieces.iter().map(|p| placed(Placement::new(p.part_from_shape), &p.shape)).collect()
    }

    fn check_pose(&mut self, pose: &Pose, name: &str) {
        let at = pose.translation;
        if !at.is_finite() || !pose.rotation.columns.iter().all(|c| c.is_finite()) {
            self.error.get_or_insert(Error::NonFinite { what: format!("pose of '{name}'") });
        } else if at.max_abs() > MAX_COORDINATE {
            let (what, value) = (format!("position of '{name}'"), at.max_abs());
            self.error.get_or_insert(Error::OutOfRange { what, value, limit: MAX_COORDINATE });
        }
    }
}

fn placed(placement: Placement, shape: &Shape) -> PlacedShape {
    PlacedShape { placement, shape: shape.clone() }
}

/// Parts by full name, or links by their bare name in any robot.
fn find_parts(parts: &[Part], name: &str) -> Result<Vec<usize>, Error> {
    let by = |test: &dyn Fn(&Part) -> bool| parts.iter().enumerate().filter(|(_, p)| test(p)).map(|(i, _)| i).collect::<Vec<_>>();
    let mut found = by(&|p| p.name == name);
    if found.is_empty() {
        found = by(&|p| matches!(p.owner, Owner::Link { .. }) && p.name.rsplit('/').next() == Some(name));
    }
    if found.is_empty() {
        return Err(Error::Unknown { kind: "part", name: name.into(), user: "a pair to leave out".into() });
    }
    Ok(found)
}

/// The middle of all resting geometry, so that far from the world's origin nothing is lost.
fn middle_of_resting(parts: &[Part]) -> Option<Vec3> {
    let mut all = Aabb::EMPTY;
    for piece in parts.iter().filter(|p| p.frame == 0).flat_map(|p| &p.pieces) {
        let pose = &piece.placement.pose;
        let bounds = match &piece.shape {
            Shape::Mesh(m) => Aabb::of(m.vertices().iter().map(|&v| pose.apply(v))),
            Shape::Primitive(p) => {
                let reach = pose.rotation.abs() * p.half_extent();
                Aabb { lo: pose.translation - reach, hi: pose.translation + reach }
            }
        };
        all = all.union(bounds);
    }
    (all.lo.x <= all.hi.x).then(|| all.center())
}
