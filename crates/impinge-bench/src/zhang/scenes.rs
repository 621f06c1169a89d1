//! Meshes and their motions.

use std::path::Path;

use impinge::geometry::Mesh;
use impinge::math::trig::sin_cos;
use impinge::math::{Pose, Vec3};
use impinge::motion::RigidMotion;
use impinge_io::example::solids::{Solid, capsule, cuboid, torus_knot};
use impinge_io::load_mesh;

use super::comparison::Case;
use crate::Outcome;
use crate::rigid_motions;

/// Capsules of Santa: from, to, radius.
const SANTA: [([f64; 3], [f64; 3], f64); 8] = [
    ([0.0, 0.0, -0.15], [0.0, 0.0, 0.15], 0.42),
    ([0.0, 0.05, 0.68], [0.0, 0.05, 0.72], 0.22),
    ([0.0, 0.0, 0.9], [-0.15, -0.2, 1.2], 0.09),
    ([0.38, 0.0, 0.25], [0.75, 0.25, 0.0], 0.11),
    ([-0.38, 0.0, 0.25], [-0.7, 0.2, 0.55], 0.11),
    ([0.18, 0.0, -0.5], [0.22, 0.05, -0.95], 0.13),
    ([-0.18, 0.0, -0.5], [-0.25, 0.1, -0.95], 0.13),
    ([-0.55, -0.35, 0.5], [-0.4, -0.45, 0.2], 0.3),
];

/// 37,888 triangles and 12, a path five times as long as the body, the board at 100 places along it; half of the motions also rotate.
pub fn santa() -> Outcome<Case> {
    let parts = SANTA.iter().map(|&(from, to, radius)| capsule(from.into(), to.into(), radius, 37, 32));
    let body = parts.fold(Solid::default(), |sum, part| sum.with(&part)).into_mesh()?;
    let board = cuboid(Vec3::ZERO, Vec3::new(1.5, 1.5, 0.01)).into_mesh()?;
    let motion = |k: usize| {
        let height = 1.3 + 11.0 * ((k / 2) as f64 + 0.5) / 50.0;
        let turn = if k.is_multiple_of(2) { Vec3::ZERO } else { Vec3::new(0.9, 0.6, 0.4) };
        let start = Pose::from_translation(Vec3::new(0.1, -0.2, height));
        RigidMotion { start, end_position: start.translation - Vec3::new(0.3, 0.0, 11.0), rotation_vector: turn }
    };
    Ok(Case::new("santa", body, board, (0..100).map(motion).collect(), Some(15460.0)))
}

/// Two bunnies of about 70,000 triangles; 100 translations, and 150 motions that also turn by a sixth of a turn about two axes.
pub fn bunnies(data: &Path) -> Outcome<Case> {
    let found = load_mesh(data.join("meshes/common-3d/stanford-bunny.obj"), Vec3::splat(1.0));
    let bunny = || -> Outcome<Mesh> {
        match &found {
            Ok(found) => centred(&found.value),
            Err(_) => knobbly(112, 312),
        }
    };
    let name = if found.is_ok() { "bunny" } else { "knobbly" };
    let case = Case::new(name, bunny()?, bunny()?, random_motions(), Some(125.0));
    Ok(match &found {
        Ok(_) => case,
        Err(why) => {
            case.instead(format!("**The public bunny is missing**; a knobbly ball of its size was measured instead: {why}."))
        }
    })
}

/// Knots of 2,880, 11,520 and 34,560 triangles.
pub fn knots(workloads: &Path) -> Outcome<Vec<Case>> {
    let sizes = [("knot2880", (120, 12), 1055.0), ("knot11520", (240, 24), 449.0), ("knot34560", (480, 36), 188.0)];
    let case = |(name, (along, around), rate): (&str, (u32, u32), f64)| {
        let dir = workloads.join("rigid").join(name);
        if dir.is_dir() {
            let mesh = |file: &str| load_mesh(dir.join(file), Vec3::splat(1.0)).map(|m| m.value);
            return Ok(Case::new(name, mesh("A.obj")?, mesh("B.obj")?, rigid_motions::of_workload(&dir)?, Some(rate)));
        }
        let knot = || torus_knot(along, around).into_mesh();
        let case = Case::new(name, knot()?, knot()?, random_motions(), Some(rate));
        let missing = format!(
            "**The shared workload of {name} is missing**; a generated knot and generated motions were measured instead: {} is missing.",
            dir.display()
        );
        Ok(case.instead(missing))
    };
    sizes.into_iter().map(case).collect()
}

/// Draws a motion from outside past the middle.
fn random_motions() -> Vec<RigidMotion> {
    let (moving, turning) = rigid_motions::random();
    moving.into_iter().chain(turning).collect()
}

/// Centres a mesh and scales it into a ball of radius 1.2.
fn centred(mesh: &Mesh) -> Outcome<Mesh> {
    let (lo, hi) = mesh.vertices().iter().fold((mesh.vertices()[0], mesh.vertices()[0]), |(lo, hi), &v| (lo.min(v), hi.max(v)));
    let middle = (lo + hi) * 0.5;
    let size = mesh.vertices().iter().map(|v| (*v - middle).norm()).fold(0.0, f64::max);
    let vertices = mesh.vertices().iter().map(|v| (*v - middle) * (1.2 / size)).collect();
    Ok(Mesh::new(vertices, mesh.triangles().to_vec())?)
}

/// Builds a ball with knobs and dents of radius about one: `2 * sides * (bands - 1)` triangles.
pub fn knobbly(sides: u32, bands: u32) -> Outcome<Mesh> {
    let at = |i: u32, k: u32| {
        let (phi, theta) =
            (std::f64::consts::TAU * f64::from(k) / f64::from(sides), std::f64::consts::PI * f64::from(i) / f64::from(bands));
        let ((sp, cp), (st, ct)) = (sin_cos(phi), sin_cos(theta));
        let (knobs, dents) = (sin_cos(3.0 * phi + 2.0 * ct).0 * sin_cos(4.0 * theta).0, sin_cos(2.0 * phi).1 * st);
        Vec3::new(st * cp, st * sp, ct) * (0.85 + 0.2 * knobs * st + 0.12 * dents)
    };
    let mut vertices = vec![at(0, 0)];
    vertices.extend((1..bands).flat_map(|i| (0..sides).map(move |k| (i, k))).map(|(i, k)| at(i, k)));
    vertices.push(at(bands, 0));
    let (last, ring) = (vertices.len() as u32 - 1, |i: u32, k: u32| 1 + (i - 1) * sides + k % sides);
    let mut triangles = Vec::new();
    for k in 0..sides {
        triangles.extend([[0, ring(1, k), ring(1, k + 1)], [last, ring(bands - 1, k + 1), ring(bands - 1, k)]]);
        for i in 1..bands - 1 {
            let [a, b, c, d] = [ring(i, k), ring(i, k + 1), ring(i + 1, k), ring(i + 1, k + 1)];
            triangles.extend([[a, c, d], [a, d, b]]);
        }
    }
    Ok(Mesh::new(vertices, triangles)?)
}
