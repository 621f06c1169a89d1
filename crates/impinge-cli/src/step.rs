//! `impinge step`: deforming bodies between two instants, every vertex on a straight line.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use impinge::deform::{Element, Inside, Lines, StepAnswer, StepChecker, StepOptions, Touch, Touching, Who};
use impinge::{Mesh, Vec3};
use impinge_io::Loaded;
use impinge_io::quantity::length;
use serde_json::{Value, json};

use crate::help;
use crate::movers::read_mesh;
use crate::warn;

#[derive(Debug, Args)]
#[command(after_help = help::STEP)]
pub struct StepArgs {
    /// The body at the start of the step (obj, ply, off, stl, dae, gltf, glb)
    #[arg(value_name = "T0")]
    start: PathBuf,
    /// The body at the end of the step
    #[arg(value_name = "T1")]
    end: PathBuf,
    /// Another body, at the start and at the end of the step; repeatable
    #[arg(long, value_names = ["T0", "T1"], num_args = 2)]
    other: Vec<PathBuf>,
    /// With other bodies: check every body for self-contact, too
    #[arg(long = "self", requires = "other")]
    own: bool,
    /// Report all contacts of the step, not only the first
    #[arg(long)]
    all: bool,
    /// Distance that counts as contact, in metres (the unit of the files); or with a unit, 5mm
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = length, allow_hyphen_values = true)]
    margin: f64,
    /// Work limit (compared pairs of boxes and features); beyond it the step is undecided
    #[arg(long, value_name = "N", default_value_t = 200_000_000)]
    max_work: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command; returns the exit code.
///
/// # Errors
/// If files are refused or do not fit each other, or the margin is negative.
pub fn run(args: &StepArgs) -> Result<u8> {
    let mut frames = vec![frames(&args.start, &args.end)?];
    for other in args.other.chunks_exact(2) {
        frames.push(self::frames(&other[0], &other[1])?);
    }
    let who = match (args.other.is_empty(), args.own) {
        (true, _) => Who::Own,
        (false, true) => Who::All,
        (false, false) => Who::Others,
    };
    let bodies: Vec<&[[u32; 3]]> = frames.iter().map(|(start, _)| start.triangles()).collect();
    // Rounding of vertices while reading the files.
    let error = frames.iter().flat_map(|(a, b)| [a.error(), b.error()]).fold(0.0, f64::max);
    let options = StepOptions { margin: args.margin, who, all: args.all };
    let mut checker = StepChecker::new(&bodies, options)?.within(error)?.max_work(args.max_work);
    let lines: Vec<Lines<'_>> = frames.iter().map(|(a, b)| Lines { start: a.vertices(), end: b.vertices() }).collect();
    let started = Instant::now();
    let answer = checker.check(&lines)?;
    let micros = started.elapsed().as_micros() as u64;
    let state = match answer.first() {
        _ if answer.contained.is_some() => Some("contained"),
        Some(first) if first.time.1 > 0.0 => Some("begins"),
        Some(_) if args.margin == 0.0 || cross(&bodies, &lines, who)? => Some("intersecting"),
        Some(_) => Some("within_margin"),
        None => None,
    };
    let text =
        if args.json { json(&answer, state, micros).to_string() + "\n" } else { text(&answer, state, args.margin, micros) };
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(match word(&answer) {
        "contact" => 1,
        "undecided" => 3,
        _ => 0,
    })
}

/// Loads both frames of a body.
fn frames(start: &Path, end: &Path) -> Result<(Mesh, Mesh)> {
    let load = |path: &Path| -> Result<Mesh> {
        let Loaded { value, warnings } = read_mesh(path)?;
        warn::print(&warnings);
        Ok(value)
    };
    let (a, b) = (load(start)?, load(end)?);
    if a.triangles() != b.triangles() || a.vertices().len() != b.vertices().len() {
        bail!("{} and {} do not have the same triangles: they are not two frames of one body", start.display(), end.display());
    }
    Ok((a, b))
}

fn word(answer: &StepAnswer) -> &'static str {
    match (answer.contacts.is_empty() && answer.contained.is_none(), answer.undecided) {
        (false, _) => "contact",
        (true, Some(_)) => "undecided",
        (true, None) => "free",
    }
}

/// Tests whether there is a contact without margin at the start of the step.
fn cross(bodies: &[&[[u32; 3]]], lines: &[Lines<'_>], who: Who) -> Result<bool> {
    let resting: Vec<Lines<'_>> = lines.iter().map(|l| Lines { start: l.start, end: l.start }).collect();
    let answer = StepChecker::new(bodies, StepOptions { margin: 0.0, who, all: false })?.check(&resting)?;
    Ok(answer.first().is_some_and(|c| c.time.1 == 0.0))
}

fn json(answer: &StepAnswer, state: Option<&str>, micros: u64) -> Value {
    json!({
        "verdict": word(answer),
        "state": state,
        "free_until": answer.free_until(),
        "contained": answer.contained.as_ref().map(contained),
        "time": answer.contained.map(|_| [0.0, 0.0]).or(answer.first().map(|c| [c.time.0, c.time.1])),
        "contacts": answer.contacts.iter().map(contact).collect::<Vec<_>>(),
        "tests": answer.tests,
        "limited_by": answer.out_of_work.then_some("work"),
        "micros": micros,
    })
}

/// Returns a contact as JSON, also for `watch`.
pub fn contact(touch: &Touch) -> Value {
    let side = |s: &Touching| {
        let (kind, vertices) = element(&s.element);
        json!({"body": s.body, "triangle": s.triangle, "kind": kind, "vertices": vertices})
    };
    json!({
        "time": [touch.time.0, touch.time.1],
        "certified": touch.certified,
        "sides": touch.sides.iter().map(side).collect::<Vec<_>>(),
        "point": touch.point.to_array(),
        "normal": touch.normal.to_array(),
    })
}

/// Returns a containment as JSON, also for `watch`.
pub fn contained(inside: &Inside) -> Value {
    json!({"inner": inside.inner, "outer": inside.outer, "vertex": inside.vertex, "point": inside.point.to_array()})
}

fn element(element: &Element) -> (&'static str, Vec<u32>) {
    match element {
        Element::Vertex(v) => ("vertex", vec![*v]),
        Element::Edge(e) => ("edge", e.to_vec()),
        Element::Face(f) => ("face", f.to_vec()),
    }
}

/// Number of contacts that are printed in text; others are only counted.
const SHOWN: usize = 20;

fn text(answer: &StepAnswer, state: Option<&str>, margin: f64, micros: u64) -> String {
    let within = if margin > 0.0 { format!("within the margin of {margin} m") } else { String::new() };
    let inside = answer
        .contained
        .map(|Inside { inner, outer, .. }| format!("contact: body {inner} is inside body {outer} at the start of the step\n"));
    let mut out = inside.unwrap_or_else(|| match word(answer) {
        "free" if margin > 0.0 => format!("free: no pair is {within} at any instant of the step\n"),
        "free" => "free: no contact at any instant of the step\n".to_owned(),
        "undecided" => format!("undecided: free until t = {}\n", answer.free_until()),
        _ if state == Some("intersecting") => "contact: the bodies intersect at the start of the step\n".to_owned(),
        _ if state == Some("within_margin") => format!("contact: {within} at the start of the step\n"),
        _ if margin > 0.0 => format!("contact: {within}; free until t = {}\n", answer.free_until()),
        _ => format!("contact: free until t = {}\n", answer.free_until()),
    });
    for touch in answer.contacts.iter().take(SHOWN) {
        let [a, b] = touch.sides.map(|s| {
            let (kind, vertices) = element(&s.element);
            format!("{kind} {vertices:?} of body {} (triangle {})", s.body, s.triangle)
        });
        let Vec3 { x, y, z } = touch.point;
        let _ = writeln!(out, "  t = {:.9}  {a} and {b} at {x:.6} {y:.6} {z:.6}", touch.time.1);
    }
    if answer.contacts.len() > SHOWN {
        let _ = writeln!(out, "  and {} more; --json has every one", answer.contacts.len() - SHOWN);
    }
    if answer.out_of_work {
        out +=
            "the limit of work or of listed contacts was reached: there may be more contacts, and the rest is not proven free\n";
    }
    let _ = writeln!(out, "{} pairs of features tested in {:.1} ms", answer.tests, micros as f64 / 1e3);
    out
}
