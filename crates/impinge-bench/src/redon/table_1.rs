//! Table 1: an arm among pipes, by the amount of motion; all three stages as in the paper, and the default way.

use super::Run;
use super::comparison::Comparison;
use super::paper::TABLE_1;
use super::scenes::arm_among_pipes;
use super::ways::Way;
use crate::Outcome;
use crate::report::Report;

/// What the table shows.
const TEXT: &str = "\
The paper's Table 1 has all three stages only: its times stand beside every row of ours. `total` is `first_contact` with making the motion; \
the stages are timed in passes of their own by `first_contact_reported`, which reads the clock. `cold`: the first pass over the queries, once. \
`spread %` is that of `total`. Rows of `surfaces` test triangles only, as the paper does. `solids` is what users get by default: closed meshes are filled, so that a motion is also asked \
whether it begins inside of something, before any stage begins; `total` holds that, no stage does.";

/// Measures the table.
pub fn measure(run: &Run) -> Outcome<Report> {
    let ways =
        Way::all().into_iter().filter(|way| way.is_default() || way.stages_word() == "1+2+3").chain([Way::of_users()]).collect();
    let title = "Table 1: an arm of 800 triangles among pipes of 38,000";
    Comparison { name: "redon-table-1", title, site: arm_among_pipes()?, paper: &TABLE_1, ways, text: TEXT }.measure(run)
}
