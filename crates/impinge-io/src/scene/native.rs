//! The scene format of impinge, JSON, version 1.
//!
//! ```text
//! {"format": "impinge-scene", "version": 1,
//!  "objects": [{"name": "table",
//!               "pose": {"p": [x, y, z], "q": [w, x, y, z]}           or {"p": …, "rpy": [roll, pitch, yaw]},
//!               "shape": {"type": "box", "size": [x, y, z]}          or sphere {radius}, cylinder {radius, length},
//!                                                                    capsule {radius, length},
//!                                                                    mesh {file, scale?} or mesh {vertices, triangles, scale?}}],
//!  "allowed": [["table", "robot/base"]]}
//! ```
//!
//! Lengths and angles are numbers of metres and radians, or strings with a unit: `"5mm"`, `"90deg"`. Other forms of poses are
//! accepted: `quat_wxyz` for `q`, `xyz` for `p`, and `{"matrix": [16, row by row]}`.
//!
//! Unknown keys are errors: a misspelled key must not lose geometry. A missing pose is the identity. Mesh files are resolved like
//! those of a URDF, from the scene's folder; COLLADA is rotated to Z up.

use std::collections::HashSet;
use std::f64::consts::TAU;
use std::path::Path;

use impinge::geometry::Piece;
use impinge::math::{Mat3, Pose, Vec3};
use serde_json::Value;

use super::{Obstacle, SceneFile};
use crate::error::{Place, Result};
use crate::json::Item;
use crate::placement::rotation_from_matrix;
use crate::quantity::Dimension;
use crate::shapes::ShapeReader;
use crate::urdf::UrdfOptions;
use crate::warning::{Loaded, Warning};

/// The value of the key `format`.
pub const FORMAT: &str = "impinge-scene";

/// The smallest scene, for messages.
pub(crate) const EMPTY: &str = r#"{"format": "impinge-scene", "version": 1, "objects": []}"#;

/// Maximum difference of a matrix's last row from 0 0 0 1: printed digits.
const BOTTOM_ROW: f64 = 1e-9;

/// Parses a scene in this format; mesh files are resolved from `path`.
///
/// # Errors
/// See the module documentation.
pub fn scene(value: &Value, path: &Path, options: &UrdfOptions) -> Result<Loaded<SceneFile>> {
    let at = Place::file(path);
    let root = Item::root(value, &at);
    root.only(&["format", "version", "name", "objects", "allowed"])?;
    if root.need("format")?.text()? != FORMAT {
        return Err(root.bad(format!("is not of format '{FORMAT}'"), "correct the key 'format'"));
    }
    let version = root.need("version")?;
    if version.number()? != 1.0 {
        return Err(version.bad("is not 1", "use a newer program, or write version 1"));
    }
    let mut reader = ShapeReader::new(path, options);
    let mut scene = SceneFile::default();
    let mut names = HashSet::new();
    for item in root.need("objects")?.items()? {
        let obstacle = object(&mut reader, &item)?;
        if !names.insert(obstacle.name.clone()) {
            return Err(item.bad(format!("has the name '{}' of another object", obstacle.name), "make names unique"));
        }
        scene.obstacles.push(obstacle);
    }
    if let Some(allowed) = root.get("allowed") {
        for pair in allowed.items()? {
            match &pair.items()?[..] {
                [a, b] => scene.allowed.push((a.text()?.into(), b.text()?.into())),
                _ => return Err(pair.bad("is not a pair", "write [\"a\", \"b\"]")),
            }
        }
    }
    Ok(Loaded { value: scene, warnings: reader.warnings })
}

fn object(reader: &mut ShapeReader<'_>, item: &Item<'_>) -> Result<Obstacle> {
    item.only(&["name", "pose", "shape"])?;
    let name = item.need("name")?;
    if name.text()?.is_empty() {
        return Err(name.bad("is empty", "give the object a name"));
    }
    let world_from_shape = item.get("pose").map_or(Ok(Pose::IDENTITY), |p| pose(&p))?;
    if let Some(angles) = item.get("pose").and_then(|pose| pose.get("rpy")) {
        reader.warnings.extend(large_angle(&angles));
    }
    let shape = reader.shape(&item.need("shape")?)?;
    Ok(Obstacle { name: name.text()?.into(), pieces: vec![Piece::new(shape, world_from_shape)] })
}

/// Returns a warning if an angle without a unit looks like degrees: beyond a full turn.
fn large_angle(angles: &Item<'_>) -> Option<Warning> {
    let value = angles.array().ok()?.iter().filter_map(Value::as_f64).find(|angle| angle.abs() > TAU)?;
    let turns = value / TAU;
    let message =
        format!("{}: the angle {value} is in radians ({turns:.1} turns); write \"{value}deg\" for degrees", angles.trail());
    Some(Warning::new(angles.place(), "large-angle", message))
}

/// Reads a pose in any form; see the module documentation.
pub(crate) fn pose(item: &Item<'_>) -> Result<Pose> {
    if let Some(matrix) = item.get("matrix") {
        item.only(&["matrix"])?;
        return pose_from_matrix(&matrix);
    }
    item.only(&["p", "q", "rpy", "xyz", "quat_wxyz"])?;
    let position = one_of(item, ["p", "xyz"])?;
    let position = position.map_or(Ok([0.0; 3]), |p| p.quantities::<3>(Dimension::Length)).map(Vec3::from)?;
    let pose = match (one_of(item, ["q", "quat_wxyz"])?, item.get("rpy")) {
        (Some(_), Some(_)) => return Err(item.bad("has both a quaternion and 'rpy'", "keep one")),
        (Some(q), None) => Pose::from_quaternion(position, q.numbers::<4>()?),
        (None, rpy) => {
            let turned = rpy.map_or(Ok([0.0; 3]), |rpy| rpy.quantities::<3>(Dimension::Angle))?;
            Pose::from_rpy(position, Vec3::from(turned))
        }
    };
    pose.map_err(|source| item.model(source))
}

/// Returns the value of one of two equivalent keys.
fn one_of<'a>(item: &Item<'a>, [key, other]: [&str; 2]) -> Result<Option<Item<'a>>> {
    match (item.get(key), item.get(other)) {
        (Some(_), Some(_)) => Err(item.bad(format!("has both '{key}' and '{other}'"), format!("keep '{key}'"))),
        (first, second) => Ok(first.or(second)),
    }
}

fn pose_from_matrix(item: &Item<'_>) -> Result<Pose> {
    let m = item.numbers::<16>()?;
    if m[12..].iter().zip([0.0, 0.0, 0.0, 1.0]).any(|(found, wanted)| (found - wanted).abs() > BOTTOM_ROW) {
        return Err(item.bad("does not end with 0 0 0 1", "write the matrix row by row"));
    }
    let linear = Mat3::from_rows([[m[0], m[1], m[2]], [m[4], m[5], m[6]], [m[8], m[9], m[10]]]);
    let rotation =
        rotation_from_matrix(linear).map_err(|why| item.bad(why, "scale the shape, not the pose; write more digits"))?;
    Ok(Pose { rotation, translation: Vec3::new(m[3], m[7], m[11]) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn read(objects: &str) -> Result<Loaded<SceneFile>> {
        let text = format!(r#"{{"format": "impinge-scene", "version": 1, "objects": [{objects}], "allowed": [["a", "b"]]}}"#);
        let value = json::parse(text.as_bytes(), &Place::file("s.json")).expect("JSON");
        scene(&value, Path::new("s.json"), &UrdfOptions::default())
    }

    fn object(pose: &str, shape: &str) -> String {
        format!(r#"{{"name": "a", "pose": {pose}, "shape": {shape}}}"#)
    }

    const BALL: &str = r#"{"type": "sphere", "radius": 1}"#;

    #[test]
    fn poses_in_every_spelling_agree() {
        let q = r#"{"p": [1, 2, 3], "quat_wxyz": [0, 0, 0, 1]}"#;
        let rpy = r#"{"xyz": [1, 2, 3], "rpy": [0, 0, 3.141592653589793]}"#;
        let matrix = r#"{"matrix": [-1,0,0,1, 0,-1,0,2, 0,0,1,3, 0,0,0,1]}"#;
        let short = r#"{"p": [1, 2, 3], "q": [0, 0, 0, 1]}"#;
        let units = r#"{"p": ["100cm", "2000 mm", 3], "rpy": [0, 0, "180deg"]}"#;
        for pose in [q, rpy, matrix, short, units] {
            let loaded = read(&object(pose, BALL)).expect("a scene");
            let p = loaded.value.obstacles[0].pieces[0].part_from_shape.apply(Vec3::unit(0));
            assert!((p - Vec3::new(0.0, 2.0, 3.0)).norm() < 1e-15, "{pose}");
        }
        let loaded = read(&format!(r#"{{"name": "a", "shape": {BALL}}}"#)).expect("a scene");
        assert!(loaded.value.obstacles[0].pieces[0].part_from_shape.is_identity());
        assert_eq!(loaded.value.allowed, [("a".to_owned(), "b".to_owned())]);
    }

    #[test]
    fn degrees_taken_as_radians_are_reported() {
        let warnings = |pose: &str| read(&object(pose, BALL)).expect("a scene").warnings;
        let found = warnings(r#"{"rpy": [0, 0, 90]}"#);
        let text = "objects[0].pose.rpy: the angle 90 is in radians (14.3 turns); write \"90deg\" for degrees";
        assert_eq!(found.iter().map(|w| (w.kind, w.message.as_str())).collect::<Vec<_>>(), [("large-angle", text)]);
        assert!(warnings(r#"{"rpy": [0, 6.28, "90deg"]}"#).is_empty());
    }

    #[test]
    fn shapes_are_read() {
        for (shape, warns) in [
            (r#"{"type": "box", "size": [1, 2, 3]}"#, None),
            (r#"{"type": "box", "size": ["1m", "2cm", "3mm"]}"#, None),
            (r#"{"type": "sphere", "radius": "1in"}"#, None),
            (r#"{"type": "box", "size": [1, 2, 0]}"#, Some("zero-size")),
            (r#"{"type": "cylinder", "radius": 1, "length": 2}"#, None),
            (r#"{"type": "capsule", "radius": 1, "length": 0}"#, None),
            (
                r#"{"type": "mesh", "vertices": [[0,0,0],[1,0,0],[0,1,0]], "triangles": [[0,1,2]], "scale": [1,1,-1]}"#,
                Some("mirrored-mesh"),
            ),
            (r#"{"type": "mesh", "vertices": [[0,0,0],[1,0,0],[0,1,0]], "triangles": [[0,1,1]]}"#, Some("degenerate-triangles")),
        ] {
            let loaded = read(&object("{}", shape)).expect(shape);
            assert_eq!(loaded.warnings.first().map(|w| w.kind), warns, "{shape}");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused_by_name() {
        let mesh = |v: &str, t: &str| format!(r#"{{"type": "mesh", "vertices": {v}, "triangles": {t}}}"#);
        let corners = "[[0,0,0],[1,0,0],[0,1,0]]";
        for (text, class, part) in [
            (
                object("{}", r#"{"type": "sphere", "radius": 1, "colour": 2}"#),
                "BadElement",
                "objects[0].shape has the unknown key 'colour'",
            ),
            (object(r#"{"q": [1,0,0,0], "rpy": [0,0,0]}"#, BALL), "BadElement", "both a quaternion and 'rpy'"),
            (object(r#"{"p": [0,0,0], "xyz": [0,0,0]}"#, BALL), "BadElement", "both 'p' and 'xyz'"),
            (object(r#"{"p": ["90deg",0,0]}"#, BALL), "BadElement", "objects[0].pose.p[0] is \"90deg\": this is an angle"),
            (object(r#"{"rpy": ["5mm",0,0]}"#, BALL), "BadElement", "this is a length"),
            (object(r#"{"p": [0,0,"NaN"]}"#, BALL), "NonFinite", "objects[0].pose.p[2]"),
            (object(r#"{"quat_wxyz": [2,0,0,0]}"#, BALL), "Model", "normalise"),
            (object(r#"{"matrix": [2,0,0,0, 0,2,0,0, 0,0,2,0, 0,0,0,1]}"#, BALL), "BadElement", "not a rotation"),
            (object("{}", r#"{"type": "cone", "radius": 1}"#), "BadElement", "cone"),
            (object("{}", r#"{"type": "sphere", "radius": -1}"#), "Model", "negative"),
            (object("{}", r#"{"type": "sphere"}"#), "MissingElement", "key 'radius'"),
            (object("{}", r#"{"type": "mesh", "file": "none.stl"}"#), "MissingMesh", "none.stl"),
            (object("{}", r#"{"type": "mesh", "file": "../none.stl"}"#), "PathEscape", "none.stl"),
            (object("{}", &mesh(corners, "[[0,1,3]]")), "BadIndex", "triangles[0]"),
            (object("{}", &mesh(corners, "[[0,1,-1]]")), "BadIndex", "triangles[0]"),
            (object("{}", &mesh(corners, "[]")), "BadElement", "no triangles"),
            (object("{}", &mesh(r#"[[0,0,"Infinity"]]"#, "[[0,0,0]]")), "NonFinite", "vertices[0][2]"),
            (format!("{0}, {0}", object("{}", BALL)), "BadElement", "objects[1] has the name 'a'"),
        ] {
            let error = read(&text).expect_err(&text);
            assert_eq!(error.class(), class, "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
