//! `impinge check`: selects the scene and the source of motions.

use std::path::Path;

use anyhow::{Result, bail};
use impinge_io::{Loaded, motions};

use crate::answer::Answer;
use crate::args::{CheckArgs, SearchArgs};
use crate::batch::Batch;
use crate::certificate::Output;
use crate::interrupt::{self, Interrupt};
use crate::job::Job;
use crate::mover_args::{EndArg, writes_units};
use crate::movers::is_json;
use crate::outputs::refuse_inputs;
use crate::printer::{Form, Printer};
use crate::progress::Loading;
use crate::runner::Runner;
use crate::steps::Steps;
use crate::{cases, input, problems, surfaces, warn};

/// Runs the command; returns the exit code.
///
/// # Errors
/// If files are refused or arguments do not fit together.
pub fn run(args: &CheckArgs) -> Result<u8> {
    if let Some(out) = &args.search.certificate {
        refuse_inputs("--certificate", out, &args.files())?;
    }
    if let Some(path) = args.input.iter().find(|path| is_json(path)) {
        if args.input.len() > 1 {
            bail!("{}: a case file must be the only input", path.display());
        }
        return cases::run(path, args);
    }
    let loading = Loading::new();
    let Loaded { value: job, warnings } = Job::load(&args.input, args.moving.as_deref(), &args.fixed, &args.model)?;
    let source = Source::of(args, &job)?;
    if let Source::Problems(path) = source {
        if !args.from.is_empty() {
            bail!("--from: every problem defines its own start; remove --from");
        }
        drop(loading);
        warn::print(&warnings);
        return problems::run(&job, path, &args.search);
    }
    let built = job.scene(None)?;
    let mut notes = built.warnings.clone();
    if built.scene.checked_pairs().next().is_none() {
        notes.push("no pair of parts is checked, so every motion is free; run impinge pairs for the reasons".into());
    }
    let runner = Runner::new(built.scene, &job, &args.from, &args.search)?;
    drop(loading);
    warn::print(&warnings);
    warn::note(&notes);
    warn::aside(&runner.notes);
    warn::aside(surfaces::of_scene(runner.checker().scene()).filter(|_| !args.search.surfaces).as_slice());
    match source {
        Source::One(to) => one(&runner, &args.from, to, &args.search),
        Source::Motions(path) => job.refuse_from(&args.from).and_then(|()| batch(&runner, path, &args.search)),
        Source::Steps => Steps::load(&job, &args.trajectory)?.over(&job, &args.from)?.check(&runner, &args.search),
        Source::Problems(_) => bail!("no motion is given"),
    }
}

/// Runs `impinge clearance`: the same, with the minimum distance.
///
/// # Errors
/// If files are refused or arguments do not fit together.
pub fn run_clearance(mut args: CheckArgs) -> Result<u8> {
    args.search.any |= !(args.search.first || args.search.all || args.search.poses);
    args.search.clearance.get_or_insert(1e-6);
    run(&args)
}

/// The source of motions.
enum Source<'a> {
    One(&'a [EndArg]),
    Motions(&'a Path),
    Problems(&'a Path),
    /// Trajectories and recordings.
    Steps,
}

impl<'a> Source<'a> {
    fn of(args: &'a CheckArgs, job: &Job) -> Result<Self> {
        let recorded = job.robots.iter().find(|r| r.recorded.is_some());
        match (&args.motions, &args.problems, &args.to[..], &args.trajectory[..]) {
            (Some(path), ..) => Ok(Source::Motions(path)),
            (_, Some(path), ..) => Ok(Source::Problems(path)),
            (_, _, [_, ..], _) => match recorded {
                Some(robot) => bail!("--to describes one motion, but '{}' has a recorded motion", robot.name),
                None => Ok(Source::One(&args.to)),
            },
            (_, _, [], [_, ..]) => Ok(Source::Steps),
            _ if recorded.is_some() => Ok(Source::Steps),
            _ if !args.from.is_empty() => bail!("--from needs --to (see impinge check --help)"),
            _ => {
                bail!("no motion is given; add --from and --to, --motions, --trajectory or --problems (see impinge check --help)")
            }
        }
    }
}

/// Runs `--from … --to …`.
fn one(runner: &Runner<'_>, from: &[EndArg], to: &[EndArg], search: &SearchArgs) -> Result<u8> {
    let interrupt = Interrupt::watched();
    let mut answer = runner.one(to)?;
    // A user who writes units means radians where there are none.
    answer.hint.take_if(|_| writes_units(from.iter().chain(to)));
    let mut printer = Printer::new(if search.json { Form::Json } else { Form::Story }, true).with(Output::create(search)?);
    printer.print(&[answer])?;
    printer.close()?;
    Ok(if interrupt.came() { interrupt::CODE } else { printer.code() })
}

/// Runs `--motions …`.
fn batch(runner: &Runner<'_>, path: &Path, search: &SearchArgs) -> Result<u8> {
    // Lines are parsed on the threads that check them.
    let check = |(at, line): input::Line| {
        let id = line.as_ref().map_or_else(|_| at.line.unwrap_or(0).into(), |line| motions::id_of(line, &at));
        match line.and_then(|line| motions::parse(line.trim_ascii(), &at)) {
            Ok(motion) => runner.motion(&motion, &at),
            Err(error) => Answer::error(&id, error.to_string()),
        }
    };
    let batch = Batch { unit: ("motion", "motions"), total: input::count_lines(path), threads: search.threads };
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")) {
        bail!("{}: this is a table; give it with --trajectory. --motions takes JSON, one object per line", path.display());
    }
    let mut printer =
        Printer::new(if search.json { Form::Json } else { Form::List }, search.every_warning).with(Output::create(search)?);
    batch.run(input::lines(path, input::open(path)?), check, &mut printer)
}
