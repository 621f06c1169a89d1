//! Bounding volume hierarchies over triangles and primitives, in flat arrays: one building skeleton, several layouts.
//!
//! ```text
//! build     boxes -> skeleton of a binary tree by the surface-area heuristic
//! tree      binary tree of any volume, refitted where it moves; two of them walked in tandem
//!   moving    boxes in the body's own frame                       (one swept box at a time)
//!   lines     boxes at both ends of the motion                    (deforming bodies)
//!   swept     boxes over a whole step                             (steps of deforming bodies)
//!   clusters  the vertices below each node                        (volumes fitted anew at every step)
//!   boxes     boxes of whole parts                                (broad phase)
//!   oriented  boxes along their own axes                          (the reference of Redon 2004)
//! resting   eight-wide AABBs, rounded outward to f32, triangles inlined   (eight tests at a time)
//! wide      eight-wide OBBs                                       (two trees in tandem, eight tests at a time)
//! hulls     binary, convex hulls of few vertices                  (distances, conservative advancement)
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
pub(crate) mod tree;
pub(crate) mod wide;

pub(crate) use boxes::PartBoxes;
pub(crate) use clusters::ClusterTree;
pub use hulls::{HullTree, HullTreeOptions};
pub(crate) use lines::LineTree;
pub(crate) use moving::MovingTree;
pub(crate) use oriented::{OrientedBox, OrientedTree};
pub(crate) use resting::{PackRef, RestingItem, RestingSolid, RestingTree};
pub(crate) use swept::{Box32, SweptTree};
pub(crate) use wide::{WideBox, WideTree};
