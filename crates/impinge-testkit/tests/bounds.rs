//! The tube search and the interval-arithmetic equations report the same contacts.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use impinge::math::{Pose, Vec3};
use impinge::query::{Bound, StageReport};
use impinge::scene::SelfCollision;
use impinge::{Checker, Motion, Options, Scene, Verdict};
use impinge_io::example::random::Random;
use impinge_io::example::{arm_in_plant, random_motion};
use impinge_testkit::World;
use impinge_testkit::generate::{grazing, rigid, robot};
use impinge_testkit::judge::{NORMAL, compatible, first, judge, options, sharp};
use impinge_testkit::scene::Question;
use impinge_testkit::trial::{Judgement, worlds};

/// One scene with both bounds.
struct Checkers {
    tube: Checker,
    interval: Checker,
}

impl Checkers {
    fn new(scene: Scene) -> Self {
        let scene = Arc::new(scene);
        let with = |bound| Checker::new(scene.clone(), Options::default().bound(bound)).expect("good options");
        Checkers { tube: with(Bound::Tube), interval: with(Bound::Interval) }
    }

    /// Returns the first contact with both bounds, and the work of the equations.
    fn ask(&self, motion: &Motion) -> (Verdict, Verdict, StageReport) {
        let (intervals, report) = self.interval.first_contact_reported(motion, &|| 0.0).expect("of this scene");
        (self.tube.first_contact(motion).expect("of this scene"), intervals, report.stages[2].unwrap_or_default())
    }
}

fn both(world: &World, margin: f64) -> (Verdict, Verdict) {
    let asked = |bound| Question::new(world, options(margin).bound(bound)).expect("a world that the core accepts").first().0;
    (asked(Bound::Tube), asked(Bound::Interval))
}

/// Checks that both are free, or that their narrow brackets agree: `apart` bounds the difference of their ends.
fn same(tube: &Verdict, intervals: &Verdict, apart: f64) -> Judgement {
    match (tube, intervals) {
        (Verdict::Free, Verdict::Free) => Ok(()),
        (Verdict::Contact(a), Verdict::Contact(b)) if (a.time.1 - b.time.1).abs() <= apart => Ok(()),
        _ => Err(format!("{tube:?}, but by intervals {intervals:?}")),
    }
}

/// Checks the verdict by the oracle and against the tube search.
fn sound(world: &World, margin: f64) -> Judgement {
    let (tube, intervals) = both(world, margin);
    judge(world, margin, &intervals, NORMAL)?;
    compatible(world, margin, &tube, &intervals, |t| t)
}

/// Sound in every world; decided and equally sharp if the tube search is, in all but one of a thousand.
fn agree(default: u64, generate: fn(&mut Random) -> World) {
    let (asked, blunt) = (Cell::new(0u32), RefCell::new(Vec::new()));
    worlds(default, generate, |world| {
        let (tube, intervals) = both(world, 0.0);
        judge(world, 0.0, &intervals, NORMAL)?;
        compatible(world, 0.0, &tube, &intervals, |t| t)?;
        asked.set(asked.get() + 1);
        if sharp(&tube).is_ok() {
            blunt.borrow_mut().extend(sharp(&intervals).err());
        }
        Ok(())
    });
    let (asked, blunt) = (asked.get(), blunt.into_inner());
    println!("{asked} worlds, {} of them told less sharply by intervals", blunt.len());
    assert!(blunt.len() as u32 <= asked / 1000, "{} of {asked} are blunt:\n{}", blunt.len(), blunt.join("\n"));
}

#[test]
fn rigid_bodies() {
    agree(250, rigid);
}

#[test]
fn robots() {
    agree(150, robot);
}

#[test]
fn grazing_contacts() {
    worlds(40, grazing, |world| sound(world, 0.0));
}

#[test]
fn margins() {
    worlds(40, rigid, |world| sound(world, 0.05));
    worlds(40, robot, |world| sound(world, 0.05));
}

#[test]
fn any_contact() {
    let any = |world: &World| {
        let any = Question::new(world, options(0.0).bound(Bound::Interval)).expect("a world that the core accepts").any().0;
        judge(world, 0.0, &any, NORMAL)?;
        compatible(world, 0.0, &first(world), &any, |t| t)
    };
    worlds(100, rigid, any);
    worlds(80, robot, any);
}

/// Whole motions of an arm among pipes.
#[test]
fn the_arm_in_its_plant() {
    let example = arm_in_plant();
    let scene = Scene::builder().robot("arm", example.robot).obstacle("plant", example.plant, Pose::IDENTITY);
    let checkers = Checkers::new(scene.self_collision(SelfCollision::Skip).build().expect("a scene"));
    let checker = &checkers.tube;
    let arm = checker.scene().robot("arm").expect("there");
    let mut contacts = 0;
    for (seed, degrees) in (0..60).flat_map(|seed| [(seed, 5.0), (seed, 40.0)]) {
        let (from, to) = random_motion(seed, degrees);
        let motion = checker.scene().motion().joint_line(arm, &from, &to).build().expect("finite");
        let (tube, intervals, exact) = checkers.ask(&motion);
        same(&tube, &intervals, 2e-9).unwrap_or_else(|e| panic!("seed {seed}, {degrees} degrees: {e}"));
        assert_eq!(checkers.interval.check(&motion).expect("of this scene").is_free(), tube.is_free());
        // A contained start needs no search.
        let at_start = tube.contact().is_some_and(|c| c.time.1 <= 0.0);
        assert!(at_start || exact.node_pairs > 0 && exact.intervals > 0);
        contacts += usize::from(tube.contact().is_some_and(|c| c.time.0 > 0.0));
    }
    assert!(contacts > 10, "{contacts} contacts after the start");
}

/// With a small work limit the verdict is undecided, and `free_until` is right.
#[test]
fn work_is_limited() {
    let example = arm_in_plant();
    let scene = Scene::builder().robot("arm", example.robot).obstacle("plant", example.plant, Pose::IDENTITY);
    let scene = Arc::new(scene.self_collision(SelfCollision::Skip).build().expect("a scene"));
    let ask = |max_work: u64, seed: u64| {
        let options = Options::default().bound(Bound::Interval).max_work(max_work);
        let checker = Checker::new(scene.clone(), options).expect("good options");
        let arm = checker.scene().robot("arm").expect("there");
        let (from, to) = random_motion(seed, 40.0);
        let motion = checker.scene().motion().joint_line(arm, &from, &to).build().expect("finite");
        (checker.first_contact(&motion).expect("of this scene"), checker.check(&motion).expect("of this scene"))
    };
    let mut undecided = 0;
    for seed in 0..10 {
        let (whole, _) = ask(u64::MAX, seed);
        for work in [0, 10, 100, 1000] {
            let (first, any) = ask(work, seed);
            if let Verdict::Undecided { free_until } = first {
                undecided += 1;
                assert!(free_until <= whole.contact().map_or(1.0, |c| c.time.1));
            } else {
                assert_eq!(first, whole);
            }
            assert!(matches!(any, Verdict::Undecided { .. }) || any.is_free() == whole.is_free());
        }
    }
    assert!(undecided > 10);
}

/// Round solids and parts without triangles: no equations, the same verdicts.
#[test]
fn round_solids() {
    use impinge::geometry::Primitive;
    let ball = Primitive::sphere(0.5).expect("a size");
    let rod = Primitive::capsule(0.1, 2.0).expect("a size");
    let scene = Scene::builder().body("ball", ball).obstacle("rod", rod, Pose::from_translation(Vec3::new(3.0, 0.0, 0.0)));
    let checkers = Checkers::new(scene.build().expect("a scene"));
    let checker = &checkers.tube;
    let body = checker.scene().body("ball").expect("there");
    for (height, hits) in [(0.0, true), (1.2, true), (1.7, false)] {
        let start = Pose::from_translation(Vec3::new(0.0, 0.0, height));
        let end_position = start.translation + Vec3::new(6.0, 0.0, 0.0);
        let rigid = impinge::RigidMotion { start, end_position, rotation_vector: Vec3::ZERO };
        let motion = checker.scene().motion().rigid(body, rigid).build().expect("finite");
        let (tube, intervals, exact) = checkers.ask(&motion);
        same(&tube, &intervals, 2e-9).unwrap_or_else(|e| panic!("{height}: {e}"));
        assert_eq!((intervals.contact().is_some(), exact.equations), (hits, 0));
    }
}
