//! `impinge check`: what is asked about, and where its motions come from.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Result, bail};
use impinge_io::{IoError, JointValues, Loaded, MotionReader, Place, load_trajectory};

use crate::answer::Answer;
use crate::args::{AskArgs, CheckArgs};
use crate::asker::Asker;
use crate::batch::Batch;
use crate::certificate::Output;
use crate::job::Job;
use crate::printer::{Form, Printer};
use crate::progress::Loading;
use crate::{cases, input, problems, warn};

/// Runs the command; the exit code.
///
/// # Errors
/// If files are refused or arguments do not fit together.
pub fn run(args: &CheckArgs) -> Result<u8> {
    if let Some(path) = args.input.as_deref().filter(|path| is_json(path)) {
        return cases::run(path, args);
    }
    if args.from.is_none() && args.motions.is_none() && args.trajectory.is_none() && args.problems.is_none() {
        bail!("no motion is given; add --from and --to, --motions, --trajectory or --problems (see impinge check --help)");
    }
    let loading = Loading::new();
    let Loaded { value: job, warnings } = match (&args.moving, &args.input) {
        (Some(mesh), _) => Job::body(mesh, &args.fixed, &args.model)?,
        (None, Some(urdf)) => Job::robot(urdf, &args.model)?,
        (None, None) => bail!("nothing that moves is given (see impinge check --help)"),
    };
    if let Some(path) = &args.problems {
        drop(loading);
        warn::tell(&warnings);
        return problems::run(&job, path, &args.ask);
    }
    let built = job.scene(None)?;
    let mut notes = built.warnings.clone();
    if built.checked_pairs() == 0 {
        notes.push("no pair of parts is checked, so every motion is free; see impinge pairs".into());
    }
    let asker = Asker::new(built.scene, &job, &args.ask)?;
    drop(loading);
    warn::tell(&warnings);
    warn::note(&notes);
    match (&args.from, &args.to, &args.motions, &args.trajectory) {
        (Some(from), Some(to), ..) => one(&asker, from, to, &args.ask),
        (_, _, Some(path), _) => motions(&asker, path, &args.ask),
        (_, _, _, Some(path)) => trajectory(&asker, path, &args.ask),
        _ => bail!("no motion is given"),
    }
}

/// Whether a file begins like JSON rather than like XML.
fn is_json(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(4096).read_to_end(&mut start));
    let text = start.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(&start).trim_ascii_start();
    read.is_ok() && matches!(text.first(), Some(b'{' | b'['))
}

/// `--from … --to …`
fn one(asker: &Asker<'_>, from: &JointValues, to: &JointValues, ask: &AskArgs) -> Result<u8> {
    let answer = asker.joints("0", from, to, &Place::file("--from, --to"))?;
    let mut printer = Printer::new(if ask.json { Form::Json } else { Form::Story }).with(Output::create(ask)?);
    printer.print(&[answer])?;
    printer.close()?;
    Ok(printer.code())
}

/// `--motions …`
fn motions(asker: &Asker<'_>, path: &Path, ask: &AskArgs) -> Result<u8> {
    let shown = input::shown(path);
    let check = |motion: Result<impinge_io::Motion, IoError>| match motion {
        Ok(motion) => asker.motion(&motion, &Place::line(shown, motion.line)),
        Err(error) => Answer::error(&error.place().line.unwrap_or(0).to_string(), error.to_string()),
    };
    let batch = Batch { unit: ("motion", "motions"), total: input::count_lines(path), threads: ask.threads };
    let mut printer = Printer::new(if ask.json { Form::Json } else { Form::List }).with(Output::create(ask)?);
    batch.run(MotionReader::new(input::open(path)?, shown), check, &mut printer)
}

/// `--trajectory …`: every segment, with its time in seconds where the file has times.
fn trajectory(asker: &Asker<'_>, path: &Path, ask: &AskArgs) -> Result<u8> {
    let Loaded { value: trajectory, warnings } = load_trajectory(path)?;
    warn::tell(&warnings);
    let waypoints = trajectory.configurations(asker.robot()?, None)?;
    if waypoints.len() < 2 {
        bail!("{}: the trajectory has one waypoint; it needs at least two", path.display());
    }
    let check = |i: usize| {
        let mut answer = asker
            .line(&i.to_string(), &waypoints[i], &waypoints[i + 1])
            .unwrap_or_else(|e| Answer::error(&i.to_string(), format!("{}: {e}", Place::line(path, trajectory.lines[i + 1]))));
        if let Some(times) = &trajectory.times {
            let at = |t: f64| times[i] + t * (times[i + 1] - times[i]);
            answer.seconds = answer.time.map(|(lo, hi)| (at(lo), at(hi)));
        }
        answer
    };
    let segments = waypoints.len() - 1;
    let batch = Batch { unit: ("segment", "segments"), total: Some(segments as u64), threads: ask.threads };
    let mut printer = Printer::new(if ask.json { Form::Json } else { Form::Trouble }).with(Output::create(ask)?);
    batch.run(0..segments, check, &mut printer)
}
