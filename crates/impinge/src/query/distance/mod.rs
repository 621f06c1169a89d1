//! How far apart are two surfaces at rest? Distance and interference of two hull trees (Xavier 1997).
//!
//! ```text
//! session    what the caller keeps from one question to the next: caches, which change the time taken and never the answer's truth
//! search     pairs of nodes, the nearest first, cut where they are proven farther than what was found
//! placing    where points of two trees are, and one pair of hulls, triangles or solids: GJK with bounds on either side
//! pair       at rest                sweep    swept by translations, exactly          turn    turned: an estimate, or never too much
//! within     every pair of triangles that is close
//! convex     two convex bodies, hulls as solids
//! scene      between parts of a scene
//! solids     closed meshes as solids: what is inside is at distance 0
//! ```
//! `at_least` is a proof: no two points of the surfaces, at the poses described, are closer; rounding of poses and of everything else is
//! subtracted. `at_most` is the distance of two points that were found, with rounding added. Meshes are surfaces here: a body wholly inside
//! another is as far away as its surface. [`nesting`] and [`SceneDistances`] make closed meshes solids.

mod convex;
mod scene;
mod search;
mod session;
mod solids;
mod sweep;
#[cfg(test)]
mod tests;
mod turn;
mod within;

pub use crate::bvh::{HullTree, HullTreeOptions};
pub use convex::{ConvexBody, ConvexDistance, convex_distance};
pub use scene::{PartDistance, SceneDistances};
pub use session::{DistanceSession, DistanceTally, Tricks};
pub use solids::{Nesting, Standing, nesting, standing};
pub use sweep::{Reading, SweptDistance, SweptWitness, swept_distance};
pub use turn::{Turn, TurnOptions, TurnedDistance, Turning, Way, turned_distance};
pub use within::{ClosePair, pairs_within};

use crate::Error;
use crate::geometry::mesh::MAX_COORDINATE;
use crate::math::pose::check_rigid;
use crate::math::{Pose, Vec3};
use crate::narrow::placed_hulls::Placed;
use search::{Answer, Found};

/// What is asked for: when to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceLimits {
    /// Distances above this are not looked for: the answer may then say no more than that it is above.
    pub stop_above: f64,
    /// Enough is known once two points within this are found; 0 asks for the smallest distance.
    pub stop_below: f64,
    /// `at_most - at_least` may be as large as this (and what rounding makes of it) …
    pub absolute: f64,
    /// … or as this share of `at_most`.
    pub relative: f64,
    /// Pairs of nodes and of triangles compared after which the search ends with what it knows: for two bodies, or for each question about
    /// parts of a scene.
    pub max_work: u64,
}

/// Ordinary questions compare some thousands of pairs.
const MAX_WORK: u64 = 20_000_000;

impl Default for DistanceLimits {
    fn default() -> Self {
        DistanceLimits { stop_above: f64::INFINITY, stop_below: 0.0, absolute: 0.0, relative: 0.0, max_work: MAX_WORK }
    }
}

impl DistanceLimits {
    /// Is the distance at most `margin`? Ends as soon as that is known.
    pub fn within(margin: f64) -> Self {
        DistanceLimits { stop_above: margin, stop_below: margin, ..DistanceLimits::default() }
    }

    fn check(&self) -> Result<(), Error> {
        let DistanceLimits { stop_above, stop_below, absolute, relative, max_work: _ } = *self;
        if ![stop_above, stop_below, absolute, relative].iter().all(|x| *x >= 0.0) {
            return Err(Error::invalid("limits of a distance", "one is negative or not a number"));
        }
        Ok(())
    }
}

/// What is known of a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Proven: the surfaces are no closer. Zero when they touch.
    pub at_least: f64,
    /// Proven: they are no farther apart. Infinite if nothing within `stop_above` was found.
    pub at_most: f64,
    /// Two points, one of each surface, that show `at_most`.
    pub witness: Option<DistanceWitness>,
    /// The work limit was reached: the bounds hold, and may be farther apart than asked for.
    pub out_of_work: bool,
}

/// A point of each surface and the triangles they are on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceWitness {
    /// On the first and on the second surface, in the world.
    pub points: (Vec3, Vec3),
    /// Their triangles, as numbered in the meshes.
    pub triangles: (u32, u32),
}

/// The distance of two surfaces at the given poses.
///
/// # Errors
/// If a pose is not finite or translates beyond [`MAX_COORDINATE`], or a limit is negative or not a number.
pub fn distance(
    (a, world_from_a): (&HullTree, &Pose),
    (b, world_from_b): (&HullTree, &Pose),
    limits: DistanceLimits,
    session: &mut DistanceSession,
) -> Result<Distance, Error> {
    check_poses(world_from_a, world_from_b)?;
    limits.check()?;
    let placed = Placed::new((a.reach, world_from_a), (b.reach, world_from_b)).within(a.error + b.error);
    let Answer { at_least, at_most, found, out_of_work } = search::run((a, b), &placed, limits, session);
    let witness = found.map(|f| DistanceWitness::of(&f, (a, b), world_from_b));
    Ok(Distance { at_least, at_most, witness, out_of_work })
}

impl DistanceWitness {
    fn of(found: &Found, (a, b): (&HullTree, &HullTree), world_from_b: &Pose) -> Self {
        let (i, k) = found.triangles;
        let triangles = (a.ids[i as usize], b.ids[k as usize]);
        DistanceWitness { points: (world_from_b.apply(found.on_a), world_from_b.apply(found.on_b)), triangles }
    }
}

fn check_poses(first: &Pose, second: &Pose) -> Result<(), Error> {
    for (pose, name) in [(first, "pose of the first body"), (second, "pose of the second body")] {
        check_rigid(pose, name)?;
        let value = pose.translation.max_abs();
        if value > MAX_COORDINATE {
            return Err(Error::OutOfRange { what: name.into(), value, limit: MAX_COORDINATE });
        }
    }
    Ok(())
}
