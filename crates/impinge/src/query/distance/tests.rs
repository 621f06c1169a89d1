//! Distances against exact arithmetic, where the answer is known exactly, and between hulls.

use num_rational::BigRational;
use num_traits::Zero;
use proptest::prelude::*;

use super::*;
use crate::geometry::{Hull, Mesh};
use crate::math::Mat3;

fn exactly(x: f64) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

/// Where a quaternion, normalised exactly, and a translation put a point.
fn placed(q: [f64; 4], t: Vec3, p: Vec3) -> [BigRational; 3] {
    let [w, x, y, z] = q.map(exactly);
    let two = BigRational::from_float(2.0).expect("finite");
    let square = &w * &w + &x * &x + &y * &y + &z * &z;
    let rows = [
        [&w * &w + &x * &x - &y * &y - &z * &z, &two * (&x * &y - &w * &z), &two * (&x * &z + &w * &y)],
        [&two * (&x * &y + &w * &z), &w * &w - &x * &x + &y * &y - &z * &z, &two * (&y * &z - &w * &x)],
        [&two * (&x * &z - &w * &y), &two * (&y * &z + &w * &x), &w * &w - &x * &x - &y * &y + &z * &z],
    ];
    let p = p.to_array().map(exactly);
    [0, 1, 2].map(|i| (&rows[i][0] * &p[0] + &rows[i][1] * &p[1] + &rows[i][2] * &p[2]) / &square + exactly(t[i]))
}

fn vectors(scale: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-1.0f64..1.0).prop_map(move |v| Vec3::from(v) * scale)
}

fn quaternions() -> impl Strategy<Value = [f64; 4]> {
    let plain = prop::array::uniform4(-1.0f64..1.0).prop_filter_map("long enough", |q| {
        let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        (norm > 0.1).then(|| q.map(|x| x / norm))
    });
    prop_oneof![plain, Just([1.0, 0.0, 0.0, 0.0])]
}

fn point_mesh(p: Vec3) -> Mesh {
    Mesh::new(vec![p], vec![[0; 3]]).expect("valid")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// A point each: the distance is a root of a rational number. Far offsets make what rounding does large.
    #[test]
    fn bounds_enclose_the_exact_distance_of_points(
        p in vectors(1.0), q in vectors(1.0), far in prop_oneof![Just(0.0), Just(1.0), Just(1e4)], near in vectors(1.0),
        turns in prop::array::uniform2(quaternions()), tiny in prop_oneof![9 => Just(1.0), 1 => Just(1e-152), 1 => Just(1e-162), 1 => Just(1e-310)],
    ) {
        let (p, q, near) = (p * tiny, q * tiny, near * tiny);
        let (s, t) = (near * far, near * far + q * 1e-3);
        let poses = [(s, turns[0]), (t, turns[1])].map(|(t, q)| Pose::from_quaternion(t, q).expect("unit"));
        let trees = [p, q].map(|p| HullTree::new(&point_mesh(p)));
        let limits = DistanceLimits::default();
        let d = distance((&trees[0], &poses[0]), (&trees[1], &poses[1]), limits, &mut DistanceSession::new()).expect("finite");
        let bodies = [p, q].map(|p| ConvexBody::new(Hull::of(&[p]).expect("finite")));
        let c = convex_distance((&bodies[0], &poses[0]), (&bodies[1], &poses[1]), f64::INFINITY).expect("finite");
        let (a, b) = (placed(turns[0], s, p), placed(turns[1], t, q));
        let square = (0..3).fold(BigRational::zero(), |sum, k| sum + (&a[k] - &b[k]) * (&a[k] - &b[k]));
        for (at_least, at_most) in [(d.at_least, d.at_most), (c.at_least, c.at_most)] {
            prop_assert!(exactly(at_least) * exactly(at_least) <= square, "{at_least} is too much");
            prop_assert!(square <= exactly(at_most) * exactly(at_most), "{at_most} is too little");
            prop_assert!(at_most - at_least <= 1e-13 * (far + 2.0), "{at_least} {at_most}");
        }
    }

    /// A point each, swept: the least of a square over the times is a rational number, too.
    #[test]
    fn bounds_enclose_the_exact_distance_of_swept_points(
        p in vectors(1.0), q in vectors(1.0), far in prop_oneof![Just(0.0), Just(1.0), Just(1e4)], near in vectors(1.0),
        turns in prop::array::uniform2(quaternions()), by in prop::array::uniform2(vectors(1.0)), long in prop_oneof![Just(1.0), Just(1e4)],
    ) {
        let (s, t) = (near * far, near * far + q * 1e-3);
        let by = by.map(|v| v * long);
        let poses = [(s, turns[0]), (t, turns[1])].map(|(t, q)| Pose::from_quaternion(t, q).expect("unit"));
        let trees = [p, q].map(|p| HullTree::new(&point_mesh(p)));
        let (a, b) = (placed(turns[0], s, p), placed(turns[1], t, q));
        let start: Vec<BigRational> = (0..3).map(|k| &a[k] - &b[k]).collect();
        let travel: Vec<BigRational> = (0..3).map(|k| exactly(by[0][k]) - exactly(by[1][k])).collect();
        let dot = |x: &[BigRational], y: &[BigRational]| (0..3).fold(BigRational::zero(), |sum, k| sum + &x[k] * &y[k]);
        let share = (-dot(&start, &travel) / dot(&travel, &travel)).clamp(BigRational::zero(), exactly(1.0));
        let closest: Vec<BigRational> = (0..3).map(|k| &start[k] + &share * &travel[k]).collect();
        let square = dot(&closest, &closest);
        let (limits, session) = (DistanceLimits::default(), &mut DistanceSession::new());
        let ends = ((&trees[0], &poses[0], by[0]), (&trees[1], &poses[1], by[1]));
        let d = swept_distance(ends.0, ends.1, Reading::Simultaneous, limits, session).expect("finite");
        prop_assert!(exactly(d.at_least) * exactly(d.at_least) <= square, "{} is too much", d.at_least);
        prop_assert!(square <= exactly(d.at_most) * exactly(d.at_most), "{} is too little", d.at_most);
        prop_assert!(d.at_most - d.at_least <= 1e-12 * (far + long), "{d:?}");
    }

    /// Two boxes that only move: the distance of boxes is known, and nearly exact.
    #[test]
    fn boxes_beside_boxes(half in prop::array::uniform2(prop::array::uniform3(0.1f64..1.0)), at in vectors(3.0)) {
        let half = half.map(Vec3::from);
        let meshes = half.map(|h| crate::Primitive::cuboid(h * 2.0).expect("valid").flat_surface().expect("flat"));
        let bodies = [0, 1].map(|i| ConvexBody::new(Hull::of(meshes[i].vertices()).expect("finite")));
        let pose = Pose::from_translation(at);
        let gap = (at.abs() - half[0] - half[1]).max(Vec3::ZERO).norm();
        // Where two edges are nearly parallel the direction between them is known up to rounding over distance.
        let close = |x: f64| (x - gap).abs() < 1e-13 + if gap > 0.0 { 1e-15 / gap } else { 0.0 };
        let c = convex_distance((&bodies[0], &pose), (&bodies[1], &Pose::IDENTITY), f64::INFINITY).expect("finite");
        prop_assert!(close(c.at_least) && close(c.at_most), "{c:?} {gap}");
        let away = c.points.0 - c.points.1;
        prop_assert!((away.norm() - gap).abs() < 1e-13);
        let far = convex_distance((&bodies[0], &pose), (&bodies[1], &Pose::IDENTITY), 0.5 * gap).expect("finite");
        prop_assert!(far.at_least <= gap && (gap == 0.0 || far.at_least > 0.5 * gap));
        // As surfaces: the same while they are apart.
        let trees = [0, 1].map(|i| HullTree::new(&meshes[i]));
        let (a, b, limits) = ((&trees[0], &pose), (&trees[1], &Pose::IDENTITY), DistanceLimits::default());
        let d = distance(a, b, limits, &mut DistanceSession::new()).expect("finite");
        prop_assert!(gap == 0.0 || (close(d.at_least) && close(d.at_most)), "{d:?} {gap}");
        let near = DistanceLimits { stop_below: gap + 0.3, ..limits };
        let d = distance(a, b, near, &mut DistanceSession::new()).expect("finite");
        prop_assert!(gap == 0.0 || (d.at_least <= gap && d.at_most >= gap && d.at_most <= gap + 0.3));
        let above = DistanceLimits { stop_above: 0.5 * gap, ..limits };
        let d = distance(a, b, above, &mut DistanceSession::new()).expect("finite");
        prop_assert!(gap == 0.0 || (d.witness.is_none() && d.at_least > 0.5 * gap && d.at_least <= gap && d.at_most.is_infinite()));
        let rough = DistanceLimits { stop_above: 2.0 * gap, relative: 0.1, absolute: 0.01, ..limits };
        let d = distance(a, b, rough, &mut DistanceSession::new()).expect("finite");
        prop_assert!(gap == 0.0 || (d.at_least <= gap && gap <= d.at_most && d.at_most - d.at_least <= 0.11 * d.at_most + 0.02));
    }
}

#[test]
fn crossing_surfaces_are_proven_to_touch() {
    let mesh = crate::Primitive::cuboid(Vec3::splat(1.0)).expect("valid").flat_surface().expect("flat");
    let tree = HullTree::new(&mesh);
    let pose = Pose::from_rpy(Vec3::new(0.7, 0.3, 0.2), Vec3::new(0.5, 0.4, 0.3)).expect("finite");
    let d = distance((&tree, &pose), (&tree, &Pose::IDENTITY), DistanceLimits::default(), &mut DistanceSession::new())
        .expect("finite");
    assert_eq!((d.at_least, d.at_most), (0.0, 0.0));
    let (p, q) = d.witness.expect("they touch").points;
    assert!((p - q).norm() < 1e-14);
    // One inside the other: surfaces are apart, solids are not.
    let small = crate::Primitive::cuboid(Vec3::splat(0.25)).expect("valid").flat_surface().expect("flat");
    let inside = HullTree::new(&small);
    let d =
        distance((&inside, &Pose::IDENTITY), (&tree, &Pose::IDENTITY), DistanceLimits::default(), &mut DistanceSession::new());
    assert!((d.expect("finite").at_least - 0.375).abs() < 1e-14);
    let [a, b] = [&small, &mesh].map(|m| ConvexBody::new(Hull::of(m.vertices()).expect("finite")));
    let c = convex_distance((&a, &pose), (&b, &pose), f64::INFINITY).expect("finite");
    assert_eq!((c.at_least, c.at_most), (0.0, 0.0));
    assert!((c.points.0 - c.points.1).norm() < 1e-14);
}

#[test]
fn bad_questions_are_refused() {
    let tree = HullTree::new(&point_mesh(Vec3::ZERO));
    let ask = |pose: Pose, limits: DistanceLimits| {
        distance((&tree, &pose), (&tree, &Pose::IDENTITY), limits, &mut DistanceSession::new())
    };
    let limits = DistanceLimits::default();
    assert!(ask(Pose::from_translation(Vec3::splat(f64::NAN)), limits).is_err());
    assert!(ask(Pose::from_translation(Vec3::splat(1e31)), limits).is_err());
    assert!(ask(Pose { rotation: Mat3::ZERO * f64::NAN, translation: Vec3::ZERO }, limits).is_err());
    assert!(ask(Pose::IDENTITY, DistanceLimits { stop_above: f64::NAN, ..limits }).is_err());
    assert!(ask(Pose::IDENTITY, DistanceLimits { absolute: -1.0, ..limits }).is_err());
}

/// Where every pair of triangles is as near as every other, nothing can be cut; the work limit ends that with bounds that hold.
#[test]
fn equal_triangles_are_measured_within_the_work_limit() {
    let heap = |n: u32| {
        let corners = vec![Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)];
        HullTree::new(&Mesh::new(corners, vec![[0, 1, 2]; n as usize]).expect("a mesh"))
    };
    let (a, b) = (heap(300), heap(300));
    let above = Pose::from_translation(Vec3::new(0.0, 0.0, 1.0));
    for max_work in [0, 1, 100, 1000] {
        let limits = DistanceLimits { max_work, ..DistanceLimits::default() };
        let mut session = DistanceSession::new();
        let d = distance((&a, &above), (&b, &Pose::IDENTITY), limits, &mut session).expect("finite");
        assert!(d.out_of_work && d.at_least <= 1.0 && 1.0 <= d.at_most, "{max_work}: {d:?}");
        assert!(session.tally.work() <= max_work + 1000, "{max_work}: {:?}", session.tally);
        let turn = Turn { rotation: Vec3::unit(0), about: above.translation, translation: Vec3::ZERO };
        let still = Turn::straight(Vec3::ZERO);
        let options = TurnOptions::default();
        let both = ((&a, &above, &turn), (&b, &Pose::IDENTITY, &still));
        let t = turned_distance(both.0, both.1, options, limits, &mut session).expect("finite");
        assert!(t.out_of_work && t.at_least <= 1.0 && t.at_most >= 0.15, "{max_work}: {t:?}");
    }
}
