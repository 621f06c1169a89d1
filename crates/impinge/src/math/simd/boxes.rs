//! One swept box against eight resting boxes, on six axes: the three of the resting frame and three of the moving body.

use super::lanes::Lanes;

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

/// What a swept box occupies: `lo..hi` along the resting frame's axes, `low..high` along three more axes.
///
/// `axes` are taken as they are, unit length or not: any direction may prove separation. Whoever fills `low` and `high` adds the error of
/// the dot products below (three roundings of products of box coordinates and axis entries).
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    pub lo: [f32; 3],
    pub hi: [f32; 3],
    pub axes: [[f32; 3]; 3],
    pub low: [f32; 3],
    pub high: [f32; 3],
}

/// `|computed dot - exact dot| <= DOT_ERROR * |axis|_1 * max |coordinate|`: three products and two sums, 2^-24 each, with room.
pub(crate) const DOT_ERROR: f64 = 4.0 / (1 << 24) as f64;

/// The lanes whose boxes are not proven apart from the probe.
#[inline(always)]
pub(crate) fn boxes_near<L: Lanes>(boxes: &Boxes8, probe: &Probe) -> u32 {
    let mut apart = 0;
    for i in 0..3 {
        apart |= L::load(&boxes.lo[i]).gt(L::splat(probe.hi[i])) | L::splat(probe.lo[i]).gt(L::load(&boxes.hi[i]));
    }
    if apart == 0xff {
        return 0;
    }
    for q in 0..3 {
        let (mut top, mut bottom) = (L::splat(0.0), L::splat(0.0));
        for i in 0..3 {
            let a = probe.axes[q][i];
            let (up, down) = if a >= 0.0 { (&boxes.hi[i], &boxes.lo[i]) } else { (&boxes.lo[i], &boxes.hi[i]) };
            let a = L::splat(a);
            top = top.add(a.mul(L::load(up)));
            bottom = bottom.add(a.mul(L::load(down)));
        }
        apart |= L::splat(probe.low[q]).gt(top) | bottom.gt(L::splat(probe.high[q]));
    }
    !apart & 0xff
}
