//! How a motion bends: accelerations at the middle of a span and a bound of how they change, for directions in which a body hardly leaves
//! its straight lines. A plate that turns in its own plane bends within that plane only.
//!
//! Along a unit vector n, with a the acceleration of a point at the middle and J at least its jerk over the span, Taylor's theorem gives
//!
//! ```text
//! |n·(x(t) - x - (t - m) x')| <= h^2/2 |n·a| + h^3/6 J
//! ```
//! where the tube has h^2/2 times a bound of |a|. With l the parent of joint i, as in [`super::chain`], and K a bound of angular jerk:
//!
//! ```text
//! a_i = a_l + alpha_l x r + omega_l x (omega_l x r) + 2 omega_l x R_l s_i       alpha_i = alpha_l + w_i omega_l x R_l u_i
//! J_i = J_l + (K_l + 3 W_l L_l + W_l^3) |c_i| + 3 (L_l + W_l^2) |s_i|           K_i     = K_l + |w_i| (L_l + W_l^2)
//! ```
//! Proof: differentiate p_i = p_l + R_l c_i (c_i'' = 0) and omega_i = omega_l + w_i R_l u_i once more; the second derivative of R is at most
//! L + W^2 in norm, the third K + 3 W L + W^3. Rounding: every term of a is off by far less than 2^-30 of its bound in norm.

use super::chain::{Chain, LinkState};
use super::in_between::InBetween;
use super::span::Span;
use crate::math::Vec3;

/// How a frame bends at the middle of a span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bend {
    half: f64,
    /// The frame's origin, as the tube's coordinates have it, its acceleration, angular velocity and angular acceleration.
    origin: Vec3,
    acceleration: Vec3,
    spin: Vec3,
    spin_change: Vec3,
    /// At least the jerk of a point: at the origin, and per distance from it.
    jerk: (f64, f64),
    /// At least the acceleration of a point, likewise.
    most: (f64, f64),
}

/// State, acceleration, angular acceleration, jerk, angular jerk.
type Level = (LinkState, Vec3, Vec3, f64, f64);

impl Bend {
    /// Of a frame in the world, relative to `origin`; `None` where the rate, the offset or the travel of a joint on the way is off by so
    /// much that rounding could matter in an acceleration.
    pub fn new(chain: &Chain, frame: usize, origin: Vec3, span: Span) -> Option<Self> {
        let mut path = Vec::new();
        let mut at = frame;
        while at != 0 {
            if !is_sharp(&chain.joints[at]) {
                return None;
            }
            path.push(at);
            at = chain.parents[at] as usize;
        }
        let world: Level = (LinkState::WORLD, Vec3::ZERO, Vec3::ZERO, 0.0, 0.0);
        let (state, acceleration, spin_change, jerk, spin_jerk) =
            path.iter().rev().fold(world, |level, &i| child(chain, i, &level, span));
        let (w, l) = (state.rates.spin, state.rates.spin_change);
        Some(Bend {
            half: span.half(),
            origin: state.position.vec3() - origin,
            acceleration,
            spin: state.spin.vec3(),
            spin_change,
            jerk: (jerk, turn_jerk(w, l, spin_jerk)),
            most: (state.rates.acceleration, w * w + l),
        })
    }

    /// Of a point of the frame, where it is at the middle: its acceleration times h^2/2, and how far it can stray from that parabola.
    pub fn of(&self, x: Vec3) -> (Vec3, f64) {
        let r = x - self.origin;
        let a = self.acceleration + self.spin_change.cross(r) + self.spin.cross(self.spin.cross(r));
        let (far, square) = (r.norm(), 0.5 * self.half * self.half);
        let rounding = (self.most.0 + self.most.1 * far) / (1u64 << 30) as f64;
        (a * square, square * (self.half / 3.0 * (self.jerk.0 + self.jerk.1 * far) + rounding) * (1.0 + 1e-9))
    }
}

/// Whether the errors of a joint's own numbers are below 2^-40 of them, so that sums over the longest chains stay below 2^-30.
fn is_sharp(joint: &InBetween) -> bool {
    const SHARE: f64 = 1.0 / (1u64 << 40) as f64;
    joint.rate_error <= SHARE * joint.rate.abs() && joint.offset_error <= SHARE * (joint.arm + joint.speed)
}

fn turn_jerk(w: f64, l: f64, k: f64) -> f64 {
    k + 3.0 * w * l + w * w * w
}

fn child(chain: &Chain, i: usize, (state, a, alpha, jerk, spin_jerk): &Level, span: Span) -> Level {
    let joint = &chain.joints[i];
    let next = chain.step(i, state, span.middle(), span.half());
    let turned = |v| state.rotation.apply(v).vec3();
    let (r, omega) = (next.position.sub(state.position).vec3(), state.spin.vec3());
    let (w, l) = (state.rates.spin, state.rates.spin_change);
    let curl = l + w * w;
    (
        next,
        *a + alpha.cross(r) + omega.cross(omega.cross(r)) + omega.cross(turned(joint.travel)) * 2.0,
        *alpha + omega.cross(turned(joint.axis)) * joint.rate,
        jerk + turn_jerk(w, l, *spin_jerk) * joint.arm + 3.0 * curl * joint.speed,
        spin_jerk + joint.rate.abs() * curl,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use crate::math::pose::Placement;
    use crate::motion::{Carried, Relative};
    use crate::robot::JointKind;
    use proptest::prelude::*;

    proptest! {
        /// Along any direction a point stays within its parabola's bound of its line, and somewhere uses a good part of it.
        #[test]
        fn points_stay_within_the_bend(
            joints in prop::collection::vec(
                (any::<bool>(), prop::array::uniform3(-1.0f64..1.0), prop::array::uniform3(-1.0f64..1.0), -3.0f64..3.0, -4.0f64..4.0), 1..6),
            y in prop::array::uniform3(-1.0f64..1.0), n in prop::array::uniform3(-1.0f64..1.0),
            middle in 0.3f64..0.7, half in 1e-3f64..0.3,
        ) {
            let joints: Vec<InBetween> = std::iter::once(Ok(InBetween::resting(Pose::IDENTITY))).chain(joints.iter().map(|&(turns, axis, at, from, by)| {
                let axis = Vec3::from(axis) + Vec3::new(0.0, 0.0, 2.0);
                let kind = if turns { JointKind::Revolute { axis } } else { JointKind::Prismatic { axis } };
                InBetween::of_joint(kind, &Placement::new(Pose::from_translation(at.into())), Vec3::ZERO, &[from], &[from + by])
            })).collect::<Result<_, _>>().expect("finite");
            let tip = joints.len() - 1;
            let chain = Chain::new((0..joints.len() as u32).map(|i| i.saturating_sub(1)).collect::<Vec<_>>(), joints);
            let here = Placement::new(Pose::IDENTITY);
            let (moving, world) = (Carried { frame: tip, placement: &here }, Carried { frame: 0, placement: &here });
            let relative = Relative::new(&chain, moving, world, 0, Vec3::ZERO);
            let span = Span::new(middle - half, middle + half);
            let (y, n) = (Vec3::from(y), Vec3::from(n));
            let (x, travel) = relative.tube(span).line(y);
            let (bend, stray) = relative.bend(span).expect("the world rests").of(x);
            let allowed = n.dot(bend).abs() + stray * n.norm() + 1e-12;
            for k in 0..=16 {
                let tau = f64::from(k) / 8.0 - 1.0;
                let t = middle + tau * half;
                let at = relative.tube(Span::new(t, t)).line(y).0;
                prop_assert!(n.dot(at - x - travel * tau).abs() <= allowed, "tau {}: {} > {}", tau, n.dot(at - x - travel * tau), allowed);
            }
        }
    }
}
