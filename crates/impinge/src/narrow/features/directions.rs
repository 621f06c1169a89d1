//! Directions that separate two features over a whole span: the three axes, and the direction between closest points.
//!
//! A direction is only a candidate. What it proves, it proves by three dot products at each end of the span, because heights of points
//! that move along lines are linear in time.

use crate::math::Vec3;
use crate::math::rounding::U;
use crate::narrow::features::Kind;
use crate::narrow::features::forms::{Form, Forms, TINY};

/// Whether an axis separates the features throughout. Coordinates are compared as they are, so without a radius nothing is rounded.
///
/// With a radius r: a difference of coordinates is rounded by u relatively, so that beyond r (1 + 8 u) it is beyond r.
#[inline(always)]
pub(crate) fn axis_separates(kind: Kind, start: &[Vec3; 4], end: &[Vec3; 4], radius: f64) -> bool {
    let need = radius * (1.0 + 8.0 * U);
    let split = |p: &[Vec3; 4], k: usize| match kind {
        Kind::VertexFace => {
            ((p[0][k], p[0][k]), (least(least(p[1][k], p[2][k]), p[3][k]), most(most(p[1][k], p[2][k]), p[3][k])))
        }
        Kind::EdgeEdge => ((least(p[0][k], p[1][k]), most(p[0][k], p[1][k])), (least(p[2][k], p[3][k]), most(p[2][k], p[3][k]))),
    };
    (0..3).any(|k| {
        let ((a0, a1), (b0, b1)) = split(start, k);
        let ((c0, c1), (d0, d1)) = split(end, k);
        ((b0 - a1 > need) & (d0 - c1 > need)) | ((a0 - b1 > need) & (c0 - d1 > need))
    })
}

#[inline(always)]
fn least(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn most(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// How far apart the features are along n at one time: the least n·(x - y), x on the face (or first edge), y the vertex (or on the second).
#[inline(always)]
pub(crate) fn height(kind: Kind, form: &Form, n: Vec3) -> f64 {
    let (h1, h2, hg) = (n.dot(form.e1), n.dot(form.e2), n.dot(form.g));
    match kind {
        Kind::VertexFace => least(0.0, least(h1, h2)) - hg,
        Kind::EdgeEdge => least(0.0, h1) - hg - most(0.0, h2),
    }
}

/// A height above this, at both ends of a span, excludes the span.
///
/// Each dot product is off by 4 u |n|_1 times its size at the ends, 7 u at a time between (see [`Forms::at`]), sums add 2 u of all: with
/// the rounding of this bound itself below 16 u |n|_1 reach. A radius r moves no point by more than r |n|, rounded by less than 8 u.
#[inline(always)]
pub(crate) fn height_needed(forms: &Forms, n: Vec3) -> f64 {
    let rounding = 16.0 * U * n.norm1() * forms.reach() + TINY;
    if forms.radius > 0.0 { forms.radius * n.norm() * (1.0 + 8.0 * U) + rounding } else { rounding }
}

/// Whether n separates the features over the whole motion.
#[inline(always)]
pub(crate) fn separates(forms: &Forms, n: Vec3) -> bool {
    let need = height_needed(forms, n);
    height(forms.kind, &forms.ends[0], n) > need && height(forms.kind, &forms.ends[1], n) > need
}

/// Whether n separates the features between two times.
pub(crate) fn separates_between(forms: &Forms, n: Vec3, span: (f64, f64)) -> bool {
    let need = height_needed(forms, n);
    [span.0, span.1].iter().all(|&t| height(forms.kind, &forms.at(t), n) > need)
}

/// The difference of nearly closest points of the features, from the vertex (or second edge) to the face (or first): a candidate.
/// Any vector, also zero or NaN, is safe.
#[inline(always)]
pub(crate) fn between_closest(kind: Kind, form: &Form) -> Vec3 {
    match kind {
        Kind::VertexFace => to_triangle(form),
        Kind::EdgeEdge => between_segments(form),
    }
}

fn to_triangle(Form { e1, e2, g }: &Form) -> Vec3 {
    let n = e1.cross(*e2);
    let nn = n.norm_squared();
    if nn > 1e-20 * e1.norm_squared() * e2.norm_squared() {
        let (a, b) = (n.dot(g.cross(*e2)), n.dot(e1.cross(*g)));
        if a >= 0.0 && b >= 0.0 && a + b <= nn {
            // Along the normal, so that the direction is accurate near the plane.
            return n * (-n.dot(*g) / nn);
        }
    }
    let mut best = -*g;
    let mut take = |to: Vec3| {
        if to.norm_squared() < best.norm_squared() {
            best = to;
        }
    };
    take(to_segment(*g, Vec3::ZERO, *e1));
    take(to_segment(*g, Vec3::ZERO, *e2));
    take(to_segment(*g, *e1, *e2 - *e1));
    best
}

/// From p to the nearest point of the segment at `from` along d.
#[inline(always)]
fn to_segment(p: Vec3, from: Vec3, d: Vec3) -> Vec3 {
    let (dd, w) = (d.norm_squared(), from - p);
    if dd > 0.0 { w + d * (-w.dot(d) / dd).clamp(0.0, 1.0) } else { w }
}

fn between_segments(Form { e1, e2, g }: &Form) -> Vec3 {
    let (dd, ee, de) = (e1.norm_squared(), e2.norm_squared(), e1.dot(*e2));
    let determinant = dd * ee - de * de;
    let (dg, eg) = (e1.dot(*g), e2.dot(*g));
    let s = if determinant > 1e-14 * dd * ee { (dg * ee - de * eg) / determinant } else { 0.5 };
    let inner = s > 0.0 && s < 1.0;
    let s = s.clamp(0.0, 1.0);
    // The nearest beta of the second edge for this point of the first, then back.
    let beta = if ee > 0.0 { (s * de - eg) / ee } else { 0.0 };
    if inner && beta > 0.0 && beta < 1.0 && determinant > 1e-14 * dd * ee {
        let n = e1.cross(*e2);
        return n * (-n.dot(*g) / n.norm_squared());
    }
    let q = *g + *e2 * beta.clamp(0.0, 1.0);
    let alpha = if dd > 0.0 { (q.dot(*e1) / dd).clamp(0.0, 1.0) } else { 0.0 };
    let p = *e1 * alpha;
    -to_segment(p, *g, *e2)
}
