//! Building the trees of a large mesh.

use std::time::Instant;

use clap::Args;
use impinge_io::example::solids::torus_knot;

use crate::report::{Goal, Report};
use crate::rounds::Rounds;
use crate::table::{Table, count, number, target};
use crate::{Outcome, clock};

/// Target seconds for a million triangles, both trees.
const SECONDS: f64 = 6.0;
/// Target bytes for a triangle with its share of both trees.
const BYTES: f64 = 400.0;

/// Options of the benchmark.
#[derive(Args)]
pub struct Run {
    /// Rounds; numbers are medians over them.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Measures a torus knot of a million triangles.
pub fn measure(run: &Run) -> Outcome<Report> {
    let solid = torus_knot(2000, 250);
    let [mut wall, mut busy] = [Rounds::default(), Rounds::default()];
    let (mut bytes, mut triangles) = (0, 0);
    for _ in 0..run.rounds {
        let mesh = solid.clone().into_mesh()?;
        triangles = mesh.triangles().len();
        let (begin, spent) = (Instant::now(), clock::of_all_threads());
        bytes = mesh.build_trees();
        wall.push(begin.elapsed().as_secs_f64());
        busy.push(clock::of_all_threads() - spent);
    }
    let title = format!("Median of {} rounds; ! is above target ({SECONDS} s, {BYTES} bytes per triangle)", run.rounds);
    let mut table = Table::new(title, &["triangles", "wall s", "cpu s", "spread %", "bytes per triangle"]);
    let per_triangle = (triangles > 0).then(|| bytes as f64 / triangles as f64);
    table.row(vec![
        count(triangles),
        target(wall.median(), SECONDS, 2),
        number(busy.median(), 2),
        number(busy.spread(), 0),
        target(per_triangle, BYTES, 0),
    ]);
    let mut goals = [
        Goal::at_most(format!("a million triangles in at most {SECONDS} s"), SECONDS),
        Goal::at_most(format!("at most {BYTES} bytes per triangle"), BYTES),
    ];
    goals[0].add("wall", wall.median());
    goals[1].add("", per_triangle);
    Ok(Report::new("build", "Building trees")
        .text(
            "Both trees of a torus knot of a million triangles, on all cores: wall time in seconds, and CPU time of all threads. `spread \
             %` refers to the CPU time.",
        )
        .table(table)
        .goals(goals))
}
