//! Two recorded dancers: every step is proven and compared with sampled distances, by an independent reader and kinematics.

use std::collections::HashMap;
use std::path::Path;

use impinge::geometry::{Primitive, Shape};
use impinge::math::Vec3;
use impinge::math::trig::sin_cos;
use impinge::scene::{Motion, SceneBuilder};
use impinge::{Checker, Options, Pose, Robot, Scene, Verdict};
use impinge_io::bvh::Between;
use impinge_io::{Bvh, BvhOptions, bvh, example};
use impinge_testkit::shared::shared;

/// Samples within a step.
const SAMPLES: usize = 8;
/// The accuracy of sampled distances.
const ERROR: f64 = 1e-9;

type Matrix = [[f64; 3]; 3];

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

fn transposed(a: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

fn image(a: &Matrix, x: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| (0..3).map(|k| a[i][k] * x[k]).sum())
}

/// Rotates by an angle about a unit axis (Rodrigues).
fn turned(axis: [f64; 3], radians: f64) -> Matrix {
    let (s, c) = sin_cos(radians);
    let cross = [[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]];
    let one = |i: usize, j: usize| f64::from(u8::from(i == j));
    std::array::from_fn(|i| std::array::from_fn(|j| c * one(i, j) + s * cross[i][j] + (1.0 - c) * axis[i] * axis[j]))
}

/// Returns a fraction of a rotation, about its axis, the short way. For rotations by less than half a turn.
fn share(a: &Matrix, t: f64) -> Matrix {
    let twice = [a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]];
    let sine = 0.5 * (twice[0] * twice[0] + twice[1] * twice[1] + twice[2] * twice[2]).sqrt();
    let angle = sine.atan2(0.5 * (a[0][0] + a[1][1] + a[2][2] - 1.0));
    if sine == 0.0 { turned([1.0, 0.0, 0.0], 0.0) } else { turned(twice.map(|x| 0.5 * x / sine), t * angle) }
}

/// A joint as in the file: its parent, its OFFSET, and channels as axis and kind.
struct Joint {
    name: String,
    parent: Option<usize>,
    offset: [f64; 3],
    channels: Vec<(usize, bool)>,
}

/// A recording, read and evaluated without the library.
struct Recording {
    joints: Vec<Joint>,
    frames: Vec<Vec<f64>>,
}

/// The pose of a joint.
#[derive(Clone, Copy)]
struct At {
    turned: Matrix,
    position: [f64; 3],
}

impl Recording {
    fn read(text: &str) -> Self {
        let (hierarchy, motion) = text.split_once("MOTION").expect("frames");
        let (mut joints, mut open) = (Vec::<Joint>::new(), Vec::<Option<usize>>::new());
        let mut words = hierarchy.split_whitespace();
        while let Some(word) = words.next() {
            let number = |word: Option<&str>| word.and_then(|w| w.parse::<f64>().ok()).expect("a number");
            match word {
                "ROOT" | "JOINT" => {
                    let name = words.next().expect("a name").to_owned();
                    let parent = open.iter().rev().flatten().next().copied();
                    open.push(Some(joints.len()));
                    joints.push(Joint { name, parent, offset: [0.0; 3], channels: Vec::new() });
                }
                "End" => open.push(None),
                "}" => drop(open.pop()),
                "OFFSET" => {
                    let offset = [number(words.next()), number(words.next()), number(words.next())];
                    if let Some(&Some(joint)) = open.last() {
                        joints[joint].offset = offset;
                    }
                }
                "CHANNELS" => {
                    for _ in 0..number(words.next()) as usize {
                        let channel = words.next().expect("a channel");
                        let axis = "XYZ".find(&channel[..1]).expect("an axis");
                        joints.last_mut().expect("a joint").channels.push((axis, channel.ends_with("rotation")));
                    }
                }
                _ => {}
            }
        }
        let lines = motion.lines().skip_while(|line| !line.starts_with("Frame Time")).skip(1);
        let row = |line: &str| line.split_whitespace().map(|w| w.parse().expect("a number")).collect::<Vec<f64>>();
        Recording { joints, frames: lines.map(row).filter(|row| !row.is_empty()).collect() }
    }

    /// Returns the channels of each joint between two frames: linear, angles the short way round if they jump.
    fn channels(&self, step: usize, t: f64) -> Vec<f64> {
        let rotations = self.joints.iter().flat_map(|j| &j.channels).map(|c| c.1);
        let between = |((&a, &b), rotation): ((&f64, &f64), bool)| {
            let by = b - a;
            let jumps = by.abs() > 270.0 || (by.abs() > 180.0 && a.abs() <= 180.0 && b.abs() <= 180.0);
            a + t * if rotation && jumps { by - 360.0 * (by / 360.0).round() } else { by }
        };
        self.frames[step].iter().zip(&self.frames[(step + 1).min(self.frames.len() - 1)]).zip(rotations).map(between).collect()
    }

    /// Returns the pose of each joint in its parent, from its channels.
    fn local(&self, channels: &[f64]) -> Vec<At> {
        let mut numbers = channels.iter();
        let one = |joint: &Joint| {
            let mut at = At { turned: turned([1.0, 0.0, 0.0], 0.0), position: joint.offset };
            for &(axis, rotation) in &joint.channels {
                let x = *numbers.next().expect("a number for each channel");
                if rotation {
                    at.turned = product(&at.turned, &turned(Vec3::unit(axis).to_array(), x.to_radians()));
                } else {
                    at.position[axis] = x;
                }
            }
            at
        };
        self.joints.iter().map(one).collect()
    }

    /// Returns the pose of each joint in the world between two frames.
    fn at(&self, step: usize, t: f64, between: Between) -> Vec<At> {
        let local = match between {
            Between::Channels => self.local(&self.channels(step, t)),
            Between::OneAxis => {
                let (from, to) = (self.local(&self.frames[step]), self.local(&self.frames[step + 1]));
                let mix = |(a, b): (&At, &At)| At {
                    turned: product(&share(&product(&b.turned, &transposed(&a.turned)), t), &a.turned),
                    position: std::array::from_fn(|k| a.position[k] + t * (b.position[k] - a.position[k])),
                };
                from.iter().zip(&to).map(mix).collect()
            }
        };
        let mut world: Vec<At> = Vec::with_capacity(local.len());
        for (joint, at) in self.joints.iter().zip(local) {
            world.push(match joint.parent.map(|p| world[p]) {
                None => at,
                Some(parent) => {
                    let carried = image(&parent.turned, at.position);
                    let position = std::array::from_fn(|k| parent.position[k] + carried[k]);
                    At { turned: product(&parent.turned, &at.turned), position }
                }
            });
        }
        world
    }
}

fn options(between: Between) -> BvhOptions {
    BvhOptions { between, ..BvhOptions::default() }
}

fn loaded(text: &str, between: Between) -> Bvh {
    bvh::parse(text.as_bytes(), Path::new("d.bvh"), &options(between)).expect("a dancer").value
}

/// Returns the largest position error of the joints of a scene with the recorded skeleton, over all steps.
fn worst(text: &str, between: Between) -> f64 {
    let (Bvh { robot, track, .. }, recording) = (loaded(text, between), Recording::read(text));
    let scene = Scene::builder().robot("d", robot).build().expect("a scene");
    let id = scene.robot("d").expect("there");
    let mut worst: f64 = 0.0;
    for step in 0..track.rows.len() - 1 {
        let motion = scene.motion().joint_line(id, &track.rows[step], &track.rows[step + 1]).build().expect("finite");
        for t in [0.0, 0.25, 0.5, 0.8, 1.0] {
            let poses: HashMap<&str, Pose> = scene.poses(&motion, t).expect("of this scene").collect();
            for (joint, at) in recording.joints.iter().zip(recording.at(step, t, between)) {
                let found = poses[format!("d/{}", joint.name).as_str()];
                for x in [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
                    let carried = image(&at.turned, x);
                    let wanted = Vec3::from(std::array::from_fn::<f64, 3, _>(|k| at.position[k] + carried[k]));
                    worst = worst.max((found.apply(Vec3::from(x)) - wanted).norm());
                }
            }
        }
    }
    worst
}

/// Two joints with channels in two orders, and steps by more than 180 degrees: some jump, others are followed as recorded.
const JUMPS: &str = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n\
    JOINT Arm\n{\nOFFSET 1 0.5 0\nCHANNELS 3 Yrotation Xrotation Zrotation\nEnd Site\n{\nOFFSET 0 -2 0\n}\n}\n}\n\
    MOTION\nFrames: 9\nFrame Time: 0.5\n\
    0 1 0  179 10 -20  0 0 0\n1 1 0  -179 -30 40  60 70 80\n1 2 0  170 -40 50  100 120 -100\n\
    0 0 0  -10 20 30  260 -90 90\n0 0 1  180 20 30  100 -90 -90\n0 0 1  540 -160 30  -95 170 88\n\
    0 0 1  300 0 200  0 -10 0\n0 0 1  0 0 0  200 -210 -270\n0 0 1  -271 270 -200  -60 180 -180\n";

#[test]
fn recorded_channels_run_along_straight_lines() {
    let dancers = example::dancers::dancers();
    for text in [JUMPS, &dancers[0], &dancers[1]] {
        let found = worst(text, Between::Channels);
        assert!(found < 1e-13, "{found}");
    }
}

/// Only steps below half a turn: the short way is unique.
#[test]
fn one_axis_where_it_is_asked_for() {
    let dancers = example::dancers::dancers();
    for text in &dancers {
        let found = worst(text, Between::OneAxis);
        assert!(found < 1e-12, "{found}");
    }
}

/// A bone: its joint, its ends in the frame of the joint, its radius.
struct Bone {
    joint: usize,
    ends: [Vec3; 2],
    radius: f64,
}

fn bones(robot: &Robot, recording: &Recording) -> Vec<Bone> {
    let mut found = Vec::new();
    for link in robot.links() {
        for piece in &link.pieces {
            let Shape::Primitive(Primitive::Capsule { radius, half_length }) = piece.shape else { panic!("a capsule") };
            let ends = [half_length, -half_length].map(|z| piece.part_from_shape.apply(Vec3::new(0.0, 0.0, z)));
            let joint = recording.joints.iter().position(|j| j.name == link.name).expect("a link for each joint");
            found.push(Bone { joint, ends, radius });
        }
    }
    found
}

/// Returns the distance of two segments, by cases: the best of inside/inside and the four ends.
fn apart([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> f64 {
    let to_segment = |p: Vec3, from: Vec3, to: Vec3| {
        let along = to - from;
        let t = ((p - from).dot(along) / along.dot(along)).clamp(0.0, 1.0);
        (p - from - along * t).norm()
    };
    let mut best = to_segment(a, c, d).min(to_segment(b, c, d)).min(to_segment(c, a, b)).min(to_segment(d, a, b));
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let det = uu * vv - uv * uv;
    if det > 1e-12 * uu * vv {
        let (s, t) = ((uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det);
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            best = best.min((w + u * s - v * t).norm());
        }
    }
    best
}

/// Two dancers that are checked against each other, not against themselves.
struct Dance {
    checker: Checker,
    between: Between,
    dancers: [Bvh; 2],
    recordings: [Recording; 2],
    bones: [Vec<Bone>; 2],
}

fn names(robot: &Robot, name: &str) -> Vec<String> {
    robot.links().iter().filter(|l| !l.pieces.is_empty()).map(|l| format!("{name}/{}", l.name)).collect()
}

fn only_between(builder: &mut SceneBuilder, names: &[String]) {
    for (i, a) in names.iter().enumerate() {
        names[i + 1..].iter().for_each(|b| builder.add_disabled(a, b, "one dancer"));
    }
}

impl Dance {
    fn new(texts: [&str; 2], between: Between) -> Self {
        let (dancers, recordings) = (texts.map(|t| loaded(t, between)), texts.map(Recording::read));
        let mut builder = Scene::builder();
        for (bvh, name) in dancers.iter().zip(["one", "other"]) {
            builder.add_robot(name, bvh.robot.clone(), Pose::IDENTITY);
            only_between(&mut builder, &names(&bvh.robot, name));
        }
        let checker = Checker::new(builder.build().expect("a scene"), Options::default()).expect("options");
        let bones = [0, 1].map(|i| bones(&dancers[i].robot, &recordings[i]));
        Dance { checker, between, dancers, recordings, bones }
    }

    fn step(&self, i: usize) -> Motion {
        let scene = self.checker.scene();
        let mut motion = scene.motion();
        for (bvh, name) in self.dancers.iter().zip(["one", "other"]) {
            let rows = &bvh.track.rows;
            motion = motion.joint_line(scene.robot(name).expect("there"), &rows[i], &rows[i + 1]);
        }
        motion.build().expect("finite")
    }

    /// Returns the smallest distance between the dancers at a time of a step.
    fn distance(&self, step: usize, t: f64) -> f64 {
        let placed = [0, 1].map(|i| {
            let joints = self.recordings[i].at(step, t, self.between);
            let place = |bone: &Bone| {
                let At { turned, position } = &joints[bone.joint];
                (bone.ends.map(|e| Vec3::from(image(turned, e.to_array())) + Vec3::from(*position)), bone.radius)
            };
            self.bones[i].iter().map(place).collect::<Vec<_>>()
        });
        let of = |(at, radius): &([Vec3; 2], f64)| {
            placed[1].iter().map(|(b, r)| apart(*at, *b) - radius - r).fold(f64::INFINITY, f64::min)
        };
        placed[0].iter().map(of).fold(f64::INFINITY, f64::min)
    }

    /// Judges every step; returns the first contact and the number of steps in contact.
    fn judge(&self) -> (Option<(usize, f64)>, usize) {
        let (mut first, mut contacts) = (None, 0);
        for i in 0..self.dancers[0].track.rows.len() - 1 {
            let motion = self.step(i);
            let sampled = |k: usize| self.distance(i, k as f64 / SAMPLES as f64);
            match self.checker.first_contact(&motion).expect("of this scene") {
                Verdict::Free => {
                    let least = (0..=SAMPLES).map(sampled).fold(f64::INFINITY, f64::min);
                    assert!(least > -ERROR, "step {i} is not free: {least}");
                }
                Verdict::Undecided { .. } => panic!("step {i} is undecided"),
                Verdict::Contact(contact) => {
                    let (lo, hi) = contact.time;
                    assert!(self.distance(i, hi) <= ERROR + 1e-9, "step {i} does not touch at {hi}");
                    for k in (0..SAMPLES).take_while(|&k| (k as f64) / (SAMPLES as f64) < lo) {
                        assert!(sampled(k) > -ERROR, "step {i} touches before {lo}");
                    }
                    first = first.or(Some((i, hi)));
                    contacts += 1;
                }
            }
        }
        (first, contacts)
    }
}

#[test]
fn generated_dancers_agree_with_samples() {
    let dancers = example::dancers::dancers();
    for between in [Between::Channels, Between::OneAxis] {
        let (first, contacts) = Dance::new([&dancers[0], &dancers[1]], between).judge();
        let (step, _) = first.expect("they meet");
        assert!(step > 5 && contacts > 5 && contacts < 80, "{step} {contacts}");
    }
}

/// The salsa dancers of the CMU database, if the data is available.
#[test]
fn recorded_dancers_agree_with_samples() {
    let Some(folder) = shared("data/motions/cmu-bvh") else { return };
    let load = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a recording");
    let (first, contacts) = Dance::new([&load("60_05.bvh"), &load("61_05.bvh")], Between::Channels).judge();
    let (step, at) = first.expect("they dance together");
    eprintln!("first contact at frame {}, {contacts} of 1678 steps touch", step as f64 + at);
}
