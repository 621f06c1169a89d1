//! Closed meshes as solids: what is inside of one is at distance 0 from it.
//!
//! Where two surfaces share no point, a connected component of one is inside the other as a whole or not at all, so one point of each decides
//! (see [`crate::search::containment`]); and nothing changes sides during a motion in which surfaces never touch, so one instant decides. A
//! point that is proven inside makes the distance 0, wherever the surfaces are.

use std::ops::ControlFlow;

use super::scene::PartDistance;
use super::{Distance, check_poses};
use crate::Error;
use crate::geometry::Shape;
use crate::math::{Pose, Vec3};
use crate::motion::RigidMotion;
use crate::query::{Checker, Contact, ContactState, Options, Semantics};
use crate::scene::{Motion, PartId, Scene};
use crate::search::containment::{Contained, Containment};

/// Which of two bodies is inside the other; of a body of several connected components, at least one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// The first is inside the second.
    FirstInside,
    /// The second is inside the first.
    SecondInside,
    /// A point is so near a surface that its side is not known: bodies may be nested.
    Unclear,
}

impl Nesting {
    /// Bounds of the distance of two solids whose surfaces are apart, by at most `at_most`.
    pub fn bounds(self, at_most: f64) -> (f64, f64) {
        match self {
            Nesting::Unclear => (0.0, at_most),
            Nesting::FirstInside | Nesting::SecondInside => (0.0, 0.0),
        }
    }
}

/// Which of two bodies at rest, whose surfaces are known to be apart, is inside the other; closed meshes and primitives are solids. `None` is a
/// proof that neither is. Where surfaces touch, the distance is 0 anyway and the answer means nothing: see [`standing`].
///
/// # Errors
/// If a pose is not finite or translates beyond [`crate::geometry::mesh::MAX_COORDINATE`].
pub fn nesting(
    (a, world_from_a): (impl Into<Shape>, &Pose),
    (b, world_from_b): (impl Into<Shape>, &Pose),
) -> Result<Option<Nesting>, Error> {
    check_poses(world_from_a, world_from_b)?;
    let scene = Scene::builder().body("a", a).obstacle("b", b, *world_from_b).build()?;
    let unknown = || Error::invalid("nesting", "a body is not in its scene");
    let (body, first) = (scene.body("a").ok_or_else(unknown)?, scene.part("a").ok_or_else(unknown)?);
    let motion = scene.motion().rigid(body, RigidMotion::resting(*world_from_a)).build()?;
    let containment = Containment::new(&scene, Semantics::Solid);
    let second = scene.part("b").ok_or_else(unknown)?;
    let proven = nested_parts(&containment, &motion, 0.0, (first, second));
    Ok(proven.or_else(|| Insides::at(&containment, &motion, 0.0).of((first, second))))
}

/// How two bodies at rest stand, if they are in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// Within the tolerance, and nothing is proven to cross.
    Touching,
    /// They share more than a boundary; a point of both.
    Overlapping(Vec3),
    /// One is inside the other.
    Nested(Nesting),
}

/// How two bodies at rest stand as a [`Checker`] tells it, with its default tolerance; `None` where no contact is proven.
///
/// # Errors
/// As for [`nesting`].
pub fn standing(
    (a, world_from_a): (impl Into<Shape>, &Pose),
    (b, world_from_b): (impl Into<Shape>, &Pose),
    semantics: Semantics,
) -> Result<Option<Standing>, Error> {
    check_poses(world_from_a, world_from_b)?;
    let scene = Scene::builder().body("a", a).obstacle("b", b, *world_from_b).build()?;
    let unknown = || Error::invalid("nesting", "a body is not in its scene");
    let (body, first) = (scene.body("a").ok_or_else(unknown)?, scene.part("a").ok_or_else(unknown)?);
    let second = scene.part("b").ok_or_else(unknown)?;
    let motion = scene.motion().rigid(body, RigidMotion::resting(*world_from_a)).build()?;
    let checker = Checker::new(scene, Options::default().semantics(semantics))?;
    let contact = checker.standing(&motion, (first, second))?;
    Ok(contact.and_then(|c| Standing::of(&c, first)))
}

impl Standing {
    /// Of a contact at the start; `first` is the first of its parts as the caller counts.
    pub fn of(contact: &Contact, first: PartId) -> Option<Self> {
        match contact.state {
            ContactState::Begins => None,
            ContactState::Touching => Some(Standing::Touching),
            ContactState::Overlapping => Some(Standing::Overlapping(contact.point)),
            ContactState::Contained if contact.parts.0 == first => Some(Standing::Nested(Nesting::FirstInside)),
            ContactState::Contained => Some(Standing::Nested(Nesting::SecondInside)),
        }
    }
}

/// Every pair of parts of which one may be inside the other.
pub(super) struct Insides(Vec<Inside>);

/// A part that is inside another; perhaps, if it is not proven.
struct Inside {
    inner: PartId,
    outer: PartId,
    proven: bool,
}

impl Insides {
    pub fn at(containment: &Containment, motion: &Motion, t: f64) -> Self {
        let mut found = Vec::new();
        let _: ControlFlow<()> = containment.every(motion, t, |(inner, outer), contained| {
            if !matches!(contained, Contained::Nothing) {
                found.push(Inside { inner, outer, proven: matches!(contained, Contained::Found(_)) });
            }
            ControlFlow::Continue(())
        });
        Insides(found)
    }

    /// What is known of two parts: proofs come before doubts.
    fn of(&self, (a, b): (PartId, PartId)) -> Option<Nesting> {
        let of_pair = |proven: bool| {
            self.0.iter().filter(move |i| i.proven == proven).find_map(|i| match (i.inner, i.outer) {
                pair if pair == (a, b) => Some(Nesting::FirstInside),
                pair if pair == (b, a) => Some(Nesting::SecondInside),
                _ => None,
            })
        };
        of_pair(true).or_else(|| of_pair(false).map(|_| Nesting::Unclear))
    }

    /// The distance of the solids, from that of the surfaces.
    pub fn apply_to_pair(&self, d: PartDistance) -> PartDistance {
        // Surfaces that touch are at distance 0, and say more.
        match self.of(d.parts) {
            Some(nesting) if d.distance.at_least > 0.0 => nested(d, nesting),
            _ => d,
        }
    }

    /// The same for the closest of all pairs: a pair that is nested is the closest.
    pub fn apply_to_nearest(&self, d: PartDistance) -> PartDistance {
        let is_touching = d.distance.at_most == 0.0;
        match self.0.iter().find(|i| i.proven) {
            Some(i) if !is_touching && d.distance.at_least > 0.0 => {
                let (parts, nesting) = match i.inner.index() < i.outer.index() {
                    true => ((i.inner, i.outer), Nesting::FirstInside),
                    false => ((i.outer, i.inner), Nesting::SecondInside),
                };
                nested(PartDistance { parts, pieces: (0, 0), ..d }, nesting)
            }
            _ if !self.0.is_empty() && d.distance.at_least > 0.0 => nested(d, Nesting::Unclear),
            _ => d,
        }
    }
}

/// Which of two parts is proven to be wholly inside the other, at time t.
pub(super) fn nested_parts(containment: &Containment, motion: &Motion, t: f64, parts: (PartId, PartId)) -> Option<Nesting> {
    let inner = containment.nested(motion, t, parts)?.parts.0;
    Some(if inner == parts.0 { Nesting::FirstInside } else { Nesting::SecondInside })
}

pub(super) fn nested(d: PartDistance, nesting: Nesting) -> PartDistance {
    let (at_least, at_most) = nesting.bounds(d.distance.at_most);
    let witness = d.distance.witness.filter(|_| nesting == Nesting::Unclear);
    PartDistance { distance: Distance { at_least, at_most, witness, ..d.distance }, nesting: Some(nesting), ..d }
}
