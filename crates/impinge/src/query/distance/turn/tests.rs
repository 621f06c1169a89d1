//! The hulls of images against the paths and the sweeps they stand for.

use proptest::prelude::*;

use super::images::{Axis, Images};
use super::*;
use crate::geometry::Mesh;
use crate::narrow::closest::closest;
use crate::narrow::gjk::Vertex;
use crate::narrow::hull_pair::Item;
use crate::query::distance::distance;

fn vectors(scale: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-1.0f64..1.0).prop_map(move |v| Vec3::from(v) * scale)
}

/// Turns of all sizes, with translations that are short, or long, or none.
fn turns() -> impl Strategy<Value = Turn> {
    let scale = prop_oneof![Just(0.0), Just(0.1), Just(1.0), Just(30.0)];
    (vectors(1.0), 1e-4f64..5.0, vectors(2.0), vectors(1.0), scale).prop_map(|(axis, angle, about, x, scale)| Turn {
        rotation: axis * (angle / axis.norm().max(1e-3)),
        about,
        translation: x * scale,
    })
}

fn poses() -> impl Strategy<Value = Pose> {
    (vectors(2.0), vectors(3.0)).prop_map(|(at, rpy)| Pose::from_rpy(at, rpy).expect("finite"))
}

#[derive(Debug)]
struct Case {
    triangle: [Vec3; 3],
    tree: HullTree,
    pose: Pose,
    other: Pose,
    turn: Turn,
    span: (f64, f64),
}

impl Case {
    fn images(&self, way: Way) -> Images {
        Images::new((&self.tree, &self.pose, &self.turn), &self.other, Vec3::ZERO, self.span, way)
    }

    /// Where a point of the body is at a time, in the frame of the other.
    fn seen(&self, y: Vec3, t: f64) -> Vec3 {
        self.other.inverse().apply(self.turn.at(self.pose.apply(y), t))
    }

    fn time(&self, share: f64) -> f64 {
        self.span.0 + share * (self.span.1 - self.span.0)
    }

    fn angle(&self) -> f64 {
        self.turn.rotation.norm() * (self.span.1 - self.span.0)
    }
}

/// A triangle and a piece of a turn, of at most a quarter turn.
fn cases() -> impl Strategy<Value = Case> {
    (prop::array::uniform3(vectors(1.0)), poses(), poses(), turns(), 0.0f64..1.0, 0.0f64..1.0).prop_map(
        |(triangle, pose, other, turn, from, length)| {
            let tree = HullTree::new(&Mesh::new(triangle.to_vec(), vec![[0, 1, 2]]).expect("valid"));
            let length = (1.55 / turn.rotation.norm()).min(1.0) * length.max(1e-3);
            let from = from * (1.0 - length);
            Case { triangle, tree, pose, other, turn, span: (from, from + length) }
        },
    )
}

fn mixture(points: &[Vec3; 3], w: [f64; 3]) -> Vec3 {
    let sum = w[0] + w[1] + w[2];
    (points[0] * w[0] + points[1] * w[1] + points[2] * w[2]) * (1.0 / sum)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// No point of the body is ever outside of the hull of the four images, along any direction.
    #[test]
    fn four_images_hold_the_path(case in cases(), d in vectors(1.0), weights in prop::array::uniform3(0.01f64..1.0)) {
        let images = case.images(Way::Conservative);
        let top = d.dot(images.farthest(&Item::Triangle(case.triangle), d).1);
        let y = mixture(&case.triangle, weights);
        for k in 0..=20 {
            let at = case.seen(y, case.time(f64::from(k) / 20.0));
            prop_assert!(d.dot(at) <= top + images.error, "{} above {top} at {k}", d.dot(at) - top);
        }
        let corners = images.corners(&case.triangle);
        prop_assert_eq!(corners.height(d), d.dot(corners.farthest(d).1));
        prop_assert!((corners.height(d) - top).abs() <= images.error);
    }

    /// Every point of the hull of images is as near to what the body sweeps as the bound says, and every point of the sweep as near to the
    /// hull of the start and the end: the points of the proofs show it.
    #[test]
    fn hulls_of_images_are_no_farther_than_their_errors(
        case in cases(), weights in prop::array::uniform3(prop::array::uniform4(0.0f64..1.0)), sharp in any::<bool>(), estimate in any::<bool>(),
    ) {
        let way = if estimate { Way::Estimate } else { Way::Conservative };
        let images = case.images(way);
        let axis = Axis::new(&case.pose, &case.turn).expect("it turns");
        let n = if estimate { 2 } else { 4 };
        // Few large weights make the largest errors.
        let weight = |i: usize, k: usize| if k >= n { 0.0 } else if sharp { weights[i][k].powi(8) } else { weights[i][k] };
        let total: f64 = (0..12).map(|j| weight(j / 4, j % 4)).sum::<f64>() + 1e-9;
        let (mut q, mut p, mut time) = (Vec3::ZERO, Vec3::ZERO, 0.0);
        for (i, k) in (0..12).map(|j| (j / 4, j % 4)) {
            let w = (weight(i, k) + if (i, k) == (0, 0) { 1e-9 } else { 0.0 }) / total;
            let simplex = crate::narrow::gjk::Simplex::of(Vertex { ids: (k as u32, 0), ..Vertex::default() });
            q += images.recalled(&Item::Triangle(case.triangle), (4 * i + k) as u32) * w;
            p += case.triangle[i] * w;
            time += images.time(&simplex, |ids| ids.0) * w;
        }
        let off = (q - case.seen(p, time)).norm();
        let allowed = axis.outside(&case.tree, 0, case.angle(), way);
        prop_assert!(off <= allowed + images.error + 1e-12, "{off} {allowed}");
        for k in 0..=8 {
            let s = f64::from(k) / 8.0;
            let chord = case.seen(p, case.span.0) * (1.0 - s) + case.seen(p, case.span.1) * s;
            let inside = axis.inside(&case.tree, case.angle());
            prop_assert!((case.seen(p, case.time(s)) - chord).norm() <= inside + images.error + 1e-12);
        }
    }
}

/// A few triangles about a point.
fn soups() -> impl Strategy<Value = Mesh> {
    prop::collection::vec(vectors(1.0), 9..=12).prop_map(|vertices| {
        let triangles = (0..vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        Mesh::new(vertices, triangles).expect("valid")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// The points of an answer are on their triangles at the times that are told, and no farther apart than `at_most`; and the triangles are
    /// as near as that, measured near the origin, where little is rounded.
    #[test]
    fn points_show_the_upper_bound(
        a in soups(), b in soups(), pose_a in poses(), pose_b in poses(), turn in turns(), by in vectors(1.0), away in 0u32..6,
        volumes in any::<bool>(), estimate in any::<bool>(), pieces in 1u32..5,
    ) {
        let reading = if volumes { Reading::Volumes } else { Reading::Simultaneous };
        let way = if estimate { Way::Estimate } else { Way::Conservative };
        let options = TurnOptions { reading, way, piece: (turn.rotation.norm() / f64::from(pieces)).clamp(0.01, 1.5) };
        let far = Vec3::new(1.0, -1.0, 1.0) * if away == 0 { 0.0 } else { f64::from(1u32 << (5 * away - 1)) };
        // The same bits near the origin and far from it.
        let near = |v: Vec3| (v + far) - far;
        let (pose_a, pose_b) = (near_pose(&pose_a, near), near_pose(&pose_b, near));
        let turns = (Turn { about: near(turn.about), ..turn }, Turn::straight(by));
        let there = |t: Turn| Turn { about: t.about + far, ..t };
        let away = |p: &Pose| Pose { translation: p.translation + far, ..*p };
        let (tree_a, tree_b) = (HullTree::new(&a), HullTree::new(&b));
        let answer = turned_distance(
            (&tree_a, &away(&pose_a), &there(turns.0)), (&tree_b, &away(&pose_b), &there(turns.1)),
            options, DistanceLimits::default(), &mut DistanceSession::new(),
        ).expect("finite");
        let w = answer.witness.expect("something is nearest");
        prop_assert!((w.points.0 - w.points.1).norm() <= answer.at_most, "{answer:?}");
        let corners = |mesh: &Mesh, triangle: u32, pose: &Pose, turn: &Turn, t: f64| {
            mesh.corners(triangle as usize).map(|p| turn.at(pose.apply(p), t))
        };
        let x = corners(&a, w.triangles.0, &pose_a, &turns.0, w.times.0);
        let y = corners(&b, w.triangles.1, &pose_b, &turns.1, w.times.1);
        for (triangle, point) in [(&x, w.points.0), (&y, w.points.1)] {
            let off = closest(triangle, &[point - far; 3]);
            prop_assert!((off.on_a - off.on_b).norm() <= 1e-12 + 1e-14 * far.norm(), "not on its triangle: {answer:?}");
        }
        let tree = |corners: &[Vec3; 3]| HullTree::new(&Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).expect("valid"));
        let here = Pose::IDENTITY;
        let limits = DistanceLimits::default();
        let truth = distance((&tree(&x), &here), (&tree(&y), &here), limits, &mut DistanceSession::new()).expect("finite");
        prop_assert!(truth.at_least <= answer.at_most + 1e-14, "{truth:?} {answer:?}");
        prop_assert!(volumes || w.times.0 == w.times.1);
    }
}

fn near_pose(pose: &Pose, near: impl Fn(Vec3) -> Vec3) -> Pose {
    Pose { translation: near(pose.translation), ..*pose }
}

/// The paper's three images do not hold a path whose translation is long against the turn; four do.
#[test]
fn a_path_bent_both_ways_needs_four_images() {
    let turn = Turn { rotation: Vec3::unit(2) * 1.5, about: Vec3::ZERO, translation: Vec3::new(20.0, 0.0, 0.0) };
    let p = Vec3::new(0.73, -0.68, 0.0);
    let at = |t: f64| turn.at(p, t);
    let velocity = |t: f64| (at(t + 1e-6) - at(t - 1e-6)) * 0.5e6;
    let turning = |t: f64| velocity(t).cross(velocity(t + 1e-3)).z;
    assert!(turning(0.1) * turning(0.9) < 0.0, "bent both ways");
}

#[test]
fn bad_turns_are_refused() {
    let tree = HullTree::new(&Mesh::new(vec![Vec3::ZERO], vec![[0; 3]]).expect("valid"));
    let ask = |a: Turn, b: Turn, options: TurnOptions| {
        let (here, limits) = (Pose::IDENTITY, DistanceLimits::default());
        turned_distance((&tree, &here, &a), (&tree, &here, &b), options, limits, &mut DistanceSession::new())
    };
    let turn = |x: f64| Turn { rotation: Vec3::new(x, 0.0, 0.0), ..Turn::default() };
    let options = TurnOptions::default();
    assert!(ask(turn(f64::NAN), turn(0.0), options).is_err() && ask(turn(1e4), turn(0.0), options).is_err());
    assert!(ask(turn(1.0), turn(1.0), options).is_err());
    assert!(ask(turn(1.0), turn(1.0), TurnOptions { reading: Reading::Volumes, ..options }).is_ok());
    assert!(ask(turn(1.0), turn(0.0), TurnOptions { piece: 1.6, ..options }).is_err());
    assert!(ask(turn(1.0), turn(0.0), TurnOptions { piece: f64::NAN, ..options }).is_err());
}
