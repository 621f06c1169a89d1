//! Verdicts compared with the ground truth of a workload.

use std::fs;
use std::path::Path;

use impinge::Verdict;

use crate::Outcome;

/// The time of the first contact of each motion, if there is one.
pub type Truth = Vec<Option<f64>>;

/// Reads lines of `id hit time …`; `#` begins a comment.
pub fn load(path: &Path) -> Outcome<Truth> {
    let mut truth = Vec::new();
    for line in fs::read_to_string(path)?.lines().filter(|l| !l.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, hit, time, ..] = words[..] else { return Err(format!("{}: '{line}' is no answer", path.display()).into()) };
        truth.push(if hit == "1" { Some(time.parse()?) } else { None });
    }
    Ok(truth)
}

/// The errors of a list of verdicts, and the widths of their brackets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks {
    /// Contacts of the ground truth with a free verdict.
    pub missed: usize,
    /// Free motions of the ground truth with a contact verdict.
    pub invented: usize,
    /// Undecided motions.
    pub undecided: usize,
    /// Widest bracket.
    pub widest: f64,
    /// Largest distance of a bracket's end from the true time.
    pub off: f64,
}

impl Marks {
    /// Compares verdicts with the ground truth, if there is one.
    pub fn of(verdicts: &[Verdict], truth: Option<&Truth>) -> Self {
        let mut marks = Marks::default();
        for (i, verdict) in verdicts.iter().enumerate() {
            let truth = truth.map(|t| t[i]);
            match verdict {
                Verdict::Free => marks.missed += usize::from(matches!(truth, Some(Some(_)))),
                Verdict::Undecided { .. } => marks.undecided += 1,
                Verdict::Contact(c) => {
                    marks.widest = marks.widest.max(c.time.1 - c.time.0);
                    match truth {
                        Some(None) => marks.invented += 1,
                        Some(Some(time)) => marks.off = marks.off.max((c.time.1 - time).abs()),
                        None => {}
                    }
                }
            }
        }
        marks
    }

    /// Returns the number of missed, false or undecided verdicts.
    pub fn count(&self) -> usize {
        self.missed + self.invented + self.undecided
    }

    /// Formats `missed/false/undecided`.
    pub fn wrong(&self) -> String {
        format!("{}/{}/{}", self.missed, self.invented, self.undecided)
    }
}

/// Returns the contacts of the ground truth that a list of yes-or-no verdicts misses.
pub fn missed(answers: &str, truth: &Truth) -> usize {
    answers.chars().zip(truth).filter(|(a, t)| *a == '0' && t.is_some()).count()
}
