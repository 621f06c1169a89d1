//! `impinge swept`: the space that the links of a robot take up during a motion, as meshes.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::{Result, bail};
use impinge::Scene;
use impinge::query::SweptVolume;
use impinge::robot::Robot;
use impinge_io::mesh::write::writable;
use impinge_io::suggest::known_names;
use impinge_io::{Loaded, Place, load_srdf, load_urdf, write_meshes};
use serde::Serialize;

use crate::args::SweptArgs;
use crate::job::file_options;
use crate::mover_args::Given;
use crate::movers::{refuse_other_files, state};
use crate::values::{Resolver, degrees_hint, turns};
use crate::warn;

/// What was written for a link.
#[derive(Debug, Serialize)]
struct Row<'a> {
    link: &'a str,
    triangles: usize,
    /// Of the capsule around the link.
    radius: f64,
    length: f64,
}

/// Runs the command; the exit code.
///
/// # Errors
/// If files are refused, values do not fit the robot, or the error is too small.
pub fn run(args: &SweptArgs) -> Result<u8> {
    writable(&args.out)?;
    refuse_other_files(&args.robot)?;
    let Loaded { value: robot, warnings } = load_urdf(&args.robot, &file_options(&args.files))?;
    warn::tell(&warnings);
    let srdf = args.srdf.as_ref().map(load_srdf).transpose()?.map(|loaded| {
        warn::tell(&loaded.warnings);
        loaded.value
    });
    let state = args.state.as_ref().map(|file| state(&robot, file)).transpose()?;
    let at = &Place::file("--from, --to");
    let resolve = |given: &Given, default| Resolver { robot: &robot, srdf: srdf.as_ref(), default, at }.resolve(given);
    let (from, note) = resolve(&args.from, state.as_deref())?;
    let (to, _) = resolve(&args.to, Some(&from))?;
    warn::aside(note.as_slice());
    let name = robot.name().to_owned();
    let links = chosen(&robot, &args.link)?;
    let scene = Scene::builder().robot(&name, robot).build()?;
    let Some(id) = scene.robot(&name) else { bail!("the robot is not in the scene") };
    let motion = scene.motion().joint_line(id, &from, &to).build()?;
    if !args.from.has_units() && !args.to.has_units() {
        let model = scene.robot_model(id)?;
        let turning = |joint: &str| {
            let own = joint.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('/'));
            own.and_then(|own| model.find_joint(own)).is_some_and(|j| turns(&model.joints()[j]))
        };
        warn::hint(degrees_hint(motion.limit_breaches(), turning));
    }
    let sweep = |link: &String| scene.swept_volume(&motion, &format!("{name}/{link}"), args.error);
    let volumes: Vec<SweptVolume> = links.iter().map(sweep).collect::<Result<_, _>>()?;
    let named: Vec<_> = links.iter().map(String::as_str).zip(volumes.iter().map(|v| &**v.mesh())).collect();
    write_meshes(&args.out, &named)?;
    let rows: Vec<Row<'_>> = links.iter().zip(&volumes).map(|(link, volume)| row(link, volume)).collect();
    let text = if args.json { json(&rows)? } else { text(&rows, args) };
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(0)
}

/// The links asked for, or all that have geometry.
fn chosen(robot: &Robot, names: &[String]) -> Result<Vec<String>> {
    if names.is_empty() {
        let with_geometry = robot.links().iter().filter(|l| !l.pieces.is_empty());
        let links: Vec<String> = with_geometry.map(|l| l.name.clone()).collect();
        if links.is_empty() {
            bail!("no link has collision geometry: there is nothing to sweep");
        }
        return Ok(links);
    }
    let mut links: Vec<String> = Vec::new();
    for name in names {
        let link = name.strip_prefix(robot.name()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name);
        let Some(found) = robot.find_link(link) else {
            let known = known_names(link, robot.links().iter().map(|l| l.name.as_str()));
            bail!("--link: the robot has no link '{name}'; {known}");
        };
        if robot.links()[found].pieces.is_empty() {
            bail!("--link: '{name}' has no collision geometry");
        }
        if !links.iter().any(|l| l == link) {
            links.push(link.to_owned());
        }
    }
    Ok(links)
}

fn row<'a>(link: &'a str, volume: &SweptVolume) -> Row<'a> {
    let capsule = volume.capsule();
    let length = (capsule.b - capsule.a).norm();
    Row { link, triangles: volume.mesh().triangles().len(), radius: capsule.radius, length }
}

fn json(rows: &[Row<'_>]) -> Result<String> {
    rows.iter().map(|row| Ok(serde_json::to_string(row)? + "\n")).collect()
}

fn text(rows: &[Row<'_>], args: &SweptArgs) -> String {
    let mut out = String::new();
    let widest = rows.iter().map(|r| r.link.chars().count()).max().unwrap_or(0);
    for Row { link, triangles, radius, length } in rows {
        let _ = writeln!(out, "{link:widest$}  {triangles:7} triangles  capsule {length:.3} m, radius {radius:.3} m");
    }
    let (file, error) = (args.out.display(), 2.0 * args.error);
    let _ = writeln!(out, "{file}: everything the capsules pass through, and at most {error} m more");
    out
}
