//! Convex hulls, exact: what they are, and how surfaces are cut into pieces that lie on hulls.
//!
//! ```text
//! quickhull   points in space            flat        points in a plane
//! merge       triangles to polygons      support     the farthest vertex in a direction, by climbing
//! decompose   a surface into convex pieces           bounded     hulls of few vertices around pieces
//! ```
//! Decisions are exact (`math::orient`), vertices are input points: the hull contains every input point with no inflation at all.

pub(crate) mod bounded;
pub(crate) mod decompose;
mod flat;
mod merge;
mod quickhull;
mod support;
mod surface;
#[cfg(test)]
mod tests;

use crate::Error;
use crate::geometry::mesh::MAX_COORDINATE;
use crate::math::Vec3;

pub use decompose::{ConvexPiece, decompose, slack};
use quickhull::{Quickhull, Spread, spread};
pub use support::Climber;

/// The convex hull of points: a point, a segment, a polygon or a polyhedron.
///
/// No vertex lies on a segment between others, no two faces share a plane; both hold exactly.
#[derive(Clone, Debug)]
pub struct Hull {
    vertices: Vec<Vec3>,
    sources: Vec<u32>,
    /// Corners of all faces, one face after the other.
    corners: Vec<u32>,
    face_starts: Vec<u32>,
    /// Neighbours of all vertices, one vertex after the other.
    links: Vec<u32>,
    link_starts: Vec<u32>,
}

impl Hull {
    /// The hull of points, in any number and position.
    ///
    /// # Errors
    /// If there is none, or a coordinate is not finite or beyond [`MAX_COORDINATE`].
    pub fn of(points: &[Vec3]) -> Result<Self, Error> {
        if points.is_empty() {
            return Err(Error::invalid("hull", "it has no points"));
        }
        if points.len() >= u32::MAX as usize {
            return Err(Error::invalid("hull", "it has more than 2^32 points"));
        }
        for (i, p) in points.iter().enumerate() {
            if !p.is_finite() {
                return Err(Error::NonFinite { what: format!("point {i}") });
            }
            if p.max_abs() > MAX_COORDINATE {
                return Err(Error::OutOfRange { what: format!("point {i}"), value: p.max_abs(), limit: MAX_COORDINATE });
            }
        }
        Ok(Hull::of_checked(points))
    }

    /// The hull of points that are known to be valid, at least one.
    pub(crate) fn of_checked(points: &[Vec3]) -> Self {
        match spread(points) {
            Spread::Point(a) => Hull::of_faces(points, vec![a], &[]),
            Spread::Line([a, b]) => Hull::of_faces(points, vec![a, b], &[vec![a, b]]),
            Spread::Plane(three) => {
                let above = flat::polygon(points, three);
                let below = above.iter().rev().copied().collect();
                Hull::of_faces(points, above.clone(), &[above, below])
            }
            Spread::Space(four) => {
                let mut hull = Quickhull::new(points, four);
                hull.finish();
                let faces = merge::polygons(&hull, points.len());
                let mut ids: Vec<u32> = faces.iter().flatten().copied().collect();
                ids.sort_unstable();
                ids.dedup();
                Hull::of_faces(points, ids, &faces)
            }
        }
    }

    /// From vertices and faces, as indices of points. The one "face" of a segment is only there for its link.
    fn of_faces(points: &[Vec3], ids: Vec<u32>, faces: &[Vec<u32>]) -> Self {
        let mut sources = ids;
        sources.sort_unstable();
        let place = |i: u32| sources.binary_search(&i).unwrap_or(0) as u32;
        let faces: Vec<Vec<u32>> = faces.iter().map(|f| f.iter().map(|&i| place(i)).collect()).collect();
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for f in &faces {
            for (k, &a) in f.iter().enumerate() {
                let b = f[(k + 1) % f.len()];
                edges.extend([(a, b), (b, a)]);
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let start = |i: usize| edges.partition_point(|e| (e.0 as usize) < i) as u32;
        let solid = if sources.len() < 3 { &[] } else { &faces[..] };
        let face_starts = solid.iter().scan(0, |end, f| {
            *end += f.len() as u32;
            Some(*end)
        });
        Hull {
            vertices: sources.iter().map(|&i| points[i as usize]).collect(),
            corners: solid.iter().flatten().copied().collect(),
            face_starts: std::iter::once(0).chain(face_starts).collect(),
            link_starts: (0..=sources.len()).map(start).collect(),
            links: edges.into_iter().map(|e| e.1).collect(),
            sources,
        }
    }

    /// The vertices: input points that are no mixture of others.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// For each vertex, which of the input points it is.
    pub fn sources(&self) -> &[u32] {
        &self.sources
    }

    /// The faces, as vertex indices, counter-clockwise seen from outside. A polygon has two, one for each side; points and segments none.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = &[u32]> + '_ {
        self.face_starts.windows(2).map(|w| &self.corners[w[0] as usize..w[1] as usize])
    }

    /// The vertices joined to vertex `i` by an edge, ascending.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn neighbours(&self, i: usize) -> &[u32] {
        &self.links[self.link_starts[i] as usize..self.link_starts[i + 1] as usize]
    }

    /// 0 for a point, 1 for a segment, 2 for a polygon, 3 for a polyhedron.
    pub fn dimension(&self) -> usize {
        match (self.vertices.len(), self.faces().len()) {
            (1 | 2, _) => self.vertices.len() - 1,
            (_, 2) => 2,
            _ => 3,
        }
    }
}
