//! Measures impinge beside its peers, in one run, on one thread.
//!
//! ```text
//! round 1: peer, impinge · peer, impinge · …      whole passes over all motions of a set, warm, in turns, so that both see the same
//! round 2: peer, impinge · peer, impinge · …      machine; a number is the median over rounds of (pass / motions)
//! ```
//!
//! Tables go to stdout, words to stderr, and all numbers to a file with `--json`. Exit code 0 also when a target is missed: the table
//! says so.

mod arm;
mod building;
mod distance;
mod fcl;
mod features;
mod knots;
mod rounds;
mod table;
mod truth;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

/// What can go wrong is told and ends the run.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[derive(Parser)]
#[command(about = "Measures impinge beside its peers")]
struct Command {
    #[command(subcommand)]
    what: What,
    /// Write all numbers to this file too.
    #[arg(long, global = true)]
    json: Option<PathBuf>,
}

#[derive(Subcommand)]
enum What {
    /// An arm among pipes and rods: whole certified motions against FCL at one pose, and against FCL at many.
    Arm(Source),
    /// Torus knots and gears: first contacts against one distance query of FCL.
    Knots(Source),
    /// Torus knots and gears: the distance of two surfaces at rest against that of FCL, and building for it.
    Distance(Source),
    /// Trees over a million triangles: seconds and bytes.
    Build,
    /// Vertex/face and edge/edge tests on public query sets.
    Features(features::Data),
}

/// Where the work comes from.
#[derive(Args)]
struct Source {
    /// Folder of the shared workloads; without it a built-in example is measured.
    #[arg(long, default_value = "../shared/workloads")]
    dir: PathBuf,
    /// Rounds; numbers are medians over them.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
}

impl Source {
    /// The folder, if it is there.
    fn folder(&self) -> Option<&PathBuf> {
        if self.dir.is_dir() {
            return Some(&self.dir);
        }
        eprintln!("{} is not here: measuring the built-in example instead", self.dir.display());
        None
    }
}

fn main() -> ExitCode {
    let command = Command::parse();
    let table = match &command.what {
        What::Arm(source) => arm::measure(source),
        What::Knots(source) => knots::measure(source),
        What::Distance(source) => distance::measure(source),
        What::Build => building::measure(),
        What::Features(data) => features::measure(data),
    };
    match table.and_then(|t| t.show(command.json.as_deref())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
