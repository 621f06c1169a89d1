//! What each stage did.

use crate::search::verdict::Tally;

/// One stage of one question.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageReport {
    /// Pairs of parts that came in.
    pub suspects_in: u64,
    /// Pairs that were not proven apart.
    pub suspects_out: u64,
    /// Tests of boxes: one against one in stage 1, one against eight in stage 2 and, with the tube, in stage 3.
    pub node_pairs: u64,
    /// Pairs of triangles or solids that reached the exact tests; with interval matrices, vertex/face and edge/edge equations.
    pub equations: u64,
    /// Spans of time over which they were bounded.
    pub intervals: u64,
    /// By the clock that was given.
    pub seconds: f64,
}

impl StageReport {
    /// The exact stage by the tube.
    pub(crate) fn of_search(tally: &Tally) -> Self {
        let Tally { pack_tests, pairs, pair_steps, .. } = *tally;
        StageReport { node_pairs: pack_tests, equations: pairs, intervals: pair_steps, ..StageReport::default() }
    }
}

/// The stages of one question; `None` for those that were switched off, or not needed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Boxes, sweeps, exact.
    pub stages: [Option<StageReport>; 3],
}
