//! One box of a pair put before the children of the other, in `f32`, with all that is not known of it.
//!
//! The frame is that of the children, relative to their parent's centre, at one instant. Whether they or the single box move decides who
//! has a velocity; the direction of an axis is fixed where things rest, and that instant's coordinates serve for both.

use crate::bvh::WideBox;
use crate::bvh::wide::WidePack;
use crate::math::rounding::{INFLATE, U, f32_above, f32_below};
use crate::math::simd::{LANE_ERROR, LANE_SPEED_ERROR, Lanes, Mover, Probe32, Straight32, Turning32};
use crate::math::{M4, V4};
use crate::search::obb::state::State;

/// A moving box and a resting one; the children of one of them, in `pack`, are to be tested.
pub(crate) struct Before<'a> {
    pub state: &'a State<'a>,
    pub moving: &'a WideBox,
    pub resting: &'a WideBox,
    pub pack: &'a WidePack,
    /// Whether the moving box is the single one, or its children are tested.
    pub mover: Mover,
    /// Margin, and error of what rests.
    pub extra: f64,
}

/// The single box, where it stands before the children.
pub(crate) struct Placed {
    pub probe: Probe32,
    /// The sum of its half sides.
    size: f64,
}

#[inline(always)]
pub(crate) fn v3(v: V4) -> [f32; 3] {
    let [x, y, z, _] = v.f32();
    [x, y, z]
}

#[inline(always)]
pub(crate) fn m3(m: &M4) -> [[f32; 3]; 3] {
    [v3(m.0[0]), v3(m.0[1]), v3(m.0[2])]
}

/// The sum of a box's half sides, up to rounding.
#[inline(always)]
pub(crate) fn sides(b: &WideBox) -> f64 {
    let [x, y, z, _] = b.along.half;
    f64::from(x) + f64::from(y) + f64::from(z)
}

impl Before<'_> {
    /// The single box for the kernels.
    ///
    /// Its pad: the lanes' own errors; the motion's, for points as far from the body's origin as anything here; 64 u of all lengths that
    /// were added and turned on the way, of which there are fewer than ten.
    #[inline(always)]
    pub fn placed<L: Lanes>(&self) -> Placed {
        let (rotation, position) = (&self.state.rotation, self.state.position);
        let (a, b) = (V4::from(self.moving.center), V4::from(self.resting.center));
        let (single, center, axes) = match self.mover {
            Mover::Single => (self.moving, rotation.apply(a).add(position).sub(b), self.moving.along.turned::<L>(&m3(rotation))),
            Mover::Lanes => {
                let center = rotation.transpose_apply(b.sub(position)).sub(a);
                (self.resting, center, self.resting.along.turned_back::<L>(&m3(rotation)))
            }
        };
        let size = sides(single);
        let local = center.norm1() + self.pack.size + size;
        let far = a.norm1() + b.norm1() + position.norm1() + local;
        let error = LANE_ERROR * local + self.state.tube.line_error(a.norm1() + local) + 64.0 * U * far;
        let probe = Probe32 {
            center: v3(center),
            axes,
            half: single.along.half,
            radius: single.radius,
            pad: f32_above((error + self.extra) * INFLATE),
        };
        Placed { probe, size }
    }

    /// How the single box goes as seen from the children, where nothing turns.
    #[inline(always)]
    pub fn straight(&self) -> Straight32 {
        let velocity = match self.mover {
            Mover::Single => self.state.velocity,
            Mover::Lanes => V4::splat(0.0).sub(self.state.tube.velocity_local),
        };
        Straight32 { velocity: v3(velocity), slack: f32_above(LANE_SPEED_ERROR * velocity.norm1()) }
    }

    /// How the moving side moves, and bounds until `horizon` later.
    #[inline(always)]
    pub fn turning(&self, placed: &Placed, horizon: f64) -> Turning32 {
        let state = self.state;
        let (radius, spin) = match self.mover {
            Mover::Single => (f64::from(self.moving.radius), state.spin),
            Mover::Lanes => (self.pack.size, state.spin_local),
        };
        let passing = state.passing(self.moving.center.into(), radius, horizon);
        let (mut velocity, mut acceleration) = (passing.velocity, passing.acceleration);
        if self.mover == Mover::Lanes {
            let zero = V4::splat(0.0);
            velocity = zero.sub(state.rotation.transpose_apply(velocity));
            acceleration = zero.sub(state.rotation.transpose_apply(acceleration));
        }
        // Along an axis the acceleration is rounded like a velocity.
        let rest = passing.bend_rest + LANE_SPEED_ERROR * acceleration.norm1();
        let speeds = velocity.norm1() + state.spin_size * (self.pack.size + placed.size);
        Turning32 {
            velocity: v3(velocity),
            spin: v3(spin),
            spin_size: f32_above(state.spin_size),
            bend: f32_above(passing.bend),
            acceleration: v3(acceleration),
            bend_rest: f32_above(rest * INFLATE),
            slack: f32_above(LANE_SPEED_ERROR * speeds),
            twice_over_horizon: f32_below(2.0 / horizon).min(1e30),
        }
    }
}
