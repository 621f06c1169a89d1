//! The questions users ask, and the search that answers them.
//!
//! ```text
//! checker    what is built once: trees, tasks                       options, verdict   what goes in, what comes out
//! search     one question: slices of time, tasks, descent, pairs     timeline           spans and link states, computed when needed
//! ```

mod checker;
mod contain;
mod options;
mod search;
mod tasks;
mod timeline;
mod trajectory;
mod verdict;

pub use checker::Checker;
pub use options::{Options, Semantics};
pub use trajectory::TrajectoryVerdict;
pub use verdict::{Contact, Feature, FeatureKind, Tally, Verdict};
