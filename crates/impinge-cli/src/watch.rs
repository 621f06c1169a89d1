//! `impinge watch`: stamped poses of a tool in, a forecast for each out.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use impinge::deform::{Lines, Surface, Tool, ToolOptions};
use impinge::predict::{Budget, Horizons, Level, ModelOptions, ToolForecast, ToolWatch};
use impinge::{Mesh, Vec3};
use impinge_io::{Loaded, Place, load_mesh, parse_pose};
use serde_json::{Value, json};

use crate::input::{lines, open};
use crate::{ERROR, step, warn};

const EXAMPLES: &str = "\
Examples:
  impinge example --out demo
  impinge watch demo/drill.obj --body demo/hull.obj --poses demo/poses.jsonl
  teleoperation | impinge watch tool.stl --body part.obj --body jig.stl --poses - --budget 1

Poses, one JSON object per line: {\"t\": seconds, \"p\": [x,y,z], \"q\": [w,x,y,z]}, the tool's frame in the
world. A line may bring new vertices of deformed bodies: \"bodies\": {\"0\": [[x,y,z], …]}.
Each line is answered by one, at once: level (none, considered, reflex, now), ahead (seconds to the
contact) with its uncertainty (one standard deviation), body, triangles, the contact itself, reached
(seconds looked ahead), cut_short (the budget ended the look), micros.

Exit code: 0 nothing was touched, 1 the tool touched something, 2 error.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct WatchArgs {
    /// The tool, a mesh in its own frame
    #[arg(value_name = "TOOL")]
    tool: PathBuf,
    /// What it may touch, in the world's frame; repeatable
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    body: Vec<PathBuf>,
    /// Poses, one JSON object per line; - for standard input
    #[arg(long, value_name = "FILE.jsonl")]
    poses: PathBuf,
    /// Distance, metres, that counts as contact
    #[arg(long, value_name = "M", default_value_t = 0.0, allow_hyphen_values = true)]
    margin: f64,
    /// Order of the polynomials that motions are extrapolated by
    #[arg(long, value_name = "N", default_value_t = ModelOptions::default().order)]
    order: usize,
    /// Observation period, seconds: how fast samples are forgotten
    #[arg(long, value_name = "S", default_value_t = ModelOptions::default().period)]
    period: f64,
    /// The reflex horizon, seconds
    #[arg(long, value_name = "S", default_value_t = Horizons::default().reflex)]
    reflex: f64,
    /// The considered horizon, seconds
    #[arg(long, value_name = "S", default_value_t = Horizons::default().considered)]
    considered: f64,
    /// Milliseconds that an answer may take; what was not reached then is said [default: no limit]
    #[arg(long, value_name = "MS")]
    budget: Option<f64>,
}

/// A body as it is now.
struct Body {
    mesh: Mesh,
    /// Where its vertices are.
    vertices: Vec<Vec3>,
}

/// Runs the command; the exit code.
///
/// # Errors
/// If a file is refused, an option is out of range, or the answer cannot be written.
pub fn run(args: &WatchArgs) -> Result<u8> {
    let tool = Tool::new(load(&args.tool)?);
    let body = |path: &PathBuf| load(path).map(|mesh| Body { vertices: mesh.vertices().to_vec(), mesh });
    let mut bodies: Vec<Body> = args.body.iter().map(body).collect::<Result<_>>()?;
    let model = ModelOptions { order: args.order, period: args.period };
    let horizons = Horizons { reflex: args.reflex, considered: args.considered, ..Horizons::default() };
    let options = ToolOptions { margin: args.margin, ..ToolOptions::default() };
    let mut watch = ToolWatch::new(tool, options, model, horizons)?;
    let seconds = args.budget.map_or(f64::INFINITY, |ms| ms / 1e3);
    let mut code = 0;
    for (at, line) in lines(&args.poses, open(&args.poses)?) {
        let answer = line.map_err(anyhow::Error::from).and_then(|line| answer(&mut watch, &mut bodies, &line, &at, seconds));
        let (line, touched) = answer.unwrap_or_else(|error| {
            let message = error.to_string();
            // Nobody may be listening: then there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "error: {message}");
            code = ERROR;
            (json!({"error": message}), false)
        });
        code = code.max(u8::from(touched));
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{line}")?;
        stdout.flush()?;
    }
    Ok(code)
}

fn load(path: &Path) -> Result<Mesh> {
    let Loaded { value, warnings } = load_mesh(path, Vec3::splat(1.0))?;
    warn::tell(&warnings);
    Ok(value)
}

/// The answer to one line, and whether the tool touches something now.
fn answer(watch: &mut ToolWatch, bodies: &mut [Body], line: &[u8], at: &Place, seconds: f64) -> Result<(Value, bool)> {
    let sample = parse_pose(line, at)?;
    let started = Instant::now();
    for (number, vertices) in sample.bodies {
        let count = bodies.len();
        let Some(body) = bodies.get_mut(number) else { anyhow::bail!("{at}: there is no body {number}, only {count}") };
        if vertices.len() != body.mesh.vertices().len() {
            anyhow::bail!("{at}: body {number} has {} vertices, not {}", body.mesh.vertices().len(), vertices.len());
        }
        body.vertices = vertices;
    }
    let surfaces: Vec<Surface<'_>> =
        bodies.iter().map(|b| Surface { triangles: b.mesh.triangles(), lines: Lines::resting(&b.vertices) }).collect();
    let clock = || started.elapsed().as_secs_f64();
    let found = watch.cycle(sample.time, &sample.pose, &surfaces, &Budget { seconds, clock: &clock })?;
    let micros = started.elapsed().as_micros() as u64;
    Ok((told(sample.time, &found, micros), found.forecast.level == Level::Now))
}

fn told(time: f64, found: &ToolForecast, micros: u64) -> Value {
    let f = &found.forecast;
    let level = match f.level {
        Level::None => "none",
        Level::Considered => "considered",
        Level::Reflex => "reflex",
        Level::Now => "now",
    };
    json!({
        "t": time,
        "level": level,
        "ahead": f.ahead,
        "uncertainty": f.uncertainty.filter(|u| u.is_finite()),
        "body": found.body,
        "triangles": found.triangles,
        "contact": found.first.as_ref().map(step::contact),
        "reached": f.reached,
        "cut_short": f.cut_short,
        "micros": micros,
    })
}
