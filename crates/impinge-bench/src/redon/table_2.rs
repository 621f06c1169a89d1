//! Table 2: an arm in a machine room, by the amount of motion, with every set of stages and both bounds.

use super::Run;
use super::comparison::Comparison;
use super::paper::TABLE_2;
use super::scenes::arm_in_machine_room;
use super::ways::Way;
use crate::Outcome;
use crate::table::Table;

/// Measures the table.
pub fn measure(run: &Run) -> Outcome<Table> {
    let title = "Arm in a machine room of 1,180 things, 187,000 triangles";
    let site = arm_in_machine_room()?;
    Comparison { name: "redon-table-2", title, site, paper: &TABLE_2, ways: Way::all(), seconds: 0.8 }.measure(run)
}
