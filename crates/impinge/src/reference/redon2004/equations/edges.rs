//! Two edges, one moving, one at rest.
//!
//! At a contact a + s ab = c + t cd, so ac = s ab - t cd: its determinant with ab and cd is zero (equation 13), and with w = ab ^ cd
//! (ac ^ cd) · w = s |w|^2 and (ac ^ ab) · w = t |w|^2, both between 0 and |w|^2. Where the edges are parallel all of this is zero and
//! nothing is excluded.

use crate::math::Vec3;
use crate::math::interval::{Varying, VaryingVec3};
use crate::reference::redon2004::equations::{Times, stay_beside};

/// When a moving edge (its ends, and its direction) can meet a resting one; `both` are the times that are not excluded yet.
#[inline(always)]
pub(crate) fn edges_meet(ends: &[VaryingVec3; 2], ab: &VaryingVec3, rest: [Vec3; 2], both: Times) -> Times {
    if (0..3).any(|i| stay_beside(ends, i, rest[0][i].min(rest[1][i]), rest[0][i].max(rest[1][i]))) {
        return Times::NONE;
    }
    let cd = rest[1] - rest[0];
    let ac = VaryingVec3::constant(rest[0], 0.0) - ends[0];
    let w = ab.cross_constant(cd);
    let volume = ac.dot(w);
    let mut times = both.and(Times::not_negative(volume)).and(Times::not_negative(-volume));
    if times.is_empty() {
        return times;
    }
    let square = w.dot(w);
    times = times.and(between(ac.cross_constant(cd).dot(w), square));
    if times.is_empty() { times } else { times.and(between(ac.cross(*ab).dot(w), square)) }
}

/// When `x` can be between 0 and `most`.
#[inline(always)]
fn between(x: Varying, most: Varying) -> Times {
    Times::not_negative(x).and(Times::not_negative(most - x))
}
