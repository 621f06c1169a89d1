//! Stage 2: what the capsules of links sweep, against triangles at rest and against other capsules. [Redon 2004, section 4.2]
//!
//! With the tube: flat quadrilaterals with a radius, one for every span. With interval matrices: the cells of the paper's swept surface, a
//! ruled surface cut by equation 11 for a given error and enlarged by it; the paper tests its tessellation on graphics hardware, here its
//! cells are tested as they are.

use crate::bvh::RestingItem;
use crate::math::Vec3;
use crate::math::rounding::INFLATE;
use crate::motion::{Carried, Relative};
use crate::search::broad_phase::{HERE, Other, Pass, Suspect, regions};
use crate::search::options::Bound;
use crate::search::pairs::common_ancestor;
use crate::swept::capsule::SweptCapsule;
use crate::swept::surface::CarriedCapsule;

/// Error of the paper's surface, as a share of the capsule's radius.
const ERROR: f64 = 0.1;

impl Pass<'_> {
    /// Keeps the pairs that capsules may touch; returns how many packs of boxes were tested.
    pub fn sweeps(&mut self) -> u64 {
        let mut left = Vec::with_capacity(self.pairs.len());
        let mut tests = 0;
        let pairs = std::mem::take(&mut self.pairs);
        for of_link in pairs.chunk_by(|&a, &b| self.culling.pairs[a].link == self.culling.pairs[b].link) {
            let (objects, links): (Vec<usize>, Vec<usize>) =
                of_link.iter().partition(|&&p| matches!(self.culling.pairs[p].other, Other::Object(_)));
            tests += self.objects(&objects, &mut left);
            left.extend(links.into_iter().filter(|&p| !self.links_apart(p)));
        }
        self.pairs = left;
        tests
    }

    /// Pairs of one link with objects: those it may touch are added to `left`.
    fn objects(&self, pairs: &[usize], left: &mut Vec<usize>) -> u64 {
        let Some(&first) = pairs.first() else { return 0 };
        let Some(regions) = self.regions(self.culling.pairs[first].link) else {
            left.extend(pairs);
            return 0;
        };
        // Suspects by tree and piece: a piece may be met by several pieces of the link, once is enough.
        let tasks = &self.query.index.tasks;
        let place = |&(task, piece): &Suspect| (tasks.tasks[task].resting, piece);
        let mut pieces: Vec<((usize, usize), usize)> =
            pairs.iter().flat_map(|&p| self.culling.pairs[p].suspects.iter().map(move |s| (place(s), p))).collect();
        pieces.sort_unstable();
        pieces.dedup();
        let mut touched: Vec<usize> = Vec::new();
        let mut tests = 0;
        for of_tree in pieces.chunk_by(|a, b| a.0.0 == b.0.0) {
            let resting = &tasks.resting[of_tree[0].0.0];
            let extra = (self.query.options.margin + resting.item_error) * INFLATE;
            for region in &regions {
                let region = region.grown(extra);
                tests += resting.tree.near(region.enclose(), |id| {
                    let Ok(at) = of_tree.binary_search_by_key(&resting.piece_of(id), |p| p.0.1) else { return };
                    let pair = of_tree[at].1;
                    let apart = || match resting.tree.item(id) {
                        RestingItem::Triangle(corners) => region.proven_apart(corners),
                        RestingItem::Solid(_) => false,
                    };
                    if !touched.contains(&pair) && !apart() {
                        touched.push(pair);
                    }
                });
            }
        }
        touched.sort_unstable();
        left.extend(touched);
        tests
    }

    /// What a link's capsule sweeps in the world; `None` if that cannot be said.
    fn regions(&self, link: usize) -> Option<Vec<SweptCapsule>> {
        let crate::search::broad_phase::Link { frame, capsule, .. } = self.culling.links[link];
        match self.query.options.bound {
            Bound::Tube => {
                let (moving, world) = (Carried { frame, placement: &HERE }, Carried { frame: 0, placement: &HERE });
                Some(regions(&Relative::new(&self.query.motion.chain, moving, world, 0, Vec3::ZERO), &capsule))
            }
            Bound::Interval => {
                let body = CarriedCapsule { chain: &self.query.motion.chain, frame, capsule, origin: Vec3::ZERO };
                let (cells, _) = body.cells(ERROR * capsule.radius)?;
                Some(cells.iter().map(SweptCapsule::of_cell).collect())
            }
        }
    }

    /// Whether the capsules of two links stay apart, one seen from the other. The paper has no such pairs, so this is the tube's alone.
    fn links_apart(&self, pair: usize) -> bool {
        let pair = &self.culling.pairs[pair];
        let (Other::Link(other), Bound::Tube) = (pair.other, self.query.options.bound) else { return false };
        let (moving, resting) = (&self.culling.links[pair.link], &self.culling.links[other]);
        let [a, b] = [moving.frame, resting.frame].map(|frame| Carried { frame, placement: &HERE });
        let ancestor = common_ancestor(&self.query.motion.chain.parents, a.frame, b.frame);
        let relative = Relative::new(&self.query.motion.chain, a, b, ancestor, Vec3::ZERO);
        let extra = (resting.capsule.radius + self.query.options.margin) * INFLATE;
        let segment = [resting.capsule.a, resting.capsule.b, resting.capsule.b];
        regions(&relative, &moving.capsule).iter().all(|region| region.grown(extra).proven_apart(&segment))
    }
}
