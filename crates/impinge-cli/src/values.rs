//! Converts joint values of files and arguments to configurations.

use std::f64::consts::TAU;

use anyhow::{Result, anyhow, bail};
use impinge::Error;
use impinge::robot::{Joint, JointKind, Robot};
use impinge::scene::LimitBreach;
use impinge_io::srdf::GroupState;
use impinge_io::suggest::known_names;
use impinge_io::{Dimension, IoError, JointValues, Place, Quantity, Srdf, to_configuration, zero_configuration};

use crate::mover_args::{Given, Setting};

/// Returns the configuration described by values; joints that are not named take the value from `default`. An error about the
/// number of values names the joints.
///
/// # Errors
/// If the values do not fit the robot.
pub fn configuration(robot: &Robot, values: &JointValues, default: Option<&[f64]>, at: &Place) -> Result<Vec<f64>> {
    to_configuration(robot, values, default).map_err(|error| match &error {
        IoError::MissingElement { .. } => {
            anyhow!("{}, or give the joints that motions do not name with --state FILE", error.located(at.clone()))
        }
        _ => with_joints(error.located(at.clone()), robot),
    })
}

/// Completes an error about values of a robot; if it is about their number, adds the names of the joints.
pub fn with_joints(error: IoError, robot: &Robot) -> anyhow::Error {
    match &error {
        IoError::Model { source, .. } if matches!(**source, Error::WrongJointCount { .. }) => match joint_list(robot) {
            none if none.is_empty() => anyhow!("{error}; it has no moving joints"),
            joints => anyhow!("{error}; its moving joints are, in order: {joints}"),
        },
        _ => error.into(),
    }
}

/// Returns the joints that take values, with the number of values if it is not one.
fn joint_list(robot: &Robot) -> String {
    let name = |joint: &Joint| match joint.kind {
        JointKind::Planar { .. } => format!("{} (x, y, angle)", joint.name),
        JointKind::Floating => format!("{} (x, y, z, qw, qx, qy, qz)", joint.name),
        _ => joint.name.clone(),
    };
    robot.moving_joints().map(name).collect::<Vec<_>>().join(", ")
}

/// Returns the dimensions of a joint's values; `None` for the quaternion of a floating joint.
fn dimensions(kind: JointKind) -> &'static [Option<Dimension>] {
    const LENGTH: Option<Dimension> = Some(Dimension::Length);
    const ANGLE: Option<Dimension> = Some(Dimension::Angle);
    match kind {
        JointKind::Fixed => &[],
        JointKind::Revolute { .. } | JointKind::Continuous { .. } => &[ANGLE],
        JointKind::Prismatic { .. } => &[LENGTH],
        JointKind::Planar { .. } => &[LENGTH, LENGTH, ANGLE],
        JointKind::Floating => &[LENGTH, LENGTH, LENGTH, None, None, None, None],
    }
}

/// Tests whether a joint is rotational.
pub fn turns(joint: &Joint) -> bool {
    matches!(joint.kind, JointKind::Revolute { .. } | JointKind::Continuous { .. })
}

/// Resolves values of the command line for one robot.
pub struct Resolver<'a> {
    pub robot: &'a Robot,
    pub srdf: Option<&'a Srdf>,
    /// Values of joints that are not named; zero if absent.
    pub default: Option<&'a [f64]>,
    pub at: &'a Place,
}

impl Resolver<'_> {
    /// Returns the configuration, and a note about joints that were set to zero.
    ///
    /// # Errors
    /// If values or units do not fit the robot's joints, or a state is unknown.
    pub fn resolve(&self, given: &Given) -> Result<(Vec<f64>, Option<String>)> {
        let settings = match given {
            Given::InOrder(values) => return Ok((self.in_order(values)?, None)),
            Given::Named(settings) => settings,
        };
        let mut q = self.default.map_or_else(|| zero_configuration(self.robot), <[f64]>::to_vec);
        let mut set: Vec<&str> = Vec::new();
        for state in settings.iter().filter_map(|s| if let Setting::State(name) = s { Some(name) } else { None }) {
            for GroupState { values, .. } in self.states(state)? {
                let (known, _) = JointValues::ByName(values.clone()).keep_known(self.robot);
                q = configuration(self.robot, &known, Some(&q), self.at)?;
                set.extend(values.iter().map(|(name, _)| name.as_str()));
            }
        }
        let mut named = Vec::new();
        for (name, value) in settings.iter().filter_map(|s| if let Setting::Joint(n, v) = s { Some((n, v)) } else { None }) {
            named.push((name.clone(), vec![self.joint_value(name, value)?]));
            set.push(name);
        }
        let q = configuration(self.robot, &JointValues::ByName(named), Some(&q), self.at)?;
        let zero = self.robot.moving_joints().map(|j| j.name.as_str()).filter(|name| !set.contains(name)).collect::<Vec<_>>();
        let note = format!("{}: joints that are not named are set to zero: {}", self.at, zero.join(", "));
        Ok((q, (self.default.is_none() && !zero.is_empty()).then_some(note)))
    }

    fn in_order(&self, values: &[Quantity]) -> Result<Vec<f64>> {
        let wanted: Vec<_> =
            self.robot.moving_joints().flat_map(|j| dimensions(j.kind).iter().map(move |&d| (j.name.as_str(), d))).collect();
        // The number of values is checked below.
        let known = |i: usize| wanted.get(i).copied().filter(|_| wanted.len() == values.len());
        let value = |(i, value): (usize, &Quantity)| match known(i) {
            Some((name, dimension)) => self.fitting(name, value, dimension),
            None => Ok(value.value),
        };
        let plain = values.iter().enumerate().map(value).collect::<Result<_>>()?;
        configuration(self.robot, &JointValues::Array(plain), None, self.at)
    }

    fn joint_value(&self, name: &str, value: &Quantity) -> Result<f64> {
        match self.robot.find_joint(name).map(|j| dimensions(self.robot.joints()[j].kind)) {
            Some(&[dimension]) => self.fitting(name, value, dimension),
            // Other errors are found when the values are applied to the robot.
            _ => Ok(value.value),
        }
    }

    fn fitting(&self, joint: &str, value: &Quantity, dimension: Option<Dimension>) -> Result<f64> {
        let fitted = dimension.map_or_else(|| value.plain(), |dimension| value.as_a(dimension));
        fitted.map_err(|why| anyhow!("{}: joint '{joint}': {why}", self.at))
    }

    /// Returns the group states with a name, or with `GROUP/NAME`; several groups may have one, as long as they agree.
    fn states(&self, name: &str) -> Result<Vec<&GroupState>> {
        let Some(srdf) = self.srdf else { bail!("{}: '@{name}' is a group state of an SRDF; add --srdf FILE", self.at) };
        let full = |s: &GroupState| format!("{}/{}", s.group, s.name);
        let found: Vec<&GroupState> = srdf.states.iter().filter(|s| s.name == name || full(s) == name).collect();
        let names: Vec<String> = srdf.states.iter().map(|s| format!("@{}", full(s))).collect();
        if found.is_empty() {
            let known = known_names(name, names.iter().map(String::as_str));
            bail!("{}: {} has no group state '{name}'; {known}", self.at, srdf.path.display());
        }
        let values = || found.iter().flat_map(|s| &s.values);
        if let Some((joint, _)) = values().find(|(joint, value)| values().any(|(j, v)| j == joint && v != value)) {
            let groups: Vec<String> = found.iter().map(|s| format!("@{}", full(s))).collect();
            bail!("{}: '@{name}' is ambiguous for joint '{joint}'; write {}", self.at, groups.join(" or "));
        }
        Ok(found)
    }
}

/// Returns a hint if values are far beyond limits in radians and within them in degrees; `turns` tests whether a joint
/// (`robot/joint`) is rotational.
pub fn degrees_hint(breaches: &[LimitBreach], turns: impl Fn(&str) -> bool) -> Option<String> {
    let within = |b: &&LimitBreach| (b.lower..=b.upper).contains(&b.value.to_radians());
    let far = |b: &&LimitBreach| b.value.abs() > 1.5 * b.lower.abs().max(b.upper.abs());
    let turning: Vec<&LimitBreach> = breaches.iter().filter(|b| turns(&b.joint)).collect();
    let first = turning.iter().find(|b| far(b)).filter(|_| turning.iter().all(within))?;
    let LimitBreach { joint, value, lower, upper } = first;
    Some(format!(
        "joint '{joint}' is at {value} rad ({:.1} turns), far beyond its limits [{lower}, {upper}]; values are in radians: write {value}deg \
         for degrees, and convert them in files",
        value / TAU
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_need_plausible_degrees() {
        let breach = |joint: &str, value| LimitBreach { joint: joint.into(), value, lower: -2.0, upper: 2.0 };
        let hint = |breaches: &[LimitBreach]| degrees_hint(breaches, |joint| joint.starts_with("arm"));
        assert!(
            hint(&[breach("arm/a", 90.0)])
                .is_some_and(|h| h.contains("'arm/a' is at 90 rad (14.3 turns)") && h.contains("90deg"))
        );
        assert!(hint(&[breach("arm/a", -45.0), breach("arm/b", 2.5)]).is_some());
        assert_eq!(hint(&[]), None);
        assert_eq!(hint(&[breach("arm/a", 2.5)]), None, "a little beyond");
        assert_eq!(hint(&[breach("arm/a", 90.0), breach("arm/b", 170.0)]), None, "not in degrees either");
        assert_eq!(hint(&[breach("slide", 90.0)]), None, "a length");
    }
}
