//! Bodies that turn about an axis while they are translated: approximate distances with their errors (Xavier 1997, section 2.3).
//!
//! A point goes R(sθ)(p - r) + r + s x, equation 4. With T = tan(θ/2), β = T / θ and u the axis, for θ below a quarter turn:
//!
//! ```text
//!  D = p + T u × (p - r)          image 1: D + β x        the tangents at both ends meet the plane half way here,
//!      /`--.                      image 2: D + (1 - β) x  one image each; they are one point without a translation
//!  p  /     `. R p                images 0 and 3: p and where it ends
//! ```
//! Conservative: the path is in the hull of the four. The arc is λ0 p + λD D + λ1 R p with λ1 = (1 - cos φ) / (1 - cos θ), λ0 the same for θ - φ,
//! so it remains that s = φ/θ is λ1 + λD g with g in [1 - β, β]. F = λ1 + β λD - s is 0 at both ends, F' is 0 at 0 and negative at θ, and
//! F'' changes its sign once, from plus to minus: F is never negative; the other side by symmetry. All images are affine in p, so hulls of
//! images of nodes hold what they should. The paper has three images where x is at right angles to the axis; that is wrong for an x that is
//! long against r θ (the path is then bent both ways), so there are always four.
//!
//! Errors: with r the largest distance from the axis and l the largest extent across it of a leaf, its hull of images is nowhere farther than
//! E = r θ²/8 + r e(θ) + l θ/2 from what it sweeps, e the distance of D from the arc at the angle T; see [`Axis::outside`]. To leading order
//! this is equation 3, half of equation 5. The simple estimate takes images 0 and 3 only: equation 2, with r θ²/8 for r (1 - cos(θ/2)).

mod images;
mod piece;
#[cfg(test)]
mod tests;

use std::f64::consts::FRAC_PI_2;

use super::session::DistanceSession;
use super::sweep::{Reading, SweptWitness, check_vector};
use super::{DistanceLimits, check_poses};
use crate::Error;
use crate::bvh::HullTree;
use crate::math::pose::rotation_about;
use crate::math::rounding::U;
use crate::math::{Pose, Vec3};
use crate::motion::RigidMotion;
use piece::Piece;

/// A turn about an axis that is translated meanwhile, both at constant rates, in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turn {
    /// The axis, as long as the angle is in radians; zero for a mere translation.
    pub rotation: Vec3,
    /// A point of the axis when the motion begins.
    pub about: Vec3,
    /// How far the axis goes.
    pub translation: Vec3,
}

impl Turn {
    /// A mere translation.
    pub fn straight(translation: Vec3) -> Self {
        Turn { translation, ..Turn::default() }
    }

    /// Where a point is at time t, up to rounding.
    fn at(&self, p: Vec3, t: f64) -> Vec3 {
        let angle = self.rotation.norm();
        let turned = if angle > 0.0 {
            rotation_about(self.rotation * (1.0 / angle), t * angle) * (p - self.about)
        } else {
            p - self.about
        };
        turned + self.about + self.translation * t
    }

    fn check(&self, name: &str) -> Result<(), Error> {
        for v in [self.rotation, self.about, self.translation] {
            check_vector(v, name)?;
        }
        let angle = self.rotation.norm();
        if angle > MAX_ANGLE { Err(Error::OutOfRange { what: name.into(), value: angle, limit: MAX_ANGLE }) } else { Ok(()) }
    }
}

impl From<&RigidMotion> for Turn {
    fn from(m: &RigidMotion) -> Self {
        let about = m.start.translation;
        Turn { rotation: m.rotation_vector, about, translation: m.end_position - about }
    }
}

/// Larger turns are refused: they would be cut into thousands of pieces.
const MAX_ANGLE: f64 = 1000.0;

/// Which hulls stand for what a turning body sweeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// Around the start, the end and two images more: never farther than the truth.
    #[default]
    Conservative,
    /// Around the start and the end: faster, may be too near or too far.
    Estimate,
}

/// How turns are asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnOptions {
    /// What the distance means.
    pub reading: Reading,
    /// Which hulls are measured.
    pub way: Way,
    /// A turn is cut into pieces of at most this angle, radians; below a quarter turn. Errors fall with it, by its square far from the axis.
    pub piece: f64,
}

impl Default for TurnOptions {
    fn default() -> Self {
        TurnOptions { reading: Reading::default(), way: Way::default(), piece: FRAC_PI_2 / 8.0 }
    }
}

/// What is known of the smallest distance during a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnedDistance {
    /// The distance of the hulls: at most the truth, or an estimate of it, as was asked for. Infinite for an estimate that found nothing
    /// within `stop_above`.
    pub value: f64,
    /// Proven: the truth is within this of `value`; infinite if nothing within `stop_above` was found.
    pub error: f64,
    /// Proven: never closer.
    pub at_least: f64,
    /// Proven: once this close. Infinite if nothing within `stop_above` was found.
    pub at_most: f64,
    /// Two points that show `at_most`: their distance, with rounding added.
    pub witness: Option<SweptWitness>,
    /// The work limit was reached: the bounds hold, and may be farther apart than they would be.
    pub out_of_work: bool,
}

/// A body and how it turns.
pub type Turning<'a> = (&'a HullTree, &'a Pose, &'a Turn);

/// The smallest distance of two bodies while they turn, approximated. `limits` apply to the distance of the hulls.
///
/// # Errors
/// If numbers are not finite or out of range, the largest piece is not in (0, quarter turn), or both bodies turn at the same time: seen from
/// one another they do not turn about an axis. [`Reading::Volumes`] then has an answer that is never above the truth.
pub fn turned_distance(
    a: Turning<'_>,
    b: Turning<'_>,
    options: TurnOptions,
    limits: DistanceLimits,
    session: &mut DistanceSession,
) -> Result<TurnedDistance, Error> {
    limits.check()?;
    check_poses(a.1, b.1)?;
    a.2.check("turn of the first body")?;
    b.2.check("turn of the second body")?;
    if !(options.piece > 1e-6 && options.piece < FRAC_PI_2) {
        return Err(Error::invalid(
            "largest piece of a turn",
            format!("{} is not between 1e-6 and a quarter turn", options.piece),
        ));
    }
    let turns = |t: &Turn| t.rotation != Vec3::ZERO;
    match (options.reading, turns(a.2), turns(b.2)) {
        (Reading::Simultaneous, true, true) => {
            Err(Error::invalid("turns", "both bodies turn at the same time; ask for both volumes, or let one of them rest"))
        }
        (Reading::Simultaneous, false, true) => Ok(pieces(b, a, options, limits, session).swapped()),
        _ => Ok(pieces(a, b, options, limits, session)),
    }
}

impl TurnedDistance {
    fn swapped(mut self) -> Self {
        self.witness = self.witness.map(|w| SweptWitness {
            points: (w.points.1, w.points.0),
            times: (w.times.1, w.times.0),
            triangles: (w.triangles.1, w.triangles.0),
        });
        self
    }
}

/// The least of all pieces of A's turn with all of B's.
fn pieces(
    a: Turning<'_>,
    b: Turning<'_>,
    options: TurnOptions,
    limits: DistanceLimits,
    session: &mut DistanceSession,
) -> TurnedDistance {
    let count = |turn: &Turn| (turn.rotation.norm() / options.piece).ceil().max(1.0) as u32;
    let (n, m) = (count(a.2), count(b.2));
    let span = |k: u32, n: u32| (f64::from(k) / f64::from(n), f64::from(k + 1) / f64::from(n));
    let nothing = f64::INFINITY;
    let (at_least, at_most) = (nothing, nothing);
    let mut best = TurnedDistance { value: nothing, error: nothing, at_least, at_most, witness: None, out_of_work: false };
    let mut left = limits.max_work;
    for (i, k) in (0..n).flat_map(|i| (0..m).map(move |k| (i, k))) {
        let piece = Piece::new(a, b, options, (span(i, n), span(k, m)));
        let closer = DistanceLimits { stop_above: limits.stop_above.min(best.value), max_work: left, ..limits };
        best.join(&piece.measure(closer, session));
        left = left.saturating_sub(session.tally.work());
        // Pieces that were not looked at may be as close as can be.
        let stops = best.value <= limits.stop_below || left == 0;
        if stops && (i, k) != (n - 1, m - 1) {
            (best.at_least, best.out_of_work) = (0.0, best.out_of_work || left == 0);
            break;
        }
    }
    if options.way == Way::Conservative {
        best.value = best.at_least;
    }
    if best.at_most < nothing {
        best.error = (best.value - best.at_least).max(best.at_most - best.value) * (1.0 + 4.0 * U);
    }
    best
}

impl TurnedDistance {
    /// What is known of both: the nearer hulls, and the smaller upper bound with the points that show it. These need not be of one piece:
    /// hulls that are nearer may stand for points that are farther.
    fn join(&mut self, other: &TurnedDistance) {
        self.value = self.value.min(other.value);
        self.at_least = self.at_least.min(other.at_least);
        self.out_of_work |= other.out_of_work;
        if other.at_most < self.at_most {
            (self.at_most, self.witness) = (other.at_most, other.witness);
        }
    }
}
