//! Converts a world to the input of the library.

use std::sync::Arc;

use impinge::geometry::{self, Mesh};
use impinge::math::{Pose, Vec3};
use impinge::motion::RigidMotion;
use impinge::query::{Report, Tally};
use impinge::robot::{JointKind, JointSpec, Link, Robot};
use impinge::scene::{Motion, PartId, Scene, SceneBuilder, SelfCollision};
use impinge::{Checker, Error, Options, Verdict};

use crate::world::{Drive, Frame, Part, Place, Solid, Soup, World};

/// A query that is ready to run.
#[derive(Debug)]
pub struct Question {
    /// The checker with the scene.
    pub checker: Checker,
    /// The motion.
    pub motion: Motion,
}

impl Question {
    /// Builds scene, checker and motion of a world.
    ///
    /// # Errors
    /// If the library refuses the world.
    pub fn new(world: &World, options: Options) -> Result<Self, Error> {
        let mut builder = Scene::builder();
        if !world.self_checked {
            builder = builder.self_collision(SelfCollision::Skip);
        }
        let mut meshes = Meshes::default();
        for (p, part) in world.parts.iter().enumerate() {
            if part.frame == 0 {
                builder.add_obstacle(format!("p{p}"), meshes.pieces(part)?);
            }
        }
        for (f, frame) in world.frames.iter().enumerate().skip(1).filter(|(_, f)| f.parent == 0) {
            add_top(&mut builder, world, (f, frame), &mut meshes)?;
        }
        for &(a, b) in &world.disabled {
            builder.add_disabled(part_name(world, a), part_name(world, b), "switched off");
        }
        let checker = Checker::new(builder.build()?, options)?;
        let motion = motion(&checker, world)?;
        Ok(Question { checker, motion })
    }

    /// Converts the motion of a world that differs from this one only in its motion to a motion of this scene.
    ///
    /// # Errors
    /// If the library refuses the motion.
    pub fn motion_of(&self, world: &World) -> Result<Motion, Error> {
        motion(&self.checker, world)
    }

    /// Queries any contact.
    pub fn any(&self) -> (Verdict, Tally) {
        self.checker.check_counted(&self.motion).expect("of this scene")
    }

    /// Queries the first contact.
    pub fn first(&self) -> (Verdict, Tally) {
        self.checker.first_contact_counted(&self.motion).expect("of this scene")
    }

    /// Returns the report of all stages of a first-contact query, without a clock.
    pub fn report(&self) -> Report {
        self.checker.first_contact_reported(&self.motion, &|| 0.0).expect("of this scene").1
    }

    /// Returns the index in the world of a part of the scene.
    pub fn part(&self, world: &World, id: PartId) -> usize {
        let name = self.checker.scene().part_name(id).expect("of this scene");
        (0..world.parts.len()).find(|&p| part_name(world, p) == name).expect("a part of this world")
    }
}

/// Returns the name of a part in the scene.
fn part_name(world: &World, part: usize) -> String {
    let frame = world.parts[part].frame;
    match frame {
        0 => format!("p{part}"),
        f if matches!(world.frames[f].drive, Drive::Free { .. }) => format!("top{f}"),
        f => format!("top{}/f{f}", world.top(f)),
    }
}

/// A cache of meshes, so that a soup that is used twice becomes one mesh.
#[derive(Default)]
struct Meshes(Vec<(Arc<Soup>, Arc<Mesh>)>);

impl Meshes {
    fn pieces(&mut self, part: &Part) -> Result<Vec<geometry::Piece>, Error> {
        part.pieces
            .iter()
            .map(|p| {
                let shape: geometry::Shape = match &p.solid {
                    Solid::Mesh(soup) => self.mesh(soup)?.into(),
                    Solid::Primitive(primitive) => (*primitive).into(),
                };
                Ok(geometry::Piece::new(shape, pose(&p.place)?))
            })
            .collect()
    }

    fn mesh(&mut self, soup: &Arc<Soup>) -> Result<Arc<Mesh>, Error> {
        if let Some((_, mesh)) = self.0.iter().find(|(s, _)| Arc::ptr_eq(s, soup)) {
            return Ok(mesh.clone());
        }
        let mesh = Arc::new(Mesh::new(soup.vertices.clone(), soup.triangles.clone())?);
        self.0.push((soup.clone(), mesh.clone()));
        Ok(mesh)
    }
}

fn pose(place: &Place) -> Result<Pose, Error> {
    Pose::from_rpy(place.xyz, place.rpy)
}

/// Adds a child of the world: a free body, or a robot with all its descendants.
fn add_top(builder: &mut SceneBuilder, world: &World, (f, frame): (usize, &Frame), meshes: &mut Meshes) -> Result<(), Error> {
    let name = format!("top{f}");
    let mut pieces_on = |frame: usize| match world.parts.iter().find(|p| p.frame == frame) {
        Some(part) => meshes.pieces(part),
        None => Ok(Vec::new()),
    };
    if matches!(frame.drive, Drive::Free { .. }) {
        builder.add_body(name, pieces_on(f)?);
        return Ok(());
    }
    let (mut links, mut joints) = (Vec::new(), Vec::new());
    for (g, inner) in world.frames.iter().enumerate().skip(1).filter(|&(g, _)| world.top(g) == f) {
        links.push(Link { name: format!("f{g}"), pieces: pieces_on(g)? });
        if g != f {
            joints.push(joint(g, inner)?);
        }
    }
    builder.add_robot(name.clone(), Robot::new(name, links, joints)?, pose(&frame.place)?);
    Ok(())
}

fn joint(g: usize, frame: &Frame) -> Result<JointSpec, Error> {
    let kind = match frame.drive {
        Drive::Base => JointKind::Fixed,
        Drive::Turn { axis, .. } | Drive::Follow { axis, .. } => JointKind::Revolute { axis },
        Drive::Slide { axis, .. } => JointKind::Prismatic { axis },
        Drive::Planar { .. } => JointKind::Planar { axis: Vec3::unit(2) },
        Drive::Float { .. } => JointKind::Floating,
        Drive::Free { .. } => return Err(Error::invalid("world", "a free body hangs on the world only")),
    };
    let mimic = match frame.drive {
        Drive::Follow { leader, multiplier, offset, .. } => Some((format!("j{leader}"), multiplier, offset)),
        _ => None,
    };
    Ok(JointSpec {
        name: format!("j{g}"),
        parent: format!("f{}", frame.parent),
        child: format!("f{g}"),
        parent_from_joint: pose(&frame.place)?,
        kind,
        limits: None,
        mimic,
    })
}

fn motion(checker: &Checker, world: &World) -> Result<Motion, Error> {
    let scene = checker.scene();
    let tops: Vec<usize> = (1..world.frames.len()).filter(|&f| world.frames[f].parent == 0).collect();
    let values: Vec<(Vec<f64>, Vec<f64>)> = tops.iter().map(|&f| configurations(world, f)).collect();
    let mut builder = scene.motion();
    for (&f, (from, to)) in tops.iter().zip(&values) {
        let name = format!("top{f}");
        if let Drive::Free { travel, turn } = world.frames[f].drive {
            let start = pose(&world.frames[f].place)?;
            let motion = RigidMotion { start, end_position: start.translation + travel, rotation_vector: turn };
            builder = builder.rigid(scene.body(&name).expect("added above"), motion);
        } else {
            builder = builder.joint_line(scene.robot(&name).expect("added above"), from, to);
        }
    }
    builder.build()
}

/// Returns the joint values of the robot at frame `top`, at the start and the end.
fn configurations(world: &World, top: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut start, mut end) = (Vec::new(), Vec::new());
    for (g, frame) in world.frames.iter().enumerate().skip(1) {
        if world.top(g) != top || g == top {
            continue;
        }
        match frame.drive {
            Drive::Turn { from, to, .. } | Drive::Slide { from, to, .. } => {
                start.push(from);
                end.push(to);
            }
            Drive::Planar { from, to } => {
                start.extend(from);
                end.extend(to);
            }
            Drive::Float { from, to } => {
                start.extend(from.0.iter().chain(&from.1));
                end.extend(to.0.iter().chain(&to.1));
            }
            Drive::Base | Drive::Follow { .. } | Drive::Free { .. } => {}
        }
    }
    (start, end)
}
