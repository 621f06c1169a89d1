//! Distance of surfaces at rest: hull trees, with every set of optimisations and several ways to build them, against all pairs of triangles.

use impinge::geometry::Mesh;
use impinge::math::{Pose, Vec3};
use impinge::query::distance::{Distance, DistanceLimits, DistanceSession, Tricks, distance};
use impinge::query::distance::{HullTree, HullTreeOptions};
use impinge_io::example::solids::torus_knot;
use impinge_testkit::Random;
use impinge_testkit::generate::{Flavour, mesh, point};
use impinge_testkit::measure::triangle_gap;
use impinge_testkit::world::Soup;

/// The rounding of the oracle, for coordinates of about ten.
const ORACLE: f64 = 1e-9;

fn tree(mesh: &Mesh, random: &mut Random) -> HullTree {
    let mut options = HullTreeOptions::default();
    options.max_vertices = random.pick(&[4, 6, 16, 128]);
    options.leaf_triangles = random.pick(&[1, 2, 4, 20]);
    options.seed_orders = random.pick(&[1, 2]);
    HullTree::with_options(mesh, options)
}

fn to_mesh(soup: &Soup) -> Mesh {
    Mesh::new(soup.vertices.clone(), soup.triangles.clone()).expect("valid")
}

fn corners(mesh: &Mesh, i: usize, pose: &Pose) -> [Vec3; 3] {
    mesh.corners(i).map(|p| pose.apply(p))
}

/// Returns the smallest distance of all pairs of triangles.
fn slow(a: (&Mesh, &Pose), b: (&Mesh, &Pose)) -> f64 {
    let of = |(m, p): (&Mesh, &Pose)| (0..m.triangles().len()).map(|i| corners(m, i, p)).collect::<Vec<_>>();
    let (x, y) = (of(a), of(b));
    x.iter().flat_map(|s| y.iter().map(move |t| triangle_gap(s, t).max(0.0))).fold(f64::INFINITY, f64::min)
}

fn tricks(bits: usize) -> Tricks {
    let on = |k: usize| bits >> k & 1 == 1;
    Tricks { closest_pair: on(0), stop_early: on(1), cut_table: on(2), simplices: on(3) }
}

fn check(d: &Distance, truth: f64, a: (&Mesh, &Pose), b: (&Mesh, &Pose)) {
    assert!(d.at_least <= truth + ORACLE && truth - ORACLE <= d.at_most, "{d:?} {truth}");
    assert!(d.at_most - d.at_least < ORACLE, "{d:?}");
    let w = d.witness.expect("something is nearest");
    assert!((w.points.0 - w.points.1).norm() <= d.at_most + ORACLE);
    for ((m, pose), triangle, p) in [(a, w.triangles.0, w.points.0), (b, w.triangles.1, w.points.1)] {
        assert!(triangle_gap(&corners(m, triangle as usize, pose), &[p; 3]).abs() < ORACLE, "a witness is not on its triangle");
    }
}

fn cases() -> usize {
    let long = std::env::var("IMPINGE_LONG").ok().and_then(|n| n.parse().ok()).unwrap_or(1usize);
    400 * long
}

#[test]
fn trees_agree_with_all_pairs_of_triangles() {
    for seed in 0..cases() as u64 {
        let random = &mut Random::new(seed);
        let flavour = Flavour::any(random);
        let (a, b) = (to_mesh(&mesh(random, flavour)), to_mesh(&mesh(random, flavour)));
        let (tree_a, tree_b) = (tree(&a, random), tree(&b, random));
        let mut sessions: Vec<DistanceSession> = (0..16).map(|bits| DistanceSession::with_tricks(tricks(bits))).collect();
        let rpy = if flavour.turns() { point(random, flavour, 3.0) } else { Vec3::ZERO };
        let other = Pose::from_rpy(point(random, flavour, 2.0), rpy).expect("finite");
        let (mut at, step) = (point(random, flavour, 4.0), point(random, flavour, 0.5));
        // Several consecutive poses, so that caches are used.
        for _ in 0..3 {
            let pose = Pose::from_rpy(at, if flavour.turns() { at } else { Vec3::ZERO }).expect("finite");
            let (x, y) = ((&a, &pose), (&b, &other));
            let truth = slow(x, y);
            for session in &mut sessions {
                let d = distance((&tree_a, &pose), (&tree_b, &other), DistanceLimits::default(), session).expect("finite");
                check(&d, truth, x, y);
            }
            let swapped = distance((&tree_b, &other), (&tree_a, &pose), DistanceLimits::default(), &mut DistanceSession::new());
            check(&swapped.expect("finite"), truth, y, x);
            thresholds((&tree_a, &pose), (&tree_b, &other), truth, random);
            at += step;
        }
    }
}

fn thresholds(a: (&HullTree, &Pose), b: (&HullTree, &Pose), truth: f64, random: &mut Random) {
    let limit = random.within(0.0, 2.0 * truth + 0.1);
    let ask = |limits| distance(a, b, limits, &mut DistanceSession::new()).expect("finite");
    let d = ask(DistanceLimits { stop_above: limit, ..DistanceLimits::default() });
    assert!(d.at_least <= truth + ORACLE && d.at_most >= truth - ORACLE);
    if truth > limit + ORACLE {
        assert!(d.witness.is_none() && d.at_least >= limit, "{d:?} {limit}");
    }
    if truth < limit - ORACLE {
        assert!(d.at_most <= limit && d.at_most - d.at_least < ORACLE, "{d:?} {limit}");
    }
    let d = ask(DistanceLimits { stop_below: limit, ..DistanceLimits::default() });
    assert!(d.at_least <= truth + ORACLE && d.at_most >= truth - ORACLE);
    assert!(d.at_most <= limit || d.at_most - d.at_least < ORACLE, "{d:?} {limit}");
}

#[test]
fn knots_and_how_little_is_compared() {
    let knot = torus_knot(60, 8).into_mesh().expect("valid");
    let tree = HullTree::new(&knot);
    let mut session = DistanceSession::new();
    let mut random = Random::new(1);
    let mut compared = 0;
    for _ in 0..10 {
        let at = point(&mut random, Flavour::Plain, 3.0);
        let pose = Pose::from_rpy(at, point(&mut random, Flavour::Plain, 3.0)).expect("finite");
        let d = distance((&tree, &pose), (&tree, &Pose::IDENTITY), DistanceLimits::default(), &mut session).expect("finite");
        check(&d, slow((&knot, &pose), (&knot, &Pose::IDENTITY)), (&knot, &pose), (&knot, &Pose::IDENTITY));
        compared += session.tally.hulls + session.tally.triangles;
    }
    assert!(compared < 10 * 400, "{compared}");
}
