//! The benchmarks of Xavier 1997, *Fast swept-volume distance for robust collision detection*, section 3.
//!
//! ```text
//! scenes: a truck among trucks (FT), a gear through a plate onto a motor (GPM)
//!    │ cut into 25 to 400 steps
//!    ├─► table_1: distance and interference, at rest (D, I) and swept (DS, IS)
//!    ├─► table_2: who touches during steps (TW, TWε, ISW, ISε, ISWε)
//!    └─► witnesses: the whole motion at once, problems (i), (ii) and (iii)
//! ```
//!
//! Its chassis are not public: ours has the same number of polygons and is made here. Times were taken on an SGI Indigo2 in 1997:
//! ratios to them say what a user would notice, ratios within one run what sweeping costs.

mod paper;
mod scenes;
mod table_1;
mod table_2;
mod witnesses;

use std::path::PathBuf;

use clap::Args;

use crate::plot::{Axis, Line, Plot, Scale, Stroke};
use crate::results::Results;
use crate::{Outcome, clock};

pub use table_1::measure as table_1;
pub use table_2::measure as table_2;
pub use witnesses::measure as witnesses;

/// How a benchmark is run.
#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    results: Results,
    /// Folder of the shared workloads and data; without them all scenes are generated.
    #[arg(long, default_value = "../shared")]
    shared: PathBuf,
    /// Rounds; numbers are medians over them.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// Steps that a motion is cut into.
const STEPS: [u32; 5] = [25, 50, 100, 200, 400];

/// Seconds of this thread that something takes, whatever else the machine does, and what it gives.
fn timed<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<(f64, T)> {
    let begin = clock::of_thread();
    let value = work()?;
    Ok((clock::of_thread() - begin, value))
}

/// The middle of a few numbers.
fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Seconds against steps, ours solid and the paper's dotted.
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
