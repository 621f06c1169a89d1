//! Directed advancement: from a time before which all is free, how far on is it free?
//!
//! ```text
//! height along n  \___ first point to reach `need`
//!                     '-.__            n: between closest points at `now`
//!   need ------------------+-----      all heights are linear in time, so nothing happens before the crossing
//!        now             next
//! ```
//! One step settles a translation; under rotation steps shrink as the distance does. For margins, for radii, and where nothing exact is
//! asked for.

use crate::math::Vec3;
use crate::math::rounding::U;
use crate::narrow::features::directions::{between_closest, height, height_needed};
use crate::narrow::features::forms::{Form, Forms};
use crate::narrow::features::{Answer, Kind};

/// What a pair of points must come to, to be called contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// How far points of the true motion may be from those of the forms, both features together.
    pub stray: f64,
    pub margin: f64,
    pub tolerance: f64,
}

/// Advances from `now`, before which the features are proven apart.
///
/// The next time is rounded by u, and no height changes faster than 2 |n|_1 reach: 2 u more, within the room of [`height_needed`]. The
/// quotient has three roundings, covered by the factor.
pub(crate) fn advance(forms: &Forms, goal: &Goal, mut now: f64, max_steps: u32) -> Answer {
    for _ in 0..max_steps {
        let form = forms.at(now);
        let near = distance_at_most(forms, &form) + goal.stray;
        if near <= goal.margin + goal.tolerance {
            return Answer::Contact { time: (now, now), certified: near <= goal.margin };
        }
        let n = between_closest(forms.kind, &form);
        let need = height_needed(forms, n);
        if !(height(forms.kind, &form, n) > need) {
            break;
        }
        let step = first_crossing(forms, &form, n, need);
        if step >= 1.0 {
            return Answer::Free;
        }
        let next = now + (1.0 - now) * step * (1.0 - 16.0 * U);
        if !(next > now) {
            break;
        }
        now = next;
    }
    Answer::Undecided { span: (now, 1.0) }
}

/// The part of the time that is left before the first point's height falls to `need`; at least 1 if none does.
fn first_crossing(forms: &Forms, form: &Form, n: Vec3, need: f64) -> f64 {
    let (now, end) = (heights(forms.kind, form, n), heights(forms.kind, &forms.ends[1], n));
    let mut first = 1.0f64;
    for (a, b) in now.into_iter().zip(end) {
        if !(b > need) {
            first = first.min((a - need) / (a - b)).min(1.0 - U);
        }
    }
    first
}

/// Heights of all differences of corners, of which [`height`] is the least.
fn heights(kind: Kind, form: &Form, n: Vec3) -> [f64; 4] {
    let (h1, h2, hg) = (n.dot(form.e1), n.dot(form.e2), n.dot(form.g));
    match kind {
        Kind::VertexFace => [-hg, h1 - hg, h2 - hg, -hg],
        Kind::EdgeEdge => [-hg, h1 - hg, -hg - h2, h1 - hg - h2],
    }
}

/// At least the distance of two actual points of the features, so at least their distance.
///
/// Coordinates of the difference are off by 4 u of their sizes, its three terms and norm by a few more: 32 u reach has room for all.
fn distance_at_most(forms: &Forms, form: &Form) -> f64 {
    let (alpha, beta) = coordinates(forms.kind, form);
    let d = match forms.kind {
        Kind::VertexFace => form.e1 * alpha + form.e2 * beta - form.g,
        Kind::EdgeEdge => form.e1 * alpha - form.e2 * beta - form.g,
    };
    d.norm() * (1.0 + 8.0 * U) + 32.0 * U * forms.reach()
}

/// Where on the features nearly closest points lie; always on them, to a rounding.
fn coordinates(kind: Kind, form: &Form) -> (f64, f64) {
    // The difference of closest points tells where they are: least squares in the plane of the edges.
    let target = form.g + between_closest(kind, form);
    let sign = if kind == Kind::VertexFace { 1.0 } else { -1.0 };
    let (a, b) = (form.e1, form.e2 * sign);
    let (aa, bb, ab) = (a.norm_squared(), b.norm_squared(), a.dot(b));
    let (ta, tb) = (target.dot(a), target.dot(b));
    let determinant = aa * bb - ab * ab;
    let unit = |x: f64| if x > 0.0 { x.min(1.0) } else { 0.0 };
    let mut alpha = if determinant > 1e-14 * aa * bb { unit((ta * bb - tb * ab) / determinant) } else { unit(ta / (aa + bb)) };
    let mut beta = if bb > 0.0 { unit((tb - alpha * ab) / bb) } else { 0.0 };
    alpha = if aa > 0.0 { unit((ta - beta * ab) / aa) } else { alpha };
    if kind == Kind::VertexFace && alpha + beta > 1.0 {
        // On the far edge: the nearest point there.
        let (d, w) = (b - a, target - a);
        beta = unit(w.dot(d) / d.norm_squared());
        alpha = 1.0 - beta;
    }
    (alpha, beta)
}
