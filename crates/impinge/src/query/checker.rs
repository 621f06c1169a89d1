//! A scene made ready to be asked about: trees are built once, questions take `&self` from any number of threads.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use super::contain::Enclosures;
use super::deform::Deforming;
use super::options::Options;
use super::search::{Answer, Scratch, Search};
use super::simultaneous::{EquationTally, Simultaneous, trees::OrientedTrees};
use super::tasks::{Task, Tasks};
use super::verdict::{Contact, Tally, Verdict, Witness};
use crate::Error;
use crate::exact::Pair;
use crate::math::Pose;
use crate::motion::{Carried, Chain, InBetween, Relative};
use crate::scene::{Motion, Scene};

/// Answers questions about motions of one scene.
#[derive(Debug)]
pub struct Checker {
    scene: Arc<Scene>,
    options: Options,
    pub(super) tasks: Tasks,
    /// Largest size of anything that moves.
    pub(super) size: f64,
    /// Smallest grain of anything at rest.
    grain: f64,
    /// Who could be inside whom when a motion begins.
    enclosures: Enclosures,
    /// Who meets what deforms.
    pub(super) deforming: Deforming,
    /// The answer for what never moves, found when first asked for.
    standing: OnceLock<Verdict>,
    /// Trees for the equations' engine, made when it is first used.
    oriented: OnceLock<OrientedTrees>,
}

/// Which contact is wanted.
#[derive(Clone, Copy, PartialEq)]
enum Want {
    Any,
    First,
}

thread_local! {
    pub(super) static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Checker {
    /// Builds what questions about this scene need.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(scene: impl Into<Arc<Scene>>, options: Options) -> Result<Self, Error> {
        options.check()?;
        let scene = scene.into();
        let tasks = Tasks::new(&scene);
        // A speck is not cut out of a long way by its own size: what it flies past counts too.
        let moving = tasks.moving.iter().filter(|m| m.frame != 0).map(|m| m.tree.nodes[0].half.norm()).fold(0.0, f64::max);
        let size = tasks.resting.iter().map(|r| 0.25 * r.tree.extent).fold(moving, f64::max);
        let grain = tasks.resting.iter().map(|r| r.tree.grain).fold(f64::INFINITY, f64::min);
        let enclosures = Enclosures::new(&scene, options.semantics);
        let deforming = Deforming::new(&scene);
        Ok(Checker {
            scene,
            options,
            tasks,
            size,
            grain,
            enclosures,
            deforming,
            standing: OnceLock::new(),
            oriented: OnceLock::new(),
        })
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Is the motion free? The fastest question: any proven contact ends the search, and its bracket says nothing about what came before.
    pub fn check(&self, motion: &Motion) -> Verdict {
        self.ask(motion, Want::Any).0
    }

    /// When and where is the first contact?
    pub fn first_contact(&self, motion: &Motion) -> Verdict {
        self.ask(motion, Want::First).0
    }

    /// Everything that touches when a contact found by [`Checker::first_contact`] begins: each pair of features once, in a fixed order.
    pub fn all_at(&self, motion: &Motion, contact: &Contact) -> Vec<Witness> {
        self.witnesses(motion, contact.time)
    }

    /// [`Checker::check`], and the work it took.
    pub fn check_counted(&self, motion: &Motion) -> (Verdict, Tally) {
        self.ask(motion, Want::Any)
    }

    /// [`Checker::first_contact`], and the work it took.
    pub fn first_contact_counted(&self, motion: &Motion) -> (Verdict, Tally) {
        self.ask(motion, Want::First)
    }

    /// What never moves is searched once; what is asked to be solid is looked at where it starts; the rest is the search.
    fn ask(&self, motion: &Motion, want: Want) -> (Verdict, Tally) {
        self.ask_by(motion, || self.search(motion, &self.tasks.tasks, want))
    }

    /// The same, with the search for what moves left to the caller.
    fn ask_by(&self, motion: &Motion, search: impl FnOnce() -> (Verdict, Tally)) -> (Verdict, Tally) {
        let standing = self.standing.get_or_init(|| self.search(&resting_motion(motion), &self.tasks.standing, Want::Any).0);
        if !standing.is_free() {
            return (at_start(standing), Tally::default());
        }
        if let Some(contact) = self.enclosures.contact_at_start(motion) {
            return (Verdict::Contact(Box::new(self.crossing_or(contact, motion))), Tally::default());
        }
        let (verdict, tally) = search();
        if self.deforming.is_empty() { (verdict, tally) } else { self.with_deforming(motion, verdict, tally) }
    }

    fn search(&self, motion: &Motion, tasks: &[Task], want: Want) -> (Verdict, Tally) {
        SCRATCH.with_borrow_mut(|scratch| {
            let mut search = Search::new(self, motion, tasks, scratch);
            let answer = match want {
                Want::Any => search.any(),
                Want::First => search.first(),
            };
            let tally = search.tally;
            (self.told(motion, tasks, answer, want, &mut search), tally)
        })
    }

    /// An answer in the user's terms.
    fn told(&self, motion: &Motion, tasks: &[Task], answer: Answer, want: Want, search: &mut Search<'_>) -> Verdict {
        match answer {
            Answer::Free => Verdict::Free,
            Answer::Contact { found, free_until } => {
                let mut contact = self.describe(motion, tasks, &found, free_until);
                if found.lo <= 0.0 && (want == Want::First || found.hi <= 0.0) {
                    contact.state = self.state_at_start(motion, tasks, search);
                }
                Verdict::Contact(Box::new(contact))
            }
            Answer::Undecided { free_until } => Verdict::Undecided { free_until },
        }
    }

    /// [`Checker::check`] by the equations' engine, and its work.
    #[doc(hidden)]
    pub fn check_by_intervals(&self, motion: &Motion) -> (Verdict, EquationTally) {
        self.ask_by_intervals(motion, Want::Any)
    }

    /// [`Checker::first_contact`] by the equations' engine.
    #[doc(hidden)]
    pub fn first_contact_by_intervals(&self, motion: &Motion) -> Verdict {
        self.first_contact_by_intervals_counted(motion).0
    }

    /// [`Checker::first_contact_by_intervals`], and its work.
    #[doc(hidden)]
    pub fn first_contact_by_intervals_counted(&self, motion: &Motion) -> (Verdict, EquationTally) {
        self.ask_by_intervals(motion, Want::First)
    }

    fn ask_by_intervals(&self, motion: &Motion, want: Want) -> (Verdict, EquationTally) {
        let mut tally = EquationTally::default();
        let (verdict, _) = self.ask_by(motion, || {
            let tasks = &self.tasks.tasks;
            let owners = |i: usize| self.tasks.resting[tasks[i].resting].owners.len();
            let suspects: Vec<_> = (0..tasks.len()).flat_map(|i| (0..owners(i)).map(move |owner| (i, owner))).collect();
            let mut engine = Simultaneous::new(self, motion, tasks);
            let answer = match want {
                Want::Any => engine.any(&suspects),
                Want::First => engine.first(&suspects),
            };
            tally = engine.tally;
            SCRATCH.with_borrow_mut(|scratch| {
                (self.told(motion, tasks, answer, want, &mut Search::new(self, motion, tasks, scratch)), Tally::default())
            })
        });
        (verdict, tally)
    }

    /// Trees of oriented boxes.
    pub(super) fn oriented(&self) -> &OrientedTrees {
        self.oriented.get_or_init(|| OrientedTrees::new(&self.tasks))
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

/// What stands in contact is in contact from the start.
fn at_start(standing: &Verdict) -> Verdict {
    match standing {
        Verdict::Contact(c) => Verdict::Contact(Box::new(Contact { time: (0.0, 0.0), free_until: 0.0, ..(**c).clone() })),
        Verdict::Free => Verdict::Free,
        Verdict::Undecided { .. } => Verdict::Undecided { free_until: 0.0 },
    }
}
