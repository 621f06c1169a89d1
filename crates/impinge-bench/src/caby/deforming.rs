//! A body that deforms while a tool comes near.

use std::borrow::Cow;
use std::f64::consts::TAU;

use impinge::math::trig::sin_cos;
use impinge::{Mesh, Vec3};
use impinge_io::example::operator::pressed;

/// The wave through a body: its height, metres, its frequency, 1/s, and radians per metre along x.
const WAVE: (f64, f64, f64) = (0.004, 0.25, 8.0);
/// The amplitude of the dent's motion, metres along x and y.
const DENT: (f64, f64) = (0.2, 0.1);

/// A mesh, at rest or deforming.
pub struct Body<'a> {
    pub mesh: &'a Mesh,
    pub deforms: bool,
}

impl Body<'_> {
    /// Returns the vertices at a time, seconds: a wave travels through the body, and a dent of a centimetre moves over it.
    pub fn at(&self, t: f64) -> Cow<'_, [Vec3]> {
        if !self.deforms {
            return Cow::Borrowed(self.mesh.vertices());
        }
        let (height, frequency, along) = WAVE;
        let ((x, _), (_, y)) = (sin_cos(1.3 * t), sin_cos(0.9 * t));
        let mut vertices = pressed(self.mesh.vertices(), Vec3::new(DENT.0 * x, DENT.1 * y, 0.0));
        vertices.iter_mut().for_each(|v| v.z += height * sin_cos(TAU * frequency * t + along * v.x).0);
        Cow::Owned(vertices)
    }
}

#[cfg(test)]
mod tests {
    use impinge_io::example::operator::hull;

    use super::*;

    #[test]
    fn every_vertex_moves_and_none_far() {
        let mesh = hull(400).into_mesh().expect("a hull");
        let body = Body { mesh: &mesh, deforms: true };
        let (a, b) = (body.at(0.3), body.at(0.301));
        let steps: Vec<f64> = a.iter().zip(b.iter()).map(|(a, b)| (*a - *b).norm()).collect();
        assert!(steps.iter().all(|s| (1e-9..1e-4).contains(s)), "{steps:?}");
        assert!(a.iter().zip(mesh.vertices()).all(|(a, v)| (*a - *v).norm() < 0.02));
        assert_eq!(Body { mesh: &mesh, deforms: false }.at(1.0), mesh.vertices());
    }
}
