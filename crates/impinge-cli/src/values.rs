//! What files and arguments say, as the core takes it.

use anyhow::{Result, anyhow};
use impinge::Error;
use impinge::robot::{JointKind, Robot};
use impinge_io::{IoError, JointValues, Place, to_configuration};

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
