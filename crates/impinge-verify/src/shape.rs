//! The extent of a set of points along a direction.

use crate::inside::Boxes;
use crate::interval::Interval;
use crate::jet::{Vector, dot};

/// Geometry in its own coordinates; the axis of round shapes is z.
#[derive(Debug)]
pub enum Shape {
    /// Triangles, in the order in which proofs divide them into ranges.
    Mesh {
        /// Coordinates.
        vertices: Vec<Vector>,
        /// Triples of vertices.
        triangles: Vec<[usize; 3]>,
        /// One triangle of each connected component; none if closed meshes are not solids.
        components: Vec<usize>,
        /// Boxes around the triangles of its closed components, if there are any: these are solid.
        boxes: Option<Boxes>,
    },
    /// All points within a radius of a segment; a sphere if the segment has no length.
    Capsule {
        /// Radius.
        radius: Interval,
        /// Half of the segment's length.
        half_length: Interval,
    },
    /// A solid cylinder.
    Cylinder {
        /// Radius.
        radius: Interval,
        /// Half of its length.
        half_length: Interval,
    },
    /// A solid box.
    Box {
        /// Half of each side.
        half: [Interval; 3],
    },
}

/// A range of the triangles of a shape, or a whole solid.
#[derive(Debug)]
pub enum Points<'a> {
    /// Vertices of triangles: the farthest point of a triangle is one of them.
    Vertices(Vec<&'a Vector>),
    /// A convex solid.
    Solid(&'a Shape),
}

impl Shape {
    /// Returns the number of items that a proof can distinguish.
    pub fn items(&self) -> usize {
        match self {
            Shape::Mesh { triangles, .. } => triangles.len(),
            _ => 1,
        }
    }

    /// Returns the boxes of solid closed components.
    pub fn boxes(&self) -> Option<&Boxes> {
        match self {
            Shape::Mesh { boxes, .. } => boxes.as_ref(),
            _ => None,
        }
    }

    /// Returns the items `from..to`.
    pub fn points(&self, (from, to): (usize, usize)) -> Points<'_> {
        let Shape::Mesh { vertices, triangles, .. } = self else { return Points::Solid(self) };
        let mut used: Vec<usize> = triangles[from..to].iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        Points::Vertices(used.into_iter().map(|v| &vertices[v]).collect())
    }
}

impl Points<'_> {
    /// Encloses the largest `a . y + s` over all points y, for every vector and number in the intervals.
    pub fn reach(&self, a: &Vector, s: Interval) -> Interval {
        let far = match self {
            Points::Vertices(vertices) => {
                let first = vertices.first().map_or(Interval::ZERO, |y| dot(a, y));
                vertices.iter().skip(1).fold(first, |far, y| far.max(dot(a, y)))
            }
            Points::Solid(Shape::Capsule { radius, half_length }) => {
                let length = (a[0].square() + a[1].square() + a[2].square()).sqrt();
                *half_length * a[2].abs() + *radius * length
            }
            Points::Solid(Shape::Cylinder { radius, half_length }) => {
                *half_length * a[2].abs() + *radius * (a[0].square() + a[1].square()).sqrt()
            }
            Points::Solid(Shape::Box { half }) => dot(half, &a.map(Interval::abs)),
            Points::Solid(Shape::Mesh { .. }) => Interval::ANYTHING,
        };
        far + s
    }
}
