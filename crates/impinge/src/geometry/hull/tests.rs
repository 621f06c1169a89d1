//! The hull of all kinds of points, by exact arithmetic.

use proptest::prelude::*;

use crate::geometry::hull::*;
use crate::math::orient::{Plane, collinear};
use crate::math::trig::sin_cos;

/// Everything a hull promises.
fn check(points: &[Vec3]) -> Hull {
    let hull = Hull::of(points).expect("valid points");
    let at = |i: u32| hull.vertices()[i as usize];
    for (v, &s) in hull.vertices().iter().zip(hull.sources()) {
        assert_eq!(*v, points[s as usize]);
    }
    let mut edges = std::collections::BTreeSet::new();
    for face in hull.faces() {
        let plane = Plane::new([at(face[0]), at(face[1]), at(face[2])]);
        assert!(points.iter().all(|&p| plane.side(p) <= 0), "a point is outside");
        for k in 0..face.len() {
            let [a, b, c] = [0, 1, 2].map(|j| face[(k + j) % face.len()]);
            assert!(plane.side(at(a)) == 0 && !collinear([at(a), at(b), at(c)]));
            assert!(edges.insert((a, b)), "an edge occurs twice in one direction");
        }
        let in_plane = (0..hull.vertices().len() as u32).filter(|&i| plane.side(at(i)) == 0).count();
        assert_eq!(in_plane, face.len(), "another face shares the plane");
    }
    assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))));
    for i in 0..hull.vertices().len() {
        let linked = hull.neighbours(i);
        assert!(linked.windows(2).all(|w| w[0] < w[1]));
        assert!(hull.dimension() < 2 || linked.iter().all(|&k| edges.contains(&(i as u32, k))));
    }
    match hull.dimension() {
        0 => assert!(points.iter().all(|p| *p == at(0))),
        1 => {
            let between = |p: &Vec3| collinear([at(0), at(1), *p]) && (*p - at(0)).dot(*p - at(1)) <= 0.0;
            assert!(points.iter().all(between) && hull.neighbours(0) == [1]);
        }
        2 => assert_eq!(edges.len(), 2 * hull.vertices().len()),
        _ => assert_eq!(hull.vertices().len() + hull.faces().len(), edges.len() / 2 + 2, "Euler"),
    }
    hull
}

fn circle(n: usize, place: impl Fn(f64, f64) -> Vec3) -> Vec<Vec3> {
    (0..n).map(|i| sin_cos(std::f64::consts::TAU * i as f64 / n as f64)).map(|(s, c)| place(s, c)).collect()
}

#[test]
fn a_cylinder_of_many_vertices() {
    let mut points = circle(5000, |s, c| Vec3::new(c, s, -1.0));
    points.extend(circle(5000, |s, c| Vec3::new(c, s, 1.0)));
    let begin = std::time::Instant::now();
    let hull = Hull::of(&points).expect("valid");
    let seconds = begin.elapsed().as_secs_f64();
    println!("cylinder: {seconds:.3} s, {} faces", hull.faces().len());
    assert_eq!((hull.vertices().len(), hull.faces().len()), (10_000, 5002));
    assert!(seconds < 5.0, "{seconds}");
}

#[test]
fn lower_dimensions_are_legal() {
    let (o, x, y) = (Vec3::new(0.1, 0.2, 0.3), Vec3::new(1.0, 2.0, 3.0), Vec3::new(-1.0, 0.5, 0.25));
    assert_eq!(check(&[o; 5]).dimension(), 0);
    assert_eq!(check(&[x, x * 2.0, x * -4.0, x * 2.0, Vec3::ZERO]).dimension(), 1);
    // Along every direction of coordinates, none or some of them the same for all; the first is not an end.
    for k in 1..27 {
        let along = Vec3::new(f64::from(k % 3 - 1), f64::from(k / 3 % 3 - 1), f64::from(k / 9 - 1));
        let hull = check(&[1.0, 0.0, 2.5, -0.75, 2.5].map(|t| Vec3::new(2.0, 2.0, 0.5) + along * t));
        assert_eq!(hull.dimension(), usize::from(along != Vec3::ZERO));
    }
    let square: Vec<Vec3> = [(0, 0), (4, 0), (4, 4), (0, 4), (2, 2), (2, 0), (4, 4), (0, 1)]
        .map(|(a, b)| x * f64::from(a) + y * f64::from(b))
        .to_vec();
    let hull = check(&square);
    assert_eq!((hull.dimension(), hull.vertices().len()), (2, 4));
    assert!(Hull::of(&[]).is_err() && Hull::of(&[Vec3::new(f64::NAN, 0.0, 0.0)]).is_err());
    assert!(Hull::of(&[Vec3::splat(1e31)]).is_err());
}

#[test]
fn faces_of_a_box_with_points_all_over_it_are_six() {
    let grid = |k: i32| f64::from(k) * 0.25 - 0.5;
    let points: Vec<Vec3> = (0..125).map(|i| Vec3::new(grid(i % 5), grid(i / 5 % 5), grid(i / 25))).collect();
    let hull = check(&points);
    assert_eq!((hull.vertices().len(), hull.faces().len()), (8, 6));
}

#[test]
fn slanted_and_flat_rings() {
    let (s, c) = sin_cos(0.3);
    for n in [3, 4, 5, 16, 60] {
        for height in [0.0, 1e-17, 1e-300, 1.0] {
            let mut points = circle(n, |a, b| Vec3::new(b * c, a, b * s));
            points.extend(circle(n, |a, b| Vec3::new(b * c - height * s, a, b * s + height * c)));
            check(&points);
        }
    }
}

fn clouds() -> impl Strategy<Value = Vec<Vec3>> {
    let point = |c: BoxedStrategy<f64>| prop::array::uniform3(c).prop_map(Vec3::from);
    let cloud = move |c: BoxedStrategy<f64>| prop::collection::vec(point(c), 1..60);
    prop_oneof![
        cloud((-1.0f64..1.0).boxed()),
        cloud((-2i32..3).prop_map(f64::from).boxed()),
        cloud((-1i32..2).prop_map(|x| f64::from(x) * 1e-200).boxed()),
        cloud((-2i32..3, 0u64..3).prop_map(|(x, b)| f64::from_bits(f64::from(x).to_bits() + b)).boxed()),
        cloud((0i32..3).prop_map(|x| 1e6 + f64::from(x) * 0.1).boxed()),
        // On a sphere, nearly: most are vertices.
        cloud((-1.0f64..1.0).boxed()).prop_map(|v| v.into_iter().map(|p| p * (1.0 / p.norm().max(1e-9))).collect()),
        // In a slanted plane, nearly.
        cloud((-3i32..4).prop_map(f64::from).boxed())
            .prop_map(|v| v.into_iter().map(|p| Vec3::new(p.x * 0.1, p.y * 0.1, p.x * 0.3 + p.y * 0.7)).collect()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn all_kinds_of_points(points in clouds()) {
        check(&points);
    }
}
