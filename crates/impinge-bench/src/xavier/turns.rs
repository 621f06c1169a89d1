//! Section 2.3: distances of a body that rotates while it moves, conservative and estimated; the paper leaves this measurement to future work.

use std::f64::consts::PI;

use impinge::math::trig::sin_cos;
use impinge::query::distance::{DistanceLimits, DistanceSession, Turn, TurnOptions, Way, distance, turned_distance};
use impinge::{Pose, Vec3};

use super::scenes::{Scenario, free_flight, gear_plate_motor};
use super::{Run, pass};
use crate::Outcome;
use crate::report::{Goal, Report};
use crate::rounds::{Rounds, turns};
use crate::table::{Table, count, number, power, ratio, target, words};

/// Target factor of a distance with rotation against one at rest.
const TURNED: f64 = 4.0;
/// The rotation of a body over its whole path, radians.
const ANGLE: f64 = PI / 2.0;

/// Methods to measure a step.
const WAYS: [(&str, Option<Way>); 3] =
    [("rest", None), ("conservative", Some(Way::Conservative)), ("estimate", Some(Way::Estimate))];

/// All steps with one method.
#[derive(Default)]
struct Row {
    times: Rounds,
    /// The proven error bound, mean over steps, and the error of start and end alone.
    error: f64,
    ends: f64,
    touching: usize,
}

/// Measures both scenarios.
pub fn measure(run: &Run) -> Outcome<Report> {
    let title = format!("Milliseconds for all steps, median of {} rounds; ! is above target (x rest <= {TURNED})", run.rounds);
    let columns = ["scene", "method", "steps", "ms", "spread %", "us/step", "x rest", "touching", "mean error", "ends alone"];
    let mut table = Table::new(title, &columns);
    let mut goal = Goal::at_most(
        format!("a conservative distance with rotation takes at most {TURNED} times as long as one at rest"),
        TURNED,
    );
    let scenarios = [free_flight(&run.shared)?, gear_plate_motor(&run.shared)?];
    for scenario in &scenarios {
        eprintln!("{}", scenario.name);
        for (_, n) in run.steps() {
            let rows = rows(scenario, n, run.rounds)?;
            for ((name, way), row) in WAYS.into_iter().zip(&rows) {
                let share = ratio(row.times.median(), rows[0].times.median());
                let conservative = way == Some(Way::Conservative);
                goal.add(format!("{}, {n} steps", scenario.name), share.filter(|_| conservative));
                let turned = |value: f64| if way.is_some() { power(value) } else { words("-") };
                table.row(vec![
                    words(scenario.name),
                    words(name),
                    count(n as usize),
                    number(row.times.median().map(|s| 1e3 * s), 3),
                    number(row.times.spread(), 0),
                    number(row.times.microseconds(n as usize), 1),
                    target(share, if conservative { TURNED } else { f64::INFINITY }, 2),
                    count(row.touching),
                    turned(row.error),
                    turned(row.ends),
                ]);
            }
        }
    }
    Ok(Report::new("xavier-turns", "Section 2.3: rotational sweeps")
        .text(format!(
            "The motions of Table 1 with an additional rotation by {ANGLE:.2} rad about the vertical axis through the middle of the \
             body, divided into steps. The query is the distance of the swept volume of each step. `conservative`: never above the true \
             distance (equations 3 to 5). `estimate`: from start and end alone (equations 1 and 2). `rest`: the distance at the start of \
             a step. `mean error`: the proven error bound, mean over the steps. `ends alone`: the error of measuring only the start and \
             the end, r sin(θ/2). The paper has no numbers for rotations."
        ))
        .text(&scenarios[0].substitute)
        .text(&scenarios[1].substitute)
        .table(table)
        .goals([goal]))
}

/// Runs all methods in turns.
fn rows(scenario: &Scenario, n: u32, rounds: usize) -> Outcome<[Row; 3]> {
    let mut rows: [Row; 3] = Default::default();
    for round in 0..rounds {
        for k in turns(WAYS.len(), round) {
            steps(scenario, WAYS[k].1, n, &mut rows[k])?;
        }
    }
    Ok(rows)
}

fn steps(scenario: &Scenario, way: Option<Way>, n: u32, row: &mut Row) -> Outcome<()> {
    let session = &mut DistanceSession::new();
    let (a, b, here, still) = (&scenario.trees[0], &scenario.trees[1], Pose::IDENTITY, Turn::default());
    let reach = scenario.meshes[0].vertices().iter().map(|v| v.x.hypot(v.y)).fold(0.0, f64::max);
    let angle = ANGLE / f64::from(n);
    let mut errors = vec![0.0; n as usize];
    let (seconds, touching) = pass(n, |k| {
        let (at, by) = scenario.step(k, n);
        let pose = Pose::from_rpy(at.translation, Vec3::unit(2) * (angle * f64::from(k)))?;
        let Some(way) = way else {
            let d = distance((a, &pose), (b, &here), DistanceLimits::default(), session)?;
            return Ok(usize::from(d.at_most <= 0.0));
        };
        let turn = Turn { rotation: Vec3::unit(2) * angle, about: at.translation, translation: by };
        let options = TurnOptions { way, ..TurnOptions::default() };
        let d = turned_distance((a, &pose, &turn), (b, &here, &still), options, DistanceLimits::default(), session)?;
        errors[k as usize] = d.error;
        Ok(usize::from(d.at_least <= 0.0))
    })?;
    row.times.push(seconds);
    row.error = errors.iter().sum::<f64>() / f64::from(n);
    (row.ends, row.touching) = (reach * sin_cos(0.5 * angle).0, touching);
    Ok(())
}
