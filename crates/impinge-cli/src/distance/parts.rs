//! `impinge distance ROBOT.urdf --at …`: parts of a scene at one instant.

use anyhow::{Result, anyhow, bail};
use impinge::query::distance::{PartDistance, SceneDistances, Standing};
use impinge::scene::PartId;
use impinge_io::Loaded;
use serde_json::json;

use super::{DistanceArgs, add_state, print, rest, text};
use crate::args::SearchArgs;
use crate::goal::part_name;
use crate::job::Job;
use crate::mover_args::writes_units;
use crate::names::PartNames;
use crate::plain;
use crate::runner::Runner;
use crate::surfaces;
use crate::warn;

pub fn run(args: &DistanceArgs) -> Result<u8> {
    let Loaded { value: job, warnings } = Job::load(&args.input, None, &[], &args.model)?;
    warn::print(&warnings);
    let built = job.scene(None)?;
    warn::note(&built.warnings);
    let runner = Runner::at_rest(built.scene, &job, &args.at, &SearchArgs { surfaces: args.surfaces, ..SearchArgs::default() })?;
    warn::aside(&runner.notes);
    warn::aside(surfaces::of_scene(runner.checker().scene()).filter(|_| !args.surfaces).as_slice());
    let motion = runner.resting()?;
    warn::hint(runner.hint(&motion).filter(|_| !writes_units(&args.at)));
    let distances = SceneDistances::new(runner.checker().shared_scene(), args.semantics())?;
    let limits = args.limits();
    let found = match &args.between {
        Some(names) => {
            let (a, b) = both(&distances, names)?;
            distances.between(a, b, &motion, 0.0, limits)?.into_iter().collect()
        }
        None if args.all => distances.all(&motion, 0.0, limits)?,
        None => distances.nearest(&motion, 0.0, limits)?.into_iter().collect::<Vec<_>>(),
    };
    if found.is_empty() {
        return nothing(args);
    }
    let (mut out, mut codes) = (String::new(), Vec::new());
    for d in &found {
        let standing = match d.nesting {
            Some(nesting) => Some(Standing::Nested(nesting)),
            None if d.distance.at_least > 0.0 => None,
            None => runner.checker().standing(&motion, d.parts)?.and_then(|c| Standing::of(&c, d.parts.0)),
        };
        let (line, code) = line(&distances, d, standing, args);
        out += &line;
        codes.push(code);
    }
    print(&out)?;
    Ok([1, 3].into_iter().find(|code| codes.contains(code)).unwrap_or(0))
}

fn nothing(args: &DistanceArgs) -> Result<u8> {
    if args.between.is_some() {
        bail!("--between: one of the two parts has no geometry");
    }
    let Some(max) = args.max else { bail!("no pair of parts is checked; run impinge pairs for the reasons") };
    let words = format!("no checked pair is within {max} m\n");
    print(&if args.json { json!({"pair": null, "at_least": max, "at_most": null}).to_string() + "\n" } else { words })?;
    Ok(0)
}

/// Returns the line of a pair, and its exit code.
fn line(distances: &SceneDistances, d: &PartDistance, standing: Option<Standing>, args: &DistanceArgs) -> (String, u8) {
    let name = |part: PartId| part_name(distances.scene(), part);
    let (a, b) = (name(d.parts.0), name(d.parts.1));
    let mut answer = rest(&d.distance);
    let (at_least, at_most) = add_state(&mut answer, (d.distance.at_least, d.distance.at_most), standing, (a, b));
    let code = args.code(at_least, at_most);
    if args.json {
        answer["pair"] = json!([a, b]);
        answer["pieces"] = json!([d.pieces.0, d.pieces.1]);
        return (plain::json(&answer).unwrap_or_default(), code);
    }
    (format!("{} – {}: {}", plain::shown(a), plain::shown(b), text(&answer, a, b)), code)
}

/// Returns two parts given by full names, or by link names if the scene has one robot.
fn both(distances: &SceneDistances, names: &str) -> Result<(PartId, PartId)> {
    let scene = distances.scene();
    let known = PartNames::of(scene.part_names());
    let find = |name: &str| {
        let full = known.find(name, "--between")?;
        scene.part(full).ok_or_else(|| anyhow!("--between: there is no part '{full}'"))
    };
    match names.split(',').map(str::trim).collect::<Vec<_>>()[..] {
        [a, b] => match (find(a)?, find(b)?) {
            (a, b) if a == b => bail!("--between: both names refer to the same part; name two parts"),
            both => Ok(both),
        },
        _ => bail!("--between: write two names separated by a comma: a,b"),
    }
}
