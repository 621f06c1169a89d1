//! Swept volumes of whole robots contain every link at every time, and little more.
//!
//! The link poses come from the kinematics of this test; containment is tested by the region and by rays through the mesh alone.

use impinge::geometry::{Mesh, Shape};
use impinge::math::{Mat3, Vec3};
use impinge::query::SweptVolume;
use impinge::robot::{JointKind, Robot};
use impinge::{Motion, Scene};
use impinge_io::example::{arm_in_plant, random_motion};
use impinge_io::{UrdfOptions, load_urdf};
use impinge_testkit::Random;
use impinge_testkit::place::{Rigid, turn_about};
use impinge_testkit::shared::shared;

/// Returns the pose of a link in the world at joint values `q`.
fn link_pose(robot: &Robot, link: usize, q: &[f64]) -> Rigid {
    let Some(j) = robot.joint_above(link) else { return Rigid::STILL };
    let joint = &robot.joints()[j];
    let origin = Rigid { turn: joint.parent_from_joint.rotation, shift: joint.parent_from_joint.translation };
    let moved = match joint.kind {
        JointKind::Fixed => Rigid::STILL,
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
            Rigid { turn: turn_about(axis, robot.joint_value(j, q)), shift: Vec3::ZERO }
        }
        JointKind::Prismatic { axis } => Rigid { turn: Mat3::IDENTITY, shift: axis * (robot.joint_value(j, q) / axis.norm()) },
        _ => panic!("no such joint in these robots"),
    };
    link_pose(robot, joint.parent, q).after(&origin).after(&moved)
}

/// Interpolates the joint values at time t.
fn between(from: &[f64], to: &[f64], t: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(a, b)| a + t * (b - a)).collect()
}

/// Tests whether the last crossing of a ray leaves the mesh: then its start is inside the outermost surface.
fn leaves_last(mesh: &Mesh, from: Vec3, direction: Vec3) -> bool {
    let mut last = (0.0, false);
    for i in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(i);
        let (u, v) = (b - a, c - a);
        let across = direction.cross(v);
        let det = u.dot(across);
        if det == 0.0 {
            continue;
        }
        let (s, w) = (from - a, (from - a).cross(u));
        let (x, y, t) = (s.dot(across) / det, direction.dot(w) / det, v.dot(w) / det);
        if x >= -1e-9 && y >= -1e-9 && x + y <= 1.0 + 1e-9 && t > last.0 {
            last = (t, u.cross(v).dot(direction) > 0.0);
        }
    }
    last.1
}

/// Returns the distance of a point from the segment of the moving capsule, refined from the best of many instants.
fn distance_over_time(volume: &SweptVolume, motion: &Motion, p: Vec3) -> f64 {
    let capsule = volume.capsule();
    let at = |t: f64| {
        let local = volume.frame_pose(motion, t.clamp(0.0, 1.0)).expect("of this scene").inverse().apply(p);
        (local - capsule.nearest(local)).norm()
    };
    let best = |times: &mut dyn Iterator<Item = f64>| times.min_by(|s, t| at(*s).total_cmp(&at(*t))).unwrap_or(0.0);
    let (mut t, mut step) = (best(&mut (0..=100).map(|k| f64::from(k) / 100.0)), 0.005);
    for _ in 0..25 {
        t = best(&mut [t - step, t, t + step].into_iter());
        step *= 0.6;
    }
    at(t)
}

struct Trial<'a> {
    robot: &'a Robot,
    scene: &'a Scene,
    from: &'a [f64],
    to: &'a [f64],
    error: f64,
}

impl Trial<'_> {
    /// Checks every link with geometry; returns the number of triangles of all meshes.
    fn run(&self, random: &mut Random) -> usize {
        let id = self.scene.robot(self.robot.name()).expect("just added");
        let motion = self.scene.motion().joint_line(id, self.from, self.to).build().expect("within range");
        let mut triangles = 0;
        for (i, link) in self.robot.links().iter().enumerate().filter(|(_, l)| !l.pieces.is_empty()) {
            let part = format!("{}/{}", self.robot.name(), link.name);
            let volume = self.scene.swept_volume(&motion, &part, self.error).expect("a volume");
            triangles += volume.mesh().triangles().len();
            self.geometry_is_inside(i, &volume, random);
            self.capsule_is_inside(&motion, &volume, random);
            self.little_more_is_inside(&motion, &volume);
        }
        triangles
    }

    /// Checks vertices of the link at random times.
    fn geometry_is_inside(&self, link: usize, volume: &SweptVolume, random: &mut Random) {
        for _ in 0..8 {
            let pose = link_pose(self.robot, link, &between(self.from, self.to, random.within(0.0, 1.0)));
            for piece in &self.robot.links()[link].pieces {
                let Shape::Mesh(mesh) = &piece.shape else { continue };
                for v in mesh.vertices().iter().step_by(mesh.vertices().len() / 60 + 1) {
                    let p = pose.apply(piece.part_from_shape.apply(*v));
                    assert!(volume.holds(p), "{}: {p:?}", self.robot.links()[link].name);
                    assert!(!volume.proven_apart(&[p, p, p]));
                }
            }
        }
    }

    /// Checks points on the surface of the capsule at random times: they are in the region, and inside the mesh by rays.
    fn capsule_is_inside(&self, motion: &Motion, volume: &SweptVolume, random: &mut Random) {
        let capsule = volume.capsule();
        let direction = |random: &mut Random| loop {
            let d = Vec3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), random.within(-1.0, 1.0));
            if d.norm() > 0.1 && d.norm() < 1.0 {
                return d * (1.0 / d.norm());
            }
        };
        for k in 0..60 {
            let pose = volume.frame_pose(motion, random.within(0.0, 1.0)).expect("of this scene");
            let out = direction(random);
            let p = capsule.a + (capsule.b - capsule.a) * random.within(0.0, 1.0) + out * capsule.radius;
            let (p, out) = (pose.apply(p), pose.rotation * out);
            assert!(volume.holds(p), "{p:?}");
            // The outward direction is that to the nearest surface.
            if k % 4 == 0 {
                assert!(leaves_last(volume.mesh(), p, out) && leaves_last(volume.mesh(), p, direction(random)), "{p:?}");
            }
        }
        let far = Vec3::splat(100.0);
        assert!(!volume.holds(far) && volume.proven_apart(&[far, far + Vec3::unit(0), far + Vec3::unit(1)]));
    }

    /// No part of the mesh is farther from the swept capsule than twice the error.
    fn little_more_is_inside(&self, motion: &Motion, volume: &SweptVolume) {
        let mesh = volume.mesh();
        for i in (0..mesh.triangles().len()).step_by(mesh.triangles().len() / 150 + 1) {
            let [a, b, c] = mesh.corners(i);
            for p in [a, (a + b + c) * (1.0 / 3.0)] {
                let beyond = distance_over_time(volume, motion, p) - volume.capsule().radius;
                assert!(beyond <= 2.0 * self.error + 1e-9, "{beyond} for {}", self.error);
            }
        }
    }
}

fn try_robot(robot: Robot, motions: &[(Vec<f64>, Vec<f64>)]) {
    let scene = Scene::builder().robot(robot.name(), robot.clone()).build().expect("a scene");
    let mut random = Random::new(7);
    for (from, to) in motions {
        for error in [0.02, 0.005] {
            let trial = Trial { robot: &robot, scene: &scene, from, to, error };
            println!("{}: error {error}: {} triangles", robot.name(), trial.run(&mut random));
        }
    }
}

/// Generates motions within the joint limits, each joint by up to this many radians.
fn motions_of(robot: &Robot, reach: f64, count: usize) -> Vec<(Vec<f64>, Vec<f64>)> {
    let mut random = Random::new(11);
    let limits = robot.moving_joints().map(|j| j.limits.map_or((-3.0, 3.0), |l| (l.lower, l.upper)));
    let limits: Vec<(f64, f64)> = limits.collect();
    let motion = |_| {
        let from: Vec<f64> = limits.iter().map(|&(lower, upper)| random.within(lower, upper)).collect();
        let to = from.iter().zip(&limits).map(|(q, l)| (q + random.within(-reach, reach)).clamp(l.0, l.1)).collect();
        (from, to)
    };
    (0..count).map(motion).collect()
}

#[test]
fn the_example() {
    let motions: Vec<_> = [(1, 10.0), (2, 30.0), (3, 90.0)].map(|(seed, degrees)| random_motion(seed, degrees)).to_vec();
    try_robot(arm_in_plant().robot, &motions);
}

#[test]
fn robots_of_the_papers_and_today() {
    for urdf in ["data/robots/panda/panda.urdf", "data/robots/puma560/puma560.urdf"] {
        let Some(path) = shared(urdf) else { return };
        let robot = load_urdf(&path, &UrdfOptions::default()).expect("a robot").value;
        let motions = motions_of(&robot, 0.8, 2);
        try_robot(robot, &motions);
    }
}
