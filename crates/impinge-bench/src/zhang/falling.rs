//! Motions of a body that falls on another, bounces, and falls again: a small simulation, which queries its own first contacts.
//!
//! ```text
//!  q0 ───► q1    every step is a query; a step with a contact ends inside the other body, as in the paper, where q1 is moved into it on purpose
//!   \_ contact: the body stops there, an impulse along the normal changes its velocity and its spin, and the next step starts
//! ```

use impinge::geometry::Mesh;
use impinge::math::trig::sin_cos;
use impinge::math::{Pose, Vec3};
use impinge::motion::RigidMotion;
use impinge::{Checker, Options, Scene};
use impinge_io::example::random::Random;
use impinge_io::example::solids::ring;

use super::comparison::Case;
use super::scenes::knobbly;
use crate::Outcome;

/// Seconds of a step, and the number of steps.
const STEP: f64 = 0.02;
const STEPS: usize = 400;
/// Metres per second squared.
const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);
/// Coefficient of restitution along the normal.
const BOUNCE: f64 = 0.4;
/// Square of the radius of gyration, metres squared: that of a sphere of radius one.
const GYRATION: f64 = 0.4;

/// Builds two bodies of 26,000 triangles.
pub fn bodies() -> Outcome<Case> {
    fall("knobbly26000", || knobbly(100, 131), 1555.0)
}

/// Builds two rings of 10,000 triangles.
pub fn rings() -> Outcome<Case> {
    let across = (Vec3::unit(0), Vec3::new(0.0, 0.8, 0.6));
    fall("ring10000", || Ok(ring(Vec3::ZERO, across, 0.8, 0.15, 50, 100).into_mesh()?), 1357.0)
}

/// A body in flight.
struct State {
    position: Vec3,
    /// Orientation as a quaternion `[w, x, y, z]`.
    turned: [f64; 4],
    velocity: Vec3,
    spin: Vec3,
}

fn fall(name: &'static str, mesh: impl Fn() -> Outcome<Mesh>, rate: f64) -> Outcome<Case> {
    let scene = Scene::builder().body("a", mesh()?).obstacle("b", mesh()?, Pose::IDENTITY).build()?;
    let checker = Checker::new(scene, Options::default())?;
    let body = checker.scene().body("a").ok_or("no body")?;
    let mut random = Random::new(2006);
    let mut state = State::dropped(&mut random);
    let mut motions = Vec::with_capacity(STEPS);
    while motions.len() < STEPS {
        state.velocity += GRAVITY * STEP;
        let motion = state.motion()?;
        let verdict = checker.first_contact(&checker.scene().motion().rigid(body, motion).build()?)?;
        motions.push(motion);
        match verdict.contact() {
            None => state.advance(1.0),
            Some(contact) => {
                // Just before contact, so that the next step starts free.
                state.advance(0.95 * contact.free_until);
                state.bounce(contact.point, contact.normal);
            }
        }
        if state.position.norm() > 4.0 {
            state = State::dropped(&mut random);
        }
    }
    Ok(Case::new(name, mesh()?, mesh()?, motions, Some(rate)))
}

impl State {
    /// Draws a start from above, somewhere over the other body.
    fn dropped(random: &mut Random) -> Self {
        let mut within = |size: f64| random.within(-size, size);
        State {
            position: Vec3::new(within(0.6), within(0.6), 2.6),
            turned: [1.0, 0.0, 0.0, 0.0],
            velocity: Vec3::new(within(0.5), within(0.5), 0.0),
            spin: Vec3::new(within(3.0), within(3.0), within(3.0)),
        }
    }

    fn motion(&self) -> Outcome<RigidMotion> {
        let start = Pose::from_quaternion(self.position, self.turned)?;
        Ok(RigidMotion { start, end_position: self.position + self.velocity * STEP, rotation_vector: self.spin * STEP })
    }

    /// Advances by a share of a step.
    fn advance(&mut self, share: f64) {
        self.position += self.velocity * (STEP * share);
        let turn = self.spin * (STEP * share);
        let angle = turn.norm();
        let (s, c) = sin_cos(0.5 * angle);
        let v = if angle > 0.0 { turn * (s / angle) } else { Vec3::ZERO };
        let [w, x, y, z] = self.turned;
        let u = Vec3::new(x, y, z);
        let (w, u) = (c * w - v.dot(u), u * c + v * w + v.cross(u));
        let norm = (w * w + u.norm_squared()).sqrt();
        self.turned = [w, u.x, u.y, u.z].map(|q| q / norm);
    }

    /// Applies an impulse at a point along a normal, without friction, if the point approaches.
    fn bounce(&mut self, point: Vec3, normal: Vec3) {
        let arm = point - self.position;
        let speed = normal.dot(self.velocity + self.spin.cross(arm));
        let n = if speed > 0.0 { -normal } else { normal };
        let lever = arm.cross(n);
        let blow = (1.0 + BOUNCE) * speed.abs() / (1.0 + lever.norm_squared() / GYRATION);
        self.velocity += n * blow;
        self.spin += lever * (blow / GYRATION);
    }
}
