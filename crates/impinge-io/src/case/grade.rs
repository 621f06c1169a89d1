//! Grades an answer against the expected one.

use impinge::Verdict;

use super::expected::{Expected, Outcome, Said};

/// Maximum width of the bracket of a simple root, and maximum time from its end to the root, as a fraction of the motion.
const TIME_SLACK: f64 = 1e-6;

/// The graded part of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The answer.
    pub said: Said,
    /// The bracket of the first contact: the motion is claimed to be free before its start. `None` if no time was requested.
    pub first: Option<(f64, f64)>,
    /// The distance tolerance that was used, metres.
    pub tolerance: f64,
}

impl Answer {
    /// Returns the answer of a verdict about the first contact.
    pub fn of(verdict: &Verdict, tolerance: f64) -> Self {
        match verdict {
            Verdict::Free => Answer { said: Said::Free, first: None, tolerance },
            Verdict::Contact(contact) => Answer { said: Said::Hit, first: Some(contact.time), tolerance },
            Verdict::Undecided { free_until } => {
                Answer { said: Said::Possible, first: Some((*free_until, *free_until)), tolerance }
            }
        }
    }

    /// Returns the answer of a refused query.
    pub fn refused() -> Self {
        Answer { said: Said::Reject, first: None, tolerance: 0.0 }
    }
}

/// The grade of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grade {
    /// As expected.
    Pass,
    /// The answer is free although there is a contact or the input is invalid: the worst grade.
    Unsound,
    /// The bracket lies after the contact: a claim of freedom before it is wrong.
    Late,
    /// The bracket lies before the contact, or is too wide.
    Loose,
    /// A contact, or a possible one, where there is none.
    Conservative,
    /// Any other answer that is not accepted.
    Wrong,
}

impl Grade {
    /// Returns the grade as one lower-case word.
    pub fn word(self) -> &'static str {
        match self {
            Grade::Pass => "pass",
            Grade::Unsound => "unsound",
            Grade::Late => "late",
            Grade::Loose => "loose",
            Grade::Conservative => "conservative",
            Grade::Wrong => "wrong",
        }
    }
}

/// Grades an answer.
pub fn grade(expected: &Expected, answer: &Answer) -> Grade {
    let accepted = expected.accepts(answer.said);
    match (expected.outcome, answer.said) {
        (Outcome::Reject, _) if accepted => Grade::Pass,
        (Outcome::Reject | Outcome::Hit { .. }, Said::Free) => Grade::Unsound,
        (Outcome::Reject, _) => Grade::Wrong,
        (Outcome::Hit { .. } | Outcome::Free, Said::Reject) => pass_if(accepted, Grade::Wrong),
        (Outcome::Hit { first }, said) => grade_time(expected, first, said, answer.first),
        (Outcome::Free, Said::Free) => Grade::Pass,
        (Outcome::Free, Said::Possible) => {
            pass_if(accepted && answer.tolerance >= expected.tolerance_for_free, Grade::Conservative)
        }
        (Outcome::Free, Said::Hit) => pass_if(accepted, Grade::Conservative),
    }
}

/// Grades the time of a true contact.
fn grade_time(expected: &Expected, truth: Option<(f64, f64)>, said: Said, bracket: Option<(f64, f64)>) -> Grade {
    let times = truth.zip(bracket);
    if times.is_some_and(|((toc, tolerance), (lo, _))| lo > toc + tolerance) {
        return Grade::Late;
    }
    if said == Said::Possible {
        return pass_if(expected.accepts(said), Grade::Conservative);
    }
    let loose = times.is_some_and(|((toc, tolerance), (lo, hi))| {
        hi < toc - tolerance.max(TIME_SLACK) || (expected.transversal && hi - lo > TIME_SLACK)
    });
    pass_if(!loose, Grade::Loose)
}

fn pass_if(condition: bool, otherwise: Grade) -> Grade {
    if condition { Grade::Pass } else { otherwise }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(outcome: Outcome, accept: &[Said]) -> Expected {
        Expected { outcome, accept: accept.to_vec(), transversal: true, tolerance_for_free: 1e-3 }
    }

    fn answer(said: Said, first: Option<(f64, f64)>) -> Answer {
        Answer { said, first, tolerance: 1e-9 }
    }

    #[test]
    fn contacts_are_graded_by_verdict_and_time() {
        let hit = expected(Outcome::Hit { first: Some((0.5, 1e-9)) }, &[Said::Hit]);
        for (said, first, wanted) in [
            (Said::Hit, Some((0.5, 0.5)), Grade::Pass),
            (Said::Hit, Some((0.4999999, 0.5000001)), Grade::Pass),
            (Said::Hit, Some((0.4999, 0.5)), Grade::Loose),
            (Said::Hit, Some((0.4, 0.4)), Grade::Loose),
            (Said::Hit, Some((0.51, 0.51)), Grade::Late),
            (Said::Possible, Some((0.51, 0.51)), Grade::Late),
            (Said::Possible, Some((0.2, 0.2)), Grade::Conservative),
            (Said::Hit, None, Grade::Pass),
            (Said::Free, None, Grade::Unsound),
            (Said::Reject, None, Grade::Wrong),
        ] {
            assert_eq!(grade(&hit, &answer(said, first)), wanted, "{said:?} {first:?}");
        }
        let grazing = Expected { transversal: false, ..expected(Outcome::Hit { first: Some((0.5, 1e-9)) }, &[Said::Possible]) };
        assert_eq!(grade(&grazing, &answer(Said::Hit, Some((0.4, 0.5)))), Grade::Pass);
        assert_eq!(grade(&grazing, &answer(Said::Possible, Some((0.4, 0.4)))), Grade::Pass);
    }

    #[test]
    fn free_and_invalid_cases_are_graded() {
        let free = expected(Outcome::Free, &[Said::Free, Said::Possible]);
        assert_eq!(grade(&free, &answer(Said::Free, None)), Grade::Pass);
        assert_eq!(grade(&free, &answer(Said::Hit, Some((0.0, 0.0)))), Grade::Conservative);
        assert_eq!(grade(&free, &answer(Said::Possible, None)), Grade::Conservative);
        assert_eq!(grade(&free, &Answer { said: Said::Possible, first: None, tolerance: 1e-2 }), Grade::Pass);
        assert_eq!(grade(&free, &Answer::refused()), Grade::Wrong);
        let reject = expected(Outcome::Reject, &[Said::Reject]);
        assert_eq!(grade(&reject, &Answer::refused()), Grade::Pass);
        assert_eq!(grade(&reject, &answer(Said::Free, None)), Grade::Unsound);
        assert_eq!(grade(&reject, &answer(Said::Hit, Some((0.0, 0.0)))), Grade::Wrong);
    }
}
