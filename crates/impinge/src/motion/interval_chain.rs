//! Interval matrices concatenated along the chain: all places of a frame over a span, and all its velocities and accelerations.
//!
//! ```text
//! M_i(T) = M_1(T) M_2(T) ... M_i(T),   M_k(T) = (cos(w T) A + sin(w T) B + C,  c + T s)     [Redon 2004, section 4.1, equations 2 to 6]
//! ```
//!
//! Sound: every operation of `math::interval` encloses, and t, w, A, B, C, c, s enter with the errors that [`InBetween`] states: its
//! rotation error bounds every entry of (computed - true), evaluation included, and so of the interval's own exact evaluation. Derivatives
//! of a joint come from its constant spin w u: R' = (w u) x R, R'' = (w u) x R'; those of a product from the product rule. Entries of a
//! rotation are cut at ±1.
//!
//! Products wrap: a rotated box is enclosed by an axis-aligned one, so these bounds widen with every joint; [`super::tube`] does not. They
//! shrink to the true values with the span, which bounds by norms do not: hence their use for derivatives (`swept/surface.rs`).

use super::chain::Chain;
use super::in_between::InBetween;
use super::span::Span;
use crate::math::interval::{IntervalMat3, IntervalVec3};
use crate::math::rounding::U;
use crate::math::{Interval, Vec3};

/// Values over a span, their first and their second derivatives by t.
pub(crate) type Jet<T> = [T; 3];

/// Everything that a frame's rotation and position can be over a span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntervalMotion {
    pub rotation: Jet<IntervalMat3>,
    pub position: Jet<IntervalVec3>,
}

const ZERO_MATRIX: IntervalMat3 = IntervalMat3::from_columns(IntervalVec3::ZERO, IntervalVec3::ZERO, IntervalVec3::ZERO);

impl IntervalMotion {
    /// The world: nothing moves.
    pub const WORLD: IntervalMotion =
        IntervalMotion { rotation: [IntervalMat3::IDENTITY, ZERO_MATRIX, ZERO_MATRIX], position: [IntervalVec3::ZERO; 3] };

    /// Frame `i` of a chain, relative to the chain's own origin.
    pub fn of_frame(chain: &Chain, i: usize, span: Span) -> Self {
        let t = Interval::new(span.from, span.to);
        let mut path = Vec::new();
        let mut at = i;
        while at != 0 {
            path.push(at);
            at = chain.parents[at] as usize;
        }
        path.iter().rev().fold(IntervalMotion::WORLD, |parent, &k| parent.then(&IntervalMotion::of_joint(&chain.joints[k], t)))
    }

    /// All frames of a chain, each parent's used for its children.
    pub fn of_all(chain: &Chain, span: Span) -> Vec<Self> {
        let t = Interval::new(span.from, span.to);
        let mut all = Vec::with_capacity(chain.joints.len());
        all.push(IntervalMotion::WORLD);
        for (k, joint) in chain.joints.iter().enumerate().skip(1) {
            let next = all[chain.parents[k] as usize].then(&IntervalMotion::of_joint(joint, t));
            all.push(next);
        }
        all
    }

    /// One joint, relative to its parent.
    pub fn of_joint(joint: &InBetween, t: Interval) -> Self {
        let (sin, cos) = (Interval::point(joint.rate) * t).sin_cos();
        let [a, b, c] = [joint.cos_part, joint.sin_part, joint.constant].map(|m| IntervalMat3::from(m.mat3()));
        let turned = [0, 1, 2].map(|k| a.columns[k] * cos + b.columns[k] * sin + c.columns[k]);
        let rotation = rotation_within(turned, joint.rotation_error);
        // The axis is no worse than the rotation made of it; that of a free body's smallest turns is as good as its rotation vector.
        let spin_error = joint.rate.abs() * (joint.rotation_error + 64.0 * U) + joint.rate_error + 64.0 * U;
        let spin = widened(IntervalVec3::from(joint.axis.vec3()) * Interval::point(joint.rate), spin_error);
        let turning = crossed(spin, &rotation);
        let travel = IntervalVec3::from(joint.travel.vec3());
        let offset = widened(IntervalVec3::from(joint.offset.vec3()) + travel * t, joint.offset_error);
        IntervalMotion {
            rotation: [rotation, turning, crossed(spin, &turning)],
            position: [offset, widened(travel, joint.offset_error), IntervalVec3::ZERO],
        }
    }

    /// The motion of `next`, which this one carries.
    pub fn then(&self, next: &IntervalMotion) -> Self {
        let ([r, dr, ddr], [n, dn, ddn]) = (self.rotation, next.rotation);
        let (turned, across) = (rotation_within((r * n).columns, 0.0), dr * dn);
        IntervalMotion {
            rotation: [turned, dr * n + r * dn, ddr * n + (across + across) + r * ddn],
            position: self.carried(next.position),
        }
    }

    /// What it carries, seen the other way round: (R^T, -R^T p).
    pub fn undone(&self) -> Self {
        let rotation = self.rotation.map(|r| r.transpose());
        let [p, dp, ddp] = self.position;
        let ([r, dr, ddr], across) = (&rotation, rotation[1].apply(dp));
        let position = [-r.apply(p), -(dr.apply(p) + r.apply(dp)), -(ddr.apply(p) + (across + across) + r.apply(ddp))];
        IntervalMotion { rotation, position }
    }

    /// A point fixed in the frame: all its places, velocities and accelerations.
    pub fn point(&self, y: Vec3) -> Jet<IntervalVec3> {
        self.carried([y.into(), IntervalVec3::ZERO, IntervalVec3::ZERO])
    }

    /// p + R y for a y that moves in this frame.
    fn carried(&self, [y, dy, ddy]: Jet<IntervalVec3>) -> Jet<IntervalVec3> {
        let ([r, dr, ddr], [p, dp, ddp]) = (&self.rotation, self.position);
        let across = dr.apply(dy);
        [p + r.apply(y), dp + dr.apply(y) + r.apply(dy), ddp + ddr.apply(y) + (across + across) + r.apply(ddy)]
    }
}

fn widened(v: IntervalVec3, error: f64) -> IntervalVec3 {
    IntervalVec3 { coordinates: v.coordinates.map(|c| c.widened(error)) }
}

/// The entries of a rotation that is within `error` of these columns.
fn rotation_within(columns: [IntervalVec3; 3], error: f64) -> IntervalMat3 {
    let all = Interval::new(-1.0, 1.0);
    let entry = |c: Interval| c.widened(error).intersection(all).unwrap_or(all);
    IntervalMat3 { columns: columns.map(|v| IntervalVec3 { coordinates: v.coordinates.map(entry) }) }
}

/// spin x every column.
fn crossed(spin: IntervalVec3, m: &IntervalMat3) -> IntervalMat3 {
    IntervalMat3 { columns: m.columns.map(|c| spin.cross(c)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use crate::math::pose::Placement;
    use crate::motion::Tube;
    use crate::robot::JointKind;
    use num_rational::BigRational;
    use proptest::prelude::*;

    type Spec = (u8, [f64; 3], [f64; 3], f64, f64);

    /// A chain of revolute and prismatic joints and free bodies.
    fn chain_of(spec: &[Spec]) -> Chain {
        let mut joints = vec![InBetween::resting(Pose::IDENTITY)];
        for (kind, axis, offset, q0, q1) in spec {
            let (axis, offset) = (Vec3::from(*axis) + Vec3::splat(1e-3), Vec3::from(*offset));
            let pose = Placement::new(Pose::from_rpy(offset, offset).expect("finite"));
            let joint = match kind {
                0 => InBetween::of_joint(JointKind::Revolute { axis }, &pose, Vec3::ZERO, &[*q0], &[*q1]),
                1 => InBetween::of_joint(JointKind::Prismatic { axis }, &pose, Vec3::ZERO, &[*q0], &[*q1]),
                _ => {
                    let rigid = crate::RigidMotion { start: pose.pose, end_position: axis, rotation_vector: axis * *q1 };
                    InBetween::of_rigid(&rigid, Vec3::ZERO)
                }
            };
            joints.push(joint.expect("in range"));
        }
        Chain::new((0..joints.len() as u32).map(|i| i.saturating_sub(1)).collect::<Vec<_>>(), joints)
    }

    fn specs() -> impl Strategy<Value = Vec<Spec>> {
        let joint =
            (0u8..3, prop::array::uniform3(-1.0f64..1.0), prop::array::uniform3(-1.0f64..1.0), -3.0f64..3.0, -4.0f64..4.0);
        prop::collection::vec(joint, 1..7)
    }

    fn tube(chain: &Chain, m: f64, h: f64) -> Tube {
        let tip = chain.joints.len() - 1;
        Tube::in_world(
            &chain.state(tip, m, h),
            &chain.errors[tip],
            &Placement::new(Pose::IDENTITY),
            Vec3::ZERO,
            Span::new(m - h, m + h),
        )
    }

    /// Place and velocity of a point at an instant, and how far they may be from the true ones.
    fn instant(chain: &Chain, t: f64, y: Vec3) -> (Vec3, Vec3, f64) {
        let tube = tube(chain, t, 0.0);
        let velocity = tube.velocity.add(tube.rotation_rate.apply(y.into())).vec3();
        let tip = chain.joints.len() - 1;
        let error =
            tube.rounding(y.norm()) + 2.0 * (chain.errors[tip].velocity + 2.0 * chain.errors[tip].spin) + 1e-13 * velocity.norm();
        (tube.line(y).0, velocity, error)
    }

    proptest! {
        /// Places and velocities at samples lie in their boxes; difference quotients of both, by the mean value theorem, in those of the
        /// next derivative.
        #[test]
        fn places_velocities_and_accelerations_are_enclosed(
            spec in specs(), t in 0.0f64..0.9, length in 1e-3f64..0.3, y in prop::array::uniform3(-1.0f64..1.0),
        ) {
            let (chain, y) = (chain_of(&spec), Vec3::from(y));
            let tip = chain.joints.len() - 1;
            let bound = IntervalMotion::of_frame(&chain, tip, Span::new(t, t + length));
            let boxes = bound.point(y);
            let step = length / 8.0;
            let samples: Vec<_> = (0..=8).map(|k| instant(&chain, (t + k as f64 * step).min(t + length), y)).collect();
            for (p, v, error) in &samples {
                prop_assert!(widened(boxes[0], *error).contains(*p) && widened(boxes[1], *error).contains(*v));
            }
            for pair in samples.windows(2) {
                let ((p0, v0, e0), (p1, v1, e1)) = (pair[0], pair[1]);
                let (mean_v, mean_a, error) = ((p1 - p0) * (1.0 / step), (v1 - v0) * (1.0 / step), (e0 + e1) / step + 1e-12);
                prop_assert!(widened(boxes[1], error).contains(mean_v), "{mean_v:?} not in {:?}", boxes[1]);
                prop_assert!(widened(boxes[2], error).contains(mean_a), "{mean_a:?} not in {:?}", boxes[2]);
            }
            let rotation = tube(&chain, t + step, 0.0).rotation.mat3();
            prop_assert!((0..3).all(|j| widened(bound.rotation[0].columns[j], 1e-12).contains(rotation.columns[j])));
        }

        /// At an instant the bound is the motion itself, up to rounding.
        #[test]
        fn an_instant_is_enclosed_narrowly(spec in specs(), t in 0.0f64..1.0, y in prop::array::uniform3(-1.0f64..1.0)) {
            let (chain, y) = (chain_of(&spec), Vec3::from(y));
            let bound = IntervalMotion::of_frame(&chain, chain.joints.len() - 1, Span::new(t, t));
            prop_assert!(bound.point(y).iter().all(|b| b.width() < 1e-8), "{:?}", bound.point(y));
        }

        /// Both bounds hold the same motion, so they meet.
        #[test]
        fn it_meets_the_tube(spec in specs(), t in 0.0f64..0.9, length in 1e-3f64..0.1, y in prop::array::uniform3(-1.0f64..1.0)) {
            let (chain, y) = (chain_of(&spec), Vec3::from(y));
            let place = IntervalMotion::of_frame(&chain, chain.joints.len() - 1, Span::new(t, t + length)).point(y)[0];
            let of_tube = tube(&chain, t + length / 2.0, length / 2.0).enclose_box(y, Vec3::ZERO, y.norm());
            let of_tube = IntervalVec3 { coordinates: [0, 1, 2].map(|i| Interval::new(of_tube.lo[i], of_tube.hi[i])) };
            prop_assert!(place.meets(of_tube));
        }
    }

    /// Three sliding joints whose offsets are no sum of `f64`: the exact sum lies inside, in rational arithmetic.
    #[test]
    fn the_exact_sum_of_offsets_is_enclosed() {
        let exact = |x: f64| BigRational::from_float(x).expect("finite");
        let joints = (0..4).map(|k| {
            let offset = if k == 0 { 0.0 } else { 0.1 };
            InBetween::resting(Pose::from_translation(Vec3::splat(offset)))
        });
        let chain = Chain::new(vec![0, 0, 1, 2], joints.collect());
        let place = IntervalMotion::of_frame(&chain, 3, Span::new(0.0, 1.0)).point(Vec3::splat(1e-9))[0].coordinates[0];
        let sum = exact(0.1) + exact(0.1) + exact(0.1) + exact(1e-9);
        assert!(exact(place.lo()) <= sum && sum <= exact(place.hi()), "{place:?}");
        assert!(place.width() < 1e-12);
    }

    /// Points on an axis rest, whatever the angle and however the axis was rounded: they lie inside exactly, at every instant.
    #[test]
    fn points_on_the_axis_are_enclosed_at_rest() {
        for axis in [Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 1.0, 1.0), Vec3::new(-5.0, 2.0, 7.0)] {
            let kind = JointKind::Revolute { axis };
            let turn = InBetween::of_joint(kind, &Placement::new(Pose::IDENTITY), Vec3::ZERO, &[0.3], &[9.0]).expect("in range");
            let chain = Chain::new(vec![0, 0], vec![InBetween::resting(Pose::IDENTITY), turn]);
            for k in 0..=100 {
                let t = f64::from(k) / 100.0;
                let [place, velocity, acceleration] = IntervalMotion::of_frame(&chain, 1, Span::new(t, t)).point(axis);
                assert!(place.contains(axis), "{place:?} at {t}");
                assert!(velocity.contains(Vec3::ZERO) && acceleration.contains(Vec3::ZERO), "{velocity:?} at {t}");
            }
        }
    }

    /// What the paper's bound costs with depth beside the tube: widths of the tip's box, printed. Interval matrices win over a whole large
    /// motion, where angles saturate; the tube wins over the short spans in which questions are decided.
    #[test]
    fn widths_against_depth() {
        println!("joints turn 0.5 rad over the whole motion; width of the tip's box, metres: interval matrices / tube");
        println!("depth       span 1/1      span 1/8     span 1/64");
        for depth in [1, 2, 4, 6, 8, 12, 16] {
            let axis = |k: usize| [0, 1, 2].map(|i| f64::from(u8::from(k % 3 == i)));
            let spec: Vec<Spec> = (0..depth).map(|k| (0, axis(k), [0.2, 0.1, 0.0], 0.0, 0.5)).collect();
            let chain = chain_of(&spec);
            let widths = [1.0, 8.0, 64.0].map(|n: f64| {
                let half = 0.5 / n;
                let span = Span::new(0.5 - half, 0.5 + half);
                let interval = IntervalMotion::of_frame(&chain, depth, span).point(Vec3::ZERO)[0].width();
                (interval, tube(&chain, 0.5, half).enclose_box(Vec3::ZERO, Vec3::ZERO, 0.0).size().max_abs())
            });
            println!("{depth:5}  {}", widths.map(|(i, t)| format!("{i:.4}/{t:.4}")).join("  "));
            let (interval, tube) = widths[2];
            assert!(depth < 4 || tube < 0.7 * interval, "depth {depth}: {tube} and {interval}");
        }
    }
}
