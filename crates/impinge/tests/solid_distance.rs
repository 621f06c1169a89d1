//! Closed meshes are solids for distances: against a test of its own for what is inside a box.

use std::sync::Arc;

use impinge::query::Semantics;
use impinge::query::distance::{DistanceLimits, Nesting, SceneDistances, nesting};
use impinge::{Mesh, Pose, Primitive, RigidMotion, Scene, Vec3};
use proptest::prelude::*;

/// The surface of a box around the origin, closed.
fn shell(half: Vec3) -> Mesh {
    let side = |k: u32, bit: u32, h: f64| if k & bit == 0 { -h } else { h };
    let corner = |k: u32| Vec3::new(side(k, 1, half.x), side(k, 2, half.y), side(k, 4, half.z));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new((0..8).map(corner).collect(), triangles).expect("valid")
}

fn vectors(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

/// Where two boxes of which the second rests at the origin are: apart along some axis by `gap`, or the first inside by `depth`.
fn apart_or_inside(a: Vec3, b: Vec3, at: Vec3) -> (f64, f64) {
    let (gap, depth) = ((at.abs() - a - b).to_array(), (b - a - at.abs()).to_array());
    (gap.into_iter().fold(f64::NEG_INFINITY, f64::max), depth.into_iter().fold(f64::INFINITY, f64::min))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Two boxes, turned and put together, far away or near: nested, apart or crossing.
    #[test]
    fn a_box_in_a_box_is_at_distance_zero(
        a in prop::array::uniform3(0.05f64..0.4), b in prop::array::uniform3(0.3f64..1.0), at in vectors(1.2),
        turn in vectors(3.0), far in prop_oneof![Just(0.0), Just(1.0), Just(1e6)], place in vectors(1.0),
    ) {
        let (a, b) = (Vec3::from(a), Vec3::from(b));
        let world = Pose::from_rpy(place * far, turn).expect("finite");
        let meshes = [Arc::new(shell(a)), Arc::new(shell(b))];
        let (pose_a, pose_b) = (world * Pose::from_translation(at), world);
        let (gap, depth) = apart_or_inside(a, b, at);
        prop_assume!(gap.abs() > 1e-6 && depth.abs() > 1e-6);
        let nested = nesting((meshes[0].clone(), &pose_a), (meshes[1].clone(), &pose_b)).expect("finite");
        if depth > 0.0 {
            prop_assert_eq!(nested, Some(Nesting::FirstInside));
            let swapped = nesting((meshes[1].clone(), &pose_b), (meshes[0].clone(), &pose_a)).expect("finite");
            prop_assert_eq!(swapped, Some(Nesting::SecondInside));
        } else if gap > 0.0 {
            prop_assert_eq!(nested, None);
        }
        let scene = || Scene::builder().body("a", meshes[0].clone()).obstacle("b", meshes[1].clone(), pose_b).build().expect("valid");
        for semantics in [Semantics::Solid, Semantics::Surface] {
            let distances = SceneDistances::new(scene(), semantics).expect("rigid");
            let built = distances.scene();
            let (body, parts) = (built.body("a").expect("there"), (built.part("a").expect("there"), built.part("b").expect("there")));
            let motion = built.motion().rigid(body, RigidMotion::resting(pose_a)).build().expect("finite");
            let limits = DistanceLimits::default();
            let both = distances.between(parts.0, parts.1, &motion, 0.0, limits).expect("valid").expect("geometry");
            let nearest = distances.nearest(&motion, 0.0, limits).expect("valid").expect("one pair");
            let all = distances.all(&motion, 0.0, limits).expect("valid");
            for d in [both, nearest, all[0]] {
                let is_nested = depth > 0.0 && semantics == Semantics::Solid;
                prop_assert_eq!(d.nesting, is_nested.then_some(Nesting::FirstInside));
                prop_assert_eq!(d.distance.at_most == 0.0 && d.distance.witness.is_none(), is_nested);
                prop_assert_eq!(d.distance.at_least > 0.0, !is_nested && (gap > 0.0 || depth > 0.0), "{:?} {} {}", d, gap, depth);
            }
        }
    }
}

/// A part beyond `stop_above` from every surface, and inside.
#[test]
fn limits_do_not_hide_what_is_inside() {
    let scene =
        Scene::builder().body("a", Primitive::sphere(0.1).expect("valid")).obstacle("b", shell(Vec3::splat(1.0)), Pose::IDENTITY);
    let distances = SceneDistances::new(scene.build().expect("valid"), Semantics::Solid).expect("rigid");
    let body = distances.scene().body("a").expect("there");
    let motion = distances.scene().motion().rigid(body, RigidMotion::resting(Pose::IDENTITY)).build().expect("finite");
    let near = distances.nearest(&motion, 0.0, DistanceLimits { stop_above: 0.5, ..DistanceLimits::default() }).expect("valid");
    assert_eq!(near.map(|d| (d.distance.at_most, d.nesting)), Some((0.0, Some(Nesting::FirstInside))));
}

/// Without the work to find out, nothing is said to be far away: two walls that are 0.3 m apart.
#[test]
fn nothing_is_beyond_the_limit_where_work_ran_out() {
    let wall = || shell(Vec3::new(0.1, 1.0, 1.0));
    let at = Pose::from_translation(Vec3::new(0.5, 0.2, 0.1));
    let scene = Scene::builder().body("a", wall()).obstacle("b", wall(), Pose::IDENTITY).build().expect("valid");
    let distances = SceneDistances::new(scene, Semantics::Surface).expect("rigid");
    let body = distances.scene().body("a").expect("there");
    let motion = distances.scene().motion().rigid(body, RigidMotion::resting(at)).build().expect("finite");
    for max_work in 0..200 {
        let ask = |stop_above: f64| {
            let limits = DistanceLimits { stop_above, max_work, ..DistanceLimits::default() };
            distances.nearest(&motion, 0.0, limits).expect("valid")
        };
        let near = ask(0.4).expect("0.3 m are within 0.4 m").distance;
        assert!(near.at_least <= 0.3 + 1e-9 && near.at_most >= 0.3 - 1e-9, "{max_work}: {near:?}");
        assert!(near.at_most < 0.4 || near.out_of_work, "{max_work}: {near:?}");
        assert!(ask(0.2).is_none_or(|d| d.distance.out_of_work && d.distance.at_least <= 0.2), "{max_work}");
        assert!(ask(f64::INFINITY).is_some(), "{max_work}");
    }
}
