//! All engines give the same verdicts, from scratch and from the front of earlier queries.

use std::sync::Arc;

use impinge::math::{Pose, Vec3};
use impinge::query::{Engine, FrontSession};
use impinge::{Checker, Mesh, Options, RigidMotion, Scene, Verdict};
use impinge_io::example::solids::torus_knot;
use impinge_io::{MotionKind, load_mesh, open_motions};
use impinge_testkit::generate::{fine, grazing, rigid, robot};
use impinge_testkit::judge::{MAX_WORK, NORMAL, compatible, decided, judge, options, same, sharp};
use impinge_testkit::scene::Question;
use impinge_testkit::shared::shared;
use impinge_testkit::trial::{Judgement, count, worlds};
use impinge_testkit::world::{Place, Soup};
use impinge_testkit::{Drive, Random, Solid, World};

/// Engines that are compared with the sweep.
const ENGINES: [Engine; 3] = [Engine::Auto, Engine::Boxes, Engine::Hulls];

fn asked(world: &World, margin: f64, engine: Engine) -> Question {
    Question::new(world, options(margin).engine(engine)).expect("an accepted world")
}

/// Generates bodies, sometimes robots, sometimes sliding along each other.
fn any_world(random: &mut Random) -> World {
    match random.below(10) {
        0 => grazing(random),
        1..=2 => robot(random),
        _ => rigid(random),
    }
}

/// Checks for the same verdict as the sweep, except for parts that are nearer than the tolerance without touching: there either verdict is
/// allowed. The verdict is as sharp, and never contradicts the oracle.
fn as_usual(world: &World, margin: f64) -> Judgement {
    let sweep = asked(world, margin, Engine::Sweep);
    let (usual, usual_any) = (sweep.first().0, sweep.any().0);
    for engine in ENGINES {
        let why = |e: String| format!("{engine:?}: {e}");
        let q = asked(world, margin, engine);
        let (first, any) = (q.first().0, q.any().0);
        let nearly = |e| compatible(world, margin, &usual, &first, |t| t).map_err(|_| e);
        same(&usual, &first).or_else(nearly).map_err(why)?;
        judge(world, margin, &first, NORMAL).map_err(why)?;
        judge(world, margin, &any, NORMAL).map_err(why)?;
        if sharp(&usual).is_ok() {
            sharp(&first).map_err(why)?;
        }
        if decided(&usual_any).is_ok() {
            decided(&any).map_err(why)?;
        }
    }
    Ok(())
}

#[test]
fn engines_agree() {
    worlds(400, any_world, |world| as_usual(world, 0.0));
}

#[test]
fn with_a_margin() {
    worlds(150, any_world, |world| as_usual(world, 0.02));
}

#[test]
fn with_tolerances_of_their_own() {
    let coarse = options(0.0).tolerance(1e-7).time_tolerance(1e-5);
    let worded = |world: &World| {
        let asked = |engine| Question::new(world, coarse.engine(engine)).expect("an accepted world").first().0;
        let usual = asked(Engine::Sweep);
        let alike = |engine| {
            same(&usual, &asked(engine)).or_else(|e| compatible(world, 0.0, &usual, &asked(engine), |t| t).map_err(|_| e))
        };
        ENGINES.into_iter().try_for_each(alike)
    };
    worlds(60, rigid, worded);
}

#[test]
fn on_fine_meshes_and_clouds() {
    worlds(25, fine, |world| as_usual(world, 0.0));
    worlds(10, fine, |world| as_usual(world, 0.01));
}

/// Returns the same world with another motion.
fn driven(world: &World, drive: impl Fn(Vec3, Vec3) -> (Vec3, Vec3)) -> World {
    let mut world = world.clone();
    for frame in &mut world.frames {
        if let Drive::Free { travel, turn } = &mut frame.drive {
            (*travel, *turn) = drive(*travel, *turn);
        }
    }
    world
}

#[test]
fn when_nothing_moves() {
    worlds(100, |random| driven(&rigid(random), |_, _| (Vec3::ZERO, Vec3::ZERO)), |world| as_usual(world, 0.0));
}

/// Many turns, far away: bounds of first and second order alternate.
#[test]
fn when_things_spin_fast() {
    worlds(60, |random| driven(&rigid(random), |travel, turn| (travel, turn * 20.0)), |world| as_usual(world, 0.0));
}

#[test]
fn far_from_the_origin() {
    let far = |random: &mut Random| {
        let mut world = rigid(random);
        let shift = Vec3::new(1e5, -3e5, 2e5);
        world.frames.iter_mut().skip(1).filter(|f| f.parent == 0).for_each(|f| f.place.xyz += shift);
        world.parts.iter_mut().filter(|p| p.frame == 0).for_each(|p| p.pieces.iter_mut().for_each(|p| p.place.xyz += shift));
        world
    };
    worlds(60, far, |world| as_usual(world, 0.0));
    // And the mesh of the body far from its own origin.
    let off = |random: &mut Random| {
        let mut world = fine(random);
        let by = Vec3::new(30.0, 50.0, -20.0) * random.pick(&[1.0, 100.0]);
        world.frames[1].place = Place { xyz: world.frames[1].place.xyz - by, rpy: Vec3::ZERO };
        if let Solid::Mesh(soup) = &mut world.parts[0].pieces[0].solid {
            let vertices = soup.vertices.iter().map(|&v| v + by).collect();
            *soup = Arc::new(Soup { vertices, triangles: soup.triangles.clone() });
        }
        world
    };
    worlds(30, off, |world| as_usual(world, 0.0));
}

/// Runs a session on a sequence of motions; each verdict must equal that of the engine from scratch.
fn from_the_front(world: &World, seed: u64) -> Judgement {
    let random = &mut Random::new(seed);
    let scratch = asked(world, 0.0, Engine::Hulls);
    let mut session = FrontSession::new(&scratch.checker);
    for step in 0..8 {
        let (share, twist) = (random.within(-0.2, 1.5), random.within(-0.5, 2.0));
        let small = if random.chance(0.5) { 0.05 } else { 1.0 };
        let other = driven(world, |travel, turn| (travel * (share * small), turn * (twist * small)));
        let motion = scratch.motion_of(&other).map_err(|e| e.to_string())?;
        let kept = session.first_contact(&motion).expect("of this scene");
        let fresh = scratch.checker.first_contact(&motion).expect("of this scene");
        let nearly = |e| compatible(&other, 0.0, &fresh, &kept, |t| t).map_err(|_| e);
        same(&fresh, &kept).or_else(nearly).map_err(|e| format!("step {step}: {e}"))?;
        judge(&other, 0.0, &kept, NORMAL).map_err(|e| format!("step {step}: {e}"))?;
        let any = session.check(&motion).expect("of this scene");
        judge(&other, 0.0, &any, NORMAL).map_err(|e| format!("step {step}, any: {e}"))?;
        if any.is_free() != kept.is_free() && sharp(&kept).is_ok() && decided(&any).is_ok() {
            compatible(&other, 0.0, &kept, &any, |t| t)?;
        }
    }
    Ok(())
}

#[test]
fn a_front_that_others_left_changes_no_answer() {
    worlds(120, rigid, |world| from_the_front(world, 7));
    worlds(10, fine, |world| from_the_front(world, 8));
}

/// The front saves work: from step to step of a knot that passes another, and for the same step again, a session tests
/// fewer pairs than a search from scratch.
#[test]
fn a_front_saves_work() {
    let knot = |along, around| torus_knot(along, around).into_mesh().expect("a mesh");
    let (mut scratch, mut kept, mut again) = (0, 0, 0);
    for seed in 0..count(10) {
        let random = &mut Random::new(seed);
        let scene = Scene::builder().body("one", knot(120, 8)).obstacle("other", knot(90, 12), Pose::IDENTITY).build();
        let checker = Checker::new(scene.expect("a scene"), Options::default().engine(Engine::Hulls)).expect("good options");
        let body = checker.scene().body("one").expect("there");
        let mut session = FrontSession::new(&checker);
        let mut vector = |size: f64| Vec3::from([0; 3].map(|_| random.within(-size, size)));
        let (travel, rotation_vector) = (vector(0.01), vector(0.02));
        let mut start = Pose::from_rpy(vector(1.0) + Vec3::unit(2) * 1.5, vector(3.0)).expect("finite");
        for step in 0..10 {
            let rigid = RigidMotion { start, end_position: start.translation + travel, rotation_vector };
            let motion = checker.scene().motion().rigid(body, rigid).build().expect("finite");
            let (first, tally) = checker.first_contact_counted(&motion).expect("of this scene");
            same(&first, &session.first_contact(&motion).expect("of this scene")).expect("the same word");
            if step > 0 {
                (scratch, kept) = (scratch + tally.boxes, kept + session.tally().boxes);
            }
            same(&first, &session.first_contact(&motion).expect("of this scene")).expect("the same word");
            again += if step > 0 { session.tally().boxes } else { 0 };
            start =
                checker.scene().poses(&motion, 1.0).expect("of this scene").find(|(part, _)| *part == "one").expect("there").1;
        }
    }
    println!("pairs of hulls: {scratch} from scratch, {kept} from the front, {again} asked again");
    assert!(kept * 4 < scratch * 3 && again * 4 < scratch * 3, "{scratch} {kept} {again}");
}

/// Other tests compare the default engine with ground truth; here all engines are compared with the sweep.
#[test]
fn cubes_knots_and_gears() {
    for set in ["cubes", "knot2880", "gpm"] {
        let Some(dir) = shared("workloads").map(|d| d.join("rigid").join(set)) else { return };
        let [a, b] = ["A.obj", "B.obj"].map(|file| load_mesh(dir.join(file), Vec3::splat(1.0)).expect("a mesh").value);
        let scene = std::sync::Arc::new(Scene::builder().body("a", a).obstacle("b", b, Pose::IDENTITY).build().expect("a scene"));
        let checker = |engine| Checker::new(scene.clone(), Options::default().engine(engine)).expect("good options");
        let (usual, others, front) = (checker(Engine::Sweep), ENGINES.map(checker), checker(Engine::Hulls));
        let mut session = FrontSession::new(&front);
        for motion in open_motions(dir.join("motions.jsonl")).expect("a file of motions").step_by(3) {
            let MotionKind::Rigid(m) = motion.expect("a motion").kind else { panic!("no body") };
            let rigid = m.to_motion().expect("a unit quaternion");
            let motion = scene.motion().rigid(scene.body("a").expect("there"), rigid).build().expect("finite");
            let first = usual.first_contact(&motion).expect("of this scene");
            let near = |other: &Verdict| match (first.contact(), other.contact()) {
                (Some(a), Some(b)) => (a.time.1 - b.time.1).abs() < 1e-8 && b.time.1 - b.time.0 < 1e-8,
                _ => same(&first, other).is_ok(),
            };
            let first_of = |c: &Checker| c.first_contact(&motion).expect("of this scene");
            for other in others.iter().map(first_of).chain([session.first_contact(&motion).expect("of this scene")]) {
                assert!(near(&other), "{set}: {first:?}, but {other:?}");
            }
            assert!(
                others.iter().all(|c| c.check(&motion).expect("of this scene").is_free() == first.is_free()),
                "{set}: {first:?}"
            );
        }
    }
}

/// A tip makes one full turn: it starts just above a face, moves along it at first, and returns slightly lower.
#[test]
fn what_just_misses_may_come_back() {
    let triangle = |corners: [[f64; 3]; 3]| Mesh::new(corners.map(Vec3::from).to_vec(), vec![[0, 1, 2]]).expect("a triangle");
    for (gap, lower) in [(1e-8, 2e-8), (1e-6, 3e-6), (1e-4, 5e-4)] {
        let tip = triangle([[0.0, 0.0, -1.0], [0.1, 0.05, -0.5], [-0.1, 0.05, -0.5]]);
        let face = triangle([[-1.0, -1.0, -1.0 - gap], [1.0, -1.0, -1.0 - gap], [0.0, 1.0, -1.0 - gap]]);
        let scene = Scene::builder().body("tip", tip).obstacle("face", face, Pose::IDENTITY).build().expect("a scene");
        let rigid = RigidMotion {
            start: Pose::IDENTITY,
            end_position: Vec3::new(0.0, 0.0, -lower),
            rotation_vector: Vec3::new(0.0, std::f64::consts::TAU, 0.0),
        };
        let motion = scene.motion().rigid(scene.body("tip").expect("there"), rigid).build().expect("finite");
        let scene = Arc::new(scene);
        for engine in ENGINES {
            let checker = Checker::new(scene.clone(), Options::default().engine(engine)).expect("good options");
            let first = checker.first_contact(&motion).expect("of this scene");
            assert!(first.contact().is_some_and(|c| c.time.0 > 0.9 && c.time.1 < 1.0), "{engine:?}: {first:?}");
            assert!(checker.check(&motion).expect("of this scene").contact().is_some(), "{engine:?}");
        }
    }
}

/// Every query has a work limit, and reports undecided pairs when it is reached.
#[test]
fn little_work_is_undecided() {
    let (mut ran_out, mut done) = (0, 0);
    for seed in 0..20 {
        let world = if seed % 2 == 0 { fine(&mut Random::new(seed)) } else { rigid(&mut Random::new(seed)) };
        for (engine, most) in ENGINES.into_iter().flat_map(|engine| [0, 3, 300, MAX_WORK].map(|most| (engine, most))) {
            let question = Question::new(&world, options(0.0).engine(engine).max_work(most)).expect("an accepted world");
            for (verdict, tally) in [question.first(), question.any()] {
                assert!(tally.boxes <= most + 2, "{engine:?}: {tally:?} of {most}");
                judge(&world, 0.0, &verdict, NORMAL).expect("nothing claimed that is not so");
                *if matches!(verdict, Verdict::Undecided { .. }) { &mut ran_out } else { &mut done } += 1;
            }
        }
    }
    assert!(ran_out > 40 && done > 40, "{ran_out} {done}");
}
