//! Predicted contacts of a tool and of a whole arm, and the report when the time budget ends.

use std::cell::Cell;

use impinge::deform::{Lines, Surface, Tool, ToolOptions};
use impinge::geometry::Piece;
use impinge::math::Vec3;
use impinge::predict::{ArmWatch, Budget, Horizons, Level, ModelOptions, ToolForecast, ToolWatch};
use impinge::query::{Checker, Options};
use impinge::robot::{JointKind, JointSpec, Link, Robot};
use impinge::{Mesh, Pose, Primitive, Scene};
use impinge_io::example::arm::arm;
use impinge_io::example::operator::{DRILL, Hand, approach, hull};

fn watch() -> ToolWatch {
    let tool = Tool::cylinder(DRILL.0, 2.0 * DRILL.1, 12).expect("a drill");
    ToolWatch::new(tool, ToolOptions::default(), ModelOptions::default(), Horizons::default()).expect("good options")
}

fn surface(mesh: &Mesh) -> Surface<'_> {
    Surface { triangles: mesh.triangles(), lines: Lines::resting(mesh.vertices()) }
}

/// Returns the forecasts of a motion until its contact.
fn forecasts(poses: &[(f64, Pose)], mesh: &Mesh) -> Vec<(f64, ToolForecast)> {
    let mut watch = watch();
    let mut told = Vec::new();
    for (t, pose) in poses {
        let found = watch.cycle(*t, pose, &[surface(mesh)], &Budget::ENDLESS).expect("good poses");
        let touches = found.forecast.level == Level::Now;
        told.push((*t, found));
        if touches {
            break;
        }
    }
    told
}

/// Smooth approaches: every contact is announced a tenth of a second before, at about the right time, with triangles.
#[test]
fn smooth_approaches_are_announced() {
    let mesh = hull(2000).into_mesh().expect("a hull");
    let (mut contacts, mut announced) = (0, 0);
    for seed in 0..30 {
        let told = forecasts(&approach(Hand::Smooth, seed, 200), &mesh);
        let Some((at, last)) = told.last().filter(|(_, f)| f.forecast.level == Level::Now) else { continue };
        assert!(last.body == Some(0) && !last.triangles.is_empty() && last.first.is_some());
        contacts += 1;
        let (t, before) = told.iter().rev().find(|(t, _)| at - t >= 0.1).expect("an earlier cycle");
        if let Some(ahead) = before.forecast.ahead {
            announced += 1;
            assert!((t + ahead - at).abs() < 0.1, "seed {seed}: {ahead} at {t}, in fact {at}");
            assert!(before.forecast.uncertainty.is_some_and(|u| u.is_finite()), "{before:?}");
        }
    }
    assert!(contacts >= 15 && 100 * announced >= 95 * contacts, "{announced} of {contacts}");
}

/// A clock that advances with every reading: the budget is kept, the nearest body is tested first, and the unreached part is reported.
#[test]
fn a_short_budget_looks_less_far_and_says_so() {
    let mesh = hull(400).into_mesh().expect("a hull");
    let poses = approach(Hand::Smooth, 3, 100);
    let mut last = -1.0;
    for looks in [0.0, 2.0, 8.0, 15.0, 1000.0] {
        let mut watch = watch();
        let mut reached = f64::INFINITY;
        for (t, pose) in &poses[..20] {
            let time = Cell::new(0.0);
            let clock = || {
                time.set(time.get() + 1.0);
                time.get()
            };
            let budget = Budget { seconds: looks, clock: &clock };
            let forecast = watch.cycle(*t, pose, &[surface(&mesh)], &budget).expect("good poses").forecast;
            assert_eq!(forecast.cut_short, forecast.reached < 1.0 && forecast.level == Level::None, "{looks}: {forecast:?}");
            assert!(time.get() <= looks + 2.0, "one look beyond the budget ends it");
            reached = reached.min(forecast.reached);
        }
        assert!(reached >= last, "{looks}: {reached} after {last}");
        last = reached;
    }
    assert_eq!(last, 1.0);
}

/// The same hull under two numberings of bodies, after one that is far away: the body in contact is named.
#[test]
fn the_body_that_is_touched_is_named() {
    let near = hull(400).into_mesh().expect("a hull");
    let far = Mesh::new(near.vertices().iter().map(|&v| v + Vec3::unit(0) * 10.0).collect(), near.triangles().to_vec())
        .expect("finite");
    let mut watch = watch();
    for (t, pose) in approach(Hand::Smooth, 0, 100) {
        let found = watch.cycle(t, &pose, &[surface(&far), surface(&near)], &Budget::ENDLESS).expect("good poses");
        assert!(found.body.is_none_or(|b| b == 1), "{found:?}");
        if found.forecast.level == Level::Now {
            return;
        }
    }
    panic!("this approach touches");
}

/// An arm that turns towards a post: the predicted first contact is that of the straight motion in joint space.
#[test]
fn an_arm_sees_a_post_coming() {
    let scene = Scene::builder().robot("arm", arm().expect("an arm"));
    let post = Primitive::Cylinder { radius: 0.05, half_length: 2.0 };
    let scene = scene.obstacle("post", post, Pose::from_translation(Vec3::new(0.0, 0.6, 0.5))).build().expect("a scene");
    let id = scene.robot("arm").expect("in it");
    let checker = Checker::new(scene, Options::default()).expect("good options");
    let at = |t: f64| vec![-0.6 + 1.2 * t, 0.3, 0.4, 0.0, 0.2, 0.0];
    let motion = |a: &[f64], b: &[f64]| checker.scene().motion().joint_line(id, a, b).build();
    let whole = checker.first_contact(&motion(&at(0.0), &at(2.5)).expect("six values")).expect("of this scene");
    let Some(contact) = whole.contact() else { panic!("the post is in the way: {whole:?}") };
    let touches = 2.5 * contact.time.1;
    let mut watch = ArmWatch::new(6, ModelOptions::default(), Horizons::default()).expect("good options");
    let (mut levels, mut told) = (Vec::new(), 0);
    for i in 0..250 {
        let t = 0.01 * f64::from(i);
        let (forecast, found) = watch.cycle(t, &at(t), &checker, motion, &Budget::ENDLESS).expect("six values");
        levels.push(forecast.level);
        if forecast.level == Level::Now {
            assert!((t - touches).abs() < 0.011, "{t} {touches}");
            break;
        }
        if t > 0.3 && touches - t < 0.95 {
            let ahead = forecast.ahead.unwrap_or_else(|| panic!("{forecast:?} at {t}, contact at {touches}"));
            assert!((t + ahead - touches).abs() < 1e-3, "{t} {touches} {forecast:?}");
            told += usize::from(found.is_some());
            assert_eq!(forecast.level, if ahead <= 0.1 { Level::Reflex } else { Level::Considered });
        }
    }
    assert!(told > 50, "{told} contacts were told");
    for level in [Level::Considered, Level::Reflex, Level::Now] {
        assert!(levels.contains(&level), "{level:?}");
    }
}

/// A wheel that accelerates towards the largest accepted angle: a prediction beyond it is neither an error nor free.
#[test]
fn predictions_beyond_the_range_of_joints_are_not_free() {
    let ball = Piece::new(Primitive::sphere(0.1).expect("a ball"), Pose::from_translation(Vec3::unit(0)));
    let link = |name: &str, pieces: &[Piece]| Link { name: name.into(), pieces: pieces.to_vec() };
    let joint = JointSpec {
        name: "spin".into(),
        parent: "base".into(),
        child: "wheel".into(),
        parent_from_joint: Pose::IDENTITY,
        kind: JointKind::Continuous { axis: Vec3::unit(2) },
        limits: None,
        mimic: None,
    };
    let robot = Robot::new("wheel", vec![link("base", &[]), link("wheel", &[ball])], vec![joint]).expect("a tree");
    let post = Pose::from_translation(Vec3::new(5.0, 0.0, 0.0));
    let scene = Scene::builder().robot("wheel", robot).obstacle("post", Primitive::sphere(0.1).expect("a ball"), post);
    let checker = Checker::new(scene.build().expect("a scene"), Options::default()).expect("options");
    let id = checker.scene().robot("wheel").expect("there");
    let motion = |a: &[f64], b: &[f64]| checker.scene().motion().joint_line(id, a, b).build();
    let mut watch = ArmWatch::new(1, ModelOptions { order: 1, period: 0.1 }, Horizons::default()).expect("options");
    for i in 0..30 {
        let time = 0.01 * f64::from(i);
        let value = 2.9e5 + 1e5 * time;
        let (found, contact) = watch.cycle(time, &[value], &checker, motion, &Budget::ENDLESS).expect("in range");
        assert!(found.level < Level::Now && found.present_known && contact.is_none(), "{found:?}");
        let leaves = (3.25e5 - value) / 1e5;
        if i > 5 {
            assert!(found.ahead.is_some_and(|ahead| (ahead - leaves).abs() < 0.01), "{leaves}: {found:?}");
        }
    }
    assert!(watch.cycle(1.0, &[4e5], &checker, motion, &Budget::ENDLESS).is_err(), "what is observed is in range");
}
