//! Far from the world's origin: verdicts must not depend on the rounding of absolute coordinates.

use impinge::geometry::{Piece, Primitive};
use impinge::math::Vec3;
use impinge::query::Session;
use impinge::robot::{JointKind, JointSpec, Link};
use impinge::{Checker, Options, Pose, RigidMotion, Robot, Scene};
use impinge_testkit::Random;
use impinge_testkit::trial::count;

use super::two_to;

fn point(random: &mut Random, size: f64) -> Vec3 {
    Vec3::new(random.within(-size, size), random.within(-size, size), random.within(-size, size))
}

/// A sphere wholly inside a solid box, both with the same motion, beside a part at rest.
#[test]
fn what_is_contained_far_away_is_in_contact() {
    let mut random = Random::new(4);
    for _ in 0..count(300) {
        let exponent = random.integer(20, 50) as i32;
        let far = point(&mut random, two_to(exponent));
        let size = random.within(0.5, 2.0);
        let ball = Primitive::sphere(0.2 * size).expect("a radius");
        let block = Primitive::cuboid(Vec3::splat(2.0 * size)).expect("a box");
        let rest = Primitive::sphere(0.1).expect("a radius");
        let scene = Scene::builder().body("ball", ball).body("block", block).obstacle("rest", rest, Pose::IDENTITY);
        // At the largest distance nothing can be decided, without a long search.
        let options = Options::default().max_work(20_000);
        let checker = Checker::new(scene.build().expect("a scene"), options).expect("options");
        let scene = checker.scene();
        let (a, b) = (scene.body("ball").expect("there"), scene.body("block").expect("there"));
        let inside = point(&mut random, 0.5 * size);
        let travel = point(&mut random, 4.0);
        let turn = point(&mut random, 1.0);
        let start = Pose::from_rpy(far, point(&mut random, 3.0)).expect("finite");
        let at =
            |p: Vec3| RigidMotion { start: Pose { translation: p, ..start }, end_position: p + travel, rotation_vector: turn };
        let motion = scene.motion().rigid(a, at(far + inside)).rigid(b, at(far)).build().expect("finite");
        for verdict in [checker.check(&motion), checker.first_contact(&motion)] {
            let verdict = verdict.expect("of this scene");
            assert!(!verdict.is_free(), "{} m away: {verdict:?}", far.norm());
        }
    }
}

/// Two spheres that collide head-on far away: a proven contact was discarded.
#[test]
fn head_on_contacts_far_away_are_decided() {
    let mut random = Random::new(17);
    for _ in 0..count(60) {
        let far = Vec3::unit(random.below(3)) * random.within(3e5, 6e5);
        let ball = Primitive::sphere(0.25).expect("a radius");
        let scene = Scene::builder().body("a", ball).body("b", ball).build().expect("a scene");
        let checker = Checker::new(scene, Options::default()).expect("options");
        let scene = checker.scene();
        let (a, b) = (scene.body("a").expect("there"), scene.body("b").expect("there"));
        let at = |x: f64, to: f64| RigidMotion {
            start: Pose::from_translation(far + Vec3::new(x, 0.0, 0.0)),
            end_position: far + Vec3::new(to, 0.0, 0.0),
            rotation_vector: Vec3::ZERO,
        };
        let (gap, by) = (random.within(0.6, 2.0), random.within(0.5, 1.5));
        let motion = scene.motion().rigid(a, at(-gap, by)).rigid(b, at(gap, -by)).build().expect("finite");
        let verdict = checker.first_contact(&motion).expect("of this scene");
        let contact = verdict.contact().unwrap_or_else(|| panic!("{far:?}: {verdict:?}"));
        assert!(contact.time.1 - contact.time.0 < 1e-6, "{:?}", contact.time);
    }
}

/// Builds an arm of two links at `base`, and a post in the path of the outer link.
fn arm(base: Vec3) -> Checker {
    let link = |name: &str, x: f64| {
        let rod = Primitive::cuboid(Vec3::new(0.8, 0.1, 0.1)).expect("a box");
        Link { name: name.into(), pieces: vec![Piece::new(rod, Pose::from_translation(Vec3::new(x, 0.0, 0.0)))] }
    };
    let joint = |name: &str, parent: &str, child: &str, x: f64| JointSpec {
        name: name.into(),
        parent: parent.into(),
        child: child.into(),
        parent_from_joint: Pose::from_translation(Vec3::new(x, 0.0, 0.0)),
        kind: JointKind::Revolute { axis: Vec3::unit(2) },
        limits: None,
        mimic: None,
    };
    let links = vec![Link { name: "base".into(), pieces: vec![] }, link("upper", 0.5), link("fore", 0.5)];
    let joints = vec![joint("a", "base", "upper", 0.0), joint("b", "upper", "fore", 1.0)];
    let robot = Robot::new("arm", links, joints).expect("a tree");
    let post = Primitive::cuboid(Vec3::splat(0.2)).expect("a box");
    let scene = Scene::builder()
        .robot_at("arm", robot, Pose::from_translation(base))
        .obstacle("post", post, Pose::from_translation(base + Vec3::new(1.0, 0.7, 0.0)))
        .build()
        .expect("a scene");
    Checker::new(scene, Options::default()).expect("options")
}

/// A session decides every query that is decided from scratch.
#[test]
fn sessions_far_away_are_decided() {
    for far in [0.0, 3e4, 1e5, 3e5] {
        for active in [&[0usize, 1][..], &[1]] {
            let checker = arm(Vec3::new(far, far, -far));
            let robot = checker.scene().robot("arm").expect("there");
            let mut session = Session::new(&checker, &[(robot, &[0.0, 0.0][..])]).expect("two values");
            session.set_active(robot, active).expect("joints");
            assert!(session.step(&[(robot, &[0.0, 0.1][..])]).expect("active").is_free(), "{far}");
            let verdict = session.step(&[(robot, &[0.0, 2.5][..])]).expect("active");
            assert!(verdict.contact().is_some(), "{far}, active {active:?}: {verdict:?}");
        }
    }
}
