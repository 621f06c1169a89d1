//! What can be asked for on the command line.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use impinge::query::{Bound, Engine, Stages};
use impinge_io::JointValues;

use crate::distance::DistanceArgs;
use crate::mover_args::{EndArg, MoverArgs, end, joint_values};
use crate::step::StepArgs;
use crate::watch::WatchArgs;
use crate::witnesses::WitnessesArgs;

/// Does a motion touch anything? A proof for the whole motion, or the first contact.
///
/// The answer goes to standard output, everything else to standard error.
/// Exit code: 0 all motions are free, 1 some motion touches, 2 error, 3 undecided.
#[derive(Debug, Parser)]
#[command(name = "impinge", version, propagate_version = true, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  impinge example                                             see it work, no files needed
  impinge check arm.urdf --obstacle table.stl --from 0,0,0 --to 1,0.5,-0.2
  impinge check arm.urdf --scene cell.json --trajectory path.csv --margin 0.005
  impinge check one.bvh other.bvh                             when do two dancers first touch?
  impinge clearance arm.urdf --scene cell.json --trajectory path.csv    how near does it come?
  impinge pairs arm.urdf --srdf arm.srdf                      what is checked, and why not the rest
  impinge cases regression.json                               cases with expected answers, graded
  impinge queries ccd-queries                                 vertex/face and edge/edge tests, compared and timed
  impinge verify proofs.jsonl                                 re-check what check --certificate wrote
  impinge swept arm.urdf --from 0,0,0 --to 1,0.5,-0.2 --out swept.stl   the space that a motion takes up
  impinge distance gear.obj plate.obj --pose-a 0,0,1.05       how far apart; --sweep-a 0,0,-1: on its way
  impinge witnesses --moving gear.obj --fixed plate.obj --motions drop.jsonl --margin 0.001 --times
  impinge step cloth0.obj cloth1.obj                          deforming bodies from one instant to the next
  impinge watch tool.stl --body part.obj --poses -            contacts ahead of a tool in somebody's hand
  impinge watch arm.urdf --scene cell.json --joints -         contacts ahead of a robot";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check motions of robots, of rigid bodies, of skeletons, or of a case file
    Check(Box<CheckArgs>),
    /// Tell how near things come during motions: the smallest distance, between certified bounds
    #[command(override_usage = CLEARANCE_USAGE, after_help = CLEARANCE_EXAMPLES)]
    Clearance(Box<CheckArgs>),
    /// List which pairs of parts are checked, and why the others are not
    Pairs(PairsArgs),
    /// Grade the cases of a file against the answers they expect
    Cases(CasesArgs),
    /// Run vertex/face and edge/edge queries, compare with known answers, and measure
    Queries(QueriesArgs),
    /// Re-check certificates of freedom, independently of what wrote them
    Verify(VerifyArgs),
    /// Write the volumes that the links of a robot sweep, as meshes
    Swept(SweptArgs),
    /// Tell how far bodies, or the parts of a scene, are apart: at rest, swept or turned
    Distance(Box<DistanceArgs>),
    /// List all pairs of triangles that touch during motions, and when
    Witnesses(Box<WitnessesArgs>),
    /// Check a step of deforming bodies, every vertex on a straight line
    Step(StepArgs),
    /// Read poses of a tool, or joint values of a robot, as they come, and report contacts ahead
    Watch(WatchArgs),
    /// Check a built-in example: an arm in a plant of pipes
    Example(ExampleArgs),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  One motion, joint values in the order of the moving joints or by name:
    impinge check arm.urdf --srdf arm.srdf --obstacle table.stl --from 0,-0.8,1.2 --to elbow=0.5
  Many motions, one JSON object per line {\"id\": …, \"q0\": […], \"q1\": […]}; - reads standard input:
    impinge check arm.urdf --scene cell.json --motions edges.jsonl --json
    planner | impinge check arm.urdf --scene cell.json --motions - --any --json
  A trajectory, a table with a header of joint names (and time, if you like):
    impinge check arm.urdf --scene cell.json --trajectory path.csv --margin 0.005
  A rigid body, {\"id\": …, \"start\": {\"p\": […], \"q\": [w,x,y,z]}, \"v\": […], \"w\": […]} or with \"end\":
    impinge check --moving gear.obj --fixed plate.obj --motions motions.jsonl
  Several robots on one clock, each with a base, an SRDF and a motion; who has only --from rests there:
    impinge check --robot left=arm.urdf --robot right=arm.urdf --base right=1,0,0,0,0,3.14159 \\
      --srdf left=arm.srdf --srdf right=arm.srdf --from left:0,0,0 --to left:1,0.5,0 --from right:0,0,0
    … --motions moves.jsonl   {\"id\": …, \"robots\": {\"left\": {\"q0\": […], \"q1\": […]}}, \"bodies\": {\"NAME\": {\"start\": …}}}
  A robot on a moving base, a moving obstacle (its --from and --to are poses), a part in the gripper:
    impinge check --robot cart=cart.urdf --robot arm=arm.urdf --base arm=cart/deck@0,0,0.3 --body box=box.stl \\
      --attach gripper=part.stl@0,0,0.1 --touch finger_left,finger_right --motions moves.jsonl
  Motion capture: the first contact between two dancers, every step between two frames proven:
    impinge check one.bvh other.bvh --bvh-scale 0.056
  A case file: scene, motion, options and the expected answer in one:
    impinge check puzzle.case.json
  MotionBenchMaker problems, the straight line from start to goal of each:
    impinge check panda.urdf --srdf panda.srdf --problems bookshelf.jsonl

Exit code: 0 all motions are free, 1 some motion touches, 2 error, 3 undecided, 130 interrupted\n(with Ctrl-C, what was answered is written whole, a single motion as undecided; a second one stops at once).";

const CLEARANCE_USAGE: &str = "\
impinge clearance ROBOT.urdf [OPTIONS] (--from Q,… --to Q,… | --motions FILE | --trajectory FILE)
       impinge clearance --moving MESH --fixed MESH [OPTIONS] --motions FILE
       whatever `impinge check` takes";

const CLEARANCE_EXAMPLES: &str = "\
Examples:
  impinge clearance arm.urdf --srdf arm.srdf --obstacle table.stl --from 0,-0.8,1.2 --to 1,0.3,0.5
  impinge clearance arm.urdf --scene cell.json --trajectory path.csv --clearance=1e-4 --json
  impinge clearance --moving gear.obj --fixed plate.obj --motions motions.jsonl

The same as `impinge check --any --clearance`. At no instant is any checked pair nearer than `at_least`: a
proof; at the time that is told, the pair that is named is no farther apart than `at_most`.

Exit code: 0 all motions are free, 1 some motion touches, 2 error, 3 undecided.";

const CHECK_USAGE: &str = "\
impinge check ROBOT.urdf [OPTIONS] (--from Q,… --to Q,… | --motions FILE | --trajectory FILE | --problems FILE)
       impinge check DANCER.bvh OTHER.bvh [OPTIONS]
       impinge check --robot NAME=FILE --robot NAME=FILE [OPTIONS] (--from NAME:Q,… --to NAME:Q,… | --motions FILE | …)
       impinge check --moving MESH --fixed MESH [OPTIONS] --motions FILE
       impinge check CASE.json [OPTIONS]";

#[derive(Debug, Args)]
#[command(override_usage = CHECK_USAGE, after_help = CHECK_EXAMPLES)]
#[command(group = ArgGroup::new("motion").args(["to", "motions", "problems"]).conflicts_with("trajectory"))]
pub struct CheckArgs {
    /// Robots (URDF), skeletons with their motion (BVH), or a case file (JSON)
    #[arg(value_name = "ROBOT.urdf|DANCER.bvh|CASE.json", required_unless_present_any = ["moving", "robots", "bodies"])]
    pub input: Vec<PathBuf>,

    /// Where the motion begins: values separated by commas, in the order of the moving joints or as joint=value; repeatable with NAME:
    /// in front, where several things move. For a body: X,Y,Z[,R,P,Y]. What has no motion rests here
    #[arg(long, value_name = "[NAME:]Q,…", value_parser = end, allow_hyphen_values = true)]
    pub from: Vec<EndArg>,
    /// Where it ends; joints that are not named stay where they are
    #[arg(long, value_name = "[NAME:]Q,…", value_parser = end, allow_hyphen_values = true, requires = "from")]
    pub to: Vec<EndArg>,
    /// Motions, one JSON object per line; - for standard input
    #[arg(long, value_name = "FILE.jsonl")]
    pub motions: Option<PathBuf>,
    /// Waypoints: a table with a header of joint names and, if you like, a column `time`; repeatable with NAME= where several robots move
    #[arg(long, value_name = "[NAME=]FILE.csv")]
    pub trajectory: Vec<String>,
    /// Planning problems (MoveIt scene and request), one JSON object per line; - for standard input
    #[arg(long, value_name = "FILE.jsonl")]
    pub problems: Option<PathBuf>,

    /// A rigid body that moves freely, instead of a robot
    #[arg(long, value_name = "MESH", conflicts_with_all = ["input", "trajectory", "problems"])]
    pub moving: Option<PathBuf>,
    /// What it may touch (the same as --obstacle)
    #[arg(long, value_name = "MESH", requires = "moving")]
    pub fixed: Vec<PathBuf>,

    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub ask: AskArgs,
}

/// How it is asked, and how the answer is shown.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Question and answer")]
pub struct AskArgs {
    /// Distance, metres, that counts as contact [default: 0]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub margin: Option<f64>,
    /// Distance, metres, within which contact may be reported though it cannot be proven [default: 1e-9]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub tolerance: Option<f64>,
    /// Wanted width of the bracket around the first contact, as a share of the motion [default: 1e-9]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub time_tolerance: Option<f64>,
    /// Give a motion up as undecided after so much work, and tell until when it is free [default: 200000000]
    #[arg(long, value_name = "N")]
    pub max_work: Option<u64>,
    /// Closed meshes are filled: being inside is contact
    #[arg(long)]
    pub solid: bool,
    /// Find the first contact (the default)
    #[arg(long)]
    pub first: bool,
    /// Tell everything that touches at the first contact: every pair of features, with point and normal
    #[arg(long, conflicts_with = "any")]
    pub all: bool,

    /// Tell where every link is when the first contact begins: `links` in the JSON
    #[arg(long, conflicts_with = "any")]
    pub poses: bool,

    /// Only free or not: stop at any certified contact, fastest
    #[arg(long, conflicts_with = "first")]
    pub any: bool,
    /// Tell the smallest distance over each motion, proven, to within M metres [default: 1e-6]
    #[arg(long, value_name = "M", num_args = 0..=1, require_equals = true, default_missing_value = "1e-6", value_parser = width)]
    pub clearance: Option<f64>,
    /// Write for every motion that is free what its proof rests on; `impinge verify` re-checks it
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Which stages run: 1 boxes of whole links, 2 swept capsules, 3 the exact search, which always runs [default: what pays: 3, or 1,3
    /// where many pairs of parts are checked]
    #[arg(long, value_name = "1,2,3", value_parser = stages)]
    pub stages: Option<Stages>,
    /// How it is bounded where links can be: by a tube around a straight motion, or by interval matrices (the reference, slower)
    #[arg(long, value_name = "BOUND", value_enum, default_value = "tube")]
    pub bound: BoundName,
    /// Which search answers: the same answers, in different times. Boxes are swept against what rests (for everything), or two meshes
    /// are compared by oriented boxes, by hulls, or by hulls from the front of the last question
    #[arg(long, value_name = "ENGINE", value_enum, default_value = "auto")]
    pub engine: EngineName,
    /// Tell what each stage did: pairs of parts in and out, boxes, equations, intervals, time
    #[arg(long)]
    pub report: bool,
    /// One JSON object per motion and line
    #[arg(long)]
    pub json: bool,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

/// A bound, by name.
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

/// An engine, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    #[default]
    Auto,
    Sweep,
    Boxes,
    Hulls,
    Front,
}

impl From<EngineName> for Engine {
    fn from(name: EngineName) -> Self {
        match name {
            EngineName::Auto => Engine::Auto,
            EngineName::Sweep => Engine::Sweep,
            EngineName::Boxes => Engine::Boxes,
            EngineName::Hulls => Engine::Hulls,
            EngineName::Front => Engine::Front,
        }
    }
}

/// The robot's surroundings and who may meet whom.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scene")]
pub struct ModelArgs {
    /// Pairs of links that need not be checked; repeatable with NAME= where there are several robots
    #[arg(long, value_name = "[NAME=]FILE")]
    pub srdf: Vec<String>,
    /// Obstacles: an impinge scene, a MoveIt planning scene (JSON), a URDF or a mesh; repeatable
    #[arg(long, value_name = "FILE")]
    pub scene: Vec<PathBuf>,
    /// An obstacle from a mesh (stl, obj, dae, ply, off) at the origin; repeatable
    #[arg(long, value_name = "MESH")]
    pub obstacle: Vec<PathBuf>,
    /// Leave a pair of parts out; repeatable
    #[arg(long, value_name = "A,B", value_parser = pair)]
    pub ignore: Vec<(String, String)>,
    /// Do not check the robot's links against each other
    #[arg(long)]
    pub no_self: bool,
    /// The robot's name in the answer [default: the URDF's]
    #[arg(long, value_name = "NAME", conflicts_with = "robots")]
    pub robot_name: Option<String>,
    #[command(flatten)]
    pub movers: MoverArgs,
    #[command(flatten)]
    pub files: FileArgs,
}

/// Where files may be.
#[derive(Debug, Args)]
pub struct FileArgs {
    /// A folder that is or holds a ROS package, for package:// references; repeatable
    #[arg(long, value_name = "DIR")]
    pub package_path: Vec<PathBuf>,
    /// Files that a model refers to may lie outside its folder
    #[arg(long)]
    pub allow_outside: bool,
}

const PAIRS_EXAMPLES: &str = "\
Examples:
  impinge pairs panda.urdf --srdf panda.srdf
  impinge pairs arm.urdf --scene cell.json --ignore gripper,table --json
  impinge pairs arm.urdf --attach gripper=cup.stl --touch finger_left,finger_right
  impinge pairs --robot left=arm.urdf --robot right=arm.urdf --base right=1,0,0";

#[derive(Debug, Args)]
#[command(after_help = PAIRS_EXAMPLES)]
pub struct PairsArgs {
    /// Robots (URDF) and skeletons (BVH)
    #[arg(value_name = "ROBOT.urdf", required_unless_present_any = ["robots", "bodies"])]
    pub input: Vec<PathBuf>,
    #[command(flatten)]
    pub model: ModelArgs,
    /// List only what is checked, and count the rest
    #[arg(long)]
    pub checked: bool,
    /// One JSON object with counts and pairs
    #[arg(long)]
    pub json: bool,
}

const CASES_EXAMPLES: &str = "\
Examples:
  impinge cases regression.json              a line per case that does not pass, and a summary
  impinge cases regression.json --json       a line per case: id, verdict, time, tolerance, seconds, message

Exit code: 0 all pass, 1 some answer is unsound, late or wrong, 2 something cannot be read,
3 all are sound, but some loose or conservative.";

#[derive(Debug, Args)]
#[command(after_help = CASES_EXAMPLES)]
pub struct CasesArgs {
    /// One case, or {\"cases\": […]}
    #[arg(value_name = "FILE.json")]
    pub file: PathBuf,
    /// One JSON object per case and line
    #[arg(long)]
    pub json: bool,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub files: FileArgs,
}

const QUERIES_EXAMPLES: &str = "\
Examples:
  impinge queries 227vf.csv 227ee.csv     tables; answers beside them in 227vf.gt.csv, …
  impinge queries ccd-queries --json      every file of queries in a folder and below
  impinge queries primitives.json         queries in JSON

A table has 8 rows per query: vertices v f0 f1 f2 or a0 a1 b0 b1 at t = 0, then at t = 1.
Columns: numerator and denominator of x, y, z and, if known, 0 or 1 for the expected answer.
The kind is told by a name that ends in vf.csv or ee.csv, or by a folder named vertex-face or
edge-edge. In JSON: {\"queries\": [{\"kind\": \"vf\" or \"ee\", \"vertices_t0\": […],
\"vertices_t1\": […], \"hit\": …, \"toc_lo\": …, \"toc_hi\": …}]}.
Times are microseconds on one thread, the best of three rounds.

Exit code: 0 no contact was missed, 1 some contact was missed, 2 something cannot be read.";

#[derive(Debug, Args)]
#[command(after_help = QUERIES_EXAMPLES)]
pub struct QueriesArgs {
    /// Files of queries, or folders of them
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// One JSON object per file and line
    #[arg(long)]
    pub json: bool,
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  impinge check arm.urdf --scene cell.json --trajectory path.csv --certificate proofs.jsonl
  impinge verify proofs.jsonl

Exit code: 0 every certificate proves what it claims, 1 some are refused, 2 something cannot be read.";

#[derive(Debug, Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub struct VerifyArgs {
    /// What `impinge check --certificate` wrote
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// One JSON object per motion and line
    #[arg(long)]
    pub json: bool,
}

const SWEPT_EXAMPLES: &str = "\
Examples:
  impinge swept arm.urdf --from 0,-0.8,1.2 --to 1,0.3,0.5 --out swept.stl
  impinge swept arm.urdf --from 0,0,0 --to elbow=0.5 --out swept.obj --error 0.001 --link forearm --link hand

Each link is taken as the capsule fitted around it. What is written holds everything that the capsule
passes through during the whole motion, and is at most twice the error larger. The surface is not
trimmed: pieces of it lie inside. OBJ has an object per link; PLY names links in comments; STL holds
all links in one, in single precision.";

#[derive(Debug, Args)]
#[command(after_help = SWEPT_EXAMPLES)]
pub struct SweptArgs {
    /// The robot
    #[arg(value_name = "ROBOT.urdf")]
    pub robot: PathBuf,
    /// Where the motion begins: values separated by commas, in the order of the moving joints or as joint=value
    #[arg(long, value_name = "Q,…", value_parser = joint_values, allow_hyphen_values = true)]
    pub from: JointValues,
    /// Where it ends; joints that are not named stay where they are
    #[arg(long, value_name = "Q,…", value_parser = joint_values, allow_hyphen_values = true)]
    pub to: JointValues,
    /// The file to write
    #[arg(long, value_name = "FILE.stl|obj|ply")]
    pub out: PathBuf,
    /// How far the surface may be from the swept capsules, metres; it is never inside, and never twice as far outside
    #[arg(long, value_name = "M", default_value_t = 0.005, allow_hyphen_values = true)]
    pub error: f64,
    /// Only this link; repeatable
    #[arg(long, value_name = "NAME")]
    pub link: Vec<String>,
    /// One JSON object per link and line
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub files: FileArgs,
}

const EXAMPLE_EXAMPLES: &str = "\
Examples:
  impinge example
  impinge example --out demo       also write its files: a robot, meshes and motions to start from";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLE_EXAMPLES)]
pub struct ExampleArgs {
    /// Write the example's files into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// One JSON object per motion and line
    #[arg(long)]
    pub json: bool,
}

fn width(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(width) if width > 0.0 && width.is_finite() => Ok(width),
        _ => Err("write a positive number of metres".into()),
    }
}

fn stages(text: &str) -> Result<Stages, String> {
    let mut on = [false; 3];
    for part in text.split(',') {
        match part.trim() {
            "1" => on[0] = true,
            "2" => on[1] = true,
            "3" => on[2] = true,
            other => return Err(format!("'{other}' is no stage; there are 1, 2 and 3")),
        }
    }
    if !on[2] {
        return Err("without stage 3 nothing is decided; write 3, 1,3, 2,3 or 1,2,3".into());
    }
    Ok(Stages { boxes: on[0], sweeps: on[1] })
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split(',').map(str::trim).collect::<Vec<_>>()[..] {
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
    fn stages_and_pairs() {
        assert_eq!(stages("3,1"), Ok(Stages { boxes: true, sweeps: false }));
        assert_eq!(stages("1, 2, 3"), Ok(Stages { boxes: true, sweeps: true }));
        assert!(stages("1,2").is_err() && stages("4").is_err() && stages("").is_err());
        assert_eq!(pair("a, b"), Ok(("a".into(), "b".into())));
        assert!(pair("a").is_err() && pair("a,b,c").is_err() && pair("a,").is_err());
    }
}
