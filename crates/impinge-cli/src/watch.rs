//! `impinge watch`: stamped poses of a tool, or joint values of a robot, in; a forecast for each out.

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
    /// What the tool may touch, in the world's frame; repeatable
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "joints")]
    body: Vec<PathBuf>,
    /// Poses of the tool, one JSON object per line; - for standard input
    #[arg(long, value_name = "FILE.jsonl", conflicts_with = "joints")]
    poses: Option<PathBuf>,
    /// Joint values of the robot, one JSON object or one row of a table per line; - for standard input
    #[arg(long, value_name = "FILE.jsonl|csv")]
    joints: Option<PathBuf>,
    /// Distance that counts as contact: metres, or with a unit, 5mm
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = length, allow_hyphen_values = true)]
    margin: f64,
    /// How far a piece of a bent path that is reported as a contact may be from a straight one [default: 1e-3 of the tool's size; 0.1mm for
    /// a robot]
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// How the tool moves from one pose to the next: as a rigid body, or every vertex along a straight line (a turning tool shrinks on
    /// its way, so that contacts outside of these lines are not found)
    #[arg(long, value_name = "PATH", value_enum, default_value = "rigid", conflicts_with = "joints")]
    path: PathName,
    /// What bounds the volume that the tool sweeps: a box, a box and clipping planes, or these and boxes of parts of the tool. The same
    /// answers, in different times
    #[arg(long, value_name = "PLANES", value_enum, default_value = "clipped", conflicts_with = "joints")]
    planes: PlanesName,
    /// Axes of the world that the process holds, so that the prediction leaves the tool where it is: of x, y, z, rx, ry, rz
    #[arg(long, value_name = "AXIS,…", value_enum, value_delimiter = ',', conflicts_with = "joints")]
    hold: Vec<Axis>,
    /// Order of the polynomials that motions are extrapolated by
    #[arg(long, allow_hyphen_values = true, value_name = "N", default_value_t = ModelOptions::default().order)]
    order: usize,
    /// Observation period, seconds: how fast samples are forgotten
    #[arg(long, allow_hyphen_values = true, value_name = "S", default_value_t = ModelOptions::default().period)]
    period: f64,
    /// The reflex horizon, seconds
    #[arg(long, allow_hyphen_values = true, value_name = "S", default_value_t = Horizons::default().reflex)]
    reflex: f64,
    /// Steps up to the reflex horizon; each is halved where its bend leaves a contact open
    #[arg(long, allow_hyphen_values = true, value_name = "N", default_value_t = Horizons::default().reflex_steps)]
    reflex_steps: u32,
    /// The considered horizon, seconds
    #[arg(long, allow_hyphen_values = true, value_name = "S", default_value_t = Horizons::default().considered)]
    considered: f64,
    /// Steps from the reflex horizon to the considered one
    #[arg(long, allow_hyphen_values = true, value_name = "N", default_value_t = Horizons::default().considered_steps)]
    considered_steps: u32,
    /// Milliseconds that an answer may take; what was not reached then is said [default: no limit]
    #[arg(long, allow_hyphen_values = true, value_name = "MS")]
    budget: Option<f64>,
    #[command(flatten)]
    model: ModelArgs,
}

/// Arguments for tools and robots alike. All others that come from elsewhere describe a robot and its surroundings.
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
        // A moving body has no joints; its name is taken by what a tool may touch.
        "bodies" => arg.long("moving-body").hide(true).conflicts_with("poses"),
        id if SHARED.contains(&id) => arg,
        _ => arg.conflicts_with("poses"),
    }
}

/// How a tool moves, by name.
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

/// What bounds a volume, by name.
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

/// A degree of freedom, by name.
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

    /// Seconds that an answer may take.
    fn seconds(&self) -> f64 {
        self.budget.map_or(f64::INFINITY, |ms| ms / 1e3)
    }
}

/// Runs the command; the exit code.
///
/// # Errors
/// If a file is refused, an option is out of range, or the answer cannot be written.
pub fn run(args: &WatchArgs) -> Result<u8> {
    if let Some(ms) = args.budget.filter(|ms| !(*ms >= 0.0)) {
        bail!("--budget: {ms} is not a number of milliseconds");
    }
    let watched = args.watched.display();
    match (&args.joints, &args.poses) {
        (Some(_), _) if Format::of(&args.watched).is_some() => {
            bail!("{watched}: it is a mesh, and --joints are values of a robot (URDF); give the poses of a tool with --poses")
        }
        (Some(joints), _) => arm::run(args, joints),
        (None, _) if is_robot(&args.watched) => bail!("{watched}: it is a robot; give its joint values with --joints FILE"),
        (None, None) => bail!("give the poses of a tool with --poses FILE, or the joint values of a robot with --joints FILE"),
        (None, Some(_)) if args.body.is_empty() => bail!("what may the tool touch? give it with --body FILE"),
        (None, Some(poses)) => tool::run(args, poses),
    }
}

/// What became of the step before a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Free,
    Touched,
    Undecided,
}

impl Step {
    /// `contact`: one is known.
    fn of(forecast: &Forecast, contact: bool) -> Step {
        match (forecast.level, forecast.present_known) {
            (Level::Now, _) if contact => Step::Touched,
            (Level::Now, _) | (_, false) => Step::Undecided,
            _ => Step::Free,
        }
    }
}

/// Answers each line of a source by one, at once; the exit code. A line that has no answer of its own, a header, gets none.
fn each_line(source: &Path, mut answer: impl FnMut(&[u8], &Place) -> Result<Option<(Value, Step)>>) -> Result<u8> {
    let (mut none, mut refused, mut touched, mut undecided) = (true, false, false, false);
    for (at, line) in lines(source, open(source)?) {
        none = false;
        let told = match line.map_err(anyhow::Error::from).and_then(|line| answer(&line, &at)) {
            Ok(None) => continue,
            Ok(Some((told, step))) => {
                touched |= step == Step::Touched;
                undecided |= step == Step::Undecided;
                told
            }
            Err(error) => {
                let message = error.to_string();
                // Nobody may be listening: then there is nobody to tell.
                let _ = writeln!(std::io::stderr(), "error: {}", plain::shown(&message));
                refused = true;
                json!({"error": message})
            }
        };
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(plain::json(&told)?.as_bytes())?;
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

/// What every forecast tells, with what touches in between.
fn told(time: f64, forecast: &Forecast, touching: Value, contact: bool, micros: u64) -> Value {
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
