//! Batches on many threads: none hangs, and verdicts do not depend on the number of threads.

use std::sync::mpsc;
use std::time::Duration;

use impinge::math::Vec3;
use impinge::{Checker, Mesh, Motion, Options, Pose, RigidMotion, Scene, Verdict};
use impinge_testkit::Random;
use impinge_testkit::trial::count;
use rayon::prelude::*;

/// Builds a wavy ring of quads, split into triangles.
fn ring(around: u32, across: u32) -> Mesh {
    let angle = |k: u32, n: u32| impinge::math::trig::sin_cos(std::f64::consts::TAU * f64::from(k) / f64::from(n));
    let mut vertices = Vec::new();
    for i in 0..around {
        for k in 0..across {
            let ((s, c), (sk, ck)) = (angle(i, around), angle(k, across));
            let r = 1.0 + (0.3 + 0.05 * s * sk) * ck;
            vertices.push(Vec3::new(r * c, r * s, 0.3 * sk));
        }
    }
    let at = |i: u32, k: u32| (i % around) * across + k % across;
    let mut triangles = Vec::new();
    for i in 0..around {
        for k in 0..across {
            triangles.extend([[at(i, k), at(i + 1, k), at(i + 1, k + 1)], [at(i, k), at(i + 1, k + 1), at(i, k + 1)]]);
        }
    }
    Mesh::new(vertices, triangles).expect("valid")
}

fn motions(scene: &Scene, n: usize) -> Vec<Motion> {
    let mut random = Random::new(7);
    let body = scene.body("a").expect("there");
    let mut point = |size: f64| Vec3::new(random.within(-size, size), random.within(-size, size), random.within(-size, size));
    let mut motion = || {
        let start = Pose::from_translation(point(3.0));
        let rigid = RigidMotion { start, end_position: point(3.0), rotation_vector: point(2.0) };
        scene.motion().rigid(body, rigid).build().expect("finite")
    };
    (0..n).map(|_| motion()).collect()
}

fn batch(checker: &Checker, motions: &[Motion], threads: usize) -> Vec<Verdict> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| motions.par_iter().map(|m| checker.check(m).expect("of this scene")).collect())
}

/// Trees are built in parallel; a build inside a query once stole other queries that waited for the same tree.
#[test]
fn batches_on_many_threads_do_not_hang() {
    let (done, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let mut answers: Option<Vec<Verdict>> = None;
        for round in 0..count(12) {
            // Fresh meshes: no tree is built yet.
            let scene =
                Scene::builder().body("a", ring(100, 50)).obstacle("b", ring(100, 50), Pose::IDENTITY).build().expect("a scene");
            let checker = Checker::new(scene, Options::default()).expect("options");
            let motions = motions(checker.scene(), 64);
            let found = batch(&checker, &motions, [32, 1, 2, 8][round as usize % 4]);
            let told: Vec<String> = found.iter().map(|v| format!("{:?}", v.contact().map(|c| (c.time, c.point)))).collect();
            let before = answers.get_or_insert_with(|| found.clone());
            let known: Vec<String> = before.iter().map(|v| format!("{:?}", v.contact().map(|c| (c.time, c.point)))).collect();
            assert_eq!(told, known);
        }
        done.send(()).expect("the test waits");
    });
    assert_eq!(ended.recv_timeout(Duration::from_secs(300 * count(1))), Ok(()), "a batch hangs or fails");
}
