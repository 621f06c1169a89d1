//! Table 1: distance and interference at the steps of a translation, and of the bodies swept from each to the next.

use impinge::query::distance::{DistanceLimits, DistanceSession, Reading, distance, swept_distance};
use impinge::{Pose, Vec3};

use super::paper::TABLE_1;
use super::scenes::{Scenario, free_flight, gear_plate_motor};
use super::{Run, STEPS, median, plot, timed};
use crate::Outcome;
use crate::table::{Table, count, number, target, words};

/// A swept distance may cost this many times as much as one at rest.
const SWEPT: f64 = 1.5;

/// Measures both scenarios.
pub fn measure(run: &Run) -> Outcome<Table> {
    let title = format!(
        "Xavier 1997, Table 1: milliseconds for all steps, median of {} rounds, caches warm, beside the paper's seconds; touching = steps at \
         distance 0; ! is above target (swept <= {SWEPT} x at rest)",
        run.rounds
    );
    let columns = ["scene", "query", "steps", "ms", "us/step", "swept/rest", "touching", "paper s", "paper/ours"];
    let mut table = Table::new(title, &columns);
    let mut plots = Vec::new();
    for scenario in [free_flight(&run.shared)?, gear_plate_motor(&run.shared)?] {
        let (moving, resting) = scenario.triangles();
        eprintln!("{}: {moving} triangles move, {resting} rest", scenario.name);
        let cells = rows(&scenario, run.rounds)?;
        for Row { query, ours, paper, touching } in &cells {
            let rest = query.strip_suffix('S').and_then(|rest| cells.iter().find(|c| c.query == rest)).map(|c| c.ours);
            for (k, n) in STEPS.iter().enumerate() {
                table.row(vec![
                    words(scenario.name),
                    words(*query),
                    count(*n as usize),
                    number(Some(1e3 * ours[k]), 3),
                    number(Some(1e6 * ours[k] / f64::from(*n)), 1),
                    target(rest.map(|r| ours[k] / r[k]), SWEPT, 2),
                    count(touching[k]),
                    number(Some(paper[k]), 2),
                    number(Some(paper[k] / ours[k]), 0),
                ]);
            }
        }
        let lines: Vec<_> = cells.iter().map(|row| (row.query, row.ours, row.paper)).collect();
        let suffix = if scenario.name == "FT" { "-ft" } else { "-gpm" };
        plots.push((suffix, plot(&format!("Xavier 1997, Table 1, {}", scenario.name), &lines)));
    }
    run.results.save("xavier-table-1", &table, &plots)?;
    Ok(table)
}

/// Seconds, and steps that touch, for every number of steps.
struct Row {
    query: &'static str,
    ours: [f64; 5],
    paper: [f64; 5],
    touching: [usize; 5],
}

/// All queries in turns, so that what disturbs the machine disturbs them alike.
fn rows(scenario: &Scenario, rounds: usize) -> Outcome<Vec<Row>> {
    let of_scene = TABLE_1.iter().filter(|row| row.0 == scenario.name);
    let mut rows: Vec<Row> = of_scene.map(|&(_, query, paper)| Row { query, ours: [0.0; 5], paper, touching: [0; 5] }).collect();
    for (k, &n) in STEPS.iter().enumerate() {
        let mut seconds = vec![Vec::new(); rows.len()];
        for _ in 0..rounds {
            for (row, seconds) in rows.iter_mut().zip(&mut seconds) {
                let (time, touching) = pass(scenario, row.query, n)?;
                seconds.push(time);
                row.touching[k] = touching;
            }
        }
        for (row, seconds) in rows.iter_mut().zip(seconds) {
            row.ours[k] = median(seconds);
        }
    }
    Ok(rows)
}

/// All steps once, after one that fills the caches.
fn pass(scenario: &Scenario, query: &str, n: u32) -> Outcome<(f64, usize)> {
    let session = &mut DistanceSession::new();
    let limits = if query.starts_with('I') { DistanceLimits::within(0.0) } else { DistanceLimits::default() };
    let (a, b, here) = (&scenario.trees[0], &scenario.trees[1], Pose::IDENTITY);
    let mut ask = |k: u32| -> Outcome<bool> {
        let (pose, by) = scenario.step(k, n);
        if query.ends_with('S') {
            let d = swept_distance((a, &pose, by), (b, &here, Vec3::ZERO), Reading::Simultaneous, limits, session)?;
            return Ok(d.at_most <= 0.0);
        }
        Ok(distance((a, &pose), (b, &here), limits, session)?.at_most <= 0.0)
    };
    ask(0)?;
    timed(|| (0..n).try_fold(0, |sum, k| Ok(sum + usize::from(ask(k)?))))
}
