//! One box of a pair put before the children of the other, in `f32`, with all that is not known of it.
//!
//! The frame is that of the children, relative to their parent's centre, at one instant. Whether they or the single box move decides who
//! has a velocity; the direction of an axis is fixed where things rest, and that instant's coordinates serve for both.

use super::state::State;
use crate::math::rounding::{INFLATE, U, f32_above, f32_below};
use crate::math::simd::{LANE_ERROR, LANE_SPEED_ERROR, Mover, Probe32, Straight32, Turning32};
use crate::math::{M4, V4};
use crate::shape::tree::{WideBox, wide::WidePack};

/// A moving box and a resting one; the children of one of them, in `pack`, are to be tested.
pub(super) struct Before<'a> {
    pub state: &'a State<'a>,
    pub moving: &'a WideBox,
    pub resting: &'a WideBox,
    pub pack: &'a WidePack,
    /// Whether the moving box is the single one, or its children are tested.
    pub mover: Mover,
    /// Margin, and error of what rests.
    pub extra: f64,
}

/// The single box in `f64`.
pub(super) struct Placed {
    center: V4,
    axes: M4,
    half: V4,
    radius: f32,
    /// The sum of its half sides.
    size: f64,
}

#[inline(always)]
fn v3(v: V4) -> [f32; 3] {
    let [x, y, z, _] = v.f32();
    [x, y, z]
}

#[inline(always)]
fn m3(m: &M4) -> [[f32; 3]; 3] {
    [v3(m.0[0]), v3(m.0[1]), v3(m.0[2])]
}

#[inline(always)]
pub(super) fn v4(v: &[f32; 3]) -> V4 {
    V4([v[0].into(), v[1].into(), v[2].into(), 0.0])
}

#[inline(always)]
pub(super) fn m4(m: &[[f32; 3]; 3]) -> M4 {
    M4([v4(&m[0]), v4(&m[1]), v4(&m[2])])
}

#[inline(always)]
pub(super) fn norm1(v: V4) -> f64 {
    v.0[0].abs() + v.0[1].abs() + v.0[2].abs()
}

impl Before<'_> {
    #[inline(always)]
    pub fn placed(&self) -> Placed {
        let (rotation, position) = (&self.state.rotation, self.state.position);
        let (a, b) = (V4::from(self.moving.center), V4::from(self.resting.center));
        let (single, center, axes) = match self.mover {
            Mover::Single => (self.moving, rotation.apply(a).add(position).sub(b), rotation.mul(&m4(&self.moving.axes))),
            Mover::Lanes => {
                let back = rotation.transpose();
                (self.resting, back.apply(b.sub(position)).sub(a), back.mul(&m4(&self.resting.axes)))
            }
        };
        let half = v4(&single.half);
        Placed { center, axes, half, radius: single.radius, size: norm1(half) }
    }

    /// The single box for the kernels.
    ///
    /// Its pad: the lanes' own errors; the motion's, for points as far from the body's origin as anything here; 64 u of all lengths that
    /// were added and turned on the way, of which there are fewer than ten.
    #[inline(always)]
    pub fn probe(&self, p: &Placed) -> Probe32 {
        let local = norm1(p.center) + self.pack.size + p.size;
        let (moving, resting) = (norm1(self.moving.center.into()), norm1(self.resting.center.into()));
        let far = moving + resting + norm1(self.state.position) + local;
        let error = LANE_ERROR * local + self.state.tube.line_error(moving + local) + 64.0 * U * far;
        Probe32 {
            center: v3(p.center),
            axes: m3(&p.axes),
            half: v3(p.half),
            radius: p.radius,
            pad: f32_above((error + self.extra) * INFLATE),
        }
    }

    /// How the single box goes as seen from the children, where nothing turns.
    #[inline(always)]
    pub fn straight(&self) -> Straight32 {
        let velocity = match self.mover {
            Mover::Single => self.state.velocity,
            Mover::Lanes => V4::splat(0.0).sub(self.state.tube.velocity_local),
        };
        Straight32 { velocity: v3(velocity), slack: f32_above(LANE_SPEED_ERROR * norm1(velocity)) }
    }

    /// How the moving side moves, and bounds until `horizon` later.
    #[inline(always)]
    pub fn turning(&self, p: &Placed, horizon: f64) -> Turning32 {
        let state = self.state;
        let center = V4::from(self.moving.center);
        let acceleration = state.acceleration_of(center);
        let (spin, velocity, acceleration, radius) = match self.mover {
            Mover::Single => (state.spin, state.velocity_of(center), acceleration, f64::from(self.moving.radius)),
            Mover::Lanes => {
                let velocity = state.rotation.transpose_apply(state.velocity).add(state.spin_local.cross(center));
                let zero = V4::splat(0.0);
                (state.spin_local, zero.sub(velocity), zero.sub(state.rotation.transpose_apply(acceleration)), self.pack.size)
            }
        };
        let bend = state.acceleration(center, radius);
        // Along an axis the acceleration is rounded like a velocity.
        let rest = state.bend_rest(center, radius, bend, horizon) + LANE_SPEED_ERROR * norm1(acceleration);
        let (h, w) = (p.half.0, p.axes.transpose_apply(spin).abs().0);
        let growth = V4([h[1] * w[2] + h[2] * w[1], h[2] * w[0] + h[0] * w[2], h[0] * w[1] + h[1] * w[0], 0.0]).f32_above();
        let speeds = norm1(velocity) + state.spin_size * (self.pack.size + p.size);
        Turning32 {
            velocity: v3(velocity),
            spin: v3(spin),
            turned: m3(&p.axes.crossed(spin)),
            own_growth: [growth[0], growth[1], growth[2]],
            spin_size: f32_above(state.spin_size),
            bend: f32_above(bend),
            acceleration: v3(acceleration),
            bend_rest: f32_above(rest * INFLATE),
            slack: f32_above(LANE_SPEED_ERROR * speeds),
            twice_over_horizon: f32_below(2.0 / horizon).min(1e30),
        }
    }
}
