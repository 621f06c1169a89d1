//! One query: what is built before it, what it searches, and how its answer follows from what engines find.
//!
//! ```text
//! Scene ─► Index ──┐
//! Motion ──────────┼─► Query ─► static pairs, containment ─► broad phase ─► engine ─► Collector ─► Answer ─► Verdict
//! Options, Goal ───┘
//!
//! index, pairs   everything that is built once: pairs of parts, hierarchies       broad_phase/   culls pairs of parts, switchable
//! query          the order of a query                                            sweep/         general engine: slices of time, swept boxes
//! collector      goal, best contact, horizon, budget                             obb/           two meshes: trees of oriented boxes
//! containment    solids inside solids at the start                               hulls/         two meshes: trees of hulls, kept fronts
//! contacts       features and points of what touches                             deforming/     deforming bodies, also against themselves
//! options, verdict   what goes in, what comes out
//! ```
//! Nothing flows back but the collector's horizon. A query is a value: running it twice gives the same bits, and it remembers nothing.

pub(crate) mod broad_phase;
pub(crate) mod collector;
pub(crate) mod contacts;
pub(crate) mod containment;
pub(crate) mod deforming;
pub(crate) mod hulls;
pub(crate) mod index;
pub(crate) mod obb;
pub(crate) mod options;
pub(crate) mod pairs;
pub(crate) mod query;
pub(crate) mod sweep;
pub(crate) mod verdict;

pub(crate) use collector::{Answer, Collector, Flow, Found, Goal, Items, Limits, Stop};
pub(crate) use index::Index;
pub(crate) use query::{ExactStage, Query};
