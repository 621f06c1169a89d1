//! Culling before the exact stage, switchable: pairs of parts that stay apart during the whole motion are dropped. [Redon 2004, section 4]
//!
//! ```text
//! pairs of parts ─► boxes   boxes of what links sweep, in a hierarchy made for the question, × a hierarchy of the objects
//!                   sweeps  what the capsules of links sweep × the objects' triangles, and × the capsules of other links
//!                ─► tasks and pieces that are left, for the exact stage
//! ```
//! Sound: a link stays in its capsule, and what capsules sweep is bounded from outside; so a pair is dropped only if proven apart.

mod boxes;
mod report;
mod sweeps;

use std::collections::BTreeMap;

pub(in crate::query) use boxes::interval_box;
pub use report::{Report, StageReport};

use super::checker::Checker;
use super::options::{Bound, Stages};
use super::swept::capsule_around;
use super::tasks::{Task, Tasks};
use crate::cull::swept_capsule::SweptCapsule;
use crate::math::Pose;
use crate::math::pose::Placement;
use crate::math::rounding::INFLATE;
use crate::motion::{Carried, Chain, Relative, Span};
use crate::scene::{Motion, Scene};
use crate::shape::aabb::Aabb;
use crate::shape::tree::BoxTree;
use crate::shape::volume::Capsule;

/// A task, and one of the pieces at rest in it.
pub(in crate::query) type Suspect = (usize, usize);

/// A part that moves, in its capsule.
#[derive(Debug)]
struct Link {
    part: usize,
    frame: usize,
    capsule: Capsule,
}

/// Two parts that may meet, and what has to be searched if they do.
#[derive(Debug)]
struct PartPair {
    link: usize,
    other: Other,
    suspects: Vec<Suspect>,
}

/// What a link may meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Other {
    Object(usize),
    Link(usize),
}

/// What the stages need, built once.
#[derive(Debug)]
pub(in crate::query) struct Culling {
    links: Vec<Link>,
    /// Objects at rest, by part.
    objects: BoxTree,
    /// Sorted by link and other.
    pairs: Vec<PartPair>,
    /// Where capsules are in their frames, and objects in the world.
    here: Placement,
}

impl Culling {
    pub fn new(scene: &Scene, tasks: &Tasks) -> Self {
        let mut links = Numbered::default();
        let mut objects = Numbered::default();
        let mut boxes: Vec<Aabb> = Vec::new();
        let mut pairs: BTreeMap<(usize, Other), Vec<Suspect>> = BTreeMap::new();
        for (at, task) in tasks.tasks.iter().enumerate() {
            let resting = &tasks.resting[task.resting];
            let link = links.of(tasks.moving[task.moving].part);
            for (piece, (part, items)) in resting.pieces().enumerate() {
                let other = if resting.frame == 0 {
                    let object = objects.of(part);
                    boxes.resize(objects.parts.len(), Aabb::EMPTY);
                    boxes[object] = boxes[object].union(resting.tree.bounds_of(items).grown(resting.item_error));
                    Other::Object(object)
                } else {
                    Other::Link(links.of(part))
                };
                pairs.entry((link, other)).or_default().push((at, piece));
            }
        }
        let link = |&at: &usize| {
            let part = &scene.parts[at];
            // Every part in a task has a shape; without a capsule around it nothing could be dropped.
            let everything = Capsule { a: crate::Vec3::ZERO, b: crate::Vec3::ZERO, radius: f64::INFINITY };
            Link { part: at, frame: part.frame, capsule: capsule_around(part).unwrap_or(everything) }
        };
        Culling {
            links: links.parts.iter().map(link).collect(),
            objects: BoxTree::new(&boxes),
            pairs: pairs.into_iter().map(|((link, other), suspects)| PartPair { link, other, suspects }).collect(),
            here: Placement::new(Pose::IDENTITY),
        }
    }

    fn pass<'a>(
        &'a self,
        checker: &'a Checker,
        chain: &'a Chain,
        carried: &'a dyn Fn(usize) -> Carried<'a>,
        bound: Bound,
    ) -> Pass<'a> {
        Pass { culling: self, checker, chain, carried, bound, pairs: (0..self.pairs.len()).collect() }
    }

    /// How many pairs of parts there are to check.
    pub fn pairs(&self) -> u64 {
        self.pairs.len() as u64
    }

    /// The capsule around a part that moves, if it has to be checked against anything.
    pub fn capsule_of(&self, part: usize) -> Option<&Capsule> {
        self.links.iter().find(|l| l.part == part).map(|l| &l.capsule)
    }

    /// The position of a pair, if it is to be checked.
    fn pair(&self, link: usize, other: Other) -> Option<usize> {
        self.pairs.binary_search_by_key(&(link, other), |p| (p.link, p.other)).ok()
    }

    /// What a link's capsule sweeps, by the tube: regions, each of a span over which the motion bends little for the capsule's size.
    fn regions(&self, relative: &Relative<'_>, link: usize) -> Vec<SweptCapsule> {
        let capsule = &self.links[link].capsule;
        let reach = capsule.a.norm().max(capsule.b.norm()) * INFLATE;
        let wanted = BEND * capsule.radius;
        // The radius goes with the square of the span; the estimate chooses, every region is a bound by itself.
        let slices = (relative.tube(Span::new(0.0, 1.0)).radius(reach) / wanted).sqrt().ceil();
        let slices = if slices <= MAX_SLICES { slices.max(1.0) } else { MAX_SLICES } as usize;
        (0..slices).map(|k| SweptCapsule::new(&relative.tube(Span::slice(k, slices)), capsule)).collect()
    }
}

/// A region may be thicker than the capsule by this share of its radius, as long as there are not too many.
const BEND: f64 = 0.2;
const MAX_SLICES: f64 = 64.0;

/// Parts, numbered as they come.
#[derive(Default)]
struct Numbered {
    parts: Vec<usize>,
    of: BTreeMap<usize, usize>,
}

impl Numbered {
    fn of(&mut self, part: usize) -> usize {
        *self.of.entry(part).or_insert_with(|| {
            self.parts.push(part);
            self.parts.len() - 1
        })
    }
}

/// What the stages leave over.
pub(in crate::query) struct Left {
    pub tasks: Vec<Task>,
    /// Tasks here are positions in the list above.
    pub suspects: Vec<Suspect>,
}

/// One question on its way through the stages.
struct Pass<'a> {
    culling: &'a Culling,
    checker: &'a Checker,
    chain: &'a Chain,
    /// What carries a frame of the scene: a frame of the chain, and where in it.
    carried: &'a dyn Fn(usize) -> Carried<'a>,
    bound: Bound,
    /// Positions of pairs that are left, ascending.
    pairs: Vec<usize>,
}

impl Checker {
    /// What is left of the tasks when the stages that are switched on have run.
    pub(super) fn cull(&self, motion: &Motion, report: &mut Report, clock: &dyn Fn() -> f64) -> Left {
        let Stages { boxes, sweeps } = self.stages();
        let culling = self.culling();
        let carried = |frame| Carried { frame, placement: &culling.here };
        let mut pass = culling.pass(self, &motion.chain, &carried, self.options().bound);
        report.stages[0] = boxes.then(|| pass.stage(Pass::boxes, clock));
        report.stages[1] = sweeps.then(|| pass.stage(Pass::sweeps, clock));
        pass.left()
    }

    /// The tasks, ascending, whose parts' boxes meet during a motion of a chain that carries the scene's frames.
    pub(super) fn tasks_by_boxes<'a>(&'a self, chain: &'a Chain, carried: &'a dyn Fn(usize) -> Carried<'a>) -> Vec<usize> {
        let mut pass = self.culling().pass(self, chain, carried, Bound::Tube);
        pass.boxes();
        let mut tasks: Vec<usize> =
            pass.pairs.iter().flat_map(|&p| self.culling().pairs[p].suspects.iter().map(|s| s.0)).collect();
        tasks.sort_unstable();
        tasks.dedup();
        tasks
    }
}

impl<'a> Pass<'a> {
    /// How a link's capsule moves in the world.
    fn in_world(&self, link: usize) -> Relative<'a> {
        let world = Carried { frame: 0, placement: &self.culling.here };
        Relative::new(self.chain, (self.carried)(self.culling.links[link].frame), world, 0, crate::Vec3::ZERO)
    }
}

impl Pass<'_> {
    /// Runs one stage, which tells how many boxes it tested.
    fn stage(&mut self, run: fn(&mut Self) -> u64, clock: &dyn Fn() -> f64) -> StageReport {
        let (suspects_in, started) = (self.pairs.len() as u64, clock());
        let node_pairs = run(self);
        let suspects_out = self.pairs.len() as u64;
        StageReport { suspects_in, suspects_out, node_pairs, seconds: clock() - started, ..StageReport::default() }
    }

    fn left(&self) -> Left {
        let mut suspects: Vec<Suspect> =
            self.pairs.iter().flat_map(|&p| self.culling.pairs[p].suspects.iter().copied()).collect();
        suspects.sort_unstable();
        let mut tasks = Vec::new();
        let mut last = None;
        for suspect in &mut suspects {
            if last != Some(suspect.0) {
                last = Some(suspect.0);
                tasks.push(self.checker.tasks.tasks[suspect.0]);
            }
            suspect.0 = tasks.len() - 1;
        }
        Left { tasks, suspects }
    }
}
