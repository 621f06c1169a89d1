//! `impinge check CASE.json`: one case, or a file of them, and whether the expected answer was met.

use std::path::Path;

use anyhow::{Result, bail};
use impinge_io::case::{self, Case, Grade, grade};
use impinge_io::{CaseFile, load_cases};

use crate::answer::Answer;
use crate::args::CheckArgs;
use crate::asker::Goal;
use crate::batch::Batch;
use crate::certificate::{Certificates, Output};
use crate::job;
use crate::printer::{Form, Printer};

/// Checks every case of a file; the exit code.
///
/// # Errors
/// If the file is no case file, or arguments say what a case says itself.
pub fn run(path: &Path, args: &CheckArgs) -> Result<u8> {
    if let Some(flag) = said_by_the_case(args) {
        bail!("{}: a case has its own scene, motion and options; leave out {flag}", path.display());
    }
    let file = load_cases(path, &job::file_options(&args.model.files))?;
    let goal = Goal::of(&args.ask);
    let form = match (args.ask.json, file.len()) {
        (true, _) => Form::Json,
        (false, 1) => Form::Story,
        (false, _) => Form::List,
    };
    let batch = Batch { unit: ("case", "cases"), total: Some(file.len() as u64), threads: args.ask.threads };
    let certify = args.ask.certificate.is_some();
    let mut printer = Printer::new(form).with(Output::create(&args.ask)?);
    batch.run(0..file.len(), |i| check(&file, i, goal, certify), &mut printer)
}

/// The first argument that a case says itself.
fn said_by_the_case(args: &CheckArgs) -> Option<&'static str> {
    let (model, ask) = (&args.model, &args.ask);
    let given = [
        (args.from.is_some(), "--from"),
        (args.motions.is_some(), "--motions"),
        (args.trajectory.is_some(), "--trajectory"),
        (args.problems.is_some(), "--problems"),
        (model.srdf.is_some(), "--srdf"),
        (!model.scene.is_empty(), "--scene"),
        (!model.obstacle.is_empty(), "--obstacle"),
        (!model.ignore.is_empty(), "--ignore"),
        (model.no_self, "--no-self"),
        (model.robot_name.is_some(), "--robot-name"),
        (ask.margin.is_some(), "--margin"),
        (ask.tolerance.is_some(), "--tolerance"),
        (ask.time_tolerance.is_some(), "--time-tolerance"),
        (ask.solid, "--solid"),
    ];
    given.into_iter().find(|(is_given, _)| *is_given).map(|(_, flag)| flag)
}

fn check(file: &CaseFile, i: usize, goal: Goal, certify: bool) -> Answer {
    let Case { id, expected, question, warnings } = match file.case(i) {
        Ok(case) => case,
        Err(error) => return Answer::error(&file.id(i), error.to_string()),
    };
    let (mut answer, graded) = match question {
        Err(error) => (Answer::error(&id, error.to_string()), case::Answer::refused()),
        Ok(question) => {
            let (verdict, micros) = goal.ask(&question.checker, &question.motion);
            let mut answer = Answer::of(&id, &verdict, question.margin, |part| question.part_name(part));
            answer.micros = Some(micros);
            answer.warn_limits(&question.motion);
            if certify && verdict.is_free() {
                let made = Certificates::new(&question.checker).map_err(|e| e.to_string());
                answer.certificate = Some(made.and_then(|c| c.of(&id, &question.motion)));
            }
            let mut graded = case::Answer::of(&verdict, question.tolerance);
            if goal == Goal::Any {
                graded.first = None;
            }
            (answer, graded)
        }
    };
    answer.warnings.splice(0..0, warnings.into_iter().map(|w| w.message));
    if let Some(expected) = expected {
        let grade = grade(&expected, &graded);
        answer.expected_met = Some(grade == Grade::Pass);
        answer.grade = Some(grade.word());
    }
    answer
}
