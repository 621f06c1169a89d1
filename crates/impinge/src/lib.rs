//! Continuous collision detection that proves its answer.
//!
//! Ask whether a whole motion of a robot or a rigid body touches anything. `Free` is a proof for every instant; a contact comes with a
//! bracketed first time, place and features; anything else is `Undecided`, never free. See `docs/guarantees.md`.

mod build_once;
mod bvh;
pub mod deform;
mod error;
pub mod geometry;
pub mod math;
pub mod motion;
mod narrow;
pub mod predict;
pub mod query;
mod reference;
pub mod robot;
pub mod scene;
mod search;
mod swept;

pub use error::Error;
pub use geometry::{Mesh, Primitive, Shape};
pub use math::{Pose, Vec3};
pub use motion::RigidMotion;
pub use narrow::features;
pub use query::{Checker, Contact, Options, Verdict};
pub use robot::Robot;
pub use scene::{Motion, Scene};
