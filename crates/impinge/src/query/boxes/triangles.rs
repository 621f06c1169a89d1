//! Two triangles, one moving: how long from now does a direction keep them apart?
//!
//! ```text
//!  n·x |\        corner i is above the resting triangle by g_i, which changes by at least -c_i tau - k tau^2 / 2, k its acceleration:
//!      | \_      apart along n until the first corner is down; the best n counts
//!      |___\___
//! ```
//!
//! Errors, u = 2^-53, m at least every coordinate relative to the first resting corner: differences and dot products 4 u m |n|_1 on either
//! side, so 16 u m |n|_1 as in [`crate::exact::triangles`]; velocities 4 u |v| |n|_1, taken twice; the time itself 8 u of itself.

use super::state::State;
use crate::exact::closest::closest;
use crate::math::rounding::U;
use crate::math::{V4, Vec3};

/// A moving triangle at one instant, seen from the first corner of the resting one.
pub(super) struct Approach {
    corners: [Vec3; 3],
    velocity: [Vec3; 3],
    /// The second and third resting corner.
    rest: [Vec3; 2],
    /// What has to be between them: margin and errors.
    apart: f64,
    /// Of each corner now, at most, and by how much it may fall short of what it is now.
    acceleration: [Vec3; 3],
    bend: f64,
    rest_of_bend: f64,
    rounding: f64,
    speed_rounding: f64,
}

#[inline(always)]
fn largest(v: &[Vec3]) -> f64 {
    let mut most = 0.0f64;
    for x in v {
        most = most.max(x.max_abs());
    }
    most
}

/// What differences and dot products round, per |n|_1.
#[inline(always)]
fn rounding(corners: &[Vec3; 3], rest: &[Vec3; 2]) -> f64 {
    16.0 * U * (largest(corners) + largest(rest))
}

/// Four directions, by coordinate.
type Directions = [V4; 3];

#[inline(always)]
fn by_coordinate(d: [Vec3; 4]) -> Directions {
    [V4([d[0].x, d[1].x, d[2].x, d[3].x]), V4([d[0].y, d[1].y, d[2].y, d[3].y]), V4([d[0].z, d[1].z, d[2].z, d[3].z])]
}

#[inline(always)]
fn dots(n: &Directions, v: Vec3) -> V4 {
    n[0].scale(v.x).add(n[1].scale(v.y)).add(n[2].scale(v.z))
}

#[inline(always)]
fn cross(p: [Vec3; 4], q: [Vec3; 4]) -> Directions {
    let (p, q) = (by_coordinate(p), by_coordinate(q));
    [p[1].mul(q[2]).sub(p[2].mul(q[1])), p[2].mul(q[0]).sub(p[0].mul(q[2])), p[0].mul(q[1]).sub(p[1].mul(q[0]))]
}

impl Approach {
    /// Corners of the moving body, at most `reach` from its origin, and resting ones; `extra` is added to what has to be between them.
    #[inline(always)]
    pub fn new(state: &State<'_>, moving: &[Vec3; 3], reach: f64, rest: &[Vec3; 3], extra: f64, horizon: f64) -> Self {
        let origin = rest[0];
        let (mut corners, mut velocity) = ([Vec3::ZERO; 3], [Vec3::ZERO; 3]);
        let (mut acceleration, mut bend, mut fall_short) = ([Vec3::ZERO; 3], 0.0f64, 0.0f64);
        for i in 0..3 {
            let passing = state.passing(moving[i].into(), 0.0, horizon);
            corners[i] = state.position.add(passing.lever).vec3() - origin;
            velocity[i] = passing.velocity.vec3();
            acceleration[i] = passing.acceleration.vec3();
            bend = bend.max(passing.bend);
            fall_short = fall_short.max(passing.bend_rest);
        }
        let rest = [rest[1] - origin, rest[2] - origin];
        Approach {
            corners,
            velocity,
            rest,
            apart: (state.tube.line_error(reach) + extra) * (1.0 + 8.0 * U),
            acceleration,
            bend,
            rest_of_bend: fall_short,
            rounding: rounding(&corners, &rest),
            speed_rounding: 8.0 * U * largest(&velocity),
        }
    }

    /// For how long from now the triangles are proven apart, as far as the state's bounds hold. `more`: try the direction
    /// between closest points, too, which margins and degenerate triangles need.
    #[inline(always)]
    pub fn free_for(&self, more: bool) -> f64 {
        let [a0, a1, a2] = self.corners;
        let [b1, b2] = self.rest;
        let (a, b) = ([a1 - a0, a2 - a1, a0 - a2], [b1, b2 - b1, -b2]);
        let mut best = 0.0f64;
        self.along(cross([b[0], a[0], a[0], a[0]], [b[1], a[1], b[0], b[1]]), &mut best);
        self.along(cross([a[0], a[1], a[1], a[1]], [b[2], b[0], b[1], b[2]]), &mut best);
        self.along(cross([a[2], a[2], a[2], a[2]], [b[0], b[1], b[2], a[2]]), &mut best);
        if more || best <= 0.0 {
            let c = closest(&self.corners, &[Vec3::ZERO, b1, b2]);
            let (d, n) = (c.on_a - c.on_b, b1.cross(b2));
            self.along(by_coordinate([d, d * n.norm_squared() - n * n.dot(d), Vec3::ZERO, Vec3::ZERO]), &mut best);
        }
        best
    }

    /// Four directions, each turned so that the moving triangle is above; `best` grows where one does better.
    #[inline(always)]
    fn along(&self, n: Directions, best: &mut f64) {
        let at = [dots(&n, self.corners[0]), dots(&n, self.corners[1]), dots(&n, self.corners[2])];
        let (r1, r2, zero) = (dots(&n, self.rest[0]), dots(&n, self.rest[1]), V4::splat(0.0));
        let square = n[0].mul(n[0]).add(n[1].mul(n[1])).add(n[2].mul(n[2]));
        let norm1 = n[0].abs().add(n[1].abs()).add(n[2].abs());
        let length = square.sqrt();
        let need = length.scale(self.apart).add(norm1.scale(self.rounding));
        let (top, bottom) = (zero.max(r1).max(r2).add(need), zero.min(r1).min(r2).sub(need));
        let above = at[0].min(at[1]).min(at[2]).sub(top);
        let below = bottom.sub(at[0].max(at[1]).max(at[2]));
        for d in 0..4 {
            // Written so that NaN, overflow and underflow gain nothing.
            if !(above.0[d] > 0.0 || below.0[d] > 0.0) || !(square.0[d] > 1e-280 && square.0[d] < 1e280) {
                continue;
            }
            let sign = if above.0[d] > 0.0 { 1.0 } else { -1.0 };
            let (length, slack) = (length.0[d] * (1.0 + 8.0 * U), self.speed_rounding * norm1.0[d]);
            let mut first = f64::INFINITY;
            for i in 0..3 {
                let g = if sign > 0.0 { at[i].0[d] - top.0[d] } else { bottom.0[d] - at[i].0[d] };
                let n = Vec3::new(n[0].0[d], n[1].0[d], n[2].0[d]);
                let speed = n.dot(self.velocity[i]);
                let towards = (-sign * n.dot(self.acceleration[i])).max(0.0);
                let k = (towards + self.rest_of_bend * length).min(self.bend * length);
                first = first.min(fall(g, slack - sign * speed, k));
            }
            *best = best.max(first);
        }
    }
}

/// A time before which g - c tau - k tau^2 / 2 is positive, for g > 0 and k >= 0; 0 where numbers fail.
#[inline(always)]
pub(super) fn fall(g: f64, c: f64, k: f64) -> f64 {
    // At least |c|, also where its square underflows.
    let root = (c * c + 2.0 * k * g).sqrt().max(c.abs());
    let time = if c < 0.0 { (root - c) / k } else { 2.0 * g / (root + c) };
    if time > 0.0 { time * (1.0 - 16.0 * U) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Corners that rest, as seen from `origin`, before a triangle there.
    fn still(a: &[Vec3; 3], b: &[Vec3; 3]) -> Approach {
        let (corners, rest) = (a.map(|c| c - b[0]), [b[1] - b[0], b[2] - b[0]]);
        let none = [Vec3::ZERO; 3];
        let rounding = rounding(&corners, &rest);
        let (velocity, acceleration) = (none, none);
        let (apart, bend, rest_of_bend, speed_rounding) = (0.0, 0.0, 0.0, 0.0);
        Approach { corners, velocity, rest, apart, acceleration, bend, rest_of_bend, rounding, speed_rounding }
    }

    /// The middle of two numbers in [1, 2) that are both odd in their last place: it is exact.
    fn odd(v: Vec3) -> Vec3 {
        Vec3::from(v.to_array().map(|x| f64::from_bits(x.to_bits() | 1)))
    }

    /// How often triangles that share a point, exactly, are taken to be apart, with errors counted and without.
    #[test]
    fn only_the_errors_keep_triangles_that_touch_together() {
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            1.0 + (random >> 12) as f64 / (1u64 << 52) as f64
        };
        let mut point = || Vec3::new(next(), next(), next());
        let mut apart = [0, 0];
        for _ in 0..2000 {
            let (p, q) = (odd(point()), odd(point()));
            let b = [point(), p, q];
            let a = [(p + q) * 0.5, point(), point()];
            let counted = still(&a, &b);
            let not_counted = Approach { rounding: 0.0, ..still(&a, &b) };
            apart[0] += usize::from(counted.free_for(false) > 0.0);
            apart[1] += usize::from(not_counted.free_for(false) > 0.0);
        }
        assert!(apart[0] == 0 && apart[1] > 20, "{apart:?}");
    }

    proptest! {
        /// A triangle that falls on another, faster than is said by as much as is allowed for, is not there before the step ends.
        #[test]
        fn a_step_allows_for_the_error_of_speeds(speed in 0.5f64..2.0, height in 0.1f64..3.0, error in 0.01f64..0.4, up in any::<bool>()) {
            let sign = if up { 1.0 } else { -1.0 };
            let wide = [Vec3::new(-9.0, -9.0, 0.0), Vec3::new(9.0, -9.0, 0.0), Vec3::new(0.0, 9.0, 0.0)];
            let a = wide.map(|c| c * 0.1 + Vec3::unit(2) * (sign * height));
            let approach = Approach { velocity: [Vec3::unit(2) * (-sign * speed); 3], speed_rounding: error, ..still(&a, &wide) };
            let (step, there) = (approach.free_for(false), height / (speed + error));
            prop_assert!(step <= there && step > 0.999 * there, "{} {}", step, there);
        }
    }
}
