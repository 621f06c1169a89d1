//! Geometry: triangle meshes, convex primitives, hulls, bounding volumes. A shape never knows how it moves.

pub mod bounding;
pub mod hull;
pub(crate) mod interior;
pub mod mesh;
pub(crate) mod pierce;
pub(crate) mod polygon;
pub mod primitive;

use std::sync::Arc;

pub use bounding::Capsule;
pub use hull::Hull;
pub use mesh::Mesh;
pub use primitive::Primitive;

use crate::Error;
use crate::math::pose::rotation_error;
use crate::math::rounding::{INFLATE, U};
use crate::math::{Pose, Vec3};

/// Geometry that can touch.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A triangle soup. A closed one is a solid, unless surfaces are asked for; an open one is its surface.
    Mesh(Arc<Mesh>),
    /// A convex solid.
    Primitive(Primitive),
}

impl Shape {
    /// At least the distance of any point from the origin of its frame.
    pub(crate) fn reach(&self) -> f64 {
        let reach = match self {
            Shape::Mesh(mesh) => mesh.vertices().iter().fold(0.0f64, |r, v| r.max(v.norm())),
            Shape::Primitive(primitive) => primitive.half_extent().norm(),
        };
        reach * INFLATE
    }
}

impl Shape {
    /// Whether it is a sphere, capsule or cylinder: one item, without triangles.
    pub(crate) fn is_round(&self) -> bool {
        matches!(self, Shape::Primitive(p) if !matches!(p, Primitive::Cuboid { .. }))
    }
}

impl From<Mesh> for Shape {
    fn from(m: Mesh) -> Self {
        Shape::Mesh(Arc::new(m))
    }
}

impl From<Arc<Mesh>> for Shape {
    fn from(m: Arc<Mesh>) -> Self {
        Shape::Mesh(m)
    }
}

impl From<Primitive> for Shape {
    fn from(p: Primitive) -> Self {
        Shape::Primitive(p)
    }
}

/// One shape of a part, placed in the part's frame.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Pose of the shape in the part's frame.
    pub part_from_shape: Pose,
    /// The shape.
    pub shape: Shape,
    /// How far any point of it may be from the described one, metres, beyond [`Mesh::error`]: poses were composed or converted, which rounds.
    pub error: f64,
    /// The shape stands for what was described within this distance of the origin of its pose, metres; everywhere by default.
    covers: f64,
}

/// How far around its origin a half-space is modelled, metres: motions that go farther are refused.
pub const HALF_SPACE_REACH: f64 = 1024.0;

impl Piece {
    /// A shape at a pose.
    pub fn new(shape: impl Into<Shape>, part_from_shape: Pose) -> Self {
        Piece { part_from_shape, shape: shape.into(), error: 0.0, covers: f64::INFINITY }
    }

    /// Everything below the plane z = 0 of a pose. It must rest, and what moves must stay within [`HALF_SPACE_REACH`] of the pose's origin: there
    /// it is a box of twice that size.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn half_space(part_from_plane: Pose) -> Result<Self, Error> {
        let reach = 2.0 * HALF_SPACE_REACH;
        let solid = Primitive::cuboid(Vec3::splat(2.0 * reach))?;
        let below = Pose::from_translation(Vec3::new(0.0, 0.0, -reach));
        let mut piece = Piece::new(solid, part_from_plane * below);
        // The way down is rotated and added, and the rotation is off: only so far does the plane's height matter.
        let off = rotation_error(&part_from_plane.rotation);
        let turned = if off == 0.0 { 0.0 } else { (96.0 * U + off) * reach };
        piece.error = turned + 8.0 * U * (reach + part_from_plane.translation.norm());
        piece.covers = HALF_SPACE_REACH;
        Ok(piece)
    }

    /// Where the described shape is modelled: a point of its frame and a distance from it.
    pub(crate) fn covered(&self) -> Option<(Vec3, f64)> {
        let top = Vec3::new(0.0, 0.0, 2.0 * HALF_SPACE_REACH);
        self.covers.is_finite().then(|| (self.part_from_shape.apply(top), self.covers))
    }

    /// The same shape at another pose.
    pub fn at(self, part_from_shape: Pose) -> Self {
        Piece { part_from_shape, ..self }
    }

    /// The same, with every point within `error` metres more of the described one.
    pub fn within(self, error: f64) -> Self {
        Piece { error: self.error + error, ..self }
    }
}
