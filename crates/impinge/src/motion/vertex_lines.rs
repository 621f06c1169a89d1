//! A deforming body: every vertex moves along a straight line, x(t) = start + t (end - start).

use std::sync::Arc;

use crate::Error;
use crate::bvh::LineTree;
use crate::geometry::Mesh;
use crate::geometry::mesh::MAX_COORDINATE;
use crate::math::Vec3;
use crate::math::rounding::U;

/// Vertices at both ends, relative to the motion's origin, and the tree over the triangles they carry.
#[derive(Clone, Debug)]
pub(crate) struct VertexLines {
    mesh: Arc<Mesh>,
    start: Vec<Vec3>,
    end: Vec<Vec3>,
    /// The end as it was given, exact numbers; the start is the mesh's.
    given_end: Vec<Vec3>,
    pub tree: LineTree,
    /// How far a corner, as computed at any t, can be from the described one: the difference to the origin and the mixture of both ends
    /// round by at most 8 u of the coordinates; and the error of the mesh.
    pub error: f64,
}

impl VertexLines {
    /// From the vertices of the mesh to `end`; all relative to `origin` from here on.
    pub fn new(mesh: &Arc<Mesh>, end: &[Vec3], origin: Vec3) -> Result<Self, Error> {
        let start = mesh.vertices();
        if end.len() != start.len() {
            return Err(Error::invalid("end vertices", format!("{} are given, the mesh has {}", end.len(), start.len())));
        }
        if let Some(i) = end.iter().position(|v| !v.is_finite()) {
            return Err(Error::NonFinite { what: format!("end vertex {i}") });
        }
        let size = start.iter().chain(end).fold(origin.max_abs(), |m, v| m.max(v.max_abs()));
        if size > MAX_COORDINATE {
            return Err(Error::OutOfRange { what: "a vertex".into(), value: size, limit: MAX_COORDINATE });
        }
        let shift = |of: &[Vec3]| of.iter().map(|&v| v - origin).collect::<Vec<_>>();
        let (given_end, start, end) = (end.to_vec(), shift(start), shift(end));
        let tree = LineTree::of_lines(mesh.triangles(), &start, &end);
        Ok(VertexLines { mesh: mesh.clone(), start, end, given_end, tree, error: 32.0 * U * size + mesh.error() })
    }

    /// The triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        self.mesh.triangles()
    }

    /// All vertices at the start and at the end in the world, as they were given: nothing is rounded.
    pub fn given(&self) -> (&[Vec3], &[Vec3]) {
        (self.mesh.vertices(), &self.given_end)
    }

    /// How far each vertex may be from the described one.
    pub fn within(&self) -> f64 {
        self.mesh.error()
    }

    /// Corners of a triangle at the start and at the end.
    pub fn corners(&self, triangle: u32) -> ([Vec3; 3], [Vec3; 3]) {
        let t = self.mesh.triangles()[triangle as usize];
        (t.map(|i| self.start[i as usize]), t.map(|i| self.end[i as usize]))
    }
}
