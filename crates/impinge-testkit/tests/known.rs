//! Small worlds with known verdicts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use impinge::geometry::Primitive;
use impinge::math::{Pose, Vec3};
use impinge::motion::RigidMotion;
use impinge::query::Semantics;
use impinge::{Checker, Options, Scene, Verdict};
use impinge_io::example::solids::cuboid;
use impinge_testkit::judge::{any, first, options};
use impinge_testkit::scene::Question;
use impinge_testkit::world::Soup;
use impinge_testkit::{Drive, Place, Random, Solid, World};

fn block(half: f64) -> Solid {
    Solid::Mesh(Arc::new(cuboid(Vec3::ZERO, Vec3::splat(half)).into()))
}

/// Builds a body that moves along x past or into an obstacle at the origin.
fn along_x(body: Solid, from: f64, travel: f64, obstacle: Solid) -> World {
    let mut world = World::default();
    let drive = Drive::Free { travel: Vec3::new(travel, 0.0, 0.0), turn: Vec3::ZERO };
    let frame = world.frame(0, Place::at(Vec3::new(from, 0.0, 0.0)), drive);
    world.part(frame, body);
    world.part(0, obstacle);
    world
}

fn contact_time(verdict: &Verdict) -> f64 {
    let contact = verdict.contact().unwrap_or_else(|| panic!("{verdict:?}"));
    assert!(contact.time.1 - contact.time.0 <= 2e-9, "{:?}", contact.time);
    contact.time.1
}

fn begins_in_contact(verdict: &Verdict) -> bool {
    verdict.contact().is_some_and(|c| c.time.0 == 0.0 && c.time.1 <= 1e-9)
}

#[test]
fn a_box_within_a_box_is_free_as_a_surface_and_in_contact_as_a_solid() {
    let world = along_x(block(0.25), 0.0, 4.0, block(1.0));
    assert!((contact_time(&first(&world)) - 0.1875).abs() < 2e-9);
    let solid = Question::new(&world, options(0.0).semantics(Semantics::Solid)).expect("accepted");
    assert!(begins_in_contact(&solid.any().0) && begins_in_contact(&solid.first().0));
    // A primitive is solid with both semantics.
    let cuboid = Solid::Primitive(Primitive::Cuboid { half: Vec3::splat(1.0) });
    assert!(begins_in_contact(&first(&along_x(block(0.25), 0.0, 4.0, cuboid))));
}

/// The second of two separate components of one mesh is inside: one point of the first does not decide this.
#[test]
fn every_component_counts_as_a_solid() {
    let far = cuboid(Vec3::new(50.0, 0.0, 0.0), Vec3::splat(0.25));
    let both = Solid::Mesh(Arc::new(far.with(&cuboid(Vec3::ZERO, Vec3::splat(0.25))).into()));
    for world in [along_x(both.clone(), 0.0, 0.1, block(1.0)), along_x(block(1.0), 0.0, 0.1, both)] {
        assert!(first(&world).is_free());
        let solid = Question::new(&world, options(0.0).semantics(Semantics::Solid)).expect("accepted");
        assert!(solid.first().0.contact().is_some());
    }
}

#[test]
fn what_rests_in_contact_is_in_contact_from_the_start() {
    let world = along_x(block(0.5), 0.75, 0.0, block(0.5));
    assert!(begins_in_contact(&first(&world)) && any(&world).contact().is_some());
    let mut standing = World::default();
    let base = standing.frame(0, Place::at(Vec3::new(0.75, 0.0, 0.0)), Drive::Base);
    standing.part(base, block(0.5));
    standing.part(0, block(0.5));
    assert!(begins_in_contact(&first(&standing)));
    standing.frames[base].place.xyz.x = 1.25;
    assert!(first(&standing).is_free() && any(&standing).is_free());
}

#[test]
fn touching_exactly_is_contact_and_nearly_is_not() {
    // Faces meet at t = 1, at t = 1/2, and not by 1/64.
    assert!((contact_time(&first(&along_x(block(0.5), -3.0, 2.0, block(0.5)))) - 1.0).abs() < 2e-9);
    assert!((contact_time(&first(&along_x(block(0.5), -3.0, 4.0, block(0.5)))) - 0.5).abs() < 2e-9);
    assert!(first(&along_x(block(0.5), -3.0, 2.0 - 1.0 / 64.0, block(0.5))).is_free());
    // A sphere into a sphere, the cap of a capsule into a box.
    let ball = Solid::Primitive(Primitive::Sphere { radius: 0.5 });
    assert!((contact_time(&first(&along_x(ball.clone(), -3.0, 4.0, ball.clone()))) - 0.5).abs() < 2e-9);
    assert!((contact_time(&first(&along_x(ball, -3.0, 4.0, block(0.5)))) - 0.5).abs() < 2e-9);
}

#[test]
fn an_empty_world_is_free() {
    let scene = Scene::builder().build().expect("nothing is wrong with nothing");
    let checker = Checker::new(scene, Options::default()).expect("good options");
    let motion = checker.scene().motion().build().expect("nothing moves");
    assert!(
        checker.check(&motion).expect("of this scene").is_free()
            && checker.first_contact(&motion).expect("of this scene").is_free()
    );
    let mut bare = World::default();
    let base = bare.frame(0, Place::default(), Drive::Base);
    bare.frame(base, Place::default(), Drive::Turn { axis: Vec3::unit(0), from: 0.0, to: 1.0 });
    bare.part(0, block(1.0));
    assert!(first(&bare).is_free());
}

/// Bodies far out, where adjacent numbers differ by 2^-12: no contact is missed, and there is no panic.
#[test]
fn far_from_the_origin() {
    for power in [0, 20, 40, 52] {
        let far = 2f64.powi(power);
        let world = {
            let mut w = along_x(block(0.5), far - 4.0, 4.0, block(0.5));
            w.parts[1].pieces[0].place.xyz.x = far;
            w
        };
        let verdict = first(&world);
        assert!(!verdict.is_free(), "2^{power}: {verdict:?}");
        if power <= 20 {
            assert!((contact_time(&verdict) - 0.75).abs() < 1e-8, "2^{power}: {verdict:?}");
        }
    }
}

/// Thousands of triangles at the same place, which no split separates.
#[test]
fn a_pile_of_equal_triangles() {
    for triangle in [[0, 1, 2], [0, 0, 0], [0, 1, 1]] {
        let vertices = vec![Vec3::ZERO, Vec3::unit(1), Vec3::unit(2)];
        let pile = Solid::Mesh(Arc::new(Soup { vertices: vertices.clone(), triangles: vec![triangle; 5000] }));
        let one = Solid::Mesh(Arc::new(Soup { vertices, triangles: vec![triangle] }));
        let begin = Instant::now();
        let patient = |w: World| Question::new(&w, options(0.0).max_work(50_000_000)).expect("accepted").first().0;
        for (a, b) in [(&one, &pile), (&pile, &one)] {
            assert!((contact_time(&patient(along_x(a.clone(), -2.0, 4.0, b.clone()))) - 0.5).abs() < 2e-9);
            assert!(patient(along_x(a.clone(), -2.0, 1.5, b.clone())).is_free());
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    }
}

/// A floor a kilometre wide, two triangles above, with parts of a centimetre on it.
#[test]
fn a_huge_floor_under_small_things() {
    let floor = cuboid(Vec3::new(0.0, 0.0, -1.0), Vec3::new(500.0, 500.0, 0.5));
    let mut random = Random::new(3);
    let mut soup = floor;
    for _ in 0..200 {
        let at = Vec3::new(random.within(-5.0, 5.0), random.within(-5.0, 5.0), 0.0);
        soup.add(&cuboid(at, Vec3::splat(0.01)));
    }
    let begin = Instant::now();
    let floor = Solid::Mesh(Arc::new(soup.into()));
    let mut world = along_x(block(0.01), -5.0, 10.0, floor);
    world.frames[1].place.xyz.z = 0.03;
    assert!(first(&world).is_free());
    world.frames[1].drive = Drive::Free { travel: Vec3::new(0.0, 0.0, -1.03), turn: Vec3::ZERO };
    world.frames[1].place.xyz = Vec3::new(200.0, 100.0, 0.52);
    assert!((contact_time(&first(&world)) - 1.01 / 1.03).abs() < 4e-9);
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

/// The number of slices does not depend on the size of a small body that passes at a large distance.
#[test]
fn small_things_that_go_far_are_cheap() {
    for radius in [0.0, 1e-6, 1e-3] {
        let mut world = along_x(Solid::Primitive(Primitive::Sphere { radius }), -50.0, 100.0, block(0.5));
        world.frames[1].place.xyz.y = 2.0;
        let (verdict, tally) = Question::new(&world, Options::default()).expect("accepted").first();
        assert!(verdict.is_free());
        let work = tally.boxes + tally.pack_tests + tally.pair_steps;
        assert!(work < 10_000, "radius {radius}: {tally:?}");
    }
}

#[test]
fn a_disabled_pair_is_not_checked() {
    let mut world = along_x(block(0.5), -3.0, 4.0, block(0.5));
    world.disabled = vec![(0, 1)];
    assert!(first(&world).is_free());
    world.part(0, block(0.25));
    assert!((contact_time(&first(&world)) - 0.5625).abs() < 2e-9);
}

#[test]
fn bodies_that_move_together_never_meet() {
    let motion = |x: f64| RigidMotion {
        start: Pose::from_translation(Vec3::new(x, 0.0, 0.0)),
        end_position: Vec3::new(x + 100.0, 50.0, 0.0),
        rotation_vector: Vec3::ZERO,
    };
    let cube = |half: f64| cuboid(Vec3::ZERO, Vec3::splat(half)).into_mesh().expect("finite");
    let scene = Scene::builder().body("a", cube(0.5)).body("b", cube(0.5)).build().expect("a scene");
    let checker = Checker::new(scene, Options::default()).expect("good options");
    let (a, b) = (checker.scene().body("a").expect("there"), checker.scene().body("b").expect("there"));
    let ask = |gap: f64| {
        let motion = checker.scene().motion().rigid(a, motion(0.0)).rigid(b, motion(1.0 + gap)).build().expect("finite");
        checker.first_contact(&motion).expect("of this scene")
    };
    assert!(ask(0.001).is_free());
    assert_eq!(ask(0.0).contact().map(|c| c.time.0), Some(0.0));
}

/// A query that would take minutes ends soon after another thread cancels it, and is not free.
#[test]
fn a_question_can_be_cancelled() {
    use impinge::query::{Cancel, Engine};
    let pile = Arc::new(Soup { vertices: vec![Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)], triangles: vec![[0, 1, 2]; 3000] });
    let mut world = World::default();
    let drive = Drive::Free { travel: Vec3::new(1e-3, 0.0, 0.0), turn: Vec3::new(0.0, 0.0, 1e-3) };
    let body = world.frame(0, Place::at(Vec3::new(0.0, 0.0, 1e-7)), drive);
    world.part(body, Solid::Mesh(pile.clone()));
    world.part(0, Solid::Mesh(pile));
    for engine in [Engine::Sweep, Engine::Boxes, Engine::Hulls] {
        let Question { checker, motion } = Question::new(&world, Options::default().engine(engine)).expect("a world");
        let cancel = Cancel::new();
        let cancelled = checker.clone().cancelled_by(&cancel);
        let answer = std::thread::scope(|scope| {
            let asked = scope.spawn(|| cancelled.first_contact(&motion).expect("of this scene"));
            std::thread::sleep(std::time::Duration::from_millis(50));
            cancel.cancel();
            asked.join().expect("no panic")
        });
        assert!(!answer.is_free() || checker.first_contact(&motion).expect("of this scene").is_free(), "{engine:?}");
        // Cancelled before its start, it proves nothing.
        assert_eq!(
            cancelled.first_contact(&motion).expect("of this scene"),
            Verdict::Undecided { free_until: 0.0 },
            "{engine:?}"
        );
    }
}
