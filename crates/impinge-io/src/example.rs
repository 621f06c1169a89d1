//! A built-in example: an arm among pipes, and a dozen motions, some free and some not.
//!
//! ```text
//! random seed ──► plant: about 38,000 triangles      solids   the building blocks
//! lengths     ──► arm: 6 joints, about 800 triangles  write    the same as files
//! seeds       ──► motions of 5 to 30 degrees a joint
//! seeds       ──► operator: a hand that guides a drill over a hull, and the poses it goes through
//! ```
//!
//! Everything is computed deterministically; no data and no answers are stored.

pub mod arm;
pub mod dancers;
pub mod operator;
pub mod plant;
pub mod random;
pub mod solids;
mod write;

use impinge::geometry::Mesh;
use impinge::robot::Robot;

use random::Random;

pub use write::write;

/// A robot, its environment, and motions between configurations.
#[derive(Debug)]
pub struct Example {
    /// The robot; its root link is at the world origin.
    pub robot: Robot,
    /// The static environment, in the world frame.
    pub plant: Mesh,
    /// Straight lines in joint space, as start and end.
    pub motions: Vec<(Vec<f64>, Vec<f64>)>,
}

/// Minimum number of triangles of the plant.
const PLANT_TRIANGLES: usize = 37_700;
/// The seed of the plant.
const PLANT_SEED: u64 = 2004;
/// `(seed, degrees)` of each motion, chosen so that all start free and about half end free.
const MOTIONS: [(u64, f64); 12] = [
    (13, 5.0),
    (47, 5.0),
    (228, 5.0),
    (116, 5.0),
    (2, 15.0),
    (18, 15.0),
    (124, 15.0),
    (249, 15.0),
    (3, 30.0),
    (26, 30.0),
    (372, 30.0),
    (249, 30.0),
];

/// Returns the arm in its plant. Takes some milliseconds.
///
/// # Panics
/// Never: the numbers of the arm and the plant do not depend on any input.
pub fn arm_in_plant() -> Example {
    let plant = plant::pipes(PLANT_TRIANGLES, &mut Random::new(PLANT_SEED)).into_mesh().expect("a plant of finite size");
    let robot = arm::arm().expect("an arm that is a tree");
    Example { robot, plant, motions: MOTIONS.map(|(seed, degrees)| random_motion(seed, degrees)).to_vec() }
}

/// Returns a motion of the example's arm that starts within its joints' ranges; each joint moves by up to `degrees` in either
/// direction but not beyond its range. The motion can start in contact.
pub fn random_motion(seed: u64, degrees: f64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random::new(seed);
    let ranges = arm::ranges();
    let from: Vec<f64> = ranges.iter().map(|&(lower, upper)| random.within(lower, upper)).collect();
    let reach = degrees.to_radians();
    let to = from.iter().zip(ranges).map(|(q, (lower, upper))| (q + random.within(-reach, reach)).clamp(lower, upper)).collect();
    (from, to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MotionKind, UrdfOptions, load_mesh, load_urdf, open_motions, to_configuration};
    use impinge::geometry::Shape;
    use impinge::math::{Pose, Vec3};
    use impinge::scene::SelfCollision;
    use impinge::{Checker, Options, Scene};

    fn link_triangles(robot: &Robot) -> Vec<usize> {
        let count = |shape: &Shape| match shape {
            Shape::Mesh(m) => m.triangles().len(),
            Shape::Primitive(_) => 0,
        };
        robot.links().iter().map(|l| l.pieces.iter().map(|p| count(&p.shape)).sum()).collect()
    }

    #[test]
    fn sizes_are_as_announced() {
        let example = arm_in_plant();
        let links = link_triangles(&example.robot);
        assert_eq!((links.len(), example.robot.values()), (7, 6));
        assert!((750..=850).contains(&links.iter().sum::<usize>()), "{links:?}");
        assert!((37_500..=38_700).contains(&example.plant.triangles().len()), "{}", example.plant.triangles().len());
        assert_eq!(example.plant.degenerate_triangles(), 0);
        let ranges = arm::ranges();
        for (from, to) in &example.motions {
            assert!(from.iter().zip(to).all(|(a, b)| (a - b).abs() <= 30f64.to_radians()));
            assert!(from.iter().chain(to).zip(ranges.iter().cycle()).all(|(q, r)| r.0 <= *q && *q <= r.1));
        }
    }

    #[test]
    fn the_files_hold_the_same_model() {
        let example = arm_in_plant();
        let dir = std::env::temp_dir().join(format!("impinge-example-{}", std::process::id()));
        let files = write(&example, &dir).expect("written");
        assert_eq!(files.len(), 15);
        let robot = load_urdf(dir.join("arm.urdf"), &UrdfOptions::default()).expect("a robot");
        assert_eq!(robot.warnings, []);
        assert_eq!(link_triangles(&robot.value), link_triangles(&example.robot));
        for (a, b) in robot.value.joints().iter().zip(example.robot.joints()) {
            assert_eq!((&a.name, a.kind, a.limits), (&b.name, b.kind, b.limits));
            assert_eq!(a.parent_from_joint, b.parent_from_joint);
        }
        let plant = load_mesh(dir.join("plant.stl"), Vec3::splat(1.0)).expect("a mesh").value;
        assert_eq!(plant.triangles().len(), example.plant.triangles().len());
        assert!((0..plant.triangles().len()).all(|i| plant.corners(i) == example.plant.corners(i)));
        let motions = open_motions(dir.join("motions.jsonl")).expect("a file");
        for (read, made) in motions.zip(&example.motions) {
            let MotionKind::Joints { q0, q1 } = read.expect("a motion").kind else { panic!("no joints") };
            let [q0, q1] = [q0, q1].map(|q| to_configuration(&robot.value, &q, None).expect("six values"));
            assert_eq!(&(q0, q1), made);
        }
        std::fs::remove_dir_all(dir).expect("removed");
    }

    #[test]
    fn some_motions_are_free_and_some_are_not() {
        let Example { robot, plant, motions } = arm_in_plant();
        let scene = Scene::builder().robot("arm", robot).obstacle("plant", plant, Pose::IDENTITY);
        let scene = scene.self_collision(SelfCollision::Skip).build().expect("a scene");
        let checker = Checker::new(scene, Options::default()).expect("good options");
        let arm = checker.scene().robot("arm").expect("in the scene");
        let mut free = 0;
        for (from, to) in &motions {
            let at = |q| checker.scene().motion().rest(arm, q).build().expect("six values");
            assert!(checker.check(&at(from)).expect("of this scene").is_free());
            let motion = checker.scene().motion().joint_line(arm, from, to).build().expect("six values");
            free += usize::from(checker.check(&motion).expect("of this scene").is_free());
        }
        assert!((3..=9).contains(&free), "{free} of {} are free", motions.len());
    }
}
