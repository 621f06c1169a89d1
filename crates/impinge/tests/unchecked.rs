//! Poses and primitives have public fields, so constructors need not have checked them: what is no rotation or no size is refused, and a matrix
//! that is a rotation up to rounding counts as the nearest one, its difference as an error.

use impinge::geometry::{Piece, Primitive};
use impinge::math::Mat3;
use impinge::query::distance::{DistanceLimits, DistanceSession, HullTree, distance, nesting};
use impinge::robot::{JointKind, JointSpec, Link};
use impinge::{Checker, Error, Mesh, Motion, Options, Pose, RigidMotion, Robot, Scene, Shape, Vec3, Verdict};

/// The identity, multiplied.
fn scaled(by: f64) -> Mat3 {
    Mat3::IDENTITY * by
}

fn turned(rotation: Mat3) -> Pose {
    Pose { rotation, translation: Vec3::ZERO }
}

fn block() -> Primitive {
    Primitive::cuboid(Vec3::splat(2.0)).expect("a box")
}

/// A matrix that is no rotation, and one of a mirror.
fn not_rotations() -> Vec<Mat3> {
    let mirror = Mat3 { columns: [Vec3::unit(0), Vec3::unit(1), -Vec3::unit(2)] };
    [f64::NAN, f64::INFINITY, 0.0, 0.5, 2.0, 1.0 + 1e-5].map(scaled).into_iter().chain([mirror]).collect()
}

#[test]
fn what_is_no_rotation_is_refused() {
    for matrix in not_rotations() {
        let pose = turned(matrix);
        assert!(Scene::builder().obstacle("a", block(), pose).build().is_err(), "{matrix:?}");
        let link = |name: &str| Link { name: name.into(), pieces: vec![] };
        let joint = JointSpec {
            name: "j".into(),
            parent: "a".into(),
            child: "b".into(),
            parent_from_joint: pose,
            kind: JointKind::Fixed,
            limits: None,
            mimic: None,
        };
        assert!(Robot::new("r", vec![link("a"), link("b")], vec![joint]).is_err(), "{matrix:?}");
        let robot = Robot::new("r", vec![link("a")], vec![]).expect("a link");
        assert!(Scene::builder().robot_at("r", robot, pose).build().is_err(), "{matrix:?}");
        let scene = Scene::builder().body("a", block()).build().expect("a scene");
        let start = RigidMotion { start: pose, end_position: Vec3::ZERO, rotation_vector: Vec3::ZERO };
        assert!(scene.motion().rigid(scene.body("a").expect("there"), start).build().is_err(), "{matrix:?}");
        let tree = HullTree::of_primitive(&block()).expect("sizes");
        let found = distance((&tree, &pose), (&tree, &Pose::IDENTITY), DistanceLimits::default(), &mut DistanceSession::new());
        assert!(found.is_err(), "{matrix:?}");
    }
}

#[test]
fn sizes_that_no_constructor_takes_are_refused() {
    let capsule = |radius: f64, half_length: f64| Primitive::Capsule { radius, half_length };
    let wrong = [f64::NAN, -1.0, 1e31, f64::INFINITY].map(|x| [Primitive::Sphere { radius: x }, capsule(0.1, x)]);
    for shape in wrong.into_iter().flatten().chain([Primitive::Cuboid { half: Vec3::splat(1e-60) }]) {
        assert!(Scene::builder().obstacle("a", shape, Pose::IDENTITY).build().is_err(), "{shape:?}");
        assert!(Scene::builder().body("a", shape).build().is_err(), "{shape:?}");
        let link = Link { name: "a".into(), pieces: vec![Piece::new(shape, Pose::IDENTITY)] };
        let robot = Robot::new("r", vec![link], vec![]).expect("a link");
        assert!(Scene::builder().robot("r", robot).build().is_err(), "{shape:?}");
        assert!(HullTree::of_primitive(&shape).is_err(), "{shape:?}");
        assert!(nesting((shape, &Pose::IDENTITY), (block(), &Pose::IDENTITY)).is_err(), "{shape:?}");
    }
}

/// How deep a cube stops in another, metres.
const DEPTH: f64 = 3e-7;

/// Two cubes, one of which stops in the other, with matrices for their rotations.
fn cubes(shape: &Shape, body: Mat3, obstacle: Mat3) -> Result<(Checker, Motion), Error> {
    let scene = Scene::builder().body("a", shape.clone()).obstacle("b", shape.clone(), turned(obstacle)).build()?;
    let end_position = Vec3::new(2.0 - DEPTH, 0.0, 0.0);
    let start = Pose { rotation: body, translation: Vec3::new(4.0, 0.0, 0.0) };
    let rigid = RigidMotion { start, end_position, rotation_vector: Vec3::ZERO };
    let motion = scene.motion().rigid(scene.body("a").expect("there"), rigid).build()?;
    Ok((Checker::new(scene, Options::default().max_work(20_000))?, motion))
}

#[test]
fn matrices_in_single_precision_are_covered() {
    // The sides of the same cube that are across x.
    let corner = |k: u32| Vec3::from([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 }));
    let triangles = vec![[0, 2, 4], [2, 4, 6], [1, 3, 5], [3, 5, 7]];
    let mesh = Mesh::new((0..8).map(corner).collect(), triangles).expect("finite");
    for shape in [Shape::from(block()), Shape::from(mesh)] {
        for by in [1.0 - 5e-7, 1.0 + 5e-7] {
            for (body, obstacle) in [(scaled(by), Mat3::IDENTITY), (Mat3::IDENTITY, scaled(by)), (scaled(by), scaled(by))] {
                let (checker, motion) = cubes(&shape, body, obstacle).expect("nearly a rotation");
                for verdict in [checker.check(&motion), checker.first_contact(&motion)].map(|v| v.expect("of this scene")) {
                    assert!(!verdict.is_free(), "{by}: {verdict:?}");
                    if let Verdict::Contact(c) = verdict {
                        assert!(c.free_until <= 2.0 / (2.0 + DEPTH) + 1e-12, "{by}: {c:?}");
                    }
                }
            }
        }
    }
}
