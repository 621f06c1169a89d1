//! Rigid poses and where they come from.
//!
//! A `Pose` stands for an exact rigid transform: its stored matrix is within [`ROTATION_ERROR`] (spectral norm) of the rotation the
//! caller described, or within `rotation_error` of the nearest one if it was made otherwise, and every bound in [`crate::motion`] carries that
//! difference in its error radius.

use super::rounding::U;
use super::trig::sin_cos;
use super::{Mat3, Vec3};
use crate::Error;

/// Spectral norm of `stored rotation - described rotation`, at most: 2^-48.
///
/// Quaternions: the length is off by 3 u (four squares, three sums, a root), which moves the matrix by 2 * 3 u (R - 1), 12 u in norm; each
/// component is rounded once more, 4 u in norm; an entry off the diagonal rounds by 2 u, one on it by 5 u, 10 u in norm: 26 u.
/// Roll, pitch, yaw: sine and cosine are off by 4 u each, so each of the three factors by 4 sqrt(2) u, 17 u in all; sums of two products round by
/// 3 u of sums that are at most 1, 7 u in norm: 24 u.
pub const ROTATION_ERROR: f64 = 32.0 * U;

/// Matrices farther than this from every rotation are refused. Products of poses and matrices in single precision are nearer.
const NEARLY_ROTATION: f64 = 1e-6;

/// Returns at least the spectral norm of the difference between a stored matrix and the rotation that it stands for: the one that was described
/// by a quaternion or by angles, or the nearest one where the matrix was made otherwise. Infinite where no rotation is near.
///
/// The singular values of M are sqrt(1 + e) for the eigenvalues e of E = MᵀM - 1, so the nearest rotation is within |e| / 1.9 where |e| < 0.1. The
/// largest |e| is at most the Frobenius norm of E, whose entries round by 6 u each, 18 u in that norm. Bounds add errors and leave out their
/// products: with a thousandth more, sums hold for products of 1000 matrices that are within [`NEARLY_ROTATION`].
pub(crate) fn rotation_error(m: &Mat3) -> f64 {
    if *m == Mat3::IDENTITY {
        return 0.0;
    }
    let e = m.transpose() * *m - Mat3::IDENTITY;
    let norm = e.columns.iter().map(|c| c.norm_squared()).sum::<f64>().sqrt();
    if !(norm < 0.1 && m.determinant() > 0.0) {
        return f64::INFINITY;
    }
    let off = (norm + 18.0 * U) / 1.9;
    if off <= ROTATION_ERROR { ROTATION_ERROR } else { (ROTATION_ERROR + off) * 1.001 }
}

/// Refuses poses that are not finite, or whose matrix is no rotation.
pub(crate) fn check_rigid(pose: &Pose, what: &str) -> Result<(), Error> {
    if !pose.translation.is_finite() || !pose.rotation.columns.iter().all(|c| c.is_finite()) {
        return Err(Error::NonFinite { what: what.into() });
    }
    if rotation_error(&pose.rotation) > NEARLY_ROTATION {
        return Err(Error::invalid(what, "its matrix is no rotation; a quaternion or roll, pitch and yaw give one"));
    }
    Ok(())
}

/// A rigid transform: rotate, then translate. `world_from_link * link_from_mesh` composes like algebra.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation matrix.
    pub rotation: Mat3,
    /// Translation, metres.
    pub translation: Vec3,
}

impl Default for Pose {
    fn default() -> Self {
        Pose::IDENTITY
    }
}

impl Pose {
    /// Nothing moves.
    pub const IDENTITY: Pose = Pose { rotation: Mat3::IDENTITY, translation: Vec3::ZERO };

    /// A pure translation.
    pub fn from_translation(translation: Vec3) -> Self {
        Pose { rotation: Mat3::IDENTITY, translation }
    }

    /// From a translation and a quaternion `[w, x, y, z]`, which is normalised.
    ///
    /// # Errors
    /// If a number is not finite, or the quaternion's length is not 1 within 1e-3 (a scaled quaternion is a mistake upstream).
    pub fn from_quaternion(translation: Vec3, wxyz: [f64; 4]) -> Result<Self, Error> {
        Ok(Pose { rotation: rotation_from_quaternion(wxyz)?, translation: finite(translation, "translation")? })
    }

    /// The rotation as a quaternion `[w, x, y, z]` with w >= 0 (rounded, for display).
    pub fn quaternion(&self) -> [f64; 4] {
        let r = |i: usize, k: usize| self.rotation.columns[k][i];
        // The largest of the four squares, so that nothing is divided by little.
        let squares = [
            1.0 + r(0, 0) + r(1, 1) + r(2, 2),
            1.0 + r(0, 0) - r(1, 1) - r(2, 2),
            1.0 - r(0, 0) + r(1, 1) - r(2, 2),
            1.0 - r(0, 0) - r(1, 1) + r(2, 2),
        ];
        let (a, b, c) = (r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1));
        let (p, q, s) = (r(0, 1) + r(1, 0), r(0, 2) + r(2, 0), r(1, 2) + r(2, 1));
        let largest = (0..4).max_by(|&i, &k| squares[i].total_cmp(&squares[k])).unwrap_or(0);
        let wxyz = match largest {
            0 => [squares[0], a, b, c],
            1 => [a, squares[1], p, q],
            2 => [b, p, squares[2], s],
            _ => [c, q, s, squares[3]],
        };
        let norm = wxyz.iter().map(|x| x * x).sum::<f64>().sqrt();
        let sign = if wxyz[0] < 0.0 { -norm } else { norm };
        wxyz.map(|x| x / sign)
    }

    /// From a translation and URDF's roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll).
    ///
    /// # Errors
    /// If a number is not finite or an angle is beyond [`super::trig::MAX_ANGLE`].
    pub fn from_rpy(translation: Vec3, rpy: Vec3) -> Result<Self, Error> {
        finite(rpy, "roll-pitch-yaw")?;
        let ((sr, cr), (sp, cp), (sy, cy)) = (sin_cos(rpy.x), sin_cos(rpy.y), sin_cos(rpy.z));
        let rotation = Mat3::from_rows([
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]);
        if !rotation.columns.iter().all(|c| c.is_finite()) {
            return Err(Error::invalid("roll-pitch-yaw", "an angle is too large"));
        }
        Ok(Pose { rotation, translation: finite(translation, "translation")? })
    }

    /// Where this pose puts a point.
    #[inline(always)]
    pub fn apply(&self, p: Vec3) -> Vec3 {
        self.rotation * p + self.translation
    }

    /// The inverse transform.
    pub fn inverse(&self) -> Pose {
        let rotation = self.rotation.transpose();
        Pose { rotation, translation: -(rotation * self.translation) }
    }

    /// Whether this is exactly the identity.
    pub fn is_identity(&self) -> bool {
        *self == Pose::IDENTITY
    }
}

impl std::ops::Mul for Pose {
    type Output = Pose;
    fn mul(self, o: Pose) -> Pose {
        Pose { rotation: self.rotation * o.rotation, translation: self.apply(o.translation) }
    }
}

/// A pose made of several, with what rounding did to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub pose: Pose,
    /// At least the spectral norm of (stored - described) rotation.
    pub rotation_error: f64,
    /// At least the length of (stored - described) translation.
    pub position_error: f64,
}

impl Placement {
    /// A pose as it was described.
    pub fn new(pose: Pose) -> Self {
        Placement { pose, rotation_error: rotation_error(&pose.rotation), position_error: 0.0 }
    }

    /// The same place seen from `origin` in the world: the difference rounds once.
    pub fn relative_to(&self, origin: Vec3) -> Self {
        let mut moved = *self;
        moved.pose.translation -= origin;
        moved.position_error += 2.0 * U * moved.pose.translation.norm();
        moved
    }

    /// `self * next`. Products of rotations round by 9 u, rotated and added vectors by 8 u of their lengths.
    pub fn then(&self, next: &Pose) -> Self {
        self.after(&Placement::new(*next))
    }

    /// `self * next`, where that is rounded, too.
    pub fn after(&self, next: &Placement) -> Self {
        if self.is_exact_identity() {
            return *next;
        }
        let arm = next.pose.translation.norm() + next.position_error;
        Placement {
            pose: self.pose * next.pose,
            rotation_error: self.rotation_error + next.rotation_error + 16.0 * U,
            position_error: next.position_error + self.error_at(arm),
        }
    }

    /// Where it puts a point, and at least how far that is off.
    pub fn apply(&self, p: Vec3) -> (Vec3, f64) {
        if self.is_exact_identity() { (p, 0.0) } else { (self.pose.apply(p), self.error_at(p.norm())) }
    }

    /// At least how far off a point is put that is `arm` from the origin.
    fn error_at(&self, arm: f64) -> f64 {
        self.position_error + (self.rotation_error + 8.0 * U) * arm + 4.0 * U * (self.pose.translation.norm() + arm)
    }

    /// Whether it changes nothing, and nothing was rounded on the way: the product of a turn and its reverse may look the same.
    pub fn is_exact_identity(&self) -> bool {
        self.pose.is_identity() && self.rotation_error == 0.0 && self.position_error == 0.0
    }
}

/// The rotation of a unit quaternion `[w, x, y, z]`; see [`Pose::from_quaternion`] for what is refused.
pub fn rotation_from_quaternion(wxyz: [f64; 4]) -> Result<Mat3, Error> {
    let [w, x, y, z] = unit_quaternion(wxyz)?;
    Ok(Mat3::from_rows([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]))
}

/// `wxyz` scaled to length one.
pub(crate) fn unit_quaternion(wxyz: [f64; 4]) -> Result<[f64; 4], Error> {
    if wxyz.iter().any(|c| !c.is_finite()) {
        return Err(Error::NonFinite { what: "quaternion".into() });
    }
    let norm = wxyz.iter().map(|c| c * c).sum::<f64>().sqrt();
    if !(norm > 0.999 && norm < 1.001) {
        return Err(Error::invalid("quaternion", format!("its length is {norm}, not 1; normalise it first")));
    }
    Ok(wxyz.map(|c| c / norm))
}

/// The rotation about the unit vector `axis` by `angle` radians (Rodrigues).
pub(crate) fn rotation_about(axis: Vec3, angle: f64) -> Mat3 {
    let (s, c) = sin_cos(angle);
    let parallel = Mat3::outer(axis, axis);
    (Mat3::IDENTITY - parallel) * c + Mat3::cross_matrix(axis) * s + parallel
}

fn finite(v: Vec3, what: &str) -> Result<Vec3, Error> {
    if v.is_finite() { Ok(v) } else { Err(Error::NonFinite { what: what.into() }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rpy_quaternion_and_axis_angle_agree() {
        let half = std::f64::consts::FRAC_PI_4;
        let (s, c) = sin_cos(half);
        let q = Pose::from_quaternion(Vec3::ZERO, [c, 0.0, 0.0, s]).expect("unit");
        let r = Pose::from_rpy(Vec3::ZERO, Vec3::new(0.0, 0.0, 2.0 * half)).expect("finite");
        let a = rotation_about(Vec3::unit(2), 2.0 * half);
        for j in 0..3 {
            assert!((q.rotation.columns[j] - r.rotation.columns[j]).norm() < ROTATION_ERROR);
            assert!((a.columns[j] - r.rotation.columns[j]).norm() < ROTATION_ERROR);
        }
    }

    /// Against exact fractions: the rotation of q is rational in its components.
    #[test]
    fn rotations_of_quaternions_are_within_their_error() {
        use num_rational::BigRational;
        use num_traits::ToPrimitive;
        let exact = |x: f64| BigRational::from_float(x).expect("finite");
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let mut worst = 0.0f64;
        for _ in 0..400 {
            let raw = [next(), next(), next(), next()];
            let scale = (1.0 + 9e-4 * next()) / raw.iter().map(|c| c * c).sum::<f64>().sqrt();
            let q = raw.map(|c| c * scale);
            let stored = rotation_from_quaternion(q).expect("nearly a unit");
            let [w, x, y, z] = q.map(exact);
            let (two, square) = (exact(2.0), &w * &w + &x * &x + &y * &y + &z * &z);
            let s = two / square;
            let one = exact(1.0);
            let rows = [
                [&one - &s * (&y * &y + &z * &z), &s * (&x * &y - &w * &z), &s * (&x * &z + &w * &y)],
                [&s * (&x * &y + &w * &z), &one - &s * (&x * &x + &z * &z), &s * (&y * &z - &w * &x)],
                [&s * (&x * &z - &w * &y), &s * (&y * &z + &w * &x), &one - &s * (&x * &x + &y * &y)],
            ];
            let off = |i: usize, k: usize| (exact(stored.columns[k][i]) - &rows[i][k]).to_f64().expect("small");
            let square: f64 = (0..9).map(|n| off(n / 3, n % 3).powi(2)).sum();
            worst = worst.max(square.sqrt());
        }
        assert!(worst <= ROTATION_ERROR && worst > 1e-16, "{worst:e}");
    }

    #[test]
    fn a_quaternion_comes_back_as_it_went() {
        for q in [[1.0, 0.0, 0.0, 0.0], [0.5, -0.5, 0.5, 0.5], [0.0, 0.6, 0.0, -0.8], [0.1, 0.7, -0.1, 0.7], [0.0, 0.0, 1.0, 0.0]]
        {
            let back = Pose::from_quaternion(Vec3::ZERO, q).expect("unit").quaternion();
            let sign = if back.iter().zip(&q).map(|(a, b)| a * b).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
            assert!((0..4).all(|i| (back[i] - sign * q[i]).abs() < 1e-15) && back[0] >= 0.0, "{q:?} {back:?}");
        }
    }

    #[test]
    fn scaled_or_broken_quaternions_are_refused() {
        assert!(Pose::from_quaternion(Vec3::ZERO, [2.0, 0.0, 0.0, 0.0]).is_err());
        assert!(Pose::from_quaternion(Vec3::ZERO, [f64::NAN, 0.0, 0.0, 1.0]).is_err());
        assert!(Pose::from_quaternion(Vec3::ZERO, [0.0; 4]).is_err());
    }
}
