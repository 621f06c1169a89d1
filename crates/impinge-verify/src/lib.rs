//! Verifies certificates of free motions.
//!
//! ```text
//! read     lines of JSON -> a scene, a motion, its proofs; all structural checks
//! topology closed meshes and their connected components
//! check    a proof: triangles x triangles x time, subdivided until a separating axis proves each leaf
//! inside   no part starts inside a closed mesh
//! shape    the extent of a set of points along a direction
//! motion   forward kinematics: the pose of a frame at any time of an interval, with two derivatives
//! jet, trig, interval    the arithmetic: integers, rounded outward
//! ```
//!
//! **What a verified certificate means.** For every pair of parts listed as checked and every t in [0, 1] the distance of the two parts is
//! greater than the margin, in real arithmetic, for every rotation matrix and rotation vector within [`motion::MATRIX_RADIUS`] and
//! [`motion::VECTOR_RADIUS`] of the numbers in the file, every factor and constant of a mimic joint within the radius that the file gives
//! for it, every piece within the distance that the file gives for it, and exactly for all other numbers. Closed meshes are solids if
//! the scene declares this; other meshes consist of their triangles only.
//! Spheres, capsules, cylinders and boxes are solids. This crate uses no code of the search for proofs.

pub mod check;
pub mod inside;
pub mod interval;
pub mod jet;
pub mod motion;
pub mod read;
pub mod shape;
pub mod topology;
pub mod trig;

mod verifier;

pub use verifier::{Line, Problem, Verified, Verifier};
