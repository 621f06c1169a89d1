//! Recorded motions: the hand of a measured arm, and hulls placed in its path.

use std::fs;
use std::path::Path;

use impinge::scene::RobotId;
use impinge::{Mesh, Pose, Scene, Vec3};
use impinge_io::example::operator::hull;
use impinge_io::{UrdfOptions, load_urdf};

use crate::Outcome;

/// Seconds of a motion, and of the path to the place of the hull.
const PIECE: f64 = 2.0;
const UNTIL: f64 = 1.5;

/// Time-stamped poses, and the body in their path.
type Piece = (Vec<(f64, Pose)>, Mesh);

/// Returns pieces of the measured motion with a hull on the path of the tool, or nearly; `None` without data.
pub fn recorded(dir: &Path) -> Outcome<Option<Vec<Piece>>> {
    let folder = dir.join("motions/panda_measured");
    if !folder.is_dir() {
        return Ok(None);
    }
    let numbers = |name: &str| -> Outcome<Vec<f64>> {
        Ok(fs::read_to_string(folder.join(name))?.split_whitespace().map(str::parse).collect::<Result<_, _>>()?)
    };
    let (values, times) = (numbers("exciting_traj_positions.txt")?, numbers("exciting_traj_time.txt")?);
    let robot = load_urdf(dir.join("robots/panda/panda.urdf"), &UrdfOptions::default())?.value;
    let (name, joints) = (robot.name().to_owned(), robot.values());
    let scene = Scene::builder().robot(&name, robot).build()?;
    let id = scene.robot(&name).ok_or("the robot is not in its scene")?;
    let mut poses: Vec<(f64, Pose)> = Vec::new();
    for (&t, q) in times.iter().zip(values.chunks_exact(7)) {
        // Some time stamps repeat.
        if poses.last().is_none_or(|(last, _)| t > *last + 1e-4) {
            let mut q = q.to_vec();
            q.resize(joints, 0.0);
            poses.push((t, hand(&scene, id, &q)?));
        }
    }
    let flat = hull(10_000).into_mesh()?;
    let mut pieces = Vec::new();
    let mut begin = 0.0;
    while let Some(first) = poses.iter().position(|p| p.0 >= begin) {
        let piece: Vec<(f64, Pose)> = poses[first..].iter().take_while(|p| p.0 < begin + PIECE).copied().collect();
        if piece.last().is_none_or(|p| p.0 < begin + PIECE - 0.1) {
            break;
        }
        pieces.push((piece.clone(), in_the_way(&flat, &piece, begin + UNTIL)?));
        begin += 0.5;
    }
    Ok(Some(pieces))
}

/// Returns the pose of the hand.
fn hand(scene: &Scene, robot: RobotId, q: &[f64]) -> Outcome<Pose> {
    let motion = scene.motion().rest(robot, q).build()?;
    let hand = scene.poses(&motion, 0.0)?.find(|(name, _)| name.ends_with("hand"));
    Ok(hand.ok_or("the robot has no hand")?.1)
}

/// Returns the hull, oriented against the motion of the tool at a time.
fn in_the_way(hull: &Mesh, piece: &[(f64, Pose)], at: f64) -> Outcome<Mesh> {
    let k = piece.iter().position(|p| p.0 >= at).unwrap_or(piece.len() - 1);
    let (a, b) = (piece[k.saturating_sub(20)].1, piece[k].1);
    let way = b.translation - a.translation;
    let up = if way.norm() > 0.0 { way * (-1.0 / way.norm()) } else { Vec3::unit(2) };
    let x = up.cross(Vec3::unit((up.longest_axis() + 1) % 3));
    let x = x * (1.0 / x.norm());
    let y = up.cross(x);
    let place = |v: &Vec3| b.translation + x * v.x + y * v.y + up * (v.z - 0.1);
    Ok(Mesh::new(hull.vertices().iter().map(place).collect(), hull.triangles().to_vec())?)
}
