//! Links, joints, and the check that they form a tree.

use std::collections::HashMap;

use super::loops::LoopJoint;
use crate::Error;
use crate::geometry::Piece;
use crate::math::pose::check_rigid;
use crate::math::rounding::{INFLATE, U};
use crate::math::{Pose, Vec3};

/// A rigid body of a robot.
#[derive(Clone, Debug, Default)]
pub struct Link {
    /// Unique name.
    pub name: String,
    /// Its collision geometry; empty for a bare frame.
    pub pieces: Vec<Piece>,
}

/// What a joint lets its child do. Axes are in the joint's frame and need not be unit length: only their direction counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Nothing.
    Fixed,
    /// Turn about an axis, with limits; the value is an angle in radians, not wrapped.
    Revolute {
        /// Axis of rotation.
        axis: Vec3,
    },
    /// Turn about an axis without limits.
    Continuous {
        /// Axis of rotation.
        axis: Vec3,
    },
    /// Slide along an axis; the value is in metres.
    Prismatic {
        /// Direction of travel.
        axis: Vec3,
    },
    /// Slide in the plane through the joint with this normal and turn about the normal: values x, y, angle.
    Planar {
        /// Normal of the plane.
        axis: Vec3,
    },
    /// Move freely: values x, y, z, qw, qx, qy, qz.
    Floating,
}

impl JointKind {
    /// How many values the joint takes.
    pub fn values(&self) -> usize {
        match self {
            JointKind::Fixed => 0,
            JointKind::Revolute { .. } | JointKind::Continuous { .. } | JointKind::Prismatic { .. } => 1,
            JointKind::Planar { .. } => 3,
            JointKind::Floating => 7,
        }
    }

    fn axis(&self) -> Option<Vec3> {
        match *self {
            JointKind::Fixed | JointKind::Floating => None,
            JointKind::Revolute { axis }
            | JointKind::Continuous { axis }
            | JointKind::Prismatic { axis }
            | JointKind::Planar { axis } => Some(axis),
        }
    }
}

/// The range of a joint's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Smallest value.
    pub lower: f64,
    /// Largest value.
    pub upper: f64,
}

/// A joint as described by a file: links by name.
#[derive(Clone, Debug)]
pub struct JointSpec {
    /// Unique name.
    pub name: String,
    /// Name of the parent link.
    pub parent: String,
    /// Name of the child link.
    pub child: String,
    /// Pose of the joint in the parent link.
    pub parent_from_joint: Pose,
    /// What it does.
    pub kind: JointKind,
    /// Its range, if it has one.
    pub limits: Option<Limits>,
    /// `(joint, multiplier, offset)`: the value is `multiplier * value(joint) + offset`.
    pub mimic: Option<(String, f64, f64)>,
}

/// A mimic joint's source, resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// Index of the joint that is followed (never a mimic itself).
    pub joint: usize,
    /// Factor.
    pub multiplier: f64,
    /// Constant.
    pub offset: f64,
    /// At least |stored - described| of multiplier and offset: a chain of mimics multiplies and adds them, which rounds.
    pub(crate) rounding: (f64, f64),
}

impl Mimic {
    /// This mimic of a joint that is itself a mimic of `further.joint`.
    fn of(self, further: Mimic) -> Mimic {
        let multiplier = self.multiplier * further.multiplier;
        let shifted = self.multiplier * further.offset;
        let offset = shifted + self.offset;
        // |m| times the error of the inner factor, and one rounding of each product and sum.
        let size = self.multiplier.abs();
        let rounding = (
            (size * further.rounding.0 + U * multiplier.abs() + f64::MIN_POSITIVE) * INFLATE,
            (size * further.rounding.1 + U * (shifted.abs() + offset.abs()) + f64::MIN_POSITIVE) * INFLATE,
        );
        Mimic { joint: further.joint, multiplier, offset, rounding }
    }

    fn value(&self, source: f64) -> f64 {
        self.multiplier * source + self.offset
    }

    /// At least |computed - described| of [`Mimic::value`]: the errors of multiplier and offset, and one rounding of the product and of
    /// the sum; a product that underflows is off by less than the smallest normal number.
    fn value_error(&self, source: f64) -> f64 {
        let product = (self.multiplier * source).abs();
        let own = U * (product + self.value(source).abs()) + f64::MIN_POSITIVE;
        (self.rounding.0 * source.abs() + self.rounding.1 + own) * INFLATE
    }
}

/// A checked joint: links by index.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// Index of the parent link.
    pub parent: usize,
    /// Index of the child link.
    pub child: usize,
    /// Pose of the joint in the parent link.
    pub parent_from_joint: Pose,
    /// What it does.
    pub kind: JointKind,
    /// Its range, if it has one.
    pub limits: Option<Limits>,
    /// Which joint it follows, if any.
    pub mimic: Option<Mimic>,
}

/// A tree of links.
#[derive(Clone, Debug)]
pub struct Robot {
    name: String,
    links: Vec<Link>,
    joints: Vec<Joint>,
    link_at: HashMap<String, usize>,
    joint_at: HashMap<String, usize>,
    /// For each link the joint above it; `None` for the root.
    joint_above: Vec<Option<usize>>,
    /// Links from the root outwards, every parent before its children.
    order: Vec<usize>,
    /// Joints that take values, in the order they were declared.
    moving: Vec<usize>,
    /// For each joint the position of its first value, where it has any of its own.
    value_at: Vec<Option<usize>>,
    /// For each link the one nearest to the root that fixed joints hold together with it.
    rigid_roots: Vec<usize>,
    values: usize,
    pub(super) loops: Vec<LoopJoint>,
}

impl Robot {
    /// Checks that links and joints form one tree and takes them.
    ///
    /// # Errors
    /// Duplicate or unknown names, a cycle, several roots, a zero axis, a mimic of itself or of nobody, numbers that are not finite.
    pub fn new(name: impl Into<String>, links: Vec<Link>, joints: Vec<JointSpec>) -> Result<Self, Error> {
        let name = name.into();
        if links.is_empty() {
            return Err(Error::invalid(format!("robot '{name}'"), "it has no links"));
        }
        let link_index = index_by_name("link", links.iter().map(|l| l.name.as_str()))?;
        let joint_index = index_by_name("joint", joints.iter().map(|j| j.name.as_str()))?;
        let mut checked = Vec::with_capacity(joints.len());
        for spec in &joints {
            checked.push(check_joint(spec, &link_index)?);
        }
        let mimics = resolve_mimics(&joints, &joint_index)?;
        for (i, spec) in joints.iter().enumerate() {
            checked[i].mimic = mimics[i];
            if let Some(m) = checked[i].mimic
                && (checked[m.joint].kind.values() != 1 || checked[i].kind.values() > 1)
            {
                return Err(Error::invalid(
                    format!("joint '{}'", spec.name),
                    format!("it mimics '{}', but only joints of one value can mimic or be mimicked", joints[m.joint].name),
                ));
            }
        }
        let (joint_above, order) = check_tree(&links, &checked)?;
        let mut moving = Vec::new();
        let mut value_at = vec![None; checked.len()];
        let mut values = 0;
        for (i, j) in checked.iter().enumerate() {
            if j.kind != JointKind::Fixed && j.mimic.is_none() {
                moving.push(i);
                value_at[i] = Some(values);
                values += j.kind.values();
            }
        }
        let mut rigid_roots: Vec<usize> = (0..links.len()).collect();
        for &link in &order {
            if let Some(joint) = joint_above[link].map(|j| &checked[j]).filter(|joint| joint.kind == JointKind::Fixed) {
                rigid_roots[link] = rigid_roots[joint.parent];
            }
        }
        let owned = |index: HashMap<&str, usize>| index.into_iter().map(|(name, i)| (name.to_owned(), i)).collect();
        let (link_at, joint_at) = (owned(link_index), owned(joint_index));
        Ok(Robot {
            name,
            links,
            joints: checked,
            link_at,
            joint_at,
            joint_above,
            order,
            moving,
            value_at,
            rigid_roots,
            values,
            loops: Vec::new(),
        })
    }

    /// The robot's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All links.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// All joints.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The joint that carries a link; `None` for the root.
    pub fn joint_above(&self, link: usize) -> Option<usize> {
        self.joint_above[link]
    }

    /// Links from the root outwards, every parent before its children.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Joints that take values of their own (neither fixed nor mimic), in the order they were declared.
    pub fn moving_joints(&self) -> impl Iterator<Item = &Joint> {
        self.moving.iter().map(|&i| &self.joints[i])
    }

    /// How many joint values a configuration has.
    pub fn values(&self) -> usize {
        self.values
    }

    /// Where the values of joint `joint` begin in a configuration; `None` for fixed and mimic joints.
    pub fn value_at(&self, joint: usize) -> Option<usize> {
        self.value_at[joint]
    }

    /// Index of the joint with this name.
    pub fn find_joint(&self, name: &str) -> Option<usize> {
        self.joint_at.get(name).copied()
    }

    /// Index of the link with this name.
    pub fn find_link(&self, name: &str) -> Option<usize> {
        self.link_at.get(name).copied()
    }

    /// At least |computed - described| of each value of a joint, where values of the configuration may be off by a share of themselves. Mimics
    /// are rounded besides.
    #[inline]
    pub(crate) fn joint_value_error(&self, joint: usize, q: &[f64], share: f64) -> f64 {
        match (self.joints[joint].mimic, self.value_at[joint]) {
            (Some(m), _) => {
                let source = self.joint_value(m.joint, q);
                (m.value_error(source) + m.multiplier.abs() * share * source.abs()) * INFLATE
            }
            (None, Some(at)) if share > 0.0 => {
                let values = &q[at..at + self.joints[joint].kind.values()];
                values.iter().fold(0.0f64, |most, v| most.max(v.abs())) * share * INFLATE
            }
            (None, _) => 0.0,
        }
    }

    /// The value of a one-valued joint in a configuration, mimics followed.
    pub fn joint_value(&self, joint: usize, q: &[f64]) -> f64 {
        match (self.joints[joint].mimic, self.value_at[joint]) {
            (Some(m), _) => m.value(self.joint_value(m.joint, q)),
            (None, Some(at)) => q[at],
            (None, None) => 0.0,
        }
    }

    /// Whether two links are held together by fixed joints only.
    pub fn rigidly_joined(&self, a: usize, b: usize) -> bool {
        self.rigid_root(a) == self.rigid_root(b)
    }

    /// Whether one joint connects the two links, be it one that closes a loop.
    pub fn adjacent(&self, a: usize, b: usize) -> bool {
        // Not a search among all joints: every pair of links is asked about.
        let hangs_on = |link: usize, other: usize| self.joint_above[link].is_some_and(|j| self.joints[j].parent == other);
        hangs_on(a, b) || hangs_on(b, a) || self.loops.iter().any(|l| l.links == [a, b] || l.links == [b, a])
    }

    /// The link nearest to the root that fixed joints hold together with this one.
    pub(crate) fn rigid_root(&self, link: usize) -> usize {
        self.rigid_roots[link]
    }
}

fn index_by_name<'a>(kind: &'static str, names: impl Iterator<Item = &'a str>) -> Result<HashMap<&'a str, usize>, Error> {
    let mut index = HashMap::new();
    for (i, name) in names.enumerate() {
        if index.insert(name, i).is_some() {
            return Err(Error::DuplicateName { kind, name: name.into() });
        }
    }
    Ok(index)
}

fn check_joint(spec: &JointSpec, link_index: &HashMap<&str, usize>) -> Result<Joint, Error> {
    let user = format!("joint '{}'", spec.name);
    let find = |name: &String| {
        link_index.get(name.as_str()).copied().ok_or_else(|| Error::Unknown {
            kind: "link",
            name: name.clone(),
            user: user.clone(),
        })
    };
    if let Some(axis) = spec.kind.axis() {
        if !axis.is_finite() {
            return Err(Error::NonFinite { what: format!("{user}, axis") });
        }
        let length = axis.norm();
        if !(length > 1e-100 && length < 1e100) {
            return Err(Error::BadAxis { joint: spec.name.clone() });
        }
    }
    if let Some(limits) = spec.limits
        && (limits.lower.is_nan() || limits.upper.is_nan() || limits.lower > limits.upper)
    {
        return Err(Error::invalid(user, format!("its limits [{}, {}] are reversed", limits.lower, limits.upper)));
    }
    check_rigid(&spec.parent_from_joint, &format!("{user}, origin"))?;
    Ok(Joint {
        name: spec.name.clone(),
        parent: find(&spec.parent)?,
        child: find(&spec.child)?,
        parent_from_joint: spec.parent_from_joint,
        kind: spec.kind,
        limits: spec.limits,
        mimic: None,
    })
}

/// For each joint that mimics, the joint with a value of its own at the end of its chain of mimics.
fn resolve_mimics(joints: &[JointSpec], index: &HashMap<&str, usize>) -> Result<Vec<Option<Mimic>>, Error> {
    let own: Vec<Option<Mimic>> = joints.iter().map(|spec| mimic_of(spec, index)).collect::<Result<_, _>>()?;
    let mut resolved = vec![false; joints.len()];
    let mut mimics = own.clone();
    let mut path = Vec::new();
    for start in 0..joints.len() {
        // Out to what is known, and back: every joint is walked over once, however long the chain.
        let mut at = start;
        while let Some(next) = mimics[at].filter(|_| !resolved[at]) {
            path.push(at);
            if path.len() > joints.len() {
                return Err(Error::invalid(user(&joints[start]), "its mimic chain goes round in a circle"));
            }
            at = next.joint;
        }
        for at in path.drain(..).rev() {
            resolved[at] = true;
            let Some(mimic) = own[at] else { continue };
            let Some(further) = mimics[mimic.joint] else { continue };
            let resolved = mimic.of(further);
            if ![resolved.multiplier, resolved.offset, resolved.rounding.0, resolved.rounding.1].iter().all(|x| x.is_finite()) {
                return Err(Error::NonFinite { what: format!("{}, mimic", user(&joints[at])) });
            }
            mimics[at] = Some(resolved);
        }
    }
    Ok(mimics)
}

/// What a joint itself says; a fixed one has no value and follows nobody.
fn mimic_of(spec: &JointSpec, index: &HashMap<&str, usize>) -> Result<Option<Mimic>, Error> {
    let Some((source, multiplier, offset)) = spec.mimic.as_ref().filter(|_| spec.kind != JointKind::Fixed) else {
        return Ok(None);
    };
    if !multiplier.is_finite() || !offset.is_finite() {
        return Err(Error::NonFinite { what: format!("{}, mimic", user(spec)) });
    }
    let unknown = || Error::Unknown { kind: "joint", name: source.clone(), user: format!("{}, mimic", user(spec)) };
    let &joint = index.get(source.as_str()).ok_or_else(unknown)?;
    Ok(Some(Mimic { joint, multiplier: *multiplier, offset: *offset, rounding: (0.0, 0.0) }))
}

fn user(spec: &JointSpec) -> String {
    format!("joint '{}'", spec.name)
}

/// For each link the joint above it, and an order with parents first; or why it is no tree.
fn check_tree(links: &[Link], joints: &[Joint]) -> Result<(Vec<Option<usize>>, Vec<usize>), Error> {
    let mut above: Vec<Option<usize>> = vec![None; links.len()];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for (i, j) in joints.iter().enumerate() {
        if let Some(other) = above[j.child] {
            return Err(Error::invalid(
                format!("link '{}'", links[j.child].name),
                format!(
                    "it is the child of two joints, '{}' and '{}'; make the one that closes a loop a <loop_joint>",
                    joints[other].name, j.name
                ),
            ));
        }
        above[j.child] = Some(i);
        below[j.parent].push(j.child);
    }
    let roots: Vec<usize> = (0..links.len()).filter(|&l| above[l].is_none()).collect();
    if let [first, second, ..] = roots[..] {
        return Err(Error::MultipleRoots { first: links[first].name.clone(), second: links[second].name.clone() });
    }
    let mut order = roots;
    let mut next = 0;
    while next < order.len() {
        order.extend(&below[order[next]]);
        next += 1;
    }
    if order.len() < links.len() {
        let mut reached = vec![false; links.len()];
        order.iter().for_each(|&l| reached[l] = true);
        let lost = reached.iter().position(|r| !r).unwrap_or(0);
        return Err(Error::KinematicCycle { link: links[lost].name.clone() });
    }
    Ok((above, order))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(name: &str) -> Link {
        Link { name: name.into(), pieces: Vec::new() }
    }

    fn joint(name: &str, parent: &str, child: &str, kind: JointKind) -> JointSpec {
        JointSpec {
            name: name.into(),
            parent: parent.into(),
            child: child.into(),
            parent_from_joint: Pose::IDENTITY,
            kind,
            limits: None,
            mimic: None,
        }
    }

    const TURN: JointKind = JointKind::Revolute { axis: Vec3::new(0.0, 0.0, 1.0) };

    #[test]
    fn values_are_counted_in_order_and_mimics_follow_their_source() {
        let mut finger = joint("finger", "c", "d", TURN);
        finger.mimic = Some(("j2".into(), 2.0, 0.5));
        let joints = vec![
            joint("j1", "a", "b", JointKind::Floating),
            joint("weld", "b", "w", JointKind::Fixed),
            joint("j2", "b", "c", TURN),
            finger,
        ];
        let links = ["a", "b", "c", "d", "w"].map(link).to_vec();
        let r = Robot::new("r", links, joints).expect("a tree");
        assert_eq!(r.values(), 8);
        assert_eq!(r.moving_joints().map(|j| j.name.as_str()).collect::<Vec<_>>(), ["j1", "j2"]);
        let mut q = vec![0.0; 8];
        q[7] = 0.25;
        assert_eq!(r.joint_value(3, &q), 1.0);
        assert!(r.rigidly_joined(1, 4) && !r.rigidly_joined(1, 2) && r.adjacent(1, 2));
    }

    /// Joints 1 to n on one link; each but the first mimics the one that `source` names for it.
    fn mimics(n: usize, source: impl Fn(usize) -> usize) -> Result<Robot, Error> {
        let links = (0..=n).map(|i| link(&format!("l{i}"))).collect();
        let spec = |i: usize| {
            let mut joint = joint(&format!("j{i}"), "l0", &format!("l{i}"), TURN);
            joint.mimic = (i > 1).then(|| (format!("j{}", source(i)), 0.5, 1.0));
            joint
        };
        Robot::new("r", links, (1..=n).map(spec).collect())
    }

    #[test]
    fn long_chains_of_mimics_are_followed_once() {
        // Either way round: the chain's end is known first, or last.
        let n = 50_000;
        let forward = mimics(n, |i| i - 1).expect("a chain");
        assert_eq!((forward.values(), forward.joint_value(0, &[8.0]), forward.joint_value(2, &[8.0])), (1, 8.0, 3.5));
        assert_eq!(forward.joint_value(n - 1, &[8.0]), 2.0, "the fixed point of x / 2 + 1");
        let backward = mimics(n, |i| if i < n { i + 1 } else { 1 }).expect("a chain");
        assert_eq!((backward.joint_value(n - 1, &[8.0]), backward.joint_value(n - 2, &[8.0])), (5.0, 3.5));
        let circle = mimics(n, |i| if i < n { i + 1 } else { 7 }).expect_err("refused").to_string();
        assert!(circle.contains("'j2'") && circle.contains("circle"), "{circle}");
    }

    #[test]
    fn long_chains_of_fixed_joints_have_one_root() {
        let n = 50_000;
        let links = (0..=n).map(|i| link(&format!("l{i}"))).collect();
        let kind = |i: usize| if i == 7 { TURN } else { JointKind::Fixed };
        let joints = (1..=n).map(|i| joint(&format!("j{i}"), &format!("l{}", i - 1), &format!("l{i}"), kind(i)));
        let robot = Robot::new("r", links, joints.collect()).expect("a tree");
        assert!((0..=n).all(|l| robot.rigid_root(l) == if l < 7 { 0 } else { 7 }));
    }

    #[test]
    fn what_is_no_tree_is_refused_by_name() {
        let cycle = vec![joint("x", "a", "b", TURN), joint("y", "b", "c", TURN), joint("z", "c", "a", TURN)];
        assert!(matches!(Robot::new("r", ["a", "b", "c"].map(link).to_vec(), cycle), Err(Error::KinematicCycle { .. })));
        assert!(matches!(Robot::new("r", ["a", "b"].map(link).to_vec(), vec![]), Err(Error::MultipleRoots { .. })));
        let ghost = vec![joint("j1", "a", "ghost", TURN)];
        let message = Robot::new("r", vec![link("a")], ghost).expect_err("unknown link").to_string();
        assert!(message.contains("ghost") && message.contains("j1"));
        let zero = vec![joint("j", "a", "b", JointKind::Prismatic { axis: Vec3::ZERO })];
        assert!(matches!(Robot::new("r", ["a", "b"].map(link).to_vec(), zero), Err(Error::BadAxis { .. })));
    }
}
