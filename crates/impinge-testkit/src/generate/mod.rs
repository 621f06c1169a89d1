//! Random worlds that are difficult on purpose: coincident coordinates, gaps that are zero or nearly so, quarter turns, needles, triangles
//! without area.
//!
//! The seed determines everything. Most worlds draw all their numbers in one [`Flavour`], so that coincidences are frequent.

pub mod features;
mod fine;
mod numbers;
mod rigid;
mod robots;
mod solids;
mod wild;

pub use fine::fine;
pub use numbers::{Flavour, angle, axis, length, point};
pub use rigid::{grazing, rigid};
pub use robots::{long_chain, robot};
pub use solids::{mesh, primitive, solid};
pub use wild::wild;
