//! Joint values in files, by position or by name, and their conversion to configurations of a robot.
//!
//! Refused: unknown names, values for fixed joints, mimics that contradict their source, joints without a value and without a
//! default, numbers that are not finite. Limits are not checked here.

use std::collections::HashMap;
use std::path::Path;

use impinge::robot::{JointKind, Robot};

use crate::error::{IoError, Place, Result};
use crate::json::{self, Item};

/// Maximum difference between a mimic joint's stated value and the one its source implies: planners print six digits.
pub(crate) const MIMIC_SLACK: f64 = 1e-6;

/// Values for the joints of a robot.
#[derive(Clone, Debug, PartialEq)]
pub enum JointValues {
    /// All values in the robot's own order.
    Array(Vec<f64>),
    /// Values by joint name; planar joints have three, floating joints seven.
    ByName(Vec<(String, Vec<f64>)>),
}

impl JointValues {
    /// Reads `[…]` or `{"joint": value or […], …}`.
    pub(crate) fn from_json(item: &Item<'_>) -> Result<Self> {
        if item.value().is_array() {
            return item.list().map(JointValues::Array);
        }
        let named: Result<Vec<_>> = item
            .fields()?
            .into_iter()
            .map(|(name, v)| Ok((name.to_owned(), if v.value().is_array() { v.list()? } else { vec![v.number()?] })))
            .collect();
        named.map(JointValues::ByName)
    }

    /// Returns these values without those for unknown or fixed joints, and the names of these joints: recorded states often list
    /// wheels and grippers that a reduced model does not have.
    pub fn keep_known(&self, robot: &Robot) -> (JointValues, Vec<String>) {
        let JointValues::ByName(values) = self else { return (self.clone(), Vec::new()) };
        let moves = |name: &String| robot.find_joint(name).is_some_and(|j| robot.joints()[j].kind != JointKind::Fixed);
        let (kept, dropped): (Vec<_>, Vec<_>) = values.iter().cloned().partition(|(name, _)| moves(name));
        (JointValues::ByName(kept), dropped.into_iter().map(|(name, _)| name).collect())
    }
}

/// Returns the configuration with all joints at zero; floating joints have no rotation.
pub fn zero_configuration(robot: &Robot) -> Vec<f64> {
    let mut zero = vec![0.0; robot.values()];
    for (j, _) in robot.joints().iter().enumerate().filter(|(_, joint)| joint.kind == JointKind::Floating) {
        if let Some(at) = robot.value_at(j) {
            zero[at + 3] = 1.0;
        }
    }
    zero
}

/// Loads a file of joint values: `{"joint": value or […], …}`, or a list of all in the robot's own order.
///
/// # Errors
/// If it cannot be read, or has neither form.
pub fn load_state(path: impl AsRef<Path>) -> Result<JointValues> {
    let at = Place::file(path.as_ref());
    let value = json::load(path.as_ref())?;
    JointValues::from_json(&Item::root(&value, &at))
}

/// Returns the configuration described by `values`; joints that are not named take their value from `default`, a whole
/// configuration.
///
/// # Errors
/// See the list in the module documentation. The place is `joint values`; use [`IoError::located`] to name the file.
pub fn to_configuration(robot: &Robot, values: &JointValues, default: Option<&[f64]>) -> Result<Vec<f64>> {
    if let Some(default) = default {
        checked(robot, default)?;
    }
    match values {
        JointValues::Array(array) => checked(robot, array),
        JointValues::ByName(named) => {
            let joints: HashMap<&str, usize> = robot.joints().iter().enumerate().map(|(i, j)| (j.name.as_str(), i)).collect();
            let filled = fill(robot, &joints, named, default)?;
            check_mimics(robot, &joints, named, &filled)?;
            Ok(filled)
        }
    }
}

/// Returns a whole configuration after checking its length and that all values are finite.
fn checked(robot: &Robot, array: &[f64]) -> Result<Vec<f64>> {
    if array.len() != robot.values() {
        let source = impinge::Error::WrongJointCount { robot: robot.name().into(), expected: robot.values(), found: array.len() };
        return Err(IoError::model(place(), "joint values", source));
    }
    array.iter().try_for_each(|&x| finite(x, "a joint value"))?;
    Ok(array.to_vec())
}

/// Named values, as given by the caller.
type Named = [(String, Vec<f64>)];

/// Fills a configuration with named values; `joints` are the robot's by name.
fn fill(robot: &Robot, joints: &HashMap<&str, usize>, named: &Named, default: Option<&[f64]>) -> Result<Vec<f64>> {
    let mut given: Vec<Option<f64>> = vec![None; robot.values()];
    let mut seen = vec![false; robot.joints().len()];
    for (name, values) in named {
        let &joint = joints.get(name.as_str()).ok_or_else(|| unknown_joint(robot, name, place()))?;
        if std::mem::replace(&mut seen[joint], true) {
            return Err(bad(format!("joint '{name}' is given twice"), "give each joint once".into()));
        }
        let kind = robot.joints()[joint].kind;
        if values.len() != kind.values() || kind == JointKind::Fixed {
            let what = format!("joint '{name}' takes {} values, but {} are given", kind.values(), values.len());
            return Err(bad(what, "remove fixed joints; planar joints take 3 values, floating joints 7".into()));
        }
        values.iter().try_for_each(|&x| finite(x, &format!("joint '{name}'")))?;
        if let Some(at) = robot.value_at(joint) {
            given[at..at + values.len()].iter_mut().zip(values).for_each(|(slot, &x)| *slot = Some(x));
        }
    }
    let value = |(i, x): (usize, Option<f64>)| x.or_else(|| default.map(|d| d[i])).ok_or_else(|| missing_joint(robot, i));
    given.into_iter().enumerate().map(value).collect()
}

/// Refuses values of mimic joints that differ from those the source implies, because a contradiction indicates a mistake.
fn check_mimics(robot: &Robot, joints: &HashMap<&str, usize>, named: &Named, configuration: &[f64]) -> Result<()> {
    for (name, values) in named {
        let Some(&joint) = joints.get(name.as_str()).filter(|&&j| robot.joints()[j].mimic.is_some()) else { continue };
        let implied = robot.joint_value(joint, configuration);
        if (values[0] - implied).abs() > MIMIC_SLACK * (1.0 + implied.abs()) {
            let what = format!("joint '{name}' mimics another and must be {implied}, but {} is given", values[0]);
            return Err(bad(what, "remove mimic joints".into()));
        }
    }
    Ok(())
}

/// Returns an error about an unknown joint, with the valid names.
pub(crate) fn unknown_joint(robot: &Robot, name: &str, at: Place) -> IoError {
    let known: Vec<&str> = robot.moving_joints().map(|j| j.name.as_str()).collect();
    IoError::UnknownName { at, kind: "joint", name: name.into(), known: known.join(", ") }
}

fn missing_joint(robot: &Robot, value: usize) -> IoError {
    let owner = |&j: &usize| robot.value_at(j).is_some_and(|at| (at..at + robot.joints()[j].kind.values()).contains(&value));
    let name = (0..robot.joints().len()).find(owner).map_or("", |j| &robot.joints()[j].name);
    IoError::MissingElement {
        at: place(),
        user: format!("robot '{}'", robot.name()),
        what: format!("a value for joint '{name}'"),
    }
}

fn finite(x: f64, what: &str) -> Result<()> {
    if x.is_finite() { Ok(()) } else { Err(IoError::NonFinite { at: place(), what: what.into(), text: x.to_string() }) }
}

fn bad(what: String, remedy: String) -> IoError {
    IoError::BadElement { at: place(), what, remedy }
}

fn place() -> Place {
    Place::file("joint values")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use impinge::math::{Pose, Vec3};
    use impinge::robot::{JointSpec, Link};

    /// Returns a robot with a floating base, a turning elbow, a finger that mimics it with a factor of two, and a fixed joint.
    pub(crate) fn robot() -> Robot {
        let axis = Vec3::unit(2);
        let joint = |name: &str, parent: &str, child: &str, kind, mimic| JointSpec {
            name: name.into(),
            parent: parent.into(),
            child: child.into(),
            parent_from_joint: Pose::IDENTITY,
            kind,
            limits: None,
            mimic,
        };
        let joints = vec![
            joint("base", "w", "a", JointKind::Floating, None),
            joint("elbow", "a", "b", JointKind::Revolute { axis }, None),
            joint("finger", "b", "c", JointKind::Prismatic { axis }, Some(("elbow".into(), 2.0, 0.5))),
            joint("weld", "b", "d", JointKind::Fixed, None),
        ];
        let links = ["w", "a", "b", "c", "d"].map(|n| Link { name: n.into(), pieces: vec![] }).to_vec();
        Robot::new("r", links, joints).expect("a tree")
    }

    fn named(pairs: &[(&str, &[f64])]) -> JointValues {
        JointValues::ByName(pairs.iter().map(|(n, v)| ((*n).to_owned(), v.to_vec())).collect())
    }

    const BASE: [f64; 7] = [1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0];

    #[test]
    fn names_find_their_places() {
        let expected = [&BASE[..], &[0.25]].concat();
        let values = named(&[("elbow", &[0.25]), ("base", &BASE), ("finger", &[1.0])]);
        assert_eq!(to_configuration(&robot(), &values, None).expect("complete"), expected);
        assert_eq!(to_configuration(&robot(), &named(&[("elbow", &[0.25])]), Some(&expected)).expect("default"), expected);
        assert_eq!(to_configuration(&robot(), &JointValues::Array(expected.clone()), None).expect("whole"), expected);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let try_named = |pairs: &[(&str, &[f64])]| to_configuration(&robot(), &named(pairs), None).expect_err("refused");
        let unknown = try_named(&[("wheel", &[0.0])]).to_string();
        assert_eq!(unknown, "joint values: there is no joint 'wheel'; known names: base, elbow");
        assert!(try_named(&[("base", &BASE)]).to_string().contains("a value for joint 'elbow' is missing"));
        assert!(matches!(try_named(&[("elbow", &[f64::NAN])]), IoError::NonFinite { .. }));
        assert!(matches!(try_named(&[("elbow", &[1.0, 2.0])]), IoError::BadElement { .. }));
        assert!(matches!(try_named(&[("weld", &[])]), IoError::BadElement { .. }));
        assert!(matches!(try_named(&[("elbow", &[0.0]), ("elbow", &[0.0])]), IoError::BadElement { .. }));
        assert!(matches!(try_named(&[("base", &BASE), ("elbow", &[0.25]), ("finger", &[0.0])]), IoError::BadElement { .. }));
        assert!(matches!(to_configuration(&robot(), &JointValues::Array(vec![0.0; 3]), None), Err(IoError::Model { .. })));
        let not_finite = JointValues::Array(vec![f64::INFINITY; 8]);
        assert!(matches!(to_configuration(&robot(), &not_finite, None), Err(IoError::NonFinite { .. })));
    }

    #[test]
    fn zero_is_a_configuration() {
        assert_eq!(zero_configuration(&robot()), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_near_joint_is_suggested() {
        let error = to_configuration(&robot(), &named(&[("elbwo", &[0.0])]), None).expect_err("unknown").to_string();
        assert_eq!(error, "joint values: there is no joint 'elbwo'; did you mean 'elbow'? known names: base, elbow");
    }

    #[test]
    fn foreign_joints_can_be_left_out_by_name() {
        let (kept, dropped) = named(&[("wheel", &[1.0]), ("elbow", &[0.5]), ("weld", &[0.0])]).keep_known(&robot());
        assert_eq!((kept, dropped), (named(&[("elbow", &[0.5])]), vec!["wheel".to_owned(), "weld".to_owned()]));
    }
}
