//! The two kernels that run eight at a time, in `f32`, rounded outward: the only place with `unsafe`.
//!
//! Each kernel is written once over [`lanes::Lanes`] and compiled twice, for AVX2 and for plain arrays; the machine is asked once. Both
//! compute the same bits (no fused operations, no reassociation), which a test checks.
//! A set bit in an answer means *not proven apart*. NaN is never proven apart.
#![expect(unsafe_code, reason = "vector instructions behind runtime detection; every kernel has a safe twin")]

mod boxes;
mod lanes;
mod triangles;

pub(crate) use boxes::{Boxes8, DOT_ERROR, Probe};
pub(crate) use triangles::{SLACK_PER_COORDINATE, SweptTriangle32, Triangles8};

use lanes::Portable;

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

/// The lanes whose boxes are not proven apart from the probe.
#[inline]
pub(crate) fn boxes_near(boxes: &Boxes8, probe: &Probe) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: AVX2 was detected.
        return unsafe { boxes_near_avx2(boxes, probe) };
    }
    boxes::near::<Portable>(boxes, probe)
}

/// The lanes whose triangles are not proven apart from the swept triangle.
#[inline]
pub(crate) fn triangles_near(block: &Triangles8, moving: &SweptTriangle32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: AVX2 was detected.
        return unsafe { triangles_near_avx2(block, moving) };
    }
    triangles::near::<Portable>(block, moving)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn boxes_near_avx2(boxes: &Boxes8, probe: &Probe) -> u32 {
    boxes::near::<lanes::Avx2>(boxes, probe)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn triangles_near_avx2(block: &Triangles8, moving: &SweptTriangle32) -> u32 {
    triangles::near::<lanes::Avx2>(block, moving)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn eight() -> impl Strategy<Value = [f32; 8]> {
        prop::array::uniform8(-2.0f32..2.0)
    }

    proptest! {
        #[test]
        fn both_twins_give_the_same_bits(
            lo in prop::array::uniform3(eight()), hi in prop::array::uniform3(eight()),
            corners in prop::array::uniform9(eight()),
            v in prop::array::uniform32(-1.0f32..1.0),
        ) {
            let boxes = Boxes8 { lo, hi };
            let probe = Probe {
                lo: [v[0], v[1], v[2]], hi: [v[3], v[4], v[5]],
                axes: [[v[6], v[7], v[8]], [v[9], v[10], v[11]], [v[12], v[13], v[14]]],
                low: [v[15], v[16], v[17]], high: [v[18], v[19], v[20]],
            };
            prop_assert_eq!(boxes_near(&boxes, &probe), boxes::near::<Portable>(&boxes, &probe));
            let block = Triangles8 { corners: [
                [corners[0], corners[1], corners[2]], [corners[3], corners[4], corners[5]], [corners[6], corners[7], corners[8]],
            ] };
            let moving = SweptTriangle32 {
                corners: [[v[0], v[1], v[2]], [v[3], v[4], v[5]], [v[6], v[7], v[8]]],
                travel: [[v[9], v[10], v[11]], [v[12], v[13], v[14]], [v[15], v[16], v[17]]],
                radius: v[18].abs() * 0.01, slack: 1e-6,
            };
            prop_assert_eq!(triangles_near(&block, &moving), triangles::near::<Portable>(&block, &moving));
        }
    }
}
