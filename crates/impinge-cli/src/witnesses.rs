//! `impinge witnesses`: every pair of triangles in contact during motions, in the order of discovery, with contact times.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use impinge::Motion;
use impinge::query::{Told, TouchOptions, TouchSpan, TouchingPair};
use impinge_io::quantity::length;
use impinge_io::{Id, Loaded, MotionReader, Place};
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{ModelArgs, SearchArgs};
use crate::goal::part_name;
use crate::help;
use crate::job::Job;
use crate::mover_args::{EndArg, end, writes_units};
use crate::plain;
use crate::runner::Runner;
use crate::{input, warn};

const USAGE: &str = "\
impinge witnesses --moving MESH --fixed MESH --motions FILE [OPTIONS]
       impinge witnesses ROBOT.urdf [OPTIONS] (--from Q,… --to Q,… |
                         --motions FILE)";

#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_help = help::WITNESSES)]
pub struct WitnessesArgs {
    /// Robots (URDF)
    #[arg(value_name = "ROBOT.urdf", required_unless_present_any = ["moving", "robots", "bodies"])]
    input: Vec<PathBuf>,
    /// A free rigid body that moves, instead of a robot
    #[arg(long, value_name = "MESH", conflicts_with = "input")]
    moving: Option<PathBuf>,
    /// A static obstacle for --moving (the same as --obstacle)
    #[arg(long, value_name = "MESH", requires = "moving")]
    fixed: Vec<PathBuf>,
    /// Start of the motion, as for impinge check
    #[arg(long, value_name = "[NAME:]Q,…", value_parser = end, allow_hyphen_values = true)]
    from: Vec<EndArg>,
    /// End of the motion
    #[arg(long, value_name = "[NAME:]Q,…", value_parser = end, allow_hyphen_values = true)]
    to: Vec<EndArg>,
    /// Motions, one JSON object per line; - for standard input
    #[arg(long, value_name = "FILE.jsonl", conflicts_with = "to")]
    motions: Option<PathBuf>,
    /// Distance that counts as contact: metres, or with a unit, 5mm
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = length, allow_hyphen_values = true)]
    margin: f64,
    /// Print start and end of each contact
    #[arg(long)]
    times: bool,
    /// With --times: gaps shorter than this fraction of the motion may be missed where parts rotate
    #[arg(long, requires = "times", value_name = "SHARE", default_value_t = TouchOptions::default().resolution, allow_hyphen_values = true)]
    resolution: f64,
    /// Treat closed meshes as shells: a part inside one is free unless it touches the surface
    #[arg(long)]
    surfaces: bool,
    /// Treat closed meshes as solids (the default)
    #[arg(long, conflicts_with = "surfaces")]
    solid: bool,
    /// Stop after this number of pairs per motion
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    limit: Option<usize>,
    /// Print one JSON object per pair and line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: ModelArgs,
}

/// Runs the command; returns the exit code.
///
/// # Errors
/// If files are refused, or arguments do not fit together.
pub fn run(args: &WitnessesArgs) -> Result<u8> {
    let Loaded { value: job, warnings } = Job::load(&args.input, args.moving.as_deref(), &args.fixed, &args.model)?;
    warn::print(&warnings);
    let built = job.scene(None)?;
    warn::note(&built.warnings);
    if built.scene.checked_pairs().next().is_none() {
        warn::note(&["no pair of parts is checked, so there are no contacts; run impinge pairs for the reasons".into()]);
    }
    let search = SearchArgs { margin: Some(args.margin), surfaces: args.surfaces, ..SearchArgs::default() };
    let runner = Runner::new(built.scene, &job, &args.from, &search)?;
    warn::aside(&runner.notes);
    let mut lister = Lister { args, runner: &runner, touching: false, doubtful: false };
    match (&args.motions, &args.to[..]) {
        (Some(path), _) => {
            job.refuse_from(&args.from)?;
            let shown = input::shown(path);
            let mut hinted = false;
            for motion in MotionReader::new(input::open(path)?, shown) {
                let motion = motion?;
                let at = Place::line(shown, motion.line);
                let moves = runner.moves(&motion, &at)?;
                runner.hint_once(&moves, &at, &mut hinted);
                lister.list(&motion.id, &moves)?;
            }
        }
        (None, [_, ..]) => {
            let motion = runner.line(&args.to)?;
            let units = writes_units(args.from.iter().chain(&args.to));
            warn::hint(runner.hint(&motion).filter(|_| !units));
            lister.list(&0.into(), &motion)?;
        }
        (None, []) => bail!("no motion is given; add --from and --to, or --motions (see impinge witnesses --help)"),
    }
    Ok(match (lister.doubtful, lister.touching) {
        (_, true) => 1,
        (true, false) => 3,
        (false, false) => 0,
    })
}

/// Parses a limit; zero pairs would give no verdict.
fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "write a whole number of at least 1".into())
}

struct Lister<'a> {
    args: &'a WitnessesArgs,
    runner: &'a Runner<'a>,
    touching: bool,
    doubtful: bool,
}

impl Lister<'_> {
    /// Prints the contacts during one motion.
    fn list(&mut self, id: &Id, motion: &Motion) -> Result<()> {
        let mut stdout = std::io::BufWriter::new(std::io::stdout().lock());
        let options = TouchOptions { times: self.args.times, resolution: self.args.resolution };
        let (mut listed, mut failed) = (0, None);
        let end = self.runner.checker().touching_pairs(motion, options, |pair| {
            if self.args.limit.is_some_and(|limit| listed >= limit) {
                return ControlFlow::Break(());
            }
            listed += 1;
            self.touching |= pair.proven;
            self.doubtful |= !pair.proven;
            failed = stdout.write_all(self.line(id, &pair).as_bytes()).err();
            if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        self.doubtful |= end == Told::OutOfWork;
        if !self.args.json {
            let more = match end {
                Told::All => "",
                Told::Stopped => ", and there are more",
                Told::OutOfWork => ", and there may be more: the work limit was reached",
            };
            let pairs = if listed == 1 { "pair touches" } else { "pairs touch" };
            writeln!(stdout, "motion {}: {listed} {pairs}{more}", plain::shown(&id.to_string()))?;
        }
        Ok(stdout.flush()?)
    }

    fn line(&self, id: &Id, pair: &TouchingPair) -> String {
        let name = |part| part_name(self.runner.checker().scene(), part);
        let parts = [name(pair.parts.0), name(pair.parts.1)];
        if self.args.json {
            let spans: Option<Vec<Value>> = self.args.times.then(|| pair.spans.iter().map(span).collect());
            let (pieces, triangles) = ([pair.pieces.0, pair.pieces.1], [pair.triangles.0, pair.triangles.1]);
            let triangles = (!pair.contained).then_some(triangles);
            let line = Row { contained: pair.contained, id, pair: parts, pieces, proven: pair.proven, spans, triangles };
            return plain::json(&line).unwrap_or_default();
        }
        let parts = parts.map(plain::shown);
        let when: String = pair.spans.iter().map(|s| format!("  t = {:.9} … {:.9}", s.begins.1, s.ends.0)).collect();
        let doubt = if pair.proven { "" } else { "  (not proven)" };
        if pair.contained {
            return format!("  {} is inside {}{when}\n", parts[0], parts[1]);
        }
        let [(a, i), (b, k)] = [(&parts[0], pair.triangles.0), (&parts[1], pair.triangles.1)];
        format!("  {a} triangle {i} – {b} triangle {k}{when}{doubt}\n")
    }
}

/// A pair as a line of JSON.
#[derive(Serialize)]
struct Row<'a> {
    contained: bool,
    id: &'a Id,
    pair: [&'a str; 2],
    pieces: [usize; 2],
    proven: bool,
    spans: Option<Vec<Value>>,
    triangles: Option<[usize; 2]>,
}

fn span(s: &TouchSpan) -> Value {
    json!({"begins": [s.begins.0, s.begins.1], "ends": [s.ends.0, s.ends.1], "proven": s.proven, "throughout": s.throughout})
}
