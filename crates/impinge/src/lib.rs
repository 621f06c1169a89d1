//! Continuous collision detection that proves its answer.
//!
//! Ask whether a whole motion of a robot or a rigid body touches anything. `Free` is a proof for every instant; a contact comes with a
//! bracketed first time, place and features; anything else is `Undecided`, never free. See `docs/guarantees.md`.

mod advance;
mod build_once;
mod cull;
pub mod deform;
mod error;
mod exact;
pub mod math;
pub mod motion;
pub mod predict;
pub mod query;
pub mod robot;
pub mod scene;
mod search;
pub mod shape;

pub use error::Error;
pub use exact::features;
pub use math::{Pose, Vec3};
pub use motion::RigidMotion;
pub use query::{Checker, Contact, Options, Verdict};
pub use robot::Robot;
pub use scene::{Motion, Scene};
pub use shape::{Mesh, Primitive, Shape};
