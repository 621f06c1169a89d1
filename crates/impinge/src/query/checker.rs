//! A scene made ready to be asked about: trees are built once, questions take `&self` from any number of threads.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use super::boxes::{self, trees::WideTrees};
use super::contain::{Contained, Containment};
use super::deform::Deforming;
use super::front::HullTrees;
use super::options::{Bound, Cancel, Engine, Options, Stages};
use super::resolve::Seen;
use super::search::{Answer, Scratch, Search};
use super::simultaneous::{Simultaneous, trees::OrientedTrees};
use super::stages::{Culling, Report, StageReport};
use super::tasks::{MovingPiece, Task, Tasks};
use super::verdict::{Contact, Tally, Verdict, Witness};
use crate::Error;
use crate::build_once::BuildOnce;
use crate::exact::Pair;
use crate::math::rounding::{INFLATE, next_up};
use crate::math::{Pose, Vec3};
use crate::motion::{Carried, Chain, InBetween, Relative};
use crate::scene::{Motion, Scene};

/// Answers questions about motions of one scene. Clones share what was built.
#[derive(Clone, Debug)]
pub struct Checker {
    scene: Arc<Scene>,
    options: Options,
    pub(super) tasks: Arc<Tasks>,
    /// Largest size of anything that moves.
    pub(super) size: f64,
    /// Smallest grain of anything at rest.
    grain: f64,
    /// Which pieces could be inside of which when a motion begins.
    pub(super) containment: Arc<Containment>,
    /// Who meets what deforms.
    pub(super) deforming: Arc<Deforming>,
    /// The verdict for what never moves, kept once it is decided.
    standing: Arc<OnceLock<Verdict>>,
    /// What culling stages need.
    culling: Arc<BuildOnce<Culling>>,
    /// Trees for the equations' engine, made when it is first used.
    oriented: Arc<BuildOnce<OrientedTrees>>,
    /// Trees of hulls, made when first used.
    hulls: Arc<BuildOnce<HullTrees>>,
    /// Trees for the engine of boxes, made when it is first used.
    pub(super) wide: Arc<WideTrees>,
    /// Who may end questions before they are answered.
    cancel: Option<Cancel>,
}

/// More pairs to each moving piece than this are culled by boxes of whole parts first: a box for each part costs less than a look at each
/// pair of parts.
const MANY_TASKS: usize = 6;

/// Which contact is wanted.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Want {
    Any,
    First,
}

/// What is known when the search for contacts of surfaces begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Start {
    /// Nothing is inside of anything.
    Clear,
    /// That is not known: nothing can be called free.
    Unclear,
}

impl Start {
    /// What a verdict about surfaces says about solids.
    pub fn then(self, (verdict, tally): (Verdict, Tally)) -> (Verdict, Tally) {
        let verdict = match (self, verdict) {
            (Start::Clear, verdict) => verdict,
            (Start::Unclear, Verdict::Contact(c)) => {
                Verdict::Contact(Box::new(Contact { time: (0.0, c.time.1), free_until: 0.0, ..*c }))
            }
            (Start::Unclear, Verdict::Free | Verdict::Undecided { .. }) => Verdict::Undecided { free_until: 0.0 },
        };
        (verdict, tally)
    }
}

thread_local! {
    pub(super) static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Checker {
    /// Builds what questions about this scene need.
    ///
    /// # Errors
    /// If an option is out of range, or there are too many pairs to check.
    pub fn new(scene: impl Into<Arc<Scene>>, options: Options) -> Result<Self, Error> {
        options.check()?;
        let scene = scene.into();
        let tasks = Tasks::new(&scene)?;
        // A speck is not cut out of a long way by its own size: what it flies past counts too.
        let moving = tasks.moving.iter().filter(|m| m.frame != 0).map(|m| m.tree.nodes[0].half.norm()).fold(0.0, f64::max);
        let sized = || tasks.resting.iter().filter(|r| !r.half_space);
        let size = sized().map(|r| 0.25 * r.tree.extent).fold(moving, f64::max);
        let grain = sized().map(|r| r.tree.grain).fold(f64::INFINITY, f64::min);
        let containment = Containment::new(&scene, options.semantics);
        let deforming = Deforming::new(&scene);
        let wide = WideTrees::new(&tasks);
        let checker = Checker {
            scene,
            options,
            tasks: Arc::new(tasks),
            size,
            grain,
            containment: Arc::new(containment),
            deforming: Arc::new(deforming),
            standing: Arc::default(),
            culling: Arc::default(),
            oriented: Arc::default(),
            hulls: Arc::default(),
            wide: Arc::new(wide),
            cancel: None,
        };
        checker.build();
        Ok(checker)
    }

    /// Builds what queries with these options need, so that no query builds anything.
    fn build(&self) {
        if self.stages() != Stages::default() {
            self.culling();
        }
        match (self.options.bound, self.options.engine) {
            (Bound::Interval, _) => self.oriented().build(&self.tasks),
            (Bound::Tube, Engine::Auto | Engine::Boxes) if boxes::is_wanted(self) => self.wide.build(&self.tasks),
            (Bound::Tube, Engine::Hulls) => self.hulls().build(&self.tasks),
            (Bound::Tube, Engine::Auto | Engine::Boxes | Engine::Sweep) => {}
        }
    }

    /// A checker whose questions end, undecided, soon after `cancel` says so: on a clone for a question of its own.
    pub fn cancelled_by(self, cancel: &Cancel) -> Self {
        Checker { cancel: Some(cancel.clone()), ..self }
    }

    /// A checker whose margin is larger by this. What never moves keeps its verdict, if that is known.
    ///
    /// # Errors
    /// If the sum is out of range.
    pub(crate) fn with_larger_margin(&self, by: f64) -> Result<Self, Error> {
        let options = self.options.margin(next_up(self.options.margin + by));
        options.check()?;
        let standing = self.standing.get().map_or_else(Arc::default, |known| Arc::new(OnceLock::from(known.clone())));
        Ok(Checker { options, standing, ..self.clone() })
    }

    /// For each frame, at least how far what it carries reaches from its origin; below zero where it carries nothing.
    pub(crate) fn frame_reaches(&self) -> Vec<f64> {
        let mut reaches = vec![-1.0; self.scene.parents.len()];
        for MovingPiece { frame, placement, tree, .. } in &self.tasks.moving {
            let (_, error) = placement.apply(Vec3::ZERO);
            let reach =
                (placement.pose.translation.norm() + tree.nodes[0].reach * (1.0 + placement.rotation_error) + error) * INFLATE;
            reaches[*frame] = reach.max(reaches[*frame]);
        }
        reaches
    }

    /// Whether a question that has taken so much work is to end, undecided.
    #[inline(always)]
    pub(super) fn ends_at(&self, work: u64) -> bool {
        work > self.options.max_work || self.cancel.as_ref().is_some_and(Cancel::is_cancelled)
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The scene, to be shared with others that answer about it.
    pub fn shared_scene(&self) -> Arc<Scene> {
        self.scene.clone()
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
        Ok(self.ask(motion, Want::Any)?.0)
    }

    /// When and where is the first contact?
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn first_contact(&self, motion: &Motion) -> Result<Verdict, Error> {
        Ok(self.ask(motion, Want::First)?.0)
    }

    /// Everything that touches at the end of a bracket of time, such as that of a contact found by [`Checker::first_contact`]: each pair of
    /// features once, in a fixed order.
    ///
    /// # Errors
    /// If the motion belongs to another scene, or the bracket is no part of [0, 1].
    pub fn all_at(&self, motion: &Motion, (lo, hi): (f64, f64)) -> Result<Vec<Witness>, Error> {
        self.scene.own(motion)?;
        if !(0.0 <= lo && lo <= hi && hi <= 1.0) {
            return Err(Error::invalid("bracket of time", format!("[{lo}, {hi}] is no part of [0, 1]")));
        }
        Ok(self.witnesses(motion, (lo, hi)))
    }

    /// [`Checker::check`], and the work it took.
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn check_counted(&self, motion: &Motion) -> Result<(Verdict, Tally), Error> {
        self.ask(motion, Want::Any)
    }

    /// [`Checker::first_contact`], and the work it took.
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn first_contact_counted(&self, motion: &Motion) -> Result<(Verdict, Tally), Error> {
        self.ask(motion, Want::First)
    }

    /// [`Checker::check`], and what each stage did by a clock that tells seconds.
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn check_reported(&self, motion: &Motion, clock: &dyn Fn() -> f64) -> Result<(Verdict, Report), Error> {
        self.ask_reported(motion, Want::Any, clock)
    }

    /// [`Checker::first_contact`], and what each stage did by a clock that tells seconds.
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn first_contact_reported(&self, motion: &Motion, clock: &dyn Fn() -> f64) -> Result<(Verdict, Report), Error> {
        self.ask_reported(motion, Want::First, clock)
    }

    fn ask(&self, motion: &Motion, want: Want) -> Result<(Verdict, Tally), Error> {
        self.scene.own(motion)?;
        let staged = || self.staged(motion, want, &mut Report::default(), &|| 0.0);
        Ok(self.at_start(motion).map_or_else(|decided| (decided, Tally::default()), |start| start.then(staged())))
    }

    fn ask_reported(&self, motion: &Motion, want: Want, clock: &dyn Fn() -> f64) -> Result<(Verdict, Report), Error> {
        self.scene.own(motion)?;
        let mut report = Report::default();
        let verdict = match self.at_start(motion) {
            Err(decided) => decided,
            Ok(start) => start.then(self.staged(motion, want, &mut report, clock)).0,
        };
        let [boxes, sweeps, exact] = &mut report.stages;
        if let Some(exact) = exact {
            exact.suspects_in = sweeps.or(*boxes).map_or_else(|| self.culling().pairs(), |culled| culled.suspects_out);
        }
        Ok((verdict, report))
    }

    /// The first question of every query: does what never moves touch, and is anything inside of a solid at the start? `Err` with the
    /// verdict where that decides the query.
    pub(super) fn at_start(&self, motion: &Motion) -> Result<Start, Verdict> {
        if let Some(verdict) = self.standing(motion) {
            return Err(verdict);
        }
        match self.containment.at(motion, 0.0) {
            Contained::Nothing => Ok(Start::Clear),
            Contained::Unclear => Ok(Start::Unclear),
            Contained::Found(contact) => Err(Verdict::Contact(Box::new(self.crossing_or(*contact, motion)))),
        }
    }

    /// The verdict for what never moves, unless that is free. A search that was cut short is not remembered: the next one may have more time.
    fn standing(&self, motion: &Motion) -> Option<Verdict> {
        let search = || {
            let (motion, tasks) = (resting_motion(motion), &self.tasks.standing);
            self.told(&motion, tasks, Want::Any, &self.sweep(&motion, tasks, Want::Any, Tally::default()).0, None)
        };
        let found = match self.standing.get() {
            Some(known) => known,
            None => match search() {
                Verdict::Undecided { .. } => return Some(Verdict::Undecided { free_until: 0.0 }),
                decided => self.standing.get_or_init(|| decided),
            },
        };
        match found {
            Verdict::Contact(c) => {
                Some(Verdict::Contact(Box::new(Contact { time: (0.0, 0.0), free_until: 0.0, ..(**c).clone() })))
            }
            Verdict::Free | Verdict::Undecided { .. } => None,
        }
    }

    /// The stages that are switched on, and the exact one.
    fn staged(&self, motion: &Motion, want: Want, report: &mut Report, clock: &dyn Fn() -> f64) -> (Verdict, Tally) {
        let culled = (self.stages() != Stages::default()).then(|| self.cull(motion, report, clock));
        let tasks = culled.as_ref().map_or(&self.tasks.tasks, |left| &left.tasks);
        let started = clock();
        let (verdict, tally, mut exact) = match self.options.bound {
            Bound::Tube => {
                let (verdict, tally) = self.search(motion, tasks, want);
                (verdict, tally, StageReport::of_search(&tally))
            }
            Bound::Interval => {
                let suspects = culled.as_ref().map_or_else(|| self.tasks.suspects(), |left| left.suspects.clone());
                self.solve(motion, tasks, &suspects, want)
            }
        };
        (exact.suspects_out, exact.seconds) = (u64::from(!verdict.is_free()), clock() - started);
        report.stages[2] = Some(exact);
        if self.deforming.is_empty() { (verdict, tally) } else { self.with_deforming(motion, verdict, tally) }
    }

    /// The exact stage by equations over intervals.
    fn solve(&self, motion: &Motion, tasks: &[Task], suspects: &[(usize, usize)], want: Want) -> (Verdict, Tally, StageReport) {
        let mut engine = Simultaneous::new(self, motion, tasks);
        let answer = match want {
            Want::Any => engine.any(suspects),
            Want::First => engine.first(suspects),
        };
        let tally = Tally { pairs: engine.tally.pairs, pair_steps: engine.tally.pair_steps, ..Tally::default() };
        (self.told(motion, tasks, want, &answer, None), tally, StageReport::of_equations(&engine.tally))
    }

    /// Trees of oriented boxes.
    pub(super) fn oriented(&self) -> &OrientedTrees {
        self.oriented.get_or_build(|| OrientedTrees::new(&self.tasks))
    }

    /// The stages asked for, or those that pay.
    pub(super) fn stages(&self) -> Stages {
        let many = self.tasks.tasks.len() > MANY_TASKS * self.tasks.moving.len();
        self.options.stages.unwrap_or(Stages { boxes: many, sweeps: false })
    }

    /// What culling stages need, built when first asked for.
    pub(super) fn culling(&self) -> &Culling {
        self.culling.get_or_build(|| Culling::new(&self.scene, &self.tasks))
    }

    /// Trees of hulls.
    pub(super) fn hulls(&self) -> &HullTrees {
        self.hulls.get_or_build(|| HullTrees::new(&self.tasks))
    }

    /// The exact stage by the engine asked for.
    fn search(&self, motion: &Motion, tasks: &[Task], want: Want) -> (Verdict, Tally) {
        let (answer, tally) = match self.options.engine {
            Engine::Auto | Engine::Boxes => match boxes::sides(self, motion, tasks) {
                Some(sides) => boxes::search(self, sides, want),
                None => return self.swept(motion, tasks, want),
            },
            Engine::Sweep => return self.swept(motion, tasks, want),
            Engine::Hulls => self.advance(motion, tasks, want, None),
        };
        self.sharpened(motion, tasks, want, &answer, tally)
    }

    /// The exact stage by the search that is for everything.
    fn swept(&self, motion: &Motion, tasks: &[Task], want: Want) -> (Verdict, Tally) {
        let (answer, tally, seen) = self.sweep(motion, tasks, want, Tally::default());
        (self.told(motion, tasks, want, &answer, seen.as_ref()), tally)
    }

    /// What an engine answered after so much work, told. What it left open, or told less sharply than asked for, the sweep looks at
    /// again with the work that is left: engines advance pairs over different spans, and numbers that fail on one may do on another.
    pub(super) fn sharpened(
        &self,
        motion: &Motion,
        tasks: &[Task],
        want: Want,
        answer: &Answer,
        tally: Tally,
    ) -> (Verdict, Tally) {
        let told = |answer: &Answer, seen: Option<&Seen>| self.told(motion, tasks, want, answer, seen);
        if answer.doubt(want) <= self.options.time_tolerance || self.ends_at(tally.work()) {
            return (told(answer, None), tally);
        }
        let (again, tally, seen) = self.sweep(motion, tasks, want, tally);
        let verdict = if again.doubt(want) < answer.doubt(want) { told(&again, seen.as_ref()) } else { told(answer, None) };
        (verdict, tally)
    }

    /// By the search that is for everything, after so much work was `spent`.
    pub(super) fn sweep(&self, motion: &Motion, tasks: &[Task], want: Want, spent: Tally) -> (Answer, Tally, Option<Seen>) {
        SCRATCH.with_borrow_mut(|scratch| {
            let mut search = Search::new(self, motion, tasks, scratch);
            search.begin_with(spent);
            let answer = match want {
                Want::Any => search.any(),
                Want::First => search.first(),
            };
            (answer, search.tally, search.seen)
        })
    }

    /// An answer in the user's terms; a contact that was seen need not be looked at again.
    pub(super) fn told(&self, motion: &Motion, tasks: &[Task], want: Want, answer: &Answer, seen: Option<&Seen>) -> Verdict {
        match answer {
            Answer::Free => Verdict::Free,
            Answer::Contact { found, free_until } => {
                let task = &tasks[found.task];
                let mut contact = self.describe(task, &self.relative(&motion.chain, task), found, *free_until, seen);
                if found.lo <= 0.0 && (want == Want::First || found.hi <= 0.0) {
                    contact.state = self.state_at_start(motion, tasks, found);
                }
                Verdict::Contact(Box::new(contact))
            }
            Answer::Undecided { free_until } => Verdict::Undecided { free_until: *free_until },
        }
    }

    /// How a task's moving side moves, as seen from what rests.
    pub(super) fn relative<'a>(&'a self, chain: &'a Chain, task: &Task) -> Relative<'a> {
        let (moving, resting) = (&self.tasks.moving[task.moving], &self.tasks.resting[task.resting]);
        Relative::new(
            chain,
            Carried { frame: moving.frame, placement: &moving.placement },
            Carried { frame: resting.frame, placement: &resting.placement },
            task.ancestor,
            resting.tree.origin,
        )
    }

    /// The amount of motion (radians, or travel over size) that moves things by about `grains` of what rests.
    pub(super) fn small_amount(&self, grains: f64) -> f64 {
        (grains * self.grain / self.size.max(1e-300)).clamp(0.005, 0.1)
    }

    /// A moving item and a resting item of a task.
    pub(super) fn pair(&self, task: &Task, moving: u32, resting: u32) -> Pair {
        let convex = self.tasks.moving[task.moving].item(moving);
        Pair::new(convex, convex.reach(), self.tasks.resting[task.resting].tree.item(resting))
    }
}

/// A motion in which nothing moves: enough for what never does.
fn resting_motion(like: &Motion) -> Motion {
    let mut motion = like.clone();
    let joints = vec![InBetween::resting(Pose::IDENTITY); like.chain.joints.len()];
    motion.chain = Chain::new(like.chain.parents.clone(), joints);
    motion
}
