use proptest::prelude::*;

use super::*;
use crate::math::Pose;
use crate::robot::{JointKind, JointSpec, Link, LoopSpec, Robot};

fn joint(name: &str, parent: &str, child: &str, at: Pose, kind: JointKind) -> JointSpec {
    let (name, parent, child) = (name.into(), parent.into(), child.into());
    JointSpec { name, parent, child, parent_from_joint: at, kind, limits: None, mimic: None }
}

/// Two arms of three joints each on one base; their tips are joined by a loop joint.
fn arms(kind: LoopKind, offsets: [[f64; 3]; 6]) -> Scene {
    let names = ["base", "a1", "a2", "a3", "b1", "b2", "b3"];
    let links = names.map(|name| Link { name: name.into(), pieces: Vec::new() });
    let joints = [("base", "a1"), ("a1", "a2"), ("a2", "a3"), ("base", "b1"), ("b1", "b2"), ("b2", "b3")];
    let joints = joints.iter().zip(offsets).enumerate().map(|(k, ((parent, child), offset))| {
        let at = Pose::from_rpy(Vec3::from(offset), Vec3::from(offset)).expect("finite");
        let axis = Vec3::unit(k % 3);
        let kind = if k % 3 == 2 { JointKind::Prismatic { axis } } else { JointKind::Revolute { axis } };
        joint(&format!("to {child}"), parent, child, at, kind)
    });
    let tip = Pose::from_rpy(Vec3::new(0.1, 0.2, -0.1), Vec3::new(0.5, 0.1, 1.0)).expect("finite");
    let links_of_loop = ["a3", "b3"].map(str::to_owned);
    let closed = LoopSpec { name: "loop".into(), links: links_of_loop, link_from_loop: [tip, Pose::IDENTITY], kind };
    let robot = Robot::new("arms", links.to_vec(), joints.collect()).and_then(|r| r.with_loops(vec![closed]));
    Scene::builder().robot("arms", robot.expect("a tree")).build().expect("a scene")
}

fn motion(scene: &Scene, from: &[f64], to: &[f64]) -> Motion {
    scene.motion().joint_line(scene.robot("arms").expect("there"), from, to).build().expect("finite")
}

/// What the loop joint allows, told once more from poses alone.
fn plain_opening(kind: LoopKind, seen: &Pose) -> Opening {
    let (v, turned) = (seen.translation, |e: Vec3| (seen.rotation * e).dot(e).clamp(-1.0, 1.0).acos());
    let along = |axis: Vec3| unit(axis) * unit(axis).dot(v);
    let trace: f64 = (0..3).map(|k| seen.rotation.columns[k][k]).sum();
    let whole = (0.5 * (trace - 1.0)).clamp(-1.0, 1.0).acos();
    match kind {
        LoopKind::Fixed => Opening { metres: v.norm(), radians: Some(whole) },
        LoopKind::Spherical => Opening { metres: v.norm(), radians: None },
        LoopKind::Revolute { axis } => Opening { metres: v.norm(), radians: Some(turned(unit(axis))) },
        LoopKind::Prismatic { axis } => Opening { metres: (v - along(axis)).norm(), radians: Some(whole) },
        LoopKind::Planar { axis } => Opening { metres: along(axis).norm(), radians: Some(turned(unit(axis))) },
    }
}

/// The largest opening over many samples.
fn sampled(scene: &Scene, motion: &Motion, kind: LoopKind) -> Opening {
    let [(f, p), (g, q)] = scene.loops[0].ends;
    let mut most = Opening { metres: 0.0, radians: None };
    for k in 0..=400 {
        let t = f64::from(k) / 400.0;
        let seen = (motion.frame_pose(f, t) * p.pose).inverse() * (motion.frame_pose(g, t) * q.pose);
        let now = plain_opening(kind, &seen);
        most.metres = most.metres.max(now.metres);
        most.radians = now.radians.map(|r| r.max(most.radians.unwrap_or(0.0)));
    }
    most
}

fn kinds() -> impl Strategy<Value = LoopKind> {
    let axis = prop::array::uniform3(-1.0f64..1.0).prop_map(|a| Vec3::from(a) + Vec3::new(0.0, 0.0, 1.5));
    (0..5, axis).prop_map(|(k, axis)| match k {
        0 => LoopKind::Fixed,
        1 => LoopKind::Spherical,
        2 => LoopKind::Revolute { axis },
        3 => LoopKind::Prismatic { axis },
        _ => LoopKind::Planar { axis },
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Never below what samples show, and hardly above it.
    #[test]
    fn openings_hold_and_are_sharp(
        kind in kinds(), offsets in prop::array::uniform6(prop::array::uniform3(-0.5f64..0.5)),
        from in prop::array::uniform6(-1.0f64..1.0), by in prop::array::uniform6(-1.0f64..1.0),
    ) {
        let scene = arms(kind, offsets);
        let to: Vec<f64> = from.iter().zip(by).map(|(a, b)| a + b).collect();
        let motion = motion(&scene, &from, &to);
        let (found, seen) = (scene.loop_openings(&motion).expect("of this scene"), sampled(&scene, &motion, kind));
        let found = &found[0];
        prop_assert_eq!(found.name.as_str(), "arms/loop");
        prop_assert!(found.at_most.metres >= seen.metres - 1e-14 && found.at_most.metres <= seen.metres * 1.002 + 1e-4);
        prop_assert_eq!(found.at_most.radians.is_some(), seen.radians.is_some());
        if let (Some(bound), Some(angle)) = (found.at_most.radians, seen.radians) {
            // acos is good to 1e-8 only.
            prop_assert!(bound >= angle - 5e-8, "{bound} below {angle}");
            prop_assert!(bound <= angle * 1.01 + 1e-3 || angle > 3.0, "{bound} far above {angle}");
        }
        prop_assert!(found.at_start.metres <= found.at_most.metres * INFLATE && found.at_end.metres <= found.at_most.metres * INFLATE);
    }
}

/// A parallelogram of sides 1 and 2: equal cranks keep it closed, and so does the line between two closed configurations; unequal cranks
/// open it by a known amount.
#[test]
fn a_parallelogram_stays_closed_and_a_kite_does_not() {
    let z = JointKind::Revolute { axis: Vec3::unit(2) };
    let right = |x: f64| Pose::from_translation(Vec3::new(x, 0.0, 0.0));
    let links = ["ground", "left", "coupler", "right"].map(|name| Link { name: name.into(), pieces: Vec::new() });
    let joints = [
        joint("a", "ground", "left", right(0.0), z),
        joint("b", "left", "coupler", right(1.0), z),
        joint("d", "ground", "right", right(2.0), z),
    ];
    let closed = LoopSpec {
        name: "c".into(),
        links: ["coupler", "right"].map(str::to_owned),
        link_from_loop: [right(2.0), right(1.0)],
        kind: LoopKind::Revolute { axis: Vec3::unit(2) },
    };
    let robot = Robot::new("arms", links.to_vec(), joints.to_vec()).and_then(|r| r.with_loops(vec![closed])).expect("a tree");
    let scene = Scene::builder().robot("arms", robot).build().expect("a scene");
    let opens = |from: [f64; 3], to: [f64; 3]| scene.loop_openings(&motion(&scene, &from, &to)).expect("of this scene").remove(0);
    let closed = opens([0.3, -0.3, 0.3], [2.3, -2.3, 2.3]);
    assert!(closed.at_most.metres < 5e-6 && closed.at_most.radians.expect("an axis") < 5e-6, "{closed:?}");
    // Only the right crank moves, by a quarter turn: its tip travels along a chord of sqrt(2).
    let open = opens([0.0, 0.0, 0.0], [0.0, 0.0, std::f64::consts::FRAC_PI_2]);
    assert!((open.at_most.metres - 2f64.sqrt()).abs() < 2e-3 && open.at_start.metres < 1e-12, "{open:?}");
    assert!((open.at_end.metres - 2f64.sqrt()).abs() < 1e-11);
}

#[test]
fn angles_of_chords_are_from_above() {
    for k in 0..=1000 {
        let angle = f64::from(k) / 1000.0 * std::f64::consts::PI;
        let chord = 2.0 * sin_cos(0.5 * angle).0;
        assert!(angle_of_chord(chord) >= angle - 1e-15, "{angle}");
    }
    assert!(angle_of_chord(0.01) < 0.01000005 && angle_of_chord(f64::NAN) == HALF_TURN);
    assert_eq!(largest(&|_| f64::NAN), f64::INFINITY);
}
