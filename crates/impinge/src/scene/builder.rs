//! Putting a scene together.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::loops::PlacedLoop;
use super::pairs::{Rules, SelfCollision};
use super::{BodyId, DeformableId, Mover, Owner, Part, PlacedRobot, PlacedShape, RobotId, Scene, SceneIdentity};
use crate::Error;
use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::mesh::{MAX_COORDINATE, checked_error};
use crate::geometry::{Mesh, Piece, Shape};
use crate::math::pose::{Placement, check_rigid};
use crate::math::{Pose, Vec3};
use crate::motion::Socket;
use crate::robot::{JointKind, Robot};

/// Collects parts and rules; [`SceneBuilder::build`] checks them.
#[derive(Debug)]
pub struct SceneBuilder {
    /// The identity that the scene will have: ids are handed out before it is built.
    identity: SceneIdentity,
    parts: Vec<Part>,
    parents: Vec<u32>,
    movers: Vec<Mover>,
    robots: Vec<PlacedRobot>,
    bodies: Vec<String>,
    deformables: Vec<(String, usize, Arc<Mesh>)>,
    held: Vec<Vec<Pose>>,
    loops: Vec<PlacedLoop>,
    disabled: Vec<(String, String, String)>,
    self_collision: SelfCollision,
    self_contacts: Vec<String>,
    error: Option<Error>,
}

impl Default for SceneBuilder {
    fn default() -> Self {
        SceneBuilder {
            identity: SceneIdentity::fresh(),
            parts: Vec::new(),
            parents: vec![0],
            movers: vec![Mover::World],
            robots: Vec::new(),
            bodies: Vec::new(),
            deformables: Vec::new(),
            held: Vec::new(),
            loops: Vec::new(),
            disabled: Vec::new(),
            self_collision: SelfCollision::default(),
            self_contacts: Vec::new(),
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

    /// Adds a robot whose root link is fixed at `link_from_root` to a link of a robot that is already there, and moves with it.
    /// The link is given as `robot/link`, or by its own name where only one robot has it.
    pub fn robot_on(mut self, name: impl Into<String>, robot: impl Into<Arc<Robot>>, link: &str, link_from_root: Pose) -> Self {
        self.add_robot_on(name, robot, link, link_from_root);
        self
    }

    /// Attaches a shape to a link of a robot that is already there (see [`SceneBuilder::robot_on`] for names): a part that moves with it.
    ///
    /// It is not checked against that link, nor against what fixed joints hold together with it, nor against the parts named by
    /// `touch` (links of the same robot by their own names); against everything else it is, the link's neighbours included.
    pub fn attach(mut self, name: impl Into<String>, shape: impl Into<Shape>, link: &str, at: Pose, touch: &[&str]) -> Self {
        self.add_attached(name, vec![Piece::new(shape, at)], link, touch);
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

    /// Does not check the two parts against each other; `reason` is what reports say. A link is given as `robot/link`, or by its own name where
    /// only one robot has it.
    pub fn disable(mut self, a: impl Into<String>, b: impl Into<String>, reason: impl Into<String>) -> Self {
        self.disabled.push((a.into(), b.into(), reason.into()));
        self
    }

    /// Whether links of one robot are checked against each other; they are by default.
    pub fn self_collision(mut self, choice: SelfCollision) -> Self {
        self.self_collision = choice;
        self
    }

    /// Checks a deforming body against itself, feature by feature: each vertex against each face that does not contain it, each edge against
    /// each edge that shares no end with it. By default a deforming body is not checked against itself.
    ///
    /// A margin applies to these pairs of features. A vertex is at most the height of a triangle away from the face beyond the opposite
    /// edge, so a margin above the smallest height of a triangle is reached at the start.
    pub fn self_contact(mut self, name: impl Into<String>) -> Self {
        self.add_self_contact(name);
        self
    }

    /// [`SceneBuilder::robot_at`], for use in loops.
    pub fn add_robot(&mut self, name: impl Into<String>, robot: impl Into<Arc<Robot>>, base: Pose) -> RobotId {
        self.place_robot(name.into(), robot.into(), base, None)
    }

    /// [`SceneBuilder::robot_on`], for use in loops.
    pub fn add_robot_on(
        &mut self,
        name: impl Into<String>,
        robot: impl Into<Arc<Robot>>,
        link: &str,
        link_from_root: Pose,
    ) -> RobotId {
        let mount = self.find_link(link);
        self.place_robot(name.into(), robot.into(), link_from_root, mount)
    }

    /// [`SceneBuilder::attach`], for a part of several pieces that are placed in the link, and for use in loops.
    pub fn add_attached(&mut self, name: impl Into<String>, pieces: Vec<Piece>, link: &str, touch: &[&str]) {
        let name = name.into();
        let Some(holder) = self.find_link(link) else { return };
        let Part { frame, placement, .. } = self.parts[holder];
        let Owner::Link { robot, link } = self.parts[holder].owner else { return };
        let model = &self.robots[robot];
        for &other in touch {
            let own = model.robot.find_link(other).map(|_| format!("{}/{other}", model.name));
            let reason = format!("may touch what '{}' holds", self.parts[holder].name);
            self.disabled.push((name.clone(), own.unwrap_or_else(|| other.into()), reason));
        }
        pieces.iter().for_each(|p| self.check_piece(p, &name));
        let in_frame = pieces.iter().map(|p| placed(placement.then(&p.part_from_shape), p)).collect();
        let owner = Owner::Attached { robot, link, held: self.held.len() };
        self.held.push(pieces.iter().map(|p| p.part_from_shape).collect());
        self.push_part(name, (frame, placement), owner, in_frame);
    }

    /// Puts a robot into the world, or onto a part that is a link.
    fn place_robot(&mut self, name: String, robot: Arc<Robot>, base: Pose, mount: Option<usize>) -> RobotId {
        self.check_pose(&base, &name);
        let id = self.robots.len();
        let root = mount.map_or((0, Placement::new(base)), |m| (self.parts[m].frame, self.parts[m].placement.then(&base)));
        let mut links: Vec<(usize, Placement)> = vec![root; robot.links().len()];
        for &link in robot.order() {
            if let Some(j) = robot.joint_above(link) {
                let joint = &robot.joints()[j];
                self.check_pose(&joint.parent_from_joint, &joint.name);
                let (frame, at) = links[joint.parent];
                let parent_from_joint = at.then(&joint.parent_from_joint);
                links[link] = if joint.kind == JointKind::Fixed {
                    (frame, parent_from_joint)
                } else {
                    let socket = Box::new(Socket::new(joint.kind, parent_from_joint));
                    (self.push_frame(frame, Mover::Joint { robot: id, joint: j, socket }), Placement::new(Pose::IDENTITY))
                };
            }
        }
        for (l, link) in robot.links().iter().enumerate() {
            link.pieces.iter().for_each(|p| self.check_piece(p, &link.name));
            let (frame, at) = links[l];
            let pieces = link.pieces.iter().map(|p| placed(at.then(&p.part_from_shape), p)).collect();
            self.push_part(format!("{name}/{}", link.name), (frame, at), Owner::Link { robot: id, link: l }, pieces);
        }
        self.loops.extend(robot.loops().iter().map(|l| PlacedLoop::new(&name, l, &links)));
        let mount = mount.and_then(|m| match self.parts[m].owner {
            Owner::Link { robot, link } => Some((robot, link)),
            _ => None,
        });
        self.robots.push(PlacedRobot { name, base, mount, robot });
        RobotId::new(self.identity, id)
    }

    /// Adds a resting part made of several pieces.
    pub fn add_obstacle(&mut self, name: impl Into<String>, pieces: Vec<Piece>) {
        let name = name.into();
        let pieces = self.own_pieces(&name, pieces);
        self.push_part(name, (0, HERE), Owner::Obstacle, pieces);
    }

    /// Adds a free body made of several pieces.
    pub fn add_body(&mut self, name: impl Into<String>, pieces: Vec<Piece>) -> BodyId {
        let name = name.into();
        let body = self.bodies.len();
        let frame = self.push_frame(0, Mover::Body { body });
        let pieces = self.own_pieces(&name, pieces);
        self.push_part(name.clone(), (frame, HERE), Owner::Body, pieces);
        self.bodies.push(name);
        BodyId::new(self.identity, body)
    }

    /// [`SceneBuilder::deformable`], for use in loops.
    pub fn add_deformable(&mut self, name: impl Into<String>, mesh: impl Into<Arc<Mesh>>) -> DeformableId {
        let (name, mesh) = (name.into(), mesh.into());
        let deformable = self.deformables.len();
        let whole = placed(HERE, &Piece::new(mesh.clone(), Pose::IDENTITY));
        self.deformables.push((name.clone(), self.parts.len(), mesh));
        self.push_part(name, (0, HERE), Owner::Deformable { deformable }, vec![whole]);
        DeformableId::new(self.identity, deformable)
    }

    /// [`SceneBuilder::disable`], for use in loops.
    pub fn add_disabled(&mut self, a: impl Into<String>, b: impl Into<String>, reason: impl Into<String>) {
        self.disabled.push((a.into(), b.into(), reason.into()));
    }

    /// [`SceneBuilder::self_contact`], for use in loops.
    pub fn add_self_contact(&mut self, name: impl Into<String>) {
        self.self_contacts.push(name.into());
    }

    /// Checks everything and makes the scene.
    ///
    /// # Errors
    /// Duplicate part names, unknown names in disabled pairs, self-contact of a part that does not deform, links to attach to that are not there, poses that are not finite or out of range.
    pub fn build(self) -> Result<Scene, Error> {
        if let Some(e) = self.error {
            return Err(e);
        }
        let mut names = HashSet::new();
        if let Some(p) = self.parts.iter().find(|p| !names.insert(p.name.as_str())) {
            return Err(Error::DuplicateName { kind: "part", name: p.name.clone() });
        }
        let self_contacts = self.self_contacts.iter().map(|name| self.deforming_part(name)).collect::<Result<_, Error>>()?;
        let mut rules = Rules { self_collision: self.self_collision, self_contacts, ..Rules::default() };
        let names = Names::new(&self.parts);
        for (a, b, reason) in &self.disabled {
            let (i, j) = (names.find(a)?, names.find(b)?);
            rules.disabled.entry((i.min(j), i.max(j))).or_insert_with(|| reason.clone());
        }
        if let Some(p) = self.parts.iter().find(|p| p.frame != 0 && p.pieces.iter().any(|s| s.covered.is_some())) {
            return Err(Error::invalid(format!("part '{}'", p.name), "it is a half-space, which must rest"));
        }
        let origin = middle_of_resting(&self.parts);
        let spaces =
            |(i, p): (usize, &Part)| p.pieces.iter().filter_map(|s| s.covered).map(|(x, far)| (i, x, far)).collect::<Vec<_>>();
        let half_spaces = self.parts.iter().enumerate().flat_map(spaces).collect();
        Ok(Scene {
            half_spaces,
            identity: self.identity,
            parts: self.parts,
            parents: self.parents.into(),
            movers: self.movers,
            robots: self.robots,
            bodies: self.bodies,
            deformables: self.deformables,
            held: self.held,
            loops: self.loops,
            rules,
            origin,
        })
    }

    /// The part that is this link, by its full name or by its own; says what is wrong where there is none, or more than one.
    fn find_link(&mut self, name: &str) -> Option<usize> {
        let is_link = |p: &usize| matches!(self.parts[*p].owner, Owner::Link { .. });
        let links = || (0..self.parts.len()).filter(is_link);
        let own = |p: &usize| self.parts[*p].name.rsplit('/').next() == Some(name);
        let found = links().find(|&p| self.parts[p].name == name).map_or_else(|| links().filter(own).collect(), |p| vec![p]);
        if let [one] = found[..] {
            return Some(one);
        }
        self.error.get_or_insert(if found.is_empty() {
            Error::Unknown { kind: "link", name: name.into(), user: "something attached".into() }
        } else {
            Error::invalid(format!("link '{name}'"), "several robots have it; write robot/link")
        });
        None
    }

    /// The part of the deforming body with this name.
    fn deforming_part(&self, name: &str) -> Result<usize, Error> {
        if let Some((_, part, _)) = self.deformables.iter().find(|d| d.0 == name) {
            return Ok(*part);
        }
        Err(match self.parts.iter().any(|p| p.name == name) {
            true => Error::invalid(format!("part '{name}'"), "it is rigid; only a deforming body can touch itself"),
            false => Error::Unknown { kind: "deforming body", name: name.into(), user: "a self-contact".into() },
        })
    }

    fn push_frame(&mut self, parent: usize, mover: Mover) -> usize {
        self.parents.push(parent as u32);
        self.movers.push(mover);
        self.movers.len() - 1
    }

    fn push_part(&mut self, name: String, (frame, placement): (usize, Placement), owner: Owner, pieces: Vec<PlacedShape>) {
        self.parts.push(Part { name, frame, placement, owner, pieces });
    }

    fn own_pieces(&mut self, name: &str, pieces: Vec<Piece>) -> Vec<PlacedShape> {
        pieces.iter().for_each(|p| self.check_piece(p, name));
        pieces.iter().map(|p| placed(Placement::new(p.part_from_shape), p)).collect()
    }

    fn check_piece(&mut self, piece: &Piece, name: &str) {
        self.check_pose(&piece.part_from_shape, name);
        let sizes = if let Shape::Primitive(primitive) = &piece.shape { primitive.check() } else { Ok(()) };
        if let Err(e) = sizes.and(checked_error("piece", piece.error)) {
            self.error.get_or_insert(Error::invalid(format!("part '{name}'"), e.to_string()));
        }
    }

    fn check_pose(&mut self, pose: &Pose, name: &str) {
        let at = pose.translation;
        if let Err(e) = check_rigid(pose, &format!("pose of '{name}'")) {
            self.error.get_or_insert(e);
        } else if at.max_abs() > MAX_COORDINATE {
            let (what, value) = (format!("position of '{name}'"), at.max_abs());
            self.error.get_or_insert(Error::OutOfRange { what, value, limit: MAX_COORDINATE });
        }
    }
}

/// A part that sits where its frame is.
const HERE: Placement = Placement { pose: Pose::IDENTITY, rotation_error: 0.0, position_error: 0.0 };

/// A piece in the frame that carries it. What was rounded before counts as an error of its position: bounds add that to every point.
fn placed(mut placement: Placement, piece: &Piece) -> PlacedShape {
    let of_mesh = if let Shape::Mesh(mesh) = &piece.shape { mesh.error() } else { 0.0 };
    placement.position_error += piece.error + of_mesh;
    // Twice the shape's own pose is no more than a rounding off, and the distance has room for that.
    let part = |x: Vec3| placement.pose.apply(piece.part_from_shape.inverse().apply(x));
    PlacedShape { placement, shape: piece.shape.clone(), covered: piece.covered().map(|(x, reach)| (part(x), reach)) }
}

/// Parts by full name, or links by their bare name in any robot.
struct Names<'a> {
    full: HashMap<&'a str, usize>,
    links: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Names<'a> {
    fn new(parts: &'a [Part]) -> Self {
        let full = parts.iter().enumerate().map(|(i, p)| (p.name.as_str(), i)).collect();
        let mut links: HashMap<&str, Vec<usize>> = HashMap::new();
        for (i, part) in parts.iter().enumerate().filter(|(_, p)| matches!(p.owner, Owner::Link { .. })) {
            links.entry(part.name.rsplit('/').next().unwrap_or_default()).or_default().push(i);
        }
        Names { full, links }
    }

    /// The part with this name, or the one link with it.
    fn find(&self, name: &str) -> Result<usize, Error> {
        let unknown = || Error::Unknown { kind: "part", name: name.into(), user: "a pair to leave out".into() };
        match (self.full.get(name), self.links.get(name).map(Vec::as_slice)) {
            (Some(&part), _) | (None, Some(&[part])) => Ok(part),
            (None, Some([_, _, ..])) => Err(Error::invalid(format!("link '{name}'"), "several robots have it; write robot/link")),
            (None, _) => Err(unknown()),
        }
    }
}

/// The middle of all resting geometry, so that far from the world's origin nothing is lost.
fn middle_of_resting(parts: &[Part]) -> Option<Vec3> {
    let mut all = Aabb::EMPTY;
    for piece in parts.iter().filter(|p| p.frame == 0).flat_map(|p| &p.pieces) {
        let pose = &piece.placement.pose;
        if let Some((point, _)) = piece.covered {
            all = all.union(Aabb::of([point]));
            continue;
        }
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
