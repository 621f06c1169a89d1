//! A kinematic tree written in a case, as a robot.

use std::collections::HashMap;

use impinge::geometry::Piece;
use impinge::math::{Pose, Vec3};
use impinge::robot::{JointKind, JointSpec, Link, LoopKind, LoopSpec, Robot};

use super::pose::pose;
use crate::error::Result;
use crate::joint_values::MIMIC_SLACK;
use crate::json::Item;
use crate::shapes::ShapeReader;

/// A robot with its motion.
pub(super) struct Tree {
    pub robot: Robot,
    pub base: Pose,
    pub q0: Vec<f64>,
    pub q1: Vec<f64>,
}

/// The name of the robot of a tree.
pub(super) const NAME: &str = "tree";

impl Tree {
    /// Reads a tree; `together` are pairs that must be checked even if a joint connects them.
    pub fn from_json(item: &Item<'_>, together: &[(String, String)], reader: &mut ShapeReader<'_>) -> Result<Self> {
        item.only(&["root", "base_pose", "links", "joints", "loops"])?;
        let base = item.get("base_pose").map_or(Ok(Pose::IDENTITY), |p| pose(&p, "p"))?;
        let mut links = item.need("links")?.items()?.iter().map(|l| link(l, reader)).collect::<Result<Vec<_>>>()?;
        let mut joints = Vec::new();
        let mut values = HashMap::new();
        for item in item.get("joints").map_or(Ok(Vec::new()), |j| j.items())? {
            let (spec, q0, q1) = joint(&item)?;
            values.insert(spec.name.clone(), (q0, q1));
            joints.push(spec);
        }
        hold_apart(&mut links, &mut joints, together);
        let loops = item.get("loops").map_or(Ok(Vec::new()), |l| l.items())?;
        let loops = loops.iter().map(loop_joint).collect::<Result<Vec<_>>>()?;
        let robot = Robot::new(NAME, links, joints).and_then(|r| r.with_loops(loops)).map_err(|source| item.model(source))?;
        if let Some(root) = item.get("root") {
            let found = &robot.links()[robot.order()[0]].name;
            if root.text()? != found {
                return Err(root.bad(format!("is not the link without a parent, '{found}'"), "correct or remove it"));
            }
        }
        let (mut q0, mut q1) = (Vec::new(), Vec::new());
        for (from, to) in robot.moving_joints().filter_map(|j| values.get(&j.name)) {
            q0.extend(from);
            q1.extend(to);
        }
        for item in item.get("joints").map_or(Ok(Vec::new()), |j| j.items())? {
            check_follower(&item, &robot, [("q0", &q0), ("q1", &q1)])?;
        }
        Ok(Tree { robot, base, q0, q1 })
    }
}

fn link(item: &Item<'_>, reader: &mut ShapeReader<'_>) -> Result<Link> {
    item.only(&["name", "shape"])?;
    let shape = item.get("shape").map(|s| reader.shape(&s)).transpose()?;
    let pieces = shape.into_iter().map(|s| Piece::new(s, Pose::IDENTITY)).collect();
    Ok(Link { name: item.need("name")?.text()?.into(), pieces })
}

/// Reads a joint with its values at the start and at the end.
fn joint(item: &Item<'_>) -> Result<(JointSpec, Vec<f64>, Vec<f64>)> {
    item.only(&["name", "type", "parent", "child", "origin", "axis", "mimic", "q0", "q1"])?;
    let text = |key: &str| Ok::<String, crate::IoError>(item.need(key)?.text()?.into());
    let kind_item = item.need("type")?;
    let axis = || item.need("axis")?.numbers::<3>().map(Vec3::from);
    let kind = match kind_item.text()? {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute { axis: axis()? },
        "continuous" => JointKind::Continuous { axis: axis()? },
        "prismatic" => JointKind::Prismatic { axis: axis()? },
        "planar" => JointKind::Planar { axis: axis()? },
        "floating" => JointKind::Floating,
        other => {
            let remedy = "use revolute, continuous, prismatic, planar, floating or fixed";
            return Err(kind_item.bad(format!("is '{other}'"), remedy));
        }
    };
    let mimic = item.get("mimic").map(|m| mimic(&m, kind)).transpose()?;
    let values = |key: &str| {
        let q = match item.get(key) {
            Some(q) if kind == JointKind::Fixed => {
                let list = if q.value().is_array() { q.list()? } else { vec![q.number()?] };
                let zero = list.iter().all(|&x| x == 0.0);
                return if zero {
                    Ok(Vec::new())
                } else {
                    Err(q.bad("moves a fixed joint", "remove it, or use a movable joint"))
                };
            }
            _ if mimic.is_some() || kind == JointKind::Fixed => return Ok(Vec::new()),
            Some(q) => q,
            None => return item.need(key).map(|_| Vec::new()),
        };
        let list = if q.value().is_array() { q.list()? } else { vec![q.number()?] };
        if list.len() == kind.values() {
            return Ok(list);
        }
        Err(q.bad(format!("has {} values", list.len()), format!("write {}", kind.values())))
    };
    let spec = JointSpec {
        name: text("name")?,
        parent: text("parent")?,
        child: text("child")?,
        parent_from_joint: item.get("origin").map_or(Ok(Pose::IDENTITY), |o| pose(&o, "xyz"))?,
        kind,
        limits: None,
        mimic: mimic.clone(),
    };
    Ok((spec, values("q0")?, values("q1")?))
}

/// Refuses values of a mimic joint that differ from those its source implies, because a contradiction indicates a mistake.
fn check_follower(item: &Item<'_>, robot: &Robot, ends: [(&str, &Vec<f64>); 2]) -> Result<()> {
    let follower = robot.find_joint(item.need("name")?.text()?).filter(|&j| robot.joints()[j].mimic.is_some());
    let Some(joint) = follower else { return Ok(()) };
    for (key, q) in ends {
        let Some(given) = item.get(key) else { continue };
        let value = if given.value().is_array() { given.numbers::<1>()?[0] } else { given.number()? };
        let implied = robot.joint_value(joint, q);
        if !((value - implied).abs() <= MIMIC_SLACK) {
            let what = format!("is {value}, but the joint mimics another, which requires {implied}");
            return Err(given.bad(what, "remove it, or correct one of them"));
        }
    }
    Ok(())
}

/// Reads `{"joint", "multiplier", "offset"}`: the value is multiplier * value(joint) + offset; the defaults are 1 and 0.
fn mimic(item: &Item<'_>, kind: JointKind) -> Result<(String, f64, f64)> {
    item.only(&["joint", "multiplier", "offset"])?;
    if kind == JointKind::Fixed {
        return Err(item.bad("belongs to a fixed joint", "remove it, or use a movable joint"));
    }
    let number = |key: &str, default: f64| item.get(key).map_or(Ok(default), |n| n.number());
    Ok((item.need("joint")?.text()?.to_owned(), number("multiplier", 1.0)?, number("offset", 0.0)?))
}

/// Reads a joint that closes a loop; its frames lie in its two links.
fn loop_joint(item: &Item<'_>) -> Result<LoopSpec> {
    item.only(&["name", "type", "links", "frames", "axis"])?;
    let kind_item = item.need("type")?;
    let axis = || item.need("axis")?.numbers::<3>().map(Vec3::from);
    let kind = match kind_item.text()? {
        "fixed" => LoopKind::Fixed,
        "revolute" | "continuous" => LoopKind::Revolute { axis: axis()? },
        "prismatic" => LoopKind::Prismatic { axis: axis()? },
        "planar" => LoopKind::Planar { axis: axis()? },
        "spherical" => LoopKind::Spherical,
        other => {
            let remedy = "use revolute, continuous, prismatic, planar, spherical or fixed";
            return Err(kind_item.bad(format!("is '{other}'"), remedy));
        }
    };
    let links = item.need("links")?;
    let names = links.items()?.iter().map(|l| Ok(l.text()?.to_owned())).collect::<Result<Vec<_>>>()?;
    let links = names.try_into().map_err(|_| links.bad("are not two", "write [\"a\", \"b\"]"))?;
    let frames = match item.get("frames") {
        Some(frames) => {
            let poses = frames.items()?.iter().map(|f| pose(f, "p")).collect::<Result<Vec<_>>>()?;
            poses.try_into().map_err(|_| frames.bad("are not two", "give one in each link"))?
        }
        None => [Pose::IDENTITY; 2],
    };
    Ok(LoopSpec { name: item.need("name")?.text()?.into(), links, link_from_loop: frames, kind })
}

/// Inserts a bare frame between links that a moving joint connects but that must be checked: the library excludes direct
/// neighbours.
fn hold_apart(links: &mut Vec<Link>, joints: &mut Vec<JointSpec>, together: &[(String, String)]) {
    let is_listed = |a: &str, b: &str| together.iter().any(|(x, y)| (x == a && y == b) || (x == b && y == a));
    let mut frames = Vec::new();
    for joint in joints.iter_mut().filter(|j| j.kind != JointKind::Fixed && is_listed(&j.parent, &j.child)) {
        let frame = format!("frame of {}", joint.name);
        links.push(Link { name: frame.clone(), pieces: Vec::new() });
        let parent = std::mem::replace(&mut joint.parent, frame.clone());
        let parent_from_joint = std::mem::take(&mut joint.parent_from_joint);
        frames.push(JointSpec {
            name: frame.clone(),
            parent,
            child: frame,
            parent_from_joint,
            kind: JointKind::Fixed,
            limits: None,
            mimic: None,
        });
    }
    joints.append(&mut frames);
}
