//! The goal of a query: first or any contact, minimum distance, and details to report.

use std::time::Instant;

use anyhow::Result;
use impinge::query::Report;
use impinge::scene::PartId;
use impinge::{Checker, Error, Motion, Scene, Verdict};
use impinge_io::Id;

use crate::answer::{Answer, ClearanceLine, LinkPose, StageLine, Touching};
use crate::args::SearchArgs;

/// The goal of a query, and the details to report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Whether any contact is sufficient; otherwise the first.
    pub any: bool,
    /// Report all contacts at the first contact.
    all: bool,
    /// Report the poses of links at the first contact.
    poses: bool,
    /// Report the counters of each stage.
    report: bool,
    /// Report the minimum distance, to within this width.
    clearance: Option<f64>,
}

impl Goal {
    pub const FIRST: Goal = Goal { any: false, all: false, poses: false, report: false, clearance: None };

    pub fn of(search: &SearchArgs) -> Self {
        Goal { any: search.any, all: search.all, poses: search.poses, report: search.report, clearance: search.clearance }
    }

    /// Tests whether the goal is only the first contact.
    pub fn is_first(self) -> bool {
        !self.any && !self.report
    }

    /// Runs a query; returns the verdict, and the answer with its time in microseconds. `name` returns the names of parts.
    pub fn run<'a>(
        self,
        id: &Id,
        checker: &Checker,
        motion: &Motion,
        margin: f64,
        name: impl Fn(PartId) -> &'a str,
    ) -> Result<(Verdict, Answer)> {
        self.run_with(id, checker, motion, margin, name, || checker.first_contact(motion))
    }

    /// The same with a given search for the first contact.
    pub fn run_with<'a>(
        self,
        id: &Id,
        checker: &Checker,
        motion: &Motion,
        margin: f64,
        name: impl Fn(PartId) -> &'a str,
        first: impl FnOnce() -> Result<Verdict, Error>,
    ) -> Result<(Verdict, Answer)> {
        let started = Instant::now();
        let clock = || started.elapsed().as_secs_f64();
        let (verdict, report) = match (self.any, self.report) {
            (true, false) => (checker.check(motion)?, None),
            (false, false) => (first()?, None),
            (true, true) => some(checker.check_reported(motion, &clock)?),
            (false, true) => some(checker.first_contact_reported(motion, &clock)?),
        };
        let clearance = self.clearance.map(|width| checker.clearance(motion, width)).transpose()?;
        let nanos = started.elapsed().as_nanos() as f64;
        let mut answer = Answer::of(id, &verdict, margin, &name);
        answer.stages = report.as_ref().map(StageLine::all);
        if let Some(found) = &clearance {
            let line = ClearanceLine::of(found, &name);
            answer.clearance_at_least = line.at_least;
            answer.clearance = Some(line);
        }
        answer.micros = Some((nanos / 100.0).round() / 10.0);
        answer.warn_limits(motion);
        answer.add_loops(&checker.scene().loop_openings(motion)?);
        if let Some(contact) = verdict.contact() {
            if self.all {
                let listed = match checker.all_at(motion, contact.time) {
                    Ok(all) => Some(all.iter().map(|w| Touching::of(w, &name)).collect()),
                    // The proven part of the contact is kept.
                    Err(Error::Incomplete { .. }) => None,
                    Err(error) => return Err(error.into()),
                };
                answer.contacts_complete = Some(listed.is_some());
                answer.contacts = Some(listed.unwrap_or_else(|| vec![Touching::of_contact(contact, &name)]));
            }
            if self.poses {
                let links = checker.scene().poses(motion, contact.time.1)?;
                answer.links = Some(links.map(|(name, pose)| LinkPose::of(name, &pose)).collect());
            }
        }
        Ok((verdict, answer))
    }
}

/// Returns the name of a part of an answer about this scene; such a part always belongs to the scene.
pub fn part_name(scene: &Scene, part: PartId) -> &str {
    scene.part_name(part).unwrap_or_default()
}

fn some((verdict, report): (Verdict, Report)) -> (Verdict, Option<Report>) {
    (verdict, Some(report))
}
