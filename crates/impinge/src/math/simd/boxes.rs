//! One swept box against eight resting boxes, on six axes: the three of the resting frame and three of the moving body.

use super::lanes::{Lanes, Mask};

/// Eight boxes, by coordinate. An empty lane has `lo = +inf`, `hi = -inf`.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
pub(crate) struct Boxes8 {
    pub lo: [[f32; 8]; 3],
    pub hi: [[f32; 8]; 3],
}

impl Boxes8 {
    pub const EMPTY: Boxes8 = Boxes8 { lo: [[f32::INFINITY; 8]; 3], hi: [[f32::NEG_INFINITY; 8]; 3] };
}

/// What a swept box occupies: `lo..hi` along the resting frame's axes, `middle ± reach` (both doubled) along three more axes.
///
/// Fourth lanes mean nothing. `axes` are taken as they are, unit length or not: any direction may prove separation. Whoever fills `reach` adds the error of the dot
/// products below, see [`DOT_ERROR`].
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    pub lo: [f32; 4],
    pub hi: [f32; 4],
    pub axes: [[f32; 3]; 3],
    /// Twice the middle, and twice the reach.
    pub middle: [f32; 4],
    pub reach: [f32; 4],
}

/// With u = 2^-24, a the axis and M at least every |coordinate| of the boxes, the test on a further axis is right when the reach contains
/// `DOT_ERROR * |a|_1 * M + 2 u (reach + |middle|)`. In doubled units: centre and size are each rounded by 2 M u per coordinate, their dot
/// products by three roundings of 2 M |a|_1; the difference and the sum by u of themselves, where they matter at most 2 M |a|_1 + reach:
/// together 20 M u |a|_1 + 2 u reach, taken as 24 and halved. The conversion of the middle adds u |middle|.
pub(crate) const DOT_ERROR: f64 = 12.0 / (1 << 24) as f64;

/// The lanes whose boxes are not proven apart from the probe.
#[inline(always)]
pub(crate) fn boxes_near<L: Lanes>(boxes: &Boxes8, probe: &Probe) -> u32 {
    let lo = [L::load(&boxes.lo[0]), L::load(&boxes.lo[1]), L::load(&boxes.lo[2])];
    let hi = [L::load(&boxes.hi[0]), L::load(&boxes.hi[1]), L::load(&boxes.hi[2])];
    let mut apart = lo[0].gt(L::splat(probe.hi[0])).or(L::splat(probe.lo[0]).gt(hi[0]));
    for i in 1..3 {
        apart = apart.or(lo[i].gt(L::splat(probe.hi[i]))).or(L::splat(probe.lo[i]).gt(hi[i]));
    }
    if apart.bits() == 0xff {
        return 0;
    }
    let middle = [lo[0].add(hi[0]), lo[1].add(hi[1]), lo[2].add(hi[2])];
    let size = [hi[0].sub(lo[0]), hi[1].sub(lo[1]), hi[2].sub(lo[2])];
    for q in 0..3 {
        let axis = [L::splat(probe.axes[q][0]), L::splat(probe.axes[q][1]), L::splat(probe.axes[q][2])];
        let along = axis[0].mul(middle[0]).add(axis[1].mul(middle[1])).add(axis[2].mul(middle[2]));
        let reach = axis[0].abs().mul(size[0]).add(axis[1].abs().mul(size[1])).add(axis[2].abs().mul(size[2]));
        let gap = along.sub(L::splat(probe.middle[q])).abs();
        apart = apart.or(gap.gt(reach.add(L::splat(probe.reach[q]))));
    }
    !apart.bits() & 0xff
}
