//! One linearly swept triangle against eight resting triangles, on the eleven axes of two triangles.

use super::lanes::Lanes;

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

/// `slack = SLACK_PER_COORDINATE * M` with M at least every |coordinate| of both triangles plus |travel| makes [`near`] conservative.
///
/// Per unit of M |n|_1 and in units of 2^-24: conversion to f32 of corner, travel and resting corner 3; the three dot products 3 each, 9;
/// corner ± travel 2; the difference of extremes 3: together 17, taken as 24. The radius term is inflated by 2^-20 below.
/// Axes shorter than 1e-15 prove nothing, so underflow (at most 2^-147 in a dot product) is far below `slack |n|_1` for M near 1.
pub(crate) const SLACK_PER_COORDINATE: f64 = 24.0 / (1 << 24) as f64;

#[inline(always)]
pub(super) fn near<L: Lanes>(block: &Triangles8, moving: &SweptTriangle32) -> u32 {
    let load = |k: usize| V3::<L>([L::load(&block.corners[k][0]), L::load(&block.corners[k][1]), L::load(&block.corners[k][2])]);
    let resting = [load(0), load(1), load(2)];
    let corners = moving.corners.map(V3::<L>::splat);
    let travel = moving.travel.map(V3::<L>::splat);
    let sizes = (L::splat(moving.radius * (1.0 + 1.0 / (1 << 20) as f32)), L::splat(moving.slack));
    let separated = |n: V3<L>| separated(n, &corners, &travel, &resting, sizes);

    let edges_b = [resting[1].sub(resting[0]), resting[2].sub(resting[1]), resting[0].sub(resting[2])];
    let mut apart = separated(edges_b[0].cross(edges_b[1]));
    if apart == 0xff {
        return 0;
    }
    let edges_a = [corners[1].sub(corners[0]), corners[2].sub(corners[1]), corners[0].sub(corners[2])];
    apart |= separated(edges_a[0].cross(edges_a[1]));
    for a in edges_a {
        for b in edges_b {
            if apart == 0xff {
                return 0;
            }
            apart |= separated(a.cross(b));
        }
    }
    !apart & 0xff
}

/// Lanes in which axis `n` separates, with everything that could close the gap added to the right-hand side.
#[inline(always)]
fn separated<L: Lanes>(n: V3<L>, corners: &[V3<L>; 3], travel: &[V3<L>; 3], resting: &[V3<L>; 3], sizes: (L, L)) -> u32 {
    let reach = |k: usize| {
        let (c, t) = (n.dot(corners[k]), n.dot(travel[k]).abs());
        (c.sub(t), c.add(t))
    };
    let ((l0, h0), (l1, h1), (l2, h2)) = (reach(0), reach(1), reach(2));
    let (low, high) = (l0.min(l1).min(l2), h0.max(h1).max(h2));
    let r = resting.map(|c| n.dot(c));
    let (rest_low, rest_high) = (r[0].min(r[1]).min(r[2]), r[0].max(r[1]).max(r[2]));
    let length1 = n.0[0].abs().add(n.0[1].abs()).add(n.0[2].abs());
    let square = n.dot(n);
    let need = sizes.0.mul(square.sqrt()).add(sizes.1.mul(length1));
    (low.sub(rest_high).gt(need) | rest_low.sub(high).gt(need)) & square.gt(L::splat(1e-30))
}

#[derive(Clone, Copy)]
struct V3<L>([L; 3]);

impl<L: Lanes> V3<L> {
    #[inline(always)]
    fn splat(v: [f32; 3]) -> Self {
        V3(v.map(L::splat))
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
