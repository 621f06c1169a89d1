//! The last word on two features: directions that separate over a span, and proofs of contact at an instant.
//!
//! ```text
//! window      which part of a span no direction has excluded yet
//! triangles   two triangles: the eleven axes, and the direction between closest points
//! convex      two convex shapes of any kind: support functions
//! gjk         distance of convex hulls by support points, with a bound on either side; simplex: the points it works with
//! pierce      an edge proven to go through a triangle
//! closest     closest points of two triangles
//! interior    on which side of a closed surface a point lies
//! nesting     one shape wholly inside another
//! pair        both kinds behind one interface
//! equations   two triangles: vertex/face and edge/edge as functions of time, by interval arithmetic
//! features    a vertex and a face, or two edges, in linear motion
//! ```
//! Directions are candidates only. A direction proves separation by its dot products, whoever proposed it.

pub(crate) mod advance;
pub(crate) mod closest;
pub(crate) mod contact_intervals;
pub(crate) mod convex_pair;
pub mod features;
pub(crate) mod gjk;
pub(crate) mod hull_pair;
pub(crate) mod interior;
pub(crate) mod nesting;
pub(crate) mod pair;
pub(crate) mod pierce;
pub(crate) mod placed_hulls;
pub(crate) mod simplex;
pub(crate) mod triangle_pair;
pub(crate) mod window;

pub(crate) use pair::Pair;
pub(crate) use window::Window;
