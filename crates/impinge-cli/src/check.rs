//! `impinge check`: what is asked about, and where its motions come from.

use std::path::Path;

use anyhow::{Result, bail};
use impinge_io::{Loaded, motions};

use crate::answer::Answer;
use crate::args::{AskArgs, CheckArgs};
use crate::asker::Asker;
use crate::batch::Batch;
use crate::certificate::Output;
use crate::interrupt::{self, Interrupt};
use crate::job::Job;
use crate::mover_args::{EndArg, writes_units};
use crate::movers::is_json;
use crate::outputs::refuse_inputs;
use crate::printer::{Form, Printer};
use crate::progress::Loading;
use crate::steps::Steps;
use crate::{cases, input, problems, surfaces, warn};

/// Runs the command; the exit code.
///
/// # Errors
/// If files are refused or arguments do not fit together.
pub fn run(args: &CheckArgs) -> Result<u8> {
    if let Some(out) = &args.ask.certificate {
        refuse_inputs("--certificate", out, &args.files())?;
    }
    if let Some(path) = args.input.iter().find(|path| is_json(path)) {
        if args.input.len() > 1 {
            bail!("{}: a case is a question of its own; give it alone", path.display());
        }
        return cases::run(path, args);
    }
    let loading = Loading::new();
    let Loaded { value: job, warnings } = Job::load(&args.input, args.moving.as_deref(), &args.fixed, &args.model)?;
    let source = Source::of(args, &job)?;
    if let Source::Problems(path) = source {
        if !args.from.is_empty() {
            bail!("--from: problems say themselves where they begin; leave it out");
        }
        drop(loading);
        warn::tell(&warnings);
        return problems::run(&job, path, &args.ask);
    }
    let built = job.scene(None)?;
    let mut notes = built.warnings.clone();
    if built.scene.checked_pairs().next().is_none() {
        notes.push("no pair of parts is checked, so every motion is free; see impinge pairs".into());
    }
    let asker = Asker::new(built.scene, &job, &args.from, &args.ask)?;
    drop(loading);
    warn::tell(&warnings);
    warn::note(&notes);
    warn::aside(&asker.notes);
    warn::aside(surfaces::of_scene(asker.checker().scene()).filter(|_| !args.ask.surfaces).as_slice());
    match source {
        Source::One(to) => one(&asker, &args.from, to, &args.ask),
        Source::Motions(path) => job.refuse_from(&args.from).and_then(|()| batch(&asker, path, &args.ask)),
        Source::Steps => Steps::load(&job, &args.trajectory)?.over(&job, &args.from)?.check(&asker, &args.ask),
        Source::Problems(_) => bail!("no motion is given"),
    }
}

/// `impinge clearance`: the same, asking how near things come.
///
/// # Errors
/// If files are refused or arguments do not fit together.
pub fn run_clearance(mut args: CheckArgs) -> Result<u8> {
    args.ask.any |= !(args.ask.first || args.ask.all || args.ask.poses);
    args.ask.clearance.get_or_insert(1e-6);
    run(&args)
}

/// Where motions come from.
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
                Some(robot) => bail!("--to is one motion, but '{}' comes with a recording of many", robot.name),
                None => Ok(Source::One(&args.to)),
            },
            (_, _, [], [_, ..]) => Ok(Source::Steps),
            _ if recorded.is_some() => Ok(Source::Steps),
            _ if !args.from.is_empty() => bail!("where does it go? add --to to --from (see impinge check --help)"),
            _ => {
                bail!("no motion is given; add --from and --to, --motions, --trajectory or --problems (see impinge check --help)")
            }
        }
    }
}

/// `--from … --to …`
fn one(asker: &Asker<'_>, from: &[EndArg], to: &[EndArg], ask: &AskArgs) -> Result<u8> {
    let interrupt = Interrupt::watched();
    let mut answer = asker.one(to)?;
    // Who writes units means them.
    answer.hint.take_if(|_| writes_units(from.iter().chain(to)));
    let mut printer = Printer::new(if ask.json { Form::Json } else { Form::Story }, true).with(Output::create(ask)?);
    printer.print(&[answer])?;
    printer.close()?;
    Ok(if interrupt.came() { interrupt::CODE } else { printer.code() })
}

/// `--motions …`
fn batch(asker: &Asker<'_>, path: &Path, ask: &AskArgs) -> Result<u8> {
    // Lines are parsed where they are checked, on all threads.
    let check = |(at, line): input::Line| {
        let id = line.as_ref().map_or_else(|_| at.line.unwrap_or(0).into(), |line| motions::id_of(line, &at));
        match line.and_then(|line| motions::parse(line.trim_ascii(), &at)) {
            Ok(motion) => asker.motion(&motion, &at),
            Err(error) => Answer::error(&id, error.to_string()),
        }
    };
    let batch = Batch { unit: ("motion", "motions"), total: input::count_lines(path), threads: ask.threads };
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")) {
        bail!("{}: a table is given with --trajectory; motions are JSON, one object per line", path.display());
    }
    let mut printer = Printer::new(if ask.json { Form::Json } else { Form::List }, ask.every_warning).with(Output::create(ask)?);
    batch.run(input::lines(path, input::open(path)?), check, &mut printer)
}
