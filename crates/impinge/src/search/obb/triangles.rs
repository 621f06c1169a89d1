//! Two triangles, one moving: how long from now does a direction keep them apart? And where nothing turns: when do they overlap?
//!
//! ```text
//!  n·x |\        corner i is above the resting triangle by g_i, which changes by at least -c_i tau - k tau^2 / 2, k its acceleration:
//!      | \_      apart along n until the first corner is down; the best n counts
//!      |___\___
//! ```
//!
//! Errors, u = 2^-53, m at least every coordinate relative to the first resting corner: differences and dot products 4 u m |n|_1 on either
//! side, so 16 u m |n|_1 as in [`crate::narrow::triangle_pair`]; velocities 4 u |v| |n|_1, taken twice; the time itself 8 u of itself.

use crate::math::rounding::U;
use crate::math::simd::{Arithmetic, Mask};
use crate::math::{M4, V4, Vec3};
use crate::narrow::closest::closest;
use crate::search::obb::state::{Bends, State};

/// Squared sine of the angle up to which triangles count as parallel.
const PARALLEL: f64 = 1e-8;

/// Four numbers in lanes.
pub(crate) trait Doubles: Arithmetic<Scalar = f64, Array = [f64; 4]> {}
impl<D: Arithmetic<Scalar = f64, Array = [f64; 4]>> Doubles for D {}

/// A vector for each corner, by coordinate; the fourth is that of the first corner again.
type Corners = [[f64; 4]; 3];

/// A moving triangle at one instant, seen from the first corner of the resting one.
pub(crate) struct Approach {
    corners: Corners,
    velocity: Corners,
    /// The second and third resting corner.
    rest: [Vec3; 2],
    /// What has to be between them: margin and errors.
    apart: f64,
    /// Of each corner now, at most, and by how much it may fall short of what it is now.
    acceleration: Corners,
    bend: f64,
    rest_of_bend: f64,
    rounding: f64,
    speed_rounding: f64,
}

/// At least the distance of any corner from the origin.
#[inline(always)]
pub(crate) fn reach_of(corners: &[Vec3; 3]) -> f64 {
    corners[0].norm().max(corners[1].norm()).max(corners[2].norm()) * (1.0 + 8.0 * U)
}

#[inline(always)]
fn by_coordinate(v: &[Vec3; 3]) -> Corners {
    let [a, b, c] = v;
    [[a.x, b.x, c.x, a.x], [a.y, b.y, c.y, a.y], [a.z, b.z, c.z, a.z]]
}

#[inline(always)]
fn corner(v: &Corners, i: usize) -> Vec3 {
    Vec3::new(v[0][i], v[1][i], v[2][i])
}

#[inline(always)]
fn largest<D: Doubles>(v: &[D; 3]) -> f64 {
    most(v[0].abs().max(v[1].abs()).max(v[2].abs()))
}

/// The largest lane.
#[inline(always)]
fn most<D: Doubles>(v: D) -> f64 {
    let [a, b, c, d] = v.store();
    a.max(b).max(c.max(d))
}

/// The smallest lane.
#[inline(always)]
fn least<D: Doubles>(v: D) -> f64 {
    let [a, b, c, d] = v.store();
    a.min(b).min(c.min(d))
}

/// What differences and dot products round, per |n|_1, for coordinates of at most so much.
#[inline(always)]
fn rounding(corners: f64, rest: &[Vec3; 2]) -> f64 {
    16.0 * U * (corners + rest[0].max_abs().max(rest[1].max_abs()))
}

#[inline(always)]
fn load<D: Doubles>(v: &Corners) -> [D; 3] {
    [D::load(&v[0]), D::load(&v[1]), D::load(&v[2])]
}

#[inline(always)]
fn store<D: Doubles>(v: &[D; 3]) -> Corners {
    [v[0].store(), v[1].store(), v[2].store()]
}

#[inline(always)]
fn splat<D: Doubles>(v: Vec3) -> [D; 3] {
    [D::splat(v.x), D::splat(v.y), D::splat(v.z)]
}

#[inline(always)]
fn dot<D: Doubles>(a: &[D; 3], b: &[D; 3]) -> D {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

#[inline(always)]
fn cross<D: Doubles>(a: &[D; 3], b: &[D; 3]) -> [D; 3] {
    [a[1].mul(b[2]).sub(a[2].mul(b[1])), a[2].mul(b[0]).sub(a[0].mul(b[2])), a[0].mul(b[1]).sub(a[1].mul(b[0]))]
}

#[inline(always)]
fn add<D: Doubles>(a: &[D; 3], b: V4) -> [D; 3] {
    [a[0].add(D::splat(b.0[0])), a[1].add(D::splat(b.0[1])), a[2].add(D::splat(b.0[2]))]
}

#[inline(always)]
fn turned<D: Doubles>(m: &M4, v: &[D; 3]) -> [D; 3] {
    let [V4(x), V4(y), V4(z)] = m.0;
    let mut r = *v;
    for i in 0..3 {
        r[i] = dot(&splat(Vec3::new(x[i], y[i], z[i])), v);
    }
    r
}

/// Two triangles along directions.
struct Along<D> {
    /// The moving corners.
    at: [D; 3],
    /// Where the resting triangle ends, with what has to be between them.
    top: D,
    bottom: D,
    /// Of the directions: square of the length, sum of coordinates, at least the length.
    square: D,
    norm1: D,
    length: D,
}

impl Approach {
    /// Corners of the moving body, at most `reach` from its origin, and resting ones; `extra` is added to what has to be between them.
    #[inline(always)]
    pub fn new<D: Doubles>(
        state: &State<'_>,
        moving: &[Vec3; 3],
        reach: f64,
        rest: &[Vec3; 3],
        extra: f64,
        horizon: f64,
    ) -> Self {
        let origin = rest[0];
        let spin = splat(state.spin.vec3());
        let lever = turned::<D>(&state.rotation, &load(&by_coordinate(moving)));
        let around = cross(&spin, &lever);
        let corners = add(&add(&lever, state.position), V4::from(-origin));
        let velocity = add(&around, state.velocity);
        let zero = D::splat(0.0);
        let acceleration = if state.one_axis { cross(&spin, &around) } else { [zero; 3] };
        let Bends { most: bend, rest: rest_of_bend } =
            state.bends(most(dot(&acceleration, &acceleration).sqrt()), reach, 0.0, horizon);
        let rest = [rest[1] - origin, rest[2] - origin];
        Approach {
            rest,
            apart: (state.tube.line_error(reach) + extra) * (1.0 + 8.0 * U),
            bend,
            rest_of_bend,
            rounding: rounding(largest(&corners), &rest),
            speed_rounding: 8.0 * U * largest(&velocity),
            corners: store(&corners),
            velocity: store(&velocity),
            acceleration: store(&acceleration),
        }
    }

    /// For how long from now the triangles are proven apart, as far as the state's bounds hold. `more`: try the direction
    /// between closest points, too, which margins and degenerate triangles need.
    #[inline(always)]
    pub fn free_for<D: Doubles>(&self, more: bool) -> f64 {
        let mut best = D::splat(0.0);
        for n in self.axes() {
            best = self.along(&n, best);
        }
        if more || !(most(best) > 0.0) {
            let ([b1, b2], c) = (self.rest, &self.corners);
            let closest = closest(&[corner(c, 0), corner(c, 1), corner(c, 2)], &[Vec3::ZERO, b1, b2]);
            let (d, n) = (closest.apart, b1.cross(b2));
            best = self.along(&load(&by_coordinate(&[d, d * n.norm_squared() - n * n.dot(d), Vec3::ZERO])), best);
        }
        most(best)
    }

    /// The eleven axes of two triangles, four at a time, the last of them twice.
    #[inline(always)]
    fn axes<D: Doubles>(&self) -> [[D; 3]; 3] {
        let [b1, b2] = self.rest;
        let c = &self.corners;
        let b = [b1, b2 - b1, -b2];
        // Edges of the moving triangle, and those of the resting one with a fourth vector: products of all, and both normals.
        let (mut a, mut with_b, mut with_a) = ([[0.0; 4]; 3], by_coordinate(&b), by_coordinate(&b));
        for i in 0..3 {
            a[i] = [c[i][1] - c[i][0], c[i][2] - c[i][1], c[i][0] - c[i][2], 0.0];
            (with_a[i][3], with_b[i][3]) = (a[i][1], b[1][i]);
        }
        let (with_a, with_b) = (load::<D>(&with_a), load::<D>(&with_b));
        let mut second = [[0.0; 4]; 3];
        for i in 0..3 {
            second[i] = [a[i][1], a[i][1], a[i][1], b[0][i]];
        }
        [cross(&splat(corner(&a, 0)), &with_a), cross(&load(&second), &with_b), cross(&splat(corner(&a, 2)), &with_b)]
    }

    /// For a triangle that does not turn: the part of [0, 1] in which all axes overlap; `None` if they are proven apart throughout.
    #[inline(always)]
    pub fn overlap<D: Doubles>(&self) -> Option<(f64, f64)> {
        let mut span = (D::splat(0.0), D::splat(1.0));
        for n in self.axes::<D>() {
            span = self.narrow(&n, span);
        }
        let (from, to) = (most(span.0), least(span.1));
        if !(from <= to) {
            return None;
        }
        let Some(in_plane) = self.axes_in_plane::<D>() else { return Some((from, to)) };
        for n in in_plane {
            span = self.narrow(&n, span);
        }
        let (from, to) = (most(span.0), least(span.1));
        (from <= to).then_some((from, to))
    }

    /// Across the edges of both triangles in the plane of the resting one, where that is nearly the plane of both.
    #[inline(always)]
    fn axes_in_plane<D: Doubles>(&self) -> Option<[[D; 3]; 2]> {
        let ([b1, b2], c) = (self.rest, &self.corners);
        let a = [corner(c, 1) - corner(c, 0), corner(c, 2) - corner(c, 1), corner(c, 0) - corner(c, 2)];
        let (own, normal) = (a[0].cross(a[1]), b1.cross(b2));
        if own.cross(normal).norm_squared() > PARALLEL * own.norm_squared() * normal.norm_squared() {
            return None;
        }
        let (mut first, mut second) = (by_coordinate(&a), by_coordinate(&[b1, b2 - b1, b2]));
        for i in 0..3 {
            (first[i][3], second[i][3]) = (b1[i], b2[i]);
        }
        let normal = splat(normal);
        Some([cross(&load(&first), &normal), cross(&load(&second), &normal)])
    }

    /// What of a span four directions leave, in each lane.
    ///
    /// Along n all corners go at one speed s, so the triangles overlap between two times. They are where a distance that includes all errors,
    /// that of the speed over the whole time too, is zero; dividing rounds them by 2 u of themselves, and 8 u are taken off.
    #[inline(always)]
    fn narrow<D: Doubles>(&self, n: &[D; 3], (from, to): (D, D)) -> (D, D) {
        let (zero, never) = (D::splat(0.0), D::splat(f64::INFINITY));
        let Along { at, top, bottom, square, .. } = self.project(n, self.rounding + self.speed_rounding);
        let (before, behind) = (bottom.sub(at[0].max(at[1]).max(at[2])), top.sub(at[0].min(at[1]).min(at[2])));
        let speed = dot(n, &splat(corner(&self.velocity, 0)));
        let (a, b) = (before.div(speed), behind.div(speed));
        let (begin, end) = (a.min(b), a.max(b));
        let (begin, end) = (begin.sub(begin.abs().mul(D::splat(8.0 * U))), end.add(end.abs().mul(D::splat(8.0 * U))));
        // What hardly moves along n is apart now or says nothing. NaN, overflow and underflow say nothing.
        let moves = speed.abs().gt(D::splat(1e-290));
        let apart = before.gt(zero).or(zero.gt(behind));
        let begin = D::select(moves, begin, D::select(apart, never, zero));
        let sound = square.gt(D::splat(1e-280)).and(D::splat(1e280).gt(square));
        (D::select(sound, begin, zero).max(from), D::select(sound.and(moves), end, never).min(to))
    }

    /// Both triangles along four directions.
    #[inline(always)]
    fn project<D: Doubles>(&self, n: &[D; 3], rounding: f64) -> Along<D> {
        let zero = D::splat(0.0);
        let (c0, c1, c2) = (splat(corner(&self.corners, 0)), splat(corner(&self.corners, 1)), splat(corner(&self.corners, 2)));
        let (r1, r2) = (dot(n, &splat(self.rest[0])), dot(n, &splat(self.rest[1])));
        let square = dot(n, n);
        let norm1 = n[0].abs().add(n[1].abs()).add(n[2].abs());
        let length = square.sqrt().mul(D::splat(1.0 + 8.0 * U));
        let need = length.mul(D::splat(self.apart)).add(norm1.mul(D::splat(rounding)));
        Along {
            at: [dot(n, &c0), dot(n, &c1), dot(n, &c2)],
            top: zero.max(r1).max(r2).add(need),
            bottom: zero.min(r1).min(r2).sub(need),
            square,
            norm1,
            length,
        }
    }

    /// Four directions, each turned so that the moving triangle is above; the best time so far, or that of one that does better.
    #[inline(always)]
    fn along<D: Doubles>(&self, n: &[D; 3], best: D) -> D {
        let zero = D::splat(0.0);
        let Along { at, top, bottom, square, norm1, length } = self.project(n, self.rounding);
        let above = at[0].min(at[1]).min(at[2]).sub(top);
        let below = bottom.sub(at[0].max(at[1]).max(at[2]));
        let up = above.gt(zero);
        let sign = D::select(up, zero, D::splat(-0.0));
        let base = D::select(up, top, bottom);
        let mut first = D::splat(f64::INFINITY);
        let slack = norm1.mul(D::splat(self.speed_rounding));
        let (bend, rest) = (length.mul(D::splat(self.bend)), length.mul(D::splat(self.rest_of_bend)));
        for i in 0..3 {
            let g = at[i].sub(base).flip(sign);
            let speed = dot(n, &splat(corner(&self.velocity, i))).flip(sign);
            let towards = zero.sub(dot(n, &splat(corner(&self.acceleration, i))).flip(sign)).max(zero);
            first = fall(g, slack.sub(speed), towards.add(rest).min(bend)).min(first);
        }
        // Written so that NaN, overflow and underflow gain nothing.
        let apart = D::select(up, above, below).gt(zero);
        let sound = square.gt(D::splat(1e-280)).and(D::splat(1e280).gt(square));
        D::select(apart.and(sound), first, zero).max(best)
    }
}

/// A time before which g - c tau - k tau^2 / 2 is positive, for g > 0 and k >= 0; 0 where numbers fail.
#[inline(always)]
fn fall<D: Doubles>(g: D, c: D, k: D) -> D {
    let (zero, twice) = (D::splat(0.0), g.add(g));
    // At least |c|, also where its square underflows.
    let root = c.mul(c).add(k.mul(twice)).sqrt().max(c.abs());
    let parting = zero.gt(c);
    let time = D::select(parting, root.sub(c), twice).div(D::select(parting, k, root.add(c)));
    D::select(time.gt(zero), time.mul(D::splat(1.0 - 16.0 * U)), zero)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::simd::{Lanes, Portable};
    use proptest::prelude::*;

    type Four = <Portable as Lanes>::Doubles;

    /// Corners that rest, as seen from `origin`, before a triangle there.
    fn still(a: &[Vec3; 3], b: &[Vec3; 3]) -> Approach {
        let (corners, rest) = (by_coordinate(&a.map(|c| c - b[0])), [b[1] - b[0], b[2] - b[0]]);
        let none = [[0.0; 4]; 3];
        let rounding = rounding(largest(&load::<Four>(&corners)), &rest);
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
        let (mut apart, mut never_overlap) = ([0, 0], [0, 0]);
        for _ in 0..2000 {
            let (p, q) = (odd(point()), odd(point()));
            let b = [point(), p, q];
            let a = [(p + q) * 0.5, point(), point()];
            let counted = still(&a, &b);
            let not_counted = Approach { rounding: 0.0, ..still(&a, &b) };
            apart[0] += usize::from(counted.free_for::<Four>(false) > 0.0);
            apart[1] += usize::from(not_counted.free_for::<Four>(false) > 0.0);
            never_overlap[0] += usize::from(counted.overlap::<Four>().is_none());
            never_overlap[1] += usize::from(not_counted.overlap::<Four>().is_none());
        }
        assert!(apart[0] == 0 && apart[1] > 20, "{apart:?}");
        assert!(never_overlap[0] == 0 && never_overlap[1] > 20, "{never_overlap:?}");
    }

    proptest! {
        /// A triangle that falls on another, faster than is said by as much as is allowed for, is not there before the step ends.
        #[test]
        fn a_step_allows_for_the_error_of_speeds(speed in 0.5f64..2.0, height in 0.1f64..3.0, error in 0.01f64..0.4, up in any::<bool>()) {
            let sign = if up { 1.0 } else { -1.0 };
            let wide = [Vec3::new(-9.0, -9.0, 0.0), Vec3::new(9.0, -9.0, 0.0), Vec3::new(0.0, 9.0, 0.0)];
            let a = wide.map(|c| c * 0.1 + Vec3::unit(2) * (sign * height));
            let approach = Approach { velocity: by_coordinate(&[Vec3::unit(2) * (-sign * speed); 3]), speed_rounding: error, ..still(&a, &wide) };
            let (step, there) = (approach.free_for::<Four>(false), height / (speed + error));
            prop_assert!(step <= there && step > 0.999 * there, "{} {}", step, there);
        }
    }
}
