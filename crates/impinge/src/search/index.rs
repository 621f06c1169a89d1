//! Everything that queries about a scene need, built before the first of them: pairs, hierarchies, and who could be inside of whom.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::Error;
use crate::build_once::BuildOnce;
use crate::math::Vec3;
use crate::math::rounding::INFLATE;
use crate::motion::{Carried, Chain, Relative};
use crate::narrow::Pair;
use crate::scene::Scene;
use crate::search::ExactStage;
use crate::search::broad_phase::Culling;
use crate::search::containment::Containment;
use crate::search::deforming::Deforming;
use crate::search::hulls::HullTrees;
use crate::search::obb::trees::WideTrees;
use crate::search::options::Semantics;
use crate::search::pairs::{MovingPiece, Task, Tasks};

/// See the module. What only some engines and stages need is built when they are chosen.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) scene: Arc<Scene>,
    pub(crate) tasks: Tasks,
    /// Largest size of anything that moves.
    pub(crate) size: f64,
    /// Smallest grain of anything at rest.
    grain: f64,
    /// Which pieces could be inside of which when a motion begins.
    pub(crate) containment: Containment,
    /// Who meets what deforms.
    pub(crate) deforming: Deforming,
    /// What culling stages need.
    culling: BuildOnce<Culling>,
    /// The exact stage in place of the engines here, where one is asked for.
    pub(crate) exact: Option<Box<dyn ExactStage>>,
    hulls: BuildOnce<HullTrees>,
    pub(crate) wide: WideTrees,
}

impl Index {
    /// What every query needs.
    ///
    /// # Errors
    /// If there are too many pairs to check.
    pub fn new(scene: Arc<Scene>, semantics: Semantics) -> Result<Self, Error> {
        let tasks = Tasks::new(&scene)?;
        // The size of obstacles counts, too: a tiny body on a long way must not get a million slices.
        let moving = tasks.moving.iter().filter(|m| m.frame != 0).map(|m| m.tree.root().half.norm()).fold(0.0, f64::max);
        let sized = || tasks.resting.iter().filter(|r| !r.half_space);
        let size = sized().map(|r| 0.25 * r.tree.extent).fold(moving, f64::max);
        let grain = sized().map(|r| r.tree.grain).fold(f64::INFINITY, f64::min);
        Ok(Index {
            size,
            grain,
            containment: Containment::new(&scene, semantics),
            deforming: Deforming::new(&scene),
            culling: BuildOnce::new(),
            exact: None,
            hulls: BuildOnce::new(),
            wide: WideTrees::new(&tasks),
            tasks,
            scene,
        })
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What culling stages need.
    pub(crate) fn culling(&self) -> &Culling {
        self.culling.get_or_build(|| Culling::new(&self.scene, &self.tasks))
    }

    /// Trees of hulls.
    pub(crate) fn hulls(&self) -> &HullTrees {
        self.hulls.get_or_build(|| HullTrees::new(&self.tasks))
    }

    /// For each frame, at least how far what it carries reaches from its origin; below zero where it carries nothing.
    pub fn frame_reaches(&self) -> Vec<f64> {
        let mut reaches = vec![-1.0; self.scene.parents.len()];
        for MovingPiece { frame, placement, tree, .. } in &self.tasks.moving {
            let (_, error) = placement.apply(Vec3::ZERO);
            let reach =
                (placement.pose.translation.norm() + tree.root().reach * (1.0 + placement.rotation_error) + error) * INFLATE;
            reaches[*frame] = reach.max(reaches[*frame]);
        }
        reaches
    }

    /// How a task's moving side moves, as seen from what rests.
    pub(crate) fn relative<'a>(&'a self, chain: &'a Chain, task: &Task) -> Relative<'a> {
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
    pub(crate) fn small_amount(&self, grains: f64) -> f64 {
        (grains * self.grain / self.size.max(1e-300)).clamp(0.005, 0.1)
    }

    /// How many pairs of parts there are to check.
    pub fn part_pairs(&self) -> u64 {
        let pairs = self.tasks.tasks.iter().flat_map(|task| {
            let moving = self.tasks.moving[task.moving].part;
            self.tasks.resting[task.resting].pieces().map(move |(resting, _)| (moving, resting))
        });
        pairs.collect::<BTreeSet<_>>().len() as u64
    }

    /// A moving item and a resting item of a task.
    pub(crate) fn pair(&self, task: &Task, moving: u32, resting: u32) -> Pair {
        let convex = self.tasks.moving[task.moving].item(moving);
        Pair::new(convex, convex.reach(), self.tasks.resting[task.resting].tree.item(resting))
    }
}
