//! Mimic joints: `multiplier * value + offset` is exact in the model and rounded in floating point.

use impinge::geometry::{Piece, Primitive};
use impinge::math::Vec3;
use impinge::robot::{JointKind, JointSpec, Link};
use impinge::{Checker, Options, Pose, Robot, Scene};
use impinge_testkit::Random;
use impinge_testkit::trial::count;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

/// Returns the largest double below the exact value, or the smallest above it.
fn next_to(value: &BigRational, below: bool) -> f64 {
    let mut x = value.to_f64().expect("in range");
    while below && exact(x) >= *value {
        x = x.next_down();
    }
    while !below && exact(x) <= *value {
        x = x.next_up();
    }
    x
}

/// A prismatic joint that mimics another with a large multiplier; the face of its box, in exact arithmetic, is just inside a wall at the end.
fn slider(multiplier: f64, offset: f64, q: f64, wall: f64) -> Checker {
    let link = |name: &str, pieces| Link { name: name.into(), pieces };
    let joint = |name: &str, child: &str, mimic| JointSpec {
        name: name.into(),
        parent: "base".into(),
        child: child.into(),
        parent_from_joint: Pose::IDENTITY,
        kind: JointKind::Prismatic { axis: Vec3::unit(0) },
        limits: None,
        mimic,
    };
    let cube = Primitive::cuboid(Vec3::splat(2.0)).expect("a box");
    let links = vec![link("base", vec![]), link("leader", vec![]), link("follower", vec![Piece::new(cube, Pose::IDENTITY)])];
    let joints = vec![joint("a", "leader", None), joint("b", "follower", Some(("a".into(), multiplier, offset)))];
    let robot = Robot::new("r", links, joints).expect("a tree");
    let _ = q;
    let scene = Scene::builder()
        .robot("r", robot)
        .obstacle(
            "wall",
            Primitive::cuboid(Vec3::new(2.0, 8.0, 8.0)).expect("a box"),
            Pose::from_translation(Vec3::new(wall + 1.0, 0.0, 0.0)),
        )
        .build()
        .expect("a scene");
    Checker::new(scene, Options::default().tolerance(0.0)).expect("options")
}

/// The follower ends with its face at `multiplier * q + offset + 1`; the wall starts just below that, so there is contact.
#[test]
fn a_follower_just_inside_a_wall_is_not_free() {
    let mut random = Random::new(3);
    let mut inside = 0;
    for _ in 0..count(60) {
        let multiplier = random.within(0.5, 1.5) * 2f64.powi(random.integer(10, 40) as i32);
        let q = random.within(0.5, 1.0);
        // The position is moderate: the offset cancels most of the product.
        let offset = -(multiplier * q) + random.within(-1.0, 1.0);
        let at = exact(multiplier) * exact(q) + exact(offset);
        let face = at + BigRational::from_integer(BigInt::from(1));
        let wall = next_to(&face, true);
        if exact(wall + 1.0) - BigRational::from_integer(BigInt::from(1)) >= face {
            continue;
        }
        inside += 1;
        let checker = slider(multiplier, offset, q, wall);
        let robot = checker.scene().robot("r").expect("there");
        // From a place clearly to the left of the wall.
        let from = q - 4.0 / multiplier;
        let motion = checker.scene().motion().joint_line(robot, &[from], &[q]).build().expect("finite");
        for verdict in [checker.check(&motion), checker.first_contact(&motion)] {
            let verdict = verdict.expect("of this scene");
            assert!(!verdict.is_free(), "multiplier {multiplier:e}, q {q}, offset {offset}: {verdict:?}");
        }
    }
    assert!(inside > 20, "only {inside} followers are inside");
}
