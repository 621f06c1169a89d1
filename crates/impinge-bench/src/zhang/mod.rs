//! The benchmarks of Zhang, Lee and Kim 2006, *Interactive continuous collision detection for non-convex polyhedra*, section 6.
//!
//! ```text
//! scenes: meshes and random motions ─┐
//! falling: motions of a simulation  ─┼─► comparison: all methods, in turns, against the frame rates of the paper
//! hovering: Figure 6                ─┘
//! ```
//!
//! Santa is not public: ours has as many triangles, built of capsules. The public bunny is used if available, otherwise a knobbly ball of the
//! same size. The paper's times were taken on another machine, two decades ago, and end at a distance of 0.001 instead of an exact contact:
//! ratios to them show what a user would notice; engines measured side by side in one run show which is better.

mod asking;
mod comparison;
mod falling;
mod hovering;
mod scenes;

use std::path::PathBuf;

use clap::Args;

use crate::Outcome;
use crate::all::{Chapter, Planned};
use crate::report::Report;
use comparison::compare;

pub use hovering::measure as hovering;

/// The chapter of the paper in the document.
pub const CHAPTER: Chapter = Chapter {
    key: "zhang",
    title: "Zhang, Lee, Kim 2006 (FAST): Interactive continuous collision detection for non-convex polyhedra",
    text: "\
**The same as in the paper:** the numbers of triangles, the kinds of motions, the number of queries. **Different:** Santa is not public; \
ours consists of capsules. The bunny is the public one if it is available, otherwise a knobbly ball of the same size. Falling bodies \
come from a small simulation of our own (the paper uses Havok) and are knobbly balls instead of bunnies. The motions of the paper are \
not published. The paper stops at a distance of 0.001; ours are exact contacts with brackets. The machine of the paper was a 3.6 GHz \
Pentium 4. `paper us` is the reciprocal of the frame rate in its figures, an average.

Methods: `auto` is the default engine. `hulls` is the algorithm of the paper, conservative advancement of hull trees; `front kept` keeps \
the BVTT front from query to query. `interval` represents CONTACT, to which the paper compares (OBBs, interval arithmetic, bisection): \
the same method, our implementation. The paper reports that FAST is 1.4 to 45.5 times faster than CONTACT, without numbers for each \
benchmark. `interval` is slow: if not all queries fit into its time, `n` is the number of measured queries, evenly distributed. `x auto` \
then compares the same n, and there is no comparison with the paper, whose numbers are means of all queries. `steps` are advancement \
steps per query, the second plot of each figure: poses for `hulls` and `sweep`, steps in time of single pairs for `auto`, intervals of \
time for `interval`. The mean of the paper is 4 (section 6.3), for steps that advance the whole body; plots show it as a line. `nodes` \
are pairs of hulls or boxes compared, or swept boxes computed; `exact` are pairs of triangles decided exactly; `largest` is the slowest \
query; `differs` counts verdicts that differ from those of the sweep. `spread %` refers to all first contacts of a round.",
    runs: &[
        Planned { full: "zhang-1 --rounds 7 --seconds 2", quick: "zhang-1 --rounds 1 --seconds 0.5" },
        Planned { full: "zhang-2 --rounds 7 --seconds 2", quick: "zhang-2 --rounds 1 --seconds 0.5" },
        Planned { full: "zhang-3 --rounds 7 --seconds 2", quick: "zhang-3 --rounds 1 --seconds 0.5" },
        Planned { full: "zhang-4 --rounds 7 --seconds 2", quick: "zhang-4 --rounds 1 --seconds 0.5" },
        Planned { full: "zhang-5 --rounds 7 --seconds 2", quick: "zhang-5 --rounds 1 --seconds 0.5" },
        Planned { full: "zhang-hovering --rounds 5 --seconds 2", quick: "zhang-hovering --rounds 1 --seconds 0.2" },
    ],
};

/// Options of the benchmark.
#[derive(Args)]
pub struct Run {
    /// Folder of the shared data, for real meshes.
    #[arg(long, default_value = "../shared/data")]
    data: PathBuf,
    /// Folder of the shared workloads, for the knots.
    #[arg(long, default_value = "../shared/workloads")]
    workloads: PathBuf,
    /// Rounds; a query's time is its median over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// CPU seconds that interval matrices may take for one pass over a scene; at least three queries are made.
    #[arg(long, default_value_t = 4.0)]
    seconds: f64,
}

/// Santa against a thin board.
pub fn santa(run: &Run) -> Outcome<Report> {
    compare("zhang-1", "Benchmark 1: Santa against a thin board", &[scenes::santa()?], run)
}

/// Bunny against bunny.
pub fn bunnies(run: &Run) -> Outcome<Report> {
    compare("zhang-2", "Benchmark 2: bunny against bunny", &[scenes::bunnies(&run.data)?], run)
}

/// Knot against knot.
pub fn knots(run: &Run) -> Outcome<Report> {
    compare("zhang-3", "Benchmark 3: torus knot against torus knot", &scenes::knots(&run.workloads)?, run)
}

/// A body that falls on another.
pub fn falling(run: &Run) -> Outcome<Report> {
    compare("zhang-4", "Benchmark 4: a falling bunny-like body", &[falling::bodies()?], run)
}

/// A ring that falls on another.
pub fn rings(run: &Run) -> Outcome<Report> {
    compare("zhang-5", "Benchmark 5: a falling ring", &[falling::rings()?], run)
}
