//! Self-contact of a deforming body in a scene agrees with every pair of its features, and with steps.

use std::sync::Arc;

use impinge::deform::{Lines, StepAnswer, StepChecker, StepOptions, Who};
use impinge::math::Vec3;
use impinge::query::{Cancel, Checker, ContactState, Options};
use impinge::scene::PairStatus;
use impinge::{Mesh, Motion, Pose, Primitive, Scene, Verdict};
use impinge_testkit::Random;

fn place(random: &mut Random, grid: bool, size: f64) -> Vec3 {
    let p = Vec3::new(random.within(-size, size), random.within(-size, size), random.within(-size, size));
    if grid { Vec3::new((p.x * 4.0).round() / 4.0, (p.y * 4.0).round() / 4.0, (p.z * 4.0).round() / 4.0) } else { p }
}

/// Generates a strip of triangles and some random ones between its vertices, sometimes far from the origin; and their end positions.
fn body(random: &mut Random) -> (Arc<Mesh>, Vec<Vec3>) {
    let (n, grid) = (6 + random.below(6), random.below(2) == 0);
    let far = if random.below(3) == 0 { Vec3::new(1000.0, -300.0, 70.0) } else { Vec3::ZERO };
    let start: Vec<Vec3> = (0..n).map(|i| far + place(random, grid, 1.0) + Vec3::unit(0) * (0.5 * i as f64)).collect();
    let reach = [0.1, 0.5, 2.0][random.below(3)];
    let end = start.iter().map(|&v| v + place(random, grid, reach)).collect();
    let pick = |random: &mut Random| random.below(n) as u32;
    let more: Vec<[u32; 3]> = (0..random.below(3)).map(|_| [pick(random), pick(random), pick(random)]).collect();
    let triangles = (0..n as u32 - 2).map(|i| [i, i + 1, i + 2]).chain(more).collect();
    (Arc::new(Mesh::new(start, triangles).expect("finite")), end)
}

fn checker(mesh: &Arc<Mesh>, options: Options) -> Checker {
    let scene = Scene::builder().deformable("cloth", mesh.clone()).self_contact("cloth").build().expect("a scene");
    Checker::new(scene, options).expect("options")
}

fn motion(checker: &Checker, end: &[Vec3]) -> Motion {
    let id = checker.scene().deformable("cloth").expect("there");
    checker.scene().motion().vertex_lines(id, end).build().expect("finite")
}

fn step(mesh: &Mesh, end: &[Vec3], margin: f64) -> StepAnswer {
    let options = StepOptions { margin, who: Who::Own, all: false };
    let mut checker = StepChecker::new(&[mesh.triangles()], options).expect("a margin");
    checker.check(&[Lines { start: mesh.vertices(), end }]).expect("finite")
}

/// `stepping.rs` compares steps with every pair of features; here both interfaces must agree.
#[test]
fn scenes_say_what_steps_say() {
    let (mut free, mut contacts) = (0, 0);
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let (mesh, end) = body(&mut random);
        let checker = checker(&mesh, Options::default());
        let motion = motion(&checker, &end);
        let (verdict, wanted) = (checker.first_contact(&motion).expect("of this scene"), step(&mesh, &end, 0.0));
        match &verdict {
            Verdict::Free => assert!(wanted.is_free(), "{seed}: {wanted:?}"),
            Verdict::Undecided { .. } => panic!("{seed}: without a margin nothing is undecided"),
            Verdict::Contact(c) => {
                let first = wanted.contacts.iter().map(|c| c.time.1).fold(f64::INFINITY, f64::min);
                assert!(c.time.0 <= first && wanted.free_until() <= c.time.1, "{seed}: {c:?} {wanted:?}");
                assert!(c.time.1 - c.time.0 < 1e-8 && c.free_until <= c.time.0, "{seed}: {c:?}");
                assert_eq!((c.state == ContactState::Begins, c.parts.0), (c.time.1 > 0.0, c.parts.1), "{seed}: {c:?}");
                let all = checker.all_at(&motion, c.time).expect("of this scene");
                assert!(all.iter().any(|w| (w.point - c.point).norm() < 1e-6), "{seed}: {c:?} {all:?}");
            }
        }
        assert_eq!(checker.check(&motion).expect("of this scene").is_free(), wanted.is_free(), "{seed}");
        *if wanted.is_free() { &mut free } else { &mut contacts } += 1;
    }
    assert!(free > 300 && contacts > 300, "{free} {contacts}");
}

#[test]
fn margins_mean_features_that_share_no_vertex() {
    let mut decided = 0;
    for seed in 0..400 {
        let mut random = Random::new(10_000 + seed);
        let (mesh, end) = body(&mut random);
        let margin = [1e-3, 0.05, 0.3][random.below(3)];
        let checker = checker(&mesh, Options::default().margin(margin));
        let (verdict, wanted) =
            (checker.first_contact(&motion(&checker, &end)).expect("of this scene"), step(&mesh, &end, margin));
        match &verdict {
            Verdict::Free => assert!(wanted.contacts.iter().all(|c| !c.certified), "{seed}: {wanted:?}"),
            Verdict::Contact(c) => {
                assert!(c.time.1 + 1e-6 >= wanted.free_until() && !wanted.is_free(), "{seed}: {c:?} {wanted:?}")
            }
            Verdict::Undecided { free_until } => assert!(*free_until <= 1.0),
        }
        decided += usize::from(!matches!(verdict, Verdict::Undecided { .. }));
    }
    assert!(decided > 380, "{decided}");
}

/// Half of a sheet folds onto the other half; at the end their distance is 0.01.
fn folding(n: usize) -> (Arc<Mesh>, Vec<Vec3>) {
    let at = |i: usize, j: usize, folded: bool| {
        let (x, y) = (i as f64 / n as f64 - 0.5, j as f64 / n as f64);
        if folded && x > 0.0 { Vec3::new(-x, y, 0.01 + 0.02 * x) } else { Vec3::new(x, y, 0.0) }
    };
    let all =
        |folded: bool| (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j))).map(|(i, j)| at(i, j, folded)).collect::<Vec<_>>();
    let corner = |i: usize, j: usize| (i * (n + 1) + j) as u32;
    let squares = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let triangles = squares.flat_map(|(i, j)| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    (Arc::new(Mesh::new(all(false), triangles.collect()).expect("finite")), all(true))
}

#[test]
fn a_folded_sheet_is_free_and_its_clearance_is_bracketed() {
    let (mesh, end) = folding(12);
    let checker = checker(&mesh, Options::default());
    let motion = motion(&checker, &end);
    assert!(checker.first_contact(&motion).expect("of this scene").is_free());
    let clearance = checker.clearance(&motion, 1e-5).expect("a width");
    // The nearest features that share no vertex: at the fold, and never farther than the distance of the halves at the end.
    assert!(clearance.at_least <= 0.0117 && clearance.at_most - clearance.at_least <= 1.1e-5, "{clearance:?}");
    assert!(!step(&mesh, &end, clearance.at_most + 1e-6).is_free() && step(&mesh, &end, clearance.at_least - 1e-6).is_free());
}

#[test]
fn work_limits_and_cancelling_leave_it_undecided() {
    let (mesh, end) = folding(12);
    let limited = checker(&mesh, Options::default().max_work(50));
    assert_eq!(limited.first_contact(&motion(&limited, &end)), Ok(Verdict::Undecided { free_until: 0.0 }));
    let (cancel, checker) = (Cancel::default(), checker(&mesh, Options::default()));
    cancel.cancel();
    let cancelled = checker.clone().cancelled_by(&cancel);
    assert_eq!(cancelled.first_contact(&motion(&checker, &end)).expect("of this scene"), Verdict::Undecided { free_until: 0.0 });
    assert!(checker.first_contact(&motion(&checker, &end)).expect("of this scene").is_free());
}

/// Thousands of equal triangles: contact at the start, found without a list of all pairs.
#[test]
fn equal_triangles_touch_at_once() {
    let corners = [Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)];
    let vertices: Vec<Vec3> = (0..6000).flat_map(|_| corners).collect();
    let triangles = (0..6000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh = Arc::new(Mesh::new(vertices.clone(), triangles).expect("finite"));
    let checker = checker(&mesh, Options::default());
    let verdict = checker.first_contact(&motion(&checker, &vertices)).expect("of this scene");
    assert_eq!(verdict.contact().map(|c| (c.time, c.state)), Some(((0.0, 0.0), ContactState::Overlapping)));
}

#[test]
fn only_what_deforms_can_touch_itself() {
    let ball = Primitive::sphere(1.0).expect("a ball");
    let (mesh, _) = folding(2);
    let builder = || Scene::builder().obstacle("ball", ball, Pose::IDENTITY).deformable("cloth", mesh.clone());
    let refused = |name: &str| builder().self_contact(name).build().expect_err(name).to_string();
    assert!(refused("ball").contains("part 'ball': it is rigid") && refused("ghost").contains("deforming body 'ghost'"));
    let scene = builder().build().expect("a scene");
    let cloth = scene.part("cloth").expect("there");
    assert_eq!((scene.pair(cloth, cloth), scene.self_contacts().count()), (Ok(PairStatus::SelfCollisionOff), 0));
    let scene = builder().self_contact("cloth").build().expect("a scene");
    let cloth = scene.part("cloth").expect("there");
    assert_eq!((scene.pair(cloth, cloth), scene.self_contacts().collect::<Vec<_>>()), (Ok(PairStatus::Checked), vec![cloth]));
}
