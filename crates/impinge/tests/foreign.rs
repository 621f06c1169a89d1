//! Whatever belongs to one scene is refused by every other: a typed error, never a panic and never an answer.

use std::ops::ControlFlow;

use impinge::geometry::{Piece, Primitive};
use impinge::query::distance::{DistanceLimits, SceneDistances};
use impinge::query::{Bound, Certifier, FrontSession, Semantics, Session, TouchOptions};
use impinge::robot::{JointKind, JointSpec, Link};
use impinge::{Checker, Error, Mesh, Motion, Options, Pose, RigidMotion, Robot, Scene, Vec3};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z))
}

fn ball(radius: f64) -> Primitive {
    Primitive::sphere(radius).expect("a radius")
}

/// A body that passes through a post at the origin, and a wall or none far away, which moves the coordinate origin.
fn post(wall: bool) -> Scene {
    let builder = Scene::builder().body("ball", ball(0.2)).obstacle("post", ball(0.3), Pose::IDENTITY);
    let builder = if wall { builder.obstacle("wall", ball(0.5), at(40.0, 0.0, 0.0)) } else { builder };
    builder.build().expect("a scene")
}

fn through(scene: &Scene) -> Motion {
    let body = scene.body("ball").expect("there");
    let motion = RigidMotion { start: at(-1.5, 0.0, 0.0), end_position: Vec3::new(1.5, 0.0, 0.0), rotation_vector: Vec3::ZERO };
    scene.motion().rigid(body, motion).build().expect("finite")
}

fn arm(loops: bool) -> Scene {
    let link = |name: &str| Link { name: name.into(), pieces: vec![Piece::new(ball(0.1), at(0.5, 0.0, 0.0))] };
    let joint = JointSpec {
        name: "turn".into(),
        parent: "base".into(),
        child: "tip".into(),
        parent_from_joint: at(0.0, 0.0, 1.0),
        kind: JointKind::Revolute { axis: Vec3::unit(2) },
        limits: None,
        mimic: None,
    };
    let robot = Robot::new("arm", vec![link("base"), link("tip")], vec![joint]).expect("a tree");
    let builder = Scene::builder().robot("arm", robot).obstacle("post", ball(0.3), at(3.0, 0.0, 0.0));
    let builder = if loops { builder.obstacle("more", ball(0.3), at(0.0, 9.0, 0.0)) } else { builder };
    builder.build().expect("a scene")
}

/// The answer of a checker about the motion of a scene that lacks a far wall was `Free` though the body passes through the post.
#[test]
fn a_motion_of_another_scene_is_refused() {
    let (mine, other) = (post(true), post(false));
    let foreign = through(&other);
    let checker = Checker::new(mine, Options::default()).expect("options");
    let own = through(checker.scene());
    assert!(checker.first_contact(&own).expect("its own").contact().is_some());
    let refused = Error::ForeignScene { what: "motion" };
    let clock = || 0.0;
    assert_eq!(checker.check(&foreign), Err(refused.clone()));
    assert_eq!(checker.first_contact(&foreign), Err(refused.clone()));
    assert_eq!(checker.check_counted(&foreign), Err(refused.clone()));
    assert_eq!(checker.first_contact_counted(&foreign), Err(refused.clone()));
    assert_eq!(checker.check_reported(&foreign, &clock).map(|v| v.0), Err(refused.clone()));
    assert_eq!(checker.first_contact_reported(&foreign, &clock).map(|v| v.0), Err(refused.clone()));
    assert_eq!(checker.all_at(&foreign, (0.0, 0.5)), Err(refused.clone()));
    assert_eq!(checker.clearance(&foreign, 1e-3), Err(refused.clone()));
    let touching = checker.touching_pairs(&foreign, TouchOptions::default(), |_| ControlFlow::Continue(()));
    assert_eq!(touching, Err(refused.clone()));
    let mut front = FrontSession::new(&checker);
    assert_eq!(front.check(&foreign), Err(refused.clone()));
    assert_eq!(front.first_contact(&foreign), Err(refused.clone()));
    assert_eq!(Certifier::new(&checker).expect("surfaces").certify("id", &foreign), Err(refused.clone()));
    let scene = checker.scene();
    assert_eq!(scene.poses(&foreign, 0.0).map(|p| p.count()), Err(refused.clone()));
    assert_eq!(scene.loop_openings(&foreign), Err(refused.clone()));
    assert_eq!(scene.swept_volume(&foreign, "ball", 0.01).map(|_| ()), Err(refused.clone()));
    assert_eq!(scene.swept_box(&foreign, "ball", (0.0, 1.0), Bound::Tube).map(|_| ()), Err(refused.clone()));
    let volume = scene.swept_volume(&own, "ball", 0.01).expect("a ball");
    assert_eq!(volume.frame_pose(&foreign, 0.0), Err(refused.clone()));
    let distances = SceneDistances::new(post(true), Semantics::Solid).expect("rigid");
    let theirs = through(distances.scene());
    let (a, b) = (distances.scene().part("ball").expect("there"), distances.scene().part("post").expect("there"));
    let limits = DistanceLimits::default();
    assert_eq!(distances.nearest(&foreign, 0.0, limits), Err(refused.clone()));
    assert_eq!(distances.all(&foreign, 0.0, limits), Err(refused.clone()));
    assert_eq!(distances.between(a, b, &foreign, 0.0, limits), Err(refused));
    let part = other.part("ball").expect("there");
    assert_eq!(distances.between(part, b, &theirs, 0.0, limits), Err(Error::ForeignScene { what: "part id" }));
}

#[test]
fn ids_of_another_scene_are_refused() {
    let (mine, other) = (arm(false), arm(true));
    let robot = other.robot("arm").expect("there");
    let part = other.part("arm/tip").expect("there");
    let (wrong_robot, wrong_part) = (Error::ForeignScene { what: "robot id" }, Error::ForeignScene { what: "part id" });
    assert_eq!(mine.robot_model(robot).map(|_| ()), Err(wrong_robot.clone()));
    assert_eq!(mine.part_name(part), Err(wrong_part.clone()));
    assert_eq!(mine.pair(part, part), Err(wrong_part.clone()));
    let q: &[f64] = &[0.0];
    assert_eq!(mine.motion().joint_line(robot, q, q).build().map(|_| ()), Err(wrong_robot.clone()));
    assert_eq!(mine.motion().rest(robot, q).build().map(|_| ()), Err(wrong_robot.clone()));
    assert_eq!(mine.motion().link_frames(robot, &[], &[]).build().map(|_| ()), Err(wrong_robot.clone()));
    let checker = Checker::new(mine, Options::default()).expect("options");
    assert_eq!(checker.check_trajectory(robot, &[[0.0], [1.0]]), Err(wrong_robot.clone()));
    assert_eq!(Session::new(&checker, &[(robot, q)]).map(|_| ()), Err(wrong_robot.clone()));
    let own = checker.scene().robot("arm").expect("there");
    let mut session = Session::new(&checker, &[(own, q)]).expect("its own robot");
    assert_eq!(session.configuration(robot), Err(wrong_robot.clone()));
    assert_eq!(session.set_active(robot, &[0]), Err(wrong_robot.clone()));
    assert_eq!(session.is_active(robot, 0), Err(wrong_robot.clone()));
    assert_eq!(session.step(&[(robot, q)]), Err(wrong_robot.clone()));
    assert_eq!(session.place(&[(robot, q)]), Err(wrong_robot.clone()));
    assert_eq!(session.pose(part), Err(wrong_part.clone()));
    assert_eq!(session.swept_box(&[(own, q)], part, Bound::Tube).map(|_| ()), Err(wrong_part));
    assert_eq!(session.swept_box(&[(robot, q)], part, Bound::Tube).map(|_| ()), Err(wrong_robot));
}

#[test]
fn bodies_of_another_scene_are_refused() {
    let (mine, other) = (post(false), post(false));
    let body = other.body("ball").expect("there");
    let moved = mine.motion().rigid(body, RigidMotion::resting(Pose::IDENTITY)).build();
    assert_eq!(moved.map(|_| ()), Err(Error::ForeignScene { what: "body id" }));
    let mesh = || Mesh::new(vec![Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)], vec![[0, 1, 2]]).expect("a triangle");
    let cloth = |_| Scene::builder().deformable("cloth", mesh()).build().expect("a scene");
    let [mine, other] = [0, 1].map(cloth);
    let foreign = other.deformable("cloth").expect("there");
    let moved = mine.motion().vertex_lines(foreign, &[]).build();
    assert_eq!(moved.map(|_| ()), Err(Error::ForeignScene { what: "id of a deforming body" }));
}

/// A place that is refused leaves the session as it was; the next call panicked.
#[test]
fn a_refused_place_leaves_the_session_whole() {
    let checker = Checker::new(arm(false), Options::default()).expect("options");
    let robot = checker.scene().robot("arm").expect("there");
    let mut session = Session::new(&checker, &[(robot, &[0.0][..])]).expect("a configuration");
    session.set_active(robot, &[0]).expect("a joint");
    for wrong in [&[f64::NAN][..], &[1e300], &[0.0, 1.0], &[]] {
        assert!(session.place(&[(robot, wrong)]).is_err());
        assert_eq!(session.configuration(robot), Ok(&[0.0][..]));
        assert_eq!(session.is_active(robot, 0), Ok(true));
        assert!(session.step(&[(robot, &[0.0])]).expect("still good").is_free());
    }
    session.place(&[(robot, &[0.5][..])]).expect("a place");
    assert_eq!(session.configuration(robot), Ok(&[0.5][..]));
}
