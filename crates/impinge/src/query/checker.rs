//! A scene made ready to be asked about: trees are built once, questions take `&self` from any number of threads.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use super::contain::Enclosures;
use super::options::Options;
use super::search::{Answer, Found, Scratch, Search};
use super::tasks::{Body, Task, Tasks};
use super::verdict::{Contact, Feature, FeatureKind, Tally, Verdict};
use crate::Error;
use crate::exact::Pair;
use crate::exact::closest::Touch;
use crate::exact::convex::{Convex, Core};
use crate::math::{Pose, Vec3};
use crate::motion::{Carried, Chain, InBetween, Relative, Span};
use crate::scene::{Motion, PartId, Scene};
use crate::shape::Shape;

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
    /// The answer for what never moves, found when first asked for.
    standing: OnceLock<Verdict>,
}

/// Which contact is wanted.
#[derive(Clone, Copy, PartialEq)]
enum Want {
    Any,
    First,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
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
        Ok(Checker { scene, options, tasks, size, grain, enclosures, standing: OnceLock::new() })
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
        let standing = self.standing.get_or_init(|| self.search(&resting_motion(motion), &self.tasks.standing, Want::Any).0);
        if !standing.is_free() {
            return (at_start(standing), Tally::default());
        }
        if let Some(contact) = self.enclosures.contact_at_start(motion) {
            return (Verdict::Contact(Box::new(contact)), Tally::default());
        }
        self.search(motion, &self.tasks.tasks, want)
    }

    fn search(&self, motion: &Motion, tasks: &[Task], want: Want) -> (Verdict, Tally) {
        SCRATCH.with_borrow_mut(|scratch| {
            let mut search = Search::new(self, motion, tasks, scratch);
            let answer = match want {
                Want::Any => search.any(),
                Want::First => search.first(),
            };
            let verdict = match answer {
                Answer::Free => Verdict::Free,
                Answer::Contact { found, free_until } => {
                    Verdict::Contact(Box::new(self.describe(motion, tasks, &found, free_until)))
                }
                Answer::Undecided { free_until } => Verdict::Undecided { free_until },
            };
            (verdict, search.tally)
        })
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
        let convex: Convex = match &self.tasks.moving[task.moving].body {
            Body::Mesh(mesh) => Convex { core: Core::Facet(mesh.corners(moving as usize)), radius: 0.0 },
            Body::Solid(primitive) => (*primitive).into(),
        };
        Pair::new(convex, convex.reach(), self.tasks.resting[task.resting].tree.item(resting))
    }

    /// A found contact in the user's terms.
    fn describe(&self, motion: &Motion, tasks: &[Task], found: &Found, free_until: f64) -> Contact {
        let task = tasks[found.task];
        let (piece, resting) = (&self.tasks.moving[task.moving], &self.tasks.resting[task.resting]);
        // Just before the contact the closest features are those that will touch.
        let tube = self.relative(&motion.chain, &task).tube(Span::new(found.lo, found.lo));
        let meeting = self.pair(&task, found.moving, found.resting).meeting(&tube);
        let (part, other_piece, triangle) = resting.owner(found.resting);
        let to_world = self.resting_pose(motion, &task, found.lo);
        let length = meeting.direction.norm();
        let normal = if length > 0.0 { to_world.rotation * (meeting.direction * (1.0 / length)) } else { Vec3::ZERO };
        let (a, b) = match meeting.touch {
            Some(Touch::VertexFace { vertex }) => ((FeatureKind::Vertex, vertex), (FeatureKind::Face, 0)),
            Some(Touch::FaceVertex { vertex }) => ((FeatureKind::Face, 0), (FeatureKind::Vertex, vertex)),
            Some(Touch::EdgeEdge { a, b }) => ((FeatureKind::Edge, a), (FeatureKind::Edge, b)),
            None => ((FeatureKind::Solid, 0), (FeatureKind::Solid, 0)),
        };
        let mine = self.feature(piece.part, piece.piece, found.moving as usize, a);
        let theirs = self.feature(part, other_piece, triangle, b);
        Contact {
            time: (free_until.min(found.lo), found.hi),
            free_until: free_until.min(found.lo),
            parts: (PartId(piece.part), PartId(part)),
            features: (mine, theirs),
            point: to_world.apply(meeting.point + resting.tree.origin),
            normal,
        }
    }

    /// A feature of a mesh, or the solid as a whole.
    fn feature(&self, part: usize, piece: usize, triangle: usize, (kind, corner): (FeatureKind, u8)) -> Feature {
        match self.scene.parts[part].pieces[piece].shape {
            Shape::Mesh(_) if kind != FeatureKind::Solid => Feature { kind, piece, triangle, corner: corner.into() },
            // A mesh against a cylinder: the triangle is known, which of its features is not.
            Shape::Mesh(_) => Feature { kind: FeatureKind::Face, piece, triangle, corner: 0 },
            Shape::Primitive(_) => Feature { kind: FeatureKind::Solid, piece, triangle: 0, corner: 0 },
        }
    }

    /// Pose in the world of a task's resting tree.
    fn resting_pose(&self, motion: &Motion, task: &Task, t: f64) -> Pose {
        let resting = &self.tasks.resting[task.resting];
        if resting.frame == 0 {
            return Pose::from_translation(self.scene.origin.unwrap_or(Vec3::ZERO));
        }
        motion.frame_pose(resting.frame, t) * resting.placement.pose
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
