//! One pair at one instant: until when do two nodes, or two triangles, stay apart?
//!
//! Balls first, then the direction that the parent or the last look left, then GJK's own. Whatever direction is tried, the answer is a
//! proof; a bad one only shows less.

use crate::bvh::HullTree;
use crate::bvh::hulls::{HullNode, farthest};
use crate::math::Vec3;
use crate::math::rounding::{INFLATE, U};
use crate::narrow::gjk::{Enough, length};
use crate::narrow::hull_pair::{self, NodeHull, compare};
use crate::search::hulls::anchor::{Anchor, Around, Clear};

/// What a look at a pair shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Proven farther apart than the margin before this; infinite if up to the end that was asked about.
    pub until: f64,
    /// How much farther, along the direction, at the instant of the look.
    pub gap: f64,
    /// The direction, from B to A.
    pub apart: Vec3,
}

/// GJK ends once a pair is known to be apart by this share of its size: the best direction would hardly show more …
const APART: f64 = 0.05;
/// … or to be within this share of it: such a pair is opened anyway. With a fiftieth, directions near contact are so bad that half as many
/// pairs more are looked at.
const TOUCHING: f64 = 5e-4;

/// Two trees at an instant.
#[derive(Clone, Copy)]
pub(crate) struct Pose<'a> {
    pub a: &'a HullTree,
    pub b: &'a HullTree,
    pub anchor: &'a Anchor,
    /// No later time matters.
    pub end: f64,
}

impl Pose<'_> {
    /// Two nodes; `first` is a direction worth trying.
    #[inline(always)]
    pub fn nodes(&self, (a, b): (u32, u32), first: Vec3) -> Look {
        let (node_a, node_b) = (&self.a.nodes[a as usize], &self.b.nodes[b as usize]);
        let balls = self.balls(node_a, node_b);
        if balls.until >= self.end {
            return balls;
        }
        let known = self.along(node_a, node_b, first);
        if known.until >= self.end {
            return known;
        }
        let (hull_a, hull_b) = (self.a.hull(node_a), self.b.hull(node_b));
        let (size, error) = (node_a.ball + node_b.ball, self.anchor.placed.error);
        let at_least = APART * size + node_a.radius + node_b.radius + error;
        let enough = Enough { at_least, at_most: TOUCHING * size, insist: false };
        let hulls = (&NodeHull(hull_a), &NodeHull(hull_b));
        let found = compare(&self.anchor.placed, hulls, first, None, enough, &mut 0);
        let best = self.along(node_a, node_b, found.apart);
        let until = best.until.max(known.until).max(balls.until);
        Look { until, ..best }
    }

    /// Two nodes along a direction.
    #[inline(always)]
    pub fn along(&self, node_a: &HullNode, node_b: &HullNode, direction: Vec3) -> Look {
        let Some(n) = unit(direction) else { return self.nothing(direction) };
        let hull_a = self.a.hull(node_a);
        let height = n.dot(farthest(self.b.hull(node_b), n).1) + node_b.radius;
        let Clear { until, gap } = self.anchor.clear(hull_a, &Around::node(node_a), n, height, self.end);
        Look { until, gap, apart: n }
    }

    /// Their balls.
    #[inline(always)]
    fn balls(&self, node_a: &HullNode, node_b: &HullNode) -> Look {
        let between = self.anchor.placed.place(node_a.center) - node_b.center;
        let Some(n) = unit(between) else { return self.nothing(between) };
        let height = n.dot(node_b.center) + node_b.ball;
        let Clear { until, gap } = self.anchor.clear(&node_a.center, &Around::ball(node_a), n, height, self.end);
        Look { until, gap, apart: n }
    }

    /// Two triangles, by their places in leaf order.
    #[inline(always)]
    pub fn triangles(&self, (i, k): (u32, u32), first: Vec3) -> Look {
        let (a, b) = (&self.a.triangles[i as usize], &self.b.triangles[k as usize]);
        let around = around_triangle(a);
        let along = |direction: Vec3| {
            let Some(n) = unit(direction) else { return self.nothing(direction) };
            let height = n.dot(b[0]).max(n.dot(b[1])).max(n.dot(b[2]));
            let Clear { until, gap } = self.anchor.clear(a, &around, n, height, self.end);
            Look { until, gap, apart: n }
        };
        let known = along(first);
        if known.until >= self.end {
            return known;
        }
        let placed = [self.anchor.placed.place(a[0]), self.anchor.placed.place(a[1]), self.anchor.placed.place(a[2])];
        let found = hull_pair::triangles(&self.anchor.placed, (&placed, b), first, f64::INFINITY, &mut 0);
        let best = along(found.apart);
        Look { until: best.until.max(known.until), ..best }
    }

    fn nothing(&self, direction: Vec3) -> Look {
        Look { until: self.anchor.time, gap: 0.0, apart: direction }
    }
}

/// What [`Pose::nodes`] is asked.
type Asked<'a> = (&'a Pose<'a>, (u32, u32), Vec3);

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
pub(crate) fn nodes_avx2((pose, pair, first): Asked<'_>) -> Look {
    pose.nodes(pair, first)
}

pub(crate) fn nodes_portable((pose, pair, first): Asked<'_>) -> Look {
    pose.nodes(pair, first)
}

/// A triangle is all there is around its corners.
#[inline(always)]
fn around_triangle(t: &[Vec3; 3]) -> Around {
    let reach = t[0].norm().max(t[1].norm()).max(t[2].norm()) * (1.0 + 8.0 * U);
    let center = (t[0] + t[1] + t[2]) * (1.0 / 3.0);
    let ball = (t[0] - center).norm().max((t[1] - center).norm()).max((t[2] - center).norm());
    // Each difference and its length are off by 5 u of the length, the middle does not matter.
    Around { reach, radius: 0.0, center, ball: ball * INFLATE + f64::MIN_POSITIVE }
}

/// A vector of length one up to 4 u; `None` for what is too short to be a direction.
#[inline(always)]
fn unit(v: Vec3) -> Option<Vec3> {
    length(v).map(|length| v * (1.0 / length))
}
