//! The capsule around a part: what pairs of parts are culled by, and what swept volumes are made of.

use crate::geometry::bounding::Capsule;
use crate::geometry::bounding::capsule::Ball;
use crate::geometry::{Primitive, Shape};
use crate::math::Vec3;
use crate::math::pose::Placement;
use crate::math::rounding::{INFLATE, U};
use crate::math::trig::sin_cos;
use crate::scene::{Part, PlacedShape};

/// The capsule around a part, in the frame that carries it.
pub(crate) fn capsule_around(part: &Part) -> Option<Capsule> {
    Capsule::around(&balls(part))
}

/// Balls whose hull holds a part, in the frame that carries it.
fn balls(part: &Part) -> Vec<Ball> {
    part.pieces.iter().flat_map(|piece| of_shape(&piece.shape).into_iter().map(|ball| placed(piece, ball))).collect()
}

/// A ball in the frame, grown by what rounding may have done to its centre.
fn placed(piece: &PlacedShape, ball: Ball) -> Ball {
    let Placement { pose, rotation_error, position_error } = &piece.placement;
    let reach = ball.center.norm() * INFLATE;
    let rounding = 8.0 * U * (reach + pose.translation.norm1());
    Ball { center: pose.apply(ball.center), radius: (ball.radius + position_error + rotation_error * reach + rounding) * INFLATE }
}

/// Corners of polygons around a cylinder's ends.
const RIM: usize = 32;

fn of_shape(shape: &Shape) -> Vec<Ball> {
    let point = |x: f64, y: f64, z: f64| Ball::from(Vec3::new(x, y, z));
    match shape {
        Shape::Mesh(mesh) => {
            let mut used: Vec<u32> = mesh.triangles().iter().flatten().copied().collect();
            used.sort_unstable();
            used.dedup();
            used.into_iter().map(|k| Ball::from(mesh.vertices()[k as usize])).collect()
        }
        Shape::Primitive(Primitive::Cuboid { half }) => {
            let side = |k: u32, bit: u32, h: f64| if k & bit == 0 { -h } else { h };
            (0..8).map(|k| point(side(k, 1, half.x), side(k, 2, half.y), side(k, 4, half.z))).collect()
        }
        Shape::Primitive(Primitive::Sphere { radius }) => vec![Ball { center: Vec3::ZERO, radius: *radius }],
        Shape::Primitive(Primitive::Capsule { radius, half_length }) => {
            [-1.0, 1.0].map(|s| Ball { center: Vec3::unit(2) * (s * half_length), radius: *radius }).to_vec()
        }
        Shape::Primitive(Primitive::Cylinder { radius, half_length }) => {
            let angle = std::f64::consts::PI / RIM as f64;
            let outer = radius / sin_cos(angle).1 * INFLATE;
            let corner = |k: usize| sin_cos(2.0 * angle * k as f64);
            let at = |k: usize, z: f64| point(outer * corner(k).1, outer * corner(k).0, z);
            (0..RIM).flat_map(|k| [at(k, -half_length), at(k, *half_length)]).collect()
        }
    }
}
