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
mod caby;
mod clock;
mod distance;
mod fcl;
mod features;
mod kim;
mod knots;
mod peers;
mod plot;
mod redon;
mod results;
mod rigid_motions;
mod rounds;
mod soak;
mod table;
mod truth;
mod xavier;
mod zhang;

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
    Knots(knots::Run),
    /// Torus knots and gears: the distance of two surfaces at rest against that of FCL, and building for it.
    Distance(Source),
    /// Trees over a million triangles: seconds and bytes.
    Build,
    /// Vertex/face and edge/edge tests on public query sets.
    Features(features::Data),
    /// A Puma-like arm among pipes: Table 1 of Redon et al. 2004.
    #[command(name = "redon-table-1")]
    RedonTable1(redon::Run),
    /// The arm in a machine room, with stages switched off: Table 2 of Redon et al. 2004.
    #[command(name = "redon-table-2")]
    RedonTable2(redon::Run),
    /// Chains of 6 to 200 links: where stages and bounds pay.
    RedonChains(redon::Run),
    /// Widths of both bounds of Redon et al. 2004 and ours against depth and span.
    RedonWidths(redon::Run),
    /// Two wooden men pulled together: Figure 4 of Kim et al. 2008.
    #[command(name = "kim-figure-4-men")]
    KimMen(kim::Run),
    /// A pendulum of balls that hits itself: Figure 4 of Kim et al. 2008.
    #[command(name = "kim-figure-4-pendulum")]
    KimPendulum(kim::Run),
    /// A man falling on plates and pots: Figure 4 of Kim et al. 2008.
    #[command(name = "kim-figure-4-falling")]
    KimFalling(kim::Run),
    /// Santa against a thin board: first benchmark of Zhang et al. 2006, with every engine.
    #[command(name = "zhang-1")]
    Zhang1(zhang::Run),
    /// Bunny against bunny: second benchmark of Zhang et al. 2006.
    #[command(name = "zhang-2")]
    Zhang2(zhang::Run),
    /// Torus knots of three sizes: third benchmark of Zhang et al. 2006.
    #[command(name = "zhang-3")]
    Zhang3(zhang::Run),
    /// A body that falls on another: fourth benchmark of Zhang et al. 2006.
    #[command(name = "zhang-4")]
    Zhang4(zhang::Run),
    /// A ring that falls on another: fifth benchmark of Zhang et al. 2006.
    #[command(name = "zhang-5")]
    Zhang5(zhang::Run),
    /// First contacts and distances beside parry and FCL.
    Peers(Source),
    /// Few active joints of many: assembly trees against forward kinematics.
    Kinematics,
    /// A drill over deforming hulls, beside the times of the paper.
    #[command(name = "caby-table-1")]
    CabyTable1(caby::table_1::Often),
    /// Contacts announced in time, false alarms, and how long a cycle takes.
    Forecasts(caby::forecasts::Watched),
    /// Whole steps of deforming bodies, on public pairs of frames.
    Steps(caby::steps::Frames),
    /// Distance and interference, at rest and swept: Table 1 of Xavier 1997.
    #[command(name = "xavier-table-1")]
    XavierTable1(xavier::Run),
    /// Who touches during steps: Table 2 of Xavier 1997.
    #[command(name = "xavier-table-2")]
    XavierTable2(xavier::Run),
    /// Who touches during a whole motion, and when: section 3.3 of Xavier 1997.
    XavierWitnesses(xavier::Run),
    /// Random worlds for many minutes, every answer against dense sampling: memory, throughput, wrong answers.
    Soak(soak::Load),
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
        What::Knots(run) => knots::measure(run),
        What::Distance(source) => distance::measure(source),
        What::Build => building::measure(),
        What::Features(data) => features::measure(data),
        What::RedonTable1(run) => redon::table_1(run),
        What::RedonTable2(run) => redon::table_2(run),
        What::RedonChains(run) => redon::chains(run),
        What::RedonWidths(run) => redon::widths(run),
        What::KimMen(run) => kim::men(run),
        What::KimPendulum(run) => kim::pendulum(run),
        What::KimFalling(run) => kim::falling(run),
        What::Zhang1(run) => zhang::santa(run),
        What::Zhang2(run) => zhang::bunnies(run),
        What::Zhang3(run) => zhang::knots(run),
        What::Zhang4(run) => zhang::falling(run),
        What::Zhang5(run) => zhang::rings(run),
        What::Peers(source) => peers::measure(source),
        What::Kinematics => kim::kinematics::measure(),
        What::CabyTable1(often) => caby::table_1::measure(often),
        What::Forecasts(watched) => caby::forecasts::measure(watched),
        What::Steps(frames) => caby::steps::measure(frames),
        What::XavierTable1(run) => xavier::table_1(run),
        What::XavierTable2(run) => xavier::table_2(run),
        What::XavierWitnesses(run) => xavier::witnesses(run),
        What::Soak(load) => soak::measure(load),
    };
    match table.and_then(|t| t.show(command.json.as_deref())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
