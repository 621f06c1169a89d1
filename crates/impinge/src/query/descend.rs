//! Down one task: which nodes of a moving tree can reach which packs of a resting one, and when.
//!
//! A step is (node, span, packs still near). Its swept box is made once and run against the packs its parent could reach. What survives
//! goes on with half the span or half the node, whichever leaves less volume; leaves go on to triangles, eight at a time.

use super::search::{Flow, Search, Stop};
use super::tasks::Body;
use super::timeline::SpanId;
use crate::cull::{Sweep, SweptBox};
use crate::exact::Window;
use crate::exact::triangles::{self, SweptTriangle};
use crate::math::Vec3;
use crate::math::simd::{Avx2, Lanes, Portable, triangles_near};
use crate::motion::Span;
use crate::shape::tree::RestingItem;
use crate::shape::tree::moving::MovingNode;

/// A node over a span, to be tested against `packs[from..to]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    node: u32,
    span: SpanId,
    from: u32,
    to: u32,
}

/// Time is halved when that leaves less than this share of what halving the node would leave.
const TIME_BIAS: f64 = 0.9;

impl Search<'_> {
    /// One task over one slice. Depth first: a step's packs stay in the list until all its children are done.
    #[inline(always)]
    fn descend<L: Lanes>(&mut self, task: usize, root: SpanId) -> Flow {
        let t = self.tasks[task];
        let checker = self.checker;
        let (mover, tree) = (&checker.tasks.moving[t.moving], &checker.tasks.resting[t.resting].tree);
        self.scratch.packs.start(tree.root);
        self.scratch.steps.clear();
        self.scratch.steps.push(Step { node: 0, span: root, from: 0, to: 1 });
        while let Some(step) = self.scratch.steps.pop() {
            self.scratch.packs.list.truncate(step.to as usize);
            let Some(span) = self.within_limit(step.span) else { continue };
            self.tally.boxes += 1;
            if checker.ends_at(self.tally.work()) {
                return Flow::Break(Stop::OutOfWork);
            }
            let node = &mover.tree.nodes[step.node as usize];
            let swept = self.sweep(task, span).sweep(node);
            let side = swept.half.add(swept.motion);
            let open = side.0[0].max(side.0[1]).max(side.0[2]) * tree.scale;
            let packs = &mut self.scratch.packs;
            let from = packs.gather::<L>(tree, &swept.probe, open as f32, step.from as usize, &mut self.tally.pack_tests);
            if from == packs.list.len() {
                continue;
            }
            let (from, to) = (from as u32, packs.list.len() as u32);
            // What halving can not shrink: the resting items, and the margin.
            let grain = 0.25 * tree.grain + 1e-4 * (tree.extent + node.reach) + self.sharpness.margin;
            if halve_time(&swept, grain) && self.scratch.timeline.span(span).length() > 1e-7 {
                let [early, late] = self.scratch.timeline.halves(span);
                self.scratch.steps.push(Step { node: step.node, span: late, from, to });
                self.scratch.steps.push(Step { node: step.node, span: early, from, to });
            } else if node.leaf {
                self.leaf::<L>(task, node, span, from as usize)?;
            } else {
                self.scratch.steps.push(Step { node: node.second, span, from, to });
                self.scratch.steps.push(Step { node: node.first, span, from, to });
            }
        }
        Flow::Continue(())
    }

    /// Whether the whole of a task's mover may reach anything within a span.
    #[inline(always)]
    fn reaches<L: Lanes>(&mut self, task: usize, span: SpanId) -> bool {
        let t = self.tasks[task];
        let checker = self.checker;
        let (mover, tree) = (&checker.tasks.moving[t.moving], &checker.tasks.resting[t.resting].tree);
        self.tally.boxes += 1;
        let swept = self.sweep(task, span).sweep(&mover.tree.nodes[0]);
        let side = swept.half.add(swept.motion);
        let open = side.0[0].max(side.0[1]).max(side.0[2]) * tree.scale;
        let packs = &mut self.scratch.packs;
        packs.start(tree.root);
        packs.gather::<L>(tree, &swept.probe, open as f32, 0, &mut self.tally.pack_tests) < packs.list.len()
    }

    /// The span, or the half of it that lies before the limit; `None` when nothing does.
    #[inline(always)]
    fn within_limit(&mut self, mut span: SpanId) -> Option<SpanId> {
        while self.scratch.timeline.span(span).to > self.limit {
            if self.scratch.timeline.span(span).from >= self.limit {
                return None;
            }
            let halves = self.scratch.timeline.halves(span);
            if self.scratch.timeline.span(halves[1]).from < self.limit {
                break;
            }
            span = halves[0];
        }
        Some(span)
    }

    /// The items of a leaf against the packs from `from` on.
    #[inline(always)]
    fn leaf<L: Lanes>(&mut self, task: usize, node: &MovingNode, span: SpanId, from: usize) -> Flow {
        let mover = &self.checker.tasks.moving[self.tasks[task].moving];
        match &mover.body {
            Body::Mesh(_) => {
                let leaf = node.first as usize..(node.first + node.second) as usize;
                for (&moving, corners) in mover.tree.order[leaf.clone()].iter().zip(&mover.tree.corners[leaf]) {
                    self.triangle::<L>(task, moving, corners, node.reach, span, from)?;
                }
                Flow::Continue(())
            }
            Body::Solid(_) => self.solid::<L>(task, node, span, from),
        }
    }

    /// One moving triangle against the packs: eight at a time, then one by one.
    #[inline(always)]
    fn triangle<L: Lanes>(
        &mut self,
        task: usize,
        moving: u32,
        corners: &[Vec3; 3],
        reach: f64,
        span: SpanId,
        from: usize,
    ) -> Flow {
        let checker = self.checker;
        let resting = &checker.tasks.resting[self.tasks[task].resting];
        let extra = self.sharpness.margin + resting.item_error;
        let sweep = self.sweep(task, span);
        let swept = SweptTriangle::new(&sweep.tube, corners, reach, extra);
        let (probe, scale) = (sweep.probe_of(&swept), resting.tree.scale);
        let rounding = sweep.tube.rounding(reach) + resting.item_error;
        let list = self.scratch.packs.gather::<L>(&resting.tree, &probe, -1.0, from, &mut self.tally.pack_tests);
        if list == self.scratch.packs.list.len() {
            return Flow::Continue(());
        }
        let narrow = swept.scaled(scale);
        let time = self.scratch.timeline.span(span);
        for at in list..self.scratch.packs.list.len() {
            let near = self.scratch.packs.list[at];
            let Some(leaf) = near.pack.leaf() else { continue };
            let pack = &resting.tree.leaves[leaf];
            self.tally.triangle_tests += 1;
            let mut near = triangles_near::<L>(&pack.triangles, &narrow, near.lanes);
            while near != 0 {
                let id = pack.ids[near.trailing_zeros() as usize];
                near &= near - 1;
                self.tally.pairs += 1;
                let window = match resting.tree.item(id) {
                    RestingItem::Triangle(rest) => triangles::narrow(&swept, rest, 0.0).window,
                    RestingItem::Solid(_) => Window::FULL,
                };
                if window.is_empty() {
                    continue;
                }
                let left = Span::new(time.at(window.from), time.at(window.to));
                let touches = window.from <= 0.0
                    && window.to >= 0.0
                    && touches(&swept, rounding, resting.tree.item(id), self.sharpness.margin);
                self.pair(task, moving, id, left, touches.then(|| time.middle()))?;
            }
        }
        self.scratch.packs.list.truncate(list);
        Flow::Continue(())
    }

    /// A moving solid against the packs.
    #[inline(always)]
    fn solid<L: Lanes>(&mut self, task: usize, node: &MovingNode, span: SpanId, from: usize) -> Flow {
        let checker = self.checker;
        let resting = &checker.tasks.resting[self.tasks[task].resting];
        let probe = self.sweep(task, span).sweep(node).probe;
        let list = self.scratch.packs.gather::<L>(&resting.tree, &probe, -1.0, from, &mut self.tally.pack_tests);
        let time = self.scratch.timeline.span(span);
        let mut ids: Vec<u32> = Vec::new();
        for near in self.scratch.packs.list.drain(list..) {
            let Some(leaf) = near.pack.leaf() else { continue };
            let pack = &resting.tree.leaves[leaf];
            ids.extend((0..8).filter(|lane| near.lanes & (1 << lane) != 0).map(|lane| pack.ids[lane]));
        }
        // A large item may stand in several lanes.
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            self.tally.pairs += 1;
            self.pair(task, 0, id, time, None)?;
        }
        Flow::Continue(())
    }

    #[inline(always)]
    fn sweep(&mut self, task: usize, span: SpanId) -> &Sweep {
        let resting = &self.checker.tasks.resting[self.tasks[task].resting];
        let extra = self.sharpness.margin + resting.item_error;
        self.scratch.timeline.sweep(task as u32, span, &self.relatives[task], &resting.tree, extra)
    }
}

/// Whether a swept triangle is proven to touch a resting one at the middle of its span.
#[inline(always)]
fn touches(swept: &SweptTriangle, rounding: f64, item: RestingItem<'_>, margin: f64) -> bool {
    match item {
        RestingItem::Triangle(rest) => triangles::proven_within(&swept.corners, rest, rounding, margin),
        RestingItem::Solid(_) => false,
    }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
pub(super) fn descend_avx2((search, task, root): (&mut Search<'_>, usize, SpanId)) -> Flow {
    search.descend::<Avx2>(task, root)
}

pub(super) fn descend_portable((search, task, root): (&mut Search<'_>, usize, SpanId)) -> Flow {
    search.descend::<Portable>(task, root)
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
pub(super) fn reaches_avx2((search, task, span): (&mut Search<'_>, usize, SpanId)) -> bool {
    search.reaches::<Avx2>(task, span)
}

pub(super) fn reaches_portable((search, task, span): (&mut Search<'_>, usize, SpanId)) -> bool {
    search.reaches::<Portable>(task, span)
}

/// Whether halving the span shrinks the swept volume more than halving the longest side of the box.
#[inline(always)]
fn halve_time(swept: &SweptBox, grain: f64) -> bool {
    let (half, motion) = (&swept.half.0, &swept.motion.0);
    let whole = [half[0] + motion[0] + grain, half[1] + motion[1] + grain, half[2] + motion[2] + grain];
    let time = (whole[0] - 0.5 * motion[0]) * (whole[1] - 0.5 * motion[1]) * (whole[2] - 0.5 * motion[2]);
    // Halving side i leaves (whole_i - half_i / 2) / whole_i; compare volumes without dividing.
    let rest = [whole[1] * whole[2], whole[0] * whole[2], whole[0] * whole[1]];
    let node = (0..3).map(|i| (whole[i] - 0.5 * half[i]) * rest[i]).fold(f64::INFINITY, f64::min);
    time < TIME_BIAS * node
}
