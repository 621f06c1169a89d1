//! The inside of a closed mesh.
//!
//! ```text
//! winding      on which side of the surface a point lies, exactly        components   one point of each connected component
//! grid         cells that lie wholly on one side of the surface: most points need no more than a look-up
//! orientation  components that are inside out                            shells       components that are closed
//! ```

mod components;
mod grid;
mod orientation;
mod shells;
mod winding;

pub(crate) use components::{Components, component_labels};
pub(crate) use grid::SideGrid;
pub(crate) use orientation::{Extent, outwards};
pub(crate) use shells::Shells;
pub(crate) use winding::{RayCount, crossing, winding};

/// Where a ball lies as to a closed surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// All of it inside.
    Inside,
    /// All of it outside.
    Outside,
    /// Near the surface.
    Unclear,
}
