//! Who may meet whom, and why the others do not.

use std::collections::HashMap;

use super::{Owner, Part, PartId, PlacedRobot, Scene};

/// Whether links of one robot are checked against each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SelfCollision {
    /// They are.
    #[default]
    Check,
    /// They are not.
    Skip,
}

/// What is done with a pair of parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairStatus {
    /// Checked.
    Checked,
    /// Two obstacles: neither moves.
    Obstacles,
    /// Two links joined by a joint.
    Adjacent,
    /// Two links held together by fixed joints, or what they hold: no motion moves them relative to each other.
    Rigid,
    /// One is attached to the other, or both to the same link.
    Attached,
    /// Switched off, with the reason given.
    Disabled(String),
    /// Links of one robot, or what they hold, while self-collision is off.
    SelfCollisionOff,
}

/// Rules beyond those that follow from the robots themselves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    pub self_collision: SelfCollision,
    pub disabled: HashMap<(usize, usize), String>,
}

impl Scene {
    /// What is done with every pair of parts, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (PartId, PartId, PairStatus)> {
        (0..self.parts.len())
            .flat_map(move |a| (a + 1..self.parts.len()).map(move |b| (PartId(a), PartId(b), self.pair_status(a, b))))
    }

    pub(crate) fn pair_status(&self, a: usize, b: usize) -> PairStatus {
        status(&self.parts, &self.robots, &self.rules, a.min(b), a.max(b))
    }
}

fn status(parts: &[Part], robots: &[PlacedRobot], rules: &Rules, a: usize, b: usize) -> PairStatus {
    if let Some(reason) = rules.disabled.get(&(a, b)) {
        return PairStatus::Disabled(reason.clone());
    }
    let (owners, links) = ((parts[a].owner, parts[b].owner), (carrier(&parts[a]), carrier(&parts[b])));
    let (Some(x), Some(y)) = links else {
        return if owners == (Owner::Obstacle, Owner::Obstacle) { PairStatus::Obstacles } else { PairStatus::Checked };
    };
    let both_links = matches!(owners, (Owner::Link { .. }, Owner::Link { .. }));
    if x == y || (both_links && (stands_on(robots, x) == Some(y) || stands_on(robots, y) == Some(x))) {
        PairStatus::Attached
    } else if both_links && x.0 == y.0 && robots[x.0].robot.adjacent(x.1, y.1) {
        PairStatus::Adjacent
    } else if anchor(robots, x) == anchor(robots, y) {
        PairStatus::Rigid
    } else if x.0 == y.0 && rules.self_collision == SelfCollision::Skip {
        PairStatus::SelfCollisionOff
    } else {
        PairStatus::Checked
    }
}

/// The link that a part is, or that holds it: robot and link.
fn carrier(part: &Part) -> Option<(usize, usize)> {
    match part.owner {
        Owner::Link { robot, link } | Owner::Attached { robot, link, .. } => Some((robot, link)),
        Owner::Obstacle | Owner::Body | Owner::Deformable { .. } => None,
    }
}

/// What a root stands on, if it stands on a link.
fn stands_on(robots: &[PlacedRobot], (robot, link): (usize, usize)) -> Option<(usize, usize)> {
    robots[robot].mount.filter(|_| robots[robot].robot.joint_above(link).is_none())
}

/// The innermost link that no moving joint separates from this one, across robots that stand on others.
fn anchor(robots: &[PlacedRobot], (robot, link): (usize, usize)) -> (usize, usize) {
    let root = (robot, robots[robot].robot.rigid_root(link));
    // A robot stands only on those that came before it, so this ends.
    stands_on(robots, root).map_or(root, |mount| anchor(robots, mount))
}
