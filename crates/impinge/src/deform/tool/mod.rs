//! A rigid tool against deforming bodies that nothing was prepared for.   [Caby 2001]
//!
//! ```text
//! poses ─► vertices at both ─► region     box from their statistics, side and frontal planes
//!                          ─► list       one pass over the body: which triangles have a point in the volume
//!                          ─► clusters   the same for parts of a complex tool, box by box
//!                          ─► fine       vertex/face and edge/edge on lines: first contact, exact
//! ```
//! Sound: the volume holds the whole tool during the whole step; a body's triangle that has no point in it is not touched.
//! Deviations: a polygon clip in place of the graphics card's select buffer; the planes' reach is measured over all vertices, so they hold
//! for any mesh, not for cylinders only; contact is decided by surfaces, not by the volume.

pub(crate) mod arc;
mod checker;
mod fine;
mod patch;
mod region;
mod statistics;

pub use checker::{Planes, Surface, ToolChecker, ToolOptions, ToolPath};

use std::f64::consts::TAU;
use std::sync::Arc;

use super::features::owned;
use crate::Error;
use crate::bvh::ClusterTree;
use crate::geometry::Mesh;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::rounding::INFLATE;
use crate::math::trig::sin_cos;
use crate::math::{Pose, Vec3};

/// Triangles of a tool that are taken together in its hierarchy of boxes.
const CLUSTER: usize = 32;
/// How much of the tool's length its end faces take.
const FACE: f64 = 0.02;

/// A rigid tool, made ready once.
#[derive(Debug)]
pub struct Tool {
    mesh: Arc<Mesh>,
    owned: Vec<u8>,
    clusters: ClusterTree,
    /// Vertices of the two ends of its longest axis, front and rear.
    faces: [Vec<u32>; 2],
    /// At least the distance of any vertex from the tool's origin.
    reach: f64,
    bounds: Aabb,
}

impl Tool {
    /// Any mesh, in the tool's own frame. Where its vertices are off by up to [`Mesh::error`], what comes nearer than that is told as a contact,
    /// and none is certified.
    pub fn new(mesh: impl Into<Arc<Mesh>>) -> Tool {
        let mesh = mesh.into();
        let axes = statistics::axes(mesh.vertices());
        let extent = |axis: Vec3| {
            let along = mesh.vertices().iter().map(|&v| axis.dot(v));
            along.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), x| (lo.min(x), hi.max(x)))
        };
        let length = |axis: Vec3| extent(axis).1 - extent(axis).0;
        let axis = axes.into_iter().fold(axes[0], |best, a| if length(a) > length(best) { a } else { best });
        let ((lo, hi), near) = (extent(axis), FACE * length(axis));
        let face = |chosen: &dyn Fn(f64) -> bool| {
            let all = (0u32..).zip(mesh.vertices());
            all.filter(|(_, v)| chosen(axis.dot(**v))).map(|(i, _)| i).collect::<Vec<u32>>()
        };
        let faces = [face(&|x| x >= hi - near), face(&|x| x <= lo + near)];
        let bounds = Aabb::of(mesh.vertices().iter().copied());
        let reach = (mesh.vertices().iter().fold(0.0, |m: f64, v| m.max(v.norm())) + mesh.error()) * INFLATE;
        Tool { owned: owned(mesh.triangles()), clusters: ClusterTree::of_mesh(&mesh, CLUSTER), faces, reach, bounds, mesh }
    }

    /// The paper's tool: a cylinder along z, its middle at the origin, as a prism around it.
    ///
    /// # Errors
    /// If a length is not positive and finite, or there are fewer than 3 or more than 65,536 sides.
    pub fn cylinder(radius: f64, length: f64, sides: usize) -> Result<Tool, Error> {
        let fits = |x: f64| x > 0.0 && x.is_finite();
        if !fits(radius) || !fits(length) || !(3..=65_536).contains(&sides) {
            return Err(Error::invalid("cylinder", format!("radius {radius}, length {length}, {sides} sides")));
        }
        // Around the round one: corners further out, by a little more than they must be.
        let corner = radius / sin_cos(0.5 * TAU / sides as f64).1 * INFLATE;
        let ring = |z: f64| {
            (0..sides).map(move |i| {
                let (s, c) = sin_cos(TAU * i as f64 / sides as f64);
                Vec3::new(corner * c, corner * s, z)
            })
        };
        let half = 0.5 * length;
        let middles = [Vec3::new(0.0, 0.0, -half), Vec3::new(0.0, 0.0, half)];
        let vertices: Vec<Vec3> = ring(-half).chain(ring(half)).chain(middles).collect();
        let n = sides as u32;
        let side = |i: u32| {
            let j = (i + 1) % n;
            [[i, j, n + j], [i, n + j, n + i], [2 * n, j, i], [2 * n + 1, n + i, n + j]]
        };
        Ok(Tool::new(Mesh::new(vertices, (0..n).flat_map(side).collect())?))
    }

    /// The mesh, in the tool's own frame.
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.mesh
    }

    /// At least the distance of any point of the tool from its origin.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The corners of a box around the tool, placed.
    pub(crate) fn box_corners(&self, pose: &Pose) -> [Vec3; 8] {
        let Aabb { lo, hi } = self.bounds;
        let pick = |bit: bool, lo: f64, hi: f64| if bit { hi } else { lo };
        std::array::from_fn(|i| {
            pose.apply(Vec3::new(pick(i & 1 > 0, lo.x, hi.x), pick(i & 2 > 0, lo.y, hi.y), pick(i & 4 > 0, lo.z, hi.z)))
        })
    }
}
