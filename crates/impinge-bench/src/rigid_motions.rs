//! Motions of one body past another: those of a workload, or random ones.

use std::path::Path;

use impinge::math::{Pose, Vec3};
use impinge::motion::RigidMotion;
use impinge_io::example::random::Random;
use impinge_io::{MotionKind, open_motions};

use crate::Outcome;

/// Reads the motions of a workload folder.
pub fn of_workload(dir: &Path) -> Outcome<Vec<RigidMotion>> {
    let motion = |motion: Result<impinge_io::Motion, impinge_io::IoError>| match motion?.kind {
        MotionKind::Rigid(rigid) => Ok(rigid.to_motion()?),
        _ => Err("a motion is not of a body".into()),
    };
    open_motions(dir.join("motions.jsonl"))?.map(motion).collect()
}

/// Generates 100 translations and 150 motions that also turn by a sixth of a turn about two axes, from outside past the middle.
pub fn random() -> (Vec<RigidMotion>, Vec<RigidMotion>) {
    let mut random = Random::new(2006);
    let mut direction = |from: f64, to: f64| loop {
        let v = Vec3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), random.within(-1.0, 1.0));
        if (0.1..1.0).contains(&v.norm()) {
            break v * (random.within(from, to) / v.norm());
        }
    };
    let mut motion = |rotation_vector: Vec3| {
        let start = Pose::from_rpy(direction(2.4, 2.9), direction(0.0, 3.0)).expect("finite numbers");
        RigidMotion { start, end_position: direction(1.0, 3.0), rotation_vector }
    };
    let moving = (0..100).map(|_| motion(Vec3::ZERO)).collect();
    let turning = (0..150).map(|_| motion(Vec3::new(0.97, 0.97, 0.56))).collect();
    (moving, turning)
}
