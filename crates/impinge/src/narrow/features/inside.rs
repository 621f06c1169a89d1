//! Where the features' planes (or lines) meet between two times: within both features, or beyond one of them?
//!
//! Where f = 0 and N = e1 x e2 is not zero, g = alpha e1 + beta e2 (edges: alpha e1 - beta e2), so alpha N = g x e2 and beta N = e1 x g
//! (edges: g x e1). With any fixed vector m these give *quadratics* m·(g x e2) and so on; where m·N > 0 their signs are those of
//! alpha, beta and 1 - alpha - beta (edges: 1 - alpha, 1 - beta).
//!
//! Error of a coefficient in u |m|_1 L L': e x m from e off by 4 (see [`Forms::at`]) and three roundings: 7 (|m_i| + |m_j|) L in component
//! k; times g off by 4, and three roundings of the sum: (7 + 4 + 3) 2 |m|_1 L L' = 28. Mean of two and sums of quadratics: 32 each.

use crate::math::Vec3;
use crate::math::rounding::U;
use crate::narrow::features::Kind;
use crate::narrow::features::forms::{Forms, TINY};

/// What the quadratics say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Proven: wherever f = 0 between the times, the features touch, and N is not zero.
    Inside,
    /// Proven: nowhere between the times do they touch.
    Outside,
    Unknown,
}

pub(crate) type Quadratic = [f64; 3];

/// Looks between two times. Without a radius only: `forms.radius` is not regarded.
pub(crate) fn side(forms: &Forms, (from, to): (f64, f64)) -> Side {
    let (a, b, mid) = (forms.at(from), forms.at(to), forms.at(0.5 * (from + to)));
    let m = mid.e1.cross(mid.e2);
    let [l1, l2, lg] = forms.size;
    let unit = 32.0 * U * m.norm1();
    // m·(p x q) = p·(q x m), at both ends and mixed.
    let quadratic = |p: [Vec3; 2], q: [Vec3; 2]| -> Quadratic {
        let (q0, q1) = (q[0].cross(m), q[1].cross(m));
        [p[0].dot(q0), 0.5 * (p[0].dot(q1) + p[1].dot(q0)), p[1].dot(q1)]
    };
    let (e1, e2, g) = ([a.e1, b.e1], [a.e2, b.e2], [a.g, b.g]);
    let (normal, normal_slack) = (quadratic(e1, e2), unit * l1 * l2 + TINY);
    if !above(&normal, normal_slack) {
        return Side::Unknown;
    }
    let (alpha, alpha_slack) = (quadratic(g, e2), unit * lg * l2 + TINY);
    match forms.kind {
        Kind::VertexFace => {
            let (beta, beta_slack) = (quadratic(e1, g), unit * l1 * lg + TINY);
            let rest = [0, 1, 2].map(|i| normal[i] - alpha[i] - beta[i]);
            judge(&[(alpha, alpha_slack), (beta, beta_slack), (rest, normal_slack + alpha_slack + beta_slack)])
        }
        Kind::EdgeEdge => {
            let (beta, beta_slack) = (quadratic(g, e1), unit * l1 * lg + TINY);
            let beyond = |q: &Quadratic| [0, 1, 2].map(|i| normal[i] - q[i]);
            judge(&[
                (alpha, alpha_slack),
                (beta, beta_slack),
                (beyond(&alpha), normal_slack + alpha_slack),
                (beyond(&beta), normal_slack + beta_slack),
            ])
        }
    }
}

fn judge(quadratics: &[(Quadratic, f64)]) -> Side {
    if quadratics.iter().any(|(q, slack)| below(q, *slack)) {
        return Side::Outside;
    }
    if quadratics.iter().all(|(q, slack)| above(q, *slack)) { Side::Inside } else { Side::Unknown }
}

pub(crate) fn above(q: &Quadratic, slack: f64) -> bool {
    (q[0] > slack) & (q[1] > slack) & (q[2] > slack)
}

pub(crate) fn below(q: &Quadratic, slack: f64) -> bool {
    (q[0] < -slack) & (q[1] < -slack) & (q[2] < -slack)
}
