//! Proof that a segment goes through a triangle, for every placement of their corners within an error.

use crate::math::Vec3;
use crate::math::rounding::U;

/// Smaller than any product of lengths that matter; more than underflow can hide.
const UNDERFLOW: f64 = 1e-290;

/// Whether a side of one triangle is proven to cross the other: its ends lie on both sides of the plane, and its line runs round all three
/// edges the same way, for every placement of the corners within `error`.
#[inline(always)]
pub(crate) fn pierces(sides: &[Vec3; 3], t: &[Vec3; 3], error: f64) -> bool {
    let (u, v) = (t[1] - t[0], t[2] - t[0]);
    let n = u.cross(v);
    let (across, lengths) = (n.norm(), [u.norm(), v.norm()]);
    let side = |x: Vec3| {
        let a = x - t[0];
        sign(n.dot(a), slack(across, lengths, a.norm(), error))
    };
    let at = [side(sides[0]), side(sides[1]), side(sides[2])];
    (at[0] * at[1] < 0 && runs_inside((sides[0], sides[1]), t, error))
        || (at[1] * at[2] < 0 && runs_inside((sides[1], sides[2]), t, error))
        || (at[2] * at[0] < 0 && runs_inside((sides[2], sides[0]), t, error))
}

fn runs_inside((p, q): (Vec3, Vec3), t: &[Vec3; 3], error: f64) -> bool {
    let d = q - p;
    let length = d.norm();
    let round = |i: usize| {
        let (a, e) = (p - t[i], t[(i + 1) % 3] - t[i]);
        let across = a.cross(e);
        sign(across.dot(d), slack(across.norm(), [a.norm(), e.norm()], length, error))
    };
    let way = round(0);
    way != 0 && round(1) == way && round(2) == way
}

fn sign(value: f64, slack: f64) -> i32 {
    i32::from(value > slack) - i32::from(value < -slack)
}

/// How far the determinant (a × b)·c of three differences of corners may be from the true one; given |a × b|, |a| and |b|, |c|.
///
/// Each difference is off by at most e = 2 `error`, so the determinant by e (|a × b| + |c| (|a| + |b|)) + e^2 (|a| + |b| + |c|) + e^3. (Where
/// e exceeds three times the lengths' sum, e^3 is not covered by 4 e^2, but then nothing exceeds the slack.) It is rounded by u for each of
/// the differences, 4 u for the cross product (2 u for each of its coordinates, times the root of 3), 3 u for the scalar one: by at most
/// 10 u |a| |b| |c|; 32 and the factor have room for the rounding of the slack itself.
#[inline(always)]
fn slack(across: f64, [a, b]: [f64; 2], c: f64, error: f64) -> f64 {
    let e = 2.0 * error;
    e * (across + c * (a + b)) * 1.001 + 4.0 * e * e * (a + b + c) + 32.0 * U * (a * b * c) + UNDERFLOW
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::orient::Plane;
    use proptest::prelude::*;

    /// Decided exactly: the closed segment meets the closed triangle, which has an area.
    fn meets((p, q): (Vec3, Vec3), t: &[Vec3; 3]) -> bool {
        let plane = Plane::new(*t);
        let round = |i: usize| Plane::new([p, q, t[i]]).side(t[(i + 1) % 3]);
        let ways = [round(0), round(1), round(2)];
        plane.side(p) * plane.side(q) <= 0 && (ways.iter().all(|&w| w >= 0) || ways.iter().all(|&w| w <= 0))
    }

    /// A triangle that is no more than a segment.
    fn flat((p, q): (Vec3, Vec3)) -> [Vec3; 3] {
        [p, q, q]
    }

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0f64..1.0).prop_map(move |[x, y, z]| Vec3::new(x, y, z) * size)
    }

    fn unit() -> impl Strategy<Value = Vec3> {
        vector(1.0).prop_map(|v| v * (1.0 / v.norm().max(0.1)).min(1.0 / v.norm().max(1e-300)))
    }

    /// A segment that goes through a triangle, or just not, near an edge or an end of its own.
    fn close() -> impl Strategy<Value = ((Vec3, Vec3), [Vec3; 3], f64)> {
        let sizes = (
            prop_oneof![Just(1.0), Just(30.0)],
            prop_oneof![Just(1.0), Just(0.01)],
            prop_oneof![Just(0.0), Just(1e-9), Just(1e-3)],
        );
        let corners = ([vector(1.0), vector(1.0), vector(1.0)], vector(1.0), prop_oneof![Just(0.0), Just(1e3)]);
        let near = (0.0f64..1.0, -20.0f64..20.0, -20.0f64..20.0, any::<bool>());
        (sizes, corners, near).prop_map(|((large, small, error), (t, d, far), (along, aside, beyond, at_edge))| {
            let t = t.map(|c| c * large + Vec3::splat(far));
            let d = d * small;
            // The place where it goes through: some errors beside an edge, or anywhere inside; its end some errors from the plane.
            let step = f64::max(error, 1e-16 * (large + far));
            let inside = (t[0] + t[1] + t[2]) * (1.0 / 3.0);
            let edge = t[0] + (t[1] - t[0]) * along;
            let at = if at_edge { edge + (inside - edge) * (aside * step / (inside - edge).norm().max(1e-3)) } else { inside };
            let end = if at_edge { 0.5 } else { beyond * step / d.norm().max(1e-9) };
            ((at - d * end, at + d * (1.0 - end)), t, error)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30_000))]

        #[test]
        fn what_is_proven_to_cross_does_so_wherever_the_corners_are(
            (segment, t, error) in close(), off in prop::array::uniform5(unit()), opposite in any::<bool>(),
        ) {
            if pierces(&flat(segment), &t, error) {
                // Nearly as far as allowed, anyhow and against each other.
                let by = 0.999 * error;
                let n = (t[1] - t[0]).cross(t[2] - t[0]);
                let up = n * (1.0 / n.norm());
                let shift = |k: usize| if opposite { up * if k < 2 { -by } else { by } } else { off[k] * by };
                for turned in [1.0, -1.0] {
                    let moved = (segment.0 + shift(0) * turned, segment.1 + shift(1) * turned);
                    let triangle = [t[0] + shift(2) * turned, t[1] + shift(3) * turned, t[2] + shift(4) * turned];
                    prop_assert!(meets(moved, &triangle), "{moved:?} {triangle:?}");
                }
            }
        }

        /// What crosses by some errors is proven to, large or small: the slack is not wasteful.
        #[test]
        fn what_crosses_well_is_proven_to(at in (0.2f64..0.5, 0.2f64..0.5), d in (-0.01f64..0.01, -0.01f64..0.01, 0.003f64..0.01), large in prop_oneof![Just(1.0), Just(30.0)]) {
            let d = Vec3::new(d.0, d.1, d.2);
            let t = [Vec3::ZERO, Vec3::new(large, 0.0, 0.0), Vec3::new(0.0, large, 0.0)];
            for (place, deep) in [(Vec3::new(at.0 * large, at.1 * large, 0.0), 100.0), (Vec3::new(at.0 * large, 3e-12 * large, 0.0), 5e10)] {
                let end = deep * 1e-14 * large / d.z;
                prop_assert!(pierces(&flat((place - d * end, place + d)), &t, 1e-14 * large), "{place:?}");
            }
        }
    }
}
