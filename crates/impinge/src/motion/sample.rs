//! Random chains for tests.

use super::chain::Chain;
use super::in_between::InBetween;
use crate::math::pose::Placement;
use crate::math::{Pose, Vec3};
use crate::robot::JointKind;
use proptest::prelude::*;

/// Kind, axis, offset, first value and change of a joint.
pub(crate) type Joint = (u8, [f64; 3], [f64; 3], f64, f64);

/// Revolute and prismatic joints and free bodies, one after the other.
pub(crate) fn chains(count: std::ops::Range<usize>, change: f64) -> impl Strategy<Value = Chain> {
    let vector = || prop::array::uniform3(-1.0f64..1.0);
    prop::collection::vec((0u8..3, vector(), vector(), -3.0f64..3.0, -change..change), count).prop_map(|joints| chain_of(&joints))
}

fn chain_of(spec: &[Joint]) -> Chain {
    let mut joints = vec![InBetween::resting(Pose::IDENTITY)];
    for (kind, axis, offset, q0, change) in spec {
        let (axis, offset) = (Vec3::from(*axis) + Vec3::splat(1e-3), Vec3::from(*offset));
        let pose = Placement::new(Pose::from_rpy(offset, offset).expect("finite"));
        let (from, to) = ([*q0], [q0 + change]);
        let joint = match kind {
            0 => InBetween::of_joint(JointKind::Revolute { axis }, &pose, Vec3::ZERO, &from, &to),
            1 => InBetween::of_joint(JointKind::Prismatic { axis }, &pose, Vec3::ZERO, &from, &to),
            _ => {
                let rigid = crate::RigidMotion { start: pose.pose, end_position: axis, rotation_vector: axis * *change };
                InBetween::of_rigid(&rigid, Vec3::ZERO)
            }
        };
        joints.push(joint.expect("in range"));
    }
    Chain::new((0..joints.len() as u32).map(|i| i.saturating_sub(1)).collect::<Vec<_>>(), joints)
}
