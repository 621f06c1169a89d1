//! A rigid tool with stamped poses.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use impinge::deform::{Lines, Surface, Tool, ToolOptions};
use impinge::predict::{Budget, ToolWatch};
use impinge::{Mesh, Vec3};
use impinge_io::{Loaded, Place, parse_pose};
use serde_json::{Value, json};

use super::{Step, WatchArgs, each_line, report};
use crate::movers::read_mesh;
use crate::{step, warn};

/// A body in its current state.
struct Body {
    mesh: Mesh,
    /// Current positions of the vertices.
    vertices: Vec<Vec3>,
    /// Positions at the previous line, if this line changed them.
    before: Option<Vec<Vec3>>,
}

impl Body {
    /// Returns the surface during the step since the previous line.
    fn surface(&self) -> Surface<'_> {
        let lines = match &self.before {
            Some(before) => Lines { start: before, end: &self.vertices },
            None => Lines::resting(&self.vertices),
        };
        Surface { triangles: self.mesh.triangles(), lines }
    }
}

/// Runs `impinge watch` for a tool; returns the exit code.
///
/// # Errors
/// See [`super::run`].
pub fn run(args: &WatchArgs, poses: &Path) -> Result<u8> {
    let tool = Tool::new(load(&args.watched)?);
    let body = |path: &PathBuf| load(path).map(|mesh| Body { vertices: mesh.vertices().to_vec(), before: None, mesh });
    let mut bodies: Vec<Body> = args.body.iter().map(body).collect::<Result<_>>()?;
    let options =
        ToolOptions { margin: args.margin, planes: args.planes.into(), path: args.path.into(), ..ToolOptions::default() };
    // Rounding of vertices while reading the files.
    let error = bodies.iter().map(|body| body.mesh.error()).fold(0.0, f64::max);
    let watch = ToolWatch::new(tool, options, args.model(), args.horizons())?.holding(args.held());
    let mut watch = watch.bodies_within(error)?;
    if let Some(tolerance) = args.tolerance {
        watch = watch.with_tolerance(tolerance)?;
    }
    each_line(poses, |line, at| answer(&mut watch, &mut bodies, line, at, args.seconds()).map(Some))
}

fn load(path: &Path) -> Result<Mesh> {
    let Loaded { value, warnings } = read_mesh(path)?;
    warn::print(&warnings);
    Ok(value)
}

/// Returns the answer to one line, and the verdict of the step before it.
fn answer(watch: &mut ToolWatch, bodies: &mut [Body], line: &[u8], at: &Place, seconds: f64) -> Result<(Value, Step)> {
    let sample = parse_pose(line, at)?;
    let started = Instant::now();
    bodies.iter_mut().for_each(|body| body.before = None);
    for (number, vertices) in sample.bodies {
        let count = bodies.len();
        let Some(body) = bodies.get_mut(number) else { anyhow::bail!("{at}: there is no body {number}, only {count}") };
        if vertices.len() != body.mesh.vertices().len() {
            anyhow::bail!("{at}: body {number} has {} vertices, not {}", body.mesh.vertices().len(), vertices.len());
        }
        body.before = Some(std::mem::replace(&mut body.vertices, vertices));
    }
    let surfaces: Vec<Surface<'_>> = bodies.iter().map(Body::surface).collect();
    let clock = || started.elapsed().as_secs_f64();
    let found = watch.cycle(sample.time, &sample.pose, &surfaces, &Budget { seconds, clock: &clock });
    let found = found.map_err(|e| anyhow::anyhow!("{at}: {e}"))?;
    let micros = started.elapsed().as_micros() as u64;
    let touching = json!({
        "body": found.body,
        "triangles": found.triangles,
        "contact": found.first.as_ref().map(step::contact),
        "contained": found.contained.as_ref().map(step::contained),
    });
    let known = found.first.is_some() || found.contained.is_some();
    Ok((report(sample.time, &found.forecast, touching, known, micros), Step::of(&found.forecast, known)))
}
