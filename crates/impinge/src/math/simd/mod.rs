//! The two kernels that run eight at a time, in `f32`, rounded outward: the only place with `unsafe`.
//!
//! Each kernel is written once over [`Lanes`] and compiled twice, for AVX2 and for plain arrays: the search as a whole is, see
//! [`dispatch`]. Both compute the same bits (no fused operations, no reassociation), which a test checks.
//! A set bit in an answer means *not proven apart*. NaN is never proven apart.
#![expect(unsafe_code, reason = "vector instructions behind runtime detection; every kernel has a safe twin")]

mod boxes;
mod lanes;
mod triangles;

pub(crate) use boxes::{Boxes8, DOT_ERROR, Probe, boxes_near};
pub(crate) use lanes::{Avx2, Lanes, Portable};
pub(crate) use triangles::{SLACK_PER_COORDINATE, SweptTriangle32, Triangles8, triangles_near};

/// Runs `avx2(argument)` where the machine has AVX2, else `portable(argument)`.
///
/// `avx2` must be the same code compiled with `#[target_feature(enable = "avx2")]` and nothing beyond: that is the whole safety condition.
#[inline(always)]
pub(crate) fn dispatch<A, R>(avx2: unsafe fn(A) -> R, portable: fn(A) -> R, argument: A) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && !cfg!(feature = "portable") {
        // SAFETY: the function needs AVX2 only, and AVX2 was detected.
        return unsafe { avx2(argument) };
    }
    let _ = avx2;
    portable(argument)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn eight() -> impl Strategy<Value = [f32; 8]> {
        prop::array::uniform8(-2.0f32..2.0)
    }

    fn boxes_portable((b, p): (&Boxes8, &Probe)) -> u32 {
        boxes_near::<Portable>(b, p)
    }
    fn triangles_portable((b, m): (&Triangles8, &SweptTriangle32)) -> u32 {
        triangles_near::<Portable>(b, m, 0xff)
    }
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    fn boxes_avx2((b, p): (&Boxes8, &Probe)) -> u32 {
        boxes_near::<Avx2>(b, p)
    }
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    fn triangles_avx2((b, m): (&Triangles8, &SweptTriangle32)) -> u32 {
        triangles_near::<Avx2>(b, m, 0xff)
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
            prop_assert_eq!(dispatch(boxes_avx2, boxes_portable, (&boxes, &probe)), boxes_portable((&boxes, &probe)));
            let block = Triangles8 { corners: [
                [corners[0], corners[1], corners[2]], [corners[3], corners[4], corners[5]], [corners[6], corners[7], corners[8]],
            ] };
            let moving = SweptTriangle32 {
                corners: [[v[0], v[1], v[2]], [v[3], v[4], v[5]], [v[6], v[7], v[8]]],
                travel: [[v[9], v[10], v[11]], [v[12], v[13], v[14]], [v[15], v[16], v[17]]],
                radius: v[18].abs() * 0.01, slack: 1e-6,
            };
            prop_assert_eq!(dispatch(triangles_avx2, triangles_portable, (&block, &moving)), triangles_portable((&block, &moving)));
        }
    }
}
