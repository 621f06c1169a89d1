//! All contacts at the first contact time, and the state at the start.

use impinge::query::{ContactState, FeatureKind, Semantics, Witness};
use impinge::{Checker, Contact, Mesh, Motion, Options, Pose, Primitive, RigidMotion, Scene, Shape, Vec3};
use impinge_io::example::solids::cuboid;

fn cube(half: f64) -> Mesh {
    cuboid(Vec3::ZERO, Vec3::splat(half)).into_mesh().expect("a cube")
}

/// Builds a body that translates from a place, against one at rest in the middle.
fn ask(moving: impl Into<Shape>, resting: impl Into<Shape>, start: Pose, travel: Vec3, o: Options) -> (Contact, Vec<Witness>) {
    let scene = Scene::builder().body("a", moving).obstacle("b", resting, Pose::IDENTITY).build().expect("a scene");
    let a = scene.body("a").expect("a");
    let checker = Checker::new(scene, o).expect("a checker");
    let rigid = RigidMotion { start, end_position: start.translation + travel, rotation_vector: Vec3::ZERO };
    let motion: Motion = checker.scene().motion().rigid(a, rigid).build().expect("a motion");
    let verdict = checker.first_contact(&motion).expect("of this scene");
    let contact = verdict.contact().unwrap_or_else(|| panic!("{verdict:?}")).clone();
    let all = checker.all_at(&motion, contact.time).expect("of this scene");
    (contact, all)
}

fn kinds(all: &[Witness], a: FeatureKind, b: FeatureKind) -> usize {
    all.iter().filter(|w| (w.features.0.kind, w.features.1.kind) == (a, b)).count()
}

/// A small cube set down flat on a large one has contacts at four corners, and no edge contacts.
#[test]
fn a_cube_set_down_flat_touches_with_four_corners() {
    let start = Pose::from_translation(Vec3::new(0.1, 0.05, 2.0));
    let (contact, all) = ask(cube(0.25), cube(1.0), start, Vec3::new(0.0, 0.0, -1.5), Options::default());
    assert!((contact.time.1 - 0.5).abs() < 1e-9);
    assert_eq!(contact.state, ContactState::Begins);
    let mut corners: Vec<[i64; 3]> = all
        .iter()
        .filter(|w| w.features.0.kind == FeatureKind::Vertex)
        .map(|w| w.point.to_array().map(|x| (x * 1e6).round() as i64))
        .collect();
    corners.sort_unstable();
    corners.dedup();
    assert_eq!(
        corners,
        [
            [-150_000, -200_000, 1_000_000],
            [-150_000, 300_000, 1_000_000],
            [350_000, -200_000, 1_000_000],
            [350_000, 300_000, 1_000_000]
        ]
    );
    assert!(all.iter().all(|w| (w.normal - Vec3::unit(2)).norm() < 1e-6), "{all:#?}");
}

/// Two crossing ridges meet in one point; two parallel ridges meet along a segment, of which both ends are listed.
#[test]
fn ridges_meet_in_a_point_or_along_a_segment() {
    // A roof: its ridge is the segment from -x to x at height zero.
    let roof = |x: f64, depth: f64| {
        let v = vec![Vec3::new(-x, 0.0, 0.0), Vec3::new(x, 0.0, 0.0), Vec3::new(0.0, 1.0, -depth), Vec3::new(0.0, -1.0, -depth)];
        Mesh::new(v, vec![[0, 1, 2], [1, 0, 3]]).expect("a roof")
    };
    let above = |turn: f64| {
        let flip = Pose::from_rpy(Vec3::ZERO, Vec3::new(std::f64::consts::PI, 0.0, turn)).expect("finite");
        Pose { translation: Vec3::new(0.3, 0.0, 1.0), ..flip }
    };
    let down = Vec3::new(0.0, 0.0, -2.0);
    let (contact, all) = ask(roof(0.5, 1.0), roof(1.0, 1.0), above(1.0), down, Options::default());
    assert!((contact.time.0 - 0.5).abs() < 1e-9);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert_eq!(kinds(&all, FeatureKind::Edge, FeatureKind::Edge), 1);
    assert!((all[0].point - Vec3::new(0.3, 0.0, 0.0)).norm() < 1e-8 && all[0].to.is_none());

    let (_, all) = ask(roof(0.5, 1.0), roof(1.0, 1.0), above(0.0), down, Options::default());
    let along: Vec<&Witness> = all.iter().filter(|w| w.to.is_some()).collect();
    assert_eq!(along.len(), 1, "{all:#?}");
    let (p, q) = (along[0].point, along[0].to.expect("an end"));
    let (left, right) = if p.x < q.x { (p, q) } else { (q, p) };
    assert!(
        (left - Vec3::new(-0.2, 0.0, 0.0)).norm() < 1e-8 && (right - Vec3::new(0.8, 0.0, 0.0)).norm() < 1e-8,
        "{left:?} {right:?}"
    );
}

#[test]
fn touching_overlapping_and_contained_are_told_apart() {
    let state = |x: f64, half: f64, semantics| {
        let start = Pose::from_translation(Vec3::new(x, 0.0, 0.0));
        let (contact, all) = ask(cube(half), cube(1.0), start, Vec3::new(1.0, 0.0, 0.0), Options::default().semantics(semantics));
        assert!(contact.time.0 == 0.0 && contact.time.1 <= 1e-9, "{:?}", contact.time);
        // Contained pairs are listed as two solids, touching or crossing pairs as features.
        let contained = contact.state == ContactState::Contained;
        assert_eq!(kinds(&all, FeatureKind::Solid, FeatureKind::Solid), usize::from(contained));
        assert!(!all.is_empty() && (!contained || all.len() == 1));
        contact.state
    };
    assert_eq!(state(1.5, 0.5, Semantics::Surface), ContactState::Touching);
    assert_eq!(state(1.25, 0.5, Semantics::Surface), ContactState::Overlapping);
    assert_eq!(state(1.25, 0.5, Semantics::Solid), ContactState::Overlapping);
    assert_eq!(state(0.125, 0.5, Semantics::Solid), ContactState::Contained);
    assert_eq!(state(1.5, 0.5, Semantics::Solid), ContactState::Touching);
}

#[test]
fn balls_that_touch_or_overlap() {
    let ball = Primitive::Sphere { radius: 0.5 };
    for (x, expected) in [(1.0, ContactState::Touching), (0.75, ContactState::Overlapping)] {
        let start = Pose::from_translation(Vec3::new(x, 0.0, 0.0));
        let (contact, all) = ask(ball, ball, start, Vec3::new(0.5, 0.0, 0.0), Options::default());
        assert_eq!(contact.state, expected);
        assert_eq!(all.len(), 1);
    }
    let (contact, _) =
        ask(ball, ball, Pose::from_translation(Vec3::new(-3.0, 0.0, 0.0)), Vec3::new(6.0, 0.0, 0.0), Options::default());
    assert_eq!(contact.state, ContactState::Begins);
}
