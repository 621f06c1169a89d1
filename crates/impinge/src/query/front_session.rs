//! What the caller keeps from one question to the next: the front of the traversal.

use crate::Error;
use crate::query::checker::Checker;
use crate::scene::Motion;
use crate::search::Goal;
use crate::search::hulls::Memory;
use crate::search::verdict::{Tally, Verdict};

/// Answers questions about motions that follow each other, each from the front of the traversal that the last one left.
///
/// Answers are those of [`Checker::check`] and [`Checker::first_contact`]; only the work differs. Worth it where motions are short and
/// follow each other, as in simulations.
#[derive(Clone, Debug)]
pub struct FrontSession<'a> {
    checker: &'a Checker,
    memory: Memory,
    tally: Tally,
}

impl<'a> FrontSession<'a> {
    /// Nothing kept yet. Builds the hull trees, if they are not there already.
    pub fn new(checker: &'a Checker) -> Self {
        checker.index().hulls().build(&checker.index().tasks);
        FrontSession { checker, memory: Memory::default(), tally: Tally::default() }
    }

    /// Is the motion free? Any proven contact ends the search.
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn check(&mut self, motion: &Motion) -> Result<Verdict, Error> {
        self.run(motion, Goal::Any)
    }

    /// When and where is the first contact?
    ///
    /// # Errors
    /// If the motion belongs to another scene.
    pub fn first_contact(&mut self, motion: &Motion) -> Result<Verdict, Error> {
        self.run(motion, Goal::First)
    }

    /// Work done by the last question.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Pairs of hulls from which the next question begins.
    pub fn front(&self) -> usize {
        self.memory.traversals.iter().map(crate::search::hulls::front::Traversal::size).sum()
    }

    fn run(&mut self, motion: &Motion, goal: Goal) -> Result<Verdict, Error> {
        let verdict;
        (verdict, self.tally) = self.checker.query(motion, goal).run(self.checker.static_pairs(), Some(&mut self.memory))?;
        Ok(verdict)
    }
}
