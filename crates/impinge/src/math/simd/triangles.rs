//! One linearly swept triangle against eight resting triangles, on the eleven axes of two triangles.

use super::lanes::{Lanes, Mask};

/// Eight triangles: `corners[k][i][lane]` is coordinate i of corner k.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
pub(crate) struct Triangles8 {
    pub corners: [[[f32; 8]; 3]; 3],
}

impl Triangles8 {
    pub const EMPTY: Triangles8 = Triangles8 { corners: [[[f32::NAN; 8]; 3]; 3] };
}

/// A triangle whose corner k moves within `corners[k] ± travel[k]` (a segment) plus a ball of `radius`.
///
/// `slack` is the rounding allowance per unit of |axis|_1; see [`SLACK_PER_COORDINATE`].
#[derive(Clone, Debug)]
pub(crate) struct SweptTriangle32 {
    pub corners: [[f32; 3]; 3],
    pub travel: [[f32; 3]; 3],
    pub radius: f32,
    pub slack: f32,
}

/// `slack = SLACK_PER_COORDINATE * M` with M at least every |coordinate| of both triangles plus |travel| makes [`triangles_near`] conservative.
///
/// Per unit of M |n|_1 and in units of 2^-24: conversion to f32 of corner, travel and resting corner 3; the three dot products 3 each, 9;
/// corner ± travel 2; the difference of extremes 3: together 17, taken as 24. The radius term is inflated by 2^-20 below.
/// Axes shorter than 1e-15 prove nothing, so underflow (at most 2^-147 in a dot product) is far below `slack |n|_1` for M near 1.
pub(crate) const SLACK_PER_COORDINATE: f64 = 24.0 / (1 << 24) as f64;

// No closures and no `map` below: they would not be compiled for the vector instructions of the caller.
/// The lanes, of those in `lanes`, whose triangles are not proven apart from the swept triangle.
#[inline(always)]
pub(crate) fn triangles_near<L: Lanes>(block: &Triangles8, moving: &SweptTriangle32, lanes: u32) -> u32 {
    let swept = Swept {
        corners: [V3::splat(moving.corners[0]), V3::splat(moving.corners[1]), V3::splat(moving.corners[2])],
        travel: [V3::splat(moving.travel[0]), V3::splat(moving.travel[1]), V3::splat(moving.travel[2])],
        radius: L::splat(moving.radius * (1.0 + 1.0 / (1 << 20) as f32)),
        slack: L::splat(moving.slack),
    };
    let rest: [V3<L>; 3] = [V3::load(&block.corners[0]), V3::load(&block.corners[1]), V3::load(&block.corners[2])];
    let edges_b = [rest[1].sub(rest[0]), rest[2].sub(rest[1]), rest[0].sub(rest[2])];
    let mut apart = !lanes & 0xff;
    apart |= separated(edges_b[0].cross(edges_b[1]), &swept, &rest);
    if apart == 0xff {
        return 0;
    }
    let c = &swept.corners;
    let edges_a = [c[1].sub(c[0]), c[2].sub(c[1]), c[0].sub(c[2])];
    apart |= separated(edges_a[0].cross(edges_a[1]), &swept, &rest);
    for a in edges_a {
        for b in edges_b {
            if apart == 0xff {
                return 0;
            }
            apart |= separated(a.cross(b), &swept, &rest);
        }
    }
    !apart & 0xff
}

struct Swept<L> {
    corners: [V3<L>; 3],
    travel: [V3<L>; 3],
    radius: L,
    slack: L,
}

/// Lanes in which axis `n` separates, with everything that could close the gap added to the right-hand side.
#[inline(always)]
fn separated<L: Lanes>(n: V3<L>, swept: &Swept<L>, rest: &[V3<L>; 3]) -> u32 {
    let (c0, t0) = (n.dot(swept.corners[0]), n.dot(swept.travel[0]).abs());
    let (c1, t1) = (n.dot(swept.corners[1]), n.dot(swept.travel[1]).abs());
    let (c2, t2) = (n.dot(swept.corners[2]), n.dot(swept.travel[2]).abs());
    let low = c0.sub(t0).min(c1.sub(t1)).min(c2.sub(t2));
    let high = c0.add(t0).max(c1.add(t1)).max(c2.add(t2));
    let (r0, r1, r2) = (n.dot(rest[0]), n.dot(rest[1]), n.dot(rest[2]));
    let (rest_low, rest_high) = (r0.min(r1).min(r2), r0.max(r1).max(r2));
    let length1 = n.0[0].abs().add(n.0[1].abs()).add(n.0[2].abs());
    let square = n.dot(n);
    let need = swept.radius.mul(square.sqrt()).add(swept.slack.mul(length1));
    low.sub(rest_high).gt(need).or(rest_low.sub(high).gt(need)).and(square.gt(L::splat(1e-30))).bits()
}

#[derive(Clone, Copy)]
struct V3<L>([L; 3]);

impl<L: Lanes> V3<L> {
    #[inline(always)]
    fn splat(v: [f32; 3]) -> Self {
        V3([L::splat(v[0]), L::splat(v[1]), L::splat(v[2])])
    }
    #[inline(always)]
    fn load(v: &[[f32; 8]; 3]) -> Self {
        V3([L::load(&v[0]), L::load(&v[1]), L::load(&v[2])])
    }
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        V3([self.0[0].sub(o.0[0]), self.0[1].sub(o.0[1]), self.0[2].sub(o.0[2])])
    }
    #[inline(always)]
    fn dot(self, o: Self) -> L {
        self.0[0].mul(o.0[0]).add(self.0[1].mul(o.0[1])).add(self.0[2].mul(o.0[2]))
    }
    #[inline(always)]
    fn cross(self, o: Self) -> Self {
        let (a, b) = (self.0, o.0);
        V3([a[1].mul(b[2]).sub(a[2].mul(b[1])), a[2].mul(b[0]).sub(a[0].mul(b[2])), a[0].mul(b[1]).sub(a[1].mul(b[0]))])
    }
}
