//! `predict` against dense sampling: no contact of the tool or the arm, observed or predicted, is missed.
//!
//! The samples use independent arithmetic: rotations of `place`, triangle distances of `measure`, forward kinematics below.

use std::sync::Arc;

use impinge::deform::{Lines, Surface, Tool, ToolOptions};
use impinge::geometry::Piece;
use impinge::math::Vec3;
use impinge::predict::{ArmWatch, Budget, Forecast, Horizons, Level, ModelOptions, PoseModel, ToolWatch};
use impinge::query::{Checker, Options};
use impinge::robot::{JointKind, JointSpec, Link, Robot};
use impinge::{Mesh, Pose, Primitive, Scene};
use impinge_testkit::measure::triangle_gap;
use impinge_testkit::place::turn_about;
use impinge_testkit::{Random, trial};

fn point(random: &mut Random, size: f64) -> Vec3 {
    Vec3::new(random.within(-size, size), random.within(-size, size), random.within(-size, size))
}

/// Draws a point within a cube of one of these sizes.
fn point_of(random: &mut Random, sizes: &[f64]) -> Vec3 {
    let size = random.pick(sizes);
    point(random, size)
}

fn direction(random: &mut Random) -> Vec3 {
    let v = point(random, 1.0) + Vec3::new(0.0, 0.0, 1e-3);
    v * (1.0 / v.norm())
}

fn surface<'a>(triangles: &'a [[u32; 3]], vertices: &'a [Vec3]) -> Surface<'a> {
    Surface { triangles, lines: Lines::resting(vertices) }
}

/// Generates a rod along z from 0 to 1, or a plate; thin, so that a step passes small targets.
fn tool(random: &mut Random) -> Arc<Mesh> {
    let half = if random.below(2) == 0 { Vec3::new(0.005, 0.005, 0.5) } else { Vec3::new(0.2, 0.01, 0.4) };
    let middle = if random.below(3) == 0 { point(random, 0.5) } else { Vec3::new(0.0, 0.0, half.z) };
    let sign = |bit: usize| if bit == 0 { -1.0 } else { 1.0 };
    let corner = |i: usize| middle + Vec3::new(sign(i & 1) * half.x, sign(i & 2) * half.y, sign(i & 4) * half.z);
    let faces = [[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2]];
    let sides = [[1, 3, 7], [1, 7, 5]];
    Arc::new(Mesh::new((0..8).map(corner).collect(), faces.into_iter().chain(sides).collect()).expect("a box"))
}

/// Returns the smallest gap between a placed tool and triangles; negative if an edge passes through.
fn gap(tool: &Mesh, at: &Pose, triangles: &[[u32; 3]], vertices: &[Vec3]) -> f64 {
    let placed: Vec<Vec3> = tool.vertices().iter().map(|&v| at.apply(v)).collect();
    let corners = |t: &[u32; 3], of: &[Vec3]| t.map(|v| of[v as usize]);
    let mut least = f64::INFINITY;
    for a in tool.triangles() {
        for b in triangles {
            least = least.min(triangle_gap(&corners(a, &placed), &corners(b, vertices)));
        }
    }
    least
}

/// Generates a small triangle near a place, and sometimes a long needle through it.
fn target(random: &mut Random, place: Vec3) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let size = random.pick(&[1e-3, 1e-2, 0.1]);
    let mut vertices: Vec<Vec3> = (0..3).map(|_| place + point(random, size)).collect();
    if random.below(3) == 0 {
        let along = direction(random) * random.within(0.1, 1.0);
        vertices = vec![place - along, place + along, place + along + point(random, 1e-4)];
    }
    (vec![[0, 1, 2]], vertices)
}

/// A rod of 1 m turns by 0.15 rad: a needle is between the chord of its tip and the arc.
#[test]
fn a_rod_meets_a_post_between_chord_and_arc() {
    let rod = Tool::cylinder(0.001, 2.0, 4).expect("a rod");
    let at = |angle: f64| Pose { rotation: turn_about(Vec3::unit(0), angle), translation: Vec3::ZERO };
    // The tip moves at radius 1; halfway, its chord is 2.8 mm farther in.
    let tip = at(0.075).apply(Vec3::new(0.0, 0.0, 0.9985));
    let triangles = [[0, 1, 2]];
    let post = [tip - Vec3::unit(0) * 0.5, tip + Vec3::unit(0) * 0.5, tip + at(0.075).apply(Vec3::unit(2)) * 1e-4];
    let mut watch =
        ToolWatch::new(rod, ToolOptions::default(), ModelOptions::default(), Horizons::default()).expect("good options");
    let body = [surface(&triangles, &post)];
    let before = watch.cycle(0.0, &at(0.0), &body, &Budget::ENDLESS).expect("a pose").forecast;
    assert_eq!(before.level, Level::None);
    let after = watch.cycle(0.01, &at(0.15), &body, &Budget::ENDLESS).expect("a pose").forecast;
    assert_eq!(after.level, Level::Now, "{after:?}");
}

/// Random sweeps from pose to pose, with targets on the arc of a vertex, some of them moving: no sample in contact is missed.
#[test]
fn no_sweep_of_a_turning_tool_is_missed() {
    let (mut hits, mut free, mut near) = (0, 0, 0);
    for seed in 0..trial::count(200) {
        let random = &mut Random::new(seed);
        let mesh = tool(random);
        let (axis, angle) = (direction(random), random.within(0.05, 3.0) * random.pick(&[0.1, 0.3, 1.0]));
        let start = turn_about(direction(random), random.within(-3.0, 3.0));
        let (from, travel) = (point(random, 1.0), point_of(random, &[0.0, 0.1, 1.0]));
        let at = |t: f64| Pose { rotation: turn_about(axis, angle * t) * start, translation: from + travel * t };
        let vertex = mesh.vertices()[random.below(8)];
        let off = point_of(random, &[0.0, 1e-3, 0.05]);
        let when = random.unit();
        let (triangles, vertices) = target(random, at(when).apply(vertex) + off);
        // A moving target is at its intended place when the vertex arrives.
        let drift = point_of(random, &[0.0, 0.0, 0.3]);
        let body_at = |t: f64| vertices.iter().map(|&v| v + drift * (t - when)).collect::<Vec<Vec3>>();
        let (start, end) = (body_at(0.0), body_at(1.0));
        let mut watch = ToolWatch::new(
            Tool::new(mesh.clone()),
            ToolOptions::default(),
            ModelOptions::default(),
            Horizons { reflex_steps: 0, considered_steps: 0, ..Horizons::default() },
        )
        .expect("good options");
        let first = watch.cycle(0.0, &at(0.0), &[surface(&triangles, &start)], &Budget::ENDLESS).expect("a pose").forecast;
        let body = [Surface { triangles: &triangles, lines: Lines { start: &start, end: &end } }];
        let told = watch.cycle(0.1, &at(1.0), &body, &Budget::ENDLESS).expect("a pose").forecast;
        assert!(!told.cut_short);
        let gaps = (0..=400).map(|i| gap(&mesh, &at(f64::from(i) / 400.0), &triangles, &body_at(f64::from(i) / 400.0)));
        let least = gaps.fold(f64::INFINITY, f64::min);
        // The tool is a closed box: a target wholly inside is in contact, too.
        let corner = |pick: fn(f64, f64) -> f64| {
            let of = |k: usize| mesh.vertices().iter().map(|v| v[k]).reduce(pick).expect("eight");
            Vec3::new(of(0), of(1), of(2))
        };
        let (lo, hi, back) = (corner(f64::min), corner(f64::max), at(0.0).inverse());
        let is_in = |p: Vec3| (0..3).all(|k| lo[k] < p[k] && p[k] < hi[k]);
        let inside = start.iter().all(|&v| is_in(back.apply(v)));
        assert!(first.level == Level::None || inside || gap(&mesh, &at(0.0), &triangles, &start) < 1e-9, "seed {seed}");
        assert!(first.level == Level::Now || !inside, "seed {seed}: inside");
        match told.level {
            Level::Now if least < -1e-12 => hits += 1,
            Level::Now => near += usize::from(least > 0.01),
            _ => {
                assert!(least > -1e-12 && !inside, "seed {seed}: {least} is missed");
                free += 1;
            }
        }
    }
    eprintln!("{hits} contacts that samples see, {free} free, {near} told although samples stay 1 cm away");
    let tried = trial::count(200) as usize;
    assert!(hits > tried / 5 && free > tried / 10 && near < tried / 50, "{hits} {free} {near} of {tried}");
}

/// Generates samples of a hand that decelerates, turns back, and tumbles; a few with noise.
fn hand(random: &mut Random) -> Vec<(f64, Pose)> {
    let (speed, change) = (point(random, 1.0), point_of(random, &[0.0, 2.0, 10.0]));
    let (axis, start) = (direction(random), turn_about(direction(random), random.within(-3.0, 3.0)));
    let (spin, spin_change) = (random.within(-2.0, 2.0), random.within(-1.0, 1.0) * random.pick(&[0.0, 10.0]));
    let noise = random.pick(&[0.0, 0.0, 1e-4]);
    let n = 30 + random.below(30);
    (0..n)
        .map(|i| {
            let t = 0.01 * i as f64;
            let turn = turn_about(axis, spin * t + 0.5 * spin_change * t * t);
            let translation = speed * t + change * (0.5 * t * t) + point(random, noise);
            (t, Pose { rotation: turn * start, translation })
        })
        .collect()
}

/// Returns the first contact time of the predicted path, by samples of the model.
fn first_hit(model: &PoseModel, mesh: &Mesh, triangles: &[[u32; 3]], vertices: &[Vec3], until: f64) -> Option<f64> {
    let steps = 1500;
    let ahead = |i: u32| until * f64::from(i) / f64::from(steps);
    (1..=steps).map(ahead).find(|&h| gap(mesh, &model.pose(h), triangles, vertices) < -1e-12)
}

fn horizons(random: &mut Random) -> Horizons {
    let reflex = random.pick(&[0.0, 0.05, 0.1]);
    let reflex_steps = random.pick(&[1, 3, 10]);
    Horizons { reflex, reflex_steps, considered: random.pick(&[0.2, 0.5, 1.0]), considered_steps: random.pick(&[1, 2, 9]) }
}

/// Random predictions of any order, with targets beside the predicted path, most of them at its turning point.
#[test]
fn no_predicted_contact_of_a_tool_is_missed() {
    let (mut hits, mut none, mut cut) = (0, 0, 0);
    for seed in 0..trial::count(150) {
        let random = &mut Random::new(seed);
        let mesh = tool(random);
        let options = ModelOptions { order: 1 + random.below(4), period: random.pick(&[0.1, 0.3]) };
        let (poses, horizons) = (hand(random), horizons(random));
        let mut model = PoseModel::new(options).expect("good options");
        poses.iter().for_each(|(t, pose)| model.observe(*t, pose).expect("later"));
        let vertex = mesh.vertices()[random.below(8)];
        let when = turn_back(&model, vertex, horizons.considered).filter(|_| random.below(4) > 0);
        let ahead = when.unwrap_or(random.within(0.0, horizons.considered));
        let off = point_of(random, &[0.0, 1e-3, 0.02]);
        let (triangles, vertices) = target(random, model.pose(ahead).apply(vertex) + off);
        let mut watch = ToolWatch::new(Tool::new(mesh.clone()), ToolOptions::default(), options, horizons).expect("good options");
        let Some((last, before)) = poses.split_last() else { continue };
        for (t, pose) in before {
            watch.cycle(*t, pose, &[], &Budget::ENDLESS).expect("later");
        }
        let found = watch.cycle(last.0, &last.1, &[surface(&triangles, &vertices)], &Budget::ENDLESS).expect("later");
        let hit = first_hit(&model, &mesh, &triangles, &vertices, horizons.considered);
        judge(&found.forecast, hit, seed);
        hits += usize::from(hit.is_some());
        none += usize::from(found.forecast.level == Level::None);
        cut += usize::from(found.forecast.cut_short);
    }
    eprintln!("{hits} predicted contacts that samples see, {none} none, {cut} cut short");
    let tried = trial::count(150) as usize;
    assert!(hits > tried / 5 && none > tried / 10 && cut < tried / 20, "{hits} {none} {cut} of {tried}");
}

/// A sampled contact must be reported, no later than the sample, unless the forecast reports that it did not reach it.
fn judge(forecast: &Forecast, hit: Option<f64>, seed: u64) {
    let Some(hit) = hit else { return };
    match forecast.ahead {
        Some(ahead) => assert!(ahead <= hit, "seed {seed}: {ahead} is after {hit}"),
        None => assert!(forecast.cut_short && forecast.reached <= hit, "seed {seed}: contact at {hit} is missed: {forecast:?}"),
    }
}

/// Returns the time at which a vertex is farthest from its present place: there it turns back, if that is before the end.
fn turn_back(model: &PoseModel, vertex: Vec3, until: f64) -> Option<f64> {
    let far = |h: f64| (model.pose(h).apply(vertex) - model.pose(0.0).apply(vertex)).norm();
    let times = || (1..200).map(|i| until * f64::from(i) / 200.0);
    let best = times().fold((0.0, 0.0), |best: (f64, f64), h| if far(h) > best.1 { (h, far(h)) } else { best });
    (best.0 < 0.97 * until && best.1 > 0.0).then_some(best.0)
}

/// A tip rises to 6.125 mm and falls again within one prediction step; a lid is just above or just below its highest place.
#[test]
fn a_lid_at_the_highest_place_is_foreseen() {
    for (lid, seen) in [(6.05e-3, true), (6.4e-3, false)] {
        let tip = Tool::cylinder(0.002, 0.02, 12).expect("a tip");
        // From z = -10 mm at the last sample: 0.35 m/s upwards, 10 m/s^2 downwards: highest after 35 ms, by 6.125 mm.
        let at = |h: f64| Pose::from_translation(Vec3::new(0.0, 0.0, -0.01 + 0.35 * h - 5.0 * h * h));
        let vertices = [(-1.0, -1.0), (1.0, -1.0), (0.0, 1.0)].map(|(x, y)| Vec3::new(x, y, lid));
        let triangles = [[0, 1, 2]];
        for horizons in [
            Horizons::default(),
            Horizons { reflex: 0.07, reflex_steps: 1, considered: 0.07, considered_steps: 0 },
            Horizons { reflex: 0.0, considered: 0.07, considered_steps: 1, ..Horizons::default() },
        ] {
            let mut watch =
                ToolWatch::new(Tool::new(tip.mesh().clone()), ToolOptions::default(), ModelOptions::default(), horizons)
                    .expect("good options");
            let mut found = Forecast::default();
            for i in 0..=100 {
                let h = 0.001 * f64::from(i) - 0.1;
                found = watch.cycle(h, &at(h), &[surface(&triangles, &vertices)], &Budget::ENDLESS).expect("later").forecast;
            }
            assert_eq!(found.level != Level::None, seen, "{lid} {horizons:?}: {found:?}");
            assert!(!found.cut_short && found.ahead.is_none_or(|a| (a - 0.0311).abs() < 2e-3), "{found:?}");
        }
    }
}

/// Two revolute joints and a prismatic one, with a sphere at the end.
fn crane() -> Robot {
    let joint = |name: &str, parent: &str, child: &str, kind, at: Vec3| JointSpec {
        name: name.into(),
        parent: parent.into(),
        child: child.into(),
        parent_from_joint: Pose::from_translation(at),
        kind,
        limits: None,
        mimic: None,
    };
    let ball = Piece::new(Primitive::sphere(BALL).expect("a ball"), Pose::IDENTITY);
    let links = ["base", "tower", "boom", "hook"]
        .map(|name| Link { name: name.into(), pieces: if name == "hook" { vec![ball.clone()] } else { Vec::new() } });
    let joints = [
        joint("turn", "base", "tower", JointKind::Revolute { axis: Vec3::unit(2) }, Vec3::ZERO),
        joint("lift", "tower", "boom", JointKind::Revolute { axis: Vec3::unit(1) }, Vec3::new(0.4, 0.0, 0.0)),
        joint("slide", "boom", "hook", JointKind::Prismatic { axis: Vec3::unit(0) }, Vec3::new(0.5, 0.0, 0.0)),
    ];
    Robot::new("crane", links.to_vec(), joints.to_vec()).expect("a tree")
}

const BALL: f64 = 0.01;

/// Returns the place of the hook, by independent kinematics.
fn hook(q: [f64; 3]) -> Vec3 {
    let out = turn_about(Vec3::unit(1), q[1]) * Vec3::new(0.5 + q[2], 0.0, 0.0);
    turn_about(Vec3::unit(2), q[0]) * (out + Vec3::new(0.4, 0.0, 0.0))
}

/// Random joint polynomials with a sphere beside the predicted path of the hook, most of them at its turning point.
#[test]
fn no_predicted_contact_of_an_arm_is_missed() {
    let (mut hits, mut none) = (0, 0);
    for seed in 0..trial::count(100) {
        let random = &mut Random::new(seed);
        let (speed, change) = (point(random, 1.0), point_of(random, &[0.0, 3.0, 10.0]));
        let options = ModelOptions { order: 1 + random.below(4), period: random.pick(&[0.1, 0.3]) };
        let horizons = horizons(random);
        let samples: Vec<(f64, [f64; 3])> = (0..40)
            .map(|i| (0.01 * f64::from(i), (speed * (0.01 * f64::from(i)) + change * (5e-5 * f64::from(i * i))).to_array()))
            .collect();
        let mut watch = ArmWatch::new(3, options, horizons).expect("good options");
        let empty = checker(None);
        for (t, q) in &samples[..39] {
            watch.cycle(*t, q, &empty, |a, b| motion(&empty, a, b), &Budget::ENDLESS).expect("three values");
        }
        let mut ahead_model = impinge::predict::Model::new(3, options).expect("good options");
        samples.iter().for_each(|(t, q)| ahead_model.observe(*t, q).expect("later"));
        let at = |h: f64| hook([0, 1, 2].map(|k| ahead_model.value(k, h)));
        let times = || (1..200).map(|i| horizons.considered * f64::from(i) / 200.0);
        let far = |h: f64| (at(h) - at(0.0)).norm();
        let turn = times().fold(0.0, |best: f64, h| if far(h) > far(best) { h } else { best });
        let when = if random.below(4) > 0 { turn } else { random.within(0.0, horizons.considered) };
        let radius = random.pick(&[1e-3, 0.05]);
        let obstacle = at(when) + direction(random) * ((BALL + radius) * random.pick(&[0.5, 0.99, 1.01, 1.5]));
        let checker = checker(Some((obstacle, radius)));
        let (t, q) = &samples[39];
        let (forecast, _) = watch.cycle(*t, q, &checker, |a, b| motion(&checker, a, b), &Budget::ENDLESS).expect("three values");
        let touches = |h: &f64| (at(*h) - obstacle).norm() < BALL + radius - 1e-12;
        let hit = (1..=20_000).map(|i| horizons.considered * f64::from(i) / 20_000.0).find(touches);
        if forecast.level != Level::Now {
            judge(&forecast, hit, seed);
        }
        hits += usize::from(hit.is_some());
        none += usize::from(forecast.level == Level::None);
    }
    eprintln!("{hits} predicted contacts that samples see, {none} none");
    let tried = trial::count(100) as usize;
    assert!(hits > tried / 5 && none > tried / 10, "{hits} {none} of {tried}");
}

fn checker(ball: Option<(Vec3, f64)>) -> Checker {
    let mut scene = Scene::builder().robot("crane", crane());
    if let Some((at, radius)) = ball {
        scene = scene.obstacle("ball", Primitive::sphere(radius).expect("a ball"), Pose::from_translation(at));
    }
    Checker::new(scene.build().expect("a scene"), Options::default()).expect("good options")
}

fn motion(checker: &Checker, a: &[f64], b: &[f64]) -> Result<impinge::Motion, impinge::Error> {
    let scene = checker.scene();
    scene.motion().joint_line(scene.robot("crane").expect("in it"), a, b).build()
}

/// A closed box as triangles, around the origin.
fn closed_box(half: f64) -> Mesh {
    Mesh::new(
        (0..8)
            .map(|k| Vec3::new((k & 1) as f64 - 0.5, (k >> 1 & 1) as f64 - 0.5, (k >> 2) as f64 - 0.5) * (2.0 * half))
            .collect(),
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
            .iter()
            .flat_map(|&[a, b, c, d]: &[u32; 4]| [[a, b, c], [a, c, d]])
            .collect(),
    )
    .expect("valid")
}

/// A tool that starts wholly inside a closed body, around one, with its tip in one, or that jumps into one: in contact now, until it is
/// out again.
#[test]
fn a_tool_inside_a_solid_is_in_contact_now() {
    let small = || Tool::new(closed_box(0.1));
    let at = |x: f64| Pose::from_translation(Vec3::new(x, 0.0, 0.0));
    let watch = |tool: Tool| {
        ToolWatch::new(tool, ToolOptions::default(), ModelOptions::default(), Horizons::default()).expect("in range")
    };
    let (large, tiny) = (closed_box(1.0), closed_box(0.01));
    let body = surface(large.triangles(), large.vertices());
    let cycle = |watch: &mut ToolWatch, time: f64, x: f64, bodies: &[Surface<'_>]| {
        watch.cycle(time, &at(x), bodies, &Budget::ENDLESS).expect("finite")
    };
    let mut inside = watch(small());
    for (step, x) in [0.0, 0.1, 0.2].into_iter().enumerate() {
        let found = cycle(&mut inside, 0.1 * step as f64, x, &[body]);
        assert_eq!((found.forecast.level, found.forecast.ahead, found.body), (Level::Now, Some(0.0), Some(0)), "{found:?}");
        assert!(found.contained.is_some_and(|c| (c.inner, c.outer) == (0, 1)) && found.first.is_none(), "{found:?}");
    }
    // Out through the wall in one step, back in by another.
    for (step, x, contained) in [(3, 5.0, true), (4, 5.0, false), (5, 0.0, false), (6, 0.0, true)] {
        let found = cycle(&mut inside, 0.1 * f64::from(step), x, &[body]);
        assert_eq!(found.contained.is_some(), contained, "{step}: {found:?}");
        assert!(contained || step == 4 || found.first.is_some(), "{step}: {found:?}");
    }
    let found = cycle(&mut watch(Tool::new(closed_box(0.5))), 0.0, 0.0, &[body, surface(tiny.triangles(), tiny.vertices())]);
    assert!(found.contained.is_some() && found.forecast.level == Level::Now, "{found:?}");
    let around = cycle(&mut watch(Tool::new(closed_box(0.5))), 0.0, 0.0, &[surface(tiny.triangles(), tiny.vertices())]);
    assert!(around.contained.is_some_and(|c| (c.inner, c.outer) == (1, 0)), "{around:?}");
    // With its tip inside, surfaces cross.
    let tip = cycle(&mut watch(small()), 0.0, 1.05, &[body]);
    assert!(tip.forecast.level == Level::Now && tip.first.is_some() && tip.contained.is_none(), "{tip:?}");
    // An open body encloses nothing; outside there is no contact.
    let open = cycle(&mut watch(small()), 0.0, 0.0, &[surface(&large.triangles()[..11], large.vertices())]);
    assert_eq!((open.forecast.level, open.contained), (Level::None, None));
    assert_eq!(cycle(&mut watch(small()), 0.0, 3.0, &[body]).forecast.level, Level::None);
}

/// A hand, a box or a sphere, inside a box, a sphere or a closed mesh at the first sample of the arm.
#[test]
fn an_arm_inside_a_solid_is_in_contact_now() {
    let shapes = |half: f64| -> [impinge::Shape; 3] {
        let (cube, ball) = (Primitive::cuboid(Vec3::splat(2.0 * half)), Primitive::sphere(half));
        [cube.expect("a box").into(), ball.expect("a ball").into(), closed_box(half).into()]
    };
    for hand in shapes(0.05) {
        for around in shapes(1.0) {
            let joint = JointSpec {
                name: "slide".into(),
                parent: "base".into(),
                child: "hand".into(),
                parent_from_joint: Pose::IDENTITY,
                kind: JointKind::Prismatic { axis: Vec3::unit(0) },
                limits: None,
                mimic: None,
            };
            let pieces = [Vec::new(), vec![Piece::new(hand.clone(), Pose::IDENTITY)]];
            let links = ["base", "hand"].iter().zip(pieces).map(|(name, pieces)| Link { name: (*name).into(), pieces });
            let robot = Robot::new("arm", links.collect(), vec![joint]).expect("a tree");
            let scene =
                Scene::builder().robot("arm", robot).obstacle("around", around.clone(), Pose::IDENTITY).build().expect("valid");
            let checker = Checker::new(scene, Options::default()).expect("valid");
            let id = checker.scene().robot("arm").expect("there");
            let motion = |a: &[f64], b: &[f64]| checker.scene().motion().joint_line(id, a, b).build();
            let mut watch = ArmWatch::new(1, ModelOptions::default(), Horizons::default()).expect("in range");
            for (time, value) in [(0.0, 0.0), (0.1, 0.05), (0.2, 0.1)] {
                let (forecast, contact) = watch.cycle(time, &[value], &checker, motion, &Budget::ENDLESS).expect("finite");
                assert_eq!((forecast.level, forecast.ahead), (Level::Now, Some(0.0)), "{hand:?} in {around:?}");
                let contact = contact.expect("a contact");
                let names = [contact.parts.0, contact.parts.1].map(|p| checker.scene().part_name(p).expect("there"));
                assert_eq!(names[1], "around", "{names:?}");
                assert_eq!(contact.state, impinge::query::ContactState::Contained, "{hand:?} in {around:?}");
            }
        }
    }
}
