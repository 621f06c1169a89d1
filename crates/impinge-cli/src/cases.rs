//! Case files: `impinge check CASE.json` answers and reports whether the expected answer is met; `impinge cases FILE.json`
//! grades.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use impinge::query::Cancel;
use impinge_io::case::{self, Case, CaseQuery, Grade, grade};
use impinge_io::{CaseFile, Id, load_cases};
use rayon::prelude::*;
use serde::Serialize;

use crate::answer::{Answer, Word};
use crate::args::{CasesArgs, CheckArgs};
use crate::batch::Batch;
use crate::certificate::{Certificates, Output};
use crate::goal::Goal;
use crate::interrupt::Interrupt;
use crate::job;
use crate::plain;
use crate::printer::{Form, Printer};
use crate::progress::Progress;
use crate::repeats::Note;

/// Checks every case of a file; returns the exit code.
///
/// # Errors
/// If the file is not a case file, or an argument repeats a field of a case.
pub fn run(path: &Path, args: &CheckArgs) -> Result<u8> {
    if let Some(flag) = defined_by_the_case(args) {
        bail!("{}: a case defines its own scene, motion and options; remove {flag}", path.display());
    }
    let file = load_cases(path, &job::file_options(&args.model.files))?.with_options(job::options(&args.search));
    let goal = Goal::of(&args.search);
    let form = match (args.search.json, file.len()) {
        (true, _) => Form::Json,
        (false, 1) => Form::Story,
        (false, _) => Form::List,
    };
    let batch = Batch { unit: ("case", "cases"), total: Some(file.len() as u64), threads: args.search.threads };
    let certify = args.search.certificate.is_some();
    let mut printer = Printer::new(form, args.search.every_warning).with(Output::create(&args.search)?);
    let cancel = Some(Interrupt::watched().cancel());
    batch.run(0..file.len(), |i| check(&file, i, goal, certify, cancel).answer, &mut printer)
}

/// Returns the first argument that repeats a field of a case.
fn defined_by_the_case(args: &CheckArgs) -> Option<&'static str> {
    let (model, search) = (&args.model, &args.search);
    let given = [
        (!args.from.is_empty(), "--from"),
        (!args.to.is_empty(), "--to"),
        (args.motions.is_some(), "--motions"),
        (!args.trajectory.is_empty(), "--trajectory"),
        (args.problems.is_some(), "--problems"),
        (!model.srdf.is_empty(), "--srdf"),
        (!model.movers.robots.is_empty(), "--robot"),
        (!model.movers.bodies.is_empty(), "--body"),
        (!model.movers.base.is_empty(), "--base"),
        (!model.movers.attach.is_empty(), "--attach"),
        (!model.movers.state.is_empty(), "--state"),
        (!model.scene.is_empty(), "--scene"),
        (!model.obstacle.is_empty(), "--obstacle"),
        (!model.ignore.is_empty(), "--ignore"),
        (model.no_self, "--no-self"),
        (model.robot_name.is_some(), "--robot-name"),
        (search.margin.is_some(), "--margin"),
        (search.tolerance.is_some(), "--tolerance"),
        (search.time_tolerance.is_some(), "--time-tolerance"),
        (search.solid, "--solid"),
        (search.surfaces, "--surfaces"),
    ];
    given.into_iter().find(|(is_given, _)| *is_given).map(|(_, flag)| flag).or(model.movers.of_skeletons())
}

/// A case's answer, and its grade if an answer is expected.
struct Graded {
    answer: Answer,
    grade: Option<Grade>,
    /// The distance tolerance that was used, metres; `None` if no query ran.
    tolerance: Option<f64>,
    /// Whether the case could be read; its query may have been refused nevertheless, if that can be graded.
    readable: bool,
}

fn check(file: &CaseFile, i: usize, goal: Goal, certify: bool, cancel: Option<&Cancel>) -> Graded {
    let Case { id, expected, question: query, warnings } = match file.case(i) {
        Ok(case) => case,
        Err(error) => {
            let answer = Answer::error(&file.id(i), error.to_string());
            return Graded { answer, grade: None, tolerance: None, readable: false };
        }
    };
    let tolerance = query.as_ref().ok().map(|q| q.tolerance);
    let answered = query.map_err(anyhow::Error::from).and_then(|q| answer(&id, q, goal, certify, cancel));
    // A refusal is an answer only where one is expected.
    let readable = answered.is_ok() || expected.is_some();
    let (mut answer, graded) = answered.unwrap_or_else(|error| (Answer::error(&id, error.to_string()), case::Answer::refused()));
    answer.warnings.splice(0..0, warnings.into_iter().map(|w| Note::from(w.message)));
    let grade = expected.map(|expected| grade(&expected, &graded));
    answer.expected_met = grade.map(|grade| grade == Grade::Pass);
    answer.grade = grade.map(Grade::word);
    Graded { answer, grade, tolerance, readable }
}

/// Runs the query of a case; returns the answer and its graded part.
fn answer(id: &Id, mut query: CaseQuery, goal: Goal, certify: bool, cancel: Option<&Cancel>) -> Result<(Answer, case::Answer)> {
    if let Some(cancel) = cancel {
        query.checker = query.checker.cancelled_by(cancel);
    }
    // Every part of an answer belongs to its scene.
    let name = |part| query.part_name(part).unwrap_or_default();
    let (verdict, mut answer) = goal.run(id, &query.checker, &query.motion, query.margin, name)?;
    if certify && verdict.is_free() {
        let made = Certificates::new(&query.checker).map_err(|e| e.to_string());
        answer.certificate = Some(made.and_then(|c| c.of(&id.to_string(), &query.motion)));
    }
    let mut graded = case::Answer::of(&verdict, query.tolerance);
    if goal.any {
        graded.first = None;
    }
    Ok((answer, graded))
}

/// The JSON line of a case, in order.
#[derive(Debug, Serialize)]
struct Line<'a> {
    id: &'a Id,
    verdict: Word,
    /// The bracket of the first contact; if undecided, the span in which a contact is not excluded.
    time: Option<(f64, f64)>,
    tolerance: Option<f64>,
    /// Time to load and answer the case, from its JSON.
    seconds: f64,
    message: Option<&'a str>,
}

/// Runs `impinge cases`: grades every case of a file; returns the exit code.
///
/// # Errors
/// If the file is not a case file, it has no case, or the answer cannot be printed.
pub fn run_graded(args: &CasesArgs) -> Result<u8> {
    let file = load_cases(&args.file, &job::file_options(&args.files))?;
    if file.is_empty() {
        bail!("{}: there are no cases to grade", args.file.display());
    }
    let threads = args.threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
    let timed = |i| {
        let started = Instant::now();
        (check(&file, i, Goal::FIRST, false, None), started.elapsed().as_secs_f64())
    };
    let mut progress = Progress::new(Some(file.len() as u64));
    let mut tally = GradeTally::default();
    for first in (0..file.len()).step_by(CHUNK) {
        let chunk = first..file.len().min(first + CHUNK);
        let graded: Vec<(Graded, f64)> = pool.install(|| chunk.into_par_iter().map(timed).collect());
        progress.add(graded.len());
        let mut out = String::new();
        for (graded, seconds) in &graded {
            tally.add(graded);
            out += &if args.json { json_line(graded, *seconds)? } else { text_line(graded) };
        }
        progress.aside(|| io::stdout().lock().write_all(out.as_bytes()))?;
    }
    drop(progress);
    if !args.json {
        io::stdout().lock().write_all(tally.summary().as_bytes())?;
    }
    Ok(tally.code())
}

/// Number of cases in memory, and between two updates of the output.
const CHUNK: usize = 64;

fn json_line(graded: &Graded, seconds: f64) -> Result<String> {
    let Answer { id, verdict, message, .. } = &graded.answer;
    let time = match verdict {
        Word::Undecided => graded.answer.free_until.map(|t| (t, 1.0)),
        _ => graded.answer.time,
    };
    let line = Line { id, verdict: *verdict, time, tolerance: graded.tolerance, seconds, message: message.as_deref() };
    Ok(plain::json(&line)?)
}

/// Returns the line of a case that did not pass.
fn text_line(graded: &Graded) -> String {
    let word = match (graded.readable, graded.grade) {
        (false, _) => "UNREADABLE".into(),
        (true, None | Some(Grade::Pass)) => return String::new(),
        (true, Some(grade)) => grade.word().to_uppercase(),
    };
    let Answer { id, verdict, time, message, .. } = &graded.answer;
    let time = time.map_or(String::new(), |(lo, hi)| format!(" in [{lo}, {hi}]"));
    let message = message.as_ref().map_or(String::new(), |m| format!(": {m}"));
    format!("{word:<12} {}: {}{time}{}\n", plain::shown(&id.to_string()), verdict.text(), plain::shown(&message))
}

/// Number of cases per grade.
#[derive(Debug, Default)]
struct GradeTally {
    grades: BTreeMap<Grade, usize>,
    ungraded: usize,
    unreadable: usize,
}

impl GradeTally {
    fn add(&mut self, graded: &Graded) {
        match (graded.readable, graded.grade) {
            (false, _) => self.unreadable += 1,
            (true, None) => self.ungraded += 1,
            (true, Some(grade)) => *self.grades.entry(grade).or_default() += 1,
        }
    }

    fn count(&self, grades: &[Grade]) -> usize {
        grades.iter().filter_map(|g| self.grades.get(g)).sum()
    }

    /// Unsound, late and wrong have precedence over unreadable, which has precedence over sound answers weaker than expected.
    fn code(&self) -> u8 {
        if self.count(&[Grade::Unsound, Grade::Late, Grade::Wrong]) > 0 {
            1
        } else if self.unreadable > 0 {
            2
        } else if self.count(&[Grade::Loose, Grade::Conservative]) > 0 {
            3
        } else {
            0
        }
    }

    fn summary(&self) -> String {
        let total = self.grades.values().sum::<usize>() + self.ungraded + self.unreadable;
        let graded = self.grades.iter().map(|(grade, n)| (*n, grade.word()));
        let rest =
            [(self.ungraded, "without an expected answer"), (self.unreadable, "unreadable")].into_iter().filter(|(n, _)| *n > 0);
        let parts: Vec<String> = graded.chain(rest).map(|(n, what)| format!("{n} {what}")).collect();
        format!("{total} {}: {}\n", if total == 1 { "case" } else { "cases" }, parts.join(", "))
    }
}
