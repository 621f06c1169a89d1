//! Random worlds, on purpose nasty: coordinates that coincide, gaps that are zero or nearly so, quarter turns, needles, triangles
//! without area.
//!
//! Everything follows from the seed. Most worlds draw all their numbers in one [`Flavour`], so that what can coincide does.

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
