//! The in-between motion of one joint: rotation at a constant rate about a fixed axis while translating at a constant rate.
//!
//! ```text
//! parent_from_link(t) = translate(c + t s) * rotate(u, w t) * R0                         [Redon 2004, equations 2 to 5]
//! rotate(u, w t) * R0 = cos(w t) A + sin(w t) B + C,   A = R0 - C,  B = u* R0,  C = u u^T R0
//! ```
//!
//! Every URDF joint and every free body between two poses is of this form. Angles are followed as given, any number of turns.

use crate::Error;
use crate::geometry::mesh::MAX_COORDINATE;
use crate::math::pose::{self, Placement, check_rigid, rotation_error, rotation_from_quaternion, unit_quaternion};
use crate::math::rounding::U;
use crate::math::trig::{MAX_ANGLE, sin_cos};
use crate::math::{M4, Mat3, Pose, V4, Vec3};
use crate::robot::JointKind;

/// The motion of a free body: `translate(start + t * travel) * exp(t * rotation_vector) * rotation(start)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMotion {
    /// Pose at t = 0.
    pub start: Pose,
    /// Where the origin is at t = 1.
    pub end_position: Vec3,
    /// Axis times angle, in the world; any number of turns.
    pub rotation_vector: Vec3,
}

impl RigidMotion {
    /// Rests at `pose`.
    pub fn resting(pose: Pose) -> Self {
        RigidMotion { start: pose, end_position: pose.translation, rotation_vector: Vec3::ZERO }
    }

    /// From two positions and two quaternions `[w, x, y, z]`: turns the short way, by at most pi. At exactly pi the axis is the vector
    /// part of `q1 * conjugate(q0)` with the sign as given.
    ///
    /// # Errors
    /// If a quaternion is not of unit length or a number is not finite.
    pub fn between(p0: Vec3, q0: [f64; 4], p1: Vec3, q1: [f64; 4]) -> Result<Self, Error> {
        let rotation_vector = rotation_vector_between(q0, q1)?;
        Ok(RigidMotion { start: Pose::from_quaternion(p0, q0)?, end_position: p1, rotation_vector })
    }

    /// From one pose to another: turns the short way, as [`RigidMotion::between`] does.
    ///
    /// # Errors
    /// If a rotation is none or a number is not finite.
    pub fn between_poses(from: &Pose, to: &Pose) -> Result<Self, Error> {
        Self::between(from.translation, from.quaternion(), to.translation, to.quaternion())
    }
}

/// One joint's motion over t in [0, 1], ready to evaluate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InBetween {
    pub cos_part: M4,
    pub sin_part: M4,
    pub constant: M4,
    /// Unit axis u, in the parent.
    pub axis: V4,
    /// Rate w, radians per unit of t.
    pub rate: f64,
    /// At least |computed - true| rate, beyond one rounding: what was wrong with the values that it is the difference of.
    pub rate_error: f64,
    /// Offset c and travel s, in the parent.
    pub offset: V4,
    pub travel: V4,
    /// |s|.
    pub speed: f64,
    /// At least |c + t s|.
    pub arm: f64,
    /// At least the spectral norm of (computed - true) rotation at any t.
    pub rotation_error: f64,
    /// At least the length of (computed - true) offset at any t; for the travel too.
    pub offset_error: f64,
}

/// Rounding of a joint's local rotation, apart from the angle's own. R0, as given or out of a quaternion, is off by 32 u; the axis by 24 u, so
/// u u^T by 48 u, which enters A and C, and u* by 24 u; sine and cosine of the start and of the angle by 8 u each, in A and B; putting A and B
/// together rounds by 16 u, evaluation by 30 u; sum 230 u.
const ROTATION_ERROR: f64 = 256.0 * U;

/// How often the error of a joint's placement enters its rotation: its rotation R is off by d and may be none, and is in R0 and in the axis
/// u = R a. The rotation is cos(q) R0 + (1 - cos(q)) u u^T R0 + sin(q) u* R0; R0 and u are off by d, u u^T R0 by 3 d, u* R0 by 2 d. In all
/// |cos(q)| + 3 (1 - cos(q)) + 2 |sin(q)| times d, at most 3 + sqrt(20) < 7.5; 8 has room for products of errors.
const PLACEMENT_SHARE: f64 = 8.0;

/// `rotate(u, q) * R0 = cos(q) A + sin(q) B + C`.
#[derive(Clone, Copy, Debug)]
struct Turn {
    axis: Vec3,
    cos_part: M4,
    sin_part: M4,
    constant: M4,
}

impl Turn {
    /// About a unit axis.
    #[inline(always)]
    fn new(r0: Mat3, axis: Vec3) -> Self {
        // u u^T R0 and u* R0, without forming u u^T and u*.
        let constant = Mat3::outer(axis, r0.transpose_mul(axis));
        Turn { axis, cos_part: (r0 - constant).into(), sin_part: M4::from(r0).crossed(axis.into()), constant: constant.into() }
    }

    /// Begun at an angle: `cos(q + p) A + sin(q + p) B = cos(p) (cos(q) A + sin(q) B) + sin(p) (cos(q) B - sin(q) A)`.
    #[inline(always)]
    fn from(&self, angle: f64) -> Self {
        let (s, c) = sin_cos(angle);
        let (cos_part, sin_part) = (&self.cos_part, &self.sin_part);
        Turn {
            cos_part: cos_part.scale(c).add(&sin_part.scale(s)),
            sin_part: sin_part.scale(c).add(&cos_part.scale(-s)),
            ..*self
        }
    }
}

/// A joint where it sits: what all its motions share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Socket {
    kind: JointKind,
    place: Placement,
    turn: Turn,
    /// The directions in which it slides, in the parent.
    slides: [Vec3; 2],
}

impl Socket {
    pub fn new(kind: JointKind, place: Placement) -> Self {
        let rotation = place.pose.rotation;
        let (axis, slides) = match kind {
            JointKind::Fixed | JointKind::Floating => (Vec3::unit(2), [Vec3::ZERO; 2]),
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => (rotation * unit(axis), [Vec3::ZERO; 2]),
            // It does not turn: any axis does.
            JointKind::Prismatic { axis } => (Vec3::unit(2), [rotation * unit(axis), Vec3::ZERO]),
            JointKind::Planar { axis } => {
                let (e1, e2) = plane_axes(unit(axis));
                (rotation * unit(axis), [rotation * e1, rotation * e2])
            }
        };
        Socket { kind, place, turn: Turn::new(rotation, axis), slides }
    }

    /// The same joint, seen from where its parent stands.
    pub fn within(&self, parent: &Placement) -> Self {
        Socket::new(self.kind, parent.after(&self.place))
    }

    /// The joint goes from values `q0` to `q1` (as many as its kind takes), each within `value_error` of the described ones; `origin` is
    /// subtracted from its offset.
    ///
    /// Values run along straight lines, so at any t the value is within `value_error`, and its rate within twice that.
    ///
    /// # Errors
    /// If a value is not finite, or an angle or position is out of range.
    #[inline(always)]
    pub fn between(&self, origin: Vec3, q0: &[f64], q1: &[f64], value_error: f64) -> Result<InBetween, Error> {
        check_values(self.kind, q0)?;
        check_values(self.kind, q1)?;
        let Placement { pose: Pose { rotation, translation }, rotation_error, position_error } = self.place;
        let translation = translation - origin;
        let [e1, e2] = self.slides;
        let mut joint = match self.kind {
            JointKind::Fixed => InBetween::assemble(self.turn, 0.0, translation, Vec3::ZERO, 0.0),
            JointKind::Revolute { .. } | JointKind::Continuous { .. } => {
                InBetween::assemble(self.turn.from(q0[0]), q1[0] - q0[0], translation, Vec3::ZERO, 0.0)
            }
            JointKind::Prismatic { .. } => {
                let (c, s) = (translation + e1 * q0[0], e1 * (q1[0] - q0[0]));
                InBetween::assemble(self.turn, 0.0, c, s, q0[0].abs() + q1[0].abs())
            }
            JointKind::Planar { .. } => {
                let at = |q: &[f64]| e1 * q[0] + e2 * q[1];
                let size = q0[0].abs() + q0[1].abs() + q1[0].abs() + q1[1].abs();
                InBetween::assemble(self.turn.from(q0[2]), q1[2] - q0[2], translation + at(q0), at(q1) - at(q0), size)
            }
            JointKind::Floating => {
                let (p0, p1) = (Vec3::new(q0[0], q0[1], q0[2]), Vec3::new(q1[0], q1[1], q1[2]));
                let quaternion = |q: &[f64]| [q[3], q[4], q[5], q[6]];
                let v = rotation_vector_between(quaternion(q0), quaternion(q1))?;
                let r0 = rotation * rotation_from_quaternion(quaternion(q0))?;
                let (c, s) = (translation + rotation * p0, rotation * (p1 - p0));
                let mut m = InBetween::turning(r0, rotation * v, c, s, p0.norm1() + p1.norm1());
                m.rotation_error += 64.0 * U;
                m
            }
        };
        joint.rotation_error += PLACEMENT_SHARE * rotation_error;
        joint.offset_error += position_error + rotation_error * (joint.speed + slide_size(self.kind, q0));
        if value_error > 0.0 {
            joint.blur(self.kind, value_error);
        }
        joint.arm += joint.offset_error;
        Ok(joint)
    }
}

impl InBetween {
    /// Each value of this joint is off by at most `value_error`: a turn by an angle e moves a unit vector by at most e, a slide by e moves the
    /// offset by e and its travel by twice that. A unit quaternion that is off by e in four numbers is off by 2 e in length, its rotation by
    /// 4 e, and so are the turn between two by 8 e, and its rate.
    #[cold]
    fn blur(&mut self, kind: JointKind, value_error: f64) {
        match kind {
            JointKind::Revolute { .. } | JointKind::Continuous { .. } => {
                self.rotation_error += value_error;
                self.rate_error += 2.0 * value_error;
            }
            JointKind::Prismatic { .. } => self.offset_error += 2.0 * value_error,
            JointKind::Planar { .. } => {
                self.rotation_error += value_error;
                self.rate_error += 2.0 * value_error;
                self.offset_error += 4.0 * value_error;
            }
            JointKind::Floating => {
                self.rotation_error += 16.0 * value_error;
                self.rate_error += 16.0 * value_error;
                self.offset_error += 4.0 * value_error;
            }
            JointKind::Fixed => {}
        }
    }

    /// The same motion between ends that are products of poses whose translations are at most `reach` in length: each rotation is off by 16 u,
    /// an inverse is a transpose, a product rounds by 16 u, the quaternion of a matrix by 16 u, so the turn between two is off by less than
    /// 256 u, and so is its rate. Rotated and added translations are off by 32 u of the lengths.
    pub fn of_rounded_ends(mut self, reach: f64) -> Self {
        self.rotation_error += 256.0 * U;
        self.rate_error += 256.0 * U;
        self.offset_error += 64.0 * U * reach;
        self.arm += 64.0 * U * reach;
        self
    }

    /// Nothing moves.
    pub fn resting(pose: Pose) -> Self {
        InBetween::assemble(Turn::new(pose.rotation, Vec3::unit(2)), 0.0, pose.translation, Vec3::ZERO, 0.0)
    }

    /// [`Socket::between`] for a joint that is asked once.
    ///
    /// # Errors
    /// If a value is not finite, or an angle or position is out of range.
    #[cfg(test)]
    pub fn of_joint(kind: JointKind, place: &Placement, origin: Vec3, q0: &[f64], q1: &[f64]) -> Result<Self, Error> {
        Socket::new(kind, *place).between(origin, q0, q1, 0.0)
    }

    /// A free body.
    ///
    /// # Errors
    /// If a number is not finite or out of range.
    pub fn of_rigid(m: &RigidMotion, origin: Vec3) -> Result<Self, Error> {
        check_rigid(&m.start, "start of a rigid motion")?;
        for (v, what) in [(m.end_position, "end"), (m.rotation_vector, "rotation vector")] {
            if !v.is_finite() {
                return Err(Error::NonFinite { what: format!("{what} of a rigid motion") });
            }
        }
        check_size("rotation vector", m.rotation_vector.max_abs(), MAX_ANGLE / 2.0)?;
        check_size("position", m.start.translation.max_abs().max(m.end_position.max_abs()), MAX_COORDINATE)?;
        let travel = m.end_position - m.start.translation;
        let mut b = InBetween::turning(m.start.rotation, m.rotation_vector, m.start.translation - origin, travel, 0.0);
        // The start's own matrix is off by up to 32 u, or by more where it was made otherwise.
        b.rotation_error += 64.0 * U + (rotation_error(&m.start.rotation) - pose::ROTATION_ERROR).max(0.0);
        Ok(b)
    }

    fn turning(r0: Mat3, rotation_vector: Vec3, c: Vec3, s: Vec3, size: f64) -> Self {
        let angle = rotation_vector.norm();
        let axis = if angle > 0.0 { rotation_vector * (1.0 / angle) } else { Vec3::unit(2) };
        InBetween::assemble(Turn::new(r0, axis), angle, c, s, size)
    }

    /// `size` bounds whatever coordinates went into `c` and `s` besides themselves.
    #[inline(always)]
    fn assemble(turn: Turn, rate: f64, offset: Vec3, travel: Vec3, size: f64) -> Self {
        let Turn { axis, cos_part, sin_part, constant } = turn;
        let (c0, c1) = (offset.norm(), (offset + travel).norm());
        // c and s are sums of at most three vectors, rounded once each, of which those of `size` were rotated, with errors below 64 u of
        // that; evaluation adds 2 u.
        let speed = travel.norm();
        let offset_error = 8.0 * U * (c0 + speed) + 128.0 * U * size;
        InBetween {
            cos_part,
            sin_part,
            constant,
            axis: axis.into(),
            rate,
            rate_error: 0.0,
            offset: offset.into(),
            travel: travel.into(),
            speed,
            arm: c0.max(c1) * (1.0 + 8.0 * U) + offset_error,
            // The angle w t: w = q1 - q0 and the product are rounded once each.
            rotation_error: ROTATION_ERROR + 4.0 * U * rate.abs(),
            offset_error,
        }
    }

    /// Rotation and offset at time t.
    #[inline(always)]
    pub fn at(&self, t: f64) -> (M4, V4) {
        let rotation = if self.rate == 0.0 {
            self.cos_part.add(&self.constant)
        } else {
            let (s, c) = sin_cos(self.rate * t);
            self.cos_part.scale(c).add(&self.sin_part.scale(s)).add(&self.constant)
        };
        (rotation, self.offset.add(self.travel.scale(t)))
    }
}

fn unit(axis: Vec3) -> Vec3 {
    axis * (1.0 / axis.norm())
}

/// Two axes of the plane with unit normal n, right-handed; for n = z they are x and y.
fn plane_axes(n: Vec3) -> (Vec3, Vec3) {
    let next = Vec3::unit((n.longest_axis() + 1) % 3);
    let e1 = unit(next - n * n.dot(next));
    (e1, n.cross(e1))
}

#[inline(always)]
fn check_values(kind: JointKind, q: &[f64]) -> Result<(), Error> {
    let angle = match kind {
        JointKind::Revolute { .. } | JointKind::Continuous { .. } => q[0].abs(),
        JointKind::Planar { .. } => q[2].abs(),
        JointKind::Fixed | JointKind::Prismatic { .. } | JointKind::Floating => 0.0,
    };
    // Differences of two angles must stay in the range of `sin_cos`.
    let fine = angle <= MAX_ANGLE / 2.0 && q.iter().all(|v| v.abs() <= MAX_COORDINATE);
    if fine { Ok(()) } else { Err(what_is_wrong(angle, q)) }
}

#[cold]
fn what_is_wrong(angle: f64, q: &[f64]) -> Error {
    let out_of_range = |what: &str, value: f64, limit: f64| Error::OutOfRange { what: what.into(), value, limit };
    match q.iter().find(|v| !v.is_finite()) {
        Some(v) => Error::NonFinite { what: format!("joint value {v}") },
        None if angle > MAX_ANGLE / 2.0 => out_of_range("joint angle", angle, MAX_ANGLE / 2.0),
        None => out_of_range("joint value", q.iter().fold(0.0, |m, v| v.abs().max(m)), MAX_COORDINATE),
    }
}

/// At least the length that a joint's values put between its frame and its parent's.
fn slide_size(kind: JointKind, q: &[f64]) -> f64 {
    match kind {
        JointKind::Fixed | JointKind::Revolute { .. } | JointKind::Continuous { .. } => 0.0,
        JointKind::Prismatic { .. } => q[0].abs(),
        JointKind::Planar { .. } => q[0].abs() + q[1].abs(),
        JointKind::Floating => q[0].abs() + q[1].abs() + q[2].abs(),
    }
}

fn check_size(what: &str, value: f64, limit: f64) -> Result<(), Error> {
    if value <= limit { Ok(()) } else { Err(Error::OutOfRange { what: what.into(), value, limit }) }
}

/// Axis times angle of `q1 * conjugate(q0)`, angle in [0, pi], within 32 u.
fn rotation_vector_between(q0: [f64; 4], q1: [f64; 4]) -> Result<Vec3, Error> {
    let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (unit_quaternion(q1)?, unit_quaternion(q0)?);
    let (b, d) = (Vec3::new(a1, a2, a3), Vec3::new(-b1, -b2, -b3));
    let mut w = a0 * b0 - b.dot(d);
    let mut v = d * a0 + b * b0 + b.cross(d);
    if w < 0.0 {
        (w, v) = (-w, -v);
    }
    let length = v.norm();
    if length == 0.0 {
        return Ok(Vec3::ZERO);
    }
    Ok(v * (2.0 * angle_of(length, w) / length))
}

/// The angle in [0, pi/2] with sine `s` and cosine `c`, both non-negative with s^2 + c^2 = 1, by Newton's method on [`sin_cos`].
fn angle_of(s: f64, c: f64) -> f64 {
    let mut angle = if s <= c { s / c * 0.9 } else { std::f64::consts::FRAC_PI_2 - c / s * 0.9 };
    for _ in 0..5 {
        let (sa, ca) = sin_cos(angle);
        angle += s * ca - c * sa; // the sine of what is missing: the error is cubed
    }
    angle
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::pose::rotation_about;
    use proptest::prelude::*;

    fn at(b: &InBetween, t: f64) -> (Mat3, Vec3) {
        let (r, p) = b.at(t);
        (r.mat3(), p.vec3())
    }

    #[test]
    fn ends_where_the_quaternion_says() {
        for q1 in
            [[0.0, 0.0, 0.0, 1.0], [5e-10, 0.0, 0.0, 1.0], [0.6, 0.0, 0.8, 0.0], [-0.5, 0.5, 0.5, 0.5], [1.0, 1e-9, 0.0, 0.0]]
        {
            let q0 = [0.8, 0.0, -0.6, 0.0];
            let m = RigidMotion::between(Vec3::ZERO, q0, Vec3::unit(0), q1).expect("unit");
            assert!(m.rotation_vector.norm() <= std::f64::consts::PI + 1e-15);
            let b = InBetween::of_rigid(&m, Vec3::ZERO).expect("finite");
            let (r, p) = at(&b, 1.0);
            let want = rotation_from_quaternion(q1).expect("unit");
            assert_eq!(p, Vec3::unit(0));
            for j in 0..3 {
                assert!((r.columns[j] - want.columns[j]).norm() < 1e-14, "{q1:?}");
            }
        }
    }

    #[test]
    fn a_half_turn_keeps_the_axis_as_written() {
        let m = RigidMotion::between(Vec3::ZERO, [1.0, 0.0, 0.0, 0.0], Vec3::ZERO, [0.0, 0.0, 0.0, 1.0]).expect("unit");
        assert!((m.rotation_vector - Vec3::new(0.0, 0.0, std::f64::consts::PI)).norm() < 1e-15);
    }

    proptest! {
        /// A placement that is no rotation, as far off as it may be: the joint's rotation is within its error. The bound is used to more
        /// than a half by a matrix that is too long.
        #[test]
        fn an_error_of_the_placement_is_accounted_for(
            turn in prop::array::uniform3(-1.0f64..1.0), axis in prop::array::uniform3(-1.0f64..1.0), off in prop::array::uniform9(-1.0f64..1.0),
            longer in any::<bool>(), q in -4.0f64..4.0, y in prop::array::uniform3(-1.0f64..1.0),
        ) {
            let (axis, size) = (Vec3::from(axis) + Vec3::new(0.0, 0.0, 2.0), 1e-6);
            let exact = Pose::from_rpy(Vec3::ZERO, Vec3::from(turn)).expect("finite");
            // Frobenius' norm is at least the spectral one.
            let length = off.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-3);
            let wrong = |j: usize| {
                let random = Vec3::new(off[3 * j], off[3 * j + 1], off[3 * j + 2]) * (1.0 / length);
                exact.rotation.columns[j] + if longer { exact.rotation.columns[j] } else { random } * (0.999 * size)
            };
            let pose = Pose { rotation: Mat3 { columns: [wrong(0), wrong(1), wrong(2)] }, ..exact };
            let place = Placement { pose, rotation_error: size, position_error: 0.0 };
            let kind = JointKind::Continuous { axis };
            let joint = InBetween::of_joint(kind, &place, Vec3::ZERO, &[0.5 * q], &[q]).expect("finite");
            let y = unit(Vec3::from(y) + Vec3::new(0.0, 0.0, 1.5));
            let error = |y: Vec3| (at(&joint, 1.0).0 * y - exact.rotation * (rotation_about(unit(axis), q) * y)).norm();
            prop_assert!(error(y) <= joint.rotation_error, "{:e} {:e}", error(y), joint.rotation_error);
            if longer && q.abs() > 3.0 {
                prop_assert!(error(unit(axis)) > 4.0 * size, "nothing is gained by the placement's share");
            }
        }
    }

    #[test]
    fn joints_move_as_urdf_says() {
        let origin = Pose::from_rpy(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.3, -0.2, 0.9)).expect("finite");
        let axis = Vec3::new(0.0, 0.0, 2.0);
        let p = InBetween::of_joint(JointKind::Prismatic { axis }, &Placement::new(origin), Vec3::ZERO, &[0.5], &[4.5])
            .expect("finite");
        let (_, at_quarter) = at(&p, 0.25);
        assert!((at_quarter - origin.apply(Vec3::new(0.0, 0.0, 1.5))).norm() < 1e-15, "the axis is normalised");
        let r = InBetween::of_joint(JointKind::Continuous { axis }, &Placement::new(origin), Vec3::ZERO, &[1.0], &[31.0])
            .expect("finite");
        let (rotation, _) = at(&r, 0.5);
        let want = origin.rotation * rotation_about(Vec3::unit(2), 16.0);
        assert!((0..3).all(|j| (rotation.columns[j] - want.columns[j]).norm() < 1e-13));
        let flat = JointKind::Planar { axis: Vec3::unit(2) };
        let (r, place) = at(
            &InBetween::of_joint(flat, &Placement::new(Pose::IDENTITY), Vec3::ZERO, &[1.0, 2.0, 0.0], &[3.0, 2.0, 1.0])
                .expect("finite"),
            0.5,
        );
        assert_eq!(place, Vec3::new(2.0, 2.0, 0.0));
        assert!((r.columns[0] - rotation_about(Vec3::unit(2), 0.5).columns[0]).norm() < 1e-15);
        assert!(
            InBetween::of_joint(flat, &Placement::new(Pose::IDENTITY), Vec3::ZERO, &[0.0, 0.0, f64::NAN], &[0.0; 3]).is_err()
        );
        assert!(
            InBetween::of_joint(JointKind::Revolute { axis }, &Placement::new(Pose::IDENTITY), Vec3::ZERO, &[0.0], &[1e9])
                .is_err()
        );
    }
}
