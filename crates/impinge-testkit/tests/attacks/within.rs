//! Meshes with large vertex errors: parts nearer than these errors are never free, with any engine.

use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::deform::{Lines, StepChecker, StepOptions, Surface, Tool, ToolChecker, ToolOptions, Who};
use impinge::math::Vec3;
use impinge::predict::{Budget, Horizons, Level, ModelOptions, ToolWatch};
use impinge::query::distance::HullTree;
use impinge::query::distance::{
    DistanceLimits, DistanceSession, Reading, SceneDistances, Turn, TurnOptions, Way, distance, pairs_within, swept_distance,
    turned_distance,
};
use impinge::query::{Bound, Engine, FrontSession, Semantics, Stages};
use impinge::{Checker, Mesh, Options, Pose, RigidMotion, Scene, Verdict};
use impinge_io::example::solids::cuboid;
use impinge_testkit::Random;

/// The vertex error, and the distance of the bodies, which is smaller.
const OFF: f64 = 0.02;
const GAP: f64 = 0.015;

fn cube(half: f64, off: f64) -> Arc<Mesh> {
    Arc::new(cuboid(Vec3::ZERO, Vec3::splat(half)).into_mesh().expect("a cube").within(off).expect("a length"))
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z))
}

/// A cube that slides past another, nearer than its vertex error.
#[test]
fn no_engine_calls_what_may_touch_free() {
    let mut random = Random::new(1);
    for (moving, resting) in [(OFF, 0.0), (0.0, OFF), (0.5 * OFF, 0.5 * OFF)] {
        for two_bodies in [false, true] {
            let (a, b) = (cube(0.5, moving), cube(1.0, resting));
            let builder = Scene::builder().body("a", a);
            let builder = if two_bodies { builder.body("b", b) } else { builder.obstacle("b", b, Pose::IDENTITY) };
            let scene = Arc::new(builder.build().expect("a scene"));
            let turn = Vec3::new(0.0, 0.0, random.within(0.0, 0.5));
            let z = 1.5 + GAP;
            let rigid = RigidMotion { start: at(-3.0, 0.2, z), end_position: Vec3::new(3.0, 0.1, z), rotation_vector: turn };
            let a = scene.body("a").expect("there");
            let motion = scene.motion().rigid(a, rigid);
            let motion = match scene.body("b") {
                Some(b) => motion.rigid(b, RigidMotion::resting(Pose::IDENTITY)),
                None => motion,
            };
            let motion = motion.build().expect("finite");
            let engines = [Engine::Auto, Engine::Sweep, Engine::Boxes, Engine::Hulls];
            let all = engines.map(|engine| Options::default().engine(engine)).into_iter().chain([
                Options::default().bound(Bound::Interval),
                Options::default().stages(Stages { boxes: true, sweeps: true }),
                Options::default().margin(1e-3),
            ]);
            for options in all {
                let checker = Checker::new(scene.clone(), options.max_work(30_000)).expect("options");
                for verdict in [checker.check(&motion), checker.first_contact(&motion)] {
                    let verdict = verdict.expect("of this scene");
                    assert!(!verdict.is_free(), "{options:?} {moving} {resting}: {verdict:?}");
                    // No contact is proven either.
                    assert!(options.get_margin() > 0.0 || verdict.contact().is_none(), "{options:?}: {verdict:?}");
                }
                let clearance = checker.clearance(&motion, 1e-6).expect("a width");
                assert!(clearance.at_least <= GAP - OFF + 1e-9 || clearance.at_least == 0.0, "{clearance:?}");
            }
            let distances = SceneDistances::new(scene.clone(), Semantics::Solid).expect("rigid");
            let near = distances.nearest(&motion, 0.5, DistanceLimits::default()).expect("in range").expect("two parts");
            assert_eq!(near.distance.at_least, 0.0, "{near:?}");
        }
    }
}

/// Hull trees of such meshes.
#[test]
fn distances_of_hull_trees_know_how_far_meshes_are_off() {
    let mut session = DistanceSession::new();
    for (of_a, of_b) in [(OFF, 0.0), (0.0, OFF), (0.5 * OFF, 0.5 * OFF)] {
        let (a, b) = (HullTree::new(&cube(0.5, of_a)), HullTree::new(&cube(1.0, of_b)));
        let (here, there) = (at(0.1, 0.2, 1.5 + GAP), Pose::IDENTITY);
        let far = at(0.1, 0.2, 1.5 + 3.0 * OFF);
        let limits = DistanceLimits::default();
        let holds = |least: f64, most: f64, gap: f64| least <= (gap - OFF).max(0.0) + 1e-12 && most >= gap + OFF - 1e-12;
        for (pose, gap) in [(&here, GAP), (&far, 3.0 * OFF)] {
            let d = distance((&a, pose), (&b, &there), limits, &mut session).expect("finite");
            assert!(holds(d.at_least, d.at_most, gap), "{d:?}");
            let by = Vec3::new(0.3, 0.0, 0.0);
            for reading in [Reading::Simultaneous, Reading::Volumes] {
                let (moving, resting) = ((&a, pose, by), (&b, &there, Vec3::ZERO));
                let d = swept_distance(moving, resting, reading, limits, &mut session).expect("finite");
                assert!(holds(d.at_least, d.at_most, gap), "{d:?}");
                let mut near = 0;
                let visit = |_| {
                    near += 1;
                    ControlFlow::Continue(())
                };
                pairs_within(moving, resting, reading, gap - 0.5 * OFF, &mut session, visit).expect("finite");
                assert!(near > 0);
            }
            for way in [Way::Conservative, Way::Estimate] {
                let turn = Turn { translation: by, rotation: Vec3::new(0.0, 0.0, 0.4), about: pose.translation };
                let options = TurnOptions { way, ..TurnOptions::default() };
                let d = turned_distance((&a, pose, &turn), (&b, &there, &Turn::default()), options, limits, &mut session);
                let d = d.expect("finite");
                assert!(d.at_least <= (gap - OFF).max(0.0) + 1e-12 && d.at_most >= gap, "{d:?}");
            }
        }
    }
}

/// A kept front gives the same verdicts as a new one.
#[test]
fn fronts_know_how_far_meshes_are_off() {
    let scene =
        Scene::builder().body("a", cube(0.5, OFF)).obstacle("b", cube(1.0, 0.0), Pose::IDENTITY).build().expect("a scene");
    let checker = Checker::new(scene, Options::default().max_work(30_000)).expect("options");
    let a = checker.scene().body("a").expect("there");
    let mut session = FrontSession::new(&checker);
    for gap in [5.0 * OFF, GAP, 4.0 * OFF, GAP] {
        let z = 1.5 + gap;
        let rigid = RigidMotion { start: at(-3.0, 0.2, z), end_position: Vec3::new(3.0, 0.1, z), rotation_vector: Vec3::unit(2) };
        let motion = checker.scene().motion().rigid(a, rigid).build().expect("finite");
        let verdict = session.first_contact(&motion).expect("of this scene");
        assert_eq!(verdict.is_free(), gap > OFF, "{gap}: {verdict:?}");
    }
}

/// Builds two squares, one above the other, with a distance of `gap` halfway.
fn flaps(gap: f64, off: f64) -> (Arc<Mesh>, Vec<Vec3>) {
    let square = |z: f64| [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| Vec3::new(x, y, z));
    let start: Vec<Vec3> = [square(0.0), square(1.0)].concat();
    let end: Vec<Vec3> = [square(0.0), square(gap)].concat();
    let triangles = vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
    (Arc::new(Mesh::new(start, triangles).expect("finite").within(off).expect("a length")), end)
}

fn folded(gap: f64, off: f64, options: Options) -> [Verdict; 2] {
    let (mesh, end) = flaps(gap, off);
    let scene = Scene::builder().deformable("cloth", mesh).self_contact("cloth").build().expect("a scene");
    let checker = Checker::new(scene, options).expect("options");
    let cloth = checker.scene().deformable("cloth").expect("there");
    let motion = checker.scene().motion().vertex_lines(cloth, &end).build().expect("finite");
    [checker.check(&motion), checker.first_contact(&motion)].map(|v| v.expect("of this scene"))
}

/// A deforming body against itself: both sides have errors.
#[test]
fn self_contact_knows_how_far_meshes_are_off() {
    for verdict in folded(1.9 * OFF, OFF, Options::default()) {
        assert!(matches!(verdict, Verdict::Undecided { free_until } if free_until < 1.0), "{verdict:?}");
    }
    for verdict in folded(2.1 * OFF, OFF, Options::default()) {
        assert!(verdict.is_free(), "{verdict:?}");
    }
    // Within the margin for any vertex error.
    for verdict in folded(0.01, OFF, Options::default().margin(0.1)) {
        let contact = verdict.contact().unwrap_or_else(|| panic!("{verdict:?}"));
        let (first, proven) = (1.0 - (0.1 + 2.0 * OFF - 0.01) / 0.99, 1.0 - (0.1 - 2.0 * OFF - 0.01) / 0.99);
        assert!(contact.time.0 <= first + 1e-6 && (contact.time.1 - proven).abs() < 1e-6, "{:?} {first} {proven}", contact.time);
    }
    // Errors below the tolerance change nothing.
    for verdict in folded(-0.5, 1e-12, Options::default()) {
        let contact = verdict.contact().unwrap_or_else(|| panic!("{verdict:?}"));
        assert!((contact.time.1 - 2.0 / 3.0).abs() < 1e-8 && contact.time.1 - contact.time.0 < 1e-8, "{:?}", contact.time);
    }
}

/// A deforming body against others: the verdicts did not change.
#[test]
fn deforming_bodies_know_how_far_meshes_are_off() {
    let (mesh, end) = flaps(0.5, OFF);
    let floor = cube(1.0, 0.0);
    let scene = Scene::builder().deformable("cloth", mesh).obstacle("floor", floor, at(0.0, 0.0, -1.0 - GAP)).build();
    let checker = Checker::new(scene.expect("a scene"), Options::default().max_work(30_000)).expect("options");
    let cloth = checker.scene().deformable("cloth").expect("there");
    let motion = checker.scene().motion().vertex_lines(cloth, &end).build().expect("finite");
    for verdict in [checker.check(&motion), checker.first_contact(&motion)] {
        assert!(!verdict.expect("of this scene").is_free());
    }
}

/// Steps and tools.
#[test]
fn steps_and_tools_know_how_far_meshes_are_off() {
    let (mesh, end) = flaps(GAP, 0.0);
    let lines = Lines { start: mesh.vertices(), end: &end };
    let step = |off: f64| {
        let options = StepOptions { who: Who::Own, ..StepOptions::default() };
        let checker = StepChecker::new(&[mesh.triangles()], options).expect("options").within(off);
        checker.expect("a length").check(&[lines]).expect("finite")
    };
    assert!(step(0.0).is_free() && step(0.4 * GAP).is_free());
    let near = step(0.6 * GAP);
    assert!(near.first().is_some_and(|touch| !touch.certified), "{near:?}");
    let refused = |off: f64| StepChecker::new(&[mesh.triangles()], StepOptions::default()).expect("options").within(off).is_err();
    assert!([-1.0, f64::NAN, f64::INFINITY].into_iter().all(refused));

    let resting = Surface { triangles: mesh.triangles(), lines: Lines::resting(mesh.vertices()) };
    for (off, free) in [(0.0, true), (0.5 * GAP, true), (OFF, false)] {
        let mut checker = ToolChecker::new(Tool::new(cube(0.1, off)), ToolOptions::default()).expect("options");
        checker.sweep(&at(0.5, 0.4, -0.1 - GAP), &at(0.6, 0.5, -0.1 - GAP)).expect("poses");
        let answer = checker.first_contact(&resting).expect("a mesh");
        assert_eq!(answer.is_free(), free, "{off}: {answer:?}");
        assert!(answer.contacts.iter().all(|touch| !touch.certified));
        // The other side may have errors as well.
        let both = |own: f64, other: f64| {
            let checker = ToolChecker::new(Tool::new(cube(0.1, own)), ToolOptions::default()).expect("options");
            let mut checker = checker.bodies_within(other).expect("a length");
            checker.sweep(&at(0.5, 0.4, -0.1 - GAP), &at(0.6, 0.5, -0.1 - GAP)).expect("poses");
            checker.first_contact(&resting).expect("a mesh")
        };
        assert_eq!(both(0.0, off).is_free(), free, "{off}");
        let near = both(0.5 * off, 0.5 * off);
        assert!(near.is_free() == free && near.contacts.iter().all(|touch| !touch.certified), "{off}: {near:?}");
        let watch =
            ToolWatch::new(Tool::new(cube(0.1, 0.0)), ToolOptions::default(), ModelOptions::default(), Horizons::default());
        let mut watch = watch.expect("options").bodies_within(off).expect("a length");
        let found = watch.cycle(0.0, &at(0.5, 0.4, -0.1 - GAP), &[resting], &Budget::ENDLESS).expect("a pose");
        assert_eq!(found.forecast.level == Level::None, free, "{off}: {found:?}");
    }
}
