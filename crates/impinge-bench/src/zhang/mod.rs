//! The benchmarks of Zhang, Lee and Kim 2006, *Interactive continuous collision detection for non-convex polyhedra*, section 6.
//!
//! ```text
//! scenes: meshes and random motions ─┐
//! falling: motions of a simulation  ─┴─► comparison: every engine, in turns ──► table, JSON, SVG, beside the paper's frame rates
//! ```
//!
//! Santa is not public: ours has as many triangles, made of capsules. The bunny is used where it is found, else a knobbly ball of the same
//! size. The paper's times were taken on another machine, two decades ago, and end at a distance of 0.001 instead of an exact contact:
//! ratios to them say what a user would notice; engines measured side by side in one run say which is better.

mod comparison;
mod falling;
mod scenes;

use std::path::PathBuf;

use clap::Args;

use crate::Outcome;
use crate::results::Results;
use crate::table::Table;
use comparison::Comparison;

/// How a benchmark is run.
#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    results: Results,
    /// Folder of the shared data, for real meshes.
    #[arg(long, default_value = "../shared/data")]
    data: PathBuf,
    /// Folder of the shared workloads, for the knots.
    #[arg(long, default_value = "../shared/workloads")]
    workloads: PathBuf,
    /// Rounds; a query's time is its median over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

impl Run {
    /// Measures, writes numbers and a plot.
    fn compare(&self, name: &str, comparison: &Comparison) -> Outcome<Table> {
        let (table, plot) = comparison.measure(self.rounds)?;
        self.results.save(name, &table, &[("", plot)])?;
        Ok(table)
    }
}

/// Santa against a thin board.
pub fn santa(run: &Run) -> Outcome<Table> {
    run.compare("zhang-1", &Comparison { title: "Santa against a thin board", cases: vec![scenes::santa()?] })
}

/// Bunny against bunny.
pub fn bunnies(run: &Run) -> Outcome<Table> {
    run.compare("zhang-2", &Comparison { title: "Bunny against bunny", cases: vec![scenes::bunnies(&run.data)?] })
}

/// Knot against knot.
pub fn knots(run: &Run) -> Outcome<Table> {
    run.compare("zhang-3", &Comparison { title: "Torus knot against torus knot", cases: scenes::knots(&run.workloads)? })
}

/// A body falling on another.
pub fn falling(run: &Run) -> Outcome<Table> {
    run.compare("zhang-4", &Comparison { title: "A falling bunny-like body", cases: vec![falling::bodies()?] })
}

/// A ring falling on another.
pub fn rings(run: &Run) -> Outcome<Table> {
    run.compare("zhang-5", &Comparison { title: "A falling ring", cases: vec![falling::rings()?] })
}
