//! Meshes that hold the same triangle many times: what is asked of each pair of them is the same, and is computed once.

use impinge::geometry::Mesh;
use impinge::query::{Engine, Tally};
use impinge::{Checker, Options, Pose, RigidMotion, Scene, Vec3, Verdict};

fn heap(n: usize) -> Mesh {
    Mesh::new(vec![Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)], vec![[0, 1, 2]; n]).expect("a mesh")
}

/// A triangle that turns in its plane 3 nm above another: that takes many steps to prove free.
fn turning(n: usize, engine: Engine) -> (Verdict, Tally) {
    let scene = Scene::builder().body("a", heap(n)).obstacle("b", heap(n), Pose::IDENTITY).build().expect("a scene");
    let checker = Checker::new(scene, Options::default().engine(engine)).expect("options");
    let above = Vec3::new(0.0, 0.0, 3e-9);
    let rigid =
        RigidMotion { start: Pose::from_translation(above), end_position: above, rotation_vector: Vec3::new(0.0, 0.0, 2.0) };
    let body = checker.scene().body("a").expect("there");
    let motion = checker.scene().motion().rigid(body, rigid).build().expect("finite");
    checker.check_counted(&motion).expect("of this scene")
}

#[test]
fn equal_pairs_are_decided_once() {
    for engine in [Engine::Sweep, Engine::Hulls] {
        let ((one, few), (all, many)) = (turning(1, engine), turning(24, engine));
        assert_eq!(one, all, "{engine:?}");
        assert!(many.pair_steps <= 24 * 24 * few.pair_steps / 3 + 24 * 24, "{engine:?}: {few:?} {many:?}");
    }
}
