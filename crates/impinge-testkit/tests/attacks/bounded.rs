//! Bounded memory: what is suspected is streamed or budgeted.

use impinge::math::Vec3;
use impinge::query::{Cancel, Engine};
use impinge::robot::{JointKind, JointSpec, Link};
use impinge::shape::Piece;
use impinge::shape::Primitive;
use impinge::{Checker, Options, Pose, Robot, Scene, Verdict};
use impinge_testkit::judge::options;
use impinge_testkit::scene::Question;
use impinge_testkit::world::{Drive, Place, World};

use super::soup;

/// Kilobytes of memory at their most, as the system counts them; `None` where it does not.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find(|l| l.starts_with("VmHWM"))?.split_whitespace().nth(1)?.parse().ok()
}

/// Many equal triangles that come down on equal triangles: every pair touches at the same time.
#[test]
fn coincident_triangles_take_little_memory() {
    let Some(before) = peak() else {
        eprintln!("SKIPPED: this system does not say how much memory is used");
        return;
    };
    let n = 6000;
    let triangle = [Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)];
    for engine in [Engine::Auto, Engine::Sweep, Engine::Boxes, Engine::Hulls] {
        let mut world = World::default();
        let drive = Drive::Free { travel: Vec3::new(0.0, 0.0, -1.0), turn: Vec3::new(0.0, 0.0, 0.1) };
        let body = world.frame(0, Place::at(Vec3::new(0.1, 0.1, 0.5)), drive);
        world.part(body, soup(&vec![triangle; n]));
        world.part(0, soup(&vec![triangle; n]));
        let asked = Question::new(&world, options(0.0).max_work(2_000_000).engine(engine)).expect("a world");
        for verdict in [asked.any().0, asked.first().0] {
            assert!(!verdict.is_free(), "{engine:?}: {verdict:?}");
        }
        let used = (peak().expect("as before") - before) / 1024;
        assert!(used < 150, "{engine:?}: {used} MB for {n} triangles on {n}");
    }
}

/// A cancelled query leaves nothing behind in the clones of its checker.
#[test]
fn a_cancelled_query_spoils_no_clone() {
    let link = |name: &str, x: f64| {
        let ball = Primitive::sphere(0.1).expect("a radius");
        Link { name: name.into(), pieces: vec![Piece::new(ball, Pose::from_translation(Vec3::new(x, 0.0, 0.0)))] }
    };
    let joint = JointSpec {
        name: "j".into(),
        parent: "base".into(),
        child: "tip".into(),
        parent_from_joint: Pose::IDENTITY,
        kind: JointKind::Revolute { axis: Vec3::unit(2) },
        limits: None,
        mimic: None,
    };
    let robot = Robot::new("arm", vec![link("base", 0.0), link("tip", 1.0)], vec![joint]).expect("a tree");
    // The base link never moves, and stands beside an obstacle.
    let obstacle = Primitive::sphere(0.1).expect("a radius");
    let scene = Scene::builder().robot("arm", robot).obstacle("post", obstacle, Pose::from_translation(Vec3::new(0.0, 0.0, 1.0)));
    let checker = Checker::new(scene.build().expect("a scene"), Options::default()).expect("options");
    let arm = checker.scene().robot("arm").expect("there");
    let motion = checker.scene().motion().joint_line(arm, &[0.0], &[1.0]).build().expect("finite");
    let cancel = Cancel::new();
    cancel.cancel();
    let cancelled = checker.clone().cancelled_by(&cancel);
    assert_eq!(cancelled.first_contact(&motion), Ok(Verdict::Undecided { free_until: 0.0 }));
    assert_eq!(checker.first_contact(&motion), Ok(Verdict::Free));
    assert_eq!(checker.check(&motion), Ok(Verdict::Free));
}
