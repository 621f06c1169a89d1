//! The expected answer of a case.

use crate::error::Result;
use crate::json::Item;
use crate::suggest::{did_you_mean, known_names};

/// Possible answers to a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// There is a contact.
    Hit,
    /// There is no contact.
    Free,
    /// A contact could not be excluded.
    Possible,
    /// The input is refused.
    Reject,
}

impl Said {
    /// Returns the word in case files.
    pub fn word(self) -> &'static str {
        match self {
            Said::Hit => "hit",
            Said::Free => "free",
            Said::Possible => "possible",
            Said::Reject => "reject",
        }
    }
}

/// The true answer of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Contact; if known, the time of the first contact and its accuracy.
    Hit {
        /// Time and tolerance.
        first: Option<(f64, f64)>,
    },
    /// No contact.
    Free,
    /// The input is invalid and must be refused.
    Reject,
}

/// The expected answer of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The true answer.
    pub outcome: Outcome,
    /// Accepted answers; by default only the true one.
    pub accept: Vec<Said>,
    /// The first contact is a simple root: its bracket must be narrow.
    pub transversal: bool,
    /// A tolerance, metres, at which the answer must be free.
    pub tolerance_for_free: f64,
}

/// Accuracy of a first contact if the case does not define it.
const DEFAULT_TIME_TOLERANCE: f64 = 1e-6;

/// Keys of an expectation that are read. Other keys are notes of the author, unless they resemble a misspelling of these.
const KEYS: [&str; 4] = ["hit", "status", "toc", "toc_tol"];

/// Notes that resemble these keys and are not misspellings.
const NOTES: [&str; 3] = ["toc_exact", "toc_lo", "toc_hi"];

impl Expected {
    /// Reads `expected`, `accept`, `robustness` and `tool_tol_for_free` of a case; `None` if no answer is expected.
    pub(super) fn from_json(case: &Item<'_>) -> Result<Option<Self>> {
        let Some(expected) = case.get("expected") else { return Ok(None) };
        let outcome = outcome(&expected)?;
        let accept = match case.get("accept") {
            Some(list) => list.items()?.iter().map(said).collect::<Result<_>>()?,
            None => vec![match outcome {
                Outcome::Hit { .. } => Said::Hit,
                Outcome::Free => Said::Free,
                Outcome::Reject => Said::Reject,
            }],
        };
        let robustness = case.get("robustness").map_or(Ok(""), |r| r.text())?;
        let tolerance_for_free = case.get("tool_tol_for_free").map_or(Ok(0.0), |t| t.number())?;
        Ok(Some(Expected { outcome, accept, transversal: robustness == "transversal", tolerance_for_free }))
    }

    /// Tests whether an answer is accepted.
    pub fn accepts(&self, said: Said) -> bool {
        self.accept.contains(&said)
    }
}

fn outcome(expected: &Item<'_>) -> Result<Outcome> {
    let known = |key: &str| KEYS.contains(&key) || NOTES.contains(&key) || did_you_mean(key, KEYS).is_empty();
    if let Some((key, _)) = expected.fields()?.into_iter().find(|(key, _)| !known(key)) {
        return Err(expected.bad(format!("has the unknown key '{key}'"), known_names(key, KEYS)));
    }
    if expected.get("status").is_some_and(|s| s.value() == "reject") {
        return Ok(Outcome::Reject);
    }
    let hit = expected.need("hit")?;
    match hit.value().as_bool() {
        Some(false) => Ok(Outcome::Free),
        Some(true) => {
            let tolerance = expected.get("toc_tol").map_or(Ok(DEFAULT_TIME_TOLERANCE), |t| t.number())?;
            let first = expected.get("toc").map(|t| t.number()).transpose()?.map(|toc| (toc, tolerance));
            Ok(Outcome::Hit { first })
        }
        None => Err(hit.bad("is neither true nor false", "write true or false, or \"status\": \"reject\"")),
    }
}

fn said(item: &Item<'_>) -> Result<Said> {
    [Said::Hit, Said::Free, Said::Possible, Said::Reject]
        .into_iter()
        .find(|s| item.value() == s.word())
        .ok_or_else(|| item.bad("is not an answer", "use hit, free, possible or reject"))
}
