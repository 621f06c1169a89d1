//! Table 1: distance and interference at the steps of a translation, and of the bodies swept from each to the next.

use impinge::query::distance::{DistanceLimits, DistanceSession, Reading, distance, swept_distance};
use impinge::{Pose, Vec3};

use super::paper::TABLE_1;
use super::scenes::{Scenario, free_flight, gear_plate_motor};
use super::{FASTER, Run, pass, plot};
use crate::Outcome;
use crate::report::{Goal, Report};
use crate::rounds::{Rounds, turns};
use crate::table::{Table, at_least, count, number, ratio, target, words};

/// Target factor of a swept distance against one at rest.
const SWEPT: f64 = 1.5;

/// Measures both scenarios.
pub fn measure(run: &Run) -> Outcome<Report> {
    let title = format!(
        "Milliseconds for all steps, median of {} rounds, with the seconds of the paper; ! misses its target (swept/rest <= {SWEPT}; \
         GPM, paper/ours >= {FASTER})",
        run.rounds
    );
    let columns = ["scene", "query", "steps", "ms", "spread %", "us/step", "swept/rest", "touching", "paper s", "paper/ours"];
    let mut table = Table::new(title, &columns);
    let mut goals = [
        Goal::at_most(format!("a swept query takes at most {SWEPT} times as long as the query at rest"), SWEPT),
        Goal::at_least(super::faster_claim(), FASTER),
    ];
    let mut report = Report::new("xavier-table-1", "Table 1: distance and interference, at rest and swept").text(
        "D distance, I interference, S swept from each step to the next. FT: a truck chassis flies past others; GPM: a gear drops \
         through a plate onto a motor. Factors of about ten, as for GPM, are below the progress of processors since 1997: per cycle our \
         hull distance seems slower than that of the paper. Certified bounds, and triangles instead of polygons, which make some \
         fourteen times as many near pairs, make our queries more expensive. `touching`: steps at distance 0.",
    );
    for scenario in [free_flight(&run.shared)?, gear_plate_motor(&run.shared)?] {
        let (moving, resting) = scenario.triangles();
        eprintln!("{}: {moving} triangles move, {resting} rest", scenario.name);
        let rows = rows(&scenario, run)?;
        add(&scenario, &rows, run, &mut table, &mut goals);
        let lines: Vec<_> = rows.iter().map(|row| (row.query, row.seconds(), row.paper)).collect();
        let suffix = if scenario.name == "FT" { "-ft" } else { "-gpm" };
        report = report.text(&scenario.substitute).plot(
            suffix,
            scenario.name,
            plot(&format!("Xavier 1997, Table 1, {}", scenario.name), &lines),
        );
    }
    Ok(report.table(table).goals(goals))
}

fn add(scenario: &Scenario, rows: &[Row], run: &Run, table: &mut Table, goals: &mut [Goal; 2]) {
    let tight = scenario.name == "GPM";
    for row in rows {
        let rest = row.query.strip_suffix('S').and_then(|rest| rows.iter().find(|c| c.query == rest));
        for (k, n) in run.steps() {
            let place = format!("{}, {}, {n} steps", scenario.name, row.query);
            let ours = row.ours[k].median();
            let swept = rest.and_then(|r| ratio(ours, r.ours[k].median()));
            let faster = ratio(Some(row.paper[k]), ours);
            goals[0].add(&place, swept);
            goals[1].add(&place, faster.filter(|_| tight));
            table.row(vec![
                words(scenario.name),
                words(row.query),
                count(n as usize),
                number(ours.map(|s| 1e3 * s), 3),
                number(row.ours[k].spread(), 0),
                number(row.ours[k].microseconds(n as usize), 1),
                target(swept, SWEPT, 2),
                count(row.touching[k]),
                number(Some(row.paper[k]), 2),
                at_least(faster, if tight { FASTER } else { 0.0 }, 0),
            ]);
        }
    }
}

/// Rounds, and steps in contact, for every number of steps.
struct Row {
    query: &'static str,
    ours: [Rounds; 5],
    paper: [f64; 5],
    touching: [usize; 5],
}

impl Row {
    fn seconds(&self) -> [f64; 5] {
        [0, 1, 2, 3, 4].map(|k| self.ours[k].median().unwrap_or(f64::NAN))
    }
}

/// Runs all queries in turns, so that disturbances affect all of them alike.
fn rows(scenario: &Scenario, run: &Run) -> Outcome<Vec<Row>> {
    let of_scene = TABLE_1.iter().filter(|row| row.0 == scenario.name);
    let mut rows: Vec<Row> =
        of_scene.map(|&(_, query, paper)| Row { query, ours: Default::default(), paper, touching: [0; 5] }).collect();
    for round in 0..run.rounds {
        for (k, n) in run.steps() {
            for i in turns(rows.len(), round) {
                let row = &mut rows[i];
                let (seconds, touching) = steps(scenario, row.query, n)?;
                row.ours[k].push(seconds);
                row.touching[k] = touching;
            }
        }
    }
    Ok(rows)
}

/// Measures the seconds for all steps, and the number of steps in contact.
fn steps(scenario: &Scenario, query: &str, n: u32) -> Outcome<(f64, usize)> {
    let session = &mut DistanceSession::new();
    let limits = if query.starts_with('I') { DistanceLimits::within(0.0) } else { DistanceLimits::default() };
    let (a, b, here) = (&scenario.trees[0], &scenario.trees[1], Pose::IDENTITY);
    pass(n, |k| {
        let (pose, by) = scenario.step(k, n);
        let at_most = if query.ends_with('S') {
            swept_distance((a, &pose, by), (b, &here, Vec3::ZERO), Reading::Simultaneous, limits, session)?.at_most
        } else {
            distance((a, &pose), (b, &here), limits, session)?.at_most
        };
        Ok(usize::from(at_most <= 0.0))
    })
}
