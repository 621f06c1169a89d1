//! Re-checks certificates of freedom.
//!
//! ```text
//! read     lines of JSON -> a scene, a motion, its proofs; everything structural is checked here
//! topology which meshes are closed, and their connected components
//! check    a proof: triangles x triangles x time, cut until a direction separates what is left
//! inside   that nothing starts inside of a closed mesh
//! shape    how far a set of points reaches along a direction
//! motion   forward kinematics: where a frame is at any time of an interval, with two derivatives
//! jet, trig, interval    the arithmetic: integers, rounded outwards
//! ```
//!
//! **What a verified certificate means.** For every pair of parts listed as checked and every t in [0, 1] the distance of the two parts is
//! greater than the margin, in real arithmetic, for every rotation matrix and rotation vector within [`motion::MATRIX_RADIUS`] and
//! [`motion::VECTOR_RADIUS`] of the numbers in the file, every factor and constant of a mimic joint within the radius that the file gives
//! for it, every piece within the distance that the file gives for it, and for all its other numbers exactly. Closed meshes are solids where the scene says so; other meshes are their triangles.
//! Spheres, capsules, cylinders and boxes are solids. Nothing of what searched for the proof is used here.

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
