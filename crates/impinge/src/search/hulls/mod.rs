//! Rigid bodies by trees of hulls: conservative advancement, pair by pair. [Mirtich 1996; Zhang, Lee and Kim 2006; Xavier 1997]
//!
//! ```text
//! trees      hulls of everything made of triangles                anchor    a body at an instant, and how fast it can approach
//! measure    a pair of nodes or triangles at an instant           search    pairs in the order of time; the exact end
//! front      the BVTT front: a traversal that is kept
//! ```
//! Where we deviate from the paper: its bound is made sound ([`anchor`]); every pair of the front has its own time up to which it is proven
//! free and is measured again only then, instead of all pairs at every step; the end is exact instead of a distance threshold. The smallest
//! step over the front is the same. Any soup will do, closed or not.
//!
//! Not here: what is not made of triangles; the default search answers for it.

mod anchor;
pub(crate) mod front;
mod measure;
mod search;
#[cfg(test)]
mod tests;
mod trees;

use std::collections::BinaryHeap;

use crate::bvh::HullTree;
use crate::math::Vec3;
use crate::motion::Relative;
use crate::narrow::advance::Repeated;
use crate::search::pairs::Task;
use crate::search::verdict::Tally;
use crate::search::{Answer, Found, Goal, Items, Query};
use front::Traversal;
use measure::Pose;
use search::Advancing;

pub(crate) use trees::HullTrees;

/// The traversals of all tasks, in their order; empty before the first question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    pub(crate) traversals: Vec<Traversal>,
}

/// A task of a list, and its place there.
#[derive(Clone, Copy, Debug)]
struct Listed {
    task: Task,
    place: usize,
}

/// A task whose two sides are trees of hulls.
#[derive(Clone, Copy)]
struct Ready<'a> {
    task: Listed,
    a: &'a HullTree,
    b: &'a HullTree,
    relative: Relative<'a>,
    /// Of what rests.
    origin: Vec3,
    item_error: f64,
    /// Margin and error of what rests.
    apart: f64,
}

/// The answer by hulls where both sides are made of triangles, by the general engine elsewhere; with `memory` from the front it holds.
pub(crate) fn search(query: &Query<'_>, tasks: &[Task], memory: Option<&mut Memory>) -> (Answer, Tally) {
    let (mut ready, mut others) = (Vec::new(), Vec::new());
    for (place, task) in tasks.iter().enumerate() {
        let listed = Listed { task: *task, place };
        match query.index.hulls().of(&query.index.tasks, task) {
            Some(trees) => ready.push(Ready::new(query, listed, trees)),
            None => others.push(listed),
        }
    }
    let mut search = Advancing {
        index: query.index,
        kept: memory.map(|m| m.fitting(ready.len())),
        ready,
        collector: query.collector(),
        reached: 0.0,
        queue: BinaryHeap::new(),
        tally: Tally::default(),
        repeated: Repeated::default(),
    };
    if !others.is_empty() {
        let list: Vec<Task> = others.iter().map(|listed| listed.task).collect();
        let (answer, tally, _) = query.sweep(&list, Tally::default());
        search.tally = tally;
        search.begin_with(answer, &others);
    }
    let answer = search.run();
    search.raise();
    (answer, search.tally)
}

impl<'a> Ready<'a> {
    fn new(query: &Query<'a>, task: Listed, (a, b): (&'a HullTree, &'a HullTree)) -> Self {
        let resting = &query.index.tasks.resting[task.task.resting];
        Ready {
            task,
            a,
            b,
            relative: query.index.relative(&query.motion.chain, &task.task),
            origin: resting.tree.origin,
            item_error: resting.item_error,
            apart: query.options.margin + resting.item_error,
        }
    }
}

impl Memory {
    /// The traversals, if there are so many; fresh ones otherwise.
    fn fitting(&mut self, tasks: usize) -> &mut Vec<Traversal> {
        if self.traversals.len() != tasks {
            self.traversals = vec![Traversal::default(); tasks];
        }
        &mut self.traversals
    }
}

impl Advancing<'_> {
    /// What the default search found among other tasks; nothing later matters.
    fn begin_with(&mut self, mut answer: Answer, others: &[Listed]) {
        if let Answer::Contact { found: Found { items: Items { task, .. }, .. }, .. } = &mut answer {
            *task = others[*task].place;
            if self.collector.goal == Goal::Any {
                self.ready.clear();
            }
        }
        self.collector.adopt(answer);
    }

    /// Draws the front back to where it needs not be so fine.
    fn raise(&mut self) {
        let Some(kept) = &mut self.kept else { return };
        for (ready, traversal) in self.ready.iter().zip(kept.iter_mut()) {
            let Ready { a, b, relative, origin, apart, .. } = ready;
            let anchor = anchor::Anchor::new(relative, *origin, 0.0, (a.reach, b.reach), *apart);
            let pose = Pose { a, b, anchor: &anchor, end: 1.0 };
            traversal.raise(|pair, apart| {
                pose.along(&a.nodes[pair.0 as usize], &b.nodes[pair.1 as usize], apart).until == f64::INFINITY
            });
        }
    }
}
