//! `impinge watch`: reads stamped poses of a tool, or joint values of a robot, and prints a forecast for each.

mod arm;
mod tool;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Arg, Args, ValueEnum};
use impinge::deform::{Planes, ToolPath};
use impinge::predict::{Forecast, Horizons, Level, ModelOptions};
use impinge_io::Place;
use impinge_io::mesh::Format;
use impinge_io::quantity::length;
use serde_json::{Map, Value, json};

use crate::ERROR;
use crate::args::ModelArgs;
use crate::help;
use crate::input::{lines, open, shown};
use crate::movers::is_robot;
use crate::plain;

#[derive(Debug, Args)]
#[command(after_help = help::WATCH, mut_args(of_arms))]
pub struct WatchArgs {
    /// The tool, a mesh in its own frame; or, with --joints, the robot
    #[arg(value_name = "TOOL|ROBOT.urdf")]
    watched: PathBuf,
    /// Bodies that are checked against the tool, in the world frame; repeatable
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "joints")]
    body: Vec<PathBuf>,
    /// Poses of the tool, one JSON object per line; - for standard input
    #[arg(long, value_name = "FILE.jsonl", conflicts_with = "joints")]
    poses: Option<PathBuf>,
    /// Joint values of the robot, one JSON object or one table row per line; - for standard input
    #[arg(long, value_name = "FILE.jsonl|csv")]
    joints: Option<PathBuf>,
    /// Distance that counts as contact: metres, or with a unit, 5mm
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = length, allow_hyphen_values = true)]
    margin: f64,
    /// Maximum deviation of a curved path from a straight one for contacts to be reported [default: 1e-3 of the tool's size;
    /// 0.1mm for a robot]
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// Motion of the tool between two poses: as a rigid body, or every vertex along a straight line (a rotating tool then shrinks
    /// during the step, so contacts outside these lines are not found)
    #[arg(long, value_name = "PATH", value_enum, default_value = "rigid", conflicts_with = "joints")]
    path: PathName,
    /// Bound of the tool's swept volume: a box, a box and clipping planes, or these and boxes of parts of the tool. Verdicts are
    /// the same, speed differs
    #[arg(long, value_name = "PLANES", value_enum, default_value = "clipped", conflicts_with = "joints")]
    planes: PlanesName,
    /// Axes of the world frame that the process holds, so that the prediction keeps the tool there: of x, y, z, rx, ry, rz
    #[arg(long, value_name = "AXIS,…", value_enum, value_delimiter = ',', conflicts_with = "joints")]
    hold: Vec<Axis>,
    /// Order of the polynomials for extrapolation
    #[arg(long, allow_hyphen_values = true, value_name = "N", default_value_t = ModelOptions::default().order)]
    order: usize,
    /// Observation period, seconds: older samples lose weight
    #[arg(long, allow_hyphen_values = true, value_name = "S", default_value_t = ModelOptions::default().period)]
    period: f64,
    /// Reflex horizon, seconds
    #[arg(long, allow_hyphen_values = true, value_name = "S", default_value_t = Horizons::default().reflex)]
    reflex: f64,
    /// Number of steps up to the reflex horizon; each is halved where curvature leaves a contact undecided
    #[arg(long, allow_hyphen_values = true, value_name = "N", default_value_t = Horizons::default().reflex_steps)]
    reflex_steps: u32,
    /// Considered horizon, seconds
    #[arg(long, allow_hyphen_values = true, value_name = "S", default_value_t = Horizons::default().considered)]
    considered: f64,
    /// Number of steps from the reflex horizon to the considered horizon
    #[arg(long, allow_hyphen_values = true, value_name = "N", default_value_t = Horizons::default().considered_steps)]
    considered_steps: u32,
    /// Time limit per answer, milliseconds; `reached` and `cut_short` report an incomplete search [default: no limit]
    #[arg(long, allow_hyphen_values = true, value_name = "MS")]
    budget: Option<f64>,
    #[command(flatten)]
    model: ModelArgs,
}

/// Arguments for both tools and robots. All other flattened arguments describe a robot and its environment.
const SHARED: &[&str] = &[
    "watched",
    "body",
    "poses",
    "joints",
    "margin",
    "tolerance",
    "path",
    "planes",
    "hold",
    "order",
    "period",
    "reflex",
    "reflex_steps",
    "considered",
    "considered_steps",
    "budget",
];

fn of_arms(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        // A moving body has no joints; its flag has another meaning for tools.
        "bodies" => arg.long("moving-body").hide(true).conflicts_with("poses"),
        id if SHARED.contains(&id) => arg,
        _ => arg.conflicts_with("poses"),
    }
}

/// Names of path types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PathName {
    Rigid,
    Lines,
}

impl From<PathName> for ToolPath {
    fn from(name: PathName) -> Self {
        match name {
            PathName::Rigid => ToolPath::Rigid,
            PathName::Lines => ToolPath::Lines,
        }
    }
}

/// Names of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PlanesName {
    Box,
    Clipped,
    Clusters,
}

impl From<PlanesName> for Planes {
    fn from(name: PlanesName) -> Self {
        match name {
            PlanesName::Box => Planes::Box,
            PlanesName::Clipped => Planes::Clipped,
            PlanesName::Clusters => Planes::Clusters,
        }
    }
}

/// Names of degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Axis {
    X,
    Y,
    Z,
    Rx,
    Ry,
    Rz,
}

impl WatchArgs {
    fn model(&self) -> ModelOptions {
        ModelOptions { order: self.order, period: self.period }
    }

    fn horizons(&self) -> Horizons {
        let WatchArgs { reflex, reflex_steps, considered, considered_steps, .. } = *self;
        Horizons { reflex, reflex_steps, considered, considered_steps }
    }

    fn held(&self) -> [bool; 6] {
        [Axis::X, Axis::Y, Axis::Z, Axis::Rx, Axis::Ry, Axis::Rz].map(|axis| self.hold.contains(&axis))
    }

    /// Returns the time limit of an answer, seconds.
    fn seconds(&self) -> f64 {
        self.budget.map_or(f64::INFINITY, |ms| ms / 1e3)
    }
}

/// Runs the command; returns the exit code.
///
/// # Errors
/// If a file is refused, an option is out of range, or the output cannot be written.
pub fn run(args: &WatchArgs) -> Result<u8> {
    if let Some(ms) = args.budget.filter(|ms| !(*ms >= 0.0)) {
        bail!("--budget: {ms} is not a number of milliseconds");
    }
    let watched = args.watched.display();
    match (&args.joints, &args.poses) {
        (Some(_), _) if Format::of(&args.watched).is_some() => {
            bail!("{watched}: this is a mesh, but --joints requires a robot (URDF); give the poses of a tool with --poses")
        }
        (Some(joints), _) => arm::run(args, joints),
        (None, _) if is_robot(&args.watched) => bail!("{watched}: this is a robot; give its joint values with --joints FILE"),
        (None, None) => bail!("give the poses of a tool with --poses FILE, or the joint values of a robot with --joints FILE"),
        (None, Some(_)) if args.body.is_empty() => bail!("no body to check the tool against; add --body FILE"),
        (None, Some(poses)) => tool::run(args, poses),
    }
}

/// The verdict of the step before a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Free,
    Touched,
    Undecided,
}

impl Step {
    /// `contact`: a contact is known.
    fn of(forecast: &Forecast, contact: bool) -> Step {
        match (forecast.level, forecast.present_known) {
            (Level::Now, _) if contact => Step::Touched,
            (Level::Now, _) | (_, false) => Step::Undecided,
            _ => Step::Free,
        }
    }
}

/// Answers each line of a source by one line, immediately; returns the exit code. A header line has no answer.
fn each_line(source: &Path, mut answer: impl FnMut(&[u8], &Place) -> Result<Option<(Value, Step)>>) -> Result<u8> {
    let (mut none, mut refused, mut touched, mut undecided) = (true, false, false, false);
    for (at, line) in lines(source, open(source)?) {
        none = false;
        let reply = match line.map_err(anyhow::Error::from).and_then(|line| answer(&line, &at)) {
            Ok(None) => continue,
            Ok(Some((reply, step))) => {
                touched |= step == Step::Touched;
                undecided |= step == Step::Undecided;
                reply
            }
            Err(error) => {
                let message = error.to_string();
                // The reader of stderr may be gone.
                let _ = writeln!(std::io::stderr(), "error: {}", plain::shown(&message));
                refused = true;
                json!({"error": message})
            }
        };
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(plain::json(&reply)?.as_bytes())?;
        stdout.flush()?;
    }
    if none {
        bail!("{}: there are no lines to watch", shown(source).display());
    }
    Ok(match (refused, touched, undecided) {
        (true, ..) => ERROR,
        (_, true, _) => 1,
        (.., true) => 3,
        _ => 0,
    })
}

/// Returns the JSON of a forecast, with its contacts in between.
fn report(time: f64, forecast: &Forecast, touching: Value, contact: bool, micros: u64) -> Value {
    let level = match forecast.level {
        Level::None => "none",
        Level::Considered => "considered",
        Level::Reflex => "reflex",
        Level::Now => "now",
    };
    let first = json!({
        "t": time,
        "level": level,
        "ahead": forecast.ahead,
        "uncertainty": forecast.uncertainty.filter(|u| u.is_finite()),
    });
    let last = json!({
        "undecided": !forecast.present_known || (forecast.level != Level::None && !contact),
        "reached": forecast.reached,
        "cut_short": forecast.cut_short,
        "micros": micros,
    });
    let fields = [first, touching, last].into_iter().filter_map(|part| match part {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    Value::Object(fields.flatten().collect::<Map<_, _>>())
}
