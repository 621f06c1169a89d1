//! Kernels against each other, and against contacts that their slack allows.

use super::super::{Avx2, Portable, dispatch};
use super::six::{Axes32, Pair32, stay_apart};
use super::*;
use crate::math::Mat3;
use proptest::prelude::*;

/// All that kernels can tell.
const ALL: Asked = Asked { lanes: 0xff, until: f32::INFINITY };

type Question<'a> = (&'a Oriented8, &'a Probe32, &'a Straight32, &'a Turning32);

fn all<L: Lanes>((lanes, probe, straight, turning): Question<'_>) -> [[f32; 8]; 3] {
    let turn = |mover| advance::<L>(lanes, probe, turning, mover, ALL).store();
    [meet::<L>(lanes, probe, straight, ALL).store(), turn(Mover::Single), turn(Mover::Lanes)]
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn all_avx2(asked: Question<'_>) -> [[f32; 8]; 3] {
    all::<Avx2>(asked)
}

fn all_portable(asked: Question<'_>) -> [[f32; 8]; 3] {
    all::<Portable>(asked)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    /// A corner of the single box meets a point of a lane's box at `until`, if velocities are off by as much as the slack allows.
    #[test]
    fn no_step_goes_past_a_contact_that_the_slack_allows(
        v in prop::array::uniform3(-1.0f32..1.0), off in prop::array::uniform3(-1.0f32..1.0), slack in 0.05f32..0.5, until in 0.1f32..2.0,
        half in prop::array::uniform3(0.1f32..0.5), other in prop::array::uniform3(0.1f32..0.5), at in prop::array::uniform3(-1.0f32..=1.0),
    ) {
        let length = (off[0] * off[0] + off[1] * off[1] + off[2] * off[2]).sqrt().max(1e-3);
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        // Where the single box's corner is when it comes to the point `at` of the lane's box, and back from there.
        let mut center = [0.0; 3];
        for k in 0..3 {
            let corner = if v[k] > 0.0 { half[k] } else { -half[k] };
            center[k] = at[k] * other[k] - corner - (v[k] + off[k] * slack / length) * until;
        }
        let by_coordinate = Axes32::new(&Mat3::IDENTITY, half);
        let probe = Probe32 { center, axes: by_coordinate.turned::<Portable>(&axes), half: by_coordinate.half, radius: 1.0, pad: 1e-5 };
        let lanes = Oriented8 { axes: axes.map(|a| a.map(|x| [x; 8])), half: other.map(|h| [h; 8]), radius: [1.0; 8], ..Oriented8::EMPTY };
        let straight = Straight32 { velocity: v, slack };
        let none = [0.0; 3];
        let turning = Turning32 {
            velocity: v, spin: none, spin_size: 0.0, bend: 0.0, acceleration: none,
            bend_rest: 0.0, slack, twice_over_horizon: 1.0,
        };
        let (own, other) = (Axes32::new(&Mat3::IDENTITY, half), Axes32::new(&Mat3::IDENTITY, other));
        let pair = Pair32 {
            resting: &other, moving: &own, rotation: axes, apart: center, velocity: v, acceleration: none, spin: none,
            pad: 1e-5, slack, bend: 0.0, bend_rest: 0.0, twice_over_horizon: 1.0,
        };
        let step = stay_apart::<Portable>(&pair);
        prop_assert!(step <= until * 1.0001 + 1e-4, "{} {}", step, until);
        for steps in all::<Portable>((&lanes, &probe, &straight, &turning)) {
            prop_assert!(steps[0] <= until * 1.0001 + 1e-4, "{} {}", steps[0], until);
        }
    }
}

fn three(v: &[f32]) -> [f32; 3] {
    [v[0], v[1], v[2]]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn both_twins_give_the_same_bits(eights in prop::collection::vec(prop::array::uniform8(-1.0f32..1.0), 16), v in prop::array::uniform32(-1.0f32..1.0)) {
        let e = |k: usize| [eights[k], eights[k + 1], eights[k + 2]];
        let lanes = Oriented8 { center: e(0).map(|c| c.map(|x| 4.0 * x)), axes: [e(3), e(6), e(9)], half: e(12).map(|h| h.map(f32::abs)), radius: eights[15].map(f32::abs) };
        let twice = |v: &[f32]| [v[0], v[1], v[2], 0.0, v[0], v[1], v[2], 0.0];
        let half = [v[12].abs(), v[13].abs(), v[14].abs(), 0.0];
        let probe = Probe32 { center: three(&v[9..]), axes: [twice(&v[0..]), twice(&v[3..]), twice(&v[6..])], half, radius: 1.0, pad: 1e-6 };
        let straight = Straight32 { velocity: three(&v[15..]), slack: 1e-6 };
        let turning = Turning32 {
            velocity: three(&v[15..]), spin: three(&v[18..]), spin_size: 1.0, bend: v[31].abs(), acceleration: three(&v[5..]), bend_rest: 0.1, slack: 1e-6, twice_over_horizon: 2.0,
        };
        let asked = (&lanes, &probe, &straight, &turning);
        let (one, other) = (dispatch(all_avx2, all_portable, asked), all_portable(asked));
        prop_assert_eq!(one.map(|r| r.map(f32::to_bits)), other.map(|r| r.map(f32::to_bits)));
    }
}
