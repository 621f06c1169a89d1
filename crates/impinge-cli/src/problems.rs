//! `impinge check … --problems`: planning problems, each with its own scene; the straight joint motion from start to goal.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use impinge_io::scene::moveit::{self, Problem};
use impinge_io::{Id, JointValues, Loaded, Place, json, motions};
use serde_json::Value;

use crate::answer::Answer;
use crate::args::SearchArgs;
use crate::batch::Batch;
use crate::certificate::Output;
use crate::course::Course;
use crate::input::{self, Line};
use crate::job::Job;
use crate::movers::RobotMover;
use crate::printer::{Form, Printer};
use crate::repeats::Note;
use crate::runner::Runner;
use crate::values::configuration;

/// Checks every problem of a file; returns the exit code.
///
/// # Errors
/// If the file cannot be opened.
pub fn run(job: &Job, path: &Path, search: &SearchArgs) -> Result<u8> {
    let [robot] = &job.robots[..] else { bail!("--problems requires exactly one robot") };
    let setting = Setting { job, robot, search, matrix: if robot.srdf.is_some() { Matrix::Ignore } else { Matrix::Use } };
    let batch = Batch { unit: ("problem", "problems"), total: input::count_lines(path), threads: search.threads };
    let mut printer =
        Printer::new(if search.json { Form::Json } else { Form::List }, search.every_warning).with(Output::create(search)?);
    batch.run(input::lines(path, input::open(path)?), |line| setting.check(line), &mut printer)
}

/// Whether a scene's allowed-collision matrix is used: not if an SRDF gives the same pairs with reasons.
#[derive(Clone, Copy, PartialEq)]
enum Matrix {
    Use,
    Ignore,
}

/// Data that all problems share.
struct Setting<'a> {
    job: &'a Job,
    robot: &'a RobotMover,
    search: &'a SearchArgs,
    matrix: Matrix,
}

impl Setting<'_> {
    /// Checks one line; an error becomes its answer.
    fn check(&self, (at, line): Line) -> Answer {
        let id = line.as_ref().map_or_else(|_| at.line.unwrap_or(0).into(), |line| motions::id_of(line, &at));
        let value = line.and_then(|line| json::parse(line.trim_ascii(), &at));
        let answer = value.map_err(anyhow::Error::from).and_then(|value| self.problem(&id, &value, &at));
        answer.unwrap_or_else(|e| Answer::error(&id, e.to_string()))
    }

    fn problem(&self, id: &Id, value: &Value, at: &Place) -> Result<Answer> {
        let Loaded { value: mut problem, warnings } = moveit::problem(value, at)?;
        if self.matrix == Matrix::Ignore {
            problem.scene.allowed.clear();
        }
        let mut notes: Vec<String> = warnings.into_iter().map(|w| w.message).collect();
        let (q0, q1) = ends(&problem, self.robot, at, &mut notes)?;
        let built = self.job.scene(Some(&problem.scene)).map_err(|e| anyhow!("{at}: {e}"))?;
        notes.extend(built.warnings);
        let runner = Runner::new(built.scene, self.job, &[], self.search)?;
        let mut answer = runner.several(id, &[Some(Course::Values(&q0, &q1))], &[], at)?;
        answer.warnings.splice(0..0, notes.into_iter().map(Note::from));
        Ok(answer)
    }
}

/// Returns start and goal; joints that the goal does not name keep their start value, unknown joints are reported and ignored.
fn ends(problem: &Problem, mover: &RobotMover, at: &Place, notes: &mut Vec<String>) -> Result<(Vec<f64>, Vec<f64>)> {
    let RobotMover { model: robot, state, .. } = mover;
    let state = state.as_deref();
    let mut known = |values: &JointValues, what: &str| {
        let (kept, unknown) = values.keep_known(robot);
        if !unknown.is_empty() {
            let count = if unknown.len() == 1 { "1 joint".into() } else { format!("{} joints", unknown.len()) };
            notes
                .push(format!("the {what} names {count} that the robot does not have or that are fixed: {}", unknown.join(", ")));
        }
        kept
    };
    let (start, goal) = (known(&problem.start, "start"), known(&problem.goal, "goal"));
    let q0 = configuration(robot, &start, state, at)?;
    let q1 = configuration(robot, &goal, Some(&q0), at)?;
    Ok((q0, q1))
}
