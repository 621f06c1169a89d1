//! Hierarchies over triangles and primitives, in flat arrays: one building skeleton, three layouts.
//!
//! ```text
//! build    boxes  -> binary tree by the surface-area heuristic        (the skeleton)
//! moving   binary, boxes in the body's own frame                      (one swept box at a time)
//! lines    binary, boxes at both ends of the motion                   (deforming bodies)
//! resting  eight-wide, f32 boxes rounded outward, triangles inlined    (eight tests at a time)
//! ```

pub(super) mod build;
pub(crate) mod lines;
pub(crate) mod moving;
pub(crate) mod resting;
mod split;

pub(crate) use lines::LineTree;
pub(crate) use moving::MovingTree;
pub(crate) use resting::{PackRef, RestingItem, RestingSolid, RestingTree};
