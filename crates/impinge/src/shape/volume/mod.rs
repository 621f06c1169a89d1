//! Bounding volumes fitted to shapes beforehand.

pub mod circle;
pub mod lss;

pub use lss::Capsule;
