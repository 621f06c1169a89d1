//! Bounding volumes fitted to shapes beforehand.

pub(crate) mod aabb;
pub(crate) mod capsule;
pub(crate) mod circle;

pub use aabb::Aabb;
pub use capsule::Capsule;
