//! A body at an instant, and how long it stays away from something along a direction from then on.
//!
//! ```text
//!  height above B along n
//!   |\__                          F(s) = lowest over the hull's points y of  n·(x_y + s x'_y),  less B's height, radii, rounding, q s^2
//!   | | \___                      F is concave: the least of linear functions, less a convex one. So what is positive at 0 and at s
//!   | |     \____                 is positive between, and a chord that ends below zero shows how far it is positive at least.
//!   +-|----------\----- s
//!   0 |  s0       where the lowest point of all alone would arrive: F is looked at there
//! ```
//! Theorem. A point y of the body at time m + s is within e + q s^2 of the line x_y + s x'_y along n, for 0 <= s <= h, with e the line's
//! rounding and q = radius / h^2 of the tube around [m - h, m + h] (see [`crate::motion::tube`]: only times after m are asked about). So
//! F(s) > 0 means: farther apart than the margin at m + s. What is below a node is within its radius of a point of its hull, and stays so
//! however both turn: the radius counts once. QED
//!
//! About one fixed axis u through c + t s, at rate w, two more bounds hold, with r the largest distance of the hull from the axis, which
//! does not change: the speed along n is at most s·n + |w| |n x u| r, for (w u x y)·n = w (n x u)·y and n x u is across the axis; the
//! acceleration at most w^2 |n x u| r. [Zhang 2006, section 4.2, takes the largest |(n x w)·y| at the present pose instead, which is no
//! bound: y turns.]

use crate::bvh::hulls::{Block, HullNode, farthest};
use crate::math::rounding::{INFLATE, U, next_down};
use crate::math::{Pose, V4, Vec3};
use crate::motion::{InBetween, Relative, Span, Tube};
use crate::narrow::placed_hulls::Placed;

/// Anchors are multiples of this and spans around them powers of two: their middles are exact.
const TICKS: f64 = (1u64 << 50) as f64;

/// Points of a body that carry a hull.
pub(crate) trait Points {
    /// The one with the least d·y.
    fn lowest(&self, d: Vec3) -> Vec3;
}

impl Points for [Block] {
    #[inline(always)]
    fn lowest(&self, d: Vec3) -> Vec3 {
        farthest(self, -d).1
    }
}

impl Points for [Vec3; 3] {
    #[inline(always)]
    fn lowest(&self, d: Vec3) -> Vec3 {
        let h = [d.dot(self[0]), d.dot(self[1]), d.dot(self[2])];
        if h[0] <= h[1] && h[0] <= h[2] {
            self[0]
        } else if h[1] <= h[2] {
            self[1]
        } else {
            self[2]
        }
    }
}

impl Points for Vec3 {
    #[inline(always)]
    fn lowest(&self, _: Vec3) -> Vec3 {
        *self
    }
}

/// How far things reach around points of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    /// No point is farther from the body's origin.
    pub reach: f64,
    /// Nothing is farther from the hull of the points.
    pub radius: f64,
    /// A ball around everything.
    pub center: Vec3,
    pub ball: f64,
}

impl Around {
    /// A node of a hull tree.
    #[inline(always)]
    pub fn node(node: &HullNode) -> Self {
        let reach = (node.center.norm() + node.ball) * INFLATE;
        Around { reach, radius: node.radius, center: node.center, ball: node.ball }
    }

    /// The ball of a node, known by its middle.
    #[inline(always)]
    pub fn ball(node: &HullNode) -> Self {
        let reach = node.center.norm() * INFLATE;
        Around { reach, radius: node.ball, center: node.center, ball: node.ball }
    }
}

/// A turn about one fixed axis, seen from the world.
#[derive(Clone, Copy, Debug)]
struct Turning {
    axis: Vec3,
    rate: f64,
    travel: Vec3,
    /// A point of the axis at the anchor's time.
    at: Vec3,
    axis_error: f64,
    offset_error: f64,
}

/// What a direction shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clear {
    /// Farther apart than the margin before this.
    pub until: f64,
    /// So much farther, at the anchor's time.
    pub gap: f64,
}

/// A body at an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor {
    /// The instant, not after the one asked for.
    pub time: f64,
    pub placed: Placed,
    tube: Tube,
    turning: Option<Turning>,
    /// Margin and the error of what rests.
    apart: f64,
    /// Rounding: 64 u of all lengths, at the anchor and for every unit of time.
    rough: (f64, f64),
}

impl Anchor {
    /// At time `t` in [0, 1]. `reaches`: at least the distances of all points of both bodies from their origins; `origin`: that of what
    /// rests; `apart`: margin and the error of what rests.
    #[inline(always)]
    pub fn new(relative: &Relative<'_>, origin: Vec3, t: f64, reaches: (f64, f64), apart: f64) -> Self {
        let time = (t * TICKS).floor() / TICKS;
        let ahead = power_of_two_above(1.0 - time);
        let tube = relative.tube(Span::new(time - ahead, time + ahead));
        let (position, velocity) = (tube.position.vec3(), tube.velocity.vec3());
        let spin = tube.spin_local.norm() * INFLATE;
        let rough =
            (64.0 * U * (reaches.0 + position.norm1() + reaches.1), 64.0 * U * (2.0 * spin * reaches.0 + velocity.norm1()));
        let error = tube.rounding(reaches.0) + apart + rough.0;
        let placed = Placed { rotation: tube.rotation.mat3(), position, error, world_from_b: Pose::IDENTITY };
        Anchor { time, placed, tube, turning: Turning::of(relative, origin, time), apart, rough }
    }

    /// Until when points stay farther than the margin above a height along the unit vector n: infinite if up to `end` and at it, and never
    /// before the anchor's time.
    #[inline(always)]
    pub fn clear(&self, points: &(impl Points + ?Sized), around: &Around, n: Vec3, height: f64, end: f64) -> Clear {
        let form = self.form(points, around, n, height);
        let all = (end - self.time) * (1.0 + 2.0 * U);
        // NaN, where nothing moves and nothing is apart, is no step.
        let step = form.clear_for(all).max(form.start / form.most_speed.max(0.0) * (1.0 - 8.0 * U));
        let until = match step {
            s if s >= all && all > 0.0 => f64::INFINITY,
            s if s > 0.0 => next_down(self.time + s).max(self.time),
            _ => self.time,
        };
        Clear { until, gap: form.start }
    }

    #[inline(always)]
    fn form<'a, P: Points + ?Sized>(&self, points: &'a P, around: &Around, n: Vec3, height: f64) -> Form<'a, P> {
        let (rotation, rate, n4) = (&self.tube.rotation, &self.tube.rotation_rate, V4::from(n));
        let (now, change) = (rotation.transpose_apply(n4).vec3(), rate.transpose_apply(n4).vec3());
        let lost = around.radius + self.apart + self.tube.line_error(around.reach) + self.rough.0;
        let mut form = Form {
            points,
            now,
            change,
            at: n.dot(self.placed.position) - height - lost * INFLATE,
            speed: n.dot(self.tube.velocity.vec3()) - self.rough.1,
            bend: self.tube.radius(around.reach) / (self.tube.half * self.tube.half) * INFLATE,
            start: 0.0,
            most_speed: f64::INFINITY,
        };
        form.start = form.value(0.0).0;
        if let Some(turning) = &self.turning {
            let middle = self.placed.place(around.center);
            let swing = turning.swing(n, middle, around.ball + self.tube.rounding(around.reach));
            form.bend = form.bend.min(0.5 * turning.rate * swing * INFLATE);
            form.most_speed = turning.most_speed(n, swing);
        }
        form
    }
}

impl Turning {
    #[inline(always)]
    fn of(relative: &Relative<'_>, origin: Vec3, time: f64) -> Option<Self> {
        let (frame, world) = relative.frames();
        let chain = relative.chain();
        if world != 0 || frame == 0 || chain.parents[frame] != 0 {
            return None;
        }
        let joint: &InBetween = &chain.joints[frame];
        let at = joint.offset.add(joint.travel.scale(time)).vec3() - origin;
        let (axis, travel) = (joint.axis.vec3(), joint.travel.vec3());
        let axis_error = joint.rotation_error + 32.0 * U;
        let offset_error = joint.offset_error + 16.0 * U * (at.norm1() + origin.norm1() + travel.norm1());
        Some(Turning { axis, rate: (joint.rate.abs() + joint.rate_error) * INFLATE, travel, at, axis_error, offset_error })
    }

    /// At least |w| |n x u| r for everything within `ball` of `middle`. The axis is off by `axis_error`, which r feels by the length of its
    /// arm, and products round by less than the 32 u in it.
    #[inline(always)]
    fn swing(&self, n: Vec3, middle: Vec3, ball: f64) -> f64 {
        let arm = middle - self.at;
        let slack = self.axis_error * (arm.norm1() + ball) + self.offset_error;
        let far = self.axis.cross(arm).norm() + ball + slack;
        self.rate * (n.cross(self.axis).norm() + self.axis_error) * far * INFLATE
    }

    /// At least the speed at which anything with this swing comes lower along n, at any time.
    #[inline(always)]
    fn most_speed(&self, n: Vec3, swing: f64) -> f64 {
        (swing + self.offset_error) * INFLATE - n.dot(self.travel)
    }
}

/// F of the module's comment, a lower bound of it in every evaluation.
struct Form<'a, P: ?Sized> {
    points: &'a P,
    /// n in the body's axes, and its rate of change.
    now: Vec3,
    change: Vec3,
    /// What all points have in common: height at the anchor, and speed.
    at: f64,
    speed: f64,
    /// q.
    bend: f64,
    /// F(0).
    start: f64,
    /// F falls no faster than this, ever.
    most_speed: f64,
}

/// Looks at most: two suffice where one point stays the lowest.
const LOOKS: usize = 4;

impl<P: Points + ?Sized> Form<'_, P> {
    /// F at `s`, and the point that is lowest there.
    #[inline(always)]
    fn value(&self, s: f64) -> (f64, Vec3) {
        let d = self.now + self.change * s;
        let y = self.points.lowest(d);
        (d.dot(y) + self.at + s * self.speed - self.bend * s * s * INFLATE, y)
    }

    /// How long F is positive, at least: all of the time, or an end that a chord shows.
    #[inline(always)]
    fn clear_for(&self, all: f64) -> f64 {
        if !(self.start > 0.0) {
            return 0.0;
        }
        let (mut safe, mut s) = (0.0f64, all);
        for _ in 0..LOOKS {
            let (f, y) = self.value(s);
            if f > 0.0 {
                return s;
            }
            let chord = s * (self.start / (self.start - f)) * (1.0 - 8.0 * U);
            if chord > safe {
                safe = chord;
            }
            let alone = self.arrival(y);
            if !(alone < s && f < -0.02 * self.start) {
                break;
            }
            s = alone;
        }
        safe
    }

    /// When one point would arrive: F is not positive after that, but for rounding.
    #[inline(always)]
    fn arrival(&self, y: Vec3) -> f64 {
        let (height, speed) = (self.now.dot(y) + self.at, self.change.dot(y) + self.speed);
        2.0 * height / ((speed * speed + 4.0 * self.bend * height).sqrt() - speed)
    }
}

/// The least power of two that is not below x, from 2^-50 on.
fn power_of_two_above(x: f64) -> f64 {
    let mut p = 1.0 / TICKS;
    while p < x {
        p *= 2.0;
    }
    p
}
