//! `impinge swept`: swept volumes of links and bodies, as meshes.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{ArgGroup, Args};
use impinge::query::{SweptSolid, SweptVolume};
use impinge::{Mesh, Motion, Scene, Vec3};
use impinge_io::mesh::write::writable;
use impinge_io::quantity::length;
use impinge_io::suggest::known_names;
use impinge_io::{Loaded, motions, write_meshes};
use serde::Serialize;

use crate::args::{ModelArgs, SearchArgs};
use crate::job::Job;
use crate::mover_args::{EndArg, end, writes_units};
use crate::names::PartNames;
use crate::outputs::{named, refuse_inputs};
use crate::plain;
use crate::runner::Runner;
use crate::steps::Steps;
use crate::{help, input, warn};

#[derive(Debug, Args)]
#[command(override_usage = help::SWEPT_USAGE, after_help = help::SWEPT)]
#[command(group = ArgGroup::new("motion").args(["to", "motions"]).conflicts_with("trajectory"))]
pub struct SweptArgs {
    /// Robots (URDF), or skeletons with recorded motion (BVH)
    #[arg(value_name = "ROBOT.urdf|DANCER.bvh", required_unless_present_any = ["moving", "robots", "bodies"])]
    input: Vec<PathBuf>,
    /// Start of the motion, as for impinge check
    #[arg(long, value_name = "[NAME:]Q,…", value_parser = end, allow_hyphen_values = true)]
    from: Vec<EndArg>,
    /// End of the motion; joints that are not named keep their start value
    #[arg(long, value_name = "[NAME:]Q,…", value_parser = end, allow_hyphen_values = true)]
    to: Vec<EndArg>,
    /// Motions, one JSON object per line; - for standard input. All of them are swept
    #[arg(long, value_name = "FILE.jsonl")]
    motions: Option<PathBuf>,
    /// Waypoints, as for impinge check; repeatable with NAME= where several robots move
    #[arg(long, value_name = "[NAME=]FILE.csv")]
    trajectory: Vec<String>,
    /// A free rigid body that moves, instead of a robot
    #[arg(long, value_name = "MESH", conflicts_with_all = ["input", "trajectory"])]
    moving: Option<PathBuf>,
    /// Output file
    #[arg(long, value_name = "FILE.stl|obj|ply")]
    out: PathBuf,
    /// Sweep the meshes and primitives themselves, not the capsules around the parts
    #[arg(long)]
    exact: bool,
    /// Accuracy: the surface never lies inside the swept shapes, and at most twice this distance outside
    #[arg(long, value_name = "LENGTH", default_value = "5mm", value_parser = length, allow_hyphen_values = true)]
    error: f64,
    /// Write only this link, body or attached part; repeatable
    #[arg(long, visible_alias = "part", value_name = "NAME")]
    link: Vec<String>,
    /// Print one JSON object per part and line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: ModelArgs,
}

/// A larger number of triangles indicates a mistake in the requested error.
const MAX_TRIANGLES: usize = 1 << 26;

/// The result for a part; its fields are those of the JSON line.
#[derive(Debug, Serialize)]
struct Row {
    link: String,
    triangles: usize,
    /// Radius of the capsule around the part; `length` is its length.
    #[serde(skip_serializing_if = "Option::is_none")]
    radius: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<f64>,
    /// Number of convex cells around the part itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<usize>,
}

/// The swept volume of a part over all motions so far.
struct Swept {
    /// The name of the part in the scene.
    part: String,
    row: Row,
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

/// Runs the command; returns the exit code.
///
/// # Errors
/// If files are refused, values do not fit the robots and bodies, or the error is too small.
pub fn run(args: &SweptArgs) -> Result<u8> {
    writable(&args.out)?;
    refuse_inputs("--out", &args.out, &args.files())?;
    let Loaded { value: job, warnings } = Job::load(&args.input, args.moving.as_deref(), &[], &args.model)?;
    warn::print(&warnings);
    let built = job.scene(None)?;
    warn::note(&built.warnings);
    let runner = Runner::new(built.scene, &job, &args.from, &SearchArgs::default())?;
    warn::aside(&runner.notes);
    let mut swept: Vec<Swept> = Vec::new();
    each_motion(args, &job, &runner, |motion| {
        let scene = runner.checker().scene();
        if swept.is_empty() {
            swept = chosen(args, &job, scene, &motion)?;
        }
        swept.iter_mut().try_for_each(|part| part.add(scene, &motion, args))?;
        let triangles: usize = swept.iter().map(|part| part.triangles.len()).sum();
        if triangles > MAX_TRIANGLES {
            bail!("more than {MAX_TRIANGLES} triangles; use a larger --error, fewer motions or fewer parts (--link)");
        }
        Ok(())
    })?;
    write(args, swept)?;
    Ok(0)
}

impl SweptArgs {
    /// Returns all input files.
    fn files(&self) -> Vec<PathBuf> {
        let alone = self.input.iter().chain(&self.moving).chain(&self.motions).cloned();
        alone.chain(self.trajectory.iter().flat_map(|text| named(text))).chain(self.model.files()).collect()
    }
}

/// Calls `sweep` for every requested motion, in order.
fn each_motion(args: &SweptArgs, job: &Job, runner: &Runner<'_>, mut sweep: impl FnMut(Motion) -> Result<()>) -> Result<()> {
    let recorded = job.robots.iter().find(|r| r.recorded.is_some());
    if let Some(path) = &args.motions {
        job.refuse_from(&args.from)?;
        let (mut none, mut hinted) = (true, false);
        for (at, line) in input::lines(path, input::open(path)?) {
            none = false;
            let motion = runner.moves(&motions::parse(line?.trim_ascii(), &at)?, &at)?;
            runner.hint_once(&motion, &at, &mut hinted);
            sweep(motion)?;
        }
        if none {
            bail!("{}: there are no motions", path.display());
        }
    } else if !args.to.is_empty() {
        if let Some(robot) = recorded {
            bail!("--to describes one motion, but '{}' has a recorded motion", robot.name);
        }
        let motion = runner.line(&args.to)?;
        warn::hint(runner.hint(&motion).filter(|_| !writes_units(args.from.iter().chain(&args.to))));
        sweep(motion)?;
    } else if !args.trajectory.is_empty() || recorded.is_some() {
        let steps = Steps::load(job, &args.trajectory)?.over(job, &args.from)?;
        let mut hinted = false;
        for i in 0..steps.count() {
            let motion = steps.motion(i, runner)?;
            runner.hint_once(&motion, &steps.place(i), &mut hinted);
            sweep(motion)?;
        }
    } else {
        bail!("no motion is given; add --from and --to, --motions or --trajectory (see impinge swept --help)");
    }
    Ok(())
}

/// Returns the requested parts, or all parts that can move and have geometry.
fn chosen(args: &SweptArgs, job: &Job, scene: &Scene, motion: &Motion) -> Result<Vec<Swept>> {
    let all: Vec<&str> = scene.poses(motion, 0.0)?.map(|(name, _)| name).collect();
    let has_geometry = |name: &str| scene.part(name).is_some_and(|part| scene.has_geometry(part) == Ok(true));
    // The links of a single robot can be given by their own names.
    let prefix = match (&job.robots[..], &job.bodies[..]) {
        ([robot], []) => format!("{}/", robot.name),
        _ => String::new(),
    };
    let own = |part: &str| part.strip_prefix(&prefix).unwrap_or(part).to_owned();
    let mut parts: Vec<&str> = Vec::new();
    let names = PartNames::of(scene.part_names());
    for name in &args.link {
        let Some(part) = names.find_if_any(name)? else {
            let known: Vec<String> = all.iter().map(|part| own(part)).collect();
            bail!("--link: there is no link '{name}'; {}", known_names(name, known.iter().map(String::as_str)));
        };
        if !has_geometry(part) {
            bail!("--link: '{name}' has no collision geometry");
        }
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    if args.link.is_empty() {
        parts = all.into_iter().filter(|part| has_geometry(part)).collect();
    }
    if parts.is_empty() {
        bail!("no link has collision geometry: there is nothing to sweep");
    }
    let swept = |part: &str| {
        let row = Row { link: own(part), triangles: 0, radius: None, length: None, cells: None };
        Swept { part: part.to_owned(), row, vertices: Vec::new(), triangles: Vec::new() }
    };
    Ok(parts.into_iter().map(swept).collect())
}

impl Swept {
    /// Adds the swept volume of the part during another motion.
    fn add(&mut self, scene: &Scene, motion: &Motion, args: &SweptArgs) -> Result<()> {
        if args.exact {
            let swept: SweptSolid = scene.swept_solid(motion, &self.part, args.error)?;
            *self.row.cells.get_or_insert(0) += swept.cells();
            self.append(swept.mesh());
        } else {
            let swept: SweptVolume = scene.swept_volume(motion, &self.part, args.error)?;
            let capsule = swept.capsule();
            (self.row.radius, self.row.length) = (Some(capsule.radius), Some((capsule.b - capsule.a).norm()));
            self.append(swept.mesh());
        }
        Ok(())
    }

    fn append(&mut self, mesh: &Mesh) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(mesh.vertices());
        self.triangles.extend(mesh.triangles().iter().map(|t| t.map(|k| first + k)));
        self.row.triangles = self.triangles.len();
    }
}

fn write(args: &SweptArgs, swept: Vec<Swept>) -> Result<()> {
    let mut rows = Vec::new();
    let mut meshes = Vec::new();
    for Swept { row, vertices, triangles, .. } in swept {
        meshes.push(Mesh::new(vertices, triangles)?);
        rows.push(row);
    }
    let named: Vec<(&str, &Mesh)> = rows.iter().map(|row| row.link.as_str()).zip(&meshes).collect();
    write_meshes(&args.out, &named)?;
    let text = if args.json { json(&rows)? } else { text(&rows, args) };
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

fn json(rows: &[Row]) -> Result<String> {
    rows.iter().map(|row| Ok(plain::json(row)?)).collect()
}

fn text(rows: &[Row], args: &SweptArgs) -> String {
    let mut out = String::new();
    let widest = rows.iter().map(|r| plain::shown(&r.link).chars().count()).max().unwrap_or(0);
    for Row { link, triangles, radius, length, cells } in rows {
        let link = plain::shown(link);
        let _ = write!(out, "{link:widest$}  {triangles:7} triangles");
        if let (Some(length), Some(radius)) = (length, radius) {
            let _ = write!(out, "  capsule {length:.3} m, radius {radius:.3} m");
        }
        let _ = cells.map(|cells| write!(out, "  {cells:6} convex cells"));
        out.push('\n');
    }
    let (file, error) = (args.out.display().to_string(), 2.0 * args.error);
    let file = plain::shown(&file);
    let what = if args.exact { "parts" } else { "capsules" };
    let _ = writeln!(out, "{file}: encloses the swept volume of the {what} and exceeds it by at most {error} m");
    out
}
