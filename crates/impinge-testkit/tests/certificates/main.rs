//! Certificates of free motions verify; altered ones verify only if their statement is still true.

mod alter;
mod claim;
mod enclosed;
mod solids;

use std::time::{Duration, Instant};

use impinge::math::Vec3;
use impinge::math::pose::ROTATION_ERROR;
use impinge::query::{Certifier, Semantics};
use impinge::scene::{RobotId, SelfCollision};
use impinge::{Checker, Options, Pose, Scene};
use impinge_io::example::{arm_in_plant, random_motion};
use impinge_io::{JointValues, MotionKind, UrdfOptions, load_mesh, load_urdf, open_motions, to_configuration};
use impinge_testkit::generate::{rigid, robot};
use impinge_testkit::scene::Question;
use impinge_testkit::shared::shared;
use impinge_testkit::trial::{count, worlds};
use impinge_testkit::{Random, World};
use impinge_verify::interval::ONE;
use impinge_verify::motion::MATRIX_RADIUS;
use impinge_verify::{Line, Problem, Verified, Verifier};

use alter::{altered, with_scene};
use claim::Claim;

/// Tests whether the long run is requested.
fn long() -> bool {
    std::env::var_os("IMPINGE_LONG").is_some()
}

/// Verifies a pair of lines.
fn verify(scene: &str, motion: &str) -> Result<Verified, Problem> {
    let mut verifier = Verifier::default();
    verifier.line(scene)?;
    match verifier.line(motion)? {
        Line::Free(verified) => Ok(verified),
        Line::Scene => panic!("the second line is a motion"),
    }
}

/// Returns both lines for a world; `None` if it is not free.
fn certificate(world: &World, margin: f64, semantics: Semantics) -> Option<(String, String)> {
    let options = Options::default().margin(margin).semantics(semantics).max_work(400_000);
    let question = Question::new(world, options).expect("a world that the core accepts");
    let certifier = Certifier::new(&question.checker).expect("rigid parts");
    let line = certifier.certify("a \"world\"", &question.motion).expect("a proof of bearable length")?;
    Some((certifier.scene().to_owned(), line))
}

/// Solids and surfaces; meshes, spheres, capsules, cylinders, boxes; all joints, free bodies, links against links; with and without a margin.
#[test]
fn free_worlds_verify() {
    for (generate, default) in [(robot as fn(&mut Random) -> World, 60), (rigid, 60)] {
        let free = std::cell::Cell::new(0);
        worlds(default, generate, |world| {
            for (margin, semantics) in [(0.0, Semantics::Solid), (0.01, Semantics::Solid), (0.0, Semantics::Surface)] {
                let Some((scene, motion)) = certificate(world, margin, semantics) else { continue };
                let verified = verify(&scene, &motion).map_err(|p| format!("margin {margin}, {semantics:?}: {p}"))?;
                assert_eq!((verified.id.as_str(), verified.margin), ("a \"world\"", margin));
                assert_eq!(verified.solids, semantics == Semantics::Solid);
                free.set(free.get() + 1);
            }
            Ok(())
        });
        eprintln!("{} of {} verified", free.get(), 3 * count(default));
        assert!(free.get() > count(default) / 4);
    }
}

/// The cost of certificates.
#[derive(Default)]
struct Cost {
    motions: u32,
    leaves: usize,
    bytes: usize,
    most_leaves: usize,
    made: Duration,
    verified: Duration,
}

impl Cost {
    fn tell(&self, what: &str) {
        let n = self.motions.max(1);
        eprintln!(
            "{what}: {} certificates, {} leaves and {} bytes each, at most {} leaves; {:?} to make, {:?} to verify",
            self.motions,
            self.leaves / n as usize,
            self.bytes / n as usize,
            self.most_leaves,
            self.made / n,
            self.verified / n
        );
    }
}

/// Certifies and verifies motions until the required number is free.
fn arms(checker: &Checker, arm: RobotId, motions: impl Iterator<Item = (Vec<f64>, Vec<f64>)>, wanted: u32) -> Cost {
    let certifier = Certifier::new(checker).expect("rigid parts");
    let mut verifier = Verifier::default();
    verifier.line(certifier.scene()).expect("a scene");
    let mut cost = Cost { bytes: 0, ..Cost::default() };
    for (i, (from, to)) in motions.enumerate() {
        let motion = checker.scene().motion().joint_line(arm, &from, &to).build().expect("finite");
        let started = Instant::now();
        let Some(line) = certifier.certify(&i.to_string(), &motion).expect("short enough") else { continue };
        cost.made += started.elapsed();
        let started = Instant::now();
        let verified = match verifier.line(&line) {
            Ok(Line::Free(verified)) => verified,
            other => panic!("motion {i}: {other:?}"),
        };
        cost.verified += started.elapsed();
        cost.motions += 1;
        cost.leaves += verified.leaves;
        cost.most_leaves = cost.most_leaves.max(verified.leaves);
        cost.bytes += line.len();
        if cost.motions == wanted {
            break;
        }
    }
    cost
}

fn arm_checker(self_collision: SelfCollision, margin: f64) -> (Checker, RobotId) {
    let example = arm_in_plant();
    let scene = Scene::builder().robot("arm", example.robot).obstacle("plant", example.plant, Pose::IDENTITY);
    let scene = scene.self_collision(self_collision).build().expect("a scene");
    let arm = scene.robot("arm").expect("there");
    (Checker::new(scene, Options::default().margin(margin)).expect("good options"), arm)
}

#[test]
fn motions_of_an_arm_verify() {
    let wanted = if long() { 1000 } else { 30 };
    let (checker, arm) = arm_checker(SelfCollision::Skip, 0.0);
    let motions = (0..).map(|seed| random_motion(seed, [1.0, 5.0, 15.0, 30.0][seed as usize % 4]));
    let cost = arms(&checker, arm, motions, wanted);
    cost.tell("arm in a plant");
    assert_eq!(cost.motions, wanted);
}

#[test]
fn motions_of_an_arm_with_its_own_links_and_a_margin_verify() {
    let wanted = if long() { 100 } else { 5 };
    let (checker, arm) = arm_checker(SelfCollision::Check, 0.005);
    let motions = (0..20 * u64::from(wanted)).map(|seed| random_motion(seed, 15.0));
    let cost = arms(&checker, arm, motions, wanted);
    cost.tell("arm in a plant, self-collision, margin");
    assert_eq!(cost.motions, wanted);
}

#[test]
fn motions_of_the_shared_workload_verify() {
    let Some(dir) = shared("workloads/articulated") else { return };
    let robot = load_urdf(dir.join("puma.urdf"), &UrdfOptions::default()).expect("a robot").value;
    let plant = load_mesh(dir.join("meshes/env.stl"), Vec3::splat(1.0)).expect("a mesh").value;
    let scene = Scene::builder().robot("arm", robot).obstacle("plant", plant, Pose::IDENTITY);
    let scene = scene.self_collision(SelfCollision::Skip).build().expect("a scene");
    let arm = scene.robot("arm").expect("there");
    let checker = Checker::new(scene, Options::default()).expect("good options");
    for degrees in ["01", "05"] {
        let values = |q: &JointValues| {
            to_configuration(checker.scene().robot_model(arm).expect("of this scene"), q, None).expect("six values")
        };
        let motions = open_motions(dir.join(format!("motions_{degrees}deg.jsonl"))).expect("a file of motions");
        let motions = motions.map(|motion| match &motion.expect("a motion").kind {
            MotionKind::Joints { q0, q1 } => (values(q0), values(q1)),
            MotionKind::Frames(_) | MotionKind::Rigid(_) | MotionKind::Several { .. } => panic!("no joints"),
        });
        arms(&checker, arm, motions, if long() { 1000 } else { 8 }).tell(&format!("shared workload, {degrees} degrees"));
    }
}

/// Certificates with one changed number and recomputed checksums: if such a certificate still verifies, sampling confirms its claim and
/// its leaves.
#[derive(Default)]
struct Altered {
    tried: u32,
    verified: u32,
    false_ones: u32,
}

impl Altered {
    /// Changes one number, of the line of the motion or, for some, of the line of the scene.
    fn change(&mut self, scene: &str, motion: &str, of_scene: f64, random: &mut Random) {
        let (scene, motion) = if random.chance(of_scene) {
            with_scene(altered(scene, random), motion)
        } else {
            (scene.to_owned(), altered(motion, random))
        };
        let claim = Claim::read(&scene, &motion);
        let wrong = claim.as_ref().and_then(|c| c.falsehood());
        self.tried += 1;
        self.false_ones += u32::from(wrong.is_some());
        if verify(&scene, &motion).is_ok() {
            assert!(claim.is_some(), "verified, but not to be understood\n{motion}");
            assert_eq!(wrong, None, "verified\n{motion}");
            self.verified += 1;
        }
    }

    /// Prints the counts, and requires that some changes make the claim false and that some are refused.
    fn close(&self, what: &str) {
        let Altered { tried, verified, false_ones } = self;
        eprintln!("{what}: {tried} altered certificates: {verified} verified, {false_ones} are false when sampled");
        assert!(verified < tried && false_ones * 10 > *tried, "{verified} of {tried} verified, {false_ones} false");
    }
}

#[test]
fn altered_certificates_verify_only_where_they_are_true() {
    let wanted = if long() { 1000 } else { 150 };
    let mut random = Random::new(7);
    let mut all = Altered::default();
    for seed in 0.. {
        let mut source = Random::new(seed);
        let world = if seed % 2 == 0 { robot(&mut source) } else { rigid(&mut source) };
        let semantics = if seed % 3 == 0 { Semantics::Surface } else { Semantics::Solid };
        let Some((scene, motion)) = certificate(&world, [0.0, 0.02][seed as usize % 4 / 2], semantics) else { continue };
        if Claim::read(&scene, &motion).is_none_or(|c| c.checked() == 0) {
            continue;
        }
        (0..10).for_each(|_| all.change(&scene, &motion, 0.5, &mut random));
        if all.tried >= wanted {
            break;
        }
    }
    all.close("small worlds");
}

#[test]
fn altered_certificates_of_an_arm_verify_only_where_they_are_true() {
    let wanted = if long() { 1000 } else { 12 };
    let (checker, arm) = arm_checker(SelfCollision::Skip, 0.0);
    let certifier = Certifier::new(&checker).expect("rigid parts");
    let mut random = Random::new(11);
    let mut all = Altered::default();
    for seed in 0.. {
        let (from, to) = random_motion(seed, [5.0, 15.0, 30.0][seed as usize % 3]);
        let motion = checker.scene().motion().joint_line(arm, &from, &to).build().expect("finite");
        let Some(line) = certifier.certify(&seed.to_string(), &motion).expect("short enough") else { continue };
        // The scene is one mesh of many triangles: hardly any of its numbers affects the claim.
        (0..4).for_each(|_| all.change(certifier.scene(), &line, 0.1, &mut random));
        if all.tried >= wanted {
            break;
        }
    }
    all.close("arm in a plant");
}

/// A matrix in a certificate represents the rotation that was given by angles or a quaternion.
#[test]
fn the_verifier_allows_for_rounded_rotations() {
    assert!(MATRIX_RADIUS as f64 / ONE as f64 >= ROTATION_ERROR);
}

/// The checksum detects damage anywhere, whatever its effect on the proof.
#[test]
fn damaged_text_is_refused() {
    let (scene, motion) =
        (1..).find_map(|seed| certificate(&rigid(&mut Random::new(seed)), 0.0, Semantics::Solid)).expect("a free one");
    let mut random = Random::new(3);
    for _ in 0..200 {
        let mut bytes = motion.clone().into_bytes();
        let at = random.below(bytes.len());
        bytes[at] = b'0' + random.below(75) as u8;
        let damaged = String::from_utf8(bytes).expect("ASCII");
        assert_eq!(verify(&scene, &damaged).is_ok(), damaged == motion, "{damaged}");
    }
    assert!(verify(&scene, &motion[..motion.len() / 2]).is_err() && verify(&motion, &scene).is_err());
}
