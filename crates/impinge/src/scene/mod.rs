//! The question's first half: which parts there are, what carries them, and who may meet whom.
//!
//! ```text
//! world (frame 0) ── obstacles, roots of robots
//!   ├─ joint ── joint ── joint    a frame per moving joint; links behind fixed joints share the frame of what they are fixed to
//!   └─ free body                  a frame per body
//! ```
//! What is attached to a link, and robots that stand on a link, are carried by its frame.

mod builder;
mod frames;
mod identity;
mod loops;
mod motion;
mod pairs;

use std::sync::Arc;

pub use builder::SceneBuilder;
pub use frames::FRAME_SLACK;
pub(crate) use identity::SceneIdentity;
pub use identity::{BodyId, DeformableId, PartId, RobotId};
pub use loops::{LoopOpening, Opening};
pub use motion::{Configuration, LimitBreach, Motion, MotionBuilder};
pub(crate) use pairs::Meetings;
pub use pairs::{PairStatus, SelfCollision};

use crate::Error;
use crate::geometry::{Mesh, Shape};
use crate::math::pose::Placement;
use crate::math::{Pose, Vec3};
use crate::motion::Socket;
use crate::robot::Robot;

/// A thing that can touch: its name and its pieces in the frame that carries it.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub name: String,
    pub frame: usize,
    /// Where it sits in that frame; pieces are placed in the frame itself.
    pub placement: Placement,
    pub owner: Owner,
    pub pieces: Vec<PlacedShape>,
}

/// Who a part belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Obstacle,
    Link {
        robot: usize,
        link: usize,
    },
    /// Held by a link; `held` is its place in [`Scene::held`].
    Attached {
        robot: usize,
        link: usize,
        held: usize,
    },
    Body,
    Deformable {
        deformable: usize,
    },
}

/// A shape in the frame that carries it.
#[derive(Clone, Debug)]
pub(crate) struct PlacedShape {
    pub placement: Placement,
    pub shape: Shape,
    /// See [`crate::geometry::Piece::covered`], in the frame.
    pub covered: Option<(Vec3, f64)>,
}

/// What moves a frame relative to its parent.
#[derive(Clone, Debug)]
pub(crate) enum Mover {
    World,
    Joint { robot: usize, joint: usize, socket: Box<Socket> },
    Body { body: usize },
}

/// A robot and where it stands: in the world, or on a link of a robot before it.
#[derive(Clone, Debug)]
pub(crate) struct PlacedRobot {
    pub name: String,
    pub base: Pose,
    /// Robot and link.
    pub mount: Option<(usize, usize)>,
    pub robot: Arc<Robot>,
}

/// Everything that can touch, immutable.
#[derive(Debug)]
pub struct Scene {
    pub(crate) identity: SceneIdentity,
    pub(crate) parts: Vec<Part>,
    pub(crate) parents: Arc<[u32]>,
    pub(crate) movers: Vec<Mover>,
    pub(crate) robots: Vec<PlacedRobot>,
    pub(crate) bodies: Vec<String>,
    /// Name, part and mesh at the start.
    pub(crate) deformables: Vec<(String, usize, Arc<Mesh>)>,
    /// For what is attached to links, where each piece sits in its link.
    pub(crate) held: Vec<Vec<Pose>>,
    pub(crate) loops: Vec<loops::PlacedLoop>,
    pub(crate) rules: pairs::Rules,
    /// Half-spaces: part, a point of its surface in the world, and how far around it they are modelled.
    pub(crate) half_spaces: Vec<(usize, Vec3, f64)>,
    /// What coordinates are computed relative to: the middle of what rests, if anything does.
    pub(crate) origin: Option<Vec3>,
}

impl Scene {
    /// An empty scene to add to.
    pub fn builder() -> SceneBuilder {
        SceneBuilder::default()
    }

    /// A motion to describe.
    pub fn motion(&self) -> MotionBuilder<'_> {
        MotionBuilder::new(self)
    }

    /// The robot with this name.
    pub fn robot(&self, name: &str) -> Option<RobotId> {
        self.robots.iter().position(|r| r.name == name).map(|i| self.robot_id(i))
    }

    /// The model of a robot.
    ///
    /// # Errors
    /// If the id belongs to another scene.
    pub fn robot_model(&self, id: RobotId) -> Result<&Robot, Error> {
        Ok(&self.robots[id.of(self)?].robot)
    }

    /// All robots with their names.
    pub fn robots(&self) -> impl Iterator<Item = (RobotId, &str)> {
        self.robots.iter().enumerate().map(|(i, r)| (self.robot_id(i), r.name.as_str()))
    }

    /// The body with this name.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b == name).map(|i| BodyId::new(self.identity, i))
    }

    /// The deforming body with this name.
    pub fn deformable(&self, name: &str) -> Option<DeformableId> {
        self.deformables.iter().position(|d| d.0 == name).map(|i| DeformableId::new(self.identity, i))
    }

    /// Names of all parts: `robot/link` for links.
    pub fn part_names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|p| p.name.as_str())
    }

    /// Where links, what is attached to them, and free bodies are at time t of a motion, in the world (rounded, for display): names and poses.
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn poses<'a>(&'a self, motion: &'a Motion, t: f64) -> Result<impl Iterator<Item = (&'a str, Pose)>, Error> {
        self.own(motion)?;
        let moves = |p: &&Part| matches!(p.owner, Owner::Link { .. } | Owner::Attached { .. } | Owner::Body);
        let frames = motion.frame_poses(t);
        Ok(self.parts.iter().filter(moves).map(move |p| (p.name.as_str(), frames[p.frame] * p.placement.pose)))
    }

    /// All parts, in order.
    pub fn parts(&self) -> impl Iterator<Item = PartId> {
        (0..self.parts.len()).map(|i| self.part_id(i))
    }

    /// The part with this name; links are named `robot/link`.
    pub fn part(&self, name: &str) -> Option<PartId> {
        self.parts.iter().position(|p| p.name == name).map(|i| self.part_id(i))
    }

    /// The name of a part.
    ///
    /// # Errors
    /// If the id belongs to another scene.
    pub fn part_name(&self, id: PartId) -> Result<&str, Error> {
        Ok(&self.parts[id.of(self)?].name)
    }

    /// Whether a part has collision geometry.
    ///
    /// # Errors
    /// If the id belongs to another scene.
    pub fn has_geometry(&self, id: PartId) -> Result<bool, Error> {
        Ok(!self.parts[id.of(self)?].pieces.is_empty())
    }

    /// Parts with a mesh that has components which are not closed and consistently oriented: being inside of these is no contact, whatever is
    /// asked for.
    pub fn open_meshes(&self) -> impl Iterator<Item = PartId> {
        let is_open = |p: &PlacedShape| matches!(&p.shape, Shape::Mesh(m) if !m.is_closed());
        self.parts.iter().enumerate().filter(move |(_, p)| p.pieces.iter().any(is_open)).map(|(i, _)| self.part_id(i))
    }

    /// How many edges of a part's meshes have no partner in the opposite direction.
    ///
    /// # Errors
    /// If the id belongs to another scene.
    pub fn open_edges(&self, id: PartId) -> Result<usize, Error> {
        let edges = |p: &PlacedShape| if let Shape::Mesh(m) = &p.shape { m.open_edges() } else { 0 };
        Ok(self.parts[id.of(self)?].pieces.iter().map(edges).sum())
    }

    /// Number of triangles over all pieces of all parts.
    pub fn triangles(&self) -> usize {
        self.parts
            .iter()
            .flat_map(|p| &p.pieces)
            .map(|p| match &p.shape {
                Shape::Mesh(m) => m.triangles().len(),
                Shape::Primitive(_) => 0,
            })
            .sum()
    }
}
