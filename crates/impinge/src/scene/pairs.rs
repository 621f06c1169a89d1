//! Who may meet whom, and why the others do not.

use std::collections::{BTreeSet, HashMap};

use super::{Owner, Part, PartId, PlacedRobot, Scene};
use crate::Error;

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
    /// Links of one robot, or what they hold, while self-collision is off; a part and itself, unless it deforms and self-contact is on.
    SelfCollisionOff,
}

/// Rules beyond those that follow from the robots themselves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    pub self_collision: SelfCollision,
    pub disabled: HashMap<(usize, usize), String>,
    /// Deforming parts that are checked against themselves.
    pub self_contacts: BTreeSet<usize>,
}

impl Scene {
    /// Every pair of parts with geometry that is checked, in the order of [`Scene::pairs`], and without a look at all of them: links that do not
    /// move relative to each other, obstacles, and links of a robot that is not checked against itself are passed over as a whole.
    pub fn checked_pairs(&self) -> impl Iterator<Item = (PartId, PartId)> {
        let meetings = Meetings::new(self);
        let mut at = (0, 0);
        std::iter::from_fn(move || meetings.next_pair(&mut at))
    }

    /// What is done with a pair of parts.
    ///
    /// # Errors
    /// If a part belongs to another scene.
    pub fn pair(&self, a: PartId, b: PartId) -> Result<PairStatus, Error> {
        Ok(self.pair_status(a.of(self)?, b.of(self)?))
    }

    /// The deforming bodies that are checked against themselves, see [`super::SceneBuilder::self_contact`]; [`Scene::pairs`] does not list them.
    pub fn self_contacts(&self) -> impl Iterator<Item = PartId> {
        self.rules.self_contacts.iter().copied().map(|part| self.part_id(part))
    }

    /// What is done with every pair of different parts, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (PartId, PartId, PairStatus)> {
        (0..self.parts.len())
            .flat_map(move |a| (a + 1..self.parts.len()).map(move |b| (self.part_id(a), self.part_id(b), self.pair_status(a, b))))
    }

    pub(crate) fn pair_status(&self, a: usize, b: usize) -> PairStatus {
        if a == b {
            let checked = self.rules.self_contacts.contains(&a);
            return if checked { PairStatus::Checked } else { PairStatus::SelfCollisionOff };
        }
        status(&self.parts, &self.robots, &self.rules, a.min(b), a.max(b))
    }
}

/// Parts of one kin are never checked against each other; see [`status`], which says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kin {
    Obstacles,
    /// Links of a robot and what they hold, while self-collision is off.
    Robot(usize),
    /// What no moving joint separates, by its innermost link.
    Rigid((usize, usize)),
    /// A part of its own.
    Alone(usize),
}

/// Who may meet whom, by parts with geometry.
///
/// Sound: only pairs of one kin are passed over without being asked about. Quick: of two runs of neighbouring parts of one kin at least every
/// second one is of another kin than a given part, so the runs passed over are at most one more than the pairs asked about.
pub(crate) struct Meetings<'a> {
    scene: &'a Scene,
    /// Parts with geometry, ascending.
    pub solid: Vec<usize>,
    kin: Vec<Kin>,
    /// For each of them where the run of neighbours of its kin ends.
    ends: Vec<usize>,
}

impl<'a> Meetings<'a> {
    pub fn new(scene: &'a Scene) -> Self {
        let solid: Vec<usize> = (0..scene.parts.len()).filter(|&p| !scene.parts[p].pieces.is_empty()).collect();
        let kin: Vec<Kin> = solid.iter().map(|&p| scene.kin(p)).collect();
        let mut ends: Vec<usize> = (1..=solid.len()).collect();
        for i in (1..solid.len()).rev() {
            if kin[i - 1] == kin[i] {
                ends[i - 1] = ends[i];
            }
        }
        Meetings { scene, solid, kin, ends }
    }

    /// See [`Scene::checked_pairs`].
    pub fn pairs(&self) -> impl Iterator<Item = (PartId, PartId)> {
        let mut at = (0, 0);
        std::iter::from_fn(move || self.next_pair(&mut at))
    }

    /// The parts that are checked against the one at a position, ascending.
    pub fn partners(&self, of: usize) -> impl Iterator<Item = usize> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let found = self.next_partner(of, at)?;
            at = found + 1;
            Some(self.solid[found])
        })
    }

    /// How many pairs are of different kin: about as many as are checked, where few are switched off.
    pub fn possible(&self) -> u128 {
        let pairs = |n: usize| n as u128 * (n as u128).saturating_sub(1) / 2;
        let mut sizes: HashMap<Kin, usize> = HashMap::new();
        self.kin.iter().for_each(|&kin| *sizes.entry(kin).or_default() += 1);
        pairs(self.kin.len()) - sizes.values().map(|&n| pairs(n)).sum::<u128>()
    }

    /// The first pair that is checked behind the positions `at`, which becomes its own.
    fn next_pair(&self, at: &mut (usize, usize)) -> Option<(PartId, PartId)> {
        let (a, b) = *at;
        let same = self.next_partner(a, b.max(a) + 1).map(|b| (a, b));
        *at = same.or_else(|| (a + 1..self.solid.len()).find_map(|a| Some((a, self.next_partner(a, a + 1)?))))?;
        Some((self.scene.part_id(self.solid[at.0]), self.scene.part_id(self.solid[at.1])))
    }

    /// The first position from `at` on whose part is checked against the one at position `of`.
    fn next_partner(&self, of: usize, mut at: usize) -> Option<usize> {
        while at < self.solid.len() {
            if self.kin[at] == self.kin[of] {
                at = self.ends[at];
            } else if self.scene.pair_status(self.solid[of], self.solid[at]) == PairStatus::Checked {
                return Some(at);
            } else {
                at += 1;
            }
        }
        None
    }
}

impl Scene {
    fn kin(&self, part: usize) -> Kin {
        match (self.parts[part].owner, carrier(&self.parts[part])) {
            (Owner::Obstacle, _) => Kin::Obstacles,
            (_, Some((robot, _))) if self.rules.self_collision == SelfCollision::Skip => Kin::Robot(robot),
            (_, Some(link)) => Kin::Rigid(anchor(&self.robots, link)),
            (_, None) => Kin::Alone(part),
        }
    }
}

fn status(parts: &[Part], robots: &[PlacedRobot], rules: &Rules, a: usize, b: usize) -> PairStatus {
    if let Some(reason) = (!rules.disabled.is_empty()).then(|| rules.disabled.get(&(a, b))).flatten() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Piece, Primitive};
    use crate::math::{Pose, Vec3};
    use crate::robot::{JointKind, JointSpec, Link, Robot};
    use proptest::prelude::*;

    fn ball() -> Piece {
        Piece::new(Primitive::sphere(0.1).expect("a ball"), Pose::IDENTITY)
    }

    /// Links of which some are bare, on joints of which some are fixed, in any order of numbers along the tree.
    fn robot(links: &[(bool, bool, usize)], reversed: bool) -> Robot {
        let n = links.len();
        let name = |i: usize| format!("l{}", if reversed { n - 1 - i } else { i });
        let mut all: Vec<Link> =
            (0..n).map(|i| Link { name: name(i), pieces: if links[i].0 { vec![ball()] } else { Vec::new() } }).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        let joint = |i: usize| JointSpec {
            name: format!("j{i}"),
            parent: name(links[i].2 % i),
            child: name(i),
            parent_from_joint: Pose::IDENTITY,
            kind: if links[i].1 { JointKind::Fixed } else { JointKind::Revolute { axis: Vec3::unit(2) } },
            limits: None,
            mimic: None,
        };
        Robot::new("r", all, (1..n).map(joint).collect()).expect("a tree")
    }

    fn links() -> impl Strategy<Value = Vec<(bool, bool, usize)>> {
        prop::collection::vec((prop::bool::weighted(0.8), any::<bool>(), 0usize..100), 1..12)
    }

    proptest! {
        /// The quick list is the long one without what is not checked or has no geometry.
        #[test]
        fn checked_pairs_are_those_of_all_pairs(
            a in links(), b in links(), reversed in any::<bool>(), skip in any::<bool>(), mounted in any::<bool>(),
            things in prop::collection::vec(0usize..3, 0..8), off in prop::collection::vec((0usize..100, 0usize..100), 0..8),
        ) {
            let mut builder = Scene::builder().robot("a", robot(&a, reversed));
            builder = match mounted {
                true => builder.robot_on("b", robot(&b, false), "a/l0", Pose::IDENTITY),
                false => builder.robot("b", robot(&b, false)),
            };
            for (i, thing) in things.iter().enumerate() {
                let (name, ball) = (format!("t{i}"), Primitive::sphere(0.1).expect("a ball"));
                builder = match thing {
                    0 => builder.obstacle(name, ball, Pose::IDENTITY),
                    1 => builder.body(name, ball),
                    _ => builder.attach(name, ball, &format!("a/l{}", i % a.len()), Pose::IDENTITY, &[]),
                };
            }
            let links = [("a/l", a.len()), ("b/l", b.len()), ("t", things.len())];
            let names: Vec<String> = links.iter().flat_map(|(name, n)| (0..*n).map(move |i| format!("{name}{i}"))).collect();
            for (i, j) in off {
                builder.add_disabled(&names[i % names.len()], &names[j % names.len()], "off");
            }
            let choice = if skip { SelfCollision::Skip } else { SelfCollision::Check };
            let scene = builder.self_collision(choice).build().expect("a scene");
            let solid = |p: PartId| !scene.parts[p.index()].pieces.is_empty();
            let all = scene.pairs().filter(|(a, b, status)| *status == PairStatus::Checked && solid(*a) && solid(*b));
            let expected: Vec<(PartId, PartId)> = all.map(|(a, b, _)| (a, b)).collect();
            prop_assert_eq!(scene.checked_pairs().collect::<Vec<_>>(), expected.clone());
            let meetings = Meetings::new(&scene);
            prop_assert!(meetings.possible() >= expected.len() as u128);
            for (at, &part) in meetings.solid.iter().enumerate() {
                let partner = |&(a, b): &(PartId, PartId)| [(a.index(), b.index()), (b.index(), a.index())].into_iter().find(|p| p.0 == part).map(|p| p.1);
                let mut partners: Vec<usize> = expected.iter().filter_map(partner).collect();
                partners.sort_unstable();
                prop_assert_eq!(meetings.partners(at).collect::<Vec<_>>(), partners);
            }
        }
    }

    /// Twenty thousand links, obstacles and bare links: what is never checked costs nothing.
    #[test]
    fn many_parts_that_never_meet_are_passed_over_as_one() {
        let n = 20_000;
        let fixed = |i: usize| i != n / 2;
        let long: Vec<_> = (0..n).map(|i| (i % 1000 == 0, fixed(i), i.wrapping_sub(1))).collect();
        let mut builder = Scene::builder().robot("a", robot(&long, false));
        for i in 0..n {
            builder.add_obstacle(format!("o{i}"), vec![ball()]);
        }
        let scene = builder.build().expect("a scene");
        assert_eq!(scene.checked_pairs().count(), 10 * 10 + 20 * n);
    }
}
