//! Scenes: static obstacles, from four kinds of file.
//!
//! ```text
//! impinge JSON    {"format": "impinge-scene", …}            [`native`]
//! MoveIt JSON     a PlanningScene, or {"scene": …}          [`moveit`]
//! a mesh          one obstacle named after the file
//! a URDF          every link as an obstacle `robot/link`, all joints at zero
//! ```
//!
//! Poses are applied to the pieces: an obstacle's frame is the world. Refused: other formats, unknown shapes, repeated names.
//! Objects attached to a robot are in the frame of their link. Not in this module: moving robots, motions.

pub mod moveit;
pub mod native;

use std::path::Path;

use impinge::geometry::Piece;
use impinge::math::{Mat3, Pose, Vec3};
use impinge::robot::{Joint, JointKind, Robot};
use serde_json::Value;

use crate::error::{IoError, Place, Result};
use crate::mesh::{Format, UpAxis, load_mesh_as};
use crate::placement::{Composed, turn};
use crate::urdf::{self, UrdfOptions, load_urdf};
use crate::warning::Loaded;
use crate::{json, read};

/// A static object.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// Unique name.
    pub name: String,
    /// Its shapes, placed in the world.
    pub pieces: Vec<Piece>,
}

/// An object attached to a link of a robot.
#[derive(Clone, Debug)]
pub struct Attached {
    /// Unique name.
    pub name: String,
    /// The link.
    pub link: String,
    /// Its shapes, placed in the link.
    pub pieces: Vec<Piece>,
    /// Links that it may touch, besides the one it is attached to.
    pub touch: Vec<String>,
}

/// The contents of a scene file.
#[derive(Clone, Debug, Default)]
pub struct SceneFile {
    /// The obstacles, in order.
    pub obstacles: Vec<Obstacle>,
    /// Attached objects, in order.
    pub attached: Vec<Attached>,
    /// Pairs of names (obstacles or links) that may touch.
    pub allowed: Vec<(String, String)>,
}

/// Loads a scene; extension and content determine the format.
///
/// # Errors
/// See the list in the module documentation.
pub fn load_scene(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<Loaded<SceneFile>> {
    let path = path.as_ref();
    if Format::of(path).is_some() {
        return from_mesh(path, options);
    }
    if extension(path) == "urdf" {
        return Ok(load_urdf(path, options)?.map(|robot| from_robot(&robot)));
    }
    let bytes = read::bytes(path, read::MAX_TREE_FILE)?;
    let start = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(&bytes).iter().find(|b| !b.is_ascii_whitespace());
    match start {
        Some(b'{' | b'[') => from_json(&bytes, path, options),
        None => Err(IoError::BadFormat {
            at: Place::file(path),
            what: "the scene file is empty".into(),
            remedy: format!("the smallest scene is {}", native::EMPTY),
        }),
        Some(b'<') => Ok(urdf::parse(&bytes, path, options)?.map(|robot| from_robot(&robot))),
        _ if extension(path) == "json" => from_json(&bytes, path, options),
        _ => Err(IoError::UnsupportedFormat {
            at: Place::file(path),
            what: format!("the scene format '{}'", extension(path)),
            remedy: "give an impinge or MoveIt scene in JSON, a URDF, or a mesh".into(),
        }),
    }
}

fn extension(path: &Path) -> String {
    path.extension().map_or(String::new(), |e| e.to_string_lossy().to_ascii_lowercase())
}

fn from_mesh(path: &Path, options: &UrdfOptions) -> Result<Loaded<SceneFile>> {
    let mesh = load_mesh_as(path, Vec3::splat(1.0), options.up_axis.unwrap_or(UpAxis::TurnToZ))?;
    let name = path.file_stem().map_or("mesh".into(), |s| s.to_string_lossy().into_owned());
    Ok(mesh.map(|mesh| {
        let obstacle = Obstacle { name, pieces: vec![Piece::new(mesh, Pose::IDENTITY)] };
        SceneFile { obstacles: vec![obstacle], ..SceneFile::default() }
    }))
}

fn from_json(bytes: &[u8], path: &Path, options: &UrdfOptions) -> Result<Loaded<SceneFile>> {
    let at = Place::file(path);
    let value = json::parse(bytes, &at).map_err(|error| match extension(path).as_str() {
        "jsonl" => IoError::UnsupportedFormat {
            at: at.clone(),
            what: "a file of several scenes".into(),
            remedy: "give one line of it as a .json file".into(),
        },
        _ => error,
    })?;
    // JSON that is not an object gets an error that reports this.
    json::Item::root(&value, &at).fields()?;
    if value.get("format").and_then(Value::as_str) == Some(native::FORMAT) {
        return native::scene(&value, path, options);
    }
    if ["world", "scene", "collision_objects"].iter().any(|key| value.get(key).is_some()) {
        return moveit::scene(&value, &at);
    }
    Err(IoError::BadFormat {
        at,
        what: format!("the file has neither \"format\": \"{}\" nor a MoveIt \"world\"", native::FORMAT),
        remedy: format!("a scene begins like {}, see docs/formats.md", native::EMPTY),
    })
}

/// Returns the poses of a robot's links relative to its root, with all joint values zero.
pub(crate) fn poses_at_zero(robot: &Robot) -> Vec<Composed> {
    let mut world_from_link = vec![Composed::new(Pose::IDENTITY); robot.links().len()];
    for &link in robot.order() {
        if let Some(j) = robot.joint_above(link) {
            let joint = &robot.joints()[j];
            world_from_link[link] = world_from_link[joint.parent].then(joint.parent_from_joint).then_computed(at_zero(joint));
        }
    }
    world_from_link
}

/// Returns the links of a static robot, with all joint values zero.
fn from_robot(robot: &Robot) -> SceneFile {
    let world_from_link = poses_at_zero(robot);
    let obstacles = robot
        .links()
        .iter()
        .enumerate()
        .filter(|(_, link)| !link.pieces.is_empty())
        .map(|(i, link)| Obstacle {
            name: format!("{}/{}", robot.name(), link.name),
            pieces: link.pieces.iter().map(|p| world_from_link[i].piece(p)).collect(),
        })
        .collect();
    SceneFile { obstacles, ..SceneFile::default() }
}

/// Returns the pose of a joint if its value, or that of the joint it mimics, is zero.
fn at_zero(joint: &Joint) -> Pose {
    let Some(value) = joint.mimic.map(|m| m.offset).filter(|&v| v != 0.0) else { return Pose::IDENTITY };
    match joint.kind {
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
            Pose { rotation: turn(axis, value), translation: Vec3::ZERO }
        }
        JointKind::Prismatic { axis } => Pose { rotation: Mat3::IDENTITY, translation: axis * (value / axis.norm()) },
        JointKind::Fixed | JointKind::Planar { .. } | JointKind::Floating => Pose::IDENTITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_robot_becomes_a_scene_with_joints_at_zero() {
        let text = b"<robot name='r'><link name='a'/><link name='b'><collision><origin xyz='0 0 1'/>\
            <geometry><sphere radius='1'/></geometry>\
            </collision></link><link name='c'><collision><geometry><box size='1 1 1'/></geometry></collision></link>\
            <joint name='j' type='revolute'><parent link='a'/><child link='b'/><origin xyz='1 0 0' rpy='0 1.5707963267948966 0'/>\
            <axis xyz='0 0 1'/><limit lower='0' upper='1'/></joint>\
            <joint name='k' type='prismatic'><parent link='b'/><child link='c'/><axis xyz='0 0 2'/>\
            <mimic joint='j' offset='3'/><limit/></joint>\
            </robot>";
        let robot = urdf::parse(text, Path::new("r.urdf"), &UrdfOptions::default()).expect("a robot").value;
        let scene = from_robot(&robot);
        let at = |i: usize| scene.obstacles[i].pieces[0].part_from_shape.translation;
        assert_eq!(scene.obstacles.iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["r/b", "r/c"]);
        assert!((at(0) - Vec3::new(2.0, 0.0, 0.0)).norm() < 1e-15);
        assert!((at(1) - Vec3::new(4.0, 0.0, 0.0)).norm() < 1e-15);
    }

    #[test]
    fn the_content_determines_the_format() {
        let options = UrdfOptions::default();
        let path = Path::new("s.json");
        let json = |text: &str| from_json(text.as_bytes(), path, &options);
        assert!(json(r#"{"format": "impinge-scene", "version": 1, "objects": []}"#).is_ok());
        assert!(json(r#"{"world": {"collision_objects": []}}"#).is_ok());
        assert!(json(native::EMPTY).is_ok_and(|scene| scene.value.obstacles.is_empty()));
        assert!(matches!(json(r#"{"objects": []}"#), Err(IoError::BadFormat { .. })));
        let refusal = |text: &str| json(text).map(|_| ()).expect_err("no scene").to_string();
        assert!(refusal("[1]").contains("is not an object") && refusal("3").contains("is not an object"), "{}", refusal("3"));
        assert!(refusal("hello").contains("not well-formed JSON") && refusal("hello").contains("column"), "{}", refusal("hello"));
        let lines = from_json(b"{}\n{}", Path::new("s.jsonl"), &options);
        assert!(matches!(lines, Err(IoError::UnsupportedFormat { .. })));
        assert!(matches!(load_scene("no such file.yaml", &options), Err(IoError::Read { .. })));
    }
}
