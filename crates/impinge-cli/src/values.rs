//! What files and arguments say, as the core takes it.

use anyhow::{Result, anyhow};
use impinge::robot::{JointKind, Robot};
use impinge::{Error, Pose, RigidMotion};
use impinge_io::{IoError, JointValues, Place, RigidEnd, RigidMove, to_configuration};

/// The configuration that values describe; joints not named take theirs from `default`. A wrong count names the joints.
///
/// # Errors
/// If the values do not fit the robot.
pub fn configuration(robot: &Robot, values: &JointValues, default: Option<&[f64]>, at: &Place) -> Result<Vec<f64>> {
    to_configuration(robot, values, default).map_err(|error| {
        let miscounted = matches!(&error, IoError::Model { source, .. } if matches!(**source, Error::WrongJointCount { .. }));
        let error = error.located(at.clone());
        if miscounted { anyhow!("{error}; its moving joints are, in order: {}", joint_list(robot)) } else { error.into() }
    })
}

/// The joints that take values, with how many where it is not one.
fn joint_list(robot: &Robot) -> String {
    let name = |joint: &impinge::robot::Joint| match joint.kind {
        JointKind::Planar { .. } => format!("{} (x, y, angle)", joint.name),
        JointKind::Floating => format!("{} (x, y, z, qw, qx, qy, qz)", joint.name),
        _ => joint.name.clone(),
    };
    robot.moving_joints().map(name).collect::<Vec<_>>().join(", ")
}

/// A rigid motion of a file: X(t) = translate(p0 + t v) exp(t w) R(q0), or to a pose the short way.
///
/// # Errors
/// If a quaternion is not of unit length.
pub fn rigid_motion(moves: &RigidMove) -> Result<RigidMotion, Error> {
    let start = Pose::from_quaternion(moves.p0, moves.quat0_wxyz)?;
    match moves.end {
        RigidEnd::Velocity { v, w } => Ok(RigidMotion { start, end_position: moves.p0 + v, rotation_vector: w }),
        RigidEnd::Turn { p1, rotvec } => Ok(RigidMotion { start, end_position: p1, rotation_vector: rotvec }),
        RigidEnd::Pose { p1, quat1_wxyz } => RigidMotion::between(moves.p0, moves.quat0_wxyz, p1, quat1_wxyz),
    }
}
