//! Loads files into checked models: robots (URDF, SRDF), motion capture (BVH), meshes (STL, OBJ, DAE, PLY, OFF, glTF), scenes,
//! motions, trajectories, cases, vertex/face and edge/edge queries.
//!
//! ```text
//! file ──► bytes, capped ──► parser (own code, no panics) ──► core types (`Robot`, `Mesh`, `Piece`) + warnings
//! ```
//!
//! The rule of this crate: a loader that silently drops geometry turns a contact into "free". Therefore input that cannot be
//! interpreted is an [`IoError`] that names file, line or element and the remedy; unusual but harmless input is a [`Warning`];
//! there are no silent guesses. No network, no subprocess, no file outside the model's folders unless allowed, no allocation by
//! an announced count alone.
//!
//! Not in this crate: xacro (expand it first), and geometry processing beyond placing and triangulating.

pub mod bvh;
pub mod case;
mod error;
pub mod example;
mod id;
pub mod joint_values;
pub mod joints;
pub mod json;
pub mod mesh;
pub mod motions;
mod number;
mod placement;
pub mod poses;
pub mod quantity;
pub mod queries;
mod read;
pub mod resolve;
pub mod scene;
mod shapes;
pub mod srdf;
pub mod suggest;
pub mod track;
pub mod trajectory;
pub mod urdf;
mod warning;
mod xml;

pub use bvh::{Bvh, BvhOptions, load_bvh};
pub use case::{CaseFile, load_cases};
pub use error::{IoError, Place, Result};
pub use id::Id;
pub use joint_values::{JointValues, load_state, to_configuration, zero_configuration};
pub use joints::{JointLines, StampedJoints};
pub use mesh::write::write_meshes;
pub use mesh::{UpAxis, load_mesh};
pub use motions::{FrameMove, Frames, JointMove, Motion, MotionKind, MotionReader, RigidEnd, RigidMove, RobotMove, open_motions};
pub use poses::{StampedPose, parse_pose};
pub use quantity::{Dimension, Quantity};
pub use queries::{Query, find_queries, load_queries};
pub use scene::{Attached, Obstacle, SceneFile, load_scene};
pub use srdf::{Srdf, load_srdf};
pub use track::Track;
pub use trajectory::{Trajectory, load_trajectory};
#[cfg(feature = "urdf-rs")]
pub use urdf::load_urdf_rs;
pub use urdf::{UrdfOptions, load_urdf, load_urdf_text};
pub use warning::{Loaded, Warning};
