//! The benchmarks of Redon, Kim, Lin and Manocha 2004, *Fast continuous collision detection for articulated models*, section 6.
//!
//! ```text
//! scenes, machine_room ──► queries: random paths ─┬─► timing: first contacts ──► comparison ──► table_1, table_2
//!                          ways: stages, bounds  ─┘             │            paper ──┘
//!                                                               └──► chains
//! ```
//!
//! The paper's models are not public; ours have the same sizes and are made from seeds. Its times were taken on another machine, two
//! decades ago: ratios to them say what a user would notice, not which algorithm is better. Stage sets and bounds measured side by
//! side in one run say that.

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

use crate::results::Results;
use queries::Wanted;

pub use chains::measure as chains;
pub use table_1::measure as table_1;
pub use table_2::measure as table_2;
pub use widths::measure as widths;

/// How a benchmark is run.
#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    results: Results,
    /// Queries of each kind.
    #[arg(long, default_value_t = 200)]
    queries: usize,
    /// Rounds at most; numbers are the best over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

impl Run {
    /// As many queries as asked for of both kinds, if no more than 300 times as many steps lead to them.
    fn wanted(&self) -> Wanted {
        Wanted { colliding: self.queries, free: self.queries, tries: 300 * self.queries }
    }
}
