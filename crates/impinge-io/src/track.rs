//! Configurations of a robot at times, with interpolation.
//!
//! Between two rows every joint moves as in a motion between them: values are interpolated linearly, floating joints rotate the
//! short way about one axis. Before the first row and after the last the robot is static.

use impinge::RigidMotion;
use impinge::math::Vec3;
use impinge::math::trig::sin_cos;
use impinge::robot::{JointKind, Robot};

/// Configurations of a robot at nondecreasing times.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Seconds.
    pub times: Vec<f64>,
    /// One configuration per time.
    pub rows: Vec<Vec<f64>>,
}

impl Track {
    /// Returns the configuration at a time; `None` if there are no rows. At the time of a row, exactly that row.
    pub fn at(&self, robot: &Robot, time: f64) -> Option<Vec<f64>> {
        let next = self.times.partition_point(|&t| t <= time);
        let (Some(before), after) = (self.rows.get(next.saturating_sub(1)), self.rows.get(next)) else { return None };
        match (next.checked_sub(1).map(|i| self.times[i]), after) {
            (Some(from), Some(after)) if from < time => {
                Some(between(robot, before, after, (time - from) / (self.times[next] - from)))
            }
            _ => Some(before.clone()),
        }
    }
}

/// Returns the configuration at a fraction `s` of the way.
fn between(robot: &Robot, from: &[f64], to: &[f64], s: f64) -> Vec<f64> {
    let mut q: Vec<f64> = from.iter().zip(to).map(|(a, b)| a + s * (b - a)).collect();
    for (j, _) in robot.joints().iter().enumerate().filter(|(_, joint)| joint.kind == JointKind::Floating) {
        let Some(at) = robot.value_at(j) else { continue };
        let (Some(a), Some(b)) = (quaternion(from, at), quaternion(to, at)) else { continue };
        // Invalid rotations are refused when the motion is built.
        let Ok(turn) = RigidMotion::between(Vec3::ZERO, a, Vec3::ZERO, b) else { continue };
        q[at + 3..at + 7].copy_from_slice(&quaternion_product(turned_by(turn.rotation_vector * s), a));
    }
    q
}

fn quaternion(q: &[f64], at: usize) -> Option<[f64; 4]> {
    q.get(at + 3..at + 7)?.try_into().ok()
}

/// Returns the quaternion of a rotation vector.
fn turned_by(v: Vec3) -> [f64; 4] {
    let angle = v.norm();
    let (s, c) = sin_cos(0.5 * angle);
    let u = if angle > 0.0 { v * (s / angle) } else { Vec3::ZERO };
    [c, u.x, u.y, u.z]
}

/// Returns `a` after `b`, normalised.
pub(crate) fn quaternion_product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let [[w, x, y, z], [e, f, g, h]] = [a, b];
    let product = [
        w * e - x * f - y * g - z * h,
        w * f + x * e + y * h - z * g,
        w * g - x * h + y * e + z * f,
        w * h + x * g - y * f + z * e,
    ];
    let norm = product.iter().map(|c| c * c).sum::<f64>().sqrt();
    product.map(|c| c / norm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint_values::tests::robot;

    #[test]
    fn rows_are_met_and_ends_rest() {
        let (s, c) = sin_cos(0.5);
        let rows = vec![
            vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.1],
            vec![2.0, 0.0, 0.0, c, 0.0, 0.0, s, 0.3],
            vec![2.0, 4.0, 0.0, -c, 0.0, 0.0, -s, 0.3],
        ];
        let track = Track { times: vec![0.0, 1.0, 3.0], rows: rows.clone() };
        let at = |t: f64| track.at(&robot(), t).expect("rows");
        for (row, t) in [(0, -1.0), (0, 0.0), (1, 1.0), (2, 3.0), (2, 9.0)] {
            assert_eq!(at(t), rows[row], "{t}");
        }
        let half = at(0.5);
        let (s, c) = sin_cos(0.25);
        let wanted = [1.0, 0.0, 0.0, c, 0.0, 0.0, s, 0.2];
        assert!(half.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-15), "{half:?}");
        // The same rotation with the other sign: no rotation in between.
        let later = at(2.0);
        assert!((later[1] - 2.0).abs() < 1e-15 && (later[3].abs() - sin_cos(0.5).1).abs() < 1e-15, "{later:?}");
        assert_eq!(Track { times: vec![], rows: vec![] }.at(&robot(), 0.0), None);
    }
}
