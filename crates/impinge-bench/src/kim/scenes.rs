//! The three scenes of Kim 2008, figure 3, generated: wooden men, a pendulum of balls, a man above plates and pots.

use std::collections::HashMap;

use impinge::geometry::Piece;
use impinge::math::trig::sin_cos;
use impinge::math::{Pose, Vec3};
use impinge::robot::{JointKind, JointSpec, Link, Robot};
use impinge::scene::{Configuration, PartId, RobotId, SceneBuilder, SelfCollision};
use impinge::{Checker, Mesh, Options, Scene};
use impinge_io::example::random::Random;
use impinge_io::example::solids::{Ends, Solid, capsule, cylinder, ring};

use super::dynamics::{Body, Kind, Mechanism};
use crate::Outcome;

/// A mechanism, its robots in a scene, and its start.
pub struct Stage {
    pub checker: Checker,
    pub mechanism: Mechanism,
    /// Every robot with its joints of the mechanism, in the order of its values.
    pub robots: Vec<(RobotId, std::ops::Range<usize>)>,
    /// The body of the mechanism of each part of the scene.
    pub bodies: HashMap<PartId, usize>,
    pub start: Vec<f64>,
    /// Pairs of bodies connected by springs, with their stiffness.
    pub springs: Vec<(usize, usize, f64)>,
}

impl Stage {
    /// The bodies and joints of each robot.
    pub fn each<'q>(&self, q: &'q [f64]) -> Vec<(RobotId, &'q Configuration)> {
        self.robots.iter().map(|(id, own)| (*id, &q[own.clone()])).collect()
    }

    /// Draws a state near the start.
    pub fn somewhere(&self, random: &mut Random) -> Vec<f64> {
        self.start.iter().map(|q| q + random.within(-SPREAD, SPREAD)).collect()
    }
}

/// The range of the starts of a mechanism, m and rad.
const SPREAD: f64 = 0.3;

/// One body of a robot under construction.
struct Limb {
    name: String,
    /// `None` for the base.
    parent: Option<usize>,
    /// The pose of its joint in the parent.
    at: Vec3,
    kind: Kind,
    axis: Vec3,
    /// From its joint to its end, and its radius; frames without geometry have none.
    bone: Option<(Vec3, f64)>,
}

/// Subdivision of capsules: a body has 4 * SIDES * BANDS triangles.
const SIDES: u32 = 17;
const BANDS: u32 = 8;

fn mesh(solid: Solid) -> Outcome<Mesh> {
    Ok(solid.into_mesh()?)
}

impl Limb {
    fn bone_mesh(&self) -> Outcome<Option<Mesh>> {
        let Some((end, radius)) = self.bone else { return Ok(None) };
        // A gap to the next bone on either side.
        mesh(capsule(end * 0.3, end * 0.7, radius, SIDES, BANDS)).map(Some)
    }

    fn body(&self, parent: Option<usize>) -> Body {
        let (center, mass, inertia) = match self.bone {
            Some((end, radius)) => {
                let mass = 1000.0 * std::f64::consts::PI * radius * radius * (end.norm() * 0.4 + radius);
                let across = mass * (end.norm_squared() * 0.02 + 0.4 * radius * radius);
                (end * 0.5, mass, Vec3::splat(across))
            }
            // Negligible mass, but large enough to be moved.
            None => (Vec3::ZERO, 1e-3, Vec3::splat(1e-6)),
        };
        Body { parent, placement: Pose::from_translation(self.at), kind: self.kind, axis: self.axis, mass, center, inertia }
    }
}

/// Builds a robot of limbs, and adds its bodies to the simulation.
fn robot(name: &str, limbs: &[Limb], bodies: &mut Vec<Body>) -> Outcome<Robot> {
    let first = bodies.len();
    let mut links = vec![Link { name: "base".into(), pieces: Vec::new() }];
    let mut joints = Vec::new();
    for limb in limbs {
        let pieces = limb.bone_mesh()?.into_iter().map(|m| Piece::new(m, Pose::IDENTITY)).collect();
        links.push(Link { name: limb.name.clone(), pieces });
        joints.push(JointSpec {
            name: format!("to {}", limb.name),
            parent: limb.parent.map_or("base".into(), |p| limbs[p].name.clone()),
            child: limb.name.clone(),
            parent_from_joint: Pose::from_translation(limb.at),
            kind: match limb.kind {
                Kind::Turn => JointKind::Continuous { axis: limb.axis },
                Kind::Slide => JointKind::Prismatic { axis: limb.axis },
            },
            limits: None,
            mimic: None,
        });
        bodies.push(limb.body(limb.parent.map(|p| first + p)));
    }
    Ok(Robot::new(name, links, joints)?)
}

/// Bones at most two joints apart may overlap: they are never checked.
fn neighbours(builder: &mut SceneBuilder, name: &str, limbs: &[Limb]) {
    let boned_parent = |i: usize| std::iter::successors(limbs[i].parent, |&p| limbs[p].parent).find(|&p| limbs[p].bone.is_some());
    let full = |i: usize| format!("{name}/{}", limbs[i].name);
    let boned: Vec<usize> = (0..limbs.len()).filter(|&i| limbs[i].bone.is_some()).collect();
    for &i in &boned {
        let near = |j: usize| {
            let (p, g) = (boned_parent(i), boned_parent(i).and_then(boned_parent));
            Some(j) == p || Some(j) == g || (p.is_some() && boned_parent(j) == p)
        };
        for &j in boned.iter().filter(|&&j| j != i && near(j)) {
            builder.add_disabled(full(i), full(j), "neighbours");
        }
    }
}

/// Builds a man of 29 bodies and 28 joints on a base that moves freely: three translations and three rotations.
fn man() -> Vec<Limb> {
    let mut limbs: Vec<Limb> = Vec::new();
    let mut add = |name: String, parent: Option<usize>, at: Vec3, kind: Kind, axis: usize, bone: Option<(Vec3, f64)>| {
        limbs.push(Limb { name, parent, at, kind, axis: Vec3::unit(axis), bone });
        limbs.len() - 1
    };
    let mut root = None;
    for k in 0..3 {
        root = Some(add(format!("slide {k}"), root, Vec3::ZERO, Kind::Slide, k, None));
    }
    for k in 0..2 {
        root = Some(add(format!("turn {k}"), root, Vec3::ZERO, Kind::Turn, k, None));
    }
    let up = |h: f64| Vec3::new(0.0, 0.0, h);
    let pelvis = add("pelvis".into(), root, Vec3::ZERO, Kind::Turn, 2, Some((up(0.14), 0.07)));
    let mut spine = pelvis;
    for k in 0..4 {
        spine = add(format!("spine {k}"), Some(spine), up(0.14), Kind::Turn, k % 2, Some((up(0.14), 0.06)));
    }
    let neck = add("neck".into(), Some(spine), up(0.14), Kind::Turn, 2, Some((up(0.1), 0.03)));
    add("head".into(), Some(neck), up(0.1), Kind::Turn, 0, Some((up(0.24), 0.08)));
    for (side, y) in [("left", 1.0), ("right", -1.0)] {
        let out = |d: f64| Vec3::new(0.0, y * d, 0.0);
        let mut arm = spine;
        for (k, (part, from, to, radius, axis)) in [
            ("collar", out(0.06) + up(0.1), out(0.14), 0.03, 0),
            ("shoulder", out(0.14), out(0.1), 0.035, 2),
            ("upper arm", out(0.1), out(0.24), 0.035, 1),
            ("forearm", out(0.24), out(0.24), 0.03, 2),
            ("hand", out(0.24), out(0.16), 0.03, 0),
        ]
        .into_iter()
        .enumerate()
        {
            let parent = if k == 0 { spine } else { arm };
            arm = add(format!("{side} {part}"), Some(parent), from, Kind::Turn, axis, Some((to, radius)));
        }
        let mut leg = pelvis;
        for (k, (part, from, to, radius, axis)) in [
            ("hip", out(0.1), up(-0.1), 0.045, 0),
            ("hip joint", up(-0.1), up(-0.1), 0.045, 2),
            ("thigh", up(-0.1), up(-0.34), 0.05, 1),
            ("shin", up(-0.34), up(-0.38), 0.04, 1),
            ("foot", up(-0.38), Vec3::new(0.16, 0.0, -0.05), 0.03, 1),
            ("toes", Vec3::new(0.16, 0.0, -0.05), Vec3::new(0.1, 0.0, 0.0), 0.025, 1),
        ]
        .into_iter()
        .enumerate()
        {
            let parent = if k == 0 { pelvis } else { leg };
            leg = add(format!("{side} {part}"), Some(parent), from, Kind::Turn, axis, Some((to, radius)));
        }
    }
    limbs
}

fn stage(
    robots: &[(&str, Vec<Limb>)],
    obstacles: Vec<(String, Mesh)>,
    gravity: Vec3,
    start: impl Fn(usize, &Limb) -> f64,
    springs: Vec<(usize, usize, f64)>,
) -> Outcome<Stage> {
    let mut builder: SceneBuilder = Scene::builder().self_collision(SelfCollision::Check);
    let (mut bodies, mut values, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
    for (k, (name, limbs)) in robots.iter().enumerate() {
        let first = bodies.len();
        let model = robot(name, limbs, &mut bodies)?;
        let id = builder.add_robot(*name, model, Pose::IDENTITY);
        neighbours(&mut builder, name, limbs);
        ranges.push((id, first..bodies.len()));
        values.extend(limbs.iter().map(|limb| start(k, limb)));
    }
    for (name, mesh) in obstacles {
        builder.add_obstacle(&name, vec![Piece::new(mesh, Pose::IDENTITY)]);
    }
    let checker = Checker::new(builder.build()?, Options::default())?;
    let limbs = robots.iter().flat_map(|(robot, limbs)| limbs.iter().map(move |limb| format!("{robot}/{}", limb.name)));
    let part = |(body, name): (usize, String)| checker.scene().part(&name).map(|part| (part, body));
    let parts = limbs.enumerate().filter_map(part).collect();
    let mechanism = Mechanism { bodies, gravity, damping: 0.02 };
    Ok(Stage { checker, mechanism, robots: ranges, bodies: parts, start: values, springs })
}

/// Builds two men, a little apart, pulled together by springs between their spines.
pub fn men() -> Outcome<Stage> {
    let man_of = |limbs: &[Limb], name: &str| limbs.iter().position(|l| l.name == name).unwrap_or(0);
    let (one, other) = (man(), man());
    let (chest, count) = (man_of(&one, "spine 2"), one.len());
    let bend = |k: usize, limb: &Limb| match (k, limb.name.as_str()) {
        (1, "slide 0") => 1.3,
        (1, "turn 1") => 0.2,
        (_, name) if name.starts_with("slide") || name.starts_with("turn") => 0.0,
        (_, name) => 0.15 * f64::from(name.len() as u32 % 5) - 0.3,
    };
    stage(&[("one", one), ("other", other)], Vec::new(), Vec3::ZERO, bend, vec![(chest, count + chest, 60.0)])
}

/// Builds thirty spheres on thirty hinges, every other one rotated, above their support: they fall on each other.
pub fn pendulum() -> Outcome<Stage> {
    let down = Vec3::new(0.0, 0.0, -0.1);
    let ball = |k: usize| Limb {
        name: format!("ball {k}"),
        parent: k.checked_sub(1),
        at: if k == 0 { Vec3::ZERO } else { down },
        kind: Kind::Turn,
        axis: Vec3::unit(k % 2),
        bone: Some((down, 0.035)),
    };
    let balls: Vec<Limb> = (0..30).map(ball).collect();
    let bend = |_: usize, limb: &Limb| if limb.name == "ball 0" { 2.8 } else { 0.22 };
    stage(&[("pendulum", balls)], Vec::new(), Vec3::new(0.0, 0.0, -9.81), bend, Vec::new())
}

/// Builds a man above plates and pots of some 44,000 triangles.
pub fn falling() -> Outcome<Stage> {
    let mut obstacles = Vec::new();
    for k in 0..22u32 {
        let angle = f64::from(k) * 2.4;
        let (s, c) = sin_cos(angle);
        let at = Vec3::new(c, s, 0.0) * (0.15 + 0.05 * f64::from(k));
        let z = Vec3::unit(2);
        let dish = if k % 2 == 0 {
            let rim = ring(at + z * 0.04, (Vec3::unit(0), Vec3::unit(1)), 0.16, 0.012, 12, 40);
            cylinder((at, 0.1), (at + z * 0.04, 0.16), 40, 6, Ends::Capped).with(&rim)
        } else {
            let rim = ring(at + z * 0.22, (Vec3::unit(0), Vec3::unit(1)), 0.11, 0.015, 16, 40);
            cylinder((at, 0.1), (at + z * 0.22, 0.11), 40, 14, Ends::Capped).with(&rim)
        };
        obstacles.push((format!("dish {k}"), mesh(dish)?));
    }
    let ground = cylinder((Vec3::unit(2) * -0.1, 3.0), (Vec3::ZERO, 3.0), 24, 1, Ends::Capped);
    obstacles.push(("ground".into(), mesh(ground)?));
    let bend = |_: usize, limb: &Limb| match limb.name.as_str() {
        "slide 2" => 1.6,
        "turn 0" => 0.5,
        name if name.starts_with("slide") || name.starts_with("turn") => 0.0,
        name => 0.1 * f64::from(name.len() as u32 % 4) - 0.15,
    };
    stage(&[("man", man())], obstacles, Vec3::new(0.0, 0.0, -9.81), bend, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes are those of the paper, and the start is free.
    #[test]
    fn scenes_are_of_the_size_claimed() {
        let at_rest = |stage: &Stage| {
            let q = &stage.start;
            let motion = stage.robots.iter().fold(stage.checker.scene().motion(), |m, (id, own)| m.rest(*id, &q[own.clone()]));
            stage.checker.check(&motion.build().expect("finite")).expect("of this scene")
        };
        for (stage, boned, triangles) in [
            (men().expect("a scene"), 58, 31_000..33_500),
            (pendulum().expect("a scene"), 30, 15_500..17_000),
            (falling().expect("a scene"), 29, 57_000..63_000),
        ] {
            let bodies = stage.mechanism.bodies.iter().filter(|b| b.mass > 0.01).count();
            assert_eq!(bodies, boned);
            let found = stage.checker.scene().triangles();
            assert!(triangles.contains(&found), "{found} triangles");
            assert!(at_rest(&stage).is_free(), "{:?}", at_rest(&stage));
        }
    }
}
