//! Robots and their environments, deterministic.
//!
//! ```text
//! arm of 7 links, about 800 triangles   ── pipes: about 38,000 triangles          (Table 1)
//!                                       ── machine room: 1,180 objects, 187,000     (Table 2)
//! chains of 6 to 200 links, 9,600 triangles, 1.4 m, upright in the clear column of the pipes
//! ```
//!
//! Links are checked against the environment, not against each other, as in the paper.

use std::sync::Arc;

use impinge::Scene;
use impinge::geometry::Piece;
use impinge::math::{Pose, Vec3};
use impinge::robot::{JointKind, JointSpec, Limits, Link, Robot};
use impinge::scene::{RobotId, SelfCollision};
use impinge_io::example::random::Random;
use impinge_io::example::solids::{Ends, Solid, cylinder};
use impinge_io::example::{arm, plant};

use super::machine_room::machine_room;
use crate::Outcome;

/// Numbers of links of the measured chains.
pub const CHAINS: [u32; 7] = [6, 12, 20, 25, 50, 100, 200];
/// Triangles of a chain; every number of links divides it into whole bands of 16.
const CHAIN_TRIANGLES: u32 = 9600;
/// Length and radius of a chain, metres.
const CHAIN_LENGTH: f64 = 1.4;
const CHAIN_RADIUS: f64 = 0.02;
/// The joint range of a chain in radians, times the square root of the number of links: all chains bend alike.
const CHAIN_BEND: f64 = 2.1;
/// The smallest number of triangles of the pipes, and their seed.
const PIPES: (usize, u64) = (37_700, 2004);

/// The distance of the paper's robot "in close proximity to the pipes", metres.
const NEAR: f64 = 0.03;

/// A robot in its environment.
#[derive(Debug)]
pub struct Site {
    /// The scene.
    pub scene: Arc<Scene>,
    /// Its only robot.
    pub robot: RobotId,
    /// Range of each joint, radians.
    pub ranges: Vec<(f64, f64)>,
    /// Paths start at most this far from an obstacle, metres; anywhere without it.
    pub near: Option<f64>,
}

/// Builds the arm among pipes.
///
/// # Errors
/// None in practice, as for the others.
pub fn arm_among_pipes() -> Outcome<Site> {
    Ok(Site { near: Some(NEAR), ..Site::new(arm::arm()?, pipes())? })
}

/// Builds the arm in the machine room.
pub fn arm_in_machine_room() -> Outcome<Site> {
    Site::new(arm::arm()?, machine_room())
}

/// Builds a chain among pipes.
pub fn chain_among_pipes(links: u32) -> Outcome<Site> {
    Site::new(chain(links)?, pipes())
}

fn pipes() -> Vec<Solid> {
    plant::legs(PIPES.0, &mut Random::new(PIPES.1))
}

impl Site {
    fn new(robot: Robot, things: Vec<Solid>) -> Outcome<Self> {
        let ranges = robot.joints().iter().filter_map(|j| j.limits).map(|l| (l.lower, l.upper)).collect();
        let mut builder = Scene::builder().self_collision(SelfCollision::Skip);
        let robot = builder.add_robot("robot", robot, Pose::IDENTITY);
        for (i, thing) in things.into_iter().enumerate() {
            builder.add_obstacle(format!("thing {i}"), vec![Piece::new(thing.into_mesh()?, Pose::IDENTITY)]);
        }
        Ok(Site { scene: Arc::new(builder.build()?), robot, ranges, near: None })
    }
}

/// Builds equal cylinders on top of each other; joints bend them about x and y in turn.
fn chain(links: u32) -> Outcome<Robot> {
    let length = CHAIN_LENGTH / f64::from(links);
    let (from, to) = (Vec3::unit(2) * (0.05 * length), Vec3::unit(2) * (0.95 * length));
    let bands = CHAIN_TRIANGLES / links / 16 - 1;
    let body = Arc::new(cylinder((from, CHAIN_RADIUS), (to, CHAIN_RADIUS), 8, bands, Ends::Capped).into_mesh()?);
    let name = |i: u32| format!("link {i}");
    let link = |i| Link { name: name(i), pieces: vec![Piece::new(body.clone(), Pose::IDENTITY)] };
    let bend = CHAIN_BEND / f64::from(links).sqrt();
    let joint = |i: u32| {
        Ok(JointSpec {
            name: format!("joint {i}"),
            parent: name(i - 1),
            child: name(i),
            parent_from_joint: Pose::from_rpy(Vec3::unit(2) * length, Vec3::ZERO)?,
            kind: JointKind::Revolute { axis: Vec3::unit(i as usize % 2) },
            limits: Some(Limits { lower: -bend, upper: bend }),
            mimic: None,
        })
    };
    let joints: Outcome<Vec<JointSpec>> = (1..links).map(joint).collect();
    Ok(Robot::new("chain", (0..links).map(link).collect(), joints?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::geometry::Shape;
    use impinge::robot::Robot;

    fn triangles(robot: &Robot) -> usize {
        let count = |shape: &Shape| match shape {
            Shape::Mesh(m) => m.triangles().len(),
            Shape::Primitive(_) => 0,
        };
        robot.links().iter().flat_map(|l| &l.pieces).map(|p| count(&p.shape)).sum()
    }

    fn sizes(things: &[Solid]) -> (usize, usize) {
        (things.len(), things.iter().map(|t| t.triangles.len()).sum())
    }

    #[test]
    fn surroundings_have_the_sizes_of_the_paper() {
        let (things, in_pipes) = sizes(&pipes());
        assert!(things > 50 && (37_500..=38_500).contains(&in_pipes), "{things} legs of {in_pipes} triangles");
        let (things, in_room) = sizes(&machine_room());
        assert!(things == 1180 && (186_500..=187_500).contains(&in_room), "{things} things of {in_room} triangles");
    }

    #[test]
    fn surroundings_are_the_same_every_time() {
        assert_eq!(pipes(), pipes());
        assert_eq!(machine_room(), machine_room());
        let whole = plant::pipes(PIPES.0, &mut Random::new(PIPES.1));
        assert_eq!(pipes().iter().fold(Solid::default(), |all, leg| all.with(leg)), whole);
    }

    #[test]
    fn things_are_closed_and_leave_room_for_the_arm() {
        for thing in machine_room() {
            assert!(thing.vertices.iter().all(|v| v.x.hypot(v.y) > 0.34 && v.x.hypot(v.y) < 11.0 && v.z.abs() < 6.0));
            assert!(thing.into_mesh().expect("finite").is_closed());
        }
    }

    #[test]
    fn robots_have_the_sizes_of_the_paper() {
        let puma = arm::arm().expect("an arm");
        assert_eq!((puma.links().len(), puma.values()), (7, 6));
        assert!((750..=850).contains(&triangles(&puma)), "{}", triangles(&puma));
    }

    #[test]
    fn chains_differ_in_nothing_but_their_links() {
        for links in CHAINS {
            let chain = chain(links).expect("a chain");
            assert_eq!((chain.links().len(), chain.values()), (links as usize, links as usize - 1));
            assert_eq!(triangles(&chain), CHAIN_TRIANGLES as usize);
            let length: f64 = chain.joints().iter().map(|j| j.parent_from_joint.translation.z).sum();
            assert!((length + CHAIN_LENGTH / f64::from(links) - CHAIN_LENGTH).abs() < 1e-12);
        }
    }
}
