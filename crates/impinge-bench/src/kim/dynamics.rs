//! Forward dynamics of trees of bodies, with joints that can be locked: Featherstone's articulated-body algorithm. [Redon, Galoppo, Lin 2005
//! select the joints to simulate; here they are those that would move most.]
//!
//! Spatial vectors are six numbers, rotation before translation, in the frame of the body and at its origin.

use impinge::math::trig::sin_cos;
use impinge::math::{Pose, Vec3};

type V6 = [f64; 6];
type M6 = [[f64; 6]; 6];

/// The motion of a joint, about or along an axis of its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Turn,
    Slide,
}

/// A body and its joint.
#[derive(Clone, Debug)]
pub struct Body {
    /// The parent body; `None` for the world.
    pub parent: Option<usize>,
    /// The pose of the joint in the parent.
    pub placement: Pose,
    pub kind: Kind,
    /// Unit vector.
    pub axis: Vec3,
    pub mass: f64,
    /// Centre of mass.
    pub center: Vec3,
    /// Moments of inertia about axes through the centre of mass.
    pub inertia: Vec3,
}

/// A mechanism: bodies, parents before children.
#[derive(Clone, Debug)]
pub struct Mechanism {
    pub bodies: Vec<Body>,
    pub gravity: Vec3,
    /// Damping of every joint, per speed.
    pub damping: f64,
}

/// A force in the world, at a point of the world attached to a body.
pub struct Push {
    pub body: usize,
    pub at: Vec3,
    pub force: Vec3,
}

/// A collision of two bodies, or of one body with an obstacle.
pub struct Hit {
    pub body: usize,
    pub other: Option<usize>,
    /// The contact point in the world.
    pub at: Vec3,
    /// The normal, from the other side to the body.
    pub normal: Vec3,
}

impl Hit {
    fn sides(&self) -> impl Iterator<Item = (usize, Vec3)> {
        std::iter::once((self.body, self.normal)).chain(self.other.map(|other| (other, -self.normal)))
    }
}

/// Values and speeds of all joints.
#[derive(Clone, Debug)]
pub struct State {
    pub q: Vec<f64>,
    pub speed: Vec<f64>,
}

impl Mechanism {
    /// Returns the accelerations of all joints; locked joints have none, and must be at rest.
    pub fn accelerations(&self, state: &State, locked: &[bool], pushes: &[Push]) -> Vec<f64> {
        let n = self.bodies.len();
        let moves: Vec<Pose> = (0..n).map(|i| self.bodies[i].placement * joint_pose(&self.bodies[i], state.q[i])).collect();
        let frames = self.chained(&moves);
        let axes: Vec<V6> = self.bodies.iter().map(axis).collect();
        let to_body: Vec<M6> = moves.iter().map(into_child).collect();
        let velocity = self.velocities(state);
        let bias: Vec<V6> = (0..n).map(|i| cross_motion(&velocity[i], &scaled(&axes[i], state.speed[i]))).collect();
        let mut inertia: Vec<M6> = self.bodies.iter().map(body_inertia).collect();
        let mut force: Vec<V6> = (0..n).map(|i| cross_force(&velocity[i], &apply(&inertia[i], &velocity[i]))).collect();
        for push in pushes {
            let turn = frames[push.body].rotation.transpose();
            let (arm, f) = (turn * (push.at - frames[push.body].translation), turn * push.force);
            force[push.body] = sum(&force[push.body], &scaled(&join(arm.cross(f), f), -1.0));
        }
        let (mut hinge, mut pull) = (vec![([0.0; 6], 1.0); n], vec![0.0; n]);
        for i in (0..n).rev() {
            let (mut left, mut rest) = (inertia[i], sum(&force[i], &apply(&inertia[i], &bias[i])));
            if !locked[i] {
                let u = apply(&inertia[i], &axes[i]);
                let d = dot(&axes[i], &u);
                pull[i] = -self.damping * state.speed[i] - dot(&axes[i], &force[i]);
                hinge[i] = (u, d);
                for (r, row) in left.iter_mut().enumerate() {
                    row.iter_mut().enumerate().for_each(|(c, x)| *x -= u[r] * u[c] / d);
                }
                rest = sum(&sum(&force[i], &apply(&left, &bias[i])), &scaled(&u, pull[i] / d));
            }
            if let Some(p) = self.bodies[i].parent {
                add(&mut inertia[p], &congruent(&to_body[i], &left));
                force[p] = sum(&force[p], &apply_transposed(&to_body[i], &rest));
            }
        }
        let mut acceleration = vec![[0.0; 6]; n];
        let mut out = vec![0.0; n];
        for (i, body) in self.bodies.iter().enumerate() {
            let above = body.parent.map_or(join(Vec3::ZERO, self.gravity * -1.0), |p| acceleration[p]);
            let carried = sum(&apply(&to_body[i], &above), &bias[i]);
            if !locked[i] {
                out[i] = (pull[i] - dot(&hinge[i].0, &carried)) / hinge[i].1;
            }
            acceleration[i] = sum(&carried, &scaled(&axes[i], out[i]));
        }
        out
    }

    /// Returns the poses of all bodies in the world.
    pub fn frames(&self, q: &[f64]) -> Vec<Pose> {
        let moves: Vec<Pose> = self.bodies.iter().zip(q).map(|(b, &q)| b.placement * joint_pose(b, q)).collect();
        self.chained(&moves)
    }

    fn chained(&self, moves: &[Pose]) -> Vec<Pose> {
        let mut frames: Vec<Pose> = Vec::with_capacity(moves.len());
        for (body, own) in self.bodies.iter().zip(moves) {
            frames.push(body.parent.map_or(*own, |p| frames[p] * *own));
        }
        frames
    }

    /// Performs one step of the fourth-order Runge-Kutta method; `pushes` computes the forces from the poses of the bodies.
    pub fn step(&self, state: &State, locked: &[bool], h: f64, pushes: &dyn Fn(&[Pose]) -> Vec<Push>) -> State {
        let rates = |s: &State| self.accelerations(s, locked, &pushes(&self.frames(&s.q)));
        let along = |s: &State, speed: &[f64], rate: &[f64], h: f64| State {
            q: s.q.iter().zip(speed).map(|(q, v)| q + h * v).collect(),
            speed: s.speed.iter().zip(rate).map(|(v, a)| v + h * a).collect(),
        };
        let a1 = rates(state);
        let s2 = along(state, &state.speed, &a1, 0.5 * h);
        let a2 = rates(&s2);
        let s3 = along(state, &s2.speed, &a2, 0.5 * h);
        let a3 = rates(&s3);
        let s4 = along(state, &s3.speed, &a3, h);
        let a4 = rates(&s4);
        let mean = |a: &[f64], b: &[f64], c: &[f64], d: &[f64]| -> Vec<f64> {
            (0..a.len()).map(|i| (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]) / 6.0).collect()
        };
        along(state, &mean(&state.speed, &s2.speed, &s3.speed, &s4.speed), &mean(&a1, &a2, &a3, &a4), h)
    }

    /// Returns the spatial velocities of all bodies.
    fn velocities(&self, state: &State) -> Vec<V6> {
        let mut velocity: Vec<V6> = Vec::with_capacity(self.bodies.len());
        for (i, body) in self.bodies.iter().enumerate() {
            let own = scaled(&axis(body), state.speed[i]);
            let into = into_child(&(body.placement * joint_pose(body, state.q[i])));
            velocity.push(body.parent.map_or(own, |p| sum(&apply(&into, &velocity[p]), &own)));
        }
        velocity
    }

    /// Returns kinetic and potential energy.
    #[cfg(test)]
    pub fn energy(&self, state: &State) -> f64 {
        let (frames, velocity) = (self.frames(&state.q), self.velocities(state));
        let of = |(i, body): (usize, &Body)| {
            let moving = 0.5 * dot(&velocity[i], &apply(&body_inertia(body), &velocity[i]));
            moving - body.mass * self.gravity.dot(frames[i].apply(body.center))
        };
        self.bodies.iter().enumerate().map(of).sum()
    }

    /// Returns the change of speeds by an impulse at the hit: the approaching sides separate with `bounce` of their speed, plus `apart`.
    pub fn impulse(&self, state: &State, locked: &[bool], hit: &Hit, bounce: f64, apart: f64) -> Vec<f64> {
        let unit: Vec<Push> = hit.sides().map(|(body, n)| Push { body, at: hit.at, force: n }).collect();
        // Accelerations are linear in forces: a unit impulse changes speeds as a unit force changes accelerations.
        let still = State { q: state.q.clone(), speed: vec![0.0; state.q.len()] };
        let (with, without) = (self.accelerations(&still, locked, &unit), self.accelerations(&still, locked, &[]));
        let gain: Vec<f64> = with.iter().zip(&without).map(|(a, b)| a - b).collect();
        let answer = self.parting(&State { q: state.q.clone(), speed: gain.clone() }, hit);
        let wanted = (apart - (1.0 + bounce) * self.parting(state, hit)).max(0.0);
        // A point that cannot move has no response.
        let impulse = if answer > 1e-9 { wanted / answer } else { 0.0 };
        gain.iter().map(|g| impulse * g).collect()
    }

    /// Returns the speed at which the sides of a hit separate.
    fn parting(&self, state: &State, hit: &Hit) -> f64 {
        let (frames, velocity) = (self.frames(&state.q), self.velocities(state));
        let along = |(body, n): (usize, Vec3)| {
            let turn = frames[body].rotation.transpose();
            let (w, v) = parts(&velocity[body]);
            (v + w.cross(turn * (hit.at - frames[body].translation))).dot(turn * n)
        };
        hit.sides().map(along).sum()
    }

    /// Returns the joints to lock: all but the `count` joints that would move most after a step of time.
    pub fn locked_but(&self, count: usize, state: &State, h: f64, pushes: &[Push]) -> Vec<bool> {
        let rates = self.accelerations(state, &self.unlocked(), pushes);
        let speeds = state.speed.iter().zip(&rates).map(|(v, a)| v + h * a).collect();
        self.calmest(count, &State { q: state.q.clone(), speed: speeds })
    }

    /// Returns all joints but the `count` that move most, by the energy that each alone would give to its subtree.
    pub fn calmest(&self, count: usize, state: &State) -> Vec<bool> {
        let energy: Vec<f64> = self.carried_inertia(&state.q).iter().zip(&state.speed).map(|(m, v)| m * v * v).collect();
        let mut order: Vec<usize> = (0..self.bodies.len()).collect();
        order.sort_by(|&a, &b| energy[b].total_cmp(&energy[a]).then(a.cmp(&b)));
        let mut locked = vec![true; self.bodies.len()];
        order.into_iter().take(count).for_each(|i| locked[i] = false);
        locked
    }

    /// Locks no joint.
    pub fn unlocked(&self) -> Vec<bool> {
        vec![false; self.bodies.len()]
    }

    /// Returns the mass, or moment of inertia about its axis, of the subtree of each joint.
    fn carried_inertia(&self, q: &[f64]) -> Vec<f64> {
        let mut inertia: Vec<M6> = self.bodies.iter().map(body_inertia).collect();
        for (i, body) in self.bodies.iter().enumerate().rev() {
            if let Some(p) = body.parent {
                let carried = congruent(&into_child(&(body.placement * joint_pose(body, q[i]))), &inertia[i]);
                add(&mut inertia[p], &carried);
            }
        }
        self.bodies.iter().zip(&inertia).map(|(body, m)| dot(&axis(body), &apply(m, &axis(body)))).collect()
    }
}

fn joint_pose(body: &Body, q: f64) -> Pose {
    match body.kind {
        Kind::Slide => Pose::from_translation(body.axis * q),
        Kind::Turn => {
            let (s, c) = sin_cos(0.5 * q);
            let v = body.axis * s;
            Pose::from_quaternion(Vec3::ZERO, [c, v.x, v.y, v.z]).expect("a unit quaternion")
        }
    }
}

fn axis(body: &Body) -> V6 {
    match body.kind {
        Kind::Turn => join(body.axis, Vec3::ZERO),
        Kind::Slide => join(Vec3::ZERO, body.axis),
    }
}

/// Transforms spatial velocities of the parent to the child, whose pose in the parent is given.
fn into_child(pose: &Pose) -> M6 {
    let (e, p) = (pose.rotation.transpose(), pose.translation);
    let mut m = [[0.0; 6]; 6];
    for k in 0..6 {
        let mut unit = [0.0; 6];
        unit[k] = 1.0;
        let (w, v) = parts(&unit);
        let column = join(e * w, e * (v - p.cross(w)));
        (0..6).for_each(|r| m[r][k] = column[r]);
    }
    m
}

fn body_inertia(body: &Body) -> M6 {
    let mut m = [[0.0; 6]; 6];
    for k in 0..6 {
        let mut unit = [0.0; 6];
        unit[k] = 1.0;
        let (w, v) = parts(&unit);
        // Momentum about the origin: of the centre, and its own.
        let p = (v + w.cross(body.center)) * body.mass;
        let own = Vec3::new(body.inertia.x * w.x, body.inertia.y * w.y, body.inertia.z * w.z);
        let column = join(own + body.center.cross(p), p);
        (0..6).for_each(|r| m[r][k] = column[r]);
    }
    m
}

fn join(a: Vec3, b: Vec3) -> V6 {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

fn parts(v: &V6) -> (Vec3, Vec3) {
    (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5]))
}

fn cross_motion(a: &V6, b: &V6) -> V6 {
    let ((w, v), (x, y)) = (parts(a), parts(b));
    join(w.cross(x), w.cross(y) + v.cross(x))
}

fn cross_force(a: &V6, f: &V6) -> V6 {
    let ((w, v), (n, l)) = (parts(a), parts(f));
    join(w.cross(n) + v.cross(l), w.cross(l))
}

fn sum(a: &V6, b: &V6) -> V6 {
    std::array::from_fn(|i| a[i] + b[i])
}

fn scaled(a: &V6, s: f64) -> V6 {
    a.map(|x| x * s)
}

fn dot(a: &V6, b: &V6) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn apply(m: &M6, v: &V6) -> V6 {
    std::array::from_fn(|r| dot(&m[r], v))
}

fn apply_transposed(m: &M6, v: &V6) -> V6 {
    std::array::from_fn(|c| (0..6).map(|r| m[r][c] * v[r]).sum())
}

/// Computes X^T I X.
fn congruent(x: &M6, i: &M6) -> M6 {
    let columns: Vec<V6> = (0..6).map(|c| apply_transposed(x, &apply(i, &std::array::from_fn(|r| x[r][c])))).collect();
    std::array::from_fn(|r| std::array::from_fn(|c| columns[c][r]))
}

fn add(m: &mut M6, other: &M6) {
    m.iter_mut().flatten().zip(other.iter().flatten()).for_each(|(x, y)| *x += y);
}

#[cfg(test)]
mod tests;
