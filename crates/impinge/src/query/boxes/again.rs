//! A pair of boxes looked at again where its last step took it: how long do their own six axes keep them apart from there?
//!
//! Bounds and errors as in `math/simd/oriented.rs`, of which this is a part in `f64`: axes were rounded to `f32`, so the errors of lanes
//! hold here, too.

use super::place::{m4, norm1, v4};
use super::state::State;
use crate::math::rounding::{INFLATE, U};
use crate::math::simd::{LANE_ERROR, LANE_SPEED_ERROR};
use crate::math::{M4, V4};
use crate::shape::tree::WideBox;

/// For how long, at least, as far as the horizon goes; `extra`: margin and error of what rests.
#[inline(always)]
pub(super) fn free_for(state: &State<'_>, moving: &WideBox, resting: &WideBox, extra: f64, horizon: f64) -> f64 {
    let (y, b) = (V4::from(moving.center), V4::from(resting.center));
    let apart = state.rotation.apply(y).add(state.position).sub(b);
    let velocity = state.velocity_of(y);
    let (axes, others) = (state.rotation.mul(&m4(&moving.axes)), m4(&resting.axes));
    let (half, other_half) = (v4(&moving.half), v4(&resting.half));
    let (to_own, to_other) = (axes.transpose(), others.transpose());
    let local = norm1(apart) + norm1(half) + norm1(other_half);
    let far = norm1(y) + norm1(b) + norm1(state.position) + local;
    let pad = (LANE_ERROR * local + state.tube.line_error(norm1(y) + local) + 64.0 * U * far + extra) * INFLATE;
    let slack = LANE_SPEED_ERROR * (norm1(velocity) + state.spin_size * (norm1(half) + norm1(other_half)));
    let bend = state.acceleration(y, moving.radius.into());
    let acceleration = state.acceleration_of(y);
    let rest = state.bend_rest(y, moving.radius.into(), bend, horizon) + LANE_SPEED_ERROR * norm1(acceleration);
    let by = (pad, slack, bend, rest);

    // Place, velocity and acceleration of one centre as seen from the other.
    let moved = M4([apart, velocity, acceleration]);
    let along = to_other.mul(&axes);
    let turned = to_other.mul(&axes.crossed(state.spin));
    let growth = chords(&along, &turned, half, (2.0 / horizon).min(1e30));
    let width = along.abs().apply(half).add(other_half);
    let best = longest(to_other.mul(&moved), width, growth, by);

    let width = along.transpose().abs().apply(other_half).add(half);
    let (h, w) = (half.0, to_own.apply(state.spin).abs().0);
    let growth = V4([h[1] * w[2] + h[2] * w[1], h[2] * w[0] + h[0] * w[2], h[0] * w[1] + h[1] * w[0], 0.0]);
    best.max(longest(to_own.mul(&moved), width, growth, by))
}

/// What turning adds per time to half widths: slopes of chords, see `math/simd/oriented.rs`.
#[inline(always)]
fn chords(along: &M4, turned: &M4, half: V4, over: f64) -> V4 {
    let mut sum = V4::splat(0.0);
    for k in 0..3 {
        let q = flipped(turned.0[k], along.0[k]);
        // Less the error of an entry, which is below 10 u.
        let least = along.0[k].abs().sub(V4::splat(0.25 * LANE_ERROR)).max(V4::splat(0.0));
        let chord = q.max(V4::splat(0.0).sub(q).sub(least.scale(over)));
        sum = sum.add(chord.scale(half.0[k]));
    }
    sum
}

/// With signs changed where `by` is negative.
#[inline(always)]
fn flipped(v: V4, by: V4) -> V4 {
    let mut r = v;
    for i in 0..4 {
        r.0[i] = f64::from_bits(v.0[i].to_bits() ^ (by.0[i].to_bits() & (1 << 63)));
    }
    r
}

/// The longest time for which one of three axes keeps things apart: [`super::triangles::fall`], for all at once.
#[inline(always)]
fn longest(moved: M4, width: V4, growth: V4, (pad, slack, bend, rest): (f64, f64, f64, f64)) -> f64 {
    let [apart, velocity, acceleration] = moved.0;
    let g = apart.abs().sub(width).sub(V4::splat(pad));
    let c = growth.add(V4::splat(slack)).sub(flipped(velocity, apart));
    let twice = g.add(g);
    let towards = V4::splat(0.0).sub(flipped(acceleration, apart)).max(V4::splat(0.0));
    let bend = towards.add(V4::splat(rest)).min(V4::splat(bend));
    let root = c.mul(c).add(twice.mul(bend)).sqrt().max(c.abs());
    let mut step = g;
    for i in 0..4 {
        let parting = c.0[i] < 0.0;
        let over = if parting { root.0[i] - c.0[i] } else { twice.0[i] };
        let under = if parting { bend.0[i] } else { root.0[i] + c.0[i] };
        step.0[i] = over / under;
    }
    let mut best = 0.0f64;
    for i in 0..3 {
        if g.0[i] > 0.0 && step.0[i] > best {
            best = step.0[i];
        }
    }
    best * (1.0 - 16.0 * U)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Things that come nearer faster than is said, by as much as is allowed for, are not there before the step ends.
    #[test]
    fn a_step_allows_for_the_error_of_speeds() {
        for sign in [1.0, -1.0] {
            let along = V4([sign, 0.0, 0.0, 0.0]);
            let moved = M4([along.scale(3.0), along.scale(-1.0), V4::splat(0.0)]);
            let step = longest(moved, V4::splat(1.0), V4::splat(0.0), (0.5, 0.25, 0.0, 0.0));
            assert!(step <= 1.5 / 1.25 && step > 1.19, "{step}");
        }
    }
}
