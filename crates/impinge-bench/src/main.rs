//! Measures impinge against other libraries and against the papers, in one run, on one thread.
//!
//! ```text
//! round 1: peer, impinge · peer, impinge · …      whole passes over all motions of a set, warm, alternating, so that both run under the
//! round 2: peer, impinge · peer, impinge · …      same conditions; a number is the median over rounds of (pass / motions)
//! ```
//!
//! Reports go to stdout, progress to stderr, numbers (JSON) and plots (SVG) to the folder of `--out`. `all` runs every benchmark and writes one
//! document. The exit code is 0 also if a target is missed; the report states this.

mod all;
mod arm;
mod building;
mod caby;
mod clock;
mod distance;
mod fcl;
mod features;
mod instructions;
mod kim;
mod knots;
mod peers;
mod plot;
mod progress;
mod redon;
mod report;
mod rigid_motions;
mod rounds;
mod soak;
mod table;
mod truth;
mod xavier;
mod zhang;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use report::{Missing, Report};

/// An error ends a benchmark, and its message is printed.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[derive(Parser)]
#[command(about = "Measures impinge against other libraries and against the papers")]
struct Command {
    #[command(subcommand)]
    what: What,
    /// Write all numbers of a benchmark to this file, too.
    #[arg(long, global = true)]
    json: Option<PathBuf>,
    /// Folder for numbers (JSON) and plots (SVG) [default: target/bench]; with `all`, the document [default: target/bench/benchmarks.md].
    #[arg(long, global = true)]
    out: Option<PathBuf>,
}

#[derive(Subcommand)]
enum What {
    /// Every benchmark, in one sitting, as one document.
    All(all::All),
    /// An arm among pipes and rods: whole certified motions against FCL at one pose, and against FCL at many.
    Arm(Source),
    /// Torus knots and gears: first contacts against one distance query of FCL.
    Knots(knots::Run),
    /// Torus knots and gears: the distance of two surfaces at rest against that of FCL, and building the trees.
    Distance(Source),
    /// Trees over a million triangles: seconds and bytes.
    Build(building::Run),
    /// Vertex/face and edge/edge queries on public query sets.
    Features(features::Data),
    /// A Puma-like arm among pipes: Table 1 of Redon et al. 2004.
    #[command(name = "redon-table-1")]
    RedonTable1(redon::Run),
    /// The arm in a machine room, with stages switched off: Table 2 of Redon et al. 2004.
    #[command(name = "redon-table-2")]
    RedonTable2(redon::Run),
    /// Chains of 6 to 200 links: the effect of stages and bounds.
    RedonChains(redon::Run),
    /// Widths of both bounds of Redon et al. 2004 and ours against depth and span.
    RedonWidths,
    /// One overlap test of two OBBs over an interval: section 6 of Redon et al. 2004.
    RedonBoxTest(redon::box_test::Run),
    /// Two wooden men pulled together: Figure 4 of Kim et al. 2008.
    #[command(name = "kim-figure-4-men")]
    KimMen(kim::Run),
    /// A pendulum of balls that collides with itself: Figure 4 of Kim et al. 2008.
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
    /// A body that hovers above another: Figure 6 of Zhang et al. 2006.
    #[command(name = "zhang-hovering")]
    ZhangHovering(zhang::Run),
    /// First contacts and distances against parry and FCL.
    Peers(peers::Run),
    /// Few active joints of many: assembly trees against forward kinematics.
    Kinematics(kim::kinematics::Run),
    /// A drill over deforming hulls, compared with the times of the paper.
    #[command(name = "caby-table-1")]
    CabyTable1(caby::table_1::Often),
    /// Predicted contacts, false alarms, and the time of a cycle.
    Forecasts(caby::forecasts::Watched),
    /// Whole steps of deforming bodies, on public pairs of frames.
    Steps(caby::steps::Frames),
    /// Distance and interference, at rest and swept: Table 1 of Xavier 1997.
    #[command(name = "xavier-table-1")]
    XavierTable1(xavier::Run),
    /// Pairs in contact during steps: Table 2 of Xavier 1997.
    #[command(name = "xavier-table-2")]
    XavierTable2(xavier::Run),
    /// Pairs in contact during a whole motion, and their times: section 3.3 of Xavier 1997.
    XavierWitnesses(xavier::Run),
    /// A ring of 20K triangles along a torus of 98K: section 3.1 of Xavier 1997.
    XavierTorus(xavier::Run),
    /// Distance of rotating bodies: section 2.3 of Xavier 1997.
    XavierTurns(xavier::Run),
    /// Each optimisation of the appendix of Xavier 1997 alone.
    XavierOptimisations(xavier::Run),
    /// Instructions per query, counted by callgrind.
    Instructions(instructions::Run),
    /// Random worlds for many minutes, every verdict against dense sampling: memory, throughput, wrong verdicts.
    Soak(soak::Load),
}

/// The source of the workloads.
#[derive(Args)]
struct Source {
    /// Folder of the shared workloads; without it a built-in example is measured.
    #[arg(long, default_value = "../shared/workloads")]
    dir: PathBuf,
    /// Rounds; numbers are medians over them.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
}

impl Source {
    /// Returns the folder, if it exists.
    fn folder(&self) -> Option<&PathBuf> {
        if self.dir.is_dir() {
            return Some(&self.dir);
        }
        eprintln!("{} is missing: measuring the built-in example instead", self.dir.display());
        None
    }

    /// Returns a sentence for reports on built-in examples; empty if the workloads are available.
    fn substitute(&self) -> &'static str {
        if self.dir.is_dir() {
            ""
        } else {
            "**The shared workloads are missing**: built-in examples were measured instead, without a ground truth."
        }
    }

    /// Returns the folder, or an error that nothing can be measured without it.
    fn needed(&self) -> Outcome<&PathBuf> {
        let missing = || Missing(format!("the shared workloads are not in {}", self.dir.display()));
        if self.dir.is_dir() { Ok(&self.dir) } else { Err(missing().into()) }
    }
}

/// Runs one benchmark.
fn measure(what: &What) -> Outcome<Report> {
    match what {
        What::All(_) => Err("`all` is not a benchmark itself".into()),
        What::Arm(source) => arm::measure(source),
        What::Knots(run) => knots::measure(run),
        What::Distance(source) => distance::measure(source),
        What::Build(run) => building::measure(run),
        What::Features(data) => features::measure(data),
        What::RedonTable1(run) => redon::table_1(run),
        What::RedonTable2(run) => redon::table_2(run),
        What::RedonChains(run) => redon::chains(run),
        What::RedonWidths => redon::widths(),
        What::RedonBoxTest(run) => redon::box_test::measure(run),
        What::KimMen(run) => kim::men(run),
        What::KimPendulum(run) => kim::pendulum(run),
        What::KimFalling(run) => kim::falling(run),
        What::Zhang1(run) => zhang::santa(run),
        What::Zhang2(run) => zhang::bunnies(run),
        What::Zhang3(run) => zhang::knots(run),
        What::Zhang4(run) => zhang::falling(run),
        What::Zhang5(run) => zhang::rings(run),
        What::ZhangHovering(run) => zhang::hovering(run),
        What::Peers(run) => peers::measure(run),
        What::Kinematics(run) => kim::kinematics::measure(run),
        What::CabyTable1(often) => caby::table_1::measure(often),
        What::Forecasts(watched) => caby::forecasts::measure(watched),
        What::Steps(frames) => caby::steps::measure(frames),
        What::XavierTable1(run) => xavier::table_1(run),
        What::XavierTable2(run) => xavier::table_2(run),
        What::XavierWitnesses(run) => xavier::witnesses(run),
        What::XavierTorus(run) => xavier::torus(run),
        What::XavierTurns(run) => xavier::turns(run),
        What::XavierOptimisations(run) => xavier::optimisations(run),
        What::Instructions(run) => instructions::measure(run),
        What::Soak(load) => soak::measure(load),
    }
}

fn run(command: &Command) -> Outcome<()> {
    if let What::All(all) = &command.what {
        return all::run(all, command.out.as_deref());
    }
    let report = measure(&command.what)?;
    report.print();
    let folder = command.out.as_deref().unwrap_or(Path::new(all::NUMBERS));
    report.save_named_numbers(folder)?;
    report.save_plots(folder)?;
    eprintln!("numbers and plots are in {}", folder.display());
    command.json.as_deref().map_or(Ok(()), |path| report.save_numbers(path))
}

fn main() -> ExitCode {
    match run(&Command::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
