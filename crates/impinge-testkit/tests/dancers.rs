//! Two recorded dancers: every step proven, compared with distances sampled by arithmetic of its own.

use std::path::Path;

use impinge::math::Vec3;
use impinge::scene::{Motion, SceneBuilder};
use impinge::shape::{Primitive, Shape};
use impinge::{Checker, Options, Pose, Robot, Scene, Verdict};
use impinge_io::{Bvh, BvhOptions, bvh, example, load_bvh};
use impinge_testkit::shared::shared;

/// Samples within a step.
const SAMPLES: usize = 8;
/// Sampled distances are good to this.
const ERROR: f64 = 1e-9;

/// A bone: the link that carries it, its ends there, its radius.
struct Bone {
    link: usize,
    ends: [Vec3; 2],
    radius: f64,
}

fn bones(robot: &Robot) -> Vec<Bone> {
    let mut found = Vec::new();
    for (link, l) in robot.links().iter().enumerate() {
        for piece in &l.pieces {
            let Shape::Primitive(Primitive::Capsule { radius, half_length }) = piece.shape else { panic!("a capsule") };
            let ends = [half_length, -half_length].map(|z| piece.part_from_shape.apply(Vec3::new(0.0, 0.0, z)));
            found.push(Bone { link, ends, radius });
        }
    }
    found
}

/// Distance of two segments, by cases: the best of inside/inside and the four ends.
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

/// Two dancers who are checked against each other, not against themselves.
struct Dance {
    checker: Checker,
    dancers: [Bvh; 2],
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
    fn new(dancers: [Bvh; 2]) -> Self {
        let mut builder = Scene::builder();
        for (bvh, name) in dancers.iter().zip(["one", "other"]) {
            builder.add_robot(name, bvh.robot.clone(), Pose::IDENTITY);
            only_between(&mut builder, &names(&bvh.robot, name));
        }
        let checker = Checker::new(builder.build().expect("a scene"), Options::default()).expect("options");
        let bones = [bones(&dancers[0].robot), bones(&dancers[1].robot)];
        Dance { checker, dancers, bones }
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

    /// The smallest distance between the dancers at a time of a step.
    fn distance(&self, motion: &Motion, t: f64) -> f64 {
        let poses: Vec<Pose> = self.checker.scene().poses(motion, t).expect("of this scene").map(|(_, pose)| pose).collect();
        let (ones, others) = poses.split_at(self.dancers[0].robot.links().len());
        let place = |bone: &Bone, poses: &[Pose]| bone.ends.map(|e| poses[bone.link].apply(e));
        let others: Vec<_> = self.bones[1].iter().map(|b| (place(b, others), b.radius)).collect();
        let of = |a: &Bone| {
            let at = place(a, ones);
            others.iter().map(|(b, r)| apart(at, *b) - a.radius - r).fold(f64::INFINITY, f64::min)
        };
        self.bones[0].iter().map(of).fold(f64::INFINITY, f64::min)
    }

    /// Judges every step; the first that touches, and how many do.
    fn judge(&self) -> (Option<(usize, f64)>, usize) {
        let (mut first, mut contacts) = (None, 0);
        for i in 0..self.dancers[0].track.rows.len() - 1 {
            let motion = self.step(i);
            let sampled = |k: usize| self.distance(&motion, k as f64 / SAMPLES as f64);
            let least = (0..=SAMPLES).map(sampled).fold(f64::INFINITY, f64::min);
            match self.checker.first_contact(&motion).expect("of this scene") {
                Verdict::Free => assert!(least > -ERROR, "step {i} is not free: {least}"),
                Verdict::Undecided { .. } => panic!("step {i} is undecided"),
                Verdict::Contact(contact) => {
                    let (lo, hi) = contact.time;
                    assert!(self.distance(&motion, hi) <= ERROR + 1e-9, "step {i} does not touch at {hi}");
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
    let read = |text: &String| bvh::parse(text.as_bytes(), Path::new("d.bvh"), &BvhOptions::default()).expect("a dancer").value;
    let (first, contacts) = Dance::new([read(&dancers[0]), read(&dancers[1])]).judge();
    let (step, _) = first.expect("they meet");
    assert!(step > 5 && contacts > 5 && contacts < 80, "{step} {contacts}");
}

/// The salsa dancers of the CMU database, where the data is there.
#[test]
fn recorded_dancers_agree_with_samples() {
    let Some(folder) = shared("data/motions/cmu-bvh") else { return };
    let load = |name: &str| load_bvh(folder.join(name), &BvhOptions::default()).expect("a dancer").value;
    let (first, contacts) = Dance::new([load("60_05.bvh"), load("61_05.bvh")]).judge();
    let (step, at) = first.expect("they dance together");
    eprintln!("first contact at frame {}, {contacts} of 1678 steps touch", step as f64 + at);
}
