//! A scene preprocessed for queries: everything is built once, queries take `&self` from any number of threads.

use std::sync::Arc;

use crate::Error;
use crate::math::rounding::next_up;
use crate::reference::redon2004::Redon2004;
use crate::scene::{Motion, PartId, Scene};
use crate::search::broad_phase::Report;
use crate::search::obb;
use crate::search::options::{Bound, Cancel, Engine, Options, Stages};
use crate::search::verdict::{Contact, Tally, Verdict, Witness};
use crate::search::{Collector, Goal, Index, Limits, Query};

/// Answers queries about motions of one scene. Clones share what was built.
#[derive(Clone, Debug)]
pub struct Checker {
    index: Arc<Index>,
    options: Options,
    /// The verdict for what never moves.
    static_pairs: Arc<Verdict>,
    /// Who may end queries before they are answered.
    cancel: Option<Cancel>,
}

impl Checker {
    /// Builds what queries about this scene need.
    ///
    /// # Errors
    /// If an option is out of range, or there are too many pairs to check.
    pub fn new(scene: impl Into<Arc<Scene>>, options: Options) -> Result<Self, Error> {
        options.check()?;
        let mut index = Index::new(scene.into(), options.semantics)?;
        index.build(&options);
        let static_pairs = Arc::new(index.static_pairs(&options));
        Ok(Checker { index: Arc::new(index), options, static_pairs, cancel: None })
    }

    /// A checker whose queries end, undecided, soon after `cancel` says so: on a clone for a query of its own.
    pub fn cancelled_by(self, cancel: &Cancel) -> Self {
        Checker { cancel: Some(cancel.clone()), ..self }
    }

    /// A checker whose margin is larger by this. What never moves keeps its verdict.
    ///
    /// # Errors
    /// If the sum is out of range.
    pub(crate) fn with_larger_margin(&self, by: f64) -> Result<Self, Error> {
        let options = self.options.margin(next_up(self.options.margin + by));
        options.check()?;
        Ok(Checker { options, ..self.clone() })
    }

    /// What is built for queries.
    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    /// The verdict for what never moves.
    pub(crate) fn static_pairs(&self) -> &Verdict {
        &self.static_pairs
    }

    /// A query about a motion.
    pub(crate) fn query<'a>(&'a self, motion: &'a Motion, goal: Goal) -> Query<'a> {
        Query { index: &self.index, motion, goal, options: &self.options, limits: self.limits() }
    }

    /// Collects what a search finds.
    pub(crate) fn collector(&self, goal: Goal) -> Collector<'_> {
        Collector::new(goal, self.options.sharpness(), self.limits())
    }

    /// When queries end, undecided.
    pub(crate) fn limits(&self) -> Limits<'_> {
        Limits { max_work: self.options.max_work, cancel: self.cancel.as_ref(), doubt_ends: false }
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.index.scene
    }

    /// The scene, to be shared with others that answer about it.
    pub fn shared_scene(&self) -> Arc<Scene> {
        self.index.scene.clone()
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Is the motion free? The fastest question: any proven contact ends the search, and its bracket says nothing about what came before.
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn check(&self, motion: &Motion) -> Result<Verdict, Error> {
        Ok(self.run(motion, Goal::Any)?.0)
    }

    /// When and where is the first contact?
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn first_contact(&self, motion: &Motion) -> Result<Verdict, Error> {
        Ok(self.run(motion, Goal::First)?.0)
    }

    /// Everything that touches at the end of a bracket of time, such as that of a contact found by [`Checker::first_contact`]: each pair of
    /// features once, in a fixed order. At the start also what is inside of a solid.
    ///
    /// # Errors
    /// If the motion belongs to another scene, or the bracket is no part of [0, 1]. [`Error::Incomplete`] where the list would not be whole:
    /// work ran out, the query was cancelled, or there is more than memory is meant for.
    pub fn all_at(&self, motion: &Motion, (lo, hi): (f64, f64)) -> Result<Vec<Witness>, Error> {
        self.index.scene.own(motion)?;
        if !(0.0 <= lo && lo <= hi && hi <= 1.0) {
            return Err(Error::invalid("bracket of time", format!("[{lo}, {hi}] is no part of [0, 1]")));
        }
        self.query(motion, Goal::First).witnesses((lo, hi))
    }

    /// How two parts that are checked stand when a motion begins, if they are in contact then: touching, overlapping, or one inside the other,
    /// which then comes first. `None` where nothing of that is found.
    ///
    /// # Errors
    /// If the motion or a part belongs to another scene.
    pub fn standing(&self, motion: &Motion, parts: (PartId, PartId)) -> Result<Option<Contact>, Error> {
        self.index.scene.own(motion)?;
        parts.0.of(&self.index.scene)?;
        parts.1.of(&self.index.scene)?;
        Ok(self.query(motion, Goal::First).standing(parts))
    }

    /// [`Checker::check`], and the work it took.
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn check_counted(&self, motion: &Motion) -> Result<(Verdict, Tally), Error> {
        self.run(motion, Goal::Any)
    }

    /// [`Checker::first_contact`], and the work it took.
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn first_contact_counted(&self, motion: &Motion) -> Result<(Verdict, Tally), Error> {
        self.run(motion, Goal::First)
    }

    /// [`Checker::check`], and what each stage did by a clock that tells seconds.
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn check_reported(&self, motion: &Motion, clock: &dyn Fn() -> f64) -> Result<(Verdict, Report), Error> {
        self.run_reported(motion, Goal::Any, clock)
    }

    /// [`Checker::first_contact`], and what each stage did by a clock that tells seconds.
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn first_contact_reported(&self, motion: &Motion, clock: &dyn Fn() -> f64) -> Result<(Verdict, Report), Error> {
        self.run_reported(motion, Goal::First, clock)
    }

    fn run(&self, motion: &Motion, goal: Goal) -> Result<(Verdict, Tally), Error> {
        self.query(motion, goal).run(&self.static_pairs, None)
    }

    fn run_reported(&self, motion: &Motion, goal: Goal, clock: &dyn Fn() -> f64) -> Result<(Verdict, Report), Error> {
        let mut report = Report::default();
        let (verdict, _) = self.query(motion, goal).run_reported(&self.static_pairs, None, &mut report, clock)?;
        let [boxes, sweeps, exact] = &mut report.stages;
        if let Some(exact) = exact {
            exact.suspects_in = sweeps.or(*boxes).map_or_else(|| self.index.part_pairs(), |culled| culled.suspects_out);
        }
        Ok((verdict, report))
    }
}

impl Index {
    /// Builds what queries with these options need, so that no query builds anything.
    fn build(&mut self, options: &Options) {
        if options.stages.unwrap_or_else(|| self.usual_stages()) != Stages::default() {
            self.culling();
        }
        match (options.bound, options.engine) {
            (Bound::Interval, _) => self.exact = Some(Box::new(Redon2004::new(&self.tasks))),
            (Bound::Tube, Engine::Auto | Engine::Boxes) if obb::is_wanted(self, options.engine, &self.tasks.tasks) => {
                self.wide.build(&self.tasks);
            }
            (Bound::Tube, Engine::Hulls) => self.hulls().build(&self.tasks),
            (Bound::Tube, Engine::Auto | Engine::Boxes | Engine::Sweep) => {}
        }
    }
}
