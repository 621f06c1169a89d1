//! The pose of every frame at a time: independent forward kinematics, with the platform's sine and cosine.

use impinge::math::{Mat3, Vec3};

use crate::world::{Drive, Place, World};

/// A rigid transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigid {
    /// Rotation.
    pub turn: Mat3,
    /// Translation.
    pub shift: Vec3,
}

impl Rigid {
    /// The identity.
    pub const STILL: Rigid = Rigid { turn: Mat3::IDENTITY, shift: Vec3::ZERO };

    /// Transforms a point.
    pub fn apply(&self, p: Vec3) -> Vec3 {
        self.turn * p + self.shift
    }

    /// Returns this transform after `inner`.
    pub fn after(&self, inner: &Rigid) -> Rigid {
        Rigid { turn: self.turn * inner.turn, shift: self.apply(inner.shift) }
    }

    /// Returns the inverse.
    pub fn inverse(&self) -> Rigid {
        let turn = self.turn.transpose();
        Rigid { turn, shift: -(turn * self.shift) }
    }
}

impl From<Place> for Rigid {
    fn from(p: Place) -> Self {
        let about = |axis: usize, angle: f64| turn_about(Vec3::unit(axis), angle);
        Rigid { turn: about(2, p.rpy.z) * about(1, p.rpy.y) * about(0, p.rpy.x), shift: p.xyz }
    }
}

/// Returns the rotation about an axis of any nonzero length by an angle; exact for an angle of zero.
#[expect(clippy::disallowed_methods, reason = "the oracle must not share the core's sine and cosine")]
pub fn turn_about(axis: Vec3, angle: f64) -> Mat3 {
    if angle == 0.0 {
        return Mat3::IDENTITY;
    }
    let (s, c) = angle.sin_cos();
    let u = axis * (1.0 / axis.norm());
    // Rodrigues, entry by entry.
    let across = 1.0 - c;
    Mat3::from_rows([
        [c + u.x * u.x * across, u.x * u.y * across - u.z * s, u.x * u.z * across + u.y * s],
        [u.y * u.x * across + u.z * s, c + u.y * u.y * across, u.y * u.z * across - u.x * s],
        [u.z * u.x * across - u.y * s, u.z * u.y * across + u.x * s, c + u.z * u.z * across],
    ])
}

/// Returns the rotation by `t` times a rotation vector.
fn turn_about_vector(vector: Vec3, t: f64) -> Mat3 {
    if vector == Vec3::ZERO { Mat3::IDENTITY } else { turn_about(vector, t * vector.norm()) }
}

/// Returns the rotation of a unit quaternion, by its axis and angle.
fn turn_of([w, x, y, z]: [f64; 4]) -> Mat3 {
    let v = Vec3::new(x, y, z);
    if v == Vec3::ZERO { Mat3::IDENTITY } else { turn_about(v, 2.0 * v.norm().atan2(w)) }
}

/// Returns the rotation vector from one unit quaternion to another, the short way.
fn turn_between([aw, ax, ay, az]: [f64; 4], [bw, bx, by, bz]: [f64; 4]) -> Vec3 {
    let (a, b) = (Vec3::new(ax, ay, az), Vec3::new(bx, by, bz));
    let (w, v) = (aw * bw + a.dot(b), b * aw - a * bw - b.cross(a));
    let (w, v) = if w < 0.0 { (-w, -v) } else { (w, v) };
    let sine = v.norm();
    if sine == 0.0 { Vec3::ZERO } else { v * (2.0 * sine.atan2(w) / sine) }
}

/// Returns the pose of every frame in the world at time t.
pub fn frames_at(world: &World, t: f64) -> Vec<Rigid> {
    let mut poses: Vec<Rigid> = Vec::with_capacity(world.frames.len());
    for (i, frame) in world.frames.iter().enumerate() {
        let parent = if i == 0 { Rigid::STILL } else { poses[frame.parent] };
        let placed = parent.after(&frame.place.into());
        poses.push(match frame.drive {
            Drive::Base => placed,
            Drive::Turn { axis, .. } | Drive::Follow { axis, .. } => {
                placed.after(&Rigid { turn: turn_about(axis, angle_at(world, i, t)), shift: Vec3::ZERO })
            }
            Drive::Slide { axis, from, to } => {
                let along = axis * (1.0 / axis.norm());
                placed.after(&Rigid { turn: Mat3::IDENTITY, shift: along * (from + t * (to - from)) })
            }
            Drive::Planar { from, to } => {
                let q: [f64; 3] = std::array::from_fn(|k| from[k] + t * (to[k] - from[k]));
                placed.after(&Rigid { turn: turn_about(Vec3::unit(2), q[2]), shift: Vec3::new(q[0], q[1], 0.0) })
            }
            Drive::Float { from, to } => {
                let turn = turn_between(from.1, to.1);
                let spun = turn_about_vector(turn, t) * turn_of(from.1);
                let (start, end) = (Vec3::from(from.0), Vec3::from(to.0));
                placed.after(&Rigid { turn: spun, shift: start + (end - start) * t })
            }
            Drive::Free { travel, turn } => {
                let spun = turn_about_vector(turn, t);
                Rigid { turn: spun * placed.turn, shift: placed.shift + travel * t }
            }
        });
    }
    poses
}

fn angle_at(world: &World, frame: usize, t: f64) -> f64 {
    match world.frames[frame].drive {
        Drive::Turn { from, to, .. } => from + t * (to - from),
        Drive::Follow { leader, multiplier, offset, .. } => multiplier * angle_at(world, leader, t) + offset,
        _ => 0.0,
    }
}

/// Bounds the speed, relative to `ancestor`, of all points within `reach` of the origin of `frame`.
pub fn speed_at_most(world: &World, frame: usize, ancestor: usize, mut reach: f64) -> f64 {
    let mut speed = 0.0;
    let mut at = frame;
    while at != ancestor && at != 0 {
        let f = &world.frames[at];
        match f.drive {
            Drive::Base => {}
            Drive::Turn { .. } | Drive::Follow { .. } => {
                speed += (angle_at(world, at, 1.0) - angle_at(world, at, 0.0)).abs() * reach
            }
            Drive::Slide { from, to, .. } => {
                speed += (to - from).abs();
                reach += from.abs().max(to.abs());
            }
            Drive::Planar { from, to } => {
                speed += (to[2] - from[2]).abs() * reach + (to[0] - from[0]).abs() + (to[1] - from[1]).abs();
                reach += (0..2).map(|k| from[k].abs().max(to[k].abs())).sum::<f64>();
            }
            Drive::Float { from, to } => {
                let (start, end) = (Vec3::from(from.0), Vec3::from(to.0));
                speed += turn_between(from.1, to.1).norm() * reach + (end - start).norm();
                reach += start.norm().max(end.norm());
            }
            Drive::Free { travel, turn } => {
                speed += turn.norm() * reach + travel.norm();
                reach += travel.norm();
            }
        }
        reach += f.place.xyz.norm();
        at = f.parent;
    }
    speed
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn a_two_link_arm_reaches_where_it_should() {
        let mut world = World::default();
        let base = world.frame(0, Place::at(Vec3::new(0.0, 0.0, 1.0)), Drive::Base);
        let turn = Drive::Turn { axis: Vec3::new(0.0, 0.0, 3.0), from: 0.0, to: 2.0 * FRAC_PI_2 };
        let upper = world.frame(base, Place::default(), turn);
        let slide = Drive::Slide { axis: Vec3::new(0.0, 2.0, 0.0), from: 1.0, to: 3.0 };
        let lower = world.frame(upper, Place::at(Vec3::unit(0)), slide);
        let follow = Drive::Follow { leader: upper, axis: Vec3::unit(2), multiplier: -1.0, offset: FRAC_PI_2 };
        let last = world.frame(lower, Place::default(), follow);
        let poses = frames_at(&world, 0.5);
        assert!((poses[lower].shift - Vec3::new(-2.0, 1.0, 1.0)).norm() < 1e-15);
        // A quarter turn here, none from the follower.
        assert!((poses[last].apply(Vec3::unit(0)) - Vec3::new(-2.0, 2.0, 1.0)).norm() < 1e-15);
        let d = (frames_at(&world, 0.501)[last].apply(Vec3::unit(0)) - poses[last].apply(Vec3::unit(0))).norm();
        let bound = speed_at_most(&world, last, 0, 1.0);
        assert!(d <= 0.001 * bound && bound < 30.0, "{d} {bound}");
    }
}
