//! Narrow phase: two items in time. Separation over a span, and proofs of contact at an instant.
//!
//! ```text
//! advance            one pair, advanced along its motion bound until it is proven apart or in contact
//! contact_intervals  when a pair begins and ceases to touch
//! pair               two items of any kind behind one interface
//! triangle_pair      separating axes of two triangles over a span: eleven axes, and the direction between closest points
//! convex_pair        two convex shapes of any kind: support functions
//! window             which part of a span no separating axis has excluded yet
//! gjk, simplex       distance of convex hulls by support points, with a bound on either side
//! placed_hulls, hull_pair   two hull trees at rest in one frame, and the nodes of them that are compared
//! closest            closest points of two triangles
//! interior, nesting  on which side of a closed surface a point lies; one shape wholly inside another
//! features/          vertex/face and edge/edge on straight paths, decided exactly
//! ```
//! An axis is a candidate only: its dot products prove separation, whoever proposed it. Uses `math`, `geometry`, `bvh` and `motion`.

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
pub(crate) mod placed_hulls;
pub(crate) mod simplex;
pub(crate) mod triangle_pair;
pub(crate) mod window;

pub(crate) use pair::Pair;
pub(crate) use window::Window;
