//! The motion tube: a second-order bound that does not blow up with the length of a chain.
//!
//! ```text
//!      p(t)  ______                       a point y of the body, |t - m| <= h
//!        _--'      '--_                   straight: x + (t - m) x',  x = p + R y,  x' = v + omega x R y  at the middle m
//! ======-======x=======-======  straight  the curve stays within  radius(|y|) = a + b |y|  of it
//! ```
//!
//! Theorem. |p(t) - x - (t - m) x'| <= h^2/2 (A + (W^2 + L) |y|), with A, W, L at least the acceleration of the body's origin, its
//! angular speed and its angular acceleration over the span. Proof: Taylor's theorem with the integral remainder; the second derivative of
//! p + R y is p'' + omega' x R y + omega x (omega x R y), and R keeps lengths. QED
//! Sums of rounding radii (see [`super::chain::Errors`]) are added, so that the true motion lies within radius(|y|) of the computed line.
//!
//! For a body seen from another moving body B, with r = x - o_B: in B's axes r'' - 2 omega_B x r' + omega_B x (omega_B x r) - omega_B' x r,
//! so |..| <= A_A + A_B + 2 W_B (V_A + V_B + W_A |y|) + (W_B^2 + L_B) (|r_0| + |y|) + (W_A^2 + L_A) |y|, all relative to a common ancestor:
//! what both bodies share cancels.

use super::chain::{Errors, LinkState, Rates};
use super::span::Span;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::pose::Placement;
use crate::math::rounding::{INFLATE, U};
use crate::math::{M4, V4, Vec3};

/// Where a body can be during a span, in the frame of what rests.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tube {
    /// The middle of the span, and half its length.
    pub middle: f64,
    pub half: f64,
    /// Rotation, position and their rates of change at the middle.
    pub rotation: M4,
    pub position: V4,
    pub rotation_rate: M4,
    pub velocity: V4,
    /// Angular velocity and velocity in the body's own axes.
    pub spin_local: V4,
    pub velocity_local: V4,
    /// At least the acceleration of the body's origin over the span, and what it grows by per distance from there.
    acceleration: f64,
    bend: f64,
    /// `radius(|y|) = radius_at_origin + radius_per_reach * |y|`.
    radius_at_origin: f64,
    radius_per_reach: f64,
    /// The part of the radius that is no bending: errors of the line itself.
    line_error_at_origin: f64,
    line_error_per_reach: f64,
    /// The part of the radius that is rounding, at the middle.
    rounding_at_origin: f64,
    rounding_per_reach: f64,
}

impl Tube {
    /// A body carried by a frame, in the world relative to `origin`.
    #[inline(always)]
    pub fn in_world(state: &LinkState, errors: &Errors, frame_from_body: &Placement, origin: Vec3, span: Span) -> Tube {
        let (state, errors) = attach(state, errors, frame_from_body);
        Tube::assemble(state, errors, state.rates.acceleration, curl(&state.rates), origin, span)
    }

    /// Body A seen from body B. `from_ancestor` are the rates of A's and B's frames relative to a common ancestor.
    #[inline(always)]
    pub fn between(
        a: (&LinkState, &Errors, &Placement),
        b: (&LinkState, &Errors, &Placement),
        from_ancestor: (Rates, Rates),
        origin: Vec3,
        span: Span,
    ) -> Tube {
        let (mut sa, ea) = attach(a.0, a.1, a.2);
        let (mut sb, eb) = attach(b.0, b.1, b.2);
        (sa.rates, sb.rates) = (carried(&from_ancestor.0, a.2), carried(&from_ancestor.1, b.2));
        let back = sb.rotation.transpose();
        let apart = sa.position.sub(sb.position);
        let r = apart.norm();
        let state = LinkState {
            rotation: back.mul(&sa.rotation),
            position: back.apply(apart),
            spin: back.apply(sa.spin.sub(sb.spin)),
            velocity: back.apply(sa.velocity.sub(sb.velocity).sub(sb.spin.cross(apart))),
            rates: sa.rates,
        };
        // World speeds enter the rounding, relative ones the bound.
        let (wa, wb) = (sa.spin.norm(), sb.spin.norm());
        let speed = sa.velocity.norm() + sb.velocity.norm() + wb * r;
        let position = ea.position + eb.position + 2.0 * U * (ea.reach + eb.reach);
        let errors = Errors {
            rotation: ea.rotation + eb.rotation + 16.0 * U,
            position: position + (eb.rotation + 8.0 * U) * r,
            spin: ea.spin + eb.spin + (eb.rotation + 16.0 * U) * (wa + wb),
            velocity: ea.velocity + eb.velocity + eb.spin * r + wb * position + (eb.rotation + 32.0 * U) * speed,
            reach: r,
        };
        let (ra, rb) = (&sa.rates, &sb.rates);
        let far = r + position + span.half() * (ra.speed + rb.speed);
        let acceleration = ra.acceleration + rb.acceleration + 2.0 * rb.spin * (ra.speed + rb.speed) + curl(rb) * far;
        let bend = curl(ra) + 2.0 * rb.spin * ra.spin + curl(rb);
        Tube::assemble(state, errors, acceleration, bend, origin, span)
    }

    #[inline(always)]
    fn assemble(state: LinkState, errors: Errors, acceleration: f64, bend: f64, origin: Vec3, span: Span) -> Tube {
        let half = span.half();
        let position = state.position.sub(origin.into());
        let rotation_rate = state.rotation.crossed(state.spin);
        let (speed, spin) = (state.velocity.vec3().norm1(), state.spin.vec3().norm1());
        // x = p + R y and h x' = h (v + (omega x R) y) are rounded by 8 u and 16 u of their parts.
        let quadratic = 0.5 * half * half;
        let rounding_at_origin = errors.position + 8.0 * U * (position.vec3().norm1() + origin.norm1());
        let rounding_per_reach = errors.rotation + 8.0 * U;
        let line_error_at_origin = rounding_at_origin + half * errors.velocity + 16.0 * U * half * speed;
        let line_error_per_reach = rounding_per_reach + half * errors.spin + 16.0 * U * half * spin;
        let radius_at_origin = quadratic * acceleration + line_error_at_origin;
        let radius_per_reach = quadratic * bend + line_error_per_reach;
        Tube {
            middle: span.middle(),
            half,
            rotation: state.rotation,
            position,
            rotation_rate,
            velocity: state.velocity,
            spin_local: state.rotation.transpose_apply(state.spin),
            velocity_local: state.rotation.transpose_apply(state.velocity),
            acceleration,
            bend,
            radius_at_origin: radius_at_origin * INFLATE,
            radius_per_reach: radius_per_reach * INFLATE,
            line_error_at_origin: line_error_at_origin * INFLATE,
            line_error_per_reach: line_error_per_reach * INFLATE,
            rounding_at_origin: rounding_at_origin * INFLATE,
            rounding_per_reach: rounding_per_reach * INFLATE,
        }
    }

    /// How far a point at most `reach` from the body's origin can stray from its straight line, rounding included.
    #[inline(always)]
    pub fn radius(&self, reach: f64) -> f64 {
        (self.radius_at_origin + self.radius_per_reach * reach) * INFLATE
    }

    /// At least the acceleration of such a point within the span.
    #[inline(always)]
    pub fn acceleration(&self, reach: f64) -> f64 {
        (self.acceleration + self.bend * reach) * INFLATE
    }

    /// How far the computed line of such a point can be from the true one, within the span.
    #[inline(always)]
    pub fn line_error(&self, reach: f64) -> f64 {
        (self.line_error_at_origin + self.line_error_per_reach * reach) * INFLATE
    }

    /// How far the computed place of such a point at the middle of the span can be from the true one.
    #[inline(always)]
    pub fn rounding(&self, reach: f64) -> f64 {
        (self.rounding_at_origin + self.rounding_per_reach * reach) * INFLATE
    }

    /// A box that holds a box of the body (centre, half sides, and at least the distance of its points from the body's origin) throughout
    /// the span: see [`crate::search::sweep::swept_box::Sweep`], of which this is the plain form.
    pub fn enclose_box(&self, center: Vec3, half: Vec3, reach: f64) -> Aabb {
        let (at, travel) = self.line(center);
        let spread = self.rotation.abs().add(&self.rotation_rate.abs().scale(self.half)).apply(half.into()).vec3();
        let size = (spread + travel.abs() + Vec3::splat(self.radius(reach))) * (1.0 + 16.0 * U) + at.abs() * (16.0 * U);
        Aabb { lo: at - size, hi: at + size }
    }

    /// A point of the body at the middle of the span, and how far it moves along its line in half the span.
    #[inline(always)]
    pub fn line4(&self, y: V4) -> (V4, V4) {
        (self.position.add(self.rotation.apply(y)), self.velocity.add(self.rotation_rate.apply(y)).scale(self.half))
    }

    /// [`Tube::line4`], for plain vectors.
    #[inline(always)]
    pub fn line(&self, y: Vec3) -> (Vec3, Vec3) {
        let (x, dx) = self.line4(y.into());
        (x.vec3(), dx.vec3())
    }
}

/// W^2 + L: acceleration per distance from the origin.
#[inline(always)]
fn curl(rates: &Rates) -> f64 {
    rates.spin * rates.spin + rates.spin_change
}

/// Rates of a body's origin that sits at an offset in its frame.
#[inline(always)]
fn carried(rates: &Rates, frame_from_body: &Placement) -> Rates {
    let arm = frame_from_body.pose.translation.norm() * INFLATE + frame_from_body.position_error;
    Rates { speed: rates.speed + rates.spin * arm, acceleration: rates.acceleration + curl(rates) * arm, ..*rates }
}

/// State and errors of a body from those of the frame that carries it.
#[inline(always)]
fn attach(state: &LinkState, errors: &Errors, frame_from_body: &Placement) -> (LinkState, Errors) {
    if frame_from_body.is_exact_identity() {
        return (*state, *errors);
    }
    let r = state.rotation.apply(frame_from_body.pose.translation.into());
    let arm = frame_from_body.pose.translation.norm() * INFLATE + frame_from_body.position_error;
    let moved = LinkState {
        rotation: state.rotation.mul(&frame_from_body.pose.rotation.into()),
        position: state.position.add(r),
        spin: state.spin,
        velocity: state.velocity.add(state.spin.cross(r)),
        rates: carried(&state.rates, frame_from_body),
    };
    let errors = Errors {
        rotation: errors.rotation + frame_from_body.rotation_error + 16.0 * U,
        position: errors.position
            + frame_from_body.position_error
            + (errors.rotation + 8.0 * U) * arm
            + 2.0 * U * (errors.reach + arm),
        spin: errors.spin,
        velocity: errors.velocity
            + errors.spin * arm
            + state.spin.norm() * ((errors.rotation + 16.0 * U) * arm + frame_from_body.position_error)
            + 4.0 * U * moved.velocity.vec3().norm1(),
        reach: errors.reach + arm,
    };
    (moved, errors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use crate::motion::{Carried, Chain, InBetween, Relative, Span};
    use crate::robot::JointKind;
    use proptest::prelude::*;

    /// Random chains of revolute and prismatic joints: values, axes, offsets.
    fn chain() -> impl Strategy<Value = Chain> {
        let joint =
            (any::<bool>(), prop::array::uniform3(-1.0f64..1.0), prop::array::uniform3(-1.0f64..1.0), -3.0f64..3.0, -4.0f64..4.0);
        prop::collection::vec(joint, 1..7).prop_map(|spec| {
            let mut joints = vec![InBetween::resting(Pose::IDENTITY)];
            for (turns, axis, offset, q0, q1) in &spec {
                let axis = Vec3::from(*axis) + Vec3::splat(1e-3);
                let kind = if *turns { JointKind::Revolute { axis } } else { JointKind::Prismatic { axis } };
                let pose = Pose::from_rpy(Vec3::from(*offset), Vec3::from(*offset)).expect("finite");
                joints.push(InBetween::of_joint(kind, &Placement::new(pose), Vec3::ZERO, &[*q0], &[*q1]).expect("in range"));
            }
            Chain::new((0..joints.len() as u32).map(|i| i.saturating_sub(1)).collect::<Vec<_>>(), joints)
        })
    }

    /// The largest `distance / radius` over samples of the span: how much of the tube the true motion uses.
    fn use_of_tube(tube_of: impl Fn(f64, f64) -> Tube, middle: f64, half: f64, y: Vec3) -> f64 {
        let tube = tube_of(middle, half);
        let (x, dx) = tube.line(y);
        (0..=40)
            .map(|k| {
                let tau = k as f64 / 20.0 - 1.0;
                let (p, _) = tube_of(middle + tau * half, 0.0).line(y);
                (p - (x + dx * tau)).norm() / tube.radius(y.norm())
            })
            .fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn the_motion_stays_in_the_tube(
            chain in chain(), t in 0.0f64..0.9, length in 1e-4f64..0.1, y in prop::array::uniform3(-1.0f64..1.0),
        ) {
            let tip = chain.joints.len() - 1;
            let tube = |m: f64, h: f64| Tube::in_world(&chain.state(tip, m, h), &chain.errors[tip], &Placement::new(Pose::IDENTITY), Vec3::ZERO, Span::new(m - h, m + h));
            prop_assert!(use_of_tube(tube, t + length / 2.0, length / 2.0, y.into()) <= 1.0);
        }

        #[test]
        fn the_motion_seen_from_another_body_stays_in_its_tube(
            trunk in chain(), a in chain(), b in chain(), t in 0.0f64..0.9, length in 1e-4f64..0.1, y in prop::array::uniform3(-1.0f64..1.0),
        ) {
            // Two branches on a common trunk.
            let (mut parents, mut joints) = (trunk.parents.to_vec(), trunk.joints.clone());
            let fork = joints.len() - 1;
            let mut tips = [0; 2];
            for (tip, branch) in tips.iter_mut().zip([&a, &b]) {
                let mut parent = fork;
                for j in &branch.joints[1..] {
                    parents.push(parent as u32);
                    joints.push(*j);
                    parent = joints.len() - 1;
                }
                *tip = parent;
            }
            let chain = Chain::new(parents, joints);
            let offset = Pose::from_rpy(Vec3::new(0.3, -0.2, 0.1), Vec3::new(1.0, 2.0, 0.5)).expect("finite");
            let offset = Placement::new(offset);
            let [a, b] = tips.map(|frame| Carried { frame, placement: &offset });
            let relative = Relative::new(&chain, a, b, fork, Vec3::new(0.1, 0.2, 0.3));
            let tube = |m: f64, h: f64| relative.tube(Span::new(m - h, m + h));
            prop_assert!(use_of_tube(tube, t + length / 2.0, length / 2.0, y.into()) <= 1.0);
        }
    }

    fn turning(axes: [Vec3; 2]) -> Chain {
        let turn = |axis: Vec3| {
            InBetween::of_joint(JointKind::Revolute { axis }, &Placement::new(Pose::IDENTITY), Vec3::ZERO, &[0.0], &[1.0])
                .expect("in range")
        };
        Chain::new(vec![0, 0, 1], vec![InBetween::resting(Pose::IDENTITY), turn(axes[0]), turn(axes[1])])
    }

    /// Two crossing axes: the point on the first axis feels angular acceleration as much as it can.
    #[test]
    fn crossing_axes_use_most_of_the_tube() {
        let chain = turning([Vec3::unit(2), Vec3::unit(0)]);
        let (at, world) = (Placement::new(Pose::IDENTITY), Placement::new(Pose::IDENTITY));
        let relative =
            Relative::new(&chain, Carried { frame: 2, placement: &at }, Carried { frame: 0, placement: &world }, 0, Vec3::ZERO);
        let share = use_of_tube(|m, h| relative.tube(Span::new(m - h, m + h)), 0.02, 0.01, Vec3::unit(2));
        assert!(share > 0.72 && share <= 1.0, "{share}");
    }

    /// A point that rests, seen from a turning body, and the other way round.
    #[test]
    fn what_rests_moves_when_seen_from_a_turning_body() {
        let chain = turning([Vec3::unit(2), Vec3::unit(2)]);
        let at = Placement::new(Pose::IDENTITY);
        let far = Placement::new(Pose::from_translation(Vec3::new(3.0, 0.0, 0.0)));
        let relative =
            Relative::new(&chain, Carried { frame: 0, placement: &far }, Carried { frame: 2, placement: &at }, 0, Vec3::ZERO);
        let share = use_of_tube(|m, h| relative.tube(Span::new(m - h, m + h)), 0.5, 0.01, Vec3::ZERO);
        assert!(share > 0.79 && share <= 1.0, "{share}");
    }

    /// The bound is sharp enough that losing half of it is noticed: uniform rotation uses nearly all of it.
    #[test]
    fn a_turning_point_uses_nearly_the_whole_tube() {
        let turn = InBetween::of_joint(
            JointKind::Revolute { axis: Vec3::unit(2) },
            &Placement::new(Pose::IDENTITY),
            Vec3::ZERO,
            &[0.0],
            &[1.0],
        )
        .expect("in range");
        let chain = Chain::new(vec![0, 0], vec![InBetween::resting(Pose::IDENTITY), turn]);
        let tube = |m: f64, h: f64| {
            Tube::in_world(
                &chain.state(1, m, h),
                &chain.errors[1],
                &Placement::new(Pose::IDENTITY),
                Vec3::ZERO,
                Span::new(m - h, m + h),
            )
        };
        let share = use_of_tube(tube, 0.5, 0.05, Vec3::unit(0));
        assert!(share > 0.99 && share <= 1.0, "{share}");
    }

    /// Rounding alone: a span of no length still has a radius, and exact positions lie within it.
    #[test]
    fn the_rounding_radius_covers_the_exact_position() {
        // A prismatic joint at 1/3 along (1, 1, 1)/sqrt(3), ten times: the tip is at 10/3 / sqrt(3) in each coordinate.
        let axis = Vec3::splat(1.0);
        let slide =
            InBetween::of_joint(JointKind::Prismatic { axis }, &Placement::new(Pose::IDENTITY), Vec3::ZERO, &[0.0], &[1.0 / 3.0])
                .expect("in range");
        let chain = Chain::new((0..11u32).map(|i| i.saturating_sub(1)).collect::<Vec<_>>(), {
            let mut j = vec![InBetween::resting(Pose::IDENTITY)];
            j.extend([slide; 10]);
            j
        });
        let tube = Tube::in_world(
            &chain.state(10, 1.0, 0.0),
            &chain.errors[10],
            &Placement::new(Pose::IDENTITY),
            Vec3::ZERO,
            Span::new(1.0, 1.0),
        );
        // 10/3 as the f64 1/3 times ten, over sqrt(3), to 33 digits, split into a double and a rest.
        let (high, low) = (1.924500897298752, 5.4827958396e-17);
        let off = (tube.position.vec3() - Vec3::splat(high) - Vec3::splat(low)).norm();
        assert!(off > 0.0, "nothing rounds: the test shows nothing");
        for radius in [tube.radius(0.0), tube.line_error(0.0), tube.rounding(0.0)] {
            assert!(off <= radius, "{off:e} {radius:e}");
        }
        assert!(tube.radius(0.0) < 1e-12);
    }
}
