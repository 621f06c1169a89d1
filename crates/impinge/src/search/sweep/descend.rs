//! Down one task: which nodes of a moving tree can reach which packs of a resting one, and when.
//!
//! A step is (node, span, packs still near). Its swept box is made once and run against the packs its parent could reach. What survives
//! goes on with half the span or half the node, whichever leaves less volume; leaves go on to triangles, eight at a time.

use crate::bvh::RestingItem;
use crate::bvh::moving::MovingNode;
use crate::math::simd::{Avx2, Boxes8, Lanes, Portable, triangles_near};
use crate::motion::Span;
use crate::narrow::Window;
use crate::narrow::triangle_pair;
use crate::narrow::triangle_pair::SweptTriangle;
use crate::search::Items;
use crate::search::pairs::Body;
use crate::search::sweep::swept_box::{Sweep, SweptBox, SweptFour};
use crate::search::sweep::timeline::SpanId;
use crate::search::sweep::{Flow, Search, Stop, Suspect};

/// A node over a span, to be tested against `packs[from..to]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
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
        let index = self.index;
        let (mover, tree) = (&index.tasks.moving[t.moving], &index.tasks.resting[t.resting].tree);
        self.scratch.packs.start(tree.root);
        self.scratch.steps.clear();
        self.scratch.steps.push(Step { node: 0, span: root, from: 0, to: 1 });
        while let Some(step) = self.scratch.steps.pop() {
            self.scratch.packs.list.truncate(step.to as usize);
            let Some(span) = self.within_limit(step.span) else { continue };
            self.tally.boxes += 1;
            if self.out_of_work() {
                return Flow::Break(Stop::OutOfWork);
            }
            let boxes = &mover.tree.boxes;
            let (node, below) = (&boxes.nodes[step.node as usize], boxes.children(step.node));
            let swept = self.sweep(task, span).sweep(&node.volume);
            let side = swept.half.add(swept.motion);
            // What a leaf reaches is needed in full.
            let open = if below.is_none() { -1.0 } else { side.0[0].max(side.0[1]).max(side.0[2]) * tree.scale };
            let packs = &mut self.scratch.packs;
            let from = packs.gather::<L>(tree, &swept.probe, open as f32, step.from as usize, &mut self.tally.pack_tests);
            if from == packs.list.len() {
                continue;
            }
            let (from, to) = (from as u32, packs.list.len() as u32);
            // What halving can not shrink: the resting items, and the margin.
            let grain = 0.25 * tree.grain + 1e-4 * (tree.extent + node.volume.reach) + self.collector.sharpness.margin;
            if halve_time(&swept, grain) && self.scratch.timeline.span(span).length() > 1e-7 {
                let [early, late] = self.scratch.timeline.halves(span);
                self.scratch.steps.push(Step { node: step.node, span: late, from, to });
                self.scratch.steps.push(Step { node: step.node, span: early, from, to });
            } else if let Some([first, second]) = below {
                self.scratch.steps.push(Step { node: second, span, from, to });
                self.scratch.steps.push(Step { node: first, span, from, to });
            } else {
                self.leaf::<L>(task, node, span, from as usize)?;
            }
        }
        Flow::Continue(())
    }

    /// Whether the whole of a task's mover may reach anything within a span.
    #[inline(always)]
    fn reaches<L: Lanes>(&mut self, task: usize, span: SpanId) -> bool {
        let t = self.tasks[task];
        let index = self.index;
        let (mover, tree) = (&index.tasks.moving[t.moving], &index.tasks.resting[t.resting].tree);
        self.tally.boxes += 1;
        let swept = self.sweep(task, span).sweep(mover.tree.root());
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

    /// The items of a leaf against the leaf packs from `from` on.
    #[inline(always)]
    fn leaf<L: Lanes>(&mut self, task: usize, node: &MovingNode, span: SpanId, from: usize) -> Flow {
        match self.index.tasks.moving[self.tasks[task].moving].body {
            Body::Mesh(_) => self.triangles::<L>(task, node, span, from),
            Body::Solid(_) => self.solid(task, span, from),
        }
    }

    /// Moving triangles, up to four, against the boxes of resting ones, then one against eight triangles, then one by one.
    #[inline(always)]
    fn triangles<L: Lanes>(&mut self, task: usize, node: &MovingNode, span: SpanId, from: usize) -> Flow {
        let index = self.index;
        let (t, time) = (self.tasks[task], self.scratch.timeline.span(span));
        let (tree, resting) = (&index.tasks.moving[t.moving].tree, &index.tasks.resting[t.resting]);
        let leaf = node.items();
        let sweep = self.sweep(task, span);
        let four = sweep.four(&tree.corners[leaf.clone()], node.volume.reach);
        let rounding = sweep.tube.rounding(node.volume.reach) + resting.item_error;
        self.scratch.reached.clear();
        for near in &self.scratch.packs.list[from..] {
            let Some(leaf) = near.pack.leaf() else { continue };
            self.tally.pack_tests += 1;
            self.scratch.reached.push((leaf as u32, reached(&four, &resting.tree.leaves[leaf].boxes, near.lanes)));
        }
        let scaled = four.scaled();
        for (lane, &moving) in tree.boxes.order[leaf].iter().enumerate() {
            let mine = |reached: u32| reached >> (8 * lane) & 0xff;
            for at in 0..self.scratch.reached.len() {
                let (leaf, reached) = self.scratch.reached[at];
                if mine(reached) == 0 {
                    continue;
                }
                let pack = &resting.tree.leaves[leaf as usize];
                self.tally.triangle_tests += 1;
                let mut near = triangles_near::<L>(&pack.triangles, &scaled.triangle(lane), mine(reached));
                if near == 0 {
                    continue;
                }
                let swept = four.triangle(lane);
                while near != 0 {
                    let id = pack.ids[near.trailing_zeros() as usize];
                    near &= near - 1;
                    self.tally.pairs += 1;
                    let window = match resting.tree.item(id) {
                        RestingItem::Triangle(rest) => triangle_pair::narrow(&swept, rest, 0.0).window,
                        RestingItem::Solid(_) => Window::FULL,
                    };
                    if window.is_empty() {
                        continue;
                    }
                    let left = Span::new(time.at(window.from), time.at(window.to));
                    let touches = window.from <= 0.0
                        && window.to >= 0.0
                        && touches(&swept, rounding, resting.tree.item(id), self.collector.sharpness.margin);
                    let touches_at = if touches { time.middle() } else { f64::INFINITY };
                    let items = Items { task, moving, resting: id };
                    self.pair(Suspect { items, span: left, lag: window.lag * time.half(), touches_at })?;
                }
            }
        }
        Flow::Continue(())
    }

    /// A moving solid against the leaf packs from `from` on.
    fn solid(&mut self, task: usize, span: SpanId, from: usize) -> Flow {
        let leaves = &self.index.tasks.resting[self.tasks[task].resting].tree.leaves;
        let time = self.scratch.timeline.span(span);
        let mut ids: Vec<u32> = Vec::new();
        for near in &self.scratch.packs.list[from..] {
            let Some(leaf) = near.pack.leaf() else { continue };
            ids.extend((0..8).filter(|lane| near.lanes & (1 << lane) != 0).map(|lane| leaves[leaf].ids[lane]));
        }
        // A large item may stand in several lanes.
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            self.tally.pairs += 1;
            let items = Items { task, moving: 0, resting: id };
            self.pair(Suspect { items, span: time, lag: f64::INFINITY, touches_at: f64::INFINITY })?;
        }
        Flow::Continue(())
    }

    #[inline(always)]
    fn sweep(&mut self, task: usize, span: SpanId) -> &Sweep {
        let resting = &self.index.tasks.resting[self.tasks[task].resting];
        let extra = self.collector.sharpness.margin + resting.item_error;
        self.scratch.timeline.sweep(task as u32, span, &self.relatives[task], &resting.tree, extra)
    }
}

/// Which of four triangles are near which of eight boxes: bit 8 d + l is for triangle d and box l.
#[inline(always)]
fn reached(four: &SweptFour, boxes: &Boxes8, mut lanes: u32) -> u32 {
    let mut reached = 0;
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let near = four.near(boxes, lane);
        reached |= ((near & 1) | (near & 2) << 7 | (near & 4) << 14 | (near & 8) << 21) << lane;
    }
    reached
}

/// Whether a swept triangle is proven to touch a resting one at the middle of its span.
#[inline(always)]
fn touches(swept: &SweptTriangle, rounding: f64, item: RestingItem<'_>, margin: f64) -> bool {
    match item {
        RestingItem::Triangle(rest) => triangle_pair::proven_within(&swept.corners, rest, rounding, margin),
        RestingItem::Solid(_) => false,
    }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
pub(crate) fn descend_avx2((search, task, root): (&mut Search<'_>, usize, SpanId)) -> Flow {
    search.descend::<Avx2>(task, root)
}

pub(crate) fn descend_portable((search, task, root): (&mut Search<'_>, usize, SpanId)) -> Flow {
    search.descend::<Portable>(task, root)
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
pub(crate) fn reaches_avx2((search, task, span): (&mut Search<'_>, usize, SpanId)) -> bool {
    search.reaches::<Avx2>(task, span)
}

pub(crate) fn reaches_portable((search, task, span): (&mut Search<'_>, usize, SpanId)) -> bool {
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
