//! Two features in motion: a vertex and a face, or two edges, every vertex on a straight line from t = 0 to t = 1.
//!
//! Coordinates are taken as they are, exact numbers, and features as closed sets: touching for an instant is contact.
//!
//! ```text
//! directions   the three axes; the direction between closest points        free, mostly
//! cubic        the coplanarity equation: one sign, or zones where it may vanish
//! inside       within both features there, or beyond one?                   free or contact
//! advance      from time to time by directions: margins, radii
//! path         curved paths: lines and a radius over spans of time
//! sharp        cubic and inside with exact coefficients (lines, exact, digits, double); flat: f is zero throughout
//! decide       integers (integer), polynomials, roots, exact instants (instant, division): what nothing above settles
//! ```
//! Every stage but the last rounds, and says only what its error bound proves. The order is the algorithm: see `first_contact`.

mod advance;
mod cubic;
mod decide;
mod digits;
mod directions;
mod division;
mod double;
mod exact;
mod flat;
mod forms;
mod inside;
mod instant;
mod lines;
pub(crate) mod path;
mod polynomial;
mod roots;
mod sharp;

use advance::{Goal, advance};
use cubic::Cubic;
use directions::{axis_separates, between_closest, separates, separates_between};
use forms::Forms;
use inside::{Side, side};
use lines::Lines;
pub use path::{LinearPiece, RigidPaths, VertexPaths, first_contact_on};
use sharp::Sharp;

use crate::math::rounding::U;
use crate::math::{Vec3, integer};

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
    /// A distance within `margin + tolerance` may be called contact when nothing exact decides. Relative: a factor of the size of
    /// the query, the sum of the largest coordinates of both edges and of the gap between first corners.
    pub tolerance: f64,
    /// With `exact`, brackets wider than this are made narrower in integers, down to 2^-38; t has no unit.
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
    contact_near_lines(pair, 0.0, settings)
}

/// [`first_contact`] for vertices that stray from their lines, by at most `stray` for both features together.
#[inline]
fn contact_near_lines(pair: &FeaturePair, stray: f64, settings: &Settings) -> Answer {
    let radius = (settings.margin + stray) * (1.0 + 2.0 * U);
    let usable = |x: f64| x >= 0.0 && x.is_finite();
    if !pair.is_finite() || !usable(settings.margin) || !usable(settings.tolerance) || !usable(stray) {
        return Answer::Undecided { span: (0.0, 1.0) };
    }
    if axis_separates(pair.kind, &pair.start, &pair.end, radius) {
        return Answer::Free;
    }
    let forms = Forms::new(pair.kind, &pair.start, &pair.end, radius);
    if !sizes_are_ordinary(&forms) {
        return out_of_range(pair, stray, settings);
    }
    ordinary(pair, &forms, stray, settings)
}

/// Sizes between which no product of this module overflows, and underflow is covered by `TINY`.
const ORDINARY: (f64, f64) = (1.0 / (1u64 << 40) as f64, (1u64 << 40) as f64);

#[inline(always)]
fn sizes_are_ordinary(forms: &Forms) -> bool {
    let reach = forms.reach();
    reach > ORDINARY.0 && reach < ORDINARY.1 && forms.radius < ORDINARY.1
}

/// The cascade, for sizes that are neither huge nor tiny.
fn ordinary(pair: &FeaturePair, forms: &Forms, stray: f64, settings: &Settings) -> Answer {
    let cubic = Cubic::new(forms);
    if cubic.excludes() || separates(forms, between_closest(forms.kind, &forms.at(0.5))) {
        return Answer::Free;
    }
    if forms.radius > 0.0 {
        return advance_from(forms, stray, settings, 0.0);
    }
    match first_crossing(&cubic, |span| cubic.crosses(span), |span| side(forms, span)) {
        Found::Free => Answer::Free,
        Found::Contact(time) if settings.exact && time.1 - time.0 > settings.time_tolerance => decided_sharply(pair, settings),
        Found::Contact(time) => Answer::Contact { time, certified: true },
        Found::Silent { from } if separates_between(forms, between_closest(forms.kind, &forms.at(from)), (from, 1.0)) => {
            Answer::Free
        }
        Found::Silent { .. } if settings.exact => decided_sharply(pair, settings),
        Found::Silent { from } => advance_from(forms, stray, settings, from),
    }
}

/// What `f64` leaves open: with exact coefficients, rounded last; else without any rounding.
fn decided_sharply(pair: &FeaturePair, settings: &Settings) -> Answer {
    by_exact_coefficients(pair, settings).unwrap_or_else(|| decided(pair))
}

fn by_exact_coefficients(pair: &FeaturePair, settings: &Settings) -> Option<Answer> {
    match Lines::short(pair) {
        Some(lines) => Sharp::new(&lines).first_contact(settings),
        None => Sharp::new(&Lines::long(pair)?).first_contact(settings),
    }
}

fn decided(pair: &FeaturePair) -> Answer {
    match decide::first_contact(pair) {
        Some(time) => Answer::Contact { time, certified: true },
        None => Answer::Free,
    }
}

fn advance_from(forms: &Forms, stray: f64, settings: &Settings, from: f64) -> Answer {
    let goal = Goal { stray, margin: settings.margin, tolerance: settings.tolerance * forms.reach() };
    advance(forms, &goal, from, settings.max_steps)
}

/// Huge or tiny: once more times a power of two, if that is exact; else in integers.
#[cold]
fn out_of_range(pair: &FeaturePair, stray: f64, settings: &Settings) -> Answer {
    let largest = |p: &[Vec3; 4]| p.iter().fold(0.0, |m: f64, v| m.max(v.max_abs()));
    let coordinates = largest(&pair.start).max(largest(&pair.end)).max(settings.margin + stray);
    let reach = Forms::new(pair.kind, &pair.start, &pair.end, 0.0).reach();
    let size = if reach > 0.0 && reach.is_finite() { reach.max(settings.margin + stray) } else { coordinates };
    // A power of two near 1 / size, within the range of normal numbers.
    let scale = 2f64.powi(-(exponent_of(size).clamp(-1000, 1000)));
    let times = |p: &[Vec3; 4]| p.map(|v| v * scale);
    let scaled = FeaturePair { start: times(&pair.start), end: times(&pair.end), ..*pair };
    let back = |x: f64, y: f64| x / scale == y;
    let same = |p: &[Vec3; 4], q: &[Vec3; 4]| p.iter().zip(q).all(|(a, b)| (0..3).all(|k| back(a[k], b[k])));
    let (margin, stray_scaled) = (settings.margin * scale, stray * scale);
    let exact = same(&scaled.start, &pair.start)
        && same(&scaled.end, &pair.end)
        && back(margin, settings.margin)
        && back(stray_scaled, stray);
    let forms = Forms::new(pair.kind, &scaled.start, &scaled.end, (margin + stray_scaled) * (1.0 + 2.0 * U));
    if exact && scaled.is_finite() && sizes_are_ordinary(&forms) {
        return ordinary(&scaled, &forms, stray_scaled, &Settings { margin, ..*settings });
    }
    if settings.exact && settings.margin + stray == 0.0 { decided(pair) } else { Answer::Undecided { span: (0.0, 1.0) } }
}

/// e with 2^e <= x < 2^(e+1), for normal x.
fn exponent_of(x: f64) -> i32 {
    (x.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

impl FeaturePair {
    /// What a tolerance is relative to.
    fn size(&self) -> f64 {
        Forms::new(self.kind, &self.start, &self.end, 0.0).reach()
    }

    #[inline(always)]
    fn is_finite(&self) -> bool {
        // 0 x is 0 for finite x, else NaN.
        let zero = |p: &[Vec3; 4]| p.iter().fold(Vec3::ZERO, |sum, &v| sum + v * 0.0);
        let sum = zero(&self.start) + zero(&self.end);
        sum.x + sum.y + sum.z == 0.0
    }
}

/// What the cubic equation says about the whole motion.
enum Found {
    Free,
    Contact((f64, f64)),
    /// Free before `from`; there the equation does not tell.
    Silent {
        from: f64,
    },
}

/// A cubic has at most three roots, and each may come with a zone for rounding.
const ZONES: usize = 5;
/// Halvings while a stretch without roots is proven to have none.
const HALVINGS: u32 = 5;

/// Looks at one zone after another in which f may vanish: beyond the features, or contact?
fn first_crossing(cubic: &Cubic, crosses: impl Fn((f64, f64)) -> bool, side: impl Fn((f64, f64)) -> Side) -> Found {
    let mut from = 0.0;
    for _ in 0..ZONES {
        let Some((t, half_width)) = cubic.estimate_zone(from) else {
            return if cubic.excludes_between(from, 1.0, HALVINGS) { Found::Free } else { Found::Silent { from } };
        };
        let begin = (t - half_width).max(from);
        if begin > from && !cubic.excludes_between(from, begin, HALVINGS) {
            return Found::Silent { from };
        }
        let end = leave_band(cubic, t, half_width);
        match side((begin, end)) {
            Side::Inside if crosses((begin, end)) => return Found::Contact((begin, end)),
            Side::Outside => {}
            _ => return Found::Silent { from: begin },
        }
        if end >= 1.0 {
            return Found::Free;
        }
        from = end;
    }
    Found::Silent { from }
}

/// A time after t at which the sign of f is known again, if one is near.
fn leave_band(cubic: &Cubic, t: f64, half_width: f64) -> f64 {
    let mut width = half_width;
    for _ in 0..3 {
        if t + width >= 1.0 || cubic.sign(t + width) != 0 {
            break;
        }
        width *= 4.0;
    }
    (t + width).min(1.0)
}

#[cfg(test)]
mod tests;
