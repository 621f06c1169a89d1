//! Converts joints of a BVH file to chains of joints with one value each, so that every recorded channel is a value of the robot.
//!
//! ```text
//! parent ─OFFSET─► Hips.Xposition ─► Hips.Yposition ─► Hips.Zposition ─► Hips.Zrotation ─► Hips.Yrotation ─► Hips
//! ```
//! Positions come first, whatever their order among the channels, because they are in the parent's frame. Angles follow in the
//! order of the channels.

use std::collections::HashSet;

use impinge::math::{Pose, Vec3};
use impinge::robot::{JointKind, JointSpec, Link};

use super::parse::{Channel, File, Joint};

/// Returns the bare links between the joints of a file, and the joints of the robot.
pub(super) fn chains(joints: &[Joint], origin: &str, scale: f64) -> (Vec<Link>, Vec<JointSpec>) {
    let mut taken: HashSet<String> = joints.iter().map(|j| j.name.clone()).chain([origin.to_owned()]).collect();
    let (mut frames, mut specs) = (Vec::new(), Vec::new());
    for joint in joints {
        let mut at = Pose::from_translation(resting_offset(joint) * scale);
        let mut parent = joint.parent.map_or(origin, |p| &joints[p].name).to_owned();
        let channels: Vec<Channel> = in_order(joint).map(|(_, channel)| channel).collect();
        let last = channels.len().checked_sub(1);
        if last.is_none() {
            specs.push(spec(joint.name.clone(), &mut parent, joint.name.clone(), &mut at, JointKind::Fixed));
        }
        for (k, &channel) in channels.iter().enumerate() {
            let mut name = format!("{}.{}", joint.name, word(channel));
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            let child = if Some(k) == last { joint.name.clone() } else { name.clone() };
            frames.extend((Some(k) != last).then(|| Link { name: name.clone(), pieces: Vec::new() }));
            specs.push(spec(name, &mut parent, child, &mut at, kind(channel)));
        }
    }
    (frames, specs)
}

/// Returns one joint of a chain; the next one starts at its child.
fn spec(name: String, parent: &mut String, child: String, at: &mut Pose, kind: JointKind) -> JointSpec {
    let (parent, parent_from_joint) = (std::mem::replace(parent, child.clone()), std::mem::take(at));
    JointSpec { name, parent, child, parent_from_joint, kind, limits: None, mimic: None }
}

fn kind(channel: Channel) -> JointKind {
    match channel {
        Channel::Position(axis) => JointKind::Prismatic { axis: Vec3::unit(axis) },
        Channel::Rotation(axis) => JointKind::Continuous { axis: Vec3::unit(axis) },
    }
}

/// Returns the channel as written in files.
fn word(channel: Channel) -> String {
    match channel {
        Channel::Position(axis) => format!("{}position", ["X", "Y", "Z"][axis]),
        Channel::Rotation(axis) => format!("{}rotation", ["X", "Y", "Z"][axis]),
    }
}

/// Returns the channels of a joint with their indices: positions, then angles.
fn in_order(joint: &Joint) -> impl Iterator<Item = (usize, Channel)> {
    let of = |positions: bool| {
        let wanted = move |c: &Channel| matches!(c, Channel::Position(_)) == positions;
        joint.channels.iter().copied().enumerate().filter(move |(_, c)| wanted(c))
    };
    of(true).chain(of(false))
}

/// Returns the part of the OFFSET that no channel replaces.
fn resting_offset(joint: &Joint) -> Vec3 {
    let mut offset = joint.offset;
    for &channel in &joint.channels {
        if let Channel::Position(axis) = channel {
            offset[axis] = 0.0;
        }
    }
    offset
}

/// Returns one configuration per frame, in metres and radians.
pub(super) fn rows(file: &File, scale: f64) -> Vec<Vec<f64>> {
    let mut columns = Vec::new();
    let mut first = 0;
    for joint in &file.joints {
        columns.extend(in_order(joint).map(|(k, channel)| (first + k, channel)));
        first += joint.channels.len();
    }
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(file.frames.len());
    let mut turned: Vec<Option<Turned>> = vec![None; columns.len()];
    for frame in &file.frames {
        let values = columns.iter().zip(&mut turned).map(|(&(column, channel), turned)| match channel {
            Channel::Position(_) => frame[column] * scale,
            Channel::Rotation(_) => turned.insert(Turned::after(*turned, frame[column])).value.to_radians(),
        });
        rows.push(values.collect());
    }
    rows
}

/// An angle in degrees: as recorded, and without jumps.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turned {
    recorded: f64,
    value: f64,
}

impl Turned {
    /// Returns the next angle of a channel. It equals the recorded one up to full turns, and one rounding if there are any:
    /// angles do not drift.
    fn after(before: Option<Turned>, recorded: f64) -> Self {
        // Exact, as is every difference of full turns below.
        let within = recorded % 360.0;
        let Some(before) = before else { return Turned { recorded, value: within } };
        let difference = recorded - before.recorded;
        let by = if jumps(before.recorded, recorded) { short_way(within - before.recorded % 360.0) } else { difference };
        let turns = ((before.value + by - within) / 360.0).round();
        Turned { recorded, value: within + 360.0 * turns }
    }
}

/// Tests whether the recorder wrapped an angle into its range: from 179 to -179 degrees, both within half a turn of zero; from
/// 359 to 1. Other differences are used as recorded: from 0 to 200 is not from 0 to -160.
fn jumps(from: f64, to: f64) -> bool {
    let by = (to - from).abs();
    by > 270.0 || (by > 180.0 && from.abs() <= 180.0 && to.abs() <= 180.0)
}

/// Reduces a difference between -720 and 720 degrees by full turns to between -180 and 180.
fn short_way(difference: f64) -> f64 {
    let mut by = difference;
    while by > 180.0 {
        by -= 360.0;
    }
    while by < -180.0 {
        by += 360.0;
    }
    by
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(recorded: &[f64]) -> Vec<f64> {
        let mut last = None;
        recorded.iter().map(|&x| last.insert(Turned::after(last, x)).value).collect()
    }

    #[test]
    fn angles_go_on_where_recordings_jump() {
        assert_eq!(values(&[170.0, 179.0, -179.0, -170.0, 179.0]), [170.0, 179.0, 181.0, 190.0, 179.0]);
        assert_eq!(values(&[0.0, 200.0, 0.0, -200.0, 60.0]), [0.0, 200.0, 0.0, -200.0, 60.0], "followed as recorded");
        assert_eq!(values(&[0.0, 270.0, 0.0, -271.0, 0.0]), [0.0, 270.0, 0.0, 89.0, 0.0]);
        assert_eq!(values(&[-90.0, 180.0, -10.0, 171.0]), [-90.0, -180.0, -10.0, -189.0], "within half a turn of zero");
        assert_eq!(values(&[350.0, 10.0, 359.0]), [350.0, 370.0, 359.0]);
        assert_eq!(values(&[0.0, 180.0, 360.0, 180.0]), [0.0, 180.0, 360.0, 180.0], "half a turn goes as recorded");
        assert_eq!(values(&[450.0, 90.0, -270.0, 480.0]), [90.0, 90.0, 90.0, 120.0]);
        assert_eq!(values(&[10.0, 1e300, -1e300, f64::MAX, -f64::MAX]).len(), 5);
        assert!(values(&[10.0, 1e300, -1e300, f64::MAX, -f64::MAX]).iter().all(|x| x.abs() < 1000.0));
    }

    #[test]
    fn angles_do_not_drift() {
        let recorded: Vec<f64> = (0..100_000).map(|i| (f64::from(i) * 0.7 + 180.0) % 360.0 - 180.0).collect();
        for (i, (value, recorded)) in values(&recorded).iter().zip(&recorded).enumerate() {
            assert!((value - (i as f64 * 0.7 + 180.0) + 180.0).abs() < 1e-9, "{i}: {value}");
            let turns = (value - recorded) / 360.0;
            assert!((turns - turns.round()).abs() < 1e-12, "{i}: {value} {recorded}");
        }
    }
}
