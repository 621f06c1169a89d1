//! One query, run: the order here is the algorithm.

use std::fmt::Debug;

use super::collector::{Answer, Collector, Goal, Limits};
use super::index::Index;
use crate::Error;
use crate::scene::Motion;
use crate::search::broad_phase::{Report, StageReport};
use crate::search::containment::Contained;
use crate::search::hulls;
use crate::search::hulls::Memory;
use crate::search::obb;
use crate::search::options::{Engine, Options, Stages};
use crate::search::pairs::Task;
use crate::search::sweep::resolve::Seen;
use crate::search::sweep::{SCRATCH, Search};
use crate::search::verdict::{Contact, Tally, Verdict, Witness};

/// More pairs to each moving piece than this are culled by boxes of whole parts first: a box for each part costs less than a test of each
/// pair of parts.
const MANY_TASKS: usize = 6;

/// An index, a motion of its scene, a goal and limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query<'a> {
    pub index: &'a Index,
    pub motion: &'a Motion,
    pub goal: Goal,
    pub options: &'a Options,
    pub limits: Limits<'a>,
}

/// An exact stage of another layer: it decides everything that the broad phase leaves. Built with the index, and asked for by options.
pub(crate) trait ExactStage: Debug + Send + Sync {
    /// Searches the candidates, pairs of a task and an owner of what rests there. Returns the answer, the work, and what to report of it.
    fn search(&self, query: &Query<'_>, tasks: &[Task], candidates: &[(usize, usize)]) -> (Answer, Tally, StageReport);
}

/// What is known when the search for contacts of surfaces begins.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Start {
    /// Nothing is inside of anything.
    Clear,
    /// That is not known: nothing can be called free.
    Unclear,
}

impl Start {
    /// What a verdict about surfaces says about solids.
    fn then(self, verdict: Verdict) -> Verdict {
        match (self, verdict) {
            (Start::Clear, verdict) => verdict,
            (Start::Unclear, Verdict::Contact(c)) => {
                Verdict::Contact(Box::new(Contact { time: (0.0, c.time.1), free_until: 0.0, ..*c }))
            }
            (Start::Unclear, Verdict::Free | Verdict::Undecided { .. }) => Verdict::Undecided { free_until: 0.0 },
        }
    }
}

impl<'a> Query<'a> {
    /// The verdict, and the work it took. `static_pairs` is the verdict for what never moves, `front` is kept from query to query.
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn run(&self, static_pairs: &Verdict, front: Option<&mut Memory>) -> Result<(Verdict, Tally), Error> {
        self.run_reported(static_pairs, front, &mut Report::default(), &|| 0.0)
    }

    /// The same, and what each stage did by a clock that returns seconds.
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn run_reported(
        &self,
        static_pairs: &Verdict,
        front: Option<&mut Memory>,
        report: &mut Report,
        clock: &dyn Fn() -> f64,
    ) -> Result<(Verdict, Tally), Error> {
        self.index.scene.own(self.motion)?;
        match self.at_start(static_pairs) {
            Err(decided) => Ok((decided, Tally::default())),
            Ok(start) => {
                let (verdict, tally) = self.staged(front, report, clock);
                Ok((start.then(verdict), tally))
            }
        }
    }

    /// The first question of every query: does what never moves touch, and is anything inside of a solid at the start? `Err` with the
    /// verdict where that decides the query.
    fn at_start(&self, static_pairs: &Verdict) -> Result<Start, Verdict> {
        match static_pairs {
            Verdict::Free => {}
            decided => return Err(decided.clone()),
        }
        match self.index.containment.at(self.motion, 0.0) {
            Contained::Nothing => Ok(Start::Clear),
            Contained::Unclear => Ok(Start::Unclear),
            Contained::Found(contact) => Err(Verdict::Contact(Box::new(self.crossing_or(*contact)))),
        }
    }

    /// The stages that are switched on, and the exact one.
    fn staged(&self, front: Option<&mut Memory>, report: &mut Report, clock: &dyn Fn() -> f64) -> (Verdict, Tally) {
        // A front is of the traversal of all tasks.
        let culls = front.is_none() && self.stages() != Stages::default();
        let culled = culls.then(|| self.cull(report, clock));
        let tasks = culled.as_ref().map_or(&self.index.tasks.tasks, |left| &left.tasks);
        let started = clock();
        let (verdict, tally, mut exact) = match &self.index.exact {
            Some(stage) if front.is_none() => {
                let candidates = culled.as_ref().map_or_else(|| self.index.tasks.suspects(), |left| left.suspects.clone());
                let (answer, tally, report) = stage.search(self, tasks, &candidates);
                (self.verdict(tasks, &answer, None), tally, report)
            }
            _ => {
                let (verdict, tally) = self.search(tasks, front);
                (verdict, tally, StageReport::of_search(&tally))
            }
        };
        (exact.suspects_out, exact.seconds) = (u64::from(!verdict.is_free()), clock() - started);
        report.stages[2] = Some(exact);
        if self.index.deforming.is_empty() { (verdict, tally) } else { self.with_deforming(verdict, tally) }
    }

    /// The exact stage by the engine asked for.
    fn search(&self, tasks: &[Task], front: Option<&mut Memory>) -> (Verdict, Tally) {
        let engine = if front.is_some() { Engine::Hulls } else { self.options.engine };
        let (answer, tally) = match engine {
            Engine::Auto | Engine::Boxes => match obb::sides(self, tasks) {
                Some(sides) => obb::search(self, sides),
                None => return self.swept(tasks),
            },
            Engine::Sweep => return self.swept(tasks),
            Engine::Hulls => hulls::search(self, tasks, front),
        };
        self.sharpened(tasks, &answer, tally)
    }

    /// The exact stage by the general engine.
    fn swept(&self, tasks: &[Task]) -> (Verdict, Tally) {
        let (answer, tally, seen) = self.sweep(tasks, Tally::default());
        (self.verdict(tasks, &answer, seen.as_ref()), tally)
    }

    /// Turns the answer of an engine into a verdict. If it is undecided, or wider than the time tolerance, the general engine runs with the
    /// work that is left: engines advance pairs over different spans, and proofs that fail on one may succeed on another.
    fn sharpened(&self, tasks: &[Task], answer: &Answer, tally: Tally) -> (Verdict, Tally) {
        if answer.doubt(self.goal) <= self.options.time_tolerance || self.limits.end_at(tally.work()) {
            return (self.verdict(tasks, answer, None), tally);
        }
        let (again, tally, seen) = self.sweep(tasks, tally);
        if again.doubt(self.goal) < answer.doubt(self.goal) {
            (self.verdict(tasks, &again.free_as_long_as(answer, self.goal), seen.as_ref()), tally)
        } else {
            (self.verdict(tasks, &answer.free_as_long_as(&again, self.goal), None), tally)
        }
    }

    /// Runs the general engine, after so much work was `spent`.
    pub fn sweep(&self, tasks: &[Task], spent: Tally) -> (Answer, Tally, Option<Seen>) {
        SCRATCH.with_borrow_mut(|scratch| {
            let mut search = Search::new(self, tasks, scratch);
            search.begin_with(spent);
            let answer = search.run();
            (answer, search.tally, search.seen)
        })
    }

    /// An answer in the user's terms; a contact that was seen need not be computed again.
    pub fn verdict(&self, tasks: &[Task], answer: &Answer, seen: Option<&Seen>) -> Verdict {
        match answer {
            Answer::Free => Verdict::Free,
            Answer::Contact { found, free_until } => {
                let task = &tasks[found.items.task];
                let relative = self.index.relative(&self.motion.chain, task);
                let mut contact = self.index.describe(task, &relative, found, *free_until, seen);
                // Round solids are searched as such: one may be wholly inside the other.
                let at_start = found.lo <= 0.0;
                if at_start && let Some(nested) = self.index.containment.nested(self.motion, 0.0, contact.parts) {
                    contact = nested;
                } else if at_start && (self.goal == Goal::First || found.hi <= 0.0) {
                    let (state, overlapping) = self.state_at_start(tasks, found);
                    contact.state = state;
                    // What was found first may be no more than near, or touch.
                    if let Some(items) = overlapping {
                        let Witness { parts, features, point, normal, .. } = self.meeting_at_start(&tasks[items.task], items);
                        if [parts, (parts.1, parts.0)].contains(&contact.parts) {
                            contact = Contact { parts, features, point, normal, ..contact };
                        }
                    }
                }
                Verdict::Contact(Box::new(contact))
            }
            Answer::Undecided { free_until } => Verdict::Undecided { free_until: *free_until },
        }
    }

    /// Collects what a search finds.
    pub fn collector(&self) -> Collector<'a> {
        Collector::new(self.goal, self.options.sharpness(), self.limits)
    }

    /// The culling stages asked for, or those that pay.
    pub fn stages(&self) -> Stages {
        self.options.stages.unwrap_or_else(|| self.index.usual_stages())
    }
}

impl Index {
    /// The culling stages that pay.
    pub fn usual_stages(&self) -> Stages {
        Stages { boxes: self.tasks.tasks.len() > MANY_TASKS * self.tasks.moving.len(), sweeps: false }
    }

    /// The verdict for what never moves.
    pub fn static_pairs(&self, options: &Options) -> Verdict {
        let tasks = &self.tasks.standing;
        if tasks.is_empty() {
            return Verdict::Free;
        }
        let limits = Limits { max_work: options.max_work, cancel: None, doubt_ends: false };
        let motion = Motion::resting(&self.scene);
        let query = Query { index: self, motion: &motion, goal: Goal::Any, options, limits };
        let found = query.verdict(tasks, &query.sweep(tasks, Tally::default()).0, None);
        match found {
            Verdict::Contact(c) => Verdict::Contact(Box::new(Contact { time: (0.0, 0.0), free_until: 0.0, ..*c })),
            Verdict::Undecided { .. } => Verdict::Undecided { free_until: 0.0 },
            Verdict::Free => Verdict::Free,
        }
    }
}
