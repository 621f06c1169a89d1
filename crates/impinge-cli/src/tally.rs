//! Counts of answers by verdict, and the resulting exit code.

use crate::answer::{Answer, StageLine, Word};

/// Counts of answers by verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    pub free: u64,
    pub contact: u64,
    pub undecided: u64,
    pub error: u64,
    /// Number of cases with an expected answer, and of those that did not meet it.
    pub expected: u64,
    pub unmet: u64,
    /// Counters of the stages, over all answers.
    pub stages: Vec<StageLine>,
}

impl Tally {
    pub fn add(&mut self, answer: &Answer) {
        match answer.verdict {
            Word::Free => self.free += 1,
            Word::Contact => self.contact += 1,
            Word::Undecided => self.undecided += 1,
            Word::Error => self.error += 1,
        }
        self.expected += u64::from(answer.expected_met.is_some());
        self.unmet += u64::from(answer.expected_met == Some(false));
        for line in answer.stages.iter().flatten() {
            match self.stages.iter_mut().find(|sum| sum.stage == line.stage) {
                Some(sum) => sum.add(line),
                None => self.stages.push(*line),
            }
        }
    }

    pub fn total(&self) -> u64 {
        self.free + self.contact + self.undecided + self.error
    }

    /// Returns the exit code: error before contact before undecided before free.
    pub fn code(&self) -> u8 {
        match self {
            Tally { error: 1.., .. } => 2,
            Tally { contact: 1.., .. } => 1,
            Tally { undecided: 1.., .. } => 3,
            _ => 0,
        }
    }

    /// Returns the exit code of an incomplete run: never the one that claims that all motions are free.
    pub fn unfinished(&self) -> u8 {
        if self.code() == 0 { 3 } else { self.code() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_answer_is_the_exit_code() {
        let code = |free, contact, undecided, error| Tally { free, contact, undecided, error, ..Tally::default() }.code();
        assert_eq!((code(1, 0, 0, 0), code(1, 1, 0, 0), code(1, 0, 1, 0), code(1, 1, 1, 0)), (0, 1, 3, 1));
        assert_eq!((code(1, 1, 1, 1), code(0, 0, 0, 0)), (2, 0));
        assert_eq!(Tally { free: 5, ..Tally::default() }.unfinished(), 3);
    }
}
