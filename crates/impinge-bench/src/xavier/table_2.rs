//! Table 2: pairs of triangles in contact during the steps of the gear, by thresholds at rest and by sweeps.

use std::ops::ControlFlow;

use impinge::query::distance::{DistanceLimits, DistanceSession, Reading, pairs_within, swept_distance};
use impinge::{Pose, Vec3};

use super::paper::{EPSILON, TABLE_2};
use super::scenes::{Scenario, gear_plate_motor};
use super::{FASTER, Run, pass, plot};
use crate::Outcome;
use crate::report::{Goal, Report};
use crate::rounds::{Rounds, turns};
use crate::table::{Table, at_least, count, number, ratio, words};

/// Measures all experiments.
pub fn measure(run: &Run) -> Outcome<Report> {
    let title = format!(
        "Milliseconds for all steps, median of {} rounds, with the seconds of the paper; ! misses its target (paper/ours >= {FASTER})",
        run.rounds
    );
    let columns = ["query", "steps", "ms", "spread %", "us/step", "found", "paper s", "paper/ours"];
    let mut table = Table::new(title, &columns);
    let scenario = gear_plate_motor(&run.shared)?;
    let mut times: Vec<[Rounds; 5]> = vec![Default::default(); TABLE_2.len()];
    let mut found = vec![[0; 5]; TABLE_2.len()];
    for round in 0..run.rounds {
        eprintln!("round {} of {}", round + 1, run.rounds);
        for (k, n) in run.steps() {
            for row in turns(TABLE_2.len(), round) {
                let (seconds, pairs) = steps(&scenario, TABLE_2[row].0, n)?;
                times[row][k].push(seconds);
                found[row][k] = pairs;
            }
        }
    }
    let mut lines = Vec::new();
    let mut goal = Goal::at_least(super::faster_claim(), FASTER);
    for (row, (query, paper)) in TABLE_2.into_iter().enumerate() {
        for (k, n) in run.steps() {
            let ours = times[row][k].median();
            let faster = ratio(Some(paper[k]), ours);
            goal.add(format!("{query}, {n} steps"), faster);
            table.row(vec![
                words(query),
                count(n as usize),
                number(ours.map(|s| 1e3 * s), 3),
                number(times[row][k].spread(), 0),
                number(times[row][k].microseconds(n as usize), 1),
                count(found[row][k]),
                number(Some(paper[k]), 2),
                at_least(faster, FASTER, 0),
            ]);
        }
        lines.push((query, [0, 1, 2, 3, 4].map(|k| times[row][k].median().unwrap_or(f64::NAN)), paper));
    }
    Ok(Report::new("xavier-table-2", "Table 2: pairs in contact during steps")
        .text(format!(
            "Gear, plate and motor. TW: pairs within half a step at rest; ISW: pairs in contact during a step; e: with a margin of \
             {EPSILON}; ISe: yes or no. `found`: pairs of all steps; for ISe, steps within the margin. The swept tests of the paper are \
             a hybrid that sweeps only where the test at rest would collect pairs; ours always sweep."
        ))
        .text(scenario.substitute)
        .table(table)
        .plot("", "pairs that touch", plot("Xavier 1997, Table 2, GPM", &lines))
        .goals([goal]))
}

/// Measures the seconds for all steps, and the number of pairs found.
fn steps(scenario: &Scenario, query: &str, n: u32) -> Outcome<(f64, usize)> {
    let session = &mut DistanceSession::new();
    let epsilon = if query.ends_with('e') { EPSILON } else { 0.0 };
    let (a, b) = (&scenario.trees[0], (&scenario.trees[1], &Pose::IDENTITY, Vec3::ZERO));
    pass(n, |k| {
        let (pose, by) = scenario.step(k, n);
        if query == "ISe" {
            let limits = DistanceLimits::within(epsilon);
            let d = swept_distance((a, &pose, by), b, Reading::Simultaneous, limits, session)?;
            return Ok(usize::from(d.at_most <= epsilon));
        }
        let (by, margin) = if query.starts_with("TW") { (Vec3::ZERO, 0.5 * by.norm() + epsilon) } else { (by, epsilon) };
        let mut pairs = 0;
        pairs_within((a, &pose, by), b, Reading::Simultaneous, margin, session, |_| {
            pairs += 1;
            ControlFlow::Continue(())
        })?;
        Ok(pairs)
    })
}
