//! Culling: what a swept box cannot reach is dropped, eight boxes at a time. A stage may only drop what is proven apart.
//! Beside it, what a capsule sweeps: a bound by the tube, and a surface within a given error; and what shapes themselves sweep, as convex cells.

pub(crate) mod gather;
pub(crate) mod lumps;
pub(crate) mod oriented;
pub(crate) mod rounded_polygon;
pub(crate) mod sweep;
pub(crate) mod swept_capsule;
pub(crate) mod swept_cells;
pub(crate) mod swept_surface;

pub(crate) use gather::Packs;
pub(crate) use sweep::{Sweep, SweptBox, SweptFour};
