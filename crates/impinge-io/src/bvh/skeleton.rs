//! Converts joints of a BVH file to links of a robot, and frames to configurations.

use std::collections::HashSet;
use std::path::Path;

use impinge::geometry::{Piece, Primitive};
use impinge::math::trig::sin_cos;
use impinge::math::{Pose, Vec3};
use impinge::robot::{JointKind, JointSpec, Link, Robot};

use super::parse::{Channel, File, Joint};
use super::{BONE_SHARE, Between, BvhOptions, channels};
use crate::error::{IoError, Place, Result, shorten};
use crate::mesh::{Format, load_mesh};
use crate::track::quaternion_product;
use crate::warning::{Loaded, Warning};

/// Returns the robot of a skeleton.
pub(super) fn robot(file: &File, path: &Path, options: &BvhOptions, warnings: &mut Vec<Warning>) -> Result<Robot> {
    let name = path.file_stem().map_or("skeleton".into(), |s| s.to_string_lossy().into_owned());
    let origin = free_name(&file.joints);
    let mut links = vec![Link { name: origin.clone(), pieces: Vec::new() }];
    let mut meshes = Meshes::new(options, warnings)?;
    for (i, joint) in file.joints.iter().enumerate() {
        let pieces = match meshes.of(&joint.name, options.scale)? {
            Some(mesh) => vec![mesh],
            None => {
                let fail =
                    |source| IoError::model(Place::file(path), format!("a bone of joint '{}'", shorten(&joint.name)), source);
                let bone = |end: Vec3| capsule(end * options.scale, options).map_err(fail).transpose();
                bones(file, i).filter_map(bone).collect::<Result<_>>()?
            }
        };
        links.push(Link { name: joint.name.clone(), pieces });
    }
    meshes.warn_unused();
    if links.iter().all(|l| l.pieces.is_empty()) {
        let message = "the skeleton has no bones: it has no collision geometry";
        warnings.push(Warning::new(Place::file(path), "no-geometry", message));
    }
    let joints = match options.between {
        Between::Channels => {
            let (frames, joints) = channels::chains(&file.joints, &origin, options.scale);
            links.extend(frames);
            joints
        }
        Between::OneAxis => file.joints.iter().map(|j| spec(j, &file.joints, &origin, options.scale)).collect(),
    };
    Robot::new(&name, links, joints).map_err(|source| IoError::model(Place::file(path), format!("skeleton '{name}'"), source))
}

/// Returns the configuration of one frame with one floating joint per joint: for every joint with channels x, y, z, qw, qx, qy,
/// qz.
pub(super) fn configuration(joints: &[Joint], frame: &[f64], scale: f64) -> Vec<f64> {
    let mut q = Vec::with_capacity(7 * joints.len());
    let mut numbers = frame.iter();
    for joint in joints.iter().filter(|j| !j.channels.is_empty()) {
        let mut position = if joint.has_positions() { joint.offset.to_array() } else { [0.0; 3] };
        let mut turned = [1.0, 0.0, 0.0, 0.0];
        for (channel, &x) in joint.channels.iter().zip(&mut numbers) {
            match *channel {
                Channel::Position(axis) => position[axis] = x,
                Channel::Rotation(axis) => turned = quaternion_product(turned, about(axis, x)),
            }
        }
        q.extend(position.map(|x| x * scale));
        q.extend(turned);
    }
    q
}

/// Returns the rotation by an angle in degrees, of any number of turns, about a coordinate axis.
fn about(axis: usize, degrees: f64) -> [f64; 4] {
    // Full turns have no effect and are removed exactly.
    let (s, c) = sin_cos((degrees % 360.0).to_radians() * 0.5);
    let mut q = [c, 0.0, 0.0, 0.0];
    q[axis + 1] = s;
    q
}

/// Returns a name for the frame that the root moves in; no joint has this name.
fn free_name(joints: &[Joint]) -> String {
    let mut name = "origin".to_owned();
    while joints.iter().any(|j| j.name == name) {
        name.push('_');
    }
    name
}

/// Returns the ends of a joint's bones: its children and its end sites.
fn bones(file: &File, joint: usize) -> impl Iterator<Item = Vec3> {
    let children = file.joints.iter().filter(move |j| j.parent == Some(joint)).map(|j| j.offset);
    children.chain(file.joints[joint].ends.iter().copied())
}

/// Returns a capsule from the joint to `end`; none for a bone of length zero.
fn capsule(end: Vec3, options: &BvhOptions) -> std::result::Result<Option<Piece>, impinge::Error> {
    let length = end.norm();
    if length == 0.0 {
        return Ok(None);
    }
    let shape = Primitive::capsule(options.bone_radius.unwrap_or(BONE_SHARE * length), length)?;
    let pose = Pose::from_quaternion(end * 0.5, from_z(end * (1.0 / length)))?;
    Ok(Some(Piece::new(shape, pose)))
}

/// Returns the shortest rotation that takes z to a unit vector.
fn from_z(u: Vec3) -> [f64; 4] {
    let w = 1.0 + u.z;
    // Beyond this, the half turn about x is equivalent: the capsule is symmetric.
    let q = if w > 1e-6 { [w, -u.y, u.x, 0.0] } else { [0.0, 1.0, 0.0, 0.0] };
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / norm)
}

fn spec(joint: &Joint, all: &[Joint], origin: &str, scale: f64) -> JointSpec {
    let offset = if joint.has_positions() { Vec3::ZERO } else { joint.offset * scale };
    JointSpec {
        name: joint.name.clone(),
        parent: joint.parent.map_or(origin, |p| &all[p].name).to_owned(),
        child: joint.name.clone(),
        parent_from_joint: Pose::from_translation(offset),
        kind: if joint.channels.is_empty() { JointKind::Fixed } else { JointKind::Floating },
        limits: None,
        mimic: None,
    }
}

/// Meshes of a folder, by the names of their joints.
struct Meshes<'a> {
    files: Vec<std::path::PathBuf>,
    used: HashSet<usize>,
    warnings: &'a mut Vec<Warning>,
}

impl<'a> Meshes<'a> {
    fn new(options: &BvhOptions, warnings: &'a mut Vec<Warning>) -> Result<Self> {
        let mut files = Vec::new();
        if let Some(folder) = &options.meshes {
            let fail = |source| IoError::Read { at: Place::file(folder), source };
            for entry in std::fs::read_dir(folder).map_err(fail)? {
                files.push(entry.map_err(fail)?.path());
            }
            files.retain(|path| Format::of(path).is_some());
            files.sort();
        }
        Ok(Meshes { files, used: HashSet::new(), warnings })
    }

    /// Returns the mesh named after a joint, if there is one.
    fn of(&mut self, name: &str, scale: f64) -> Result<Option<Piece>> {
        let is_it = |path: &std::path::PathBuf| path.file_stem().is_some_and(|stem| stem == name);
        let Some(at) = self.files.iter().position(is_it) else { return Ok(None) };
        if let Some(other) = self.files[at + 1..].iter().find(|path| is_it(path)) {
            return Err(IoError::BadElement {
                at: Place::file(other),
                what: format!("a second mesh for joint '{name}'"),
                remedy: "keep one".into(),
            });
        }
        self.used.insert(at);
        let Loaded { value, warnings } = load_mesh(&self.files[at], Vec3::splat(scale))?;
        self.warnings.extend(warnings);
        Ok(Some(Piece::new(value, Pose::IDENTITY)))
    }

    fn warn_unused(self) {
        for (_, path) in self.files.iter().enumerate().filter(|(i, _)| !self.used.contains(i)) {
            self.warnings.push(Warning::new(Place::file(path), "unused-mesh", "no joint has this name; the mesh is not used"));
        }
    }
}
