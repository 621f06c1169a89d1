//! A session gives the same verdicts as queries from scratch, for any set of active joints.

use impinge::geometry::Piece;
use impinge::math::Vec3;
use impinge::query::{Bound, Session, Stages};
use impinge::robot::{JointKind, JointSpec, Link, Robot};
use impinge::scene::{PartId, RobotId, SelfCollision};
use impinge::{Checker, Options, Pose, Primitive, Scene, Shape, Verdict};
use impinge_testkit::Random;
use impinge_testkit::trial::count;

fn vector(random: &mut Random, size: f64) -> Vec3 {
    Vec3::new(random.within(-size, size), random.within(-size, size), random.within(-size, size))
}

fn shape(random: &mut Random) -> Shape {
    match random.below(3) {
        0 => Primitive::sphere(random.within(0.02, 0.08)).expect("a ball").into(),
        1 => Primitive::capsule(random.within(0.02, 0.05), random.within(0.0, 0.2)).expect("a capsule").into(),
        _ => Primitive::cuboid(Vec3::splat(0.02) + vector(random, 0.1).abs()).expect("a box").into(),
    }
}

fn pose(random: &mut Random, size: f64) -> Pose {
    Pose::from_rpy(vector(random, size), vector(random, 3.0)).expect("finite")
}

/// Generates a tree of links: most are attached to the previous link, some elsewhere; one joint in six is fixed, one is prismatic.
fn robot(random: &mut Random, name: &str, joints: usize) -> Robot {
    let mut links = vec![Link { name: "link0".into(), pieces: Vec::new() }];
    let mut specs = Vec::new();
    for i in 1..=joints {
        let parent = if random.chance(0.7) { i - 1 } else { random.below(i) };
        let axis = vector(random, 1.0) + Vec3::new(0.0, 0.0, 1.5);
        let kind = match random.below(6) {
            0 => JointKind::Fixed,
            1 => JointKind::Prismatic { axis },
            _ => JointKind::Revolute { axis },
        };
        links.push(Link { name: format!("link{i}"), pieces: vec![Piece::new(shape(random), pose(random, 0.05))] });
        specs.push(JointSpec {
            name: format!("joint{i}"),
            parent: format!("link{parent}"),
            child: format!("link{i}"),
            parent_from_joint: pose(random, 0.25),
            kind,
            limits: None,
            mimic: None,
        });
    }
    Robot::new(name, links, specs).expect("a tree")
}

fn scene(random: &mut Random) -> Scene {
    let mut builder = Scene::builder();
    for k in 0..1 + random.below(2) {
        let name = format!("robot{k}");
        let joints = 2 + random.below(9);
        let robot = robot(random, &name, joints);
        builder = builder.robot_at(&name, robot, pose(random, 0.5));
    }
    for k in 0..3 {
        let (shape, at) = (shape(random), pose(random, 1.0));
        builder = builder.obstacle(format!("obstacle{k}"), shape, at);
    }
    builder.self_collision(SelfCollision::Check).build().expect("a scene")
}

/// A distance below the tolerance of 1e-9 m may count as contact: a contact may be reported earlier by this time, at the speeds here.
const EARLIER: f64 = 1e-7;

fn same(one: &Verdict, other: &Verdict) -> bool {
    match (one, other) {
        (Verdict::Contact(a), Verdict::Contact(b)) => a.time.0 <= b.time.1 + EARLIER && b.time.0 <= a.time.1 + EARLIER,
        (Verdict::Free, Verdict::Free) | (Verdict::Undecided { .. }, Verdict::Undecided { .. }) => true,
        _ => false,
    }
}

#[test]
fn steps_are_answered_as_from_scratch() {
    let (mut steps, mut free, mut few, mut told) = (0, 0, 0, 0);
    for seed in 0..count(60) {
        let mut random = Random::new(seed);
        // With and without boxes around links.
        let options = Options::default().stages(Stages { boxes: seed % 2 == 0, sweeps: false });
        let checker = Checker::new(scene(&mut random), options).expect("good options");
        let robots: Vec<(RobotId, usize, usize)> = checker
            .scene()
            .robots()
            .map(|(id, _)| {
                let model = checker.scene().robot_model(id).expect("of this scene");
                (id, model.joints().len(), model.values())
            })
            .collect();
        // A free start.
        let start = (0..50).find_map(|_| {
            let at: Vec<Vec<f64>> = robots.iter().map(|r| (0..r.2).map(|_| random.within(-1.0, 1.0)).collect()).collect();
            let motion =
                at.iter().zip(&robots).fold(checker.scene().motion(), |m, (q, r)| m.rest(r.0, q)).build().expect("finite");
            checker.check(&motion).expect("of this scene").is_free().then_some(at)
        });
        let Some(mut at) = start else { continue };
        let named: Vec<_> = robots.iter().zip(&at).map(|(r, q)| (r.0, q.as_slice())).collect();
        let mut session = Session::new(&checker, &named).expect("a session");
        for _ in 0..12 {
            if random.chance(0.5) {
                for (id, joints, _) in &robots {
                    let active: Vec<usize> = (0..*joints).filter(|_| random.chance(0.3)).collect();
                    session.set_active(*id, &active).expect("there");
                }
            }
            let next: Vec<Vec<f64>> = robots
                .iter()
                .zip(&at)
                .map(|((id, joints, _), q)| {
                    let model = checker.scene().robot_model(*id).expect("of this scene");
                    let mut next = q.clone();
                    for j in 0..*joints {
                        if let Some(k) = model.value_at(j).filter(|_| session.is_active(*id, j).expect("of this scene")) {
                            next[k] += random.within(-0.2, 0.2);
                        }
                    }
                    next
                })
                .collect();
            let to: Vec<_> = robots.iter().zip(&next).map(|(r, q)| (r.0, q.as_slice())).collect();
            let full = robots
                .iter()
                .zip(&at)
                .zip(&next)
                .fold(checker.scene().motion(), |m, ((r, from), to)| m.joint_line(r.0, from, to));
            let full = full.build().expect("finite");
            boxes_hold_parts(&mut session, &checker, &full, &to);
            let (scratch, stepped) =
                (checker.first_contact(&full).expect("of this scene"), session.step(&to).expect("active joints alone"));
            assert!(same(&scratch, &stepped), "seed {seed}: {scratch:?}, but {stepped:?}");
            steps += 1;
            few += u32::from(
                robots.iter().any(|(id, joints, _)| (0..*joints).any(|j| !session.is_active(*id, j).expect("of this scene"))),
            );
            if let (Some(a), Some(b)) = (scratch.contact(), stepped.contact())
                && a.parts == b.parts
                && a.features == b.features
            {
                assert!((a.point - b.point).norm() < 1e-7, "seed {seed}: {a:?}, but {b:?}");
                told += 1;
            }
            if stepped.is_free() {
                at = next;
                free += 1;
            }
            // Not after every step: a session may advance far before its state is read.
            if stepped.is_free() && random.chance(0.3) {
                for (name, pose) in checker.scene().poses(&full, 1.0).expect("of this scene") {
                    let found = session.pose(checker.scene().part(name).expect("there")).expect("of this scene");
                    assert!((found.apply(Vec3::unit(0)) - pose.apply(Vec3::unit(0))).norm() < 1e-12, "{name}");
                }
            }
        }
    }
    println!("{steps} steps, {free} free, {few} with resting joints, {told} contacts told alike");
    assert!(steps > 200 && free * 4 > steps && free < steps && few > 50 && told > 20);
}

/// The swept volumes of parts stay within the boxes that a session returns.
fn boxes_hold_parts(session: &mut Session<'_>, checker: &Checker, motion: &impinge::Motion, to: &[(RobotId, &[f64])]) {
    let parts: Vec<(PartId, String)> = checker
        .scene()
        .poses(motion, 0.0)
        .expect("of this scene")
        .map(|(name, _)| (checker.scene().part(name).expect("there"), name.to_owned()))
        .collect();
    for (part, name) in parts.iter().skip(1).step_by(3) {
        for bound in [Bound::Tube, Bound::Interval] {
            // Links without geometry, and links at rest, have none.
            let Ok(around) = session.swept_box(to, *part, bound) else { continue };
            let volume = checker.scene().swept_volume(motion, name, 0.01).expect("rigid");
            for k in 0..=8 {
                let t = f64::from(k) / 8.0;
                let pose = volume.frame_pose(motion, t).expect("of this scene");
                let capsule = volume.capsule();
                for end in [capsule.a, capsule.b] {
                    let p = pose.apply(end);
                    assert!(
                        around.grown(1e-12 - capsule.radius).contains(p),
                        "{name} at {t} by {bound:?}: {p:?} not in {around:?}"
                    );
                }
            }
        }
    }
}
