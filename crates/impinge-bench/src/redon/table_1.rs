//! Table 1: an arm among pipes, by the amount of motion; all three stages as in the paper, and the default way.

use super::Run;
use super::comparison::Comparison;
use super::paper::TABLE_1;
use super::scenes::arm_among_pipes;
use super::ways::Way;
use crate::Outcome;
use crate::table::Table;

/// Measures the table.
pub fn measure(run: &Run) -> Outcome<Table> {
    let ways = Way::all().into_iter().filter(|way| way.is_default() || way.stages_word() == "1+2+3").collect();
    let title = "Arm of 800 triangles among pipes of 38,000";
    Comparison { name: "redon-table-1", title, site: arm_among_pipes()?, paper: &TABLE_1, ways, seconds: 2.0 }.measure(run)
}
