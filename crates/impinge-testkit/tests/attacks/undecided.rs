//! Spans that cannot be decided: a contact that is proven after them is reported, with a wide bracket.

use std::sync::Arc;

use impinge::math::Vec3;
use impinge::query::{Engine, FrontSession};
use impinge::{Checker, Error, Mesh, Options, Pose, Primitive, RigidMotion, Scene, Verdict};
use impinge_io::example::solids::cuboid;

/// The error of the vertices of the body.
const OFF: f64 = 0.01;

/// A cube slides over a plate, nearer than its vertex error, and then into a post.
fn gliding(post: bool, options: Options) -> (Checker, impinge::Motion) {
    let mesh = |half: Vec3| cuboid(Vec3::ZERO, half).into_mesh().expect("a box");
    let cube = mesh(Vec3::splat(0.5)).within(OFF).expect("a length");
    let plate = mesh(Vec3::new(1.0, 1.0, 0.1));
    let builder = Scene::builder().body("a", cube).obstacle("plate", plate, Pose::from_translation(Vec3::new(0.0, 0.0, -0.1)));
    let place = Pose::from_translation(Vec3::new(4.0, 0.1, 0.0));
    let builder = if post { builder.obstacle("post", mesh(Vec3::new(0.5, 0.3, 3.0)), place) } else { builder };
    let checker = Checker::new(builder.build().expect("a scene"), options).expect("options");
    let z = 0.5 + 0.5 * OFF;
    let rigid = RigidMotion {
        start: Pose::from_translation(Vec3::new(-5.0, 0.0, z)),
        end_position: Vec3::new(5.0, 0.0, z),
        rotation_vector: Vec3::new(0.0, 0.0, 0.01),
    };
    let a = checker.scene().body("a").expect("there");
    let motion = checker.scene().motion().rigid(a, rigid).build().expect("finite");
    (checker, motion)
}

fn engines() -> impl Iterator<Item = Options> {
    let engines = [Engine::Auto, Engine::Sweep, Engine::Boxes, Engine::Hulls];
    engines.into_iter().map(|engine| Options::default().engine(engine).max_work(300_000))
}

/// Contact with the post at x = 3, at t = 0.8; contact with the plate is possible from x = -1.5 on, at t = 0.35.
#[test]
fn a_contact_after_a_stretch_that_is_not_decided_is_told() {
    for options in engines() {
        let (checker, motion) = gliding(true, options);
        assert!(checker.check(&motion).expect("of this scene").contact().is_some(), "{options:?}");
        let verdict = checker.first_contact(&motion).expect("of this scene");
        let contact = verdict.contact().unwrap_or_else(|| panic!("{options:?}: {verdict:?}"));
        assert!((0.34..0.36).contains(&contact.free_until), "{options:?}: {contact:?}");
        assert!((0.79..0.82).contains(&contact.time.1), "{options:?}: {contact:?}");
        assert_eq!(contact.time.0, contact.free_until);
        // Without the post no contact is proven.
        let (checker, motion) = gliding(false, options);
        let verdict = checker.first_contact(&motion).expect("of this scene");
        assert!(matches!(verdict, Verdict::Undecided { free_until } if free_until < 0.36), "{options:?}: {verdict:?}");
    }
    let (checker, motion) = gliding(true, Options::default());
    let verdict = FrontSession::new(&checker).first_contact(&motion).expect("of this scene");
    assert!(verdict.contact().is_some_and(|c| c.time.1 < 0.82), "{verdict:?}");
}

/// One pair of triangles: undecided for a while, then it crosses.
#[test]
fn a_pair_that_crosses_later_is_told() {
    let flat = Mesh::new(vec![Vec3::new(-9.0, -9.0, 0.0), Vec3::new(9.0, -9.0, 0.0), Vec3::new(0.0, 9.0, 0.0)], vec![[0, 1, 2]]);
    // It rests on a corner, just above the other, and turns about a point far to the side: the corner descends in the end.
    let corners = vec![Vec3::new(0.0, 0.0, 0.0), Vec3::new(0.5, 0.0, 1.0), Vec3::new(-0.5, 0.0, 1.0)];
    let upright = Mesh::new(corners, vec![[0, 1, 2]]).expect("finite").within(OFF).expect("a length");
    let scene =
        Scene::builder().body("a", upright).obstacle("b", flat.expect("finite"), Pose::IDENTITY).build().expect("a scene");
    let scene = Arc::new(scene);
    let a = scene.body("a").expect("there");
    for options in engines() {
        let checker = Checker::new(scene.clone(), options).expect("options");
        let rigid = RigidMotion {
            start: Pose::from_translation(Vec3::new(0.0, -1.0, 0.8 * OFF)),
            end_position: Vec3::new(0.0, -1.0, -0.3),
            rotation_vector: Vec3::ZERO,
        };
        let motion = checker.scene().motion().rigid(a, rigid).build().expect("finite");
        let verdict = checker.first_contact(&motion).expect("of this scene");
        let contact = verdict.contact().unwrap_or_else(|| panic!("{options:?}: {verdict:?}"));
        assert!(contact.free_until < 1e-3 && contact.time.1 < 0.2, "{options:?}: {contact:?}");
    }
}

/// With any work limit, a proven contact is reported, and the verdict is never free.
#[test]
fn what_was_proven_before_work_ran_out_is_told() {
    for options in engines() {
        let mut told = false;
        for work in (0..60).map(|k| (10.0 * 1.35f64.powi(k)) as u64).take_while(|&work| work < 500_000) {
            let (checker, motion) = gliding(true, options.max_work(work));
            match checker.first_contact(&motion).expect("of this scene") {
                Verdict::Free => panic!("{options:?}: {work}"),
                Verdict::Contact(c) => {
                    told = true;
                    assert!(c.free_until < 0.36 && c.time.1 >= 0.79 && c.time.1 <= 1.0, "{options:?} {work}: {c:?}");
                }
                Verdict::Undecided { free_until } => assert!(free_until < 0.36, "{options:?} {work}"),
            }
        }
        assert!(told, "{options:?}");
    }
}

/// A capsule of 67,000 km and a cylinder that overlap by a third of a metre: neither separation nor contact can be proven, so a list of contacts
/// is never empty.
#[test]
fn a_list_is_not_whole_where_a_pair_is_undecided() {
    let capsule = Primitive::capsule(8.0, 2.0 * 33_554_432.0).expect("a size");
    let cylinder = Primitive::cylinder(8.378014176709089, 32.0).expect("a size");
    let place = |xyz: [f64; 3], rpy: [f64; 3]| Pose::from_rpy(xyz.into(), rpy.into()).expect("finite");
    let at = place([0.0; 3], [-1.177283977779404, -2.3017546233617607, -0.7796962145359503]);
    let beside = place([1956095.7653007354, 3758135.0057811444, -1121862.1269758374], [std::f64::consts::FRAC_PI_2, 0.0, 0.0]);
    let scene = Scene::builder().body("a", capsule).obstacle("b", cylinder, beside).build().expect("a scene");
    let checker = Checker::new(scene, Options::default()).expect("options");
    let rigid = RigidMotion { start: at, end_position: at.translation, rotation_vector: Vec3::ZERO };
    let a = checker.scene().body("a").expect("there");
    let motion = checker.scene().motion().rigid(a, rigid).build().expect("finite");
    assert!(!checker.check(&motion).expect("of this scene").is_free());
    let list = checker.all_at(&motion, (0.0, 0.0));
    assert!(matches!(&list, Err(Error::Incomplete { .. })) || list.is_ok_and(|all| !all.is_empty()));
}
