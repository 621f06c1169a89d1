//! Six degrees of freedom: three of position, three of orientation, each a polynomial.
//!
//! ```text
//! R(now + h) = exp(v(h)) R(now)        v: rotation vector in the world, a polynomial of h
//! ```
//! Orientation is always told relative to the last one observed, so it is near zero whatever the turn so far: there is no angle at which it
//! jumps, as long as the tool turns by less than pi from one sample to the next. When the last one becomes another, v loses its value there;
//! speed and acceleration of the turn are in the world's frame and stay: exact for a fixed axis, to second order for any other.

use super::polynomial::{Model, ModelOptions};
use crate::Error;
use crate::deform::tool::arc::exp;
use crate::math::{Pose, Vec3};
use crate::motion::RigidMotion;

/// A model of how a pose moves.
#[derive(Clone, Debug)]
pub struct PoseModel {
    model: Model,
    last: Pose,
    held: [bool; 6],
}

impl PoseModel {
    /// Nothing observed yet.
    ///
    /// # Errors
    /// See [`Model::new`].
    pub fn new(options: ModelOptions) -> Result<Self, Error> {
        Ok(PoseModel { model: Model::new(6, options)?, last: Pose::IDENTITY, held: [false; 6] })
    }

    /// Degrees of freedom that the process holds: positions x, y, z, then turns about x, y, z, all in the world's frame. The prediction
    /// leaves those where the last sample has them.   [Caby 2001, section 3.2, constrained state variables]
    #[must_use]
    pub fn holding(self, held: [bool; 6]) -> Self {
        PoseModel { held, ..self }
    }

    /// Takes in where the tool is.
    ///
    /// # Errors
    /// If the time is not after the last one, a number is not finite, or the rotation is none.
    pub fn observe(&mut self, time: f64, pose: &Pose) -> Result<(), Error> {
        let first = self.model.now().is_none();
        let from = if first { *pose } else { self.last };
        let turn = RigidMotion::between_poses(&from, pose)?.rotation_vector;
        let p = pose.translation;
        self.model.observe(time, &[p.x, p.y, p.z, turn.x, turn.y, turn.z])?;
        (0..3).for_each(|k| self.model.shift_value(3 + k, -turn[k]));
        self.last = *pose;
        Ok(())
    }

    /// The time and pose observed last.
    pub fn now(&self) -> Option<(f64, Pose)> {
        self.model.now().map(|t| (t, self.last))
    }

    /// Where the tool will be so many seconds after the last sample.
    pub fn pose(&self, ahead: f64) -> Pose {
        let [x, y, z, a, b, c] = std::array::from_fn(|k| self.rest(k).unwrap_or_else(|| self.model.value(k, ahead)));
        Pose { rotation: exp(Vec3::new(a, b, c)) * self.last.rotation, translation: Vec3::new(x, y, z) }
    }

    /// Where a degree of freedom stays, if it is held.
    fn rest(&self, k: usize) -> Option<f64> {
        let rest = if k < 3 { self.last.translation[k] } else { 0.0 };
        self.held[k].then_some(rest)
    }

    /// [`Model::largest`] of a degree of freedom.
    pub(super) fn largest(&self, k: usize, order: u32, from: f64, to: f64) -> f64 {
        let held = |rest: f64| if order == 0 { rest.abs() } else { 0.0 };
        self.rest(k).map_or_else(|| self.model.largest(k, order, from, to), held)
    }

    /// [`Model::rounding`] of a degree of freedom.
    pub(super) fn rounding(&self, k: usize, ahead: f64) -> f64 {
        if self.held[k] { 0.0 } else { self.model.rounding(k, ahead) }
    }

    /// Standard deviation of where a point at this distance from the tool's origin will be.
    pub fn deviation(&self, ahead: f64, reach: f64) -> f64 {
        let square = |k: usize| if self.held[k] { 0.0 } else { self.model.deviation(k, ahead).powi(2) };
        let (place, turn): (f64, f64) = ((0..3).map(square).sum(), (3..6).map(square).sum());
        (place + turn * reach * reach).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::pose::rotation_about;

    fn off(a: &Pose, b: &Pose) -> f64 {
        (0..3)
            .map(|k| (a.rotation.columns[k] - b.rotation.columns[k]).norm())
            .fold((a.translation - b.translation).norm(), f64::max)
    }

    /// Many turns about a slanted axis, through pi and multiples of it, with a quaternion whose sign flips: nothing jumps.
    #[test]
    fn turning_on_and_on_is_foreseen() {
        let axis = Vec3::new(0.6, 0.0, 0.8);
        let at = |t: f64| Pose { rotation: rotation_about(axis, 5.0 * t + 0.3 * t * t), translation: axis * t };
        let mut model = PoseModel::new(ModelOptions::default()).expect("good options");
        for i in 0..5000 {
            let t = 0.002 * f64::from(i);
            model.observe(t, &at(t)).expect("later");
            if i > 200 {
                assert!(off(&model.pose(0.1), &at(t + 0.1)) < 1e-4, "{t}: {}", off(&model.pose(0.1), &at(t + 0.1)));
            }
        }
    }

    /// About two axes at once, which no rotation vector of constant direction describes.
    #[test]
    fn tumbling_is_foreseen_for_a_while() {
        let at = |t: f64| Pose {
            rotation: rotation_about(Vec3::unit(0), 2.0 * t) * rotation_about(Vec3::unit(2), 1.5 * t),
            translation: Vec3::new(t * t, 0.0, 1.0),
        };
        let mut model = PoseModel::new(ModelOptions::default()).expect("good options");
        for i in 0..4000 {
            let t = 0.002 * f64::from(i);
            model.observe(t, &at(t)).expect("later");
            if i > 200 {
                let (foreseen, stayed) = (off(&model.pose(0.1), &at(t + 0.1)), off(&at(t), &at(t + 0.1)));
                assert!(foreseen < 0.2 * stayed, "{t}: {foreseen} {stayed}");
            }
        }
    }

    #[test]
    fn what_is_no_pose_is_refused() {
        let mut model = PoseModel::new(ModelOptions::default()).expect("good options");
        model.observe(0.0, &Pose::IDENTITY).expect("first");
        let bad = Pose::from_translation(Vec3::new(f64::NAN, 0.0, 0.0));
        assert!(model.observe(1.0, &bad).is_err() && model.observe(0.0, &Pose::IDENTITY).is_err());
        assert_eq!(model.now(), Some((0.0, Pose::IDENTITY)));
        assert!(model.observe(0.1, &Pose::IDENTITY).is_ok());
    }

    /// A drill that is fed along z while everything else trembles: what is held stays at the last sample.
    #[test]
    fn what_is_held_stays() {
        let held = [true, true, false, true, true, true];
        let mut model = PoseModel::new(ModelOptions::default()).expect("good options").holding(held);
        let mut last = Pose::IDENTITY;
        for i in 0..100 {
            let t = 0.01 * f64::from(i);
            let tremble = 1e-3 * f64::from(i % 3);
            let turn = rotation_about(Vec3::unit(0), tremble + t);
            last = Pose { rotation: turn, translation: Vec3::new(tremble, t, -0.5 * t) };
            model.observe(t, &last).expect("later");
        }
        let ahead = model.pose(0.4);
        assert_eq!(
            (ahead.rotation, ahead.translation.x, ahead.translation.y),
            (last.rotation, last.translation.x, last.translation.y)
        );
        assert!((ahead.translation.z - (last.translation.z - 0.2)).abs() < 1e-6);
        assert!(model.deviation(0.4, 1.0) < 1e-6, "what is held is certain");
        assert_eq!(model.largest(1, 1, 0.0, 1.0), 0.0);
    }
}
