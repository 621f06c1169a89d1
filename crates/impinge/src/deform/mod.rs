//! Deforming bodies over one step: every vertex moves along a straight line from where it was to where it is.
//!
//! ```text
//! step       bodies against each other and against themselves; trees refitted from step to step
//! tool       a rigid tool against bodies that nothing was prepared for                              [Caby 2001]
//! own        one body against itself over a motion of a scene
//! features   two triangles: vertex/face and edge/edge, every shared feature once, and crossing at the start
//! solids     which body is wholly inside another at the start
//! touch      what was found
//! ```
//! Positions are taken as they are, exact numbers, unless they are said to be off by something: [`StepChecker::within`], [`crate::Mesh::within`]
//! of a tool. Without a margin every answer is exact: see [`crate::narrow::features`].
//! Closed bodies are solids as to others: one that is wholly inside another when a step begins is told, see [`Inside`]. Nothing gets there
//! later without touching. A [`ToolChecker`] asks about surfaces, and about that apart.

mod features;
pub(crate) mod own;
pub(crate) mod solids;
pub mod step;
pub mod tool;
mod touch;

pub use solids::Inside;
pub use step::{StepChecker, StepOptions, Who};
pub use tool::{Planes, Surface, Tool, ToolChecker, ToolOptions, ToolPath};
pub use touch::{Element, StepAnswer, Touch, Touching};

use crate::Error;
use crate::geometry::mesh::MAX_COORDINATE;
use crate::math::Vec3;

/// Where the vertices of a body are at t = 0 and at t = 1; read where the user keeps them.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    /// At t = 0.
    pub start: &'a [Vec3],
    /// At t = 1; the same slice for a body at rest.
    pub end: &'a [Vec3],
}

impl<'a> Lines<'a> {
    /// A body at rest.
    pub fn resting(at: &'a [Vec3]) -> Self {
        Lines { start: at, end: at }
    }

    pub(crate) fn is_resting(&self) -> bool {
        std::ptr::eq(self.start, self.end)
    }

    /// Whether a vertex may be used: finite and not too large.
    fn check(&self, vertex: usize) -> Result<(), Error> {
        let size = self.start[vertex].max_abs().max(self.end[vertex].max_abs());
        if !(self.start[vertex].is_finite() && self.end[vertex].is_finite()) {
            return Err(Error::NonFinite { what: format!("vertex {vertex}") });
        }
        if size > MAX_COORDINATE {
            return Err(Error::OutOfRange { what: format!("vertex {vertex}"), value: size, limit: MAX_COORDINATE });
        }
        Ok(())
    }
}
