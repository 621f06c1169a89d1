//! The interval matrices of [`crate::motion::interval_chain`] by middle and radius: where a body is over a span and how fast it moves there.
//!
//! ```text
//! M_i(T) = M_1(T) M_2(T) ... M_i(T)                                          [Redon 2004, section 4.1, equations 2 to 6]
//! ```
//!
//! One joint turns with a constant spin s, so R(t) - R(m) = a [s]R + b [s][s]R with |a| <= |t - m| and |b| <= (t - m)^2 / 2 (Rodrigues), and
//! R' = [s]R changes by a [s][s]R + b [s][s][s]R, where [s][s][s] = -|s|^2 [s]. Errors of R, s and the offset are those that [`InBetween`]
//! states, as in [`crate::motion::interval_chain`]: [s]R is off by E = 2 e + |s| (r + 8 u), with r that of R and e that of a coordinate of s;
//! [s][s]R by |s| (E + 2 e + 8 u |s|). Products of joints are those of [`VaryingMat3`].
//!
//! The mean value form at every joint keeps these bounds from widening as plain interval products do. The plain ones, by ends, are the
//! slow twin and the test's reference.

use crate::math::interval::{Varying, VaryingMat3, VaryingVec3};
use crate::math::pose::Placement;
use crate::math::rounding::{INFLATE, U};
use crate::math::{M4, Pose, V4, Vec3};
use crate::motion::chain::Chain;
use crate::motion::in_between::InBetween;
use crate::motion::relative::Carried;
use crate::motion::span::Span;

/// A rotation and a position over a span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VaryingMotion {
    pub rotation: VaryingMat3,
    pub position: VaryingVec3,
}

impl VaryingMotion {
    /// Nothing moves.
    pub fn identity() -> Self {
        VaryingMotion::resting(&Placement::new(Pose::IDENTITY))
    }

    /// A pose with the errors it states.
    fn resting(placement: &Placement) -> Self {
        let columns = placement.pose.rotation.columns;
        VaryingMotion {
            rotation: VaryingMat3(columns.map(|c| VaryingVec3::constant(c, placement.rotation_error))),
            position: VaryingVec3::constant(placement.pose.translation, placement.position_error),
        }
    }

    /// One joint, relative to its parent.
    fn of_joint(joint: &InBetween, span: Span) -> Self {
        let (turned, offset) = joint.at(span.middle());
        let (h, error) = (span.half(), joint.offset_error);
        let coordinate = |k: usize| Varying {
            mid: offset.0[k],
            noise: error,
            spread: (error + h * (joint.travel.0[k].abs() + error)) * INFLATE,
            rate: h * joint.travel.0[k],
            rate_spread: (h * (error + 2.0 * U * joint.travel.0[k].abs())) * INFLATE,
        };
        VaryingMotion {
            rotation: turning(joint, &turned, h),
            position: VaryingVec3([coordinate(0), coordinate(1), coordinate(2)]),
        }
    }

    /// The motion of `next`, which this one carries.
    pub fn then(&self, next: &VaryingMotion) -> Self {
        VaryingMotion {
            rotation: self.rotation.then(&next.rotation),
            position: self.position + self.rotation.apply(next.position),
        }
    }

    /// The joint of frame `i`, carried by this motion of its parent.
    pub fn step(&self, chain: &Chain, i: usize, span: Span) -> Self {
        self.then(&VaryingMotion::of_joint(&chain.joints[i], span))
    }

    /// Frame `i` relative to its ancestor `base`.
    pub fn of_frame(chain: &Chain, base: usize, i: usize, span: Span) -> Self {
        let above = |&i: &usize| (i != base).then(|| chain.parents[i] as usize);
        let path: Vec<usize> = std::iter::successors(Some(i), above).take_while(|&i| i != base).collect();
        path.iter().rev().fold(VaryingMotion::identity(), |parent, &k| parent.step(chain, k, span))
    }

    /// A body at a constant place in this frame.
    pub fn carrying(&self, placement: &Placement) -> Self {
        let exact = placement.rotation_error == 0.0 && placement.position_error == 0.0;
        if placement.pose.is_identity() && exact { *self } else { self.then(&VaryingMotion::resting(placement)) }
    }

    /// The body whose frame moves as `moving`, seen from the one whose frame moves as `resting`, relative to `origin` there; both frames
    /// relative to the same third.
    pub fn between(moving: (&Self, &Carried<'_>), resting: (&Self, &Carried<'_>), origin: Vec3) -> Self {
        let a = moving.0.carrying(moving.1.placement);
        let still = resting.1.frame == 0 && resting.1.placement.pose.is_identity();
        let seen = if still {
            a
        } else {
            let b = resting.0.carrying(resting.1.placement);
            let back = b.rotation.transpose();
            VaryingMotion { rotation: back.then(&a.rotation), position: back.apply(a.position - b.position) }
        };
        VaryingMotion { position: seen.position - VaryingVec3::constant(origin, 0.0), ..seen }
    }

    /// A point fixed in the body.
    #[inline(always)]
    pub fn point(&self, y: Vec3) -> VaryingVec3 {
        self.position + self.rotation.apply_constant(y)
    }
}

/// R, its spread and its rate, for a joint whose rotation at the middle is `turned`.
fn turning(joint: &InBetween, turned: &M4, h: f64) -> VaryingMat3 {
    let rotation_error = joint.rotation_error;
    // As in the interval chain: the axis is no worse than the rotation made of it.
    let e = joint.rate.abs() * (rotation_error + 64.0 * U) + joint.rate_error + 64.0 * U;
    let spin = joint.axis.scale(joint.rate);
    let w = joint.rate.abs() * (1.0 + 64.0 * U) + 2.0 * e;
    let first_error = (2.0 * e + w * (rotation_error + 8.0 * U)) * INFLATE;
    let second_error = (w * (first_error + 2.0 * e + 8.0 * U * w)) * INFLATE;
    let first = turned.crossed(spin);
    let second = first.crossed(spin);
    let entry = |value: f64, d: f64, dd: f64| {
        let (d_most, dd_most) = (d.abs() + first_error, dd.abs() + second_error);
        let strays = h * d_most + 0.5 * h * h * dd_most;
        Varying {
            mid: value,
            noise: rotation_error,
            spread: (rotation_error + strays.min(2.0)) * INFLATE,
            rate: h * d,
            rate_spread: (h * (first_error + 2.0 * U * d.abs() + h * (dd_most + 0.5 * h * w * w * d_most))) * INFLATE,
        }
    };
    let column = |v: V4, d: V4, dd: V4| VaryingVec3([0, 1, 2].map(|k| entry(v.0[k], d.0[k], dd.0[k])));
    VaryingMat3([0, 1, 2].map(|k| column(turned.0[k], first.0[k], second.0[k])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Relative;
    use crate::motion::interval_chain::IntervalMotion;
    use crate::motion::sample::chains;
    use proptest::prelude::*;

    /// Two arms that part after the second joint.
    fn parted(chain: &Chain) -> Chain {
        let parent = |i: usize| if i > 3 { i - 2 } else { i.saturating_sub(1) };
        Chain::new((0..chain.joints.len()).map(|i| parent(i) as u32).collect::<Vec<_>>(), chain.joints.clone())
    }

    fn encloses(v: &VaryingVec3, p: Vec3, error: f64) -> bool {
        (0..3).all(|i| (p[i] - v.0[i].mid).abs() <= v.0[i].spread + error)
    }

    proptest! {
        /// Seen from the world and from another link, points at samples lie within the spread, and difference quotients, by the mean
        /// value theorem, among the rates.
        #[test]
        fn places_and_velocities_are_enclosed(
            chain in chains(1..7, 4.0), t in 0.0f64..0.9, length in 1e-3f64..0.3, y in prop::array::uniform3(-1.0f64..1.0),
            parts in any::<bool>(), seen_from in 0usize..7,
        ) {
            let chain = if parts { parted(&chain) } else { chain };
            let (y, span) = (Vec3::from(y), Span::new(t, t + length));
            let (tip, other) = (chain.joints.len() - 1, seen_from.min(chain.joints.len() - 1));
            let ancestor = common(&chain, tip, other);
            let placement = Placement::new(Pose::from_rpy(y, y).expect("finite"));
            let at_rest = Placement::new(if other == 0 { Pose::IDENTITY } else { Pose::from_rpy(-y, y).expect("finite") });
            let a = Carried { frame: tip, placement: &placement };
            let b = Carried { frame: other, placement: &at_rest };
            let [of_a, of_b] = [tip, other].map(|i| VaryingMotion::of_frame(&chain, ancestor, i, span));
            let point = VaryingMotion::between((&of_a, &a), (&of_b, &b), y).point(y);
            let relative = Relative::new(&chain, a, b, ancestor, y);
            let sample = |tau: f64| {
                let t = span.middle() + tau * span.half();
                let tube = relative.tube(Span::new(t, t));
                (tube.line(y).0, tube.rounding(y.norm()))
            };
            let (middle, error) = sample(0.0);
            prop_assert!((0..3).all(|i| (middle[i] - point.0[i].mid).abs() <= point.0[i].noise + error));
            for k in 0..16 {
                let (tau, next) = (f64::from(k) / 8.0 - 1.0, f64::from(k + 1) / 8.0 - 1.0);
                let ((p, e), (q, f)) = (sample(tau), sample(next));
                prop_assert!(encloses(&point, p, e), "{p:?} {point:?}");
                let slope = (q - p) * 8.0;
                let within = |i: usize| (slope[i] - point.0[i].rate).abs() <= point.0[i].rate_spread + 8.0 * (e + f) + 1e-12;
                prop_assert!((0..3).all(within), "{slope:?} {point:?}");
            }
        }

        /// The slow twin holds the same motion, so the two meet, and the fast one is not much wider over a short span.
        #[test]
        fn it_is_as_narrow_as_its_slow_twin(
            chain in chains(1..7, 4.0), t in 0.0f64..0.9, length in 1e-3f64..0.1, y in prop::array::uniform3(-1.0f64..1.0),
        ) {
            let (y, span) = (Vec3::from(y), Span::new(t, t + length));
            let tip = chain.joints.len() - 1;
            let fast = VaryingMotion::of_frame(&chain, 0, tip, span).point(y);
            let slow = IntervalMotion::of_frame(&chain, tip, span).point(y);
            for i in 0..3 {
                let (v, [place, velocity, _]) = (fast.0[i], slow.map(|b| b.coordinates[i]));
                prop_assert!(v.mid - v.spread <= place.hi() && place.lo() <= v.mid + v.spread);
                prop_assert!(v.rate - v.rate_spread <= velocity.hi() * span.half() + 1e-12);
                prop_assert!(velocity.lo() * span.half() <= v.rate + v.rate_spread + 1e-12);
                prop_assert!(2.0 * v.spread <= 1.5 * place.width() + 1e-12, "{v:?} {place:?}");
            }
        }
    }

    /// The vector between points of two bodies, in the axes of one of them: seen from that body it is as narrow as from their common
    /// ancestor (0.2 % apart when measured), and then boxes need one product of matrices per pair of bodies instead of one per box.
    #[test]
    fn seen_from_the_other_body_it_is_as_narrow_as_from_a_third_frame() {
        use proptest::strategy::ValueTree;
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let (mut relative, mut common_frame) = (0.0, 0.0);
        for _ in 0..200 {
            let chain = parted(&chains(4..7, 1.0).new_tree(&mut runner).expect("a chain").current());
            let (a, b, span) = (chain.joints.len() - 1, chain.joints.len() - 2, Span::new(0.4, 0.5));
            let [of_a, of_b] = [a, b].map(|i| VaryingMotion::of_frame(&chain, common(&chain, a, b), i, span));
            let here = Placement::new(Pose::IDENTITY);
            let [carried_a, carried_b] = [a, b].map(|frame| Carried { frame, placement: &here });
            let (y, z) = (Vec3::new(0.3, 0.1, -0.2), Vec3::new(-0.1, 0.4, 0.2));
            let seen = VaryingMotion::between((&of_a, &carried_a), (&of_b, &carried_b), z).point(y);
            let third = of_b.rotation.transpose().apply(of_a.point(y) - of_b.point(z));
            relative += seen.0.iter().map(|c| c.spread).sum::<f64>();
            common_frame += third.0.iter().map(|c| c.spread).sum::<f64>();
        }
        println!("seen from the other body {relative:.3}, from a third frame {common_frame:.3}");
        assert!((relative / common_frame - 1.0).abs() < 0.02);
    }

    fn common(chain: &Chain, mut a: usize, mut b: usize) -> usize {
        while a != b {
            if a > b { a = chain.parents[a] as usize } else { b = chain.parents[b] as usize }
        }
        a
    }

    /// Three offsets that are no sum of `f64`: the exact sum lies inside, in rational arithmetic.
    #[test]
    fn the_exact_sum_of_offsets_is_enclosed() {
        use num_rational::BigRational;
        let exact = |x: f64| BigRational::from_float(x).expect("finite");
        let joints = (0..4).map(|k| InBetween::resting(Pose::from_translation(Vec3::splat(if k == 0 { 0.0 } else { 0.1 }))));
        let chain = Chain::new(vec![0, 0, 1, 2], joints.collect());
        let place = VaryingMotion::of_frame(&chain, 0, 3, Span::new(0.0, 1.0)).point(Vec3::splat(1e-9)).0[0];
        let sum = exact(0.1) + exact(0.1) + exact(0.1) + exact(1e-9);
        let off = sum - exact(place.mid);
        assert!(-exact(place.noise) <= off && off <= exact(place.noise), "{place:?}");
        assert!(place.spread < 1e-12);
    }
}
