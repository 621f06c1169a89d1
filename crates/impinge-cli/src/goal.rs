//! What is wanted of a motion: the first contact, any, how near, with which details.

use std::time::Instant;

use anyhow::Result;
use impinge::query::Report;
use impinge::scene::PartId;
use impinge::{Checker, Error, Motion, Scene, Verdict};
use impinge_io::Id;

use crate::answer::{Answer, ClearanceLine, LinkPose, StageLine, Touching};
use crate::args::AskArgs;

/// How a question is put.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Any contact will do; otherwise the first.
    pub any: bool,
    /// Tell everything that touches at the first contact.
    all: bool,
    /// Tell where links are then.
    poses: bool,
    /// Tell what each stage did.
    report: bool,
    /// Tell how near things come, to within this.
    clearance: Option<f64>,
}

impl Goal {
    pub const FIRST: Goal = Goal { any: false, all: false, poses: false, report: false, clearance: None };

    pub fn of(ask: &AskArgs) -> Self {
        Goal { any: ask.any, all: ask.all, poses: ask.poses, report: ask.report, clearance: ask.clearance }
    }

    /// Whether the first contact is all that is searched for.
    pub fn is_first(self) -> bool {
        !self.any && !self.report
    }

    /// Asks; the verdict, and the answer in the user's terms with the microseconds it took. `name` names parts.
    pub fn ask<'a>(
        self,
        id: &Id,
        checker: &Checker,
        motion: &Motion,
        margin: f64,
        name: impl Fn(PartId) -> &'a str,
    ) -> Result<(Verdict, Answer)> {
        self.ask_with(id, checker, motion, margin, name, || checker.first_contact(motion))
    }

    /// The same, where somebody else may know the first contact of the motion.
    pub fn ask_with<'a>(
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
        answer.tell_loops(&checker.scene().loop_openings(motion)?);
        if let Some(contact) = verdict.contact() {
            if self.all {
                let listed = match checker.all_at(motion, contact.time) {
                    Ok(all) => Some(all.iter().map(|w| Touching::of(w, &name)).collect()),
                    // What is proven of the contact stays so.
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

/// The name of a part of an answer about this scene: such a part is never foreign.
pub fn part_name(scene: &Scene, part: PartId) -> &str {
    scene.part_name(part).unwrap_or_default()
}

fn some((verdict, report): (Verdict, Report)) -> (Verdict, Option<Report>) {
    (verdict, Some(report))
}
