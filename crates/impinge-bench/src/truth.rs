//! Answers compared with the ground truth that comes with a workload.

use std::fs;
use std::path::Path;

use impinge::Verdict;

use crate::Outcome;

/// For each motion the time of its first contact, if it has one.
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

/// What is wrong with a list of verdicts, and how wide their brackets are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks {
    /// Contacts of the truth that were called free.
    pub missed: usize,
    /// Free motions of the truth that were called contacts.
    pub invented: usize,
    /// Not answered.
    pub undecided: usize,
    /// Widest bracket.
    pub widest: f64,
    /// Largest distance of a bracket's end from the true time.
    pub off: f64,
}

impl Marks {
    /// Compares verdicts with the truth, where there is one.
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

    /// How many verdicts are missed, invented or undecided.
    pub fn count(&self) -> usize {
        self.missed + self.invented + self.undecided
    }

    /// `missed/invented/undecided`.
    pub fn wrong(&self) -> String {
        format!("{}/{}/{}", self.missed, self.invented, self.undecided)
    }
}

/// Contacts of the truth that a list of yes and no answers lacks.
pub fn missed(answers: &str, truth: &Truth) -> usize {
    answers.chars().zip(truth).filter(|(a, t)| *a == '0' && t.is_some()).count()
}
