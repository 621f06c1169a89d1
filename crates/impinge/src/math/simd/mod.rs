//! The kernels that run eight at a time, in `f32`, rounded outward: boxes, triangles, oriented boxes; and the lanes they are written in,
//! which others may use. The only place with `unsafe`.
//!
//! Each kernel is written once over [`Lanes`] and compiled twice, for AVX2 and for plain arrays: the search as a whole is, see
//! [`dispatch`]. Both compute the same bits (no fused operations, no reassociation), which a test checks.
//! A set bit in an answer means *not proven apart*. NaN is never proven apart.
#![expect(unsafe_code, reason = "vector instructions behind runtime detection; every kernel has a safe twin")]

use std::sync::atomic::{AtomicBool, Ordering};

mod boxes;
mod lanes;
mod oriented;
mod triangles;

pub(crate) use boxes::{Boxes8, DOT_ERROR, Probe, boxes_near};
pub(crate) use lanes::{Arithmetic, Avx2, Lanes, Mask, Portable};
pub(crate) use oriented::six::{Axes32, Pair32, stay_apart};
pub(crate) use oriented::{Asked, LANE_ERROR, LANE_SPEED_ERROR, Mover, Oriented8, Probe32, Straight32, Turning32, advance, meet};
pub(crate) use triangles::{SLACK_PER_COORDINATE, SweptTriangle32, Triangles8, triangles_near};

/// Whether tests want the portable twin.
static PORTABLE: AtomicBool = AtomicBool::new(cfg!(feature = "portable"));

/// For tests, which compare both twins: from now on the portable one answers, or whichever the machine has. Answers do not depend on it.
#[doc(hidden)]
pub fn use_portable(portable: bool) {
    PORTABLE.store(portable, Ordering::Relaxed);
}

/// Runs `avx2(argument)` where the machine has AVX2, else `portable(argument)`.
///
/// `avx2` must be the same code compiled with `#[target_feature(enable = "avx2")]` and nothing beyond: that is the whole safety condition.
#[inline(always)]
pub(crate) fn dispatch<A, R>(avx2: unsafe fn(A) -> R, portable: fn(A) -> R, argument: A) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && !PORTABLE.load(Ordering::Relaxed) {
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
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Boxes that just touch a probe on a further axis, by exact arithmetic, are near: the stated rounding is enough.
        #[test]
        fn boxes_that_touch_on_a_further_axis_are_near(
            center in prop::array::uniform3(-1.0f64..1.0), half in prop::array::uniform3(0.0f64..0.5),
            axis in prop::array::uniform3(-1.0f32..1.0), gap in 0.0f64..1e-3,
        ) {
            let (lo, hi) = ([0, 1, 2].map(|i| (center[i] - half[i]) as f32), [0, 1, 2].map(|i| (center[i] + half[i]) as f32));
            let boxes = Boxes8 { lo: lo.map(|x| [x; 8]), hi: hi.map(|x| [x; 8]) };
            // Products and sums of f32 in f64 are exact enough: 2^-52 against 2^-24.
            let (mut along, mut size, mut norm1, mut largest) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
            for i in 0..3 {
                let (a, l, h) = (f64::from(axis[i]), f64::from(lo[i]), f64::from(hi[i]));
                along += a * (l + h) / 2.0;
                size += a.abs() * (h - l) / 2.0;
                norm1 += a.abs();
                largest = largest.max(l.abs()).max(h.abs());
            }
            let middle = along + size + gap;
            let exact = (middle - along).abs() - size;
            let reach = exact + DOT_ERROR * norm1 * largest + 2.0 / f64::from(1 << 24) * (exact + middle.abs());
            let probe = Probe {
                lo: [-10.0; 4], hi: [10.0; 4], axes: [axis; 3],
                middle: [(2.0 * middle) as f32; 4], reach: [crate::math::rounding::f32_above(2.0 * reach); 4],
            };
            prop_assert_eq!(boxes_near::<Portable>(&boxes, &probe), 0xff);
        }

        #[test]
        fn both_twins_give_the_same_bits(
            lo in prop::array::uniform3(eight()), hi in prop::array::uniform3(eight()),
            corners in prop::array::uniform9(eight()),
            v in prop::array::uniform32(-1.0f32..1.0),
        ) {
            let boxes = Boxes8 { lo, hi };
            let probe = Probe {
                lo: [v[0], v[1], v[2], 0.0], hi: [v[3], v[4], v[5], 0.0],
                axes: [[v[6], v[7], v[8]], [v[9], v[10], v[11]], [v[12], v[13], v[14]]],
                middle: [v[15], v[16], v[17], 0.0], reach: [v[18], v[19], v[20], 0.0],
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
