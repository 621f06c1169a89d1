//! Triangle soups.
//!
//! A mesh is a closed set of triangles and nothing more: open, non-manifold, duplicate and zero-area triangles are legal and all count.
//! Its trees are built when first needed and shared by everyone who holds the same `Arc<Mesh>`.

use std::sync::Arc;

use crate::Error;
use crate::build_once::BuildOnce;
use crate::bvh::{MovingTree, RestingTree};
use crate::geometry::bounding::aabb::Aabb;
use crate::geometry::interior::{Components, Shells, SideGrid};
use crate::math::Vec3;

/// Coordinates beyond this are refused: products of four of them must not overflow.
pub const MAX_COORDINATE: f64 = 1e30;

/// Shapes that are not points but smaller than this are refused: products of six sizes must not underflow.
pub const MIN_SIZE: f64 = 1e-45;

/// Refuses a size between zero and [`MIN_SIZE`].
pub(crate) fn check_small(what: &str, value: f64) -> Result<(), Error> {
    if value > 0.0 && value < MIN_SIZE { Err(Error::TooSmall { what: what.into(), value, limit: MIN_SIZE }) } else { Ok(()) }
}

/// A radius of error that makes sense.
pub(crate) fn checked_error(what: &str, error: f64) -> Result<f64, Error> {
    if (0.0..=MAX_COORDINATE).contains(&error) {
        Ok(error)
    } else {
        Err(Error::invalid(format!("error of a {what}"), format!("{error} is not a length")))
    }
}

/// An indexed triangle soup, coordinates in metres.
#[derive(Debug)]
pub struct Mesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    error: f64,
    shells: BuildOnce<Arc<Shells>>,
    moving: BuildOnce<Arc<MovingTree>>,
    resting: BuildOnce<Arc<RestingTree>>,
    components: BuildOnce<Arc<Components>>,
    sides: BuildOnce<Arc<SideGrid>>,
}

impl Mesh {
    /// Takes vertices and triangles after checking them.
    ///
    /// # Errors
    /// If there is no triangle, a coordinate is not finite or beyond [`MAX_COORDINATE`], an index is out of range, or the mesh is smaller than
    /// [`MIN_SIZE`] without being a point.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, Error> {
        if triangles.is_empty() {
            return Err(Error::invalid("mesh", "it has no triangles"));
        }
        if triangles.len() >= (1 << 30) {
            return Err(Error::invalid("mesh", "it has more than 2^30 triangles"));
        }
        for (i, v) in vertices.iter().enumerate() {
            if !v.is_finite() {
                return Err(Error::NonFinite { what: format!("vertex {i}") });
            }
            if v.max_abs() > MAX_COORDINATE {
                return Err(Error::OutOfRange { what: format!("vertex {i}"), value: v.max_abs(), limit: MAX_COORDINATE });
            }
        }
        for (i, t) in triangles.iter().enumerate() {
            if let Some(&bad) = t.iter().find(|&&k| k as usize >= vertices.len()) {
                return Err(Error::BadIndex { triangle: i, index: bad.into(), vertices: vertices.len() });
            }
        }
        let used = Aabb::of(triangles.iter().flatten().map(|&k| vertices[k as usize]));
        check_small("mesh", used.size().max_abs())?;
        Ok(Mesh {
            vertices,
            triangles,
            error: 0.0,
            shells: BuildOnce::new(),
            moving: BuildOnce::new(),
            resting: BuildOnce::new(),
            components: BuildOnce::new(),
            sides: BuildOnce::new(),
        })
    }

    /// The same mesh, whose vertices are each within `error` metres of the described ones: they were scaled, turned or converted, which
    /// rounds. Bounds account for it.
    ///
    /// # Errors
    /// If the error is negative or not finite.
    pub fn within(mut self, error: f64) -> Result<Self, Error> {
        self.error = checked_error("mesh", error)?;
        Ok(self)
    }

    /// How far vertices may be from the described ones, metres.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The vertices.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The triangles, as triples of vertex indices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of triangle `i`.
    #[inline]
    pub fn corners(&self, i: usize) -> [Vec3; 3] {
        let [a, b, c] = self.triangles[i];
        [self.vertices[a as usize], self.vertices[b as usize], self.vertices[c as usize]]
    }

    /// The tree for when this mesh moves.
    pub(crate) fn moving_tree(&self) -> &Arc<MovingTree> {
        self.moving.get_or_build(|| Arc::new(MovingTree::of_mesh(self)))
    }

    /// The tree for when this mesh rests, in its own frame.
    pub(crate) fn resting_tree(&self) -> &Arc<RestingTree> {
        self.resting.get_or_build(|| {
            let origin = Aabb::of(self.vertices.iter().copied()).center();
            let corners = (0..self.triangles.len()).map(|i| self.corners(i).map(|c| c - origin)).collect();
            Arc::new(RestingTree::new(origin, corners, Vec::new()))
        })
    }

    /// One point of each connected component.
    pub(crate) fn components(&self) -> &Arc<Components> {
        self.components.get_or_build(|| Arc::new(Components::of_mesh(self)))
    }

    /// The cells inside and outside of what this mesh encloses.
    pub(crate) fn side_grid(&self) -> &Arc<SideGrid> {
        self.sides.get_or_build(|| Arc::new(SideGrid::new(self)))
    }

    /// The triangles of components that are inside out, if there are any.
    pub(crate) fn reversed(&self) -> Option<&[bool]> {
        self.shells().reversed.as_deref()
    }

    /// Builds both trees now, rather than when first needed. Returns the bytes held by the mesh and its trees together.
    pub fn build_trees(&self) -> usize {
        let (moving, resting) = rayon::join(|| self.moving_tree().bytes(), || self.resting_tree().bytes());
        size_of_val(&self.vertices[..]) + size_of_val(&self.triangles[..]) + moving + resting
    }

    /// How many triangles have no area (collinear or coincident corners, exactly).
    pub fn degenerate_triangles(&self) -> usize {
        (0..self.triangles.len())
            .filter(|&i| {
                let [a, b, c] = self.corners(i);
                (b - a).cross(c - a) == Vec3::ZERO
            })
            .count()
    }

    /// Whether the surface is closed, consistently oriented, and encloses anything: in every component each directed edge, corners compared
    /// by position, has a partner in the opposite direction, and not every triangle has one that is its reverse. How often a triangle is
    /// there does not matter.
    pub fn is_closed(&self) -> bool {
        self.shells().enclose && self.shells().open_edges == 0
    }

    /// Whether any component is closed, and so a solid; the others stay surfaces.
    pub fn encloses(&self) -> bool {
        self.shells().enclose
    }

    /// How many edges have no partner in the opposite direction: 0 where every component is closed, or both sides of a sheet.
    pub fn open_edges(&self) -> usize {
        self.shells().open_edges
    }

    /// Which components are closed.
    pub(crate) fn shells(&self) -> &Arc<Shells> {
        self.shells.get_or_build(|| Arc::new(Shells::of_mesh(self)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let v = vec![Vec3::ZERO, Vec3::unit(0), Vec3::unit(1), Vec3::unit(2)];
        (v, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    }

    #[test]
    fn closed_meshes_are_recognised_indexed_or_not() {
        let (v, t) = tetrahedron();
        let soup: Vec<Vec3> = t.iter().flatten().map(|&i| v[i as usize]).collect();
        let flat = (0..4).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        assert!(Mesh::new(soup, flat).expect("valid").is_closed());
        assert!(!Mesh::new(v.clone(), t[..3].to_vec()).expect("valid").is_closed());
        assert!(Mesh::new(v, t).expect("valid").is_closed());
    }

    #[test]
    fn both_sides_of_a_surface_enclose_nothing() {
        let (v, t) = tetrahedron();
        let back = t.iter().map(|&[a, b, c]| [b, a, c]);
        let two_sided = Mesh::new(v.clone(), t.iter().copied().chain(back).collect()).expect("valid");
        assert!(!two_sided.is_closed());
        // A sheet beside a solid leaves the solid one.
        let with_sheet = Mesh::new(v, [t.clone(), vec![[0, 1, 2], [0, 2, 1]]].concat()).expect("valid");
        assert!(with_sheet.is_closed());
    }

    #[test]
    fn bad_meshes_are_refused() {
        let (mut v, t) = tetrahedron();
        assert!(matches!(Mesh::new(v.clone(), vec![[0, 1, 4]]), Err(Error::BadIndex { index: 4, .. })));
        assert!(Mesh::new(v.clone(), vec![]).is_err());
        v[2].x = f64::NAN;
        assert!(matches!(Mesh::new(v.clone(), t.clone()), Err(Error::NonFinite { .. })));
        v[2].x = 1e308;
        assert!(matches!(Mesh::new(v, t), Err(Error::OutOfRange { .. })));
    }
}
