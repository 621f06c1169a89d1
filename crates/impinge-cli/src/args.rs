//! Command-line arguments.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use impinge::query::{Bound, Engine, Stages};
use impinge_io::quantity::length;

use crate::distance::DistanceArgs;
use crate::help;
use crate::mover_args::{EndArg, MoverArgs, end};
use crate::outputs::named;
use crate::step::StepArgs;
use crate::swept::SweptArgs;
use crate::watch::WatchArgs;
use crate::witnesses::WitnessesArgs;

/// Certified continuous collision detection: proves a whole motion free, or reports the first contact
///
/// The answer is printed to standard output, everything else to standard error.
/// Exit code: 0 all motions are free, 1 some motion has a contact, 2 error, 3 undecided, 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "impinge", version, propagate_version = true, max_term_width = 80, after_help = help::EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check motions of robots, rigid bodies or skeletons, or a case file
    Check(Box<CheckArgs>),
    /// Certify the minimum distance over motions, between lower and upper bounds
    #[command(override_usage = help::CLEARANCE_USAGE, after_help = help::CLEARANCE)]
    Clearance(Box<CheckArgs>),
    /// List checked pairs of parts, and the reasons why other pairs are excluded
    Pairs(PairsArgs),
    /// Grade the cases of a file against their expected answers
    Cases(CasesArgs),
    /// Run vertex/face and edge/edge queries, compare with known answers, and measure the time
    Queries(QueriesArgs),
    /// Verify certificates of free motions, independently of the search
    Verify(VerifyArgs),
    /// Write the swept volumes of links and bodies as meshes
    Swept(Box<SweptArgs>),
    /// Compute the distance between bodies, or between parts of a scene: at rest, translating or rotating
    Distance(Box<DistanceArgs>),
    /// List all pairs of triangles that touch during motions, with contact times
    Witnesses(Box<WitnessesArgs>),
    /// Check one step of deforming bodies; every vertex moves on a straight line
    Step(StepArgs),
    /// Read poses of a tool or joint values of a robot as a stream, and predict contacts
    Watch(WatchArgs),
    /// Check a built-in example: an arm in a plant of pipes
    Example(ExampleArgs),
}

#[derive(Debug, Args)]
#[command(override_usage = help::CHECK_USAGE, after_help = help::CHECK)]
#[command(group = ArgGroup::new("motion").args(["to", "motions", "problems"]).conflicts_with("trajectory"))]
pub struct CheckArgs {
    /// Robots (URDF), skeletons with recorded motion (BVH), or a case file (JSON)
    #[arg(value_name = "ROBOT.urdf|DANCER.bvh|CASE.json", required_unless_present_any = ["moving", "robots", "bodies"])]
    pub input: Vec<PathBuf>,

    /// Start of the motion: comma-separated values for all moving joints in order, or joint=value for some of them, or @NAME for
    /// a group state of the SRDF, optionally followed by joint=value. Joints that are not named take their value from --state, or
    /// zero. Radians and metres, or with a unit: 90deg, 5mm. For a body: X,Y,Z[,R,P,Y]. Repeatable, prefixed with NAME: where
    /// several robots or bodies move; a robot or body without --to is static at this position
    #[arg(long, value_name = "[NAME:]Q,…", value_parser = end, allow_hyphen_values = true)]
    pub from: Vec<EndArg>,
    /// End of the motion; joints that are not named keep their start value
    #[arg(long, value_name = "[NAME:]Q,…", value_parser = end, allow_hyphen_values = true)]
    pub to: Vec<EndArg>,
    /// Motions, one JSON object per line; - for standard input
    #[arg(long, value_name = "FILE.jsonl")]
    pub motions: Option<PathBuf>,
    /// Waypoints: a table with a header of joint names and an optional column `time`; - for standard input; repeatable with NAME=
    /// where several robots move
    #[arg(long, value_name = "[NAME=]FILE.csv")]
    pub trajectory: Vec<String>,
    /// Planning problems (MoveIt scene and request), one JSON object per line; - for standard input
    #[arg(long, value_name = "FILE.jsonl")]
    pub problems: Option<PathBuf>,

    /// A free rigid body that moves, instead of a robot
    #[arg(long, value_name = "MESH", conflicts_with_all = ["input", "trajectory", "problems"])]
    pub moving: Option<PathBuf>,
    /// A static obstacle for --moving (the same as --obstacle)
    #[arg(long, value_name = "MESH", requires = "moving")]
    pub fixed: Vec<PathBuf>,

    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub search: SearchArgs,
}

/// Options of the search and of the output.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Query and output")]
pub struct SearchArgs {
    /// Distance that counts as contact: metres, or with a unit, 5mm [default: 0]
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_hyphen_values = true)]
    pub margin: Option<f64>,
    /// Distance within which a contact may be reported although it is not proven [default: 1nm]
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_hyphen_values = true)]
    pub tolerance: Option<f64>,
    /// Maximum width of the bracket around the first contact, as a fraction of the motion [default: 1e-9]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub time_tolerance: Option<f64>,
    /// Work limit per motion; beyond it the verdict is undecided, with the time up to which the motion is proven free [default:
    /// 200000000]
    #[arg(long, value_name = "N", value_parser = count)]
    pub max_work: Option<u64>,
    /// Treat closed meshes as shells: a part inside one is not in contact [default: solids]
    #[arg(long)]
    pub surfaces: bool,
    /// Treat closed meshes as solids (the default)
    #[arg(long, hide = true, conflicts_with = "surfaces")]
    pub solid: bool,
    /// Find the first contact (the default)
    #[arg(long)]
    pub first: bool,
    /// Print all pairs of features in contact at the first contact, with point and normal
    #[arg(long, conflicts_with = "any")]
    pub all: bool,

    /// Report all link poses at the first contact: `links` in the JSON
    #[arg(long, conflicts_with = "any")]
    pub poses: bool,

    /// Report only whether the motion is free: stop at any certified contact (fastest)
    #[arg(long, conflicts_with = "first")]
    pub any: bool,
    /// Print the certified minimum distance over each motion, to within this width [default: 1um]
    #[arg(long, value_name = "LENGTH", num_args = 0..=1, require_equals = true, default_missing_value = "1e-6", value_parser = width)]
    pub clearance: Option<f64>,
    /// Write a certificate for every free motion; `impinge verify` verifies it
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Stages to run: 1 boxes of whole links, 2 swept capsules, 3 exact search, which always runs [default: automatic: 3, or 1,3
    /// where many pairs of parts are checked]
    #[arg(long, value_name = "1,2,3", value_parser = stages)]
    pub stages: Option<Stages>,
    /// Bound of link motion over a time interval: a tube around a straight motion, or interval matrices (the reference, slower)
    #[arg(long, value_name = "BOUND", value_enum, default_value = "tube")]
    pub bound: BoundName,
    /// Search algorithm; verdicts are the same, speed differs. `sweep` sweeps boxes against static parts (general), `boxes`
    /// compares two meshes by OBBs, `hulls` by convex hulls
    #[arg(long, value_name = "ENGINE", value_enum, default_value = "auto")]
    pub engine: EngineName,
    /// Report the counters of each stage: pairs of parts in and out, boxes, equations, intervals, time
    #[arg(long)]
    pub report: bool,
    /// Print one JSON object per motion and line
    #[arg(long)]
    pub json: bool,
    /// Repeat a warning for every motion, instead of once with the number of motions
    #[arg(long)]
    pub every_warning: bool,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

/// Names of [`Bound`] values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BoundName {
    #[default]
    Tube,
    Interval,
}

impl From<BoundName> for Bound {
    fn from(name: BoundName) -> Self {
        match name {
            BoundName::Tube => Bound::Tube,
            BoundName::Interval => Bound::Interval,
        }
    }
}

/// Names of [`Engine`] values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    #[default]
    Auto,
    Sweep,
    Boxes,
    Hulls,
}

impl From<EngineName> for Engine {
    fn from(name: EngineName) -> Self {
        match name {
            EngineName::Auto => Engine::Auto,
            EngineName::Sweep => Engine::Sweep,
            EngineName::Boxes => Engine::Boxes,
            EngineName::Hulls => Engine::Hulls,
        }
    }
}

/// The robot's environment and the pairs to check.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scene")]
pub struct ModelArgs {
    /// SRDF file: pairs of links that are not checked, and group states for --from @NAME; repeatable with NAME= where there are
    /// several robots
    #[arg(long, value_name = "[NAME=]FILE")]
    pub srdf: Vec<String>,
    /// Obstacles: an impinge scene, a MoveIt planning scene (JSON), a URDF or a mesh; repeatable
    #[arg(long, value_name = "FILE")]
    pub scene: Vec<PathBuf>,
    /// An obstacle from a mesh (stl, obj, dae, ply, off, gltf, glb) at the origin; repeatable
    #[arg(long, value_name = "MESH")]
    pub obstacle: Vec<PathBuf>,
    /// Exclude a pair of parts; repeatable
    #[arg(long, value_name = "A,B", value_parser = pair)]
    pub ignore: Vec<(String, String)>,
    /// Do not check the robot for self-collision
    #[arg(long)]
    pub no_self: bool,
    /// The robot's name in the output [default: the URDF's]
    #[arg(long, value_name = "NAME", conflicts_with = "robots")]
    pub robot_name: Option<String>,
    #[command(flatten)]
    pub movers: MoverArgs,
    #[command(flatten)]
    pub files: FileArgs,
}

impl CheckArgs {
    /// Returns all input files.
    pub fn files(&self) -> Vec<PathBuf> {
        let alone = self.input.iter().chain(&self.moving).chain(&self.fixed).chain(&self.motions).chain(&self.problems).cloned();
        alone.chain(self.trajectory.iter().flat_map(|text| named(text))).chain(self.model.files()).collect()
    }
}

impl ModelArgs {
    /// Returns all input files.
    pub fn files(&self) -> Vec<PathBuf> {
        let movers = &self.movers;
        let alone = self.scene.iter().chain(&self.obstacle);
        let of_movers =
            movers.robots.iter().chain(&movers.bodies).map(|(_, file)| file).chain(movers.attach.iter().map(|a| &a.mesh));
        let texts = self.srdf.iter().chain(&movers.state).flat_map(|text| named(text));
        alone.chain(of_movers).cloned().chain(texts).collect()
    }

    /// Returns the first argument that describes a scene, or the files of its models.
    pub fn surroundings(&self) -> Option<&'static str> {
        let given = [
            (!self.scene.is_empty(), "--scene"),
            (!self.obstacle.is_empty(), "--obstacle"),
            (!self.srdf.is_empty(), "--srdf"),
            (!self.ignore.is_empty(), "--ignore"),
            (self.no_self, "--no-self"),
            (self.robot_name.is_some(), "--robot-name"),
            (!self.movers.base.is_empty(), "--base"),
            (!self.movers.attach.is_empty(), "--attach"),
            (!self.movers.state.is_empty(), "--state"),
            (!self.files.package_path.is_empty(), "--package-path"),
            (self.files.allow_outside, "--allow-outside"),
            (self.files.lenient, "--lenient"),
            (self.files.up_axis.is_some(), "--up-axis"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, flag)| flag).or(self.movers.of_skeletons())
    }
}

/// Options of file lookup and file formats.
#[derive(Debug, Args)]
pub struct FileArgs {
    /// A ROS package folder, or a folder of packages, for package:// references; repeatable
    #[arg(long, value_name = "DIR")]
    pub package_path: Vec<PathBuf>,
    /// Allow a model to refer to files outside its folder
    #[arg(long)]
    pub allow_outside: bool,
    /// Report common mistakes in URDF files that lose no geometry as warnings: reversed limits, a mimic of a joint that does not
    /// exist, a second axis, four factors in a scale
    #[arg(long)]
    pub lenient: bool,
    /// Treatment of meshes (dae, gltf, glb) of a URDF whose up axis is not Z: `stored` keeps them, `z` rotates them so that Z is
    /// up [default: stored]
    #[arg(long, value_name = "AXIS", value_parser = crate::mover_args::up_axis)]
    pub up_axis: Option<impinge_io::UpAxis>,
}

#[derive(Debug, Args)]
#[command(after_help = help::PAIRS)]
pub struct PairsArgs {
    /// Robots (URDF) and skeletons (BVH)
    #[arg(value_name = "ROBOT.urdf", required_unless_present_any = ["robots", "bodies"])]
    pub input: Vec<PathBuf>,
    #[command(flatten)]
    pub model: ModelArgs,
    /// List only checked pairs, and count the others
    #[arg(long)]
    pub checked: bool,
    /// Print one JSON object with counts and pairs
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = help::CASES)]
pub struct CasesArgs {
    /// One case, or {"cases": […]}
    #[arg(value_name = "FILE.json")]
    pub file: PathBuf,
    /// Print one JSON object per case and line
    #[arg(long)]
    pub json: bool,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub files: FileArgs,
}

#[derive(Debug, Args)]
#[command(after_help = help::QUERIES)]
pub struct QueriesArgs {
    /// Files of queries, or folders of such files
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Print one JSON object per file and line
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = help::VERIFY)]
pub struct VerifyArgs {
    /// A file written by `impinge check --certificate`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Print one JSON object per motion and line
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = help::EXAMPLE)]
pub struct ExampleArgs {
    /// Write the example's files into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON object per motion and line
    #[arg(long)]
    pub json: bool,
}

fn width(text: &str) -> Result<f64, String> {
    match length(text)? {
        width if width > 0.0 => Ok(width),
        _ => Err("write a positive number of metres, or one with a unit".into()),
    }
}

/// Parses a whole number, also as `1e6`.
pub fn count(text: &str) -> Result<u64, String> {
    let wrong = || "write a whole number, such as 1000000 or 1e6".to_owned();
    let whole = |x: &f64| *x >= 0.0 && *x <= MOST_EXACT && x.fract() == 0.0;
    text.parse::<u64>().or_else(|_| text.parse::<f64>().ok().filter(whole).map(|x| x as u64).ok_or_else(wrong))
}

/// Largest power of two below which `f64` represents every whole number.
const MOST_EXACT: f64 = (1u64 << 53) as f64;

fn stages(text: &str) -> Result<Stages, String> {
    let mut on = [false; 3];
    for part in text.split(',') {
        match part.trim() {
            "1" => on[0] = true,
            "2" => on[1] = true,
            "3" => on[2] = true,
            other => return Err(format!("'{other}' is not a stage; stages are 1, 2 and 3")),
        }
    }
    if !on[2] {
        return Err("stage 3 is required; write 3, 1,3, 2,3 or 1,2,3".into());
    }
    Ok(Stages { boxes: on[0], sweeps: on[1] })
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split(',').map(str::trim).collect::<Vec<_>>()[..] {
        [a, b] if a == b => Err(format!("'{a}' is named twice; a pair has two different names")),
        [a, b] if !a.is_empty() && !b.is_empty() => Ok((a.into(), b.into())),
        _ => Err("write two names separated by a comma: a,b".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_makes_sense() {
        Cli::command().debug_assert();
    }

    #[test]
    fn work_is_a_whole_number() {
        assert_eq!((count("1000"), count("1e3"), count("2.5e1")), (Ok(1000), Ok(1000), Ok(25)));
        assert_eq!(count("18446744073709551615"), Ok(u64::MAX));
        assert!(["-1", "1.5", "1e17", "inf", "nan", "x", ""].iter().all(|text| count(text).is_err()));
    }

    #[test]
    fn stages_and_pairs() {
        assert_eq!(stages("3,1"), Ok(Stages { boxes: true, sweeps: false }));
        assert_eq!(stages("1, 2, 3"), Ok(Stages { boxes: true, sweeps: true }));
        assert!(stages("1,2").is_err() && stages("4").is_err() && stages("").is_err());
        assert_eq!(pair("a, b"), Ok(("a".into(), "b".into())));
        assert!(pair("a,a").is_err() && pair("a").is_err() && pair("a,b,c").is_err() && pair("a,").is_err());
    }
}
