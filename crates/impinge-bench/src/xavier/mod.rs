//! The benchmarks of Xavier 1997, *Fast swept-volume distance for robust collision detection*, section 3.
//!
//! ```text
//! scenes: a truck among trucks (FT), a gear through a plate onto a motor (GPM)
//!    │ divided into 25 to 400 steps
//!    ├─► table_1: distance and interference, at rest (D, I) and swept (DS, IS)
//!    ├─► table_2: pairs in contact during steps (TW, TWε, ISW, ISε, ISWε)
//!    ├─► witnesses: the whole motion at once, problems (i), (ii) and (iii)
//!    ├─► turns: the same with rotations, section 2.3
//!    └─► optimisations: each optimisation of the appendix alone
//! torus: a ring of 20K along a torus of 98K, section 3.1
//! ```
//!
//! The chassis of the paper is not public: ours has the same number of polygons. Times were taken on an SGI Indigo2 in 1997:
//! ratios to them show what a user would notice; ratios within one run show the cost of sweeping.

mod optimisations;
mod paper;
mod scenes;
mod table_1;
mod table_2;
mod torus;
mod turns;
mod witnesses;

use std::path::PathBuf;

use clap::Args;

use crate::Outcome;
use crate::all::{Chapter, Planned};
use crate::clock;
use crate::plot::{Axis, Line, Plot, Scale, Stroke};

pub use optimisations::measure as optimisations;
pub use table_1::measure as table_1;
pub use table_2::measure as table_2;
pub use torus::measure as torus;
pub use turns::measure as turns;
pub use witnesses::measure as witnesses;

/// The chapter of the paper in the document.
pub const CHAPTER: Chapter = Chapter {
    key: "xavier",
    title: "Xavier 1997: Fast swept-volume distance for robust collision detection",
    text: "\
**The same as in the paper:** the sizes, the steps, the margins, a drop of one unit with a clearance of 0.00125. **Different:** the \
benchmark generates the chassis. The teapot is the public one if it is available. Gear, plate and motor are those of the shared workload \
(the benchmark generates the same ones if that is missing). Polygons are triangles, so many more pairs are near than in the paper. \
Bounds are certified. The machine of the paper was an SGI Indigo2 R4400/250. As in the paper, one query fills the caches before a run.",
    runs: &[
        Planned { full: "xavier-table-1 --rounds 5", quick: "xavier-table-1 --rounds 1 --most 50" },
        Planned { full: "xavier-table-2 --rounds 5", quick: "xavier-table-2 --rounds 1 --most 50" },
        Planned { full: "xavier-witnesses --rounds 5", quick: "xavier-witnesses --rounds 1" },
        Planned { full: "xavier-torus --rounds 5", quick: "xavier-torus --rounds 1" },
        Planned { full: "xavier-turns --rounds 5", quick: "xavier-turns --rounds 1 --most 50" },
        Planned { full: "xavier-optimisations --rounds 5", quick: "xavier-optimisations --rounds 1" },
    ],
};

/// Options of the benchmark.
#[derive(Args)]
pub struct Run {
    /// Folder of the shared workloads and data; without them all scenes are generated.
    #[arg(long, default_value = "../shared")]
    shared: PathBuf,
    /// Rounds; numbers are medians over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Motions are divided into 25 steps, and into twice as many, and so on, up to this number.
    #[arg(long, default_value_t = 400)]
    most: u32,
}

impl Run {
    /// Returns the numbers of steps, with their positions in [`STEPS`].
    fn steps(&self) -> impl Iterator<Item = (usize, u32)> + use<> {
        let most = self.most;
        STEPS.into_iter().enumerate().filter(move |(_, n)| *n <= most)
    }
}

/// Target factor against the paper for the scene with tight tolerances: much less than the progress of processors since.
const FASTER: f64 = 10.0;

fn faster_claim() -> String {
    format!("GPM: at least {FASTER} times faster than the paper, whose machine is decades older")
}

/// The numbers of steps of a motion.
const STEPS: [u32; 5] = [25, 50, 100, 200, 400];

/// Returns the CPU seconds of this thread for all steps, after one that fills the caches; and the sum of the results.
fn pass(n: u32, mut ask: impl FnMut(u32) -> Outcome<usize>) -> Outcome<(f64, usize)> {
    ask(0)?;
    let (seconds, sum) = clock::timed(|| (0..n).try_fold(0, |sum, k| Ok(sum + ask(k)?)));
    sum.map(|sum| (seconds, sum))
}

/// Plots seconds against steps, impinge solid and the paper dotted.
fn plot(title: &str, rows: &[(&str, [f64; 5], [f64; 5])]) -> Plot {
    let points = |seconds: &[f64; 5]| STEPS.iter().zip(seconds).map(|(&n, &s)| (f64::from(n), s)).collect::<Vec<_>>();
    let ours = rows.iter().enumerate().map(|(i, (name, ours, _))| Line {
        name: (*name).to_owned(),
        points: points(ours),
        stroke: Stroke::Solid,
        colour: i,
    });
    let paper = rows.iter().enumerate().map(|(i, (name, _, paper))| Line {
        name: format!("paper, 1997, {name}"),
        points: points(paper),
        stroke: Stroke::Dotted,
        colour: i,
    });
    let log = |label: &str| Axis { label: label.into(), scale: Scale::Log };
    Plot { title: title.into(), x: log("steps"), y: log("seconds for all steps"), lines: ours.chain(paper).collect() }
}
