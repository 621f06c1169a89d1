//! Bounded memory: what is suspected is streamed or budgeted.

use std::ops::ControlFlow;

use impinge::geometry::Piece;
use impinge::geometry::Primitive;
use impinge::math::Vec3;
use impinge::query::{Cancel, Engine, Told, TouchOptions, TouchingPair};
use impinge::robot::{JointKind, JointSpec, Link};
use impinge::{Checker, Options, Pose, Robot, Scene, Verdict};
use impinge_testkit::Random;
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

/// One pair, and so fine a resolution that nobody could wait for it.
#[test]
fn one_pair_may_not_take_all_of_eternity() {
    let body = soup(&[[Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)]]);
    let mut world = World::default();
    let drive = Drive::Free { travel: Vec3::new(0.0, 0.0, 0.01), turn: Vec3::new(0.0, 0.0, 1.0) };
    let frame = world.frame(0, Place::at(Vec3::new(0.1, 0.1, -0.005)), drive);
    world.part(frame, body);
    // It turns about the tip of the other, which is in it all the time.
    world.part(0, soup(&[[Vec3::new(0.2, 0.2, -1.0), Vec3::new(0.2, 0.2, 1.0), Vec3::new(0.3, 0.2, 1.0)]]));
    let asked = Question::new(&world, options(0.0).max_work(100_000)).expect("a world");
    for resolution in [1e-12, 1e-300] {
        let mut reported: Vec<TouchingPair> = Vec::new();
        let tell = |pair| {
            reported.push(pair);
            ControlFlow::Continue(())
        };
        let how = TouchOptions { times: true, resolution };
        let end = asked.checker.touching_pairs(&asked.motion, how, tell).expect("rigid");
        assert_eq!((end, reported.len()), (Told::OutOfWork, 1));
        // Nothing but a proof says that it ends.
        assert_eq!(reported[0].spans.last().map(|s| s.ends.1), Some(1.0));
    }
    // Cancelled while it listens: nothing more is reported.
    let cancel = Cancel::new();
    let checker = asked.checker.clone().cancelled_by(&cancel);
    cancel.cancel();
    let mut heard = 0;
    let tell = |_| {
        heard += 1;
        ControlFlow::Continue(())
    };
    let how = TouchOptions { times: true, resolution: 1e-12 };
    assert_eq!((checker.touching_pairs(&asked.motion, how, tell), heard), (Ok(Told::OutOfWork), 0));
}

/// With any work limit, every pair is reported, or the answer says that some may be missing.
#[test]
fn pairs_are_left_out_only_where_that_is_said() {
    let mut random = Random::new(12);
    for round in 0..30 {
        let mut corner = || Vec3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), random.within(-1.0, 1.0));
        let mut world = World::default();
        let drive = Drive::Free { travel: corner(), turn: if round % 2 == 0 { corner() } else { Vec3::ZERO } };
        let frame = world.frame(0, Place::at(corner()), drive);
        let mut triangles = |n: usize| (0..n).map(|_| [corner(), corner(), corner()]).collect::<Vec<_>>();
        world.part(frame, soup(&triangles(4)));
        world.part(0, soup(&triangles(5)));
        let told = |max_work: u64| {
            let asked = Question::new(&world, options(0.0).max_work(max_work)).expect("a world");
            let mut pairs = Vec::new();
            let tell = |pair: TouchingPair| {
                pairs.push(pair.triangles);
                ControlFlow::Continue(())
            };
            let how = TouchOptions { times: round % 3 == 0, ..TouchOptions::default() };
            (asked.checker.touching_pairs(&asked.motion, how, tell).expect("rigid"), pairs)
        };
        let (end, all) = told(u64::MAX);
        assert_eq!(end, Told::All);
        for work in (0..40).map(|k| (5.0 * 1.5f64.powi(k)) as u64) {
            let (end, some) = told(work);
            assert!(end == Told::OutOfWork || all.iter().all(|pair| some.contains(pair)), "{work}: {some:?} of {all:?}");
        }
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
