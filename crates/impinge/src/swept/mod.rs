//! Swept volumes: what a capsule or a shape passes through over a span, bounded from outside.
//!
//! ```text
//! capsule   a swept capsule by the tube: a test          surface   the same as a surface within a given error: a mesh
//! cells     what a shape itself sweeps, in convex cells; lumps: the convex pieces that are swept
//! ```

pub(crate) mod capsule;
pub(crate) mod cells;
pub(crate) mod lumps;
pub(crate) mod rounded_polygon;
pub(crate) mod surface;
