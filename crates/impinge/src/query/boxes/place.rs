//! One box of a pair put before the children of the other, in `f32`, with all that is not known of it.
//!
//! The frame is that of the children, relative to their parent's centre, at one instant. Whether they or the single box move decides who
//! has a velocity; the direction of an axis is fixed where things rest, and that instant's coordinates serve for both.

use crate::math::rounding::{INFLATE, U, f32_above, f32_below};
use crate::math::simd::{LANE_ERROR, LANE_SPEED_ERROR, Mover, Probe32, Straight32, Turning32};
use crate::math::{M4, V4};
use crate::motion::Tube;
use crate::shape::tree::{WideBox, wide::WidePack};

/// A moving box and a resting one; the children of one of them, in `pack`, are to be tested.
pub(super) struct Before<'a> {
    pub tube: &'a Tube,
    /// Time since the tube's middle.
    pub since: f64,
    pub moving: &'a WideBox,
    pub resting: &'a WideBox,
    pub pack: &'a WidePack,
    /// Whose children.
    pub mover: Mover,
    /// Margin, and error of what rests.
    pub extra: f64,
}

/// The single box in `f64`, and how large everything is.
pub(super) struct Placed {
    center: V4,
    axes: M4,
    half: V4,
    radius: f32,
    /// At least the sum of its half sides.
    size: f64,
}

#[inline(always)]
fn v4(v: [f32; 3]) -> V4 {
    V4([v[0].into(), v[1].into(), v[2].into(), 0.0])
}

#[inline(always)]
fn v3(v: V4) -> [f32; 3] {
    let [x, y, z, _] = v.f32();
    [x, y, z]
}

#[inline(always)]
fn norm1(v: V4) -> f64 {
    v.0[0].abs() + v.0[1].abs() + v.0[2].abs()
}

impl Before<'_> {
    #[inline(always)]
    pub fn placed(&self) -> Placed {
        let (rotation, position) = (&self.tube.rotation, self.tube.position.add(self.tube.velocity.scale(self.since)));
        let (a, b) = (V4::from(self.moving.center), V4::from(self.resting.center));
        let (single, center, axes) = match self.mover {
            Mover::Single => {
                let axes = self.moving.axes.map(|x| rotation.apply(v4(x)));
                (self.moving, rotation.apply(a).add(position).sub(b), axes)
            }
            Mover::Lanes => {
                let back = rotation.transpose();
                (self.resting, back.apply(b.sub(position)).sub(a), self.resting.axes.map(|x| back.apply(v4(x))))
            }
        };
        let half = v4(single.half);
        Placed { center, axes: M4(axes), half, radius: single.radius, size: norm1(half) }
    }

    /// The single box for the kernels.
    ///
    /// Its pad: the lanes' own errors; the tube's, for points as far from the body's origin as anything here; 64 u of all lengths that were
    /// added and turned on the way, of which there are fewer than ten.
    #[inline(always)]
    pub fn probe(&self, p: &Placed) -> Probe32 {
        let local = norm1(p.center) + self.pack.size + p.size;
        let (moving, resting) = (norm1(self.moving.center.into()), norm1(self.resting.center.into()));
        let far = moving + resting + norm1(self.tube.position) + norm1(self.tube.velocity) * self.since + local;
        let error = LANE_ERROR * local + self.tube.line_error(moving + local) + 64.0 * U * far;
        Probe32 {
            center: v3(p.center),
            axes: p.axes.0.map(v3),
            half: v3(p.half),
            radius: p.radius,
            pad: f32_above((error + self.extra) * INFLATE),
        }
    }

    /// How the single box goes as seen from the children, where nothing turns.
    #[inline(always)]
    pub fn straight(&self) -> Straight32 {
        let velocity = match self.mover {
            Mover::Single => self.tube.velocity,
            Mover::Lanes => V4::splat(0.0).sub(self.tube.velocity_local),
        };
        Straight32 { velocity: v3(velocity), slack: f32_above(LANE_SPEED_ERROR * norm1(velocity)) }
    }

    /// How the moving side moves, at the tube's middle, and bounds until `horizon` later. `one_axis`: it turns about an axis that goes
    /// straight at constant speed, so a point y accelerates by |omega × (omega × y)|.
    #[inline(always)]
    pub fn turning(&self, p: &Placed, horizon: f64, one_axis: bool) -> Turning32 {
        let spin_local = self.tube.spin_local;
        let center = V4::from(self.moving.center);
        let arm = spin_local.cross(center);
        let spin_size = spin_local.norm() * (1.0 + 16.0 * U);
        let (spin, velocity, radius) = match self.mover {
            Mover::Single => {
                let rotation = &self.tube.rotation;
                (rotation.apply(spin_local), self.tube.velocity.add(rotation.apply(arm)), f64::from(self.moving.radius))
            }
            Mover::Lanes => (spin_local, V4::splat(0.0).sub(self.tube.velocity_local.add(arm)), self.pack.size),
        };
        let bend = if one_axis {
            spin_size * ((arm.norm() + spin_size * radius) * INFLATE + 16.0 * U * spin_size * norm1(center))
        } else {
            self.tube.acceleration(norm1(center) + radius)
        };
        let along = p.axes.transpose_apply(spin).abs();
        let growth = |j: usize| {
            let (k, l) = ((j + 1) % 3, (j + 2) % 3);
            f32_above(p.half.0[k] * along.0[l] + p.half.0[l] * along.0[k])
        };
        let speeds = norm1(velocity) + spin_size * (self.pack.size + p.size);
        Turning32 {
            velocity: v3(velocity),
            spin: v3(spin),
            turned: p.axes.crossed(spin).0.map(v3),
            own_growth: [growth(0), growth(1), growth(2)],
            spin_size: f32_above(spin_size),
            bend: f32_above(bend * INFLATE),
            slack: f32_above(LANE_SPEED_ERROR * speeds),
            twice_over_horizon: f32_below(2.0 / horizon).min(1e30),
        }
    }
}
