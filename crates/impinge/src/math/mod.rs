//! Numbers: vectors, poses, sine and cosine with a bound, rounding outward, SIMD in one place.

pub mod pose;
pub mod rounding;
pub(crate) mod simd;
pub mod trig;
mod vector;

pub use pose::Pose;
pub use vector::{Mat3, Vec3};
