//! Parses lines of JSON, and makes the checks that need no arithmetic: indices, counts, finite numbers, every pair listed once.

use serde::Deserialize;

use crate::inside::Boxes;
use crate::interval::Interval;
use crate::jet::{IDENTITY, Matrix, Vector};
use crate::motion::{self, Frame, Joint, Mimic};
use crate::shape::Shape;
use crate::topology::Topology;
use crate::verifier::Problem;

/// The supported version of the format.
const VERSION: u32 = 2;

/// Parts, the frames that they are attached to, and the checked pairs.
#[derive(Debug)]
pub struct Scene {
    /// The checksum of the scene's line; motions refer to it.
    pub checksum: String,
    /// Whether closed meshes are solids; otherwise they consist of their triangles only.
    pub solids: bool,
    /// Frames from 1; frame 0 is the world.
    pub frames: Vec<Frame>,
    /// Shapes, each in its own coordinates.
    pub shapes: Vec<Shape>,
    /// The parts.
    pub parts: Vec<Part>,
    /// Pairs of parts that the certificate covers.
    pub checked: Vec<(usize, usize)>,
    /// Pairs of parts that it does not cover, with reasons.
    pub unchecked: Vec<(usize, usize, String)>,
}

/// A part: the unit of a checked pair.
#[derive(Debug)]
pub struct Part {
    /// The name of the part.
    pub name: String,
    /// The frame that it is attached to; 0 is the world.
    pub frame: usize,
    /// Its pieces.
    pub pieces: Vec<Piece>,
}

/// A shape and its pose in the frame of the part.
#[derive(Debug)]
pub struct Piece {
    /// Index of the shape.
    pub shape: usize,
    /// Rotation of the shape in the frame.
    pub rotation: Matrix,
    /// Position of the shape in the frame.
    pub position: Vector,
    /// Every point of the described piece is within this distance of the same point of the shape.
    pub within: Interval,
}

/// A motion of a scene and the proof that it is free.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotionLine {
    #[serde(rename = "impinge")]
    kind: String,
    version: u32,
    /// The checksum of its scene.
    pub scene: String,
    /// The id of the motion.
    pub id: String,
    /// The margin: the distance of every checked pair exceeds it.
    pub margin: f64,
    /// For every frame from 1, the numbers of its motion.
    pub moves: Vec<Vec<f64>>,
    /// One proof for every pair of pieces of checked parts.
    pub proofs: Vec<Proof>,
    #[serde(rename = "checksum")]
    _checksum: String,
}

/// The proof for two pieces.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Part and piece of side A.
    pub a: (usize, usize),
    /// Part and piece of side B.
    pub b: (usize, usize),
    /// A tree in preorder, one letter per node: see [`crate::check`].
    pub steps: String,
    /// The numbers of the steps, in order.
    pub numbers: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SceneLine {
    #[serde(rename = "impinge")]
    kind: String,
    version: u32,
    solids: bool,
    frames: Vec<FrameEntry>,
    shapes: Vec<ShapeEntry>,
    parts: Vec<PartEntry>,
    checked: Vec<(usize, usize)>,
    unchecked: Vec<(usize, usize, String)>,
    #[serde(rename = "checksum")]
    _checksum: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameEntry {
    #[serde(rename = "name")]
    _name: String,
    parent: usize,
    p: [f64; 3],
    r: [f64; 9],
    joint: JointEntry,
    mimic: Option<MimicEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MimicEntry {
    frame: usize,
    multiplier: f64,
    offset: f64,
    /// Radii of the multiplier and the offset around the described values.
    radius: [f64; 2],
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum JointEntry {
    Fixed,
    Revolute([f64; 3]),
    Prismatic([f64; 3]),
    /// Normal, and the coordinate axis whose projection gives the first direction.
    Planar([f64; 3], usize),
    Free,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum ShapeEntry {
    Mesh { vertices: Vec<f64>, triangles: Vec<usize> },
    Sphere { radius: f64 },
    Capsule { radius: f64, half_length: f64 },
    Cylinder { radius: f64, half_length: f64 },
    Box { half: [f64; 3] },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartEntry {
    name: String,
    frame: usize,
    pieces: Vec<PieceEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PieceEntry {
    shape: usize,
    p: [f64; 3],
    r: [f64; 9],
    within: Option<f64>,
}

/// Returns the kind of a line: its first field.
pub fn kind(text: &str) -> Option<&'static str> {
    let value = |kind: &str| format!("{{\"impinge\":\"{kind}\",");
    ["scene", "motion"].into_iter().find(|kind| text.starts_with(&value(kind)))
}

/// Returns the checksum at the end of a line, after comparing it with the text before it.
///
/// # Errors
/// If it is missing, or does not match the text.
pub fn checksum(text: &str) -> Result<String, Problem> {
    let (body, end) = text.rsplit_once(",\"checksum\":\"").ok_or_else(|| Problem::unreadable("the checksum is missing"))?;
    let given = end.strip_suffix("\"}").ok_or_else(|| Problem::unreadable("the line does not end with its checksum"))?;
    // FNV-1a, 64 bits: it detects accidental damage. No proof is accepted because of it.
    let sum = body.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    if format!("{sum:016x}") == given {
        Ok(given.to_owned())
    } else {
        Err(Problem::refused("the checksum does not match the text"))
    }
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|e| {
        // Another version has other fields: report the version, not a missing field.
        let other = serde_json::from_str::<VersionOnly>(text).ok().and_then(|line| is_known(line.version).err());
        other.unwrap_or_else(|| Problem::unreadable(e.to_string()))
    })
}

/// The fields of every version.
#[derive(Deserialize)]
struct VersionOnly {
    version: u32,
}

fn is_known(version: u32) -> Result<(), Problem> {
    if version == VERSION {
        return Ok(());
    }
    let remedy = "write the certificate again with impinge check --certificate, or use a matching version of impinge verify";
    Err(Problem::unreadable(format!("its format has version {version}, but only version {VERSION} is supported; {remedy}")))
}

fn is_ours(kind: &str, expected: &str, version: u32) -> Result<(), Problem> {
    if kind != expected {
        return Err(Problem::unreadable(format!("a '{kind}', not a '{expected}'")));
    }
    is_known(version)
}

/// Parses a motion and its proofs.
///
/// # Errors
/// If the line is damaged or not a motion.
pub fn motion(text: &str) -> Result<MotionLine, Problem> {
    checksum(text)?;
    let line: MotionLine = parse(text)?;
    is_ours(&line.kind, "motion", line.version)?;
    if !(line.margin >= 0.0) {
        return Err(Problem::refused("the margin is negative"));
    }
    Ok(line)
}

impl Scene {
    /// Returns a piece by the indices of part and piece.
    pub fn piece(&self, (part, piece): (usize, usize)) -> &Piece {
        &self.parts[part].pieces[piece]
    }

    /// Returns the shape of a piece.
    pub fn shape(&self, piece: (usize, usize)) -> &Shape {
        &self.shapes[self.piece(piece).shape]
    }

    /// Parses a scene.
    ///
    /// # Errors
    /// If the line is damaged, not a scene, or contains an invalid reference.
    pub fn read(text: &str) -> Result<Scene, Problem> {
        let checksum = checksum(text)?;
        let line: SceneLine = parse(text)?;
        is_ours(&line.kind, "scene", line.version)?;
        let frames = line.frames.iter().enumerate().map(|(i, f)| frame(i, f)).collect::<Result<Vec<_>, _>>()?;
        mimics_are_resolved(&frames)?;
        let shapes = line.shapes.into_iter().map(|s| shape(s, line.solids)).collect::<Result<Vec<_>, _>>()?;
        let parts = line.parts.into_iter().map(|p| part(p, frames.len(), shapes.len())).collect::<Result<Vec<_>, _>>()?;
        every_pair_once(parts.len(), &line.checked, &line.unchecked)?;
        Ok(Scene { checksum, solids: line.solids, frames, shapes, parts, checked: line.checked, unchecked: line.unchecked })
    }
}

fn frame(index: usize, entry: &FrameEntry) -> Result<Frame, Problem> {
    if entry.parent > index {
        return Err(Problem::refused(format!("the parent of frame {} is a later frame", index + 1)));
    }
    let joint = match entry.joint {
        JointEntry::Fixed => Joint::Fixed,
        JointEntry::Revolute(axis) => Joint::Revolute(motion::unit(vector(axis))?),
        JointEntry::Prismatic(axis) => Joint::Prismatic(motion::unit(vector(axis))?),
        JointEntry::Planar(normal, first) => Joint::planar(vector(normal), first)?,
        JointEntry::Free => Joint::Free,
    };
    let mimic = entry.mimic.as_ref().map(mimic).transpose()?;
    Ok(Frame { parent: entry.parent, rotation: rotation(&entry.r)?, position: vector(entry.p), joint, mimic })
}

fn mimic(entry: &MimicEntry) -> Result<Mimic, Problem> {
    let [multiplier, offset] = [(entry.multiplier, entry.radius[0]), (entry.offset, entry.radius[1])].map(|(x, radius)| {
        let more = size(radius)?;
        Ok(Interval::of(x) + more.hull(-more))
    });
    Ok(Mimic { frame: entry.frame, multiplier: multiplier?, offset: offset? })
}

/// Checks that every mimic joint and its source have one value each, and that the source is not a mimic joint.
fn mimics_are_resolved(frames: &[Frame]) -> Result<(), Problem> {
    for (i, frame) in frames.iter().enumerate() {
        let Some(mimic) = &frame.mimic else { continue };
        let source = mimic.frame.checked_sub(1).and_then(|k| frames.get(k)).filter(|f| f.mimic.is_none());
        if !frame.joint.has_one_value() || !source.is_some_and(|f| f.joint.has_one_value()) {
            let what = "must have a single value to mimic, and so must its source, which must not be a mimic joint";
            return Err(Problem::refused(format!("frame {} {what}", i + 1)));
        }
    }
    Ok(())
}

/// Checks that a number is not negative.
fn size(x: f64) -> Result<Interval, Problem> {
    if x >= 0.0 { Ok(Interval::of(x)) } else { Err(Problem::refused("a size is negative")) }
}

fn part(entry: PartEntry, frames: usize, shapes: usize) -> Result<Part, Problem> {
    if entry.frame > frames || entry.pieces.iter().any(|p| p.shape >= shapes) {
        return Err(Problem::refused(format!("part '{}' refers to a missing frame or shape", entry.name)));
    }
    let piece = |p: &PieceEntry| {
        let within = size(p.within.unwrap_or(0.0))?;
        Ok(Piece { shape: p.shape, rotation: rotation(&p.r)?, position: vector(p.p), within })
    };
    let pieces = entry.pieces.iter().map(piece).collect::<Result<Vec<_>, Problem>>()?;
    Ok(Part { name: entry.name, frame: entry.frame, pieces })
}

fn shape(entry: ShapeEntry, solids: bool) -> Result<Shape, Problem> {
    Ok(match entry {
        ShapeEntry::Mesh { vertices, triangles } => mesh(&vertices, &triangles, solids)?,
        ShapeEntry::Sphere { radius } => Shape::Capsule { radius: size(radius)?, half_length: Interval::ZERO },
        ShapeEntry::Capsule { radius, half_length } => Shape::Capsule { radius: size(radius)?, half_length: size(half_length)? },
        ShapeEntry::Cylinder { radius, half_length } => {
            Shape::Cylinder { radius: size(radius)?, half_length: size(half_length)? }
        }
        ShapeEntry::Box { half: [x, y, z] } => Shape::Box { half: [size(x)?, size(y)?, size(z)?] },
    })
}

fn mesh(vertices: &[f64], triangles: &[usize], solids: bool) -> Result<Shape, Problem> {
    if !vertices.len().is_multiple_of(3) || !triangles.len().is_multiple_of(3) || triangles.is_empty() {
        return Err(Problem::refused("a mesh does not consist of triples"));
    }
    if triangles.iter().any(|&v| v >= vertices.len() / 3) {
        return Err(Problem::refused("a triangle refers to a missing vertex"));
    }
    let topology = solids.then(|| Topology::of(vertices, triangles));
    let vertices: Vec<Vector> = vertices.chunks_exact(3).map(|v| vector([v[0], v[1], v[2]])).collect();
    let triangles: Vec<[usize; 3]> = triangles.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    let shell: Vec<[usize; 3]> = topology.iter().flat_map(|t| &t.shell).map(|&i| triangles[i]).collect();
    let boxes = (!shell.is_empty()).then(|| Boxes::new(&vertices, shell));
    Ok(Shape::Mesh { vertices, triangles, components: topology.map_or(Vec::new(), |t| t.components), boxes })
}

/// Checks that every pair of parts is either checked or listed as not checked.
fn every_pair_once(parts: usize, checked: &[(usize, usize)], unchecked: &[(usize, usize, String)]) -> Result<(), Problem> {
    let mut pairs: Vec<(usize, usize)> = checked.iter().copied().chain(unchecked.iter().map(|u| (u.0, u.1))).collect();
    pairs.sort_unstable();
    let all = (0..parts).flat_map(|a| (a + 1..parts).map(move |b| (a, b)));
    if pairs.into_iter().eq(all) { Ok(()) } else { Err(Problem::refused("not every pair of parts is listed exactly once")) }
}

/// Converts three numbers to a vector.
pub fn vector(v: [f64; 3]) -> Vector {
    v.map(Interval::of)
}

/// Returns every rotation within [`motion::MATRIX_RADIUS`] of nine numbers, by rows; exactly the identity if they are the identity.
///
/// # Errors
/// If there is no rotation near these numbers.
pub fn rotation(r: &[f64; 9]) -> Result<Matrix, Problem> {
    let stored: Matrix = std::array::from_fn(|i| std::array::from_fn(|j| Interval::of(r[3 * i + j])));
    if stored == IDENTITY {
        return Ok(stored);
    }
    motion::check_rotation(&stored)?;
    Ok(stored.map(|row| row.map(|c| c.widened(motion::MATRIX_RADIUS))))
}
