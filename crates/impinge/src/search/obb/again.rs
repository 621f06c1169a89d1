//! A pair of boxes looked at again where its last step took it: how long do their own six axes keep them apart from there?

use crate::bvh::WideBox;
use crate::math::V4;
use crate::math::rounding::{INFLATE, U, f32_above, f32_below};
use crate::math::simd::{LANE_ERROR, LANE_SPEED_ERROR, Lanes, Pair32, stay_apart};
use crate::search::obb::place::{m3, sides, v3};
use crate::search::obb::state::State;

/// For how long, at least, as far as the horizon goes; `extra`: margin and error of what rests.
///
/// The pad is that of [`crate::search::obb::place::Before::probe`].
#[inline(always)]
pub(crate) fn free_for<L: Lanes>(state: &State<'_>, moving: &WideBox, resting: &WideBox, extra: f64, horizon: f64) -> f64 {
    let (y, b) = (V4::from(moving.center), V4::from(resting.center));
    let passing = state.passing(y, moving.radius.into(), horizon);
    let apart = passing.lever.add(state.position).sub(b);
    let sides = sides(moving) + sides(resting);
    let (local, from_origin) = (apart.norm1() + sides, y.norm1());
    let far = from_origin + b.norm1() + state.position.norm1() + local;
    let error = LANE_ERROR * local + state.tube.line_error(from_origin + local) + 64.0 * U * far;
    let rest = passing.bend_rest + LANE_SPEED_ERROR * passing.acceleration.norm1();
    let step = stay_apart::<L>(&Pair32 {
        resting: &resting.along,
        moving: &moving.along,
        rotation: m3(&state.rotation),
        apart: v3(apart),
        velocity: v3(passing.velocity),
        acceleration: v3(passing.acceleration),
        spin: v3(state.spin),
        pad: f32_above((error + extra) * INFLATE),
        slack: f32_above(LANE_SPEED_ERROR * (passing.velocity.norm1() + state.spin_size * sides)),
        bend: f32_above(passing.bend),
        bend_rest: f32_above(rest * INFLATE),
        twice_over_horizon: f32_below(2.0 / horizon).min(1e30),
    });
    step.into()
}
