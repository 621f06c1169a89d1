//! Table 2: an arm in a machine room, by the amount of motion, with every set of stages and both bounds.

use super::Run;
use super::comparison::Comparison;
use super::paper::TABLE_2;
use super::scenes::arm_in_machine_room;
use super::ways::Way;
use crate::Outcome;
use crate::report::Report;

/// The explanation of the table.
const TEXT: &str = "\
`paper/ours` compares the same set of stages; `fastest paper/ours` compares the fastest set of the paper with this row. `total` is \
`first_contact` including the construction of the motion; the stages are timed in separate passes by `first_contact_reported`, which \
reads the clock. `cold`: the first pass over the queries, once. `spread %` refers to `total`. Rows with `surfaces` test triangles only, \
as the paper does. `solids` is the default of the library: closed meshes are solid, so a containment test at the start precedes the \
stages; `total` includes it, the stages do not.";

/// Measures the table.
pub fn measure(run: &Run) -> Outcome<Report> {
    let title = "Table 2: an arm in a machine room of 1,180 objects, 187,000 triangles";
    let site = arm_in_machine_room()?;
    let ways = Way::all().into_iter().chain([Way::of_users()]).collect();
    Comparison { name: "redon-table-2", title, site, paper: &TABLE_2, ways, text: TEXT }.measure(run)
}
