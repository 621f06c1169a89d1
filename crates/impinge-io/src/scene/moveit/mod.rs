//! MoveIt planning scenes as JSON, and motion planning problems with them.
//!
//! A `PlanningScene` (or `{"scene": …}`) with inline primitives and meshes. Quaternions are x, y, z, w; cylinders are [height,
//! radius]; an object's `pose` is composed with those of its shapes; the allowed-collision matrix becomes pairs of names.
//! Attached objects have their link and the links they may touch; their poses must be in the frame of that link.
//! Refused, because ignoring them would lose geometry: cones, prisms, planes, octomaps, operations other than add, objects in
//! several frames, a robot base away from the origin, goals that are not joint values. Warnings: a frame other than the world,
//! default entries of the matrix.

mod attached;
mod problem;

use std::collections::HashSet;

use impinge::geometry::{Piece, Primitive, Shape};
use impinge::math::{Pose, Vec3};
use serde_json::Value;

pub use problem::{Problem, problem};

use super::{Obstacle, SceneFile};
use crate::error::{IoError, Place, Result, shorten};
use crate::json::Item;
use crate::placement::Composed;
use crate::shapes::{inline_mesh, vector, warn_zero_size};
use crate::warning::{Loaded, Warning};

/// Parses a planning scene; `at` is named in messages.
///
/// # Errors
/// See the list in the module documentation.
pub fn scene(value: &Value, at: &Place) -> Result<Loaded<SceneFile>> {
    let root = Item::root(value, at);
    let root = root.get("scene").unwrap_or(root);
    let mut reader = Reader { warnings: Vec::new(), frame: None };
    let mut scene = SceneFile::default();
    let world = root.get("world").unwrap_or_else(|| root.clone());
    if let Some(octomap) = world.get("octomap").and_then(|o| o.get("octomap")).and_then(|o| o.get("data")) {
        refuse_entries(&octomap, "an octomap")?;
    }
    if let Some(state) = root.get("robot_state") {
        check_robot_state(&state)?;
        scene.attached = attached::of_state(&state, &mut reader.warnings)?;
    }
    let mut names: HashSet<String> = scene.attached.iter().map(|a| a.name.clone()).collect();
    for object in world.need("collision_objects")?.items()? {
        let obstacle = reader.object(&object)?;
        if !names.insert(obstacle.name.clone()) {
            return Err(object.bad(format!("has the id '{}' of another object", shorten(&obstacle.name)), "make ids unique"));
        }
        scene.obstacles.push(obstacle);
    }
    for key in ["link_padding", "link_scale"] {
        if root.get(key).is_some_and(|p| p.value().as_array().is_some_and(|a| !a.is_empty())) {
            reader.warnings.push(Warning::new(
                at.clone(),
                "ignored-padding",
                format!("'{key}' was ignored; use a margin instead"),
            ));
        }
    }
    if let Some(matrix) = root.get("allowed_collision_matrix") {
        scene.allowed = reader.allowed(&matrix)?;
    }
    if let Some(frame) = reader.frame.filter(|f| !matches!(f.as_str(), "" | "world")) {
        let message = format!("poses are in frame '{frame}'; it was assumed to be the frame of the robot's root link");
        reader.warnings.push(Warning::new(at.clone(), "frame", message));
    }
    Ok(Loaded { value: scene, warnings: reader.warnings })
}

struct Reader {
    warnings: Vec<Warning>,
    /// The frame of the objects so far.
    frame: Option<String>,
}

impl Reader {
    fn object(&mut self, item: &Item<'_>) -> Result<Obstacle> {
        self.check_frame(item)?;
        self.object_in_frame(item)
    }

    /// Reads an object without checking its frame.
    fn object_in_frame(&mut self, item: &Item<'_>) -> Result<Obstacle> {
        let name = item.need("id")?.text()?.to_owned();
        check_operation(item)?;
        for key in ["planes", "plane_poses"] {
            if let Some(planes) = item.get(key) {
                refuse_entries(&planes, "an unbounded plane")?;
            }
        }
        let world_from_object = item.get("pose").map_or(Ok(Pose::IDENTITY), |p| self.pose(&p))?;
        let mut pieces = Vec::new();
        for (shapes, poses) in [("primitives", "primitive_poses"), ("meshes", "mesh_poses")] {
            let Some(shapes) = item.get(shapes) else { continue };
            let shape_items = shapes.items()?;
            let object_from_shapes = self.poses(item.get(poses), &shapes, shape_items.len())?;
            for (shape_item, object_from_shape) in shape_items.iter().zip(object_from_shapes) {
                let shape = self.shape(shape_item)?;
                pieces.push(Composed::new(world_from_object).piece(&Piece::new(shape, object_from_shape)));
            }
        }
        if pieces.is_empty() {
            self.warnings.push(Warning::new(item.place(), "empty-object", format!("object '{}' has no shape", shorten(&name))));
        }
        Ok(Obstacle { name, pieces })
    }

    fn check_frame(&mut self, item: &Item<'_>) -> Result<()> {
        let frame = match item.get("header").and_then(|h| h.get("frame_id")) {
            Some(frame) => frame.text()?.to_owned(),
            None => String::new(),
        };
        match &self.frame {
            Some(other) if *other != frame => Err(IoError::UnsupportedFormat {
                at: item.place(),
                what: format!("{}: frames '{}' and '{}' are mixed", item.trail(), shorten(&frame), shorten(other)),
                remedy: "give all objects in one frame".into(),
            }),
            _ => {
                self.frame = Some(frame);
                Ok(())
            }
        }
    }

    /// Reads one pose per shape; without poses, each is the identity, as in MoveIt.
    fn poses(&mut self, poses: Option<Item<'_>>, shapes: &Item<'_>, count: usize) -> Result<Vec<Pose>> {
        let items = poses.map_or(Ok(Vec::new()), |p| p.items())?;
        if items.is_empty() {
            return Ok(vec![Pose::IDENTITY; count]);
        }
        if items.len() != count {
            return Err(shapes.bad(format!("has {count} shapes for {} poses", items.len()), "give one pose per shape"));
        }
        items.iter().map(|p| self.pose(p)).collect()
    }

    fn pose(&mut self, item: &Item<'_>) -> Result<Pose> {
        let translation = item.get("position").map_or(Ok(Vec3::ZERO), |p| vector(&p))?;
        let Some(orientation) = item.get("orientation") else { return Ok(Pose::from_translation(translation)) };
        let [x, y, z, w] = quaternion(&orientation)?;
        if [x, y, z, w] == [0.0; 4] {
            let message = format!("{} is all zero; it was used as the identity", orientation.trail());
            self.warnings.push(Warning::new(item.place(), "empty-quaternion", message));
            return Ok(Pose::from_translation(translation));
        }
        Pose::from_quaternion(translation, [w, x, y, z]).map_err(|source| orientation.model(source))
    }

    fn shape(&mut self, item: &Item<'_>) -> Result<Shape> {
        let Some(kind) = item.get("type") else {
            return inline_mesh(item, Vec3::splat(1.0), &mut self.warnings).map(Shape::from);
        };
        let dimensions = item.need("dimensions")?;
        let kind_name = match (kind.value().as_str(), kind.value().as_u64()) {
            (Some("box"), _) | (_, Some(1)) => "box",
            (Some("sphere"), _) | (_, Some(2)) => "sphere",
            (Some("cylinder"), _) | (_, Some(3)) => "cylinder",
            _ => {
                let what = format!("{}: the primitive {}", item.trail(), shorten(&kind.value().to_string()));
                return Err(IoError::UnsupportedFormat {
                    at: item.place(),
                    what,
                    remedy: "use box, sphere, cylinder or a mesh".into(),
                });
            }
        };
        let primitive = match kind_name {
            "box" => Primitive::cuboid(Vec3::from(dimensions.numbers::<3>()?)),
            "sphere" => Primitive::sphere(dimensions.numbers::<1>()?[0]),
            _ => {
                let [height, radius] = dimensions.numbers::<2>()?;
                Primitive::cylinder(radius, height)
            }
        };
        let primitive = primitive.map_err(|source| item.model(source))?;
        warn_zero_size(&primitive, item, &mut self.warnings);
        Ok(primitive.into())
    }

    /// Returns the pairs that the matrix allows in both directions.
    fn allowed(&mut self, item: &Item<'_>) -> Result<Vec<(String, String)>> {
        let Some(names) = item.get("entry_names") else { return Ok(Vec::new()) };
        let names: Vec<&str> = names.items()?.iter().map(Item::text).collect::<Result<_>>()?;
        let rows_item = item.need("entry_values")?;
        let mut rows = Vec::new();
        for row in rows_item.items()? {
            let row = row.get("enabled").unwrap_or(row);
            let flags: Option<Vec<bool>> = row.array()?.iter().map(Value::as_bool).collect();
            rows.push(
                flags
                    .filter(|f| f.len() == names.len())
                    .ok_or_else(|| row.bad("is not a full row", "give one true or false per name"))?,
            );
        }
        if rows.len() != names.len() {
            return Err(rows_item.bad(format!("has {} rows for {} names", rows.len(), names.len()), "give one row per name"));
        }
        if item.get("default_entry_names").is_some_and(|d| d.value().as_array().is_some_and(|a| !a.is_empty())) {
            let message = "defaults of the allowed-collision matrix were ignored: their pairs are checked";
            self.warnings.push(Warning::new(item.place(), "ignored-defaults", message));
        }
        let mut pairs = Vec::new();
        for i in 0..names.len() {
            for j in i + 1..names.len() {
                if rows[i][j] && rows[j][i] {
                    pairs.push((names[i].to_owned(), names[j].to_owned()));
                }
            }
        }
        Ok(pairs)
    }
}

/// Reads a quaternion as a list x, y, z, w or with named components.
fn quaternion(item: &Item<'_>) -> Result<[f64; 4]> {
    if !item.value().is_object() {
        return item.numbers::<4>();
    }
    let component = |key: &str| item.need(key)?.number();
    Ok([component("x")?, component("y")?, component("z")?, component("w")?])
}

fn check_operation(item: &Item<'_>) -> Result<()> {
    let Some(operation) = item.get("operation") else { return Ok(()) };
    let adds = operation.value().as_u64() == Some(0) || operation.value().as_str().is_some_and(|s| s.eq_ignore_ascii_case("add"));
    if adds {
        return Ok(());
    }
    Err(IoError::UnsupportedFormat {
        at: item.place(),
        what: format!("{}: the operation {}", item.trail(), shorten(&operation.value().to_string())),
        remedy: "give the complete scene, not its changes".into(),
    })
}

/// Refuses a base away from the origin: the geometry would be elsewhere.
fn check_robot_state(state: &Item<'_>) -> Result<()> {
    let transforms = state.get("multi_dof_joint_state").and_then(|m| m.get("transforms"));
    for transform in transforms.map_or(Ok(Vec::new()), |t| t.items())? {
        let translation = transform.get("translation").map_or(Ok(Vec3::ZERO), |t| vector(&t))?;
        let rotation = transform.get("rotation").map_or(Ok([0.0, 0.0, 0.0, 1.0]), |r| quaternion(&r))?;
        if translation != Vec3::ZERO || rotation[..3] != [0.0; 3] {
            return Err(IoError::UnsupportedFormat {
                at: transform.place(),
                what: format!("{}: a robot base away from the origin", transform.trail()),
                remedy: "move the objects instead".into(),
            });
        }
    }
    Ok(())
}

fn refuse_entries(list: &Item<'_>, what: &str) -> Result<()> {
    if list.value().as_array().is_some_and(Vec::is_empty) {
        return Ok(());
    }
    Err(IoError::UnsupportedFormat {
        at: list.place(),
        what: format!("{}: {what}", list.trail()),
        remedy: "replace it by boxes, spheres, cylinders or meshes".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn read(objects: &str, more: &str) -> Result<Loaded<SceneFile>> {
        let text = format!(r#"{{"world": {{"collision_objects": [{objects}]}}{more}}}"#);
        let at = Place::file("s.json");
        scene(&json::parse(text.as_bytes(), &at).expect("JSON"), &at)
    }

    const CAN: &str = r#"{"id": "can", "pose": {"position": {"x": 0, "y": 0, "z": 1}, "orientation": [0, 0, 0, 1]},
        "primitives": [{"type": "cylinder", "dimensions": [0.4, 0.1]}, {"type": 1, "dimensions": [1, 2, 3]}],
        "primitive_poses": [{"position": [1, 0, 0], "orientation": [0.7071067811865476, 0, 0, 0.7071067811865476]}, {}],
        "meshes": [{"vertices": [{"x": 0, "y": 0, "z": 0}, [1, 0, 0], [0, 1, 0]], "triangles": [{"vertex_indices": [0, 1, 2]}]}]}"#;

    #[test]
    fn objects_are_placed_and_dimensions_in_moveits_order() {
        let loaded = read(CAN, "").expect("a scene");
        let pieces = &loaded.value.obstacles[0].pieces;
        assert!(matches!(pieces[0].shape, Shape::Primitive(Primitive::Cylinder { radius: 0.1, half_length: 0.2 })));
        let tip = pieces[0].part_from_shape.apply(Vec3::new(0.0, 0.0, 1.0));
        assert!((tip - Vec3::new(1.0, -1.0, 1.0)).norm() < 1e-15, "{tip:?}");
        assert_eq!(pieces[1].part_from_shape.translation, Vec3::new(0.0, 0.0, 1.0));
        assert!(matches!(&pieces[2].shape, Shape::Mesh(m) if m.triangles().len() == 1));
    }

    #[test]
    fn the_matrix_becomes_pairs() {
        let matrix = r#", "allowed_collision_matrix": {"entry_names": ["a", "b", "c"], "default_entry_names": ["c"],
            "entry_values": [[false, true, true], {"enabled": [true, false, false]}, [false, false, true]]}"#;
        let loaded = read("", matrix).expect("a scene");
        assert_eq!(loaded.value.allowed, [("a".to_owned(), "b".to_owned())]);
        assert!(loaded.warns("ignored-defaults"));
        assert!(read("", r#", "allowed_collision_matrix": {"entry_names": ["a"], "entry_values": []}"#).is_err());
    }

    #[test]
    fn what_would_lose_geometry_is_refused() {
        let with = |from: &str, to: &str| read(&CAN.replace(from, to), "").map_err(|e| (e.class(), e.to_string()));
        for (from, to, class) in [
            (r#""cylinder", "dimensions": [0.4, 0.1]"#, r#""cone", "dimensions": [0.4, 0.1]"#, "UnsupportedFormat"),
            (r#""id": "can""#, r#""id": "can", "operation": 1"#, "UnsupportedFormat"),
            (r#""id": "can""#, r#""id": "can", "planes": [{"coef": [0, 0, 1, 0]}]"#, "UnsupportedFormat"),
            ("[0.4, 0.1]", "[0.4]", "BadElement"),
            ("[0.4, 0.1]", r#"[0.4, "NaN"]"#, "NonFinite"),
            (", {}]", "]", "BadElement"),
            ("[0, 0, 0, 1]", "[0, 0, 0, 3]", "Model"),
            ("[0, 1, 2]", "[0, 1, 3]", "BadIndex"),
        ] {
            let (found, message) = with(from, to).expect_err(to);
            assert_eq!(found, class, "{message}");
        }
        let moved = r#", "robot_state": {"multi_dof_joint_state": {"transforms": [{"translation": [1, 0, 0]}]}}"#;
        assert!(matches!(read("", moved), Err(IoError::UnsupportedFormat { .. })));
        assert!(matches!(read(&format!("{CAN}, {CAN}"), ""), Err(IoError::BadElement { .. })));
        let framed = |f: &str| CAN.replace(r#""id": "can""#, &format!(r#""id": "{f}", "header": {{"frame_id": "{f}"}}"#));
        assert!(matches!(read(&format!("{}, {}", framed("a"), framed("b")), ""), Err(IoError::UnsupportedFormat { .. })));
        assert!(read(&framed("base_link"), "").expect("one frame").warns("frame"));
        assert!(with("[0, 0, 0, 1]", "[0, 0, 0, 0]").expect("a scene").warns("empty-quaternion"));
    }
}
