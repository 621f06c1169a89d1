//! Bounded memory: candidates are streamed or limited in number.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use impinge::deform::{Lines, StepChecker, StepOptions, Surface, Tool, ToolChecker, ToolOptions, Who};
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

/// A lock for tests that measure memory: all tests of a program share it.
static MEASURING: Mutex<()> = Mutex::new(());

/// Returns the peak memory in kilobytes; `None` if the system does not report it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find(|l| l.starts_with("VmHWM"))?.split_whitespace().nth(1)?.parse().ok()
}

/// Many equal triangles descend onto equal triangles: all pairs touch at the same time.
#[test]
fn coincident_triangles_take_little_memory() {
    let _alone = MEASURING.lock();
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

/// Returns vertices and triangles of equal triangles without shared vertices, at a height.
fn pile(n: usize, z: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corners = [Vec3::new(0.0, 0.0, z), Vec3::new(1.0, 0.0, z), Vec3::new(0.0, 1.0, z)];
    let triangles = (0..n as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    ((0..n).flat_map(|_| corners).collect(), triangles)
}

/// Builds deforming bodies of equal triangles, against themselves, each other and a tool.
#[test]
fn steps_of_coincident_triangles_take_little_memory() {
    let _alone = MEASURING.lock();
    let Some(before) = peak() else {
        eprintln!("SKIPPED: this system does not say how much memory is used");
        return;
    };
    let n = 40_000;
    let ((above, triangles), (below, _), (plane, _)) = (pile(n, 0.5), pile(n, -0.5), pile(n, 0.0));
    for (who, all) in [(Who::Own, false), (Who::Own, true), (Who::Others, false), (Who::Others, true)] {
        let options = StepOptions { who, all, ..StepOptions::default() };
        let mut checker = StepChecker::new(&[&triangles, &triangles], options).expect("options").max_work(2_000_000);
        let lines = [Lines::resting(&plane), Lines { start: &above, end: &below }];
        let answer = checker.check(&lines).expect("finite");
        assert!(answer.out_of_work && answer.free_until() == 0.0 && !answer.is_free(), "{who:?} {all}: {:?}", answer.first());
    }
    let tool = Arc::new(Tool::cylinder(0.1, 0.5, 12).expect("a tool"));
    let at = |z: f64| Pose::from_translation(Vec3::new(0.3, 0.3, z));
    for all in [false, true] {
        let options = ToolOptions { all, ..ToolOptions::default() };
        let mut checker = ToolChecker::new(tool.clone(), options).expect("options").max_work(8_000_000);
        checker.sweep(&at(0.1), &at(-0.1)).expect("poses");
        let answer = checker.first_contact(&Surface { triangles: &triangles, lines: Lines::resting(&plane) }).expect("finite");
        assert!(!answer.is_free() && answer.free_until() == 0.0, "{all}: {:?}", answer.first());
    }
    let used = (peak().expect("as before") - before) / 1024;
    assert!(used < 250, "{used} MB for {n} triangles on {n}");
}

/// Steps with any work limit: contacts are a subset of those of the unlimited step, and only an unlimited step is free.
#[test]
fn steps_that_end_early_say_so_on_any_number_of_threads() {
    let mut random = Random::new(7);
    let mut cut = 0;
    for round in 0..20 {
        let mut points = |n: usize| (0..n).map(|_| Vec3::from([0; 3].map(|_| random.within(-1.0, 1.0)))).collect::<Vec<_>>();
        let (start, end) = (points(60), points(60));
        let triangles: Vec<[u32; 3]> = (0..20).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let options = StepOptions { all: round % 2 == 0, ..StepOptions::default() };
        let step = |max_work: u64, threads: usize| {
            let mut checker = StepChecker::new(&[&triangles], options).expect("options").max_work(max_work);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| checker.check(&[Lines { start: &start, end: &end }]).expect("finite"))
        };
        let whole = step(u64::MAX, 1);
        assert!(!whole.out_of_work && !whole.is_free());
        for max_work in (0..16).map(|k| 3u64.pow(k)) {
            let answer = step(max_work, 1);
            assert_eq!(answer, step(max_work, 4));
            if answer.out_of_work {
                cut += 1;
                assert_eq!((answer.free_until(), answer.is_free()), (0.0, false));
                assert!(!options.all || answer.contacts.iter().all(|c| whole.contacts.contains(c)), "{round} {max_work}");
            } else {
                assert_eq!((&answer.contacts, answer.undecided), (&whole.contacts, whole.undecided), "{round} {max_work}");
            }
        }
    }
    assert!(cut > 50, "{cut}");
}

/// One pair, with a resolution so fine that the query would never end.
#[test]
fn one_pair_may_not_take_all_of_eternity() {
    let body = soup(&[[Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)]]);
    let mut world = World::default();
    let drive = Drive::Free { travel: Vec3::new(0.0, 0.0, 0.01), turn: Vec3::new(0.0, 0.0, 1.0) };
    let frame = world.frame(0, Place::at(Vec3::new(0.1, 0.1, -0.005)), drive);
    world.part(frame, body);
    // It turns about the tip of the other, which is in contact all the time.
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
        // Only a proof shows that it ends.
        assert_eq!(reported[0].spans.last().map(|s| s.ends.1), Some(1.0));
    }
    // Cancelled in the callback: no more calls.
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

/// With any work limit, every pair is reported, or the result states that pairs may be missing.
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

/// A cancelled query has no effect on the clones of its checker.
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
    // The base link is at rest beside an obstacle.
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
