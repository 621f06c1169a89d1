//! Culling: what a swept box cannot reach is dropped, eight boxes at a time. A stage may only drop what is proven apart.
//! Beside it, what a capsule sweeps: a bound by the tube, and a surface within a given error; and what shapes themselves sweep, as convex cells.

pub(crate) mod capsule;
pub(crate) mod cells;
pub(crate) mod lumps;
pub(crate) mod rounded_polygon;
pub(crate) mod surface;
