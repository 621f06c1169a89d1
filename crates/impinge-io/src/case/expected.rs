//! The answer a case expects.

use crate::error::Result;
use crate::json::Item;
use crate::suggest::{did_you_mean, known_names};

/// What can be said about a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// There is a contact.
    Hit,
    /// There is none.
    Free,
    /// It could not be excluded.
    Possible,
    /// The question is refused.
    Reject,
}

impl Said {
    /// The word case files use.
    pub fn word(self) -> &'static str {
        match self {
            Said::Hit => "hit",
            Said::Free => "free",
            Said::Possible => "possible",
            Said::Reject => "reject",
        }
    }
}

/// What is true of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Contact; where it is known, the time of the first and how exactly it is known.
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
    /// What is true.
    pub outcome: Outcome,
    /// What may be said; by default only what is true.
    pub accept: Vec<Said>,
    /// A clean root: the bracket of the first contact must be narrow.
    pub transversal: bool,
    /// A tolerance, metres, at which the answer must be free.
    pub tolerance_for_free: f64,
}

/// How exactly a first contact is taken to be known where the case does not say.
const DEFAULT_TIME_TOLERANCE: f64 = 1e-6;

/// Keys of an expectation that are read. Others are notes of those who made the case, unless they are these misspelt.
const KEYS: [&str; 4] = ["hit", "status", "toc", "toc_tol"];

/// Notes that are no misspelling, near as they are.
const NOTES: [&str; 3] = ["toc_exact", "toc_lo", "toc_hi"];

impl Expected {
    /// Reads `expected`, `accept`, `robustness` and `tool_tol_for_free` of a case; `None` where nothing is expected.
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

    /// Whether this may be said.
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
        .ok_or_else(|| item.bad("is no answer", "use hit, free, possible or reject"))
}
