//! What an assembly tree composes: poses at an instant, or bounds over a span.

use crate::math::rounding::{INFLATE, U};
use crate::math::{Pose, V4};
use crate::motion::chain::{Errors, LinkState, Rates};
use crate::motion::in_between::InBetween;
use crate::motion::interval_chain::IntervalMotion;
use crate::motion::span::Span;

/// A rigid transform, or a set of them: what is composed is composed for every member.
pub trait Transform: Clone {
    /// Nothing moves.
    const IDENTITY: Self;

    /// First `inner`, then this one.
    fn after(&self, inner: &Self) -> Self;

    /// The other way round.
    fn inverse(&self) -> Self;
}

impl Transform for Pose {
    const IDENTITY: Pose = Pose::IDENTITY;

    fn after(&self, inner: &Pose) -> Pose {
        *self * *inner
    }

    fn inverse(&self) -> Pose {
        Pose::inverse(self)
    }
}

impl Transform for IntervalMotion {
    const IDENTITY: IntervalMotion = IntervalMotion::WORLD;

    fn after(&self, inner: &IntervalMotion) -> IntervalMotion {
        self.then(inner)
    }

    fn inverse(&self) -> IntervalMotion {
        self.undone()
    }
}

/// How one frame moves relative to another: its state at the middle of a span with bounds over all of it, and what rounding did to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carry {
    pub state: LinkState,
    pub errors: Errors,
    half: f64,
}

impl Carry {
    /// A joint over a span.
    pub fn of_joint(joint: &InBetween, span: Span) -> Self {
        let errors = Errors::default().child(joint, &Rates::default(), &Rates::default().child(joint));
        let state = LinkState::WORLD.child(joint, &errors, span.middle(), span.half());
        Carry { state, errors, half: span.half() }
    }

    /// At least the distance of the origin from the other frame's, over the span.
    fn arm(&self) -> f64 {
        (self.state.position.norm() + self.errors.position + self.half * self.state.rates.speed) * INFLATE
    }

    /// The rates, or what the state at the middle says of them, whichever is less.
    fn sharpened(state: LinkState, errors: Errors, half: f64) -> Self {
        let rates = &state.rates;
        let spin = (state.spin.norm() + errors.spin + half * rates.spin_change) * INFLATE;
        let speed = (state.velocity.norm() + errors.velocity + half * rates.acceleration) * INFLATE;
        let rates = Rates { spin: rates.spin.min(spin), speed: rates.speed.min(speed), ..*rates };
        Carry { state: LinkState { rates, ..state }, errors, half }
    }
}

/// Motions g(t) = (R, p) with angular velocity w, |w| <= W, |w'| <= L, |p'| <= V, |p''| <= A, |p| <= P.
///
/// Composed, g1 g2 = (R1 R2, p1 + R1 p2): w = w1 + R1 w2, so W = W1 + W2 and L = L1 + L2 + W1 W2; with r = R1 p2,
/// p' = p1' + w1 x r + R1 p2' and p'' = p1'' + w1' x r + w1 x (w1 x r) + 2 w1 x R1 p2' + R1 p2''. Undone, (R^T, -R^T p): w turns into
/// -R^T w, whose derivative is -R^T w' (for w x w = 0), and q = -R^T p has q' = R^T (w x p - p') and
/// q'' = R^T (-w x (w x p) + 2 w x p' + w' x p - p''). Take norms. Errors go through the same formulas: a rotated vector rounds by 8 u of
/// its length, a product of rotations by 16 u, and a wrong rotation moves a vector by its error times the length.
impl Transform for Carry {
    const IDENTITY: Carry = Carry { state: LinkState::WORLD, errors: Errors::NONE, half: 0.0 };

    fn after(&self, inner: &Carry) -> Carry {
        let (a, b, ea, eb) = (&self.state, &inner.state, &self.errors, &inner.errors);
        let (wa, wb) = (&a.rates, &b.rates);
        let arm = inner.arm();
        let r = a.rotation.apply(b.position);
        let spin = a.spin.add(a.rotation.apply(b.spin));
        let velocity = a.velocity.add(a.spin.cross(r)).add(a.rotation.apply(b.velocity));
        let rates = Rates {
            spin: (wa.spin + wb.spin) * INFLATE,
            spin_change: (wa.spin_change + wb.spin_change + wa.spin * wb.spin) * INFLATE,
            speed: (wa.speed + wa.spin * arm + wb.speed) * INFLATE,
            acceleration: (wa.acceleration
                + (wa.spin * wa.spin + wa.spin_change) * arm
                + 2.0 * wa.spin * wb.speed
                + wb.acceleration)
                * INFLATE,
        };
        let position = ea.rotation * arm + eb.position + 8.0 * U * arm;
        let errors = Errors {
            rotation: (ea.rotation + eb.rotation + 16.0 * U) * INFLATE,
            position: (ea.position + position + 4.0 * U * (ea.reach + arm)) * INFLATE,
            spin: (ea.spin + (ea.rotation + 8.0 * U) * wb.spin + eb.spin + 4.0 * U * rates.spin) * INFLATE,
            velocity: (ea.velocity
                + ea.spin * arm
                + wa.spin * position
                + (ea.rotation + 8.0 * U) * wb.speed
                + eb.velocity
                + 16.0 * U * rates.speed)
                * INFLATE,
            reach: (ea.reach + arm) * INFLATE,
        };
        let state = LinkState { rotation: a.rotation.mul(&b.rotation), position: a.position.add(r), spin, velocity, rates };
        Carry::sharpened(state, errors, self.half.max(inner.half))
    }

    fn inverse(&self) -> Carry {
        let (s, e, w) = (&self.state, &self.errors, &self.state.rates);
        let arm = self.arm();
        let back = s.rotation.transpose();
        let minus = |v: V4| V4::from(crate::Vec3::ZERO).sub(v);
        let rates = Rates {
            spin: w.spin,
            spin_change: w.spin_change,
            speed: (w.speed + w.spin * arm) * INFLATE,
            acceleration: (w.acceleration + 2.0 * w.spin * w.speed + (w.spin * w.spin + w.spin_change) * arm) * INFLATE,
        };
        let errors = Errors {
            rotation: e.rotation,
            position: (e.position + (e.rotation + 8.0 * U) * arm) * INFLATE,
            spin: (e.spin + (e.rotation + 8.0 * U) * w.spin) * INFLATE,
            velocity: (e.velocity + e.spin * arm + w.spin * (e.position + 8.0 * U * arm) + (e.rotation + 16.0 * U) * rates.speed)
                * INFLATE,
            reach: arm,
        };
        let state = LinkState {
            rotation: back,
            position: minus(back.apply(s.position)),
            spin: minus(back.apply(s.spin)),
            velocity: back.apply(s.spin.cross(s.position).sub(s.velocity)),
            rates,
        };
        Carry::sharpened(state, errors, self.half)
    }
}
