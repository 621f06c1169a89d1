//! A rigid tool on its arc from one pose to another, as straight lines of its vertices and how far it strays from them.
//!
//! ```text
//!      .-~~~-.          a point x(t) of the tool with |x''| <= A is within A h^2 / 8 of the chord of a piece of length h, at the same
//!    /_________\        time; so the tool is within that of its vertices on lines, triangle by triangle
//! ```
//! At a constant rate w about an axis through an origin that goes straight, a point at distance at most r has |x''| <= w^2 r.

use crate::Error;
use crate::geometry::mesh::MAX_COORDINATE;
use crate::math::pose::rotation_about;
use crate::math::rounding::{INFLATE, U};
use crate::math::{Mat3, Pose, Vec3};
use crate::motion::RigidMotion;

/// A piece of the path: the tool from one pose to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chord {
    pub from: Pose,
    pub to: Pose,
    /// At least how far a vertex strays from its line because the path bends: a quarter for half the piece.
    pub bend: f64,
    /// At least how far, besides, because numbers are rounded.
    pub rounding: f64,
}

impl Chord {
    /// At least how far the tool strays from the lines of its vertices.
    pub fn stray(&self) -> f64 {
        (self.bend + self.rounding) * INFLATE
    }

    /// Whether it can be tested: poses that are finite and not too large.
    pub fn is_in_range(&self) -> bool {
        let fits = |p: &Pose| p.translation.max_abs() <= MAX_COORDINATE && is_rotation(&p.rotation);
        fits(&self.from) && fits(&self.to) && self.stray() <= MAX_COORDINATE
    }
}

/// A matrix that passes for a rotation makes no vector longer by more than this.
pub(crate) const LENGTHENED: f64 = 1.001;

/// Rounding of a rotation that is computed from a rotation vector, of its product with another, and of a vertex placed with it, per unit of
/// reach: sine, cosine and axis 24 u, the matrix 16 u, the product 9 u, the vertex 8 u. The angle's own rounding comes on top: 4 u of it.
pub(crate) const PLACING: f64 = 64.0 * U;

/// The arc from one pose to another: the origin goes straight, the tool turns at a constant rate, the short way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RigidArc {
    from: Pose,
    to: Pose,
    turn: Vec3,
    /// At least the spectral norm of what the rotation at the end, computed by the turn, and the one given differ by.
    off: f64,
}

impl RigidArc {
    /// # Errors
    /// If a number is not finite or a matrix is no rotation.
    pub fn between(from: &Pose, to: &Pose) -> Result<RigidArc, Error> {
        if !is_rotation(&from.rotation) || !is_rotation(&to.rotation) {
            return Err(Error::invalid("pose of the tool", "its matrix is no rotation"));
        }
        let turn = RigidMotion::between_poses(from, to)?.rotation_vector;
        let missed = exp(turn) * from.rotation - to.rotation;
        let off = missed.columns.iter().map(|c| c.norm_squared()).sum::<f64>().sqrt() * INFLATE + PLACING;
        Ok(RigidArc { from: *from, to: *to, turn, off })
    }

    /// Whether nothing moves.
    pub fn rests(&self) -> bool {
        self.from == self.to
    }

    /// Where the tool is at a share of the arc; exactly as given at its ends.
    fn pose(&self, t: f64) -> Pose {
        let (p, q) = (self.from.translation, self.to.translation);
        match t {
            0.0 => self.from,
            1.0 => self.to,
            _ => Pose { rotation: exp(self.turn * t) * self.from.rotation, translation: p + (q - p) * t },
        }
    }

    /// Between two shares, for a tool of this reach.
    pub fn chord(&self, from: f64, to: f64, reach: f64) -> Chord {
        let (reach, turn) = (reach * LENGTHENED, self.turn.norm());
        let size = self.from.translation.norm() + self.to.translation.norm();
        Chord {
            from: self.pose(from),
            to: self.pose(to),
            bend: reach * turn * turn * (to - from).powi(2) * 0.125 * INFLATE,
            rounding: (self.off * reach + PLACING * (reach * (1.0 + turn) + size)) * INFLATE,
        }
    }
}

/// The rotation of a rotation vector.
pub(crate) fn exp(v: Vec3) -> Mat3 {
    let angle = v.norm();
    if angle > 0.0 { rotation_about(v * (1.0 / angle), angle) } else { Mat3::IDENTITY }
}

/// Whether a matrix passes for a rotation: its columns are of length one and at right angles, within 1e-3.
pub(crate) fn is_rotation(m: &Mat3) -> bool {
    let [a, b, c] = m.columns;
    let off = [a.dot(a) - 1.0, b.dot(b) - 1.0, c.dot(c) - 1.0, a.dot(b), b.dot(c), c.dot(a)];
    off.iter().all(|x| x.abs() <= 1e-3 / 3.0)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The farthest that a vertex at one end of the reach is from its line, by samples.
    pub(crate) fn strays(chord: &Chord, at: impl Fn(f64) -> Pose, vertex: Vec3) -> f64 {
        let (a, b) = (chord.from.apply(vertex), chord.to.apply(vertex));
        let off = |s: f64| (at(s).apply(vertex) - (a * (1.0 - s) + b * s)).norm();
        (0..=64).map(|i| off(f64::from(i) / 64.0)).fold(0.0, f64::max)
    }

    fn unit(v: [f64; 3]) -> Vec3 {
        let v = Vec3::from(v) + Vec3::new(0.0, 0.0, 1e-3);
        v * (1.0 / v.norm())
    }

    proptest! {
        /// No vertex leaves its line by more than the bound; one at right angles to the axis uses most of it.
        #[test]
        fn arcs_stay_near_their_chords(
            axis in prop::array::uniform3(-1.0f64..1.0), angle in 0.0f64..3.1, start in prop::array::uniform3(-3.0f64..3.0),
            travel in prop::array::uniform3(-1.0f64..1.0), vertex in prop::array::uniform3(-1.0f64..1.0), ends in (0.0f64..0.5, 0.5f64..1.0),
        ) {
            let from = Pose::from_rpy(Vec3::ZERO, Vec3::from(start)).expect("finite");
            let turned = exp(unit(axis) * angle) * from.rotation;
            let arc = RigidArc::between(&from, &Pose { rotation: turned, translation: Vec3::from(travel) }).expect("rotations");
            let reach = 1.7;
            let at = |s: f64| arc.pose(ends.0 + (ends.1 - ends.0) * s);
            let chord = arc.chord(ends.0, ends.1, reach);
            let vertex = Vec3::from(vertex);
            prop_assert!(strays(&chord, at, vertex) <= chord.stray());
            let across = from.rotation.transpose() * unit(axis).cross(unit([axis[1], axis[2], -axis[0]]));
            let across = across * (reach / across.norm());
            let turn = angle * (ends.1 - ends.0);
            prop_assert!(!(0.1..=1.0).contains(&turn) || strays(&chord, at, across) > 0.9 * chord.bend, "the bound is too wide");
        }
    }

    #[test]
    fn what_is_not_finite_is_out_of_range() {
        let chord = RigidArc::between(&Pose::IDENTITY, &Pose::IDENTITY).expect("rotations").chord(0.0, 1.0, 1.0);
        assert!(chord.is_in_range());
        let far = Pose::from_translation(Vec3::splat(1e300));
        assert!(!Chord { to: far, ..chord }.is_in_range() && !Chord { bend: f64::NAN, ..chord }.is_in_range());
    }

    #[test]
    fn what_is_no_rotation_is_refused() {
        let scaled = |by: f64| Pose { rotation: Mat3::IDENTITY * by, translation: Vec3::ZERO };
        assert!(RigidArc::between(&scaled(1.0001), &scaled(1.0)).is_ok());
        assert!(
            RigidArc::between(&scaled(1.01), &scaled(1.0)).is_err()
                && RigidArc::between(&scaled(1.0), &scaled(f64::NAN)).is_err()
        );
    }
}
