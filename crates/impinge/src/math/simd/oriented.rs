//! One box along its own axes against eight, over time: when may they first meet? The fifteen axes of two boxes. [Gottschalk 1996]
//!
//! ```text
//!   |T·n| - r   gap along n of the single box S and the box L of a lane, T from L to S, r the sum of their half widths along n
//!         \     S goes straight:  the gap closes at c = -sign(T·n) w·n and opens again on the other side
//!          \_   one of both turns: gap(tau) >= g - c tau - k tau^2 / 2, c with what turning adds to its half width, k its acceleration
//! ```
//!
//! Everything is given in the frame of the lanes, at one instant, relative to their parent's centre: sizes are local, so `f32` is enough.
//! Boxes have exactly orthonormal axes Q (of L) and S; stored axes are these, rounded.
//!
//! Errors, u = 2^-24, N at least |s| + (|l| + |h|_1 of any lane) + |h_S|_1 with s, l the centres. Stored axes are off by u, and once
//! turned into the frame of the lanes ([`six::Axes32::turned`]: a rounded matrix, three products) by 9 u. So an entry of R = Q^T S is off
//! by 13 u, a coordinate of T = Q^T (s - l) by 6 u N, and |T·n| by at most 6 u N along Q, 36 u N along S (sqrt 3 times 6 + 13, and summing),
//! 29 u N along products of axes; half widths, with 13 u for each entry of R and 5 u for summing, by at most 18 u N: 54 u N in all, and
//! [`LANE_ERROR`] is 64 u. The same count for velocities, of which those of turning lanes are two roundings more, gives 40 u, and for what
//! turning adds to half widths 21 u: [`LANE_SPEED_ERROR`] is 64 u, per |w| + |omega| (|l| + |h|_1 + |h_S|_1). What is computed from gap
//! and speed afterwards is off by a few u of itself: [`DOWN`] and [`UP`].

use super::lanes::{Lanes, Mask};

/// What rounding may do to a gap, per length: see above.
pub(crate) const LANE_ERROR: f64 = 64.0 / (1 << 24) as f64;
/// What rounding may do to a closing speed, per speed.
pub(crate) const LANE_SPEED_ERROR: f64 = 64.0 / (1 << 24) as f64;
/// What rounding may do to a product of two axes.
const ENTRY_ERROR: f32 = 16.0 / (1 << 24) as f32;
/// Factors that round a time down and up: division, square root and differences are off by u each.
const DOWN: f32 = 1.0 - 16.0 / (1 << 24) as f32;
const UP: f32 = 1.0 + 16.0 / (1 << 24) as f32;
/// Speeds below this are taken as this: it never matters, and squares of it are still normal numbers.
const SLOWEST: f32 = 1e-15;

/// The body three times, for 0, 1 and 2: written out, since a loop over so much code stays one, and then everything lives in memory.
macro_rules! each {
    ($i:ident => $body:block) => {{
        const $i: usize = 0;
        $body
    }
    {
        const $i: usize = 1;
        $body
    }
    {
        const $i: usize = 2;
        $body
    }};
}

pub(super) mod six;
#[cfg(test)]
mod tests;

/// Eight boxes along their own axes, by coordinate.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
pub(crate) struct Oriented8 {
    /// Relative to their parent's centre.
    pub center: [[f32; 8]; 3],
    /// `axes[k][i]`: coordinate i of axis k.
    pub axes: [[[f32; 8]; 3]; 3],
    pub half: [[f32; 8]; 3],
    /// At least the length of the half diagonal.
    pub radius: [f32; 8],
}

impl Oriented8 {
    pub const EMPTY: Oriented8 =
        Oriented8 { center: [[0.0; 8]; 3], axes: [[[0.0; 8]; 3]; 3], half: [[0.0; 8]; 3], radius: [0.0; 8] };
}

/// The single box, in the frame of the lanes and relative to their parent's centre.
#[derive(Clone, Debug)]
pub(crate) struct Probe32 {
    pub center: [f32; 3],
    /// `axes[i]`: coordinate i of each axis, in both halves.
    pub axes: [[f32; 8]; 3],
    pub half: [f32; 4],
    pub radius: f32,
    /// Added to every half width: margin, [`LANE_ERROR`] and all other errors of position.
    pub pad: f32,
}

/// Velocity of the single box as seen from the lanes, constant, and at least its error.
#[derive(Clone, Debug)]
pub(crate) struct Straight32 {
    pub velocity: [f32; 3],
    pub slack: f32,
}

/// Which side turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mover {
    Single,
    Lanes,
}

/// How one side moves at this instant, and bounds over the horizon.
#[derive(Clone, Debug)]
pub(crate) struct Turning32 {
    /// Of the single box's centre if that moves; of the lanes' parent's centre, reversed, if they do.
    pub velocity: [f32; 3],
    pub spin: [f32; 3],
    /// At least the angular speed.
    pub spin_size: f32,
    /// At least the acceleration of any point of what moves.
    pub bend: f32,
    /// Acceleration now, of the same point and with the same sign as the velocity, and at least by how much that of any point may differ
    /// from it until the horizon, counted as a third where it grows with time.
    pub acceleration: [f32; 3],
    pub bend_rest: f32,
    /// At least the error of closing speeds.
    pub slack: f32,
    /// At most two over the horizon, at most 1e30.
    pub twice_over_horizon: f32,
}

/// Both boxes, as the axes need them: `r[i][k]` is Q_i · S_k.
struct Frame<L> {
    /// Lane axes by coordinate: `q[i]` is axis i.
    q: [[L; 3]; 3],
    t: [L; 3],
    r: [[L; 3]; 3],
    abs: [[L; 3]; 3],
    half: [L; 3],
    single: [L; 3],
    pad: L,
}

#[inline(always)]
fn splat3<L: Lanes>(v: &[f32; 3]) -> [L; 3] {
    [L::splat(v[0]), L::splat(v[1]), L::splat(v[2])]
}

#[inline(always)]
fn load3<L: Lanes>(v: &[[f32; 8]; 3]) -> [L; 3] {
    [L::load(&v[0]), L::load(&v[1]), L::load(&v[2])]
}

/// The vectors whose coordinates stand side by side in both halves.
#[inline(always)]
fn spread3<L: Lanes>(v: &[L; 3]) -> [[L; 3]; 3] {
    [
        [v[0].spread::<0>(), v[1].spread::<0>(), v[2].spread::<0>()],
        [v[0].spread::<1>(), v[1].spread::<1>(), v[2].spread::<1>()],
        [v[0].spread::<2>(), v[1].spread::<2>(), v[2].spread::<2>()],
    ]
}

/// `a × b`.
#[inline(always)]
fn cross<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[1].mul(b[2]).sub(a[2].mul(b[1])), a[2].mul(b[0]).sub(a[0].mul(b[2])), a[0].mul(b[1]).sub(a[1].mul(b[0]))]
}

#[inline(always)]
fn dot<L: Lanes>(a: [L; 3], b: [L; 3]) -> L {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

#[inline(always)]
fn dots<L: Lanes>(a: [L; 3], b: &[[L; 3]; 3]) -> [L; 3] {
    [dot(a, b[0]), dot(a, b[1]), dot(a, b[2])]
}

#[inline(always)]
fn absolute<L: Lanes>(a: [L; 3]) -> [L; 3] {
    [a[0].abs(), a[1].abs(), a[2].abs()]
}

impl<L: Lanes> Frame<L> {
    #[inline(always)]
    fn new(lanes: &Oriented8, probe: &Probe32) -> Self {
        let q = [load3(&lanes.axes[0]), load3(&lanes.axes[1]), load3(&lanes.axes[2])];
        let center = load3::<L>(&lanes.center);
        let t = splat3::<L>(&probe.center);
        let t = [t[0].sub(center[0]), t[1].sub(center[1]), t[2].sub(center[2])];
        let s = spread3(&load3::<L>(&probe.axes));
        let r = [dots(q[0], &s), dots(q[1], &s), dots(q[2], &s)];
        Frame {
            q,
            t: dots(t, &q),
            r,
            abs: [absolute(r[0]), absolute(r[1]), absolute(r[2])],
            half: load3(&lanes.half),
            single: [L::splat(probe.half[0]), L::splat(probe.half[1]), L::splat(probe.half[2])],
            pad: L::splat(probe.pad),
        }
    }

    /// A vector given in the axes of the lanes, along axis j of the single box.
    #[inline(always)]
    fn along_single(&self, v: [L; 3], j: usize) -> L {
        dot(v, [self.r[0][j], self.r[1][j], self.r[2][j]])
    }

    /// The same along Q_i × S_j.
    #[inline(always)]
    fn across(&self, v: [L; 3], i: usize, j: usize) -> L {
        let (k, l) = ((i + 1) % 3, (i + 2) % 3);
        v[l].mul(self.r[k][j]).sub(v[k].mul(self.r[l][j]))
    }

    /// Half widths of both boxes together, and the pad, along Q_i, S_j and their product.
    #[inline(always)]
    fn width_of_lane(&self, i: usize) -> L {
        dot(self.single, self.abs[i]).add(self.half[i]).add(self.pad)
    }

    #[inline(always)]
    fn width_of_single(&self, j: usize) -> L {
        dot(self.half, [self.abs[0][j], self.abs[1][j], self.abs[2][j]]).add(self.single[j]).add(self.pad)
    }

    #[inline(always)]
    fn width_across(&self, i: usize, j: usize) -> L {
        let ((k, l), (m, n)) = (((i + 1) % 3, (i + 2) % 3), ((j + 1) % 3, (j + 2) % 3));
        let lane = self.half[k].mul(self.abs[l][j]).add(self.half[l].mul(self.abs[k][j]));
        let single = self.single[m].mul(self.abs[i][n]).add(self.single[n].mul(self.abs[i][m]));
        lane.add(single).add(self.pad)
    }
}

/// For every lane, for how long from now the boxes stay apart at least, if neither turns: infinity where they never meet.
#[inline(always)]
pub(crate) fn meet<L: Lanes>(lanes: &Oriented8, probe: &Probe32, motion: &Straight32, asked: Asked) -> L {
    let frame = Frame::<L>::new(lanes, probe);
    let w = splat3::<L>(&motion.velocity);
    let w = dots(w, &frame.q);
    let mut slabs = Slabs::<L> { from: L::splat(0.0), to: L::splat(f32::INFINITY), slack: L::splat(motion.slack) };
    each!(I => {
        slabs.narrow(frame.t[I], frame.width_of_lane(I), w[I]);
        slabs.narrow(frame.along_single(frame.t, I), frame.width_of_single(I), frame.along_single(w, I));
    });
    if !asked.is_answered(slabs.step()) {
        each!(I => {
            each!(J => {
                slabs.begin_later(frame.across(frame.t, I, J), frame.width_across(I, J), frame.across(w, I, J));
            });
        });
    }
    slabs.step()
}

/// What a kernel's answer is for: lanes for which its bits are set, and no more of them than that they are apart until then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub lanes: u32,
    pub until: f32,
}

impl Asked {
    /// Whether nothing is gained by more axes.
    #[inline(always)]
    fn is_answered<L: Lanes>(self, steps: L) -> bool {
        self.near(steps) == 0
    }

    /// The lanes that are not proven apart for long enough.
    #[inline(always)]
    pub fn near<L: Lanes>(self, steps: L) -> u32 {
        self.lanes & !steps.gt(L::splat(self.until)).bits()
    }
}

/// The time during which all axes overlap.
struct Slabs<L> {
    from: L,
    to: L,
    slack: L,
}

impl<L: Lanes> Slabs<L> {
    /// When it begins, or infinity where it is empty.
    #[inline(always)]
    fn step(&self) -> L {
        let (from, to) = (self.from.mul(L::splat(DOWN)), self.to.mul(L::splat(UP)));
        L::select(from.gt(to), L::splat(f32::INFINITY), from)
    }

    /// An axis along which the centres are `d` apart, `width` wide together, and `d` changes by `speed`, which is known within the slack.
    ///
    /// Not before g / (closing speed + slack) for a gap g > 0; where that is negative the division by next to nothing says never.
    /// Not after the way to the far side over (|speed| - slack), if that is positive. NaN changes nothing.
    #[inline(always)]
    fn narrow(&mut self, d: L, width: L, speed: L) {
        self.begin_later(d, width, speed);
        let sure = speed.abs().sub(self.slack);
        let to = width.sub(d.flip(speed)).div(sure);
        self.to = L::select(sure.gt(L::splat(SLOWEST)), to, self.to).min(self.to);
    }

    /// The first half of [`Slabs::narrow`]: of products of axes the second half ends too little to be worth a division.
    #[inline(always)]
    fn begin_later(&mut self, d: L, width: L, speed: L) {
        let closing = self.slack.sub(speed.flip(d));
        self.from = d.abs().sub(width).div(L::splat(SLOWEST).max(closing)).max(self.from);
    }
}

/// For every lane, for how long from now the boxes stay apart at least, as far as the horizon goes, if one side turns.
#[inline(always)]
pub(crate) fn advance<L: Lanes>(lanes: &Oriented8, probe: &Probe32, motion: &Turning32, mover: Mover, asked: Asked) -> L {
    let frame = Frame::<L>::new(lanes, probe);
    let spin = splat3::<L>(&motion.spin);
    let mut w = splat3::<L>(&motion.velocity);
    if mover == Mover::Lanes {
        let around = cross(spin, load3::<L>(&lanes.center));
        w = [w[0].sub(around[0]), w[1].sub(around[1]), w[2].sub(around[2])];
    }
    let w = dots(w, &frame.q);
    let a = dots(splat3::<L>(&motion.acceleration), &frame.q);
    let growth = Growth::new(&frame, motion, mover, lanes, probe);
    let (bend, rest) = (L::splat(motion.bend), L::splat(motion.bend_rest));
    let mut steps = Steps::<L> { best: L::splat(0.0), slack: L::splat(motion.slack), bend, rest };
    each!(I => {
        steps.widen(frame.t[I], frame.width_of_lane(I), w[I], a[I], growth.lane[I]);
        let (t, w_s, a_s) = (frame.along_single(frame.t, I), frame.along_single(w, I), frame.along_single(a, I));
        steps.widen(t, frame.width_of_single(I), w_s, a_s, growth.single[I]);
    });
    if !asked.is_answered(steps.step()) {
        each!(I => {
            each!(J => {
                let (t, w_x, a_x) = (frame.across(frame.t, I, J), frame.across(w, I, J), frame.across(a, I, J));
                steps.widen(t, frame.width_across(I, J), w_x, a_x, growth.across);
            });
        });
    }
    steps.step()
}

/// What turning adds per time, at most, to the half width of what turns: along Q_i, S_j and their products.
struct Growth<L> {
    lane: [L; 3],
    single: [L; 3],
    across: L,
}

impl<L: Lanes> Growth<L> {
    /// A box of half sides h and axes A turns: its half width along n is at most sum_k h_k |x_k + tau y_k| plus the bend, with
    /// x_k = n · A_k, y_k = n · (omega × A_k): convex in tau, so below its chord over the horizon ([`chord`]). Along its own axes that is
    /// sum_k h_k |y_k|, along products of axes at most |omega| times its radius.
    #[inline(always)]
    fn new(frame: &Frame<L>, motion: &Turning32, mover: Mover, lanes: &Oriented8, probe: &Probe32) -> Self {
        let (spin, axes) = (splat3::<L>(&motion.spin), load3::<L>(&probe.axes));
        let turned = spread3(&cross(spin, axes));
        // For n = S_k and the axis Q_i it is the negative of that for n = Q_i and the axis S_k.
        let y = [dots(frame.q[0], &turned), dots(frame.q[1], &turned), dots(frame.q[2], &turned)];
        let (r, over, size) = (&frame.r, L::splat(motion.twice_over_horizon), L::splat(motion.spin_size));
        let mut lane = [L::splat(0.0); 3];
        match mover {
            Mover::Single => {
                each!(I => {
                    each!(K => {
                        lane[I] = lane[I].add(frame.single[K].mul(chord(r[I][K], y[I][K], over)));
                    });
                });
                let own = own_growth(L::load_halves(&probe.half, &probe.half), dot(spin, axes).abs());
                Growth {
                    lane,
                    single: [own.spread::<0>(), own.spread::<1>(), own.spread::<2>()],
                    across: size.mul(L::splat(probe.radius)),
                }
            }
            Mover::Lanes => {
                let (minus, own) = (L::splat(-1.0), absolute(dots(spin, &frame.q)));
                let mut single = lane;
                each!(I => {
                    let (k, m) = ((I + 1) % 3, (I + 2) % 3);
                    lane[I] = frame.half[k].mul(own[m]).add(frame.half[m].mul(own[k]));
                    each!(K => {
                        single[K] = single[K].add(frame.half[I].mul(chord(r[I][K], y[I][K].flip(minus), over)));
                    });
                });
                Growth { lane, single, across: size.mul(L::load(&lanes.radius)) }
            }
        }
    }
}

/// What a spin, w along each axis of a box, adds per time at most to its half widths along its own axes: along axis k what the spin
/// about one of the other two does to the third.
#[inline(always)]
fn own_growth<L: Lanes>(half: L, w: L) -> L {
    let (next, next_half) = (w.turn(), half.turn());
    next_half.mul(next.turn()).add(next_half.turn().mul(next))
}

/// The slope of the chord of |x + tau y| over [0, H]: (|x + H y| - |x|) / H = max(q, -q - 2 |x| / H), q = y sign(x). A smaller |x| gives
/// more, so it is taken smaller by its error; where that leaves nothing the result is |y|, whatever the sign of x.
#[inline(always)]
fn chord<L: Lanes>(x: L, y: L, twice_over_horizon: L) -> L {
    let q = y.flip(x);
    let x = x.abs().sub(L::splat(ENTRY_ERROR)).max(L::splat(0.0));
    q.max(x.mul(twice_over_horizon).add(q).flip(L::splat(-1.0)))
}

/// The longest time for which some axis keeps the boxes apart.
struct Steps<L> {
    best: L,
    slack: L,
    bend: L,
    rest: L,
}

impl<L: Lanes> Steps<L> {
    /// That time, rounded down.
    #[inline(always)]
    fn step(&self) -> L {
        self.best.mul(L::splat(DOWN))
    }

    /// An axis along which the centres are `d` apart, `width` wide together, `d` changes by `speed`, that by `acceleration`, and widths grow
    /// by `growth`. k is the largest acceleration at all, or what of the present one is towards closing, and the rest.
    ///
    /// g - c tau - k tau^2 / 2 is positive before 2 g / (c + sqrt(c^2 + 2 k g)); for c < 0 that is (sqrt(..) - c) / k, which does not cancel.
    /// NaN gains nothing.
    #[inline(always)]
    fn widen(&mut self, d: L, width: L, speed: L, acceleration: L, growth: L) {
        let slowest = L::splat(SLOWEST);
        let g = d.abs().sub(width);
        let c = growth.add(self.slack).sub(speed.flip(d));
        let parting = L::splat(-SLOWEST).gt(c);
        let c = L::select(parting, c, slowest.max(c));
        let towards = L::splat(0.0).sub(acceleration.flip(d)).max(L::splat(0.0));
        let bend = towards.add(self.rest).min(self.bend);
        let twice = g.add(g);
        let root = c.mul(c).add(bend.mul(twice)).sqrt();
        let over = L::select(parting, root.sub(c), twice);
        let under = L::select(parting, bend, root.add(c));
        let step = over.div(under);
        self.best = L::select(g.gt(L::splat(0.0)), step, self.best).max(self.best);
    }
}
