//! The minimum distance over a motion: no sample is nearer than the lower bound, and at the reported time a pair is as near as the upper bound.

use std::sync::Arc;

use impinge::geometry::{Mesh, Primitive, Shape};
use impinge::math::Pose;
use impinge::query::{Clearance, Ended};
use impinge::scene::SelfCollision;
use impinge::{Checker, Options, RigidMotion, Scene, Vec3};
use impinge_io::example::solids::{cuboid, ring};
use impinge_io::example::{arm_in_plant, random_motion};
use impinge_testkit::generate::{rigid, robot};
use impinge_testkit::judge::{TOLERANCE, question};
use impinge_testkit::measure::{Gap, Measured, gap_between};
use impinge_testkit::place::Rigid;
use impinge_testkit::trial::{Judgement, count, mostly, worlds};
use impinge_testkit::world::Soup;
use impinge_testkit::{Oracle, Solid, World};

const WIDTH: f64 = 1e-6;

/// Sampled gaps are never below the lower bound, and the gap at the reported time is between both bounds.
fn holds(found: &Clearance, gap: impl Fn(f64) -> Gap, rounding: f64, samples: usize) -> Judgement {
    let slack = rounding + 2.0 * TOLERANCE;
    // If surfaces cross, the depth is irrelevant here.
    let gap = |t: f64| {
        let Gap { at_least, at_most } = gap(t);
        Gap { at_least: at_least.max(0.0), at_most: at_most.max(0.0) }
    };
    for t in (0..=samples).map(|i| i as f64 / samples as f64) {
        let there = gap(t).at_most;
        if there < found.at_least - slack {
            return Err(format!("{found:?}, but the gap is {there:e} at t = {t}"));
        }
    }
    let Some(nearest) = &found.nearest else { return Ok(()) };
    let there = gap(nearest.time);
    if there.at_least > found.at_most + slack || there.at_most < found.at_least - slack {
        return Err(format!("{found:?}, but the gap there is {there:?}"));
    }
    let apart = (nearest.points.0 - nearest.points.1).norm();
    if (apart - found.at_most).abs() > 10.0 * slack && found.at_most > 0.0 {
        return Err(format!("{found:?}, but its points are {apart} apart"));
    }
    Ok(())
}

fn of(world: &World) -> Clearance {
    let question = question(world, 0.0);
    question.checker.clearance(&question.motion, WIDTH).expect("a width")
}

fn sound(world: &World) -> Judgement {
    let oracle = Oracle::new(world);
    holds(&of(world), |t| oracle.gap(t).0, oracle.rounding(), 60)
}

fn narrow(world: &World) -> Judgement {
    let found = of(world);
    if found.at_most - found.at_least <= WIDTH || found.at_least == f64::INFINITY { Ok(()) } else { Err(format!("{found:?}")) }
}

#[test]
fn random_worlds() {
    worlds(150, rigid, sound);
    worlds(100, robot, sound);
}

#[test]
fn bounds_are_narrow() {
    mostly(150, 0.02, rigid, narrow);
    mostly(100, 0.02, robot, narrow);
}

/// Whole motions of an arm among pipes, compared with distances of its meshes at many instants.
#[test]
fn the_arm_in_its_plant() {
    let example = arm_in_plant();
    let mesh = |m: &impinge::geometry::Mesh| Measured::new(&Solid::Mesh(Arc::new(Soup::from(m))));
    let plant = mesh(&example.plant);
    let mut links = Vec::new();
    for link in example.robot.links() {
        for piece in &link.pieces {
            let Shape::Mesh(m) = &piece.shape else { panic!("the arm is made of meshes") };
            links.push((format!("arm/{}", link.name), mesh(m), piece.part_from_shape));
        }
    }
    let scene = Scene::builder().robot("arm", example.robot).obstacle("plant", example.plant, Pose::IDENTITY);
    let checker = Checker::new(scene.self_collision(SelfCollision::Skip).build().expect("a scene"), Options::default());
    let checker = checker.expect("good options");
    let arm = checker.scene().robot("arm").expect("there");
    let (mut clear, mut widest, mut spent) = (0, 0.0f64, 0.0);
    for seed in 0..count(12) {
        let (from, to) = random_motion(seed, 30.0);
        let motion = checker.scene().motion().joint_line(arm, &from, &to).build().expect("finite");
        let started = std::time::Instant::now();
        let found = checker.clearance(&motion, WIDTH).expect("a width");
        spent += started.elapsed().as_secs_f64();
        let gap = |t: f64| {
            let poses: Vec<(&str, Pose)> = checker.scene().poses(&motion, t).expect("of this scene").collect();
            let of_link = |(name, link, pose): &(String, Measured, Pose)| {
                let placed = poses.iter().find(|p| p.0 == name).expect("a link").1 * *pose;
                let at = Rigid { turn: placed.rotation, shift: placed.translation };
                gap_between((link, &at), (&plant, &Rigid::STILL), f64::INFINITY)
            };
            links.iter().map(of_link).fold(Gap::FAR, Gap::min)
        };
        holds(&found, gap, 1e-12, 25).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        widest = widest.max(found.at_most - found.at_least);
        clear += usize::from(found.at_least > 0.0);
    }
    eprintln!("{clear} clear motions, bounds at most {widest:e} apart, {spent:.3} s");
    assert!(clear > 3 && widest <= WIDTH, "{clear} {widest:e}");
}

/// Obstacles, each by half its size and its position; their distance, and the attainable width of its bounds.
type Case<'a> = (&'a [(Vec3, Vec3)], f64, f64);

/// A cube of one metre slides over a plate, 2 m above it, with additional distant or huge parts or both; and all of it far from the origin.
#[test]
fn vast_worlds_have_narrow_bounds_in_bounded_work() {
    let mesh = |half: Vec3| cuboid(Vec3::ZERO, half).into_mesh().expect("a box");
    let at = Pose::from_translation;
    for far in [0.0, 1e7] {
        let home = Vec3::new(far, -far, far);
        let cases: [Case<'_>; 4] = [
            (&[(Vec3::splat(1.0), Vec3::new(1e9, 0.0, 0.0))], 1e9 - 2.5, 1.0),
            (&[(Vec3::new(1e9, 1e9, 1.0), Vec3::new(0.0, 0.0, -3.5))], 2.0, 1e-3),
            (&[(Vec3::new(9.0, 9.0, 1.0), Vec3::new(0.0, 0.0, -3.5)), (Vec3::splat(1.0), Vec3::new(0.0, 1e9, 0.0))], 2.0, 1e-3),
            (&[(Vec3::new(9.0, 9.0, 1.0), Vec3::new(0.0, 0.0, -3.5)), (Vec3::splat(4e8), Vec3::new(0.0, 1e9, 0.0))], 2.0, 1e-3),
        ];
        for (i, (obstacles, truth, width)) in cases.into_iter().enumerate() {
            let mut builder = Scene::builder().body("a", mesh(Vec3::splat(0.5)));
            for (k, (half, place)) in obstacles.iter().enumerate() {
                builder = builder.obstacle(format!("o{k}"), mesh(*half), at(home + *place));
            }
            let options = Options::default().max_work(3_000_000);
            let checker = Checker::new(builder.build().expect("a scene"), options).expect("options");
            let a = checker.scene().body("a").expect("there");
            let rigid =
                RigidMotion { start: at(home - Vec3::unit(0)), end_position: home + Vec3::unit(0), rotation_vector: Vec3::ZERO };
            let motion = checker.scene().motion().rigid(a, rigid).build().expect("finite");
            let found = checker.clearance(&motion, WIDTH).expect("a width");
            assert!(found.at_least <= truth + 1e-6 * width && truth - 1e-6 * width <= found.at_most, "{far:e} {i}: {found:?}");
            assert!(found.at_most - found.at_least <= width, "{far:e} {i}: {found:?}");
        }
    }
}

/// A body that moves rigidly past one obstacle.
fn of_two(
    moving: impl Into<Shape>,
    resting: (impl Into<Shape>, Pose),
    rigid: RigidMotion,
    widths: &[f64],
    work: u64,
) -> Vec<Clearance> {
    let scene = Scene::builder().body("a", moving).obstacle("b", resting.0, resting.1).build().expect("a scene");
    let checker = Checker::new(scene, Options::default().max_work(work)).expect("options");
    let a = checker.scene().body("a").expect("there");
    let motion = checker.scene().motion().rigid(a, rigid).build().expect("finite");
    widths.iter().map(|&width| checker.clearance(&motion, width).expect("a width")).collect()
}

const WORK: u64 = 200_000_000;

/// A box with a hollow turns about its middle, where a sphere rests: the distance is constant over the motion.
#[test]
fn smaller_widths_never_widen_the_bounds_and_reasons_are_told() {
    let (outer, inner) = (cuboid(Vec3::ZERO, Vec3::splat(1.0)), cuboid(Vec3::ZERO, Vec3::splat(0.5)));
    let (outer, inner) = (outer.into_mesh().expect("a box"), inner.into_mesh().expect("a box"));
    let n = outer.vertices().len() as u32;
    let vertices = [outer.vertices(), inner.vertices()].concat();
    let inverted = inner.triangles().iter().map(|t| [t[0] + n, t[2] + n, t[1] + n]);
    let hollow = Arc::new(Mesh::new(vertices, outer.triangles().iter().copied().chain(inverted).collect()).expect("a mesh"));
    let ball = Primitive::sphere(0.005).expect("a size");
    let axis = Vec3::new(1.0, 2.0, 3.0);
    let shift = Vec3::new(1e-4, 2e-4, -1e-4);
    for (shift, truth) in [(Vec3::ZERO, Some(0.495)), (shift, None)] {
        let rigid = RigidMotion { start: Pose::IDENTITY, end_position: Vec3::ZERO, rotation_vector: axis * (1.0 / axis.norm()) };
        let widths = [1e-2, 1e-4, 1e-6, 1e-9, 1e-12];
        let all = of_two(Shape::Mesh(hollow.clone()), (ball, Pose::from_translation(shift)), rigid, &widths, WORK);
        for (found, width) in all.iter().zip(widths) {
            let open = found.at_most - found.at_least;
            assert_eq!(open <= width, found.ended == Ended::Width, "{found:?}");
            assert!(truth.is_none_or(|truth| found.at_least <= truth && truth <= found.at_most), "{found:?}");
        }
        for pair in all.windows(2) {
            assert!(pair[0].at_least <= pair[1].at_least && pair[1].at_most <= pair[0].at_most, "{pair:?}");
        }
        assert!(all[1].ended == Ended::Width, "{all:?}");
    }
}

/// Far from the origin, bounds are as narrow as requested, or the reason is reported, in little work.
#[test]
fn bounds_end_at_what_far_coordinates_can_tell() {
    let turned = |p: Vec3, wxyz: [f64; 4]| Pose::from_quaternion(p, wxyz).expect("a unit quaternion");
    let speck =
        Primitive::cuboid(Vec3::new(0.00039981566473886945, 0.0010160746023176656, 0.005493849582764518)).expect("a size");
    let drum = Primitive::cylinder(1.1621272152602555, 0.6387412101420936).expect("a size");
    let start = turned(
        Vec3::new(-561602946.2112677, 576545815.1918151, 597937586.3753963),
        [0.8297909491353542, 0.13357069331018076, -0.35061519588868434, 0.4131281097112917],
    );
    let post = turned(
        Vec3::new(-561602947.1378735, 576545815.4513044, 597937587.4828864),
        [0.7156884297513435, 0.6479820884155371, -0.2461731656246648, 0.08548717528978807],
    );
    let end_position = Vec3::new(-561602945.046221, 576545814.8947508, 597937586.5925636);
    let rigid = RigidMotion { start, end_position, rotation_vector: Vec3::ZERO };
    let widths = [1e-3, 1e-6, 1e-12];
    for (found, width) in of_two(speck, (drum, post), rigid, &widths, 100_000).iter().zip(widths) {
        let open = found.at_most - found.at_least;
        assert!(open <= 1e-3 && found.ended != Ended::Work, "{found:?}");
        assert!(open <= width || matches!(found.ended, Ended::Resolution | Ended::Undecided), "{found:?}");
    }
}

/// Two rings of small triangles, metres apart, one of which turns: most pairs of boxes are within the margin along every axis, and yet farther.
#[test]
fn meshes_that_turn_far_away_take_little_work() {
    let ring =
        |big: f64, small: f64| ring(Vec3::ZERO, (Vec3::unit(0), Vec3::unit(1)), big, small, 30, 60).into_mesh().expect("a torus");
    let start = Pose::from_translation(Vec3::new(1.4, 2.8, -2.9));
    let rigid = RigidMotion {
        start,
        end_position: start.translation + Vec3::new(2.66, 0.72, 1.9),
        rotation_vector: Vec3::new(-1.24, -1.85, -0.34),
    };
    let all = of_two(ring(1.0, 0.3), (ring(1.2, 0.2), Pose::IDENTITY), rigid, &[1e-3, 1e-6], 400_000);
    assert!(all.iter().all(|found| found.ended == Ended::Width && found.at_least > 1.0), "{all:?}");
}

#[test]
fn work_that_ran_out_is_told() {
    let ball = Primitive::sphere(0.5).expect("a size");
    let start = Pose::from_translation(Vec3::new(-2.0, 1.75, 0.0));
    let rigid = RigidMotion { start, end_position: Vec3::new(2.0, 1.75, 0.0), rotation_vector: Vec3::ZERO };
    for work in [0, 10] {
        let found = &of_two(ball, (ball, Pose::IDENTITY), rigid, &[1e-6], work)[0];
        assert!(found.ended == Ended::Work && found.at_least <= 0.75 && found.at_most >= 0.75, "{found:?}");
    }
}
