//! Writes the example as files: `arm.urdf`, `meshes/<link>.stl`, `plant.stl`, `motions.jsonl`; for `impinge watch` `drill.obj`,
//! `hull.obj`, `poses.jsonl`; and two dancers, `dancer.bvh`, `other.bvh`.
//!
//! Coordinates are `f32` already, so a binary STL file holds them exactly; angles and offsets are written with all digits.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use impinge::geometry::Shape;
use impinge::math::{Mat3, Pose, Vec3};
use impinge::robot::{Joint, JointKind, Robot};

use super::dancers::dancers;
use super::{Example, operator};
use crate::error::{IoError, Place, Result};
use crate::mesh::write::{obj, stl};

/// Writes the example into a folder, which is created if necessary. Returns the files.
///
/// # Errors
/// If a file or folder cannot be written, or the robot was changed to one with more than meshes at their link's origin.
pub fn write(example: &Example, dir: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut put = |name: &Path, bytes: &[u8]| {
        let path = dir.join(name);
        let folder = path.parent().unwrap_or(dir);
        fs::create_dir_all(folder).and_then(|()| fs::write(&path, bytes)).map_err(|source| cannot_write(&path, &source))?;
        files.push(path);
        Ok(())
    };
    put(Path::new("arm.urdf"), urdf(&example.robot).as_bytes())?;
    for link in example.robot.links() {
        let [piece] = &link.pieces[..] else { return Err(not_plain(dir, &link.name)) };
        let Shape::Mesh(mesh) = &piece.shape else { return Err(not_plain(dir, &link.name)) };
        if !piece.part_from_shape.is_identity() {
            return Err(not_plain(dir, &link.name));
        }
        put(&mesh_file(&link.name), &stl([&**mesh]))?;
    }
    put(Path::new("plant.stl"), &stl([&example.plant]))?;
    put(Path::new("motions.jsonl"), motions(&example.motions).as_bytes())?;
    for (name, solid) in [("drill", operator::drill()), ("hull", operator::hull(1600))] {
        let mesh = solid.into_mesh().map_err(|e| IoError::model(Place::file(dir), name, e))?;
        put(Path::new(&format!("{name}.obj")), obj(&[(name, &mesh)]).as_bytes())?;
    }
    put(Path::new("poses.jsonl"), poses(&operator::recording()).as_bytes())?;
    for (name, text) in ["dancer.bvh", "other.bvh"].iter().zip(dancers()) {
        put(Path::new(name), text.as_bytes())?;
    }
    Ok(files)
}

fn cannot_write(path: &Path, source: &std::io::Error) -> IoError {
    let what = format!("cannot write the file: {source}");
    IoError::BadFormat { at: Place::file(path), what, remedy: "choose a writable folder".into() }
}

fn not_plain(dir: &Path, link: &str) -> IoError {
    let what = format!("link '{link}' is not one mesh at the link's origin");
    IoError::BadElement { at: Place::file(dir.join("arm.urdf")), what, remedy: "write the unchanged example".into() }
}

fn mesh_file(link: &str) -> PathBuf {
    Path::new("meshes").join(format!("{link}.stl"))
}

fn urdf(robot: &Robot) -> String {
    let mut text = format!("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", robot.name());
    for link in robot.links() {
        let geometry = format!("<geometry><mesh filename=\"{}\"/></geometry>", mesh_file(&link.name).display());
        let shapes = format!("<visual>{geometry}</visual><collision>{geometry}</collision>");
        let _ = writeln!(text, "  <link name=\"{}\">{shapes}</link>", link.name);
    }
    for joint in robot.joints() {
        text.push_str(&joint_element(robot, joint));
    }
    text + "</robot>\n"
}

fn joint_element(robot: &Robot, joint: &Joint) -> String {
    let (kind, axis) = match joint.kind {
        JointKind::Fixed => ("fixed", None),
        JointKind::Revolute { axis } => ("revolute", Some(axis)),
        JointKind::Continuous { axis } => ("continuous", Some(axis)),
        JointKind::Prismatic { axis } => ("prismatic", Some(axis)),
        JointKind::Planar { axis } => ("planar", Some(axis)),
        JointKind::Floating => ("floating", None),
    };
    let [parent, child] = [joint.parent, joint.child].map(|l| &robot.links()[l].name);
    let (at, turn) = (joint.parent_from_joint.translation, roll_pitch_yaw(joint.parent_from_joint.rotation));
    let mut text =
        format!("  <joint name=\"{}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>", joint.name);
    let _ = write!(text, "<origin xyz=\"{}\" rpy=\"{}\"/>", words(at), words(turn));
    if let Some(axis) = axis {
        let _ = write!(text, "<axis xyz=\"{}\"/>", words(axis));
    }
    if let Some(l) = joint.limits {
        let _ = write!(text, "<limit lower=\"{}\" upper=\"{}\" effort=\"100\" velocity=\"10\"/>", l.lower, l.upper);
    }
    text + "</joint>\n"
}

/// Rust prints the shortest digits that parse to the same number.
fn words(v: Vec3) -> String {
    format!("{} {} {}", v.x, v.y, v.z)
}

/// Returns roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll); at a pitch of a quarter turn the yaw is 0.
fn roll_pitch_yaw(rotation: Mat3) -> Vec3 {
    let [x, y, z] = rotation.columns;
    let flat = (x.x * x.x + x.y * x.y).sqrt();
    let pitch = (-x.z).atan2(flat);
    if flat > 1e-9 { Vec3::new(y.z.atan2(z.z), pitch, x.y.atan2(x.x)) } else { Vec3::new((-z.y).atan2(y.y), pitch, 0.0) }
}

fn poses(recorded: &[(f64, Pose)]) -> String {
    let mut text = String::new();
    for (t, pose) in recorded {
        let (p, q) = (pose.translation.to_array(), pose.quaternion());
        let _ = writeln!(text, "{{\"t\": {t:.3}, \"p\": {p:?}, \"q\": {q:?}}}");
    }
    text
}

fn motions(motions: &[(Vec<f64>, Vec<f64>)]) -> String {
    let mut text = String::new();
    for (id, (q0, q1)) in motions.iter().enumerate() {
        let _ = writeln!(text, "{{\"id\": {id}, \"q0\": {q0:?}, \"q1\": {q1:?}}}");
    }
    text
}
