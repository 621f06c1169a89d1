//! Bounding volume hierarchies over triangles and primitives, in flat arrays: one building skeleton, several layouts.
//!
//! ```text
//! build    boxes  -> binary tree by the surface-area heuristic        (the skeleton)
//! moving   binary, boxes in the body's own frame                      (one swept box at a time)
//! lines    binary, boxes at both ends of the motion                   (deforming bodies)
//! swept    binary, boxes over a whole step, refitted from step to step (deforming bodies)
//! clusters binary, with the vertices of every node                    (volumes fitted anew at every step)
//! boxes    binary, over whole parts                                   (culling of pairs of parts)
//! oriented binary, boxes along their own axes, one item in a leaf      (tested in pairs over a span)
//! wide     eight-wide, boxes along their own axes                    (two trees in tandem, eight tests at a time)
//! hulls    binary, convex hulls of few vertices                        (distances, conservative advancement)
//! resting  eight-wide, f32 boxes rounded outward, triangles inlined    (eight tests at a time)
//! ```

pub(crate) mod boxes;
pub(crate) mod build;
pub(crate) mod clusters;
pub(crate) mod hulls;
pub(crate) mod lines;
pub(crate) mod moving;
pub(crate) mod oriented;
pub(crate) mod resting;
mod split;
pub(crate) mod swept;
pub(crate) mod wide;

pub(crate) use boxes::BoxTree;
pub(crate) use clusters::ClusterTree;
pub use hulls::{HullTree, HullTreeOptions};
pub(crate) use lines::LineTree;
pub(crate) use moving::MovingTree;
pub(crate) use oriented::{OrientedBox, OrientedTree};
pub(crate) use resting::{PackRef, RestingItem, RestingSolid, RestingTree};
pub(crate) use swept::{Box32, SweptTree, TreePair};
pub(crate) use wide::{WideBox, WideTree};
