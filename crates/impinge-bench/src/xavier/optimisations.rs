//! The appendix: each of the five optimisations alone, none, all, and the default.

use impinge::Pose;
use impinge::query::distance::{DistanceLimits, DistanceSession, DistanceTally, Tricks, distance};
use impinge::query::distance::{HullTree, HullTreeOptions};

use super::scenes::{Scenario, free_flight, gear_plate_motor};
use super::{Run, pass};
use crate::Outcome;
use crate::report::Report;
use crate::rounds::{Rounds, turns};
use crate::table::{Table, count, number, ratio, words};

/// Steps of each motion.
const STEPS: u32 = 100;

/// A set of optimisations; hulls have few vertices, or all.
struct Set {
    name: &'static str,
    tricks: Tricks,
    few_vertices: bool,
}

const SETS: [Set; 8] = [
    Set { name: "none", tricks: Tricks::NONE, few_vertices: false },
    Set { name: "1 closest pair first", tricks: Tricks { closest_pair: true, ..Tricks::NONE }, few_vertices: false },
    Set { name: "2 stop early", tricks: Tricks { stop_early: true, ..Tricks::NONE }, few_vertices: false },
    Set { name: "3 cut table", tricks: Tricks { cut_table: true, ..Tricks::NONE }, few_vertices: false },
    Set { name: "4 few vertices", tricks: Tricks::NONE, few_vertices: true },
    Set { name: "5 simplices kept", tricks: Tricks { simplices: true, ..Tricks::NONE }, few_vertices: false },
    Set {
        name: "all",
        tricks: Tricks { closest_pair: true, stop_early: true, cut_table: true, simplices: true },
        few_vertices: true,
    },
    Set {
        name: "default (1, 2, 4, 5)",
        tricks: Tricks { closest_pair: true, stop_early: true, cut_table: false, simplices: true },
        few_vertices: true,
    },
];

/// Measures the distances of both scenarios.
pub fn measure(run: &Run) -> Outcome<Report> {
    let title = format!("Microseconds per step, median of {} rounds", run.rounds);
    let columns = ["scene", "optimisation", "steps", "us/step", "spread %", "none/this", "hulls", "triangles", "supports"];
    let mut table = Table::new(title, &columns);
    let scenarios = [free_flight(&run.shared)?, gear_plate_motor(&run.shared)?];
    for scenario in &scenarios {
        eprintln!("{}", scenario.name);
        let mut all = HullTreeOptions::default();
        all.max_vertices = usize::MAX;
        let unbounded = scenario.meshes.each_ref().map(|m| HullTree::with_options(m, all));
        let mut times = vec![Rounds::default(); SETS.len()];
        let mut work = vec![DistanceTally::default(); SETS.len()];
        for round in 0..run.rounds {
            for i in turns(SETS.len(), round) {
                let set = &SETS[i];
                let trees = if set.few_vertices { &scenario.trees } else { &unbounded };
                let (seconds, tally) = steps(scenario, trees, set.tricks)?;
                times[i].push(seconds);
                work[i] = tally;
            }
        }
        for (i, set) in SETS.iter().enumerate() {
            let each = |sum: u64| number(Some(sum as f64 / f64::from(STEPS)), 0);
            table.row(vec![
                words(scenario.name),
                words(set.name),
                count(STEPS as usize),
                number(times[i].microseconds(STEPS as usize), 1),
                number(times[i].spread(), 0),
                number(ratio(times[0].median(), times[i].median()), 2),
                each(work[i].hulls),
                each(work[i].triangles),
                each(work[i].supports),
            ]);
        }
    }
    Ok(Report::new("xavier-optimisations", "Appendix: each optimisation alone")
        .text(format!(
            "Query D of Table 1, {STEPS} steps. \"None\" has neither caches nor early termination, and hulls with all of their vertices; \
             4 has at most {} vertices. The paper lists these five optimisations without numbers. `none/this`: the speed-up against \
             \"none\". `hulls`, `triangles`, `supports`: pairs of hulls compared, pairs of triangles measured, support points computed, \
             per step.",
            HullTreeOptions::default().max_vertices
        ))
        .text(&scenarios[0].substitute)
        .text(&scenarios[1].substitute)
        .table(table))
}

/// Measures the seconds for all steps, and their work.
fn steps(scenario: &Scenario, trees: &[HullTree; 2], tricks: Tricks) -> Outcome<(f64, DistanceTally)> {
    let mut session = DistanceSession::with_tricks(tricks);
    let mut sum = DistanceTally::default();
    let (seconds, _) = pass(STEPS, |k| {
        let (pose, _) = scenario.step(k, STEPS);
        let limits = DistanceLimits::default();
        let d = distance((&trees[0], &pose), (&trees[1], &Pose::IDENTITY), limits, &mut session)?;
        let tally = session.tally;
        sum.hulls += tally.hulls;
        sum.triangles += tally.triangles;
        sum.supports += tally.supports;
        Ok(usize::from(d.at_most <= 0.0))
    })?;
    Ok((seconds, sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_what_sessions_do() {
        let default = SETS.last().expect("a set");
        assert!(default.tricks == Tricks::default() && default.few_vertices && SETS[0].tricks == Tricks::NONE);
    }
}
