//! The text of certificates: lines of JSON that end with a checksum over what comes before it.

use std::fmt::Write;
use std::sync::Arc;

use super::items::{Items, Kind};
use super::prove::Tree;
use crate::geometry::{Primitive, Shape};
use crate::math::{Mat3, Pose, Vec3};
use crate::motion::RigidMotion;
use crate::robot::{JointKind, Mimic};
use crate::scene::{Motion, Owner, PairStatus, Part, PlacedShape, Scene};

/// A frame of a certificate: one for every link, fixed or not, and one for every body. Frame 0, the world, is not written.
#[derive(Debug)]
pub(super) struct Frame {
    name: String,
    parent: usize,
    at: Pose,
    kind: JointKind,
    source: Source,
    /// The number of the frame whose joint it follows, and how.
    mimic: Option<(usize, Mimic)>,
}

/// Where the numbers of a frame's motion come from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Root(usize),
    Joint { robot: usize, joint: usize, link: usize },
    Body(usize),
}

/// All frames, parents first.
pub(super) fn frames(scene: &Scene) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut numbers: Vec<Vec<usize>> = Vec::new();
    for (r, placed) in scene.robots.iter().enumerate() {
        let model = &placed.robot;
        let mut number = vec![0; model.links().len()];
        for &link in model.order() {
            let name = format!("{}/{}", placed.name, model.links()[link].name);
            frames.push(match model.joint_above(link) {
                None => {
                    let parent = placed.mount.map_or(0, |(robot, link)| numbers[robot][link]);
                    Frame { name, parent, at: placed.base, kind: JointKind::Fixed, source: Source::Root(r), mimic: None }
                }
                Some(joint) => {
                    let j = &model.joints()[joint];
                    let source = Source::Joint { robot: r, joint, link };
                    Frame { name, parent: number[j.parent], at: j.parent_from_joint, kind: j.kind, source, mimic: None }
                }
            });
            number[link] = frames.len();
        }
        // A joint may follow one that comes after it.
        for joint in model.joints() {
            let follows = |m: Mimic| (number[model.joints()[m.joint].child], m);
            frames[number[joint.child] - 1].mimic = joint.mimic.map(follows);
        }
        numbers.push(number);
    }
    let body = |(i, name): (usize, &String)| Frame {
        name: name.clone(),
        parent: 0,
        at: Pose::IDENTITY,
        kind: JointKind::Floating,
        source: Source::Body(i),
        mimic: None,
    };
    frames.extend(scene.bodies.iter().enumerate().map(body));
    frames
}

/// The line for a scene, and its checksum.
pub(super) fn scene(scene: &Scene, solids: bool, frames: &[Frame], items: &[Vec<Items>]) -> (String, String) {
    let frame = |f: &Frame| {
        let (name, joint, mimic) = (text(&f.name), joint(f.kind), f.mimic.as_ref().map_or(String::new(), mimic));
        format!("{{\"name\":{name},\"parent\":{},{},\"joint\":{joint}{mimic}}}", f.parent, pose(&f.at))
    };
    let (mut shapes, mut parts) = (Shapes::default(), Vec::new());
    let mut body = 0;
    for (part, items) in scene.parts.iter().zip(items) {
        let (frame, poses): (usize, Vec<Pose>) = match part.owner {
            // Deforming bodies have no certificates and never get here.
            Owner::Obstacle | Owner::Deformable { .. } => (0, part.pieces.iter().map(|p| p.placement.pose).collect()),
            Owner::Body => {
                body += 1;
                (find(frames, |s| s == Source::Body(body - 1)), part.pieces.iter().map(|p| p.placement.pose).collect())
            }
            Owner::Link { robot, link } | Owner::Attached { robot, link, .. } => {
                let model = &scene.robots[robot].robot;
                let is_it = |s| match s {
                    Source::Root(r) => r == robot && model.joint_above(link).is_none(),
                    Source::Joint { robot: r, link: l, .. } => (r, l) == (robot, link),
                    Source::Body(_) => false,
                };
                let own = || model.links()[link].pieces.iter().map(|p| p.part_from_shape).collect();
                let held = match part.owner {
                    Owner::Attached { held, .. } => Some(scene.held[held].clone()),
                    _ => None,
                };
                (find(frames, is_it), held.unwrap_or_else(own))
            }
        };
        let pieces = items.iter().zip(&poses).enumerate().map(|(k, (i, at))| {
            let within = Some(error_of(scene, part, k))
                .filter(|&e| e > 0.0)
                .map_or(String::new(), |e| format!(",\"within\":{}", number(e)));
            format!("{{\"shape\":{},{}{within}}}", shapes.index(i), pose(at))
        });
        parts.push(format!("{{\"name\":{},\"frame\":{frame},\"pieces\":[{}]}}", text(&part.name), join(pieces)));
    }
    let checked = scene.pairs().filter(|p| p.2 == PairStatus::Checked).map(|(a, b, _)| format!("[{},{}]", a.index(), b.index()));
    let unchecked =
        scene.pairs().filter_map(|(a, b, status)| Some(format!("[{},{},{}]", a.index(), b.index(), text(&reason(status)?))));
    let body = format!(
        "{{\"impinge\":\"scene\",\"version\":2,\"solids\":{solids},\"frames\":[{}],\"shapes\":[{}],\"parts\":[{}],\"checked\":[{}],\"unchecked\":[{}]",
        join(frames.iter().map(frame)),
        shapes.written.join(","),
        parts.join(","),
        join(checked),
        join(unchecked)
    );
    signed(body)
}

/// How far any point of a piece may be from the described one: what was rounded before it got here. The reader composes poses without
/// rounding, so of a link's pieces it is only that.
fn error_of(scene: &Scene, part: &Part, piece: usize) -> f64 {
    let PlacedShape { placement, shape, .. } = &part.pieces[piece];
    let Owner::Link { robot, link } = part.owner else { return placement.position_error };
    let of_mesh = if let Shape::Mesh(mesh) = shape { mesh.error() } else { 0.0 };
    scene.robots[robot].robot.links()[link].pieces[piece].error + of_mesh
}

fn find(frames: &[Frame], is_it: impl Fn(Source) -> bool) -> usize {
    frames.iter().position(|f| is_it(f.source)).map_or(0, |i| i + 1)
}

/// The numbers that say how each frame moves.
pub(super) fn moves(scene: &Scene, frames: &[Frame], motion: &Motion) -> Vec<Vec<f64>> {
    let mut starts = vec![0];
    for placed in &scene.robots {
        starts.push(starts[starts.len() - 1] + 2 * placed.robot.values());
    }
    let of = |f: &Frame| match f.source {
        // The reader computes the values of a joint that mimics, without rounding.
        Source::Joint { .. } if f.mimic.is_some() => Vec::new(),
        Source::Root(_) => Vec::new(),
        Source::Body(b) => rigid(&motion.bodies[b]),
        Source::Joint { robot, joint, .. } => {
            let model = &scene.robots[robot].robot;
            let (from, to) = motion.values[starts[robot]..starts[robot + 1]].split_at(model.values());
            let own = |q: &[f64]| match (f.kind.values(), model.value_at(joint)) {
                (1, _) => vec![model.joint_value(joint, q)],
                (n, Some(at)) => q[at..at + n].to_vec(),
                (_, None) => Vec::new(),
            };
            let (q0, q1) = (own(from), own(to));
            if f.kind == JointKind::Floating { floating(&q0, &q1) } else { [q0, q1].concat() }
        }
    };
    frames.iter().map(of).collect()
}

fn rigid(m: &RigidMotion) -> Vec<f64> {
    let ends = [m.start.translation, m.end_position].map(Vec3::to_array);
    [ends.as_flattened(), &rows(&m.start.rotation), &m.rotation_vector.to_array()].concat()
}

/// The motion was built from the same values, so they are accepted again.
fn floating(q0: &[f64], q1: &[f64]) -> Vec<f64> {
    let place = |q: &[f64]| (Vec3::new(q[0], q[1], q[2]), [q[3], q[4], q[5], q[6]]);
    let ((p0, r0), (p1, r1)) = (place(q0), place(q1));
    RigidMotion::between(p0, r0, p1, r1).map_or(Vec::new(), |m| rigid(&m))
}

/// A proof for two pieces, each given by part and piece.
pub(super) fn proof(a: (usize, usize), b: (usize, usize), tree: &Tree) -> String {
    let numbers = join(tree.numbers.iter().copied().map(number));
    format!("{{\"a\":[{},{}],\"b\":[{},{}],\"steps\":\"{}\",\"numbers\":[{numbers}]}}", a.0, a.1, b.0, b.1, tree.steps)
}

/// The line for a motion.
pub(super) fn motion(scene: &str, id: &str, margin: f64, moves: &[Vec<f64>], proofs: &[String]) -> String {
    let moves = join(moves.iter().map(|m| format!("[{}]", join(m.iter().copied().map(number)))));
    let (id, margin) = (text(id), number(margin));
    let proofs = proofs.join(",");
    signed(format!(
        "{{\"impinge\":\"motion\",\"version\":2,\"scene\":\"{scene}\",\"id\":{id},\"margin\":{margin},\"moves\":[{moves}],\"proofs\":[{proofs}]"
    ))
    .0
}

/// Shapes written so far; meshes that are shared are written once.
#[derive(Default)]
struct Shapes {
    written: Vec<String>,
    meshes: Vec<(*const crate::geometry::Mesh, usize)>,
}

impl Shapes {
    fn index(&mut self, items: &Items) -> usize {
        let text = match &items.kind {
            Kind::Mesh { mesh, tree } => {
                let at = Arc::as_ptr(mesh);
                if let Some(&(_, index)) = self.meshes.iter().find(|m| m.0 == at) {
                    return index;
                }
                self.meshes.push((at, self.written.len()));
                let vertices = join(mesh.vertices().iter().flat_map(|v| v.to_array()).map(number));
                // Components that are inside out are written as they count.
                let reversed = |i: usize| mesh.reversed().is_some_and(|reversed| reversed[i]);
                let corners = |i: usize| {
                    let [a, b, c] = mesh.triangles()[i];
                    if reversed(i) { [a, c, b] } else { [a, b, c] }
                };
                let triangles = join(tree.boxes.order.iter().flat_map(|&i| corners(i as usize)));
                format!("{{\"mesh\":{{\"vertices\":[{vertices}],\"triangles\":[{triangles}]}}}}")
            }
            Kind::Solid(p) => solid(p),
        };
        self.written.push(text);
        self.written.len() - 1
    }
}

fn solid(p: &Primitive) -> String {
    let round = |kind: &str, radius: f64, half: f64| {
        format!("{{\"{kind}\":{{\"radius\":{},\"half_length\":{}}}}}", number(radius), number(half))
    };
    match *p {
        Primitive::Cuboid { half } => format!("{{\"box\":{{\"half\":{}}}}}", vector(half)),
        Primitive::Sphere { radius } => format!("{{\"sphere\":{{\"radius\":{}}}}}", number(radius)),
        Primitive::Cylinder { radius, half_length } => round("cylinder", radius, half_length),
        Primitive::Capsule { radius, half_length } => round("capsule", radius, half_length),
    }
}

fn joint(kind: JointKind) -> String {
    match kind {
        JointKind::Fixed => "\"fixed\"".into(),
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => format!("{{\"revolute\":{}}}", vector(near_one(axis))),
        JointKind::Prismatic { axis } => format!("{{\"prismatic\":{}}}", vector(near_one(axis))),
        JointKind::Planar { axis } => {
            let first = (axis * (1.0 / axis.norm())).longest_axis();
            format!("{{\"planar\":[{},{}]}}", vector(near_one(axis)), (first + 1) % 3)
        }
        JointKind::Floating => "\"free\"".into(),
    }
}

/// Which joint is followed, and how: a chain of mimics was resolved into one, up to a radius.
fn mimic((frame, m): &(usize, Mimic)) -> String {
    let [multiplier, offset, r0, r1] = [m.multiplier, m.offset, m.rounding.0, m.rounding.1].map(number);
    format!(",\"mimic\":{{\"frame\":{frame},\"multiplier\":{multiplier},\"offset\":{offset},\"radius\":[{r0},{r1}]}}")
}

/// The same direction with its largest component between 1 and 2: scaled by a power of two.
fn near_one(axis: Vec3) -> Vec3 {
    let exponent = (axis.max_abs().to_bits() >> 52) as i32 - 1023;
    axis * 2f64.powi(-exponent)
}

fn reason(status: PairStatus) -> Option<String> {
    match status {
        PairStatus::Checked => None,
        PairStatus::Obstacles => Some("two obstacles".into()),
        PairStatus::Adjacent => Some("joined by a joint".into()),
        PairStatus::Attached => Some("one is attached to the other".into()),
        PairStatus::Rigid => Some("held together by fixed joints".into()),
        PairStatus::Disabled(reason) => Some(reason),
        PairStatus::SelfCollisionOff => Some("links of one robot, not to be checked".into()),
    }
}

fn pose(p: &Pose) -> String {
    format!("\"p\":{},\"r\":[{}]", vector(p.translation), join(rows(&p.rotation).into_iter().map(number)))
}

fn rows(m: &Mat3) -> [f64; 9] {
    std::array::from_fn(|k| m.columns[k % 3][k / 3])
}

fn vector(v: Vec3) -> String {
    format!("[{}]", join(v.to_array().into_iter().map(number)))
}

/// The shortest text that reads back as the same number; whole numbers without a point.
fn number(x: f64) -> String {
    if x == x.trunc() && x.abs() < 1e15 { format!("{}", x as i64) } else { format!("{x:?}") }
}

fn join<T: ToString>(items: impl Iterator<Item = T>) -> String {
    let mut out = String::new();
    for item in items {
        if !out.is_empty() {
            out.push(',');
        }
        out += &item.to_string();
    }
    out
}

/// A JSON string.
fn text(s: &str) -> String {
    let mut out = String::from("\"");
    for c in s.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The line with its checksum (FNV-1a, 64 bits, over all bytes before it), and the checksum.
fn signed(mut body: String) -> (String, String) {
    let sum = body.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let sum = format!("{sum:016x}");
    let _ = write!(body, ",\"checksum\":\"{sum}\"}}");
    (body, sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_as_they_were() {
        for x in [0.1, -1.0, 1e-300, 1.5e300, 3.0, f64::MIN_POSITIVE, 0.1 + 0.2, 1e15, 9007199254740993.0] {
            assert_eq!(number(x).parse::<f64>(), Ok(x));
        }
        assert_eq!((number(3.0), number(0.25)), ("3".into(), "0.25".into()));
        assert_eq!(text("a\"b\\\n"), "\"a\\\"b\\\\\\u000a\"");
        assert_eq!(near_one(Vec3::new(0.0, -12.0, 3.0)), Vec3::new(0.0, -1.5, 0.375));
    }
}
