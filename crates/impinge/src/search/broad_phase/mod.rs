//! Culling before the exact stage, switchable: pairs of parts that stay apart during the whole motion are dropped. [Redon 2004, section 4]
//!
//! ```text
//! pairs of parts ─► boxes   boxes of what links sweep, in a hierarchy made for the question, × a hierarchy of the objects
//!                   sweeps  what the capsules of links sweep × the objects' triangles, and × the capsules of other links
//!                ─► tasks and pieces that are left, for the exact stage
//! ```
//! Sound: a link stays in its capsule, and what capsules sweep is bounded from outside; so a pair is dropped only if proven apart.

mod link_boxes;
pub(crate) mod part_capsule;
pub(crate) mod report;
mod swept_capsules;

use std::collections::BTreeMap;

pub(crate) use link_boxes::interval_box;
pub use report::{Report, StageReport};

use crate::bvh::PartBoxes;
use crate::geometry::bounding::Capsule;
use crate::geometry::bounding::aabb::Aabb;
use crate::math::Pose;
use crate::math::pose::Placement;
use crate::math::rounding::INFLATE;
use crate::motion::{Carried, Chain, Relative, Span, Tube};
use crate::scene::Scene;
use crate::search::options::Stages;
use crate::search::pairs::{Task, Tasks};
use crate::search::{Index, Query};
use crate::swept::capsule::SweptCapsule;
use part_capsule::capsule_around;

/// A task, and one of the pieces at rest in it.
pub(crate) type Suspect = (usize, usize);

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
pub(crate) struct Culling {
    links: Vec<Link>,
    /// Objects at rest, by part.
    objects: PartBoxes,
    /// Sorted by link and other.
    pairs: Vec<PartPair>,
    /// Whether any of them is of two links.
    self_pairs: bool,
    /// Links as they are in the scene, each carried by its own frame.
    carriers: Carriers,
}

/// Which frames of a chain carry links, in the order of these frames.
#[derive(Debug, Default)]
pub(crate) struct Carriers(Vec<CarriedLink>);

#[derive(Debug)]
struct CarriedLink {
    link: usize,
    frame: usize,
    /// In the frame's coordinates.
    capsule: Capsule,
}

impl Culling {
    pub fn new(scene: &Scene, tasks: &Tasks) -> Self {
        let mut links = Numbered::default();
        let mut objects = Numbered::default();
        let mut boxes: Vec<Aabb> = Vec::new();
        let mut pairs: BTreeMap<(usize, Other), Vec<Suspect>> = BTreeMap::new();
        for (at, task) in tasks.tasks.iter().enumerate() {
            let resting = &tasks.resting[task.resting];
            debug_assert_ne!(resting.frame, tasks.moving[task.moving].frame, "what is rigid to each other is never checked");
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
        let links: Vec<Link> = links.parts.iter().map(link).collect();
        Culling {
            carriers: Carriers::of(&links, |frame| Carried { frame, placement: &HERE }),
            links,
            objects: PartBoxes::of_boxes(&boxes),
            self_pairs: pairs.keys().any(|(_, other)| matches!(other, Other::Link(_))),
            pairs: pairs.into_iter().map(|((link, other), suspects)| PartPair { link, other, suspects }).collect(),
        }
    }

    /// The carriers of links in a chain of which a frame carries each frame of the scene.
    pub fn carriers<'a>(&self, carried: impl Fn(usize) -> Carried<'a>) -> Carriers {
        Carriers::of(&self.links, carried)
    }

    /// The capsule around a part that moves, if it has to be checked against anything.
    pub fn capsule_of(&self, part: usize) -> Option<&Capsule> {
        self.links.iter().find(|l| l.part == part).map(|l| &l.capsule)
    }

    /// The position of a pair, if it is to be checked.
    fn pair(&self, link: usize, other: Other) -> Option<usize> {
        self.pairs.binary_search_by_key(&(link, other), |p| (p.link, p.other)).ok()
    }
}

impl Carriers {
    fn of<'a>(links: &[Link], carried: impl Fn(usize) -> Carried<'a>) -> Self {
        let place = |(link, l): (usize, &Link)| {
            let Carried { frame, placement } = carried(l.frame);
            CarriedLink { link, frame, capsule: l.capsule.placed(placement) }
        };
        let mut links: Vec<CarriedLink> = links.iter().enumerate().map(place).collect();
        links.sort_by_key(|l| l.frame);
        Carriers(links)
    }
}

/// What a capsule sweeps with a body, by the tube: regions, each of a span over which the motion bends little for the capsule's size.
fn regions(relative: &Relative<'_>, capsule: &Capsule) -> Vec<SweptCapsule> {
    let whole = relative.tube(WHOLE);
    match slices(&whole, capsule) {
        1 => vec![SweptCapsule::new(&whole, capsule)],
        n => (0..n).map(|k| SweptCapsule::new(&relative.tube(Span::slice(k, n)), capsule)).collect(),
    }
}

/// How many spans that takes, by the tube of the whole motion: its radius goes with the square of the span. The estimate chooses, every
/// region is a bound by itself.
fn slices(whole: &Tube, capsule: &Capsule) -> usize {
    let reach = capsule.a.norm().max(capsule.b.norm()) * INFLATE;
    let slices = (whole.radius(reach) / (BEND * capsule.radius)).sqrt().ceil();
    if slices <= MAX_SLICES { slices.max(1.0) as usize } else { MAX_SLICES as usize }
}

/// A region may be thicker than the capsule by this share of its radius, as long as there are not too many.
const BEND: f64 = 0.2;
const MAX_SLICES: f64 = 64.0;

const WHOLE: Span = Span { from: 0.0, to: 1.0 };

/// Where capsules are in their frames, and objects in the world.
const HERE: Placement = Placement { pose: Pose::IDENTITY, rotation_error: 0.0, position_error: 0.0 };

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
pub(crate) struct Left {
    pub tasks: Vec<Task>,
    /// Tasks here are positions in the list above.
    pub suspects: Vec<Suspect>,
}

/// One query on its way through the stages.
struct Pass<'a> {
    culling: &'a Culling,
    query: &'a Query<'a>,
    /// Positions of pairs that are left, ascending.
    pairs: Vec<usize>,
}

impl Query<'_> {
    /// What is left of the tasks when the stages that are switched on have run.
    pub(crate) fn cull(&self, report: &mut Report, clock: &dyn Fn() -> f64) -> Left {
        let Stages { boxes, sweeps } = self.stages();
        let culling = self.index.culling();
        let pairs = (0..culling.pairs.len()).collect();
        let mut pass = Pass { culling, query: self, pairs };
        report.stages[0] = boxes.then(|| pass.stage(Pass::boxes, clock));
        report.stages[1] = sweeps.then(|| pass.stage(Pass::sweeps, clock));
        pass.left()
    }
}

impl Index {
    /// The tasks, ascending, whose parts' boxes meet during a motion of a chain that carries links.
    pub(crate) fn tasks_by_boxes(&self, chain: &Chain, carriers: &Carriers, margin: f64) -> Vec<usize> {
        let culling = self.culling();
        let (near, _) = culling.near(&link_boxes::by_tube(chain, carriers, margin), carriers);
        let mut tasks: Vec<usize> = near.iter().flat_map(|&p| culling.pairs[p].suspects.iter().map(|s| s.0)).collect();
        tasks.sort_unstable();
        tasks.dedup();
        tasks
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
                tasks.push(self.query.index.tasks.tasks[suspect.0]);
            }
            suspect.0 = tasks.len() - 1;
        }
        Left { tasks, suspects }
    }
}
