//! Rigid bodies by trees of hulls: conservative advancement, pair by pair. [Mirtich 1996; Zhang, Lee and Kim 2006; Xavier 1997]
//!
//! ```text
//! trees      hulls of everything made of triangles                anchor    a body at an instant, and how fast it can approach
//! measure    a pair of nodes or triangles at an instant           search    pairs in the order of time; the exact end
//! memory     the traversal, kept                                  session   what the caller holds from one question to the next
//! ```
//! Where we deviate from the paper: its bound is made sound ([`anchor`]); every pair of the front has its own time up to which it is proven
//! free and is measured again only then, instead of all pairs at every step; the end is exact instead of a distance threshold. The smallest
//! step over the front is the same. Any soup will do, closed or not.
//!
//! Not here: what is not made of triangles; the default search answers for it.

mod anchor;
mod measure;
mod memory;
mod search;
mod session;
#[cfg(test)]
mod tests;
mod trees;

use std::collections::BinaryHeap;

use super::checker::{Checker, Want};
use super::search::{Answer, Found};
use super::tasks::Task;
use super::verdict::Tally;
use crate::advance::pair::Sharpness;
use crate::math::Vec3;
use crate::motion::Relative;
use crate::scene::Motion;
use crate::shape::hull::HullTree;
use measure::Pose;
use memory::Traversal;
use search::Advancing;

pub use session::FrontSession;
pub(super) use trees::HullTrees;

/// The traversals of all tasks, in their order; empty before the first question.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    traversals: Vec<Traversal>,
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

impl Checker {
    /// The answer by hulls where both sides are made of triangles, by the default search elsewhere; with `memory` from the front it holds.
    pub(super) fn advance(&self, motion: &Motion, tasks: &[Task], want: Want, memory: Option<&mut Memory>) -> (Answer, Tally) {
        let (mut ready, mut others) = (Vec::new(), Vec::new());
        for (place, task) in tasks.iter().enumerate() {
            let listed = Listed { task: *task, place };
            match self.hulls().of(&self.tasks, task) {
                Some(trees) => ready.push(self.ready(motion, listed, trees)),
                None => others.push(listed),
            }
        }
        let mut search = Advancing {
            checker: self,
            kept: memory.map(|m| m.fitting(ready.len())),
            ready,
            sharpness: self.sharpness(),
            want,
            best: None,
            cut: f64::INFINITY,
            undecided: f64::INFINITY,
            queue: BinaryHeap::new(),
            tally: Tally::default(),
        };
        if !others.is_empty() {
            let list: Vec<Task> = others.iter().map(|listed| listed.task).collect();
            let (answer, tally, _) = self.sweep(motion, &list, want, Tally::default());
            search.tally = tally;
            search.begin_with(&answer, &others);
        }
        let answer = search.run();
        search.raise();
        (answer, search.tally)
    }

    fn ready<'a>(&'a self, motion: &'a Motion, task: Listed, (a, b): (&'a HullTree, &'a HullTree)) -> Ready<'a> {
        let resting = &self.tasks.resting[task.task.resting];
        Ready {
            task,
            a,
            b,
            relative: self.relative(&motion.chain, &task.task),
            origin: resting.tree.origin,
            item_error: resting.item_error,
            apart: self.options().margin + resting.item_error,
        }
    }

    fn sharpness(&self) -> Sharpness {
        let o = self.options();
        Sharpness { margin: o.margin, tolerance: o.tolerance, time: o.time_tolerance }
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
    fn begin_with(&mut self, answer: &Answer, others: &[Listed]) {
        match *answer {
            Answer::Free => {}
            Answer::Contact { found, free_until } => {
                self.best = Some(Found { task: others[found.task].place, ..found });
                self.cut = free_until.min(found.lo);
                if self.want == Want::Any {
                    self.ready.clear();
                }
            }
            Answer::Undecided { free_until } => self.undecided = free_until,
        }
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
