//! The questions users ask, and the search that answers them.
//!
//! ```text
//! checker    what is built once: trees, tasks                       options, verdict   what goes in, what comes out
//! search     one question: slices of time, tasks, pairs              timeline           spans and link states, computed when needed
//! stages     culling of whole pairs of parts beforehand, switchable  report             what each stage did
//! boxes      the same question for pairs of meshes: oriented boxes in tandem, advanced in time
//! front      the same by trees of hulls; the front of the traversal, kept by sessions
//! balls      the first look at a task where there are many          contain            solids inside solids at the start
//! descend    one task: nodes, spans, packs
//! simultaneous  the same question by oriented boxes and equations over intervals of time, as the paper has it
//! deform     the same for deforming bodies, whose trees are made anew for every motion; self_contact: against themselves
//! session    many steps of one mechanism: what does not move is not searched again
//! witness    what was found, in the user's terms, and all that touches with it
//! clearance  how near things come during a motion
//! touching   every pair of triangles that touches during a motion, and when that begins and ends
//! distance   how far two surfaces at rest are apart
//! swept      what a part's capsule sweeps, as a mesh; swept_solid: what the part itself sweeps
//! certificate   what a proof of freedom rests on, written down for others to check
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
