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
//! decide       integers (integer), polynomials, exact instants: what nothing above settles
//! ```
//! Every stage but the last works in `f64` and says only what its error bound proves. The order is the algorithm: see `first_contact`.

mod advance;
mod cubic;
mod decide;
mod directions;
mod forms;
mod inside;
mod instant;
mod integer;
pub(crate) mod path;
mod polynomial;

use advance::{Goal, advance};
use cubic::Cubic;
use directions::{axis_separates, between_closest, separates, separates_between};
use forms::Forms;
use inside::{Side, side};
pub use path::{LinearPiece, RigidPaths, VertexPaths, first_contact_on};

use crate::math::Vec3;
use crate::math::rounding::U;

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
    match first_crossing(forms, &cubic) {
        Found::Free => Answer::Free,
        Found::Contact(time) if settings.exact && time.1 - time.0 > settings.time_tolerance => decided(pair),
        Found::Contact(time) => Answer::Contact { time, certified: true },
        Found::Silent { from } if separates_between(forms, between_closest(forms.kind, &forms.at(from)), (from, 1.0)) => {
            Answer::Free
        }
        Found::Silent { .. } if settings.exact => decided(pair),
        Found::Silent { from } => advance_from(forms, stray, settings, from),
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
fn first_crossing(forms: &Forms, cubic: &Cubic) -> Found {
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
        let crosses = cubic.sign(begin) * cubic.sign(end) < 0;
        match side(forms, (begin, end)) {
            Side::Inside if crosses => return Found::Contact((begin, end)),
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KINDS: [Kind; 2] = [Kind::VertexFace, Kind::EdgeEdge];

    /// Coordinates on a coarse grid, with noise of some size or none: coincidences, and what is nearly one.
    fn corners() -> impl Strategy<Value = ([Vec3; 4], [Vec3; 4])> {
        let noise = prop_oneof![Just(0.0), (-17i32..0).prop_map(|e| 10f64.powi(e))];
        let grid = prop::array::uniform32(-3i8..=3);
        let off = prop::array::uniform32(-1.0f64..1.0);
        (noise, grid, off, any::<bool>(), any::<bool>(), 0usize..3).prop_map(|(noise, grid, off, flat, shared, rigid)| {
            let point = |i: usize| {
                let p = Vec3::from([0, 1, 2].map(|k| f64::from(grid[3 * i + k]) + noise * off[3 * i + k]));
                if flat { Vec3::new(p.x, p.y, noise * off[3 * i] * 0.1) } else { p }
            };
            let start: [Vec3; 4] = std::array::from_fn(point);
            let mut end: [Vec3; 4] = std::array::from_fn(|i| point(i + 4));
            if rigid > 0 {
                // Pure translation of the first corner, or of the first two.
                let travel = end[0] - start[0];
                end = std::array::from_fn(|i| if i < rigid { start[i] + travel } else { start[i] });
            }
            if shared {
                end[3] = start[3];
            }
            (start, end)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn floating_point_agrees_with_integers((start, end) in corners(), far in prop_oneof![Just(0.0), -1e6f64..1e6], scale in -60i32..60) {
            let scale = 2f64.powi(if far == 0.0 { scale } else { 0 });
            let place = |p: [Vec3; 4]| p.map(|v| (v + Vec3::splat(far)) * scale);
            for kind in KINDS {
                let pair = FeaturePair { kind, start: place(start), end: place(end) };
                let truth = decide::first_contact(&pair);
                match (first_contact(&pair, &Settings::default()), truth) {
                    (Answer::Free, None) => {}
                    (Answer::Contact { time, certified: true }, Some(t)) => {
                        prop_assert!(time.0 <= t.1 && t.0 <= time.1, "{:?} {:?} {:?}", time, t, pair);
                    }
                    (answer, truth) => prop_assert!(false, "{answer:?}, exactly {truth:?}: {pair:?}"),
                }
                match (first_contact(&pair, &Settings { exact: false, ..Settings::default() }), truth) {
                    (Answer::Free, Some(_)) => prop_assert!(false, "not free: {truth:?} {pair:?}"),
                    (Answer::Contact { certified: true, .. }, None) => prop_assert!(false, "free: {pair:?}"),
                    (Answer::Contact { time, .. }, Some(t)) => prop_assert!(time.0 <= t.1, "late: {time:?} {truth:?} {pair:?}"),
                    (Answer::Undecided { span }, Some(t)) => prop_assert!(span.0 <= t.1, "late: {span:?} {truth:?} {pair:?}"),
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn numbers_of_any_size_are_decided() {
        let tall = |x: f64, y: f64, z: f64, s: f64| Vec3::new(x, y, z) * s;
        for s in [f64::MAX / 4.0, 1e300, 1e9, 1e-12, 1e-300, f64::MIN_POSITIVE / 1024.0] {
            let face = [tall(-1.0, -1.0, 0.0, s), tall(1.0, -1.0, 0.0, s), tall(0.0, 1.0, 0.0, s)];
            let moved = |to: f64| FeaturePair {
                kind: Kind::VertexFace,
                start: [tall(0.0, 0.0, 1.0, s), face[0], face[1], face[2]],
                end: [tall(0.0, 0.0, to, s), face[0], face[1], face[2]],
            };
            assert_eq!(first_contact(&moved(0.5), &Settings::default()), Answer::Free, "{s:e}");
            for to in [0.0, -1.0] {
                let answer = first_contact(&moved(to), &Settings::default());
                let Answer::Contact { time, certified: true } = answer else { panic!("{s:e}: {answer:?}") };
                let t = 1.0 / (1.0 - to);
                assert!(time.0 <= t && time.1 >= t && time.1 - time.0 < 1e-9, "{s:e}: {time:?}");
            }
        }
        // Everything from tiny to huge in one query.
        let face = [tall(-1.0, -1.0, 0.0, 1e300), tall(1.0, -1.0, 0.0, 1e300), tall(0.0, 1.0, 0.0, 1e300)];
        let at = |z: f64| [Vec3::new(0.0, 0.0, z), face[0], face[1], face[2]];
        let pair = |from: f64, to: f64| FeaturePair { kind: Kind::VertexFace, start: at(from), end: at(to) };
        assert_eq!(first_contact(&pair(1e-300, 1e-301), &Settings::default()), Answer::Free);
        assert!(matches!(first_contact(&pair(1e-300, -1e-301), &Settings::default()), Answer::Contact { certified: true, .. }));
    }

    #[test]
    fn what_is_not_finite_is_undecided() {
        let p = [Vec3::ZERO, Vec3::unit(0), Vec3::unit(1), Vec3::unit(2)];
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for (i, k) in (0..4).flat_map(|i| (0..3).map(move |k| (i, k))) {
                for kind in KINDS {
                    let mut pair = FeaturePair { kind, start: p, end: p };
                    pair.end[i][k] = bad;
                    assert_eq!(first_contact(&pair, &Settings::default()), Answer::Undecided { span: (0.0, 1.0) });
                }
            }
            let pair = FeaturePair { kind: Kind::VertexFace, start: p, end: p };
            for settings in [Settings { margin: bad, ..Settings::default() }, Settings { tolerance: bad, ..Settings::default() }]
            {
                assert_eq!(first_contact(&pair, &settings), Answer::Undecided { span: (0.0, 1.0) });
            }
        }
    }

    /// A vertex that comes down to a height above a face and stays within the margin, or just does not.
    #[test]
    fn a_margin_is_kept() {
        let face = [Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, -1.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
        let at = |z: f64| [Vec3::new(0.0, 0.0, z), face[0], face[1], face[2]];
        let pair = FeaturePair { kind: Kind::VertexFace, start: at(1.0), end: at(0.25) };
        let with = |margin: f64| first_contact(&pair, &Settings { margin, ..Settings::default() });
        assert_eq!(with(0.2499), Answer::Free);
        let Answer::Contact { time, .. } = with(0.5) else { panic!("{:?}", with(0.5)) };
        assert!((time.0 - 2.0 / 3.0).abs() < 1e-7 && time.0 <= 2.0 / 3.0, "{time:?}");
        assert_eq!(with(1.5), Answer::Contact { time: (0.0, 0.0), certified: true });
    }
}
