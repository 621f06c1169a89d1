//! One file for each question that users ask.
//!
//! ```text
//! checker        any contact, first contact, all contacts          session         steps of a mechanism in which few joints move
//! clearance      the minimum distance over a motion                front_session   queries that keep a BVTT front
//! touching_pairs every pair of triangles in contact, and when      trajectory      first contacts along waypoints
//! distance/      minimum distance at rest, swept, turned           swept_volume    what a part's capsule sweeps, as a mesh
//! certificate/   proofs written down for others to check           swept_solid     what the part itself sweeps
//! ```

mod certificate;
mod checker;
mod clearance;
pub mod distance;
mod front_session;
mod session;
mod swept_solid;
pub(crate) mod swept_volume;
mod touching_pairs;
mod trajectory;

pub use crate::search::broad_phase::{Report, StageReport};
pub use crate::search::options::{Bound, Cancel, Engine, Options, Semantics, Stages};
pub use crate::search::verdict::{Contact, ContactState, Feature, FeatureKind, Tally, Verdict, Witness};
pub use certificate::Certifier;
pub use checker::Checker;
pub use clearance::{Clearance, Ended, Nearest};
pub use front_session::FrontSession;
pub use session::Session;
pub use swept_solid::SweptSolid;
pub use swept_volume::SweptVolume;
pub use touching_pairs::{Told, TouchOptions, TouchSpan, TouchingPair};
pub use trajectory::TrajectoryVerdict;
