//! The one seam: where can this be during this span? A motion never knows what it carries.
//!
//! ```text
//! in_between   the exact motion of one joint or free body             [Redon 2004, equations 2 to 5]
//! chain        its composition along the tree, with bounds and errors  [equation 6]
//! interval_chain  the same by interval matrices, as the paper has it, with derivatives: wider with every joint, the reference
//! assembly/    chains as trees of sub-chains: what few active joints move is redone, few bodies are located  [Kim 2008]
//! tube         the answer for one body over one span: a linear motion plus a radius
//! bend         accelerations and jerk, for directions in which a motion hardly bends
//! relative     the same for one body as seen from another
//! vertex_lines a deforming body, each vertex on a line of its own
//! ```

pub mod assembly;
pub(crate) mod bend;
pub(crate) mod chain;
pub(crate) mod in_between;
pub(crate) mod interval_chain;
pub(crate) mod relative;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod span;
pub(crate) mod tube;
pub(crate) mod vertex_lines;

pub use in_between::RigidMotion;

pub(crate) use bend::Bend;
pub(crate) use chain::{Chain, FramePose, LinkState};
pub(crate) use in_between::{InBetween, Socket};
pub(crate) use relative::{Carried, Relative};
pub(crate) use span::Span;
pub(crate) use tube::Tube;
pub(crate) use vertex_lines::VertexLines;
