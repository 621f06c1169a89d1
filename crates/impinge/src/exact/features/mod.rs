//! Two features in motion: a vertex and a face, or two edges, every vertex on a straight line from t = 0 to t = 1.
//!
//! Coordinates are taken as they are, exact numbers, and features as closed sets: touching for an instant is contact.
//!
//! ```text
//! decide     the exact decision, in integers
//! integer    those integers
//! ```

mod decide;
mod instant;
mod integer;
mod polynomial;

use crate::math::Vec3;

/// Which features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A vertex and a triangle.
    VertexFace,
    /// Two segments.
    EdgeEdge,
}

/// Two features whose vertices move along straight lines from `start` (t = 0) to `end` (t = 1): `[v, f0, f1, f2]` or `[a0, a1, b0, b1]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeaturePair {
    /// Which features.
    pub kind: Kind,
    /// The vertices at t = 0.
    pub start: [Vec3; 4],
    /// The vertices at t = 1.
    pub end: [Vec3; 4],
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Contact is a distance of at most this, in the unit of the coordinates.
    pub margin: f64,
    /// A distance within `margin + tolerance` may be called contact when nothing exact decides. Relative: a factor of the largest
    /// coordinate of one feature as seen from the other.
    pub tolerance: f64,
    /// A certified bracket of the first contact is made at least this narrow where numbers allow; t has no unit.
    pub time_tolerance: f64,
    /// Decide in integers what floating point cannot. Only for `margin` 0.
    pub exact: bool,
    /// Limit of the steps in floating point before the exact decision, or `Undecided`.
    pub max_steps: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { margin: 0.0, tolerance: 1e-9, time_tolerance: 1e-9, exact: true, max_steps: 64 }
    }
}

/// The answer for one pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// Proven: no contact at any t in [0, 1].
    Free,
    /// No contact before `time.0`, and the first contact is not after `time.1`.
    Contact {
        /// Closed bracket of the first contact. When not certified: at `time.1` two points are within `margin + tolerance`.
        time: (f64, f64),
        /// The contact is proven, not only nearly so.
        certified: bool,
    },
    /// Proven free outside of this span, and nothing is known inside.
    Undecided {
        /// Closed span of t.
        span: (f64, f64),
    },
}

/// Whether two features touch while they move, and when first.
///
/// With `exact` and no margin the answer is `Free` or a certified `Contact`, for every finite input. Input that is not finite, and a margin or
/// tolerance that is negative or not finite, is `Undecided` over [0, 1].
pub fn first_contact(pair: &FeaturePair, settings: &Settings) -> Answer {
    let usable = |x: f64| x >= 0.0 && x.is_finite();
    let finite = pair.start.iter().chain(&pair.end).all(|p| p.is_finite());
    if !finite || !usable(settings.margin) || !usable(settings.tolerance) || !settings.exact || settings.margin > 0.0 {
        return Answer::Undecided { span: (0.0, 1.0) };
    }
    match decide::first_contact(pair) {
        Some(time) => Answer::Contact { time, certified: true },
        None => Answer::Free,
    }
}
