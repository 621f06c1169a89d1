//! Numbers: vectors, poses, sine and cosine with a bound, intervals, rounding outward, SIMD in one place.

#[cfg(any(feature = "glam", feature = "mint", feature = "nalgebra"))]
pub mod convert;
pub(crate) mod integer;
pub mod interval;
pub(crate) mod lanes4;
pub(crate) mod orient;
pub mod pose;
pub mod rounding;
pub(crate) mod simd;
#[doc(hidden)]
pub use simd::use_portable;
pub mod trig;
mod vector;

pub use interval::Interval;
pub(crate) use lanes4::{M4, V4};
pub use pose::Pose;
pub use vector::{Mat3, Vec3};
