//! Table 2: pairs of triangles that touch during the steps of the gear, by thresholds at rest and by sweeps.

use std::ops::ControlFlow;

use impinge::query::distance::{DistanceLimits, DistanceSession, Reading, pairs_within, swept_distance};
use impinge::{Pose, Vec3};

use super::paper::{EPSILON, TABLE_2};
use super::scenes::{Scenario, gear_plate_motor};
use super::{Run, STEPS, median, plot, timed};
use crate::Outcome;
use crate::table::{Table, count, number, words};

/// Measures all experiments.
pub fn measure(run: &Run) -> Outcome<Table> {
    let title = format!(
        "Xavier 1997, Table 2, gear, plate and motor: milliseconds for all steps, median of {} rounds, caches warm, beside the paper's seconds; \
         TW: pairs within half a step at rest, ISW: pairs that touch during a step, e: with a margin of {EPSILON}, ISe: yes or no",
        run.rounds
    );
    let mut table = Table::new(title, &["query", "steps", "ms", "us/step", "pairs", "paper s", "paper/ours"]);
    let scenario = gear_plate_motor(&run.shared)?;
    let mut lines = Vec::new();
    for (query, paper) in TABLE_2 {
        let mut ours = [0.0; 5];
        for (k, &n) in STEPS.iter().enumerate() {
            let passes = (0..run.rounds).map(|_| pass(&scenario, query, n)).collect::<Outcome<Vec<_>>>()?;
            ours[k] = median(passes.iter().map(|p| p.0).collect());
            table.row(vec![
                words(query),
                count(n as usize),
                number(Some(1e3 * ours[k]), 3),
                number(Some(1e6 * ours[k] / f64::from(n)), 1),
                count(passes.first().map_or(0, |p| p.1)),
                number(Some(paper[k]), 2),
                number(Some(paper[k] / ours[k]), 0),
            ]);
        }
        lines.push((query, ours, paper));
    }
    run.results.save("xavier-table-2", &table, &[("", plot("Xavier 1997, Table 2, GPM", &lines))])?;
    Ok(table)
}

/// All steps once, after one that fills the caches; seconds, and how many pairs were found.
fn pass(scenario: &Scenario, query: &str, n: u32) -> Outcome<(f64, usize)> {
    let session = &mut DistanceSession::new();
    let epsilon = if query.ends_with('e') { EPSILON } else { 0.0 };
    let (a, b) = (&scenario.trees[0], (&scenario.trees[1], &Pose::IDENTITY, Vec3::ZERO));
    let mut ask = |k: u32| -> Outcome<usize> {
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
    };
    ask(0)?;
    timed(|| (0..n).try_fold(0, |sum, k| Ok(sum + ask(k)?)))
}
