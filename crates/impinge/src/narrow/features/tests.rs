//! The cascade against the exact decision, and cases with known answers.

use crate::narrow::features::*;
use proptest::prelude::*;

const KINDS: [Kind; 2] = [Kind::VertexFace, Kind::EdgeEdge];

/// Coordinates on a coarse grid, with noise of some size or none: coincidences, and what is nearly one.
fn corners() -> impl Strategy<Value = ([Vec3; 4], [Vec3; 4])> {
    let noise = prop_oneof![Just(0.0), (-17i32..0).prop_map(|e| 10f64.powi(e))];
    let grid = prop::array::uniform32(-3i8..=3);
    let off = prop::array::uniform32(-1.0f64..1.0);
    (noise, grid, off, any::<bool>(), any::<bool>(), 0usize..3).prop_map(|(noise, grid, off, flat, shared, rigid)| {
        let point = |i: usize| {
            let p = Vec3::from([0, 1, 2].map(|k| f64::from(grid[3 * i + k]) + noise * off[3 * i + k]));
            if flat { Vec3::new(p.x, p.y, noise * off[3 * i] * 0.1) } else { p }
        };
        let start: [Vec3; 4] = std::array::from_fn(point);
        let mut end: [Vec3; 4] = std::array::from_fn(|i| point(i + 4));
        if rigid > 0 {
            // Pure translation of the first corner, or of the first two.
            let travel = end[0] - start[0];
            end = std::array::from_fn(|i| if i < rigid { start[i] + travel } else { start[i] });
        }
        if shared {
            end[3] = start[3];
        }
        (start, end)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn floating_point_agrees_with_integers((start, end) in corners(), far in prop_oneof![Just(0.0), -1e6f64..1e6], scale in -60i32..60) {
        let scale = 2f64.powi(if far == 0.0 { scale } else { 0 });
        let place = |p: [Vec3; 4]| p.map(|v| (v + Vec3::splat(far)) * scale);
        for kind in KINDS {
            let pair = FeaturePair { kind, start: place(start), end: place(end) };
            let truth = decide::first_contact(&pair);
            match (first_contact(&pair, &Settings::default()), truth) {
                (Answer::Free, None) => {}
                (Answer::Contact { time, certified: true }, Some(t)) => {
                    prop_assert!(time.0 <= t.1 && t.0 <= time.1, "{:?} {:?} {:?}", time, t, pair);
                }
                (answer, truth) => prop_assert!(false, "{answer:?}, exactly {truth:?}: {pair:?}"),
            }
            match (first_contact(&pair, &Settings { exact: false, ..Settings::default() }), truth) {
                (Answer::Free, Some(_)) => prop_assert!(false, "not free: {truth:?} {pair:?}"),
                (Answer::Contact { certified: true, .. }, None) => prop_assert!(false, "free: {pair:?}"),
                (Answer::Contact { time, .. }, Some(t)) => prop_assert!(time.0 <= t.1, "late: {time:?} {truth:?} {pair:?}"),
                (Answer::Undecided { span }, Some(t)) => prop_assert!(span.0 <= t.1, "late: {span:?} {truth:?} {pair:?}"),
                _ => {}
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40_000))]

    /// Also where `f64` would have sufficed. Fine noise and offsets make numbers too long for short integers.
    #[test]
    fn exact_coefficients_agree_with_integers((start, end) in corners(), far in prop_oneof![Just(0.0), -1.0f64..1.0], fine in 0i32..40) {
        let place = |p: [Vec3; 4]| p.map(|v| v + Vec3::new(far, 0.5 * far, 0.3 * far) * 2f64.powi(-fine));
        for kind in KINDS {
            let pair = FeaturePair { kind, start: place(start), end: place(end) };
            let (truth, settings) = (decide::first_contact(&pair), Settings::default());
            let answer = by_exact_coefficients(&pair, &settings);
            match (answer, truth) {
                (None, _) | (Some(Answer::Free), None) => {}
                (Some(Answer::Contact { time, certified: true }), Some(t)) => {
                    prop_assert!(time.0 <= t.1 && t.0 <= time.1, "{:?} {:?} {:?}", time, t, pair);
                    prop_assert!(time.1 - time.0 <= 1e-9);
                }
                (answer, truth) => prop_assert!(false, "{answer:?}, exactly {truth:?}: {pair:?}"),
            }
        }
    }
}

#[test]
fn numbers_of_any_size_are_decided() {
    let tall = |x: f64, y: f64, z: f64, s: f64| Vec3::new(x, y, z) * s;
    for s in [f64::MAX / 4.0, 1e300, 1e9, 1e-12, 1e-300, f64::MIN_POSITIVE / 1024.0] {
        let face = [tall(-1.0, -1.0, 0.0, s), tall(1.0, -1.0, 0.0, s), tall(0.0, 1.0, 0.0, s)];
        let moved = |to: f64| FeaturePair {
            kind: Kind::VertexFace,
            start: [tall(0.0, 0.0, 1.0, s), face[0], face[1], face[2]],
            end: [tall(0.0, 0.0, to, s), face[0], face[1], face[2]],
        };
        assert_eq!(first_contact(&moved(0.5), &Settings::default()), Answer::Free, "{s:e}");
        for to in [0.0, -1.0] {
            let answer = first_contact(&moved(to), &Settings::default());
            let Answer::Contact { time, certified: true } = answer else { panic!("{s:e}: {answer:?}") };
            let t = 1.0 / (1.0 - to);
            assert!(time.0 <= t && time.1 >= t && time.1 - time.0 < 1e-9, "{s:e}: {time:?}");
        }
    }
    // Everything from tiny to huge in one query.
    let face = [tall(-1.0, -1.0, 0.0, 1e300), tall(1.0, -1.0, 0.0, 1e300), tall(0.0, 1.0, 0.0, 1e300)];
    let at = |z: f64| [Vec3::new(0.0, 0.0, z), face[0], face[1], face[2]];
    let pair = |from: f64, to: f64| FeaturePair { kind: Kind::VertexFace, start: at(from), end: at(to) };
    assert_eq!(first_contact(&pair(1e-300, 1e-301), &Settings::default()), Answer::Free);
    assert!(matches!(first_contact(&pair(1e-300, -1e-301), &Settings::default()), Answer::Contact { certified: true, .. }));
}

/// In a plane far away: a vertex beside the slanting border of a face, by next to nothing, or on it.
#[test]
fn tiny_numbers_beside_huge_ones_count() {
    let cases = [0.0, 1.0, 1e30, 2f64.powi(150), 1e200].into_iter().flat_map(|far| [1.0, 2f64.powi(38)].map(|size| (far, size)));
    for (far, size) in cases {
        let face = [Vec3::new(far, 0.0, 0.0), Vec3::new(far, size, size), Vec3::new(far, size, 0.0)];
        for beside in [1e-30, 1e-300, 2f64.powi(-1070), 0.0] {
            let at = |z: f64| [Vec3::new(far, 0.0, z), face[0], face[1], face[2]];
            let pair = FeaturePair { kind: Kind::VertexFace, start: at(beside), end: at(2.0 * beside) };
            let answer = first_contact(&pair, &Settings::default());
            let expected = if beside > 0.0 { Answer::Free } else { Answer::Contact { time: (0.0, 0.0), certified: true } };
            assert_eq!(answer, expected, "{far:e} {size:e} {beside:e}");
        }
    }
}

#[test]
fn what_is_not_finite_is_undecided() {
    let p = [Vec3::ZERO, Vec3::unit(0), Vec3::unit(1), Vec3::unit(2)];
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for (i, k) in (0..4).flat_map(|i| (0..3).map(move |k| (i, k))) {
            for kind in KINDS {
                let mut pair = FeaturePair { kind, start: p, end: p };
                pair.end[i][k] = bad;
                assert_eq!(first_contact(&pair, &Settings::default()), Answer::Undecided { span: (0.0, 1.0) });
            }
        }
        let pair = FeaturePair { kind: Kind::VertexFace, start: p, end: p };
        for settings in [Settings { margin: bad, ..Settings::default() }, Settings { tolerance: bad, ..Settings::default() }] {
            assert_eq!(first_contact(&pair, &settings), Answer::Undecided { span: (0.0, 1.0) });
        }
    }
}

/// A vertex that comes down to a height above a face and stays within the margin, or just does not.
#[test]
fn a_margin_is_kept() {
    let face = [Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, -1.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
    let at = |z: f64| [Vec3::new(0.0, 0.0, z), face[0], face[1], face[2]];
    let pair = FeaturePair { kind: Kind::VertexFace, start: at(1.0), end: at(0.25) };
    let with = |margin: f64| first_contact(&pair, &Settings { margin, ..Settings::default() });
    assert_eq!(with(0.2499), Answer::Free);
    let Answer::Contact { time, .. } = with(0.5) else { panic!("{:?}", with(0.5)) };
    assert!((time.0 - 2.0 / 3.0).abs() < 1e-7 && time.0 <= 2.0 / 3.0, "{time:?}");
    assert_eq!(with(1.5), Answer::Contact { time: (0.0, 0.0), certified: true });
}

/// f = (1 - 2 t)^2: the face shrinks to an edge at half time, and the vertex passes there, on the edge or beside it. Only for that instant.
#[test]
fn a_double_root_is_an_instant_of_contact() {
    let pair = |y: f64| FeaturePair {
        kind: Kind::VertexFace,
        start: [Vec3::new(0.0, y, 1.0), Vec3::ZERO, Vec3::unit(0), Vec3::unit(1)],
        end: [Vec3::new(0.0, y, -1.0), Vec3::ZERO, -Vec3::unit(0), Vec3::unit(1)],
    };
    for y in [0.0, 0.5, 1.0] {
        let answer = first_contact(&pair(y), &Settings::default());
        let Answer::Contact { time, certified: true } = answer else { panic!("{y}: {answer:?}") };
        assert!(time.0 <= 0.5 && time.1 >= 0.5 && time.1 - time.0 < 1e-9, "{time:?}");
    }
    for y in [-1e-300, 1.0 + f64::EPSILON, 1.5] {
        assert_eq!(first_contact(&pair(y), &Settings::default()), Answer::Free, "{y}");
    }
}
