//! Pairs of nodes in the order of time: the one that is proven free for the shortest time is looked at next.
//!
//! ```text
//!  pairs   |-----------o                    o: proven free up to here
//!          |---o <- next: anchored here,    looked at again if it is still far away for its size, else opened: its two halves are
//!          |---------------o                looked at from the same instant; triangles go to the exact advance
//!          0               t
//! ```
//! Sound: the pairs in the queue and those proven free to the end cover all pairs of triangles, always; so everything is free up to the
//! first of the queue. What is decided exactly is decided as by every other engine, so brackets and words agree.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::math::simd::dispatch;
use crate::motion::Span;
use crate::narrow::advance::{Moving, Question, Repeated};
use crate::search::hulls::Ready;
use crate::search::hulls::anchor::Anchor;
use crate::search::hulls::front::Traversal;
use crate::search::hulls::measure::{Look, Pose, nodes_avx2, nodes_portable};
use crate::search::sweep::{any_avx2, any_portable, first_avx2, first_portable};
use crate::search::verdict::Tally;
use crate::search::{Answer, Collector, Flow, Goal, Index, Items, Stop};

/// A pair with a gap of more than this share of its size is looked at again from where it was proven free to; a nearer one is opened.
const FAR: f64 = 0.3;
/// A pair that came no farther than this share of what was left is opened in any case.
const SHORT: f64 = 1e-3;
/// Pairs that wait at the most.
const MOST_ITEMS: usize = 1 << 20;

/// A pair in the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    look: Look,
    task: u32,
    pair: (u32, u32),
    /// Two triangles, or two nodes and their place in the traversal that is kept.
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Triangles,
    /// `far`: to be looked at again, not opened.
    Nodes {
        place: u32,
        far: bool,
    },
}

impl Ord for Item {
    /// The earliest is the greatest, as the queue wants it; of those alike triangles are, then the pair that is first in its trees.
    fn cmp(&self, other: &Self) -> Ordering {
        let triangles = |item: &Item| item.kind == Kind::Triangles;
        let order = other.look.until.total_cmp(&self.look.until);
        order
            .then_with(|| triangles(self).cmp(&triangles(other)))
            .then_with(|| (other.task, other.pair).cmp(&(self.task, self.pair)))
    }
}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Item {}

/// One question, answered by hulls.
pub(crate) struct Advancing<'a> {
    pub index: &'a Index,
    pub ready: Vec<Ready<'a>>,
    /// What is known of the traversal, for each of `ready`; where it is kept.
    pub kept: Option<&'a mut Vec<Traversal>>,
    pub collector: Collector<'a>,
    /// Everything that begins before this was searched.
    pub reached: f64,
    pub queue: BinaryHeap<Item>,
    pub tally: Tally,
    /// The last pair that took long.
    pub repeated: Repeated,
}

impl Advancing<'_> {
    pub fn run(&mut self) -> Answer {
        let reached = match self.advance() {
            Flow::Break(Stop::OutOfWork) => self.reached,
            Flow::Break(Stop::Contact) | Flow::Continue(()) => f64::INFINITY,
        };
        self.collector.finish(reached)
    }

    /// Nothing at or after this matters; the end of the motion itself does.
    #[inline(always)]
    fn end(&self) -> f64 {
        self.collector.horizon().min(1.0)
    }

    fn advance(&mut self) -> Flow {
        for task in 0..self.ready.len() as u32 {
            let anchor = self.anchor(task, 0.0);
            let size = self.ready[task as usize].a.nodes[0].ball;
            let front = self.kept.as_mut().map(|kept| {
                kept[task as usize].begin(&anchor.placed, size);
                kept[task as usize].front()
            });
            for (place, pair) in front.unwrap_or_else(|| vec![(0, (0, 0))]) {
                self.look(task, &anchor, pair, place, None, 0.0)?;
            }
        }
        while let Some(item) = self.queue.pop() {
            if item.look.until >= self.end() {
                break;
            }
            self.reached = item.look.until;
            match item.kind {
                Kind::Triangles => self.decide(&item)?,
                Kind::Nodes { place, far } => {
                    let anchor = self.anchor(item.task, item.look.until);
                    if far {
                        self.look(item.task, &anchor, item.pair, place, Some(&item.look), item.look.until)?;
                    } else {
                        self.open(&item, place, &anchor)?;
                    }
                }
            }
        }
        Flow::Continue(())
    }

    fn anchor(&mut self, task: u32, t: f64) -> Anchor {
        let Ready { a, b, relative, origin, apart, .. } = &self.ready[task as usize];
        self.tally.link_states += 1;
        Anchor::new(relative, *origin, t, (a.reach, b.reach), *apart)
    }

    /// Looks at two nodes and keeps what is not proven free to the end; `known` is what the parent, or the last look, showed.
    fn look(&mut self, task: u32, anchor: &Anchor, pair: (u32, u32), place: u32, known: Option<&Look>, t: f64) -> Flow {
        self.tally.boxes += 1;
        if self.queue.len() > MOST_ITEMS {
            return Flow::Break(Stop::OutOfWork);
        }
        self.collector.within_budget(self.tally.work())?;
        let Ready { a, b, .. } = self.ready[task as usize];
        let end = self.end();
        let first = match (&self.kept, known) {
            (_, Some(known)) => known.apart,
            (Some(kept), None) => kept[task as usize].apart(place),
            (None, None) => anchor.placed.position,
        };
        let mut look = dispatch(nodes_avx2, nodes_portable, (&Pose { a, b, anchor, end }, pair, first));
        if let Some(kept) = &mut self.kept {
            kept[task as usize].looked(place, &look, t);
        }
        look.until = look.until.max(t);
        if look.until < end {
            let size = a.nodes[pair.0 as usize].ball + b.nodes[pair.1 as usize].ball;
            let far = look.gap > FAR * size && look.until - t > SHORT * (end - t);
            self.queue.push(Item { look, task, pair, kind: Kind::Nodes { place, far } });
        }
        Flow::Continue(())
    }

    /// The halves of a pair of nodes, from the same instant; triangles of two leaves.
    fn open(&mut self, item: &Item, place: u32, anchor: &Anchor) -> Flow {
        let Ready { a, b, .. } = self.ready[item.task as usize];
        let (node_a, node_b) = (&a.nodes[item.pair.0 as usize], &b.nodes[item.pair.1 as usize]);
        if node_a.is_leaf() && node_b.is_leaf() {
            return self.leaves(item, anchor);
        }
        let open_a = node_b.is_leaf() || (!node_a.is_leaf() && node_a.ball >= node_b.ball);
        let halves = if open_a {
            [(node_a.left, item.pair.1), (node_a.right, item.pair.1)]
        } else {
            [(item.pair.0, node_b.left), (item.pair.0, node_b.right)]
        };
        if self.kept.as_ref().is_some_and(|kept| kept[item.task as usize].is_full()) {
            return Flow::Break(Stop::OutOfWork);
        }
        let places = match &mut self.kept {
            Some(kept) => kept[item.task as usize].open(place, halves),
            None => [0; 2],
        };
        for (pair, place) in halves.into_iter().zip(places) {
            self.look(item.task, anchor, pair, place, Some(&item.look), item.look.until)?;
        }
        Flow::Continue(())
    }

    fn leaves(&mut self, item: &Item, anchor: &Anchor) -> Flow {
        let Ready { a, b, .. } = self.ready[item.task as usize];
        let (node_a, node_b) = (&a.nodes[item.pair.0 as usize], &b.nodes[item.pair.1 as usize]);
        for i in node_a.first..node_a.first + node_a.count {
            for k in node_b.first..node_b.first + node_b.count {
                self.tally.triangle_tests += 1;
                let end = self.end();
                let mut look = Pose { a, b, anchor, end }.triangles((i, k), item.look.apart);
                look.until = look.until.max(item.look.until);
                if look.until < end {
                    self.queue.push(Item { look, task: item.task, pair: (i, k), kind: Kind::Triangles });
                }
            }
        }
        Flow::Continue(())
    }

    /// The exact answer for two triangles.
    #[inline(never)]
    fn decide(&mut self, item: &Item) -> Flow {
        let Ready { task, a, b, ref relative, item_error, .. } = self.ready[item.task as usize];
        let (moving, resting) = (a.ids[item.pair.0 as usize], b.ids[item.pair.1 as usize]);
        let span = Span::new(item.look.until, self.collector.cut().min(1.0));
        self.tally.pairs += 1;
        let pair = self.index.pair(&task.task, moving, resting);
        let advancing = Moving { pair, relative, item_error, sharpness: self.collector.sharpness };
        let asked = Question { task: task.place, pair, span, lag: f64::INFINITY };
        let mut steps = 0;
        let known = self.repeated.answer(&asked).inspect(|_| steps = 1);
        let outcome = known.unwrap_or_else(|| match self.collector.goal {
            Goal::Any => dispatch(any_avx2, any_portable, (&advancing, span, &mut steps)),
            Goal::First => dispatch(first_avx2, first_portable, (&advancing, span, f64::INFINITY, &mut steps)),
        });
        self.tally.pair_steps += steps;
        self.repeated.keep(asked, outcome, steps);
        self.collector.offer(Items { task: task.place, moving, resting }, outcome)?;
        self.collector.within_budget(self.tally.work())
    }
}
