//! One pair of boxes: the three axes of each in lanes, all six tried at once.
//!
//! ```text
//! lanes   0 1 2   axes of the resting box         4 5 6   axes of the moving box, turned to where it is        3 7   nothing: no gap
//! other     the axes of the moving box                      those of the resting box, each spread over its half
//! ```
//!
//! The bounds are those of the lanes' kernel ([`super`]). Errors, u = 2^-24, N = |apart| + |h|_1 of both boxes: stored axes are off by u, and
//! once turned (a rounded matrix, three products) by 9 u. So gaps' places are off by 13 u N, products of two axes by 13 u, half widths by
//! 17 u N: 30 u N in all, below [`super::LANE_ERROR`]; n × spin by 12 u |spin|, what it adds to half widths by at most 28 u |spin| |h|_1,
//! velocities by 13 u of themselves: below [`super::LANE_SPEED_ERROR`].

use super::{Lanes, Steps, chord, cross, dot, own_growth, splat3};
use crate::math::Mat3;

/// A box's own axes and half sides; the fourth number of each is nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Axes32 {
    /// Coordinate i of each axis.
    pub axes: [[f32; 4]; 3],
    pub half: [f32; 4],
}

impl Axes32 {
    /// Columns of a rotation, rounded, and half sides.
    pub fn new(axes: &Mat3, half: [f32; 3]) -> Self {
        let coordinate = |i: usize| [axes.columns[0][i] as f32, axes.columns[1][i] as f32, axes.columns[2][i] as f32, 0.0];
        Axes32 { axes: [coordinate(0), coordinate(1), coordinate(2)], half: [half[0], half[1], half[2], 0.0] }
    }

    /// The axes turned by the rotation with these columns, by coordinate, in both halves.
    #[inline(always)]
    pub fn turned<L: Lanes>(&self, columns: &[[f32; 3]; 3]) -> [[f32; 8]; 3] {
        let [x, y, z] = turn(&self.twice::<L>(), columns);
        [x.store(), y.store(), z.store()]
    }

    /// The same for the inverse of the rotation.
    #[inline(always)]
    pub fn turned_back<L: Lanes>(&self, columns: &[[f32; 3]; 3]) -> [[f32; 8]; 3] {
        let (own, c) = (self.twice::<L>(), columns);
        [dot(own, splat3(&c[0])).store(), dot(own, splat3(&c[1])).store(), dot(own, splat3(&c[2])).store()]
    }

    #[inline(always)]
    fn twice<L: Lanes>(&self) -> [L; 3] {
        let [x, y, z] = &self.axes;
        [L::load_halves(x, x), L::load_halves(y, y), L::load_halves(z, z)]
    }
}

/// Vectors, by coordinate, turned by the rotation with these columns.
#[inline(always)]
fn turn<L: Lanes>(v: &[L; 3], [a, b, c]: &[[f32; 3]; 3]) -> [L; 3] {
    [
        dot(*v, [L::splat(a[0]), L::splat(b[0]), L::splat(c[0])]),
        dot(*v, [L::splat(a[1]), L::splat(b[1]), L::splat(c[1])]),
        dot(*v, [L::splat(a[2]), L::splat(b[2]), L::splat(c[2])]),
    ]
}

/// A resting box and a moving one at one instant, seen from what rests.
#[derive(Clone, Debug)]
pub(crate) struct Pair32<'a> {
    pub resting: &'a Axes32,
    pub moving: &'a Axes32,
    /// Columns of the rotation that takes the moving box's axes to where it is.
    pub rotation: [[f32; 3]; 3],
    /// From the resting centre to the moving one, its velocity and its acceleration, and the spin.
    pub apart: [f32; 3],
    pub velocity: [f32; 3],
    pub acceleration: [f32; 3],
    pub spin: [f32; 3],
    /// As in [`super::Probe32`] and [`super::Turning32`].
    pub pad: f32,
    pub slack: f32,
    pub bend: f32,
    pub bend_rest: f32,
    pub twice_over_horizon: f32,
}

/// For how long from now the boxes stay apart at least, as far as the horizon goes.
#[inline(always)]
pub(crate) fn stay_apart<L: Lanes>(pair: &Pair32<'_>) -> f32 {
    let own = [
        L::load_halves(&pair.resting.axes[0], &pair.moving.axes[0]),
        L::load_halves(&pair.resting.axes[1], &pair.moving.axes[1]),
        L::load_halves(&pair.resting.axes[2], &pair.moving.axes[2]),
    ];
    let turned = turn(&own, &pair.rotation);
    let n = [L::halves(own[0], turned[0]), L::halves(own[1], turned[1]), L::halves(own[2], turned[2])];
    let half = L::load_halves(&pair.resting.half, &pair.moving.half);
    let (spin, over) = (splat3::<L>(&pair.spin), L::splat(pair.twice_over_horizon));
    // n · (spin × a) = (n × spin) · a.
    let across = cross(n, spin);
    let (others, other_half) = ([n[0].swap_halves(), n[1].swap_halves(), n[2].swap_halves()], half.swap_halves());
    let (mut width, mut turning) = (half.add(L::splat(pair.pad)), L::splat(0.0));
    each!(K => {
        let other = [others[0].spread::<K>(), others[1].spread::<K>(), others[2].spread::<K>()];
        let (x, y, h) = (dot(n, other), dot(across, other), other_half.spread::<K>());
        width = width.add(h.mul(x.abs()));
        turning = turning.add(h.mul(chord(x, y, over)));
    });
    let growth = L::halves(turning, own_growth(half, dot(n, spin).abs()));
    let mut steps = Steps::<L> {
        best: L::splat(0.0),
        slack: L::splat(pair.slack),
        bend: L::splat(pair.bend),
        rest: L::splat(pair.bend_rest),
    };
    let (apart, velocity, acceleration) = (splat3(&pair.apart), splat3(&pair.velocity), splat3(&pair.acceleration));
    steps.widen(dot(n, apart), width, dot(n, velocity), dot(n, acceleration), growth);
    let best = steps.step().store();
    let mut most = 0.0f32;
    for step in best {
        most = if step > most { step } else { most };
    }
    most
}
