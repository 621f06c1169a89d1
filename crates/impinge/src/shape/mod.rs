//! What a thing is: triangle soups and convex primitives. A shape never knows how it moves.

pub(crate) mod aabb;
pub mod hull;
pub mod mesh;
pub(crate) mod polygon;
pub mod primitive;
pub(crate) mod tree;
pub mod volume;

use std::sync::Arc;

pub use hull::Hull;
pub use mesh::Mesh;
pub use primitive::Primitive;

use crate::math::Pose;

/// Geometry that can touch.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A triangle soup. A closed one is a solid, unless surfaces are asked for; an open one is its surface.
    Mesh(Arc<Mesh>),
    /// A convex solid.
    Primitive(Primitive),
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
}

impl Piece {
    /// A shape at a pose.
    pub fn new(shape: impl Into<Shape>, part_from_shape: Pose) -> Self {
        Piece { part_from_shape, shape: shape.into(), error: 0.0 }
    }

    /// The same, with every point within `error` metres more of the described one.
    pub fn within(self, error: f64) -> Self {
        Piece { error: self.error + error, ..self }
    }
}
