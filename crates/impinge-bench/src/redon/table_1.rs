//! Table 1: an arm among pipes, by the amount of motion; all three stages as in the paper, and the default method.

use super::Run;
use super::comparison::Comparison;
use super::paper::TABLE_1;
use super::scenes::arm_among_pipes;
use super::ways::Way;
use crate::Outcome;
use crate::report::Report;

/// The explanation of the table.
const TEXT: &str = "\
Table 1 of the paper has only times of all three stages: they are repeated in every row. `total` is `first_contact` including the \
construction of the motion; the stages are timed in separate passes by `first_contact_reported`, which reads the clock. `cold`: the \
first pass over the queries, once. `spread %` refers to `total`. Rows with `surfaces` test triangles only, as the paper does. `solids` \
is the default of the library: closed meshes are solid, so a containment test at the start precedes the stages; `total` includes it, the \
stages do not.";

/// Measures the table.
pub fn measure(run: &Run) -> Outcome<Report> {
    let ways =
        Way::all().into_iter().filter(|way| way.is_default() || way.stages_word() == "1+2+3").chain([Way::of_users()]).collect();
    let title = "Table 1: an arm of 800 triangles among pipes of 38,000";
    Comparison { name: "redon-table-1", title, site: arm_among_pipes()?, paper: &TABLE_1, ways, text: TEXT }.measure(run)
}
