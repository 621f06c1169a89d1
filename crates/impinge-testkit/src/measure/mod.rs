//! Distances, in plain `f64`: between triangles by all their features, between convex solids by GJK, between meshes with a tree.

mod convex;
mod shape;
mod tree;
mod triangles;

pub use convex::{Convex, convex_gap};
pub use shape::{Body, Measured, gap_between};
pub use tree::Tree;
pub use triangles::triangle_gap;

/// The gap between two shapes, as an interval; negative if they overlap by at least that depth.
///
/// `at_most` is the distance of two computed points (or minus a proven depth); a separating axis proves `at_least`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// The gap is no smaller, up to rounding.
    pub at_least: f64,
    /// The gap is no larger, up to rounding.
    pub at_most: f64,
}

impl Gap {
    /// No geometry: an infinite gap.
    pub const FAR: Gap = Gap { at_least: f64::INFINITY, at_most: f64::INFINITY };

    /// Returns a gap that is known up to rounding.
    pub fn exactly(gap: f64) -> Self {
        Gap { at_least: gap, at_most: gap }
    }

    /// Returns the smaller of two gaps.
    pub fn min(self, other: Gap) -> Gap {
        Gap { at_least: self.at_least.min(other.at_least), at_most: self.at_most.min(other.at_most) }
    }

    /// Subtracts radii that add up to `radius`.
    pub fn shrunk(self, radius: f64) -> Gap {
        Gap { at_least: self.at_least - radius, at_most: self.at_most - radius }
    }
}
