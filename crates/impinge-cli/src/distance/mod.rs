//! `impinge distance`: the distance of two bodies, at rest, translating or rotating; or of the parts of a scene.

mod body;
mod parts;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use impinge::math::Vec3;
use impinge::query::Semantics;
use impinge::query::distance::{
    Distance, DistanceLimits, DistanceSession, Nesting, Reading, Standing, SweptDistance, Turn, TurnOptions, TurnedDistance, Way,
    distance, nesting, standing, swept_distance, turned_distance,
};
use impinge::{Pose, Shape};
use impinge_io::quantity::{Dimension, angle, length};
use serde_json::{Value, json};

use crate::args::{ModelArgs, count};
use crate::help;
use crate::mover_args::{EndArg, PoseArg, angle_hint, end, pose, quantities, vector};
use crate::plain;
use crate::report::{down, up};
use crate::surfaces;
use crate::warn;
use body::Body;

const USAGE: &str = "\
impinge distance A B [--pose-a POSE] [--pose-b POSE] [OPTIONS]
       impinge distance ROBOT.urdf --at Q,… [OPTIONS]";

#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_help = help::DISTANCE)]
pub struct DistanceArgs {
    /// Two bodies (meshes, or box:X,Y,Z sphere:R cylinder:R,L capsule:R,L), or robots (URDF)
    #[arg(value_name = "A B|ROBOT.urdf", required_unless_present_any = ["robots", "bodies"])]
    input: Vec<PathBuf>,
    /// Pose of A: position, and roll, pitch, yaw; metres and radians, or with units: 5mm,0,0,0,0,90deg
    #[arg(long, value_name = "X,Y,Z[,R,P,Y]", value_parser = pose, allow_hyphen_values = true)]
    pose_a: Option<PoseArg>,
    /// Pose of B
    #[arg(long, value_name = "X,Y,Z[,R,P,Y]", value_parser = pose, allow_hyphen_values = true)]
    pose_b: Option<PoseArg>,
    /// Translation of A
    #[arg(long, value_name = "X,Y,Z", value_parser = lengths, allow_hyphen_values = true)]
    sweep_a: Option<Vec3>,
    /// Translation of B
    #[arg(long, value_name = "X,Y,Z", value_parser = lengths, allow_hyphen_values = true)]
    sweep_b: Option<Vec3>,
    /// Rotation of A: the rotation vector (its length is the angle; radians, or with units: 0,0,90deg), and a point on the axis
    /// [default: position of A]
    #[arg(long, value_name = "X,Y,Z[@X,Y,Z]", value_parser = axis, allow_hyphen_values = true)]
    turn_a: Option<Axis>,
    /// Rotation of B
    #[arg(long, value_name = "X,Y,Z[@X,Y,Z]", value_parser = axis, allow_hyphen_values = true)]
    turn_b: Option<Axis>,
    /// Distance of the two swept volumes, instead of the minimum over time
    #[arg(long)]
    volumes: bool,
    /// For rotations: compute a faster estimate with an error bound; the estimate may exceed the distance
    #[arg(long)]
    estimate: bool,
    /// For rotations: the largest angle of a piece, below a quarter turn
    #[arg(long, value_name = "ANGLE", value_parser = angle, allow_hyphen_values = true)]
    piece: Option<f64>,
    /// For scenes: joint values of robots, poses of bodies; repeatable, prefixed with NAME: where there are several
    #[arg(long, value_name = "[NAME:]Q,…", value_parser = end, allow_hyphen_values = true)]
    at: Vec<EndArg>,
    /// For scenes: print all checked pairs of parts, not only the closest
    #[arg(long)]
    all: bool,
    /// For scenes: print this pair of parts, checked or not
    #[arg(long, value_name = "PART,PART", conflicts_with = "all")]
    between: Option<String>,
    /// Treat closed meshes as shells: the distance of a part inside one is measured to the surface [default: solids, where it is
    /// 0]
    #[arg(long)]
    surfaces: bool,
    /// Treat closed meshes as solids (the default)
    #[arg(long, conflicts_with = "surfaces")]
    solid: bool,
    /// Do not search for larger distances
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_hyphen_values = true)]
    max: Option<f64>,
    /// Stop the search when two points within this distance are found
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_hyphen_values = true)]
    min: Option<f64>,
    /// Work limit; beyond it, print the bounds so far and report the limit [default: 20000000]
    #[arg(long, value_name = "N", value_parser = count)]
    max_work: Option<u64>,
    /// Print one JSON object per pair and line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: ModelArgs,
}

/// The axis of a rotation.
#[derive(Clone, Debug, PartialEq)]
struct Axis {
    rotation: Vec3,
    through: Option<Vec3>,
    hint: Option<String>,
}

/// Runs the command; returns the exit code.
///
/// # Errors
/// If files are refused, or arguments do not fit together.
pub fn run(args: &DistanceArgs) -> Result<u8> {
    if let Some((min, max)) = args.min.zip(args.max).filter(|(min, max)| min > max) {
        bail!("--min {min} is larger than --max {max}: the range is empty");
    }
    let moved = args.sweep_a.is_some() || args.sweep_b.is_some() || args.turn_a.is_some() || args.turn_b.is_some();
    let of_a_pair = moved || args.pose_a.is_some() || args.pose_b.is_some();
    let scene = !args.model.movers.robots.is_empty() || !args.model.movers.bodies.is_empty() || !args.at.is_empty();
    let surroundings = args.model.surroundings();
    match (&args.input[..], scene || args.all || args.between.is_some()) {
        ([a, _], false) if !body::is_robot(a) && surroundings.is_some() => {
            let flag = surroundings.unwrap_or_default();
            bail!("{flag} applies to scenes only: name bodies with --body NAME=MESH, and give their poses with --at NAME:X,Y,Z")
        }
        ([a, b], false) if !body::is_robot(a) => {
            let (a, mut b) = (Body::load(a)?, Body::load(b)?);
            if a.name == b.name {
                b.name += "#2";
            }
            two(args, &a, &b)
        }
        ([one], false) if !body::is_robot(one) => {
            bail!("the second body is missing: write impinge distance {} B, or impinge distance ROBOT.urdf --at …", one.display())
        }
        _ if of_a_pair => bail!("--pose, --sweep and --turn apply to two bodies: impinge distance A B"),
        _ if args.volumes || args.estimate || args.piece.is_some() => {
            bail!("--volumes, --estimate and --piece apply to two moving bodies: impinge distance A B --turn-a …")
        }
        _ => parts::run(args),
    }
}

impl DistanceArgs {
    fn limits(&self) -> DistanceLimits {
        let unlimited = DistanceLimits::default();
        DistanceLimits {
            stop_above: self.max.unwrap_or(unlimited.stop_above),
            stop_below: self.min.unwrap_or(unlimited.stop_below),
            max_work: self.max_work.unwrap_or(unlimited.max_work),
            ..unlimited
        }
    }

    fn semantics(&self) -> Semantics {
        if self.surfaces { Semantics::Surface } else { Semantics::Solid }
    }

    /// Returns 0 if farther apart than `--min`, 1 if within it or in contact, 3 if neither is proven.
    fn code(&self, at_least: f64, at_most: f64) -> u8 {
        let min = self.min.unwrap_or(0.0).max(if at_least > 0.0 { 0.0 } else { TOLERANCE });
        match (at_least > min, at_most <= min) {
            (true, _) => 0,
            (_, true) => 1,
            _ => 3,
        }
    }

    fn turn(&self, axis: Option<&Axis>, pose: &Pose, sweep: Option<Vec3>) -> Turn {
        let translation = sweep.unwrap_or(Vec3::ZERO);
        let turn = |axis: &Axis| Turn { rotation: axis.rotation, about: axis.through.unwrap_or(pose.translation), translation };
        axis.map_or_else(|| Turn::straight(translation), turn)
    }
}

/// Computes the distance of two bodies.
fn two(args: &DistanceArgs, a: &Body, b: &Body) -> Result<u8> {
    let pose = |given: &Option<PoseArg>, flag: &str| {
        given.iter().for_each(|given| given.print_hint(flag));
        given.as_ref().map_or(Pose::IDENTITY, |given| given.pose)
    };
    for body in [a, b].into_iter().filter(|_| args.semantics() == Semantics::Solid) {
        if let Shape::Mesh(mesh) = &body.shape {
            warn::aside(surfaces::of_mesh(&body.name, mesh).as_slice());
        }
    }
    let (pose_a, pose_b) = (pose(&args.pose_a, "--pose-a"), pose(&args.pose_b, "--pose-b"));
    for (axis, flag) in [(&args.turn_a, "--turn-a"), (&args.turn_b, "--turn-b")] {
        warn::hint(axis.as_ref().and_then(|axis| axis.hint.as_ref()).map(|hint| format!("{flag}: {hint}")));
    }
    let reading = if args.volumes { Reading::Volumes } else { Reading::Simultaneous };
    let (limits, session) = (args.limits(), &mut DistanceSession::new());
    let turns = args.turn_a.is_some() || args.turn_b.is_some();
    if !turns && (args.estimate || args.piece.is_some()) {
        bail!("--estimate and --piece apply to rotations: add --turn-a or --turn-b");
    }
    if args.volumes && !turns && args.sweep_a.is_none() && args.sweep_b.is_none() {
        bail!("--volumes applies to moving bodies: add --sweep-a, --sweep-b, --turn-a or --turn-b");
    }
    let (mut answer, mut at_least, mut at_most) = if turns {
        let way = if args.estimate { Way::Estimate } else { Way::Conservative };
        let options = TurnOptions { reading, way, piece: args.piece.unwrap_or(TurnOptions::default().piece) };
        let turn_a = args.turn(args.turn_a.as_ref(), &pose_a, args.sweep_a);
        let turn_b = args.turn(args.turn_b.as_ref(), &pose_b, args.sweep_b);
        let d = turned_distance((&a.tree, &pose_a, &turn_a), (&b.tree, &pose_b, &turn_b), options, limits, session)?;
        (turned(&d, args), d.at_least, d.at_most)
    } else if args.sweep_a.is_some() || args.sweep_b.is_some() {
        let (by_a, by_b) = (args.sweep_a.unwrap_or(Vec3::ZERO), args.sweep_b.unwrap_or(Vec3::ZERO));
        let d = swept_distance((&a.tree, &pose_a, by_a), (&b.tree, &pose_b, by_b), reading, limits, session)?;
        (swept(&d), d.at_least, d.at_most)
    } else {
        let d = distance((&a.tree, &pose_a), (&b.tree, &pose_b), limits, session)?;
        (rest(&d), d.at_least, d.at_most)
    };
    // If the surfaces never touch, a body inside at the start stays inside; if they may touch, the contact state at the start is
    // more informative.
    let bodies = ((a.shape.clone(), &pose_a), (b.shape.clone(), &pose_b));
    let standing = if at_least > 0.0 {
        let inside = (args.semantics() == Semantics::Solid).then(|| nesting(bodies.0, bodies.1));
        inside.transpose()?.flatten().map(Standing::Nested)
    } else {
        let start = standing(bodies.0, bodies.1, args.semantics())?;
        let of_meshes = |s: &Standing| match s {
            Standing::Nested(Nesting::FirstInside) => matches!(b.shape, Shape::Mesh(_)),
            Standing::Nested(Nesting::SecondInside) => matches!(a.shape, Shape::Mesh(_)),
            Standing::Nested(Nesting::Unclear) | Standing::Touching | Standing::Overlapping(_) => false,
        };
        // A body that starts inside a mesh and leaves it touches the surface, which gives the points.
        start.filter(|s| !of_meshes(s) || at_most > TOLERANCE)
    };
    (at_least, at_most) = add_state(&mut answer, (at_least, at_most), standing, (&a.name, &b.name));
    print(&if args.json { plain::json(&answer)? } else { text(&answer, &a.name, &b.name) })?;
    Ok(args.code(at_least, at_most))
}

/// Bodies within this distance are in contact, as in `impinge check`.
const TOLERANCE: f64 = 1e-9;

/// Adds the contact state to an answer; returns the updated bounds.
fn add_state(answer: &mut Value, (at_least, at_most): (f64, f64), standing: Option<Standing>, names: (&str, &str)) -> (f64, f64) {
    let touching = at_least <= 0.0 && at_most <= TOLERANCE;
    let state = match standing {
        Some(Standing::Nested(nesting)) => {
            nest(answer, nesting, names);
            answer["state"] = json!((nesting != Nesting::Unclear).then_some("contained"));
            return nesting.bounds(at_most);
        }
        Some(Standing::Overlapping(point)) => {
            // A point of both bodies has distance 0.
            (answer["at_least"], answer["at_most"], answer["points"]) = (json!(0.0), json!(0.0), json!(points((point, point))));
            clear(answer, &["triangles", "value", "error"]);
            answer.get_mut("times").into_iter().for_each(|times| *times = json!([0.0, 0.0]));
            answer["state"] = json!("overlapping");
            return (0.0, 0.0);
        }
        // For large bodies, the contact state is more exact than the distance search.
        Some(Standing::Touching) if at_most > TOLERANCE => {
            (answer["at_least"], answer["at_most"]) = (json!(0.0), json!(TOLERANCE));
            clear(answer, &["points", "triangles", "times", "value", "error"]);
            answer["state"] = json!("touching");
            return (0.0, TOLERANCE);
        }
        Some(Standing::Touching) => Some("touching"),
        None => touching.then_some("touching"),
    };
    answer["state"] = json!(state);
    (at_least, at_most)
}

/// Sets these keys to null.
fn clear(answer: &mut Value, keys: &[&str]) {
    for key in keys {
        answer.get_mut(*key).into_iter().for_each(|value| *value = Value::Null);
    }
}

/// Converts an answer for surfaces to one for solids.
fn nest(answer: &mut Value, nesting: Nesting, (a, b): (&str, &str)) {
    let high = answer["at_most"].as_f64().unwrap_or(f64::INFINITY);
    let (low, high) = nesting.bounds(high);
    (answer["at_least"], answer["at_most"]) = (json!(low), json!(finite(high)));
    let inside = match nesting {
        Nesting::FirstInside => [a, b],
        Nesting::SecondInside => [b, a],
        Nesting::Unclear => return,
    };
    answer["contained"] = json!(inside);
    clear(answer, &["points", "triangles", "times", "value", "error"]);
}

fn rest(d: &Distance) -> Value {
    let w = d.witness.as_ref();
    json!({
        "at_least": d.at_least, "at_most": finite(d.at_most), "points": w.map(|w| points(w.points)),
        "triangles": w.map(|w| [w.triangles.0, w.triangles.1]), "limited_by": limited_by(d.out_of_work),
    })
}

fn swept(d: &SweptDistance) -> Value {
    let w = d.witness.as_ref();
    json!({
        "at_least": d.at_least, "at_most": finite(d.at_most), "points": w.map(|w| points(w.points)),
        "times": w.map(|w| [w.times.0, w.times.1]), "triangles": w.map(|w| [w.triangles.0, w.triangles.1]),
        "limited_by": limited_by(d.out_of_work),
    })
}

fn turned(d: &TurnedDistance, args: &DistanceArgs) -> Value {
    let TurnedDistance { at_least, at_most, witness, out_of_work, .. } = *d;
    let mut value = swept(&SweptDistance { at_least, at_most, witness, out_of_work });
    value["value"] = json!(finite(d.value));
    value["error"] = json!(finite(d.error));
    value["way"] = json!(if args.estimate { "estimate" } else { "conservative" });
    value
}

/// Returns the reason why the bounds may differ by more than the requested width; null for none.
fn limited_by(out_of_work: bool) -> Option<&'static str> {
    out_of_work.then_some("work")
}

/// Converts infinity to null for JSON: nothing was found.
fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

fn points((a, b): (Vec3, Vec3)) -> [[f64; 3]; 2] {
    [a.to_array(), b.to_array()]
}

/// Converts a JSON answer to text.
fn text(answer: &Value, a: &str, b: &str) -> String {
    let number = |key: &str| answer[key].as_f64();
    let low = number("at_least").unwrap_or(0.0);
    if let [inner, outer] = answer["contained"].as_array().map_or(&[][..], Vec::as_slice) {
        let word = |name: &Value| plain::shown(name.as_str().unwrap_or_default()).into_owned();
        return format!("contained: {} is inside {}\n", word(inner), word(outer));
    }
    let state = answer["state"].as_str();
    let mut out = match number("at_most") {
        Some(_) if state.is_some() => format!("{}\n", state.unwrap_or_default()),
        Some(high) => format!("{} apart, and never less than {}\n", up(high), down(low)),
        None if answer["limited_by"].is_string() => format!("never less than {} apart\n", down(low)),
        None => format!("more than {low} apart\n"),
    };
    if answer["limited_by"].is_string() {
        out += "  work limit reached: a larger --max-work may give tighter bounds\n";
    }
    if let Some((value, error)) = number("value").zip(number("error")) {
        let what = if answer["way"] == "estimate" { "estimate" } else { "lower bound" };
        out += &format!("  {what}: {value:.9}, within {error:.3e} of the distance\n");
    }
    // All digits are printed: the points have the printed distance only at full precision.
    let at = |i: usize| {
        let p: Vec<f64> = answer["points"][i].as_array().map_or(Vec::new(), |p| p.iter().filter_map(Value::as_f64).collect());
        p.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
    };
    for (i, name) in [a, b].iter().enumerate().filter(|_| answer["points"].is_array()) {
        let triangle = answer["triangles"][i].as_u64().map_or(String::new(), |t| format!(" (triangle {t})"));
        let when = answer["times"][i].as_f64().map_or(String::new(), |t| format!(" at t = {t}"));
        let name = plain::shown(name);
        out += &format!("  {name}: {}{triangle}{when}\n", at(i));
    }
    out
}

fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

fn lengths(text: &str) -> Result<Vec3, String> {
    vector(text, Dimension::Length)
}

fn axis(text: &str) -> Result<Axis, String> {
    let (rotation, through) = text.split_once('@').map_or((text, None), |(r, p)| (r, Some(p)));
    let hint = angle_hint(&quantities(rotation)?);
    Ok(Axis { rotation: vector(rotation, Dimension::Angle)?, through: through.map(lengths).transpose()?, hint })
}
