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
    /// Two links held together by fixed joints: no motion moves them relative to each other.
    Rigid,
    /// Switched off, with the reason given.
    Disabled(String),
    /// Links of one robot while self-collision is off.
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
    match (parts[a].owner, parts[b].owner) {
        (Owner::Obstacle, Owner::Obstacle) => PairStatus::Obstacles,
        (Owner::Link { robot, link: l }, Owner::Link { robot: other, link: m }) if robot == other => {
            let model = &robots[robot].robot;
            if model.adjacent(l, m) {
                PairStatus::Adjacent
            } else if model.rigidly_joined(l, m) {
                PairStatus::Rigid
            } else if rules.self_collision == SelfCollision::Skip {
                PairStatus::SelfCollisionOff
            } else {
                PairStatus::Checked
            }
        }
        _ => PairStatus::Checked,
    }
}
