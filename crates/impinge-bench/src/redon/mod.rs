//! The benchmarks of Redon, Kim, Lin and Manocha 2004, *Fast continuous collision detection for articulated models*, section 6.
//!
//! ```text
//! scenes, machine_room ──► queries: random paths ─┬─► timing: first contacts ──► comparison ──► table_1, table_2
//!                       methods: stages, bounds  ─┘             │            paper ──┘
//!                                                               └──► chains
//! box_test: one overlap test of OBBs; widths: the widths of both bounds
//! ```
//!
//! The models of the paper are not public; ours have the same sizes and are generated from seeds. Its times were taken on another machine, two
//! decades ago: ratios to them show what a user would notice, not which algorithm is better. Stage sets and bounds measured side by
//! side in one run show that.

pub mod box_test;
mod chains;
mod comparison;
mod machine_room;
mod paper;
mod queries;
mod scenes;
mod table_1;
mod table_2;
mod timing;
mod ways;
mod widths;

use clap::Args;

use crate::all::{Chapter, Planned};
use queries::Wanted;

pub use chains::measure as chains;
pub use table_1::measure as table_1;
pub use table_2::measure as table_2;
pub use widths::measure as widths;

/// The chapter of the paper in the document.
pub const CHAPTER: Chapter = Chapter {
    key: "redon",
    title: "Redon, Kim, Lin, Manocha 2004: Fast continuous collision detection for articulated models",
    text: "\
**The same as in the paper:** the sizes (robot of 7 links and 800 triangles; pipes of 38,000 triangles; machine room of 1,180 objects \
and 187,000 triangles), robot against environment only, random paths of steps in which every joint turns by 0 to θ in either direction, \
first contact with its features. **Different:** the models, which are not public (ours are generated from seeds, \
`crates/impinge-bench/src/redon/scenes.rs`). Paths restart after 20 free steps, and among pipes they start within 3 cm of one, so that \
there are contacts at 1 degree. Every verdict of impinge is a proof, with a bracket of 1e-9 for a contact; the algorithm of the paper is \
not exact (its section 7.1). The machine of the paper is a 2.4 GHz Pentium with a GeForce FX 5800. The paper gives averages.

Stages: 1 boxes around the swept volumes of links, 2 swept volumes of their capsules, 3 exact. Bounds: `tube` is the motion bound of \
impinge; `interval` uses the interval matrices of the paper in all three stages, with OBBs and the simultaneous solver in the third. The \
default is `tube`, stage 3 alone. All methods must give the same verdicts, or the benchmark ends with an error.",
    runs: &[
        Planned { full: "redon-table-1 --queries 200 --rounds 7", quick: "redon-table-1 --queries 5 --rounds 2" },
        Planned { full: "redon-table-2 --queries 200 --rounds 7", quick: "redon-table-2 --queries 3 --rounds 2" },
        Planned { full: "redon-chains --queries 50 --rounds 5", quick: "redon-chains --queries 2 --rounds 1" },
        Planned { full: "redon-widths", quick: "redon-widths" },
        Planned { full: "redon-box-test --rounds 9", quick: "redon-box-test --rounds 2" },
    ],
};

/// Options of the benchmark.
#[derive(Args)]
pub struct Run {
    /// Queries of each kind.
    #[arg(long, default_value_t = 200)]
    queries: usize,
    /// Rounds; numbers are medians over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

impl Run {
    /// Returns the requested number of queries of both kinds, if at most 300 times as many steps lead to them.
    fn wanted(&self) -> Wanted {
        Wanted { colliding: self.queries, free: self.queries, tries: 300 * self.queries }
    }
}
