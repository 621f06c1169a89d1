//! How far in time is it safe? One pair, advanced along its tube until it is proven apart, or proven to touch.

pub(crate) mod pair;
pub(crate) mod spans;
