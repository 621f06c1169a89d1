//! The shared workloads with ground truth: every verdict is right, and every bracket contains the true time.

use std::fs;
use std::path::Path;

use impinge::math::{Pose, Vec3};
use impinge::scene::{Motion, SelfCollision};
use impinge::{Checker, Options, Scene};
use impinge_io::{MotionKind, UrdfOptions, load_mesh, load_urdf, open_motions, to_configuration};
use impinge_testkit::shared::shared;

/// The accuracy of the ground truth, from bisection.
const TRUTH_ERROR: f64 = 2e-6;

/// Returns the times of first contact, by motion.
fn truth(path: &Path) -> Vec<Option<f64>> {
    let text = fs::read_to_string(path).expect("a file of answers");
    let answer = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words[1] == "1").then(|| words[2].parse().expect("a time"))
    };
    text.lines().filter(|l| !l.starts_with('#')).map(answer).collect()
}

fn judge(checker: &Checker, motion: &Motion, truth: Option<f64>, what: &str) {
    let (any, first) = (checker.check(motion).expect("of this scene"), checker.first_contact(motion).expect("of this scene"));
    match truth {
        None => assert!(any.is_free() && first.is_free(), "{what} is free, not {any:?}, {first:?}"),
        Some(time) => {
            assert!(any.contact().is_some(), "{what}: {any:?}");
            let contact = first.contact().unwrap_or_else(|| panic!("{what}: {first:?}"));
            assert!(contact.time.1 - contact.time.0 < 1e-8, "{what}: {:?}", contact.time);
            assert!((contact.time.1 - time).abs() < TRUTH_ERROR, "{what}: {:?}, not {time}", contact.time);
        }
    }
}

#[test]
fn the_arm_among_pipes_and_rods() {
    for set in ["articulated", "articulated_thin"] {
        let Some(dir) = shared("workloads").map(|d| d.join(set)) else { return };
        let robot = load_urdf(dir.join("puma.urdf"), &UrdfOptions::default()).expect("a robot").value;
        let plant = load_mesh(dir.join("meshes/env.stl"), Vec3::splat(1.0)).expect("a mesh").value;
        let scene = Scene::builder().robot("arm", robot).obstacle("plant", plant, Pose::IDENTITY);
        let scene = scene.self_collision(SelfCollision::Skip).build().expect("a scene");
        let checker = Checker::new(scene, Options::default()).expect("good options");
        let arm = checker.scene().robot("arm").expect("there");
        for degrees in ["01", "05", "15", "30"] {
            let truth = truth(&dir.join(format!("gt_{degrees}deg.txt")));
            let motions = open_motions(dir.join(format!("motions_{degrees}deg.jsonl"))).expect("a file of motions");
            for (motion, truth) in motions.zip(truth) {
                let motion = motion.expect("a motion");
                let MotionKind::Joints { q0, q1 } = &motion.kind else { panic!("no joints") };
                let [q0, q1] = [q0, q1].map(|q| {
                    to_configuration(checker.scene().robot_model(arm).expect("of this scene"), q, None).expect("six values")
                });
                let line = checker.scene().motion().joint_line(arm, &q0, &q1).build().expect("finite");
                judge(&checker, &line, truth, &format!("{set}, {degrees} degrees, motion {}", motion.id));
            }
        }
    }
}

#[test]
fn cubes_knots_and_gears() {
    for set in ["cubes", "knot2880", "gpm"] {
        let Some(dir) = shared("workloads").map(|d| d.join("rigid").join(set)) else { return };
        let [a, b] = ["A.obj", "B.obj"].map(|file| load_mesh(dir.join(file), Vec3::splat(1.0)).expect("a mesh").value);
        let scene = Scene::builder().body("a", a).obstacle("b", b, Pose::IDENTITY).build().expect("a scene");
        let checker = Checker::new(scene, Options::default()).expect("good options");
        let body = checker.scene().body("a").expect("there");
        let motions = open_motions(dir.join("motions.jsonl")).expect("a file of motions");
        for (motion, truth) in motions.zip(truth(&dir.join("gt.txt"))) {
            let motion = motion.expect("a motion");
            let MotionKind::Rigid(rigid) = &motion.kind else { panic!("no body") };
            let rigid = rigid.to_motion().expect("a unit quaternion");
            let line = checker.scene().motion().rigid(body, rigid).build().expect("finite");
            judge(&checker, &line, truth, &format!("{set}, motion {}", motion.id));
        }
    }
}
