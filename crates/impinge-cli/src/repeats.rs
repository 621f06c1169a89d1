//! Warnings about motions: each is printed once, and counted where it repeats.

use std::collections::HashMap;

use crate::plain;
use impinge_io::Id;
use serde::{Serialize, Serializer};

/// A warning about a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// The subject, which is the same for all repeats.
    about: String,
    /// The full text, with the details of this motion.
    text: String,
}

impl Note {
    /// Creates the warning `about: detail`.
    pub fn new(about: String, detail: &str) -> Self {
        Note { text: format!("{about}: {detail}"), about }
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

impl From<String> for Note {
    fn from(text: String) -> Self {
        Note { about: text.clone(), text }
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// Maximum number of remembered kinds of warnings; in a stream with ever new ones, later kinds are all printed.
const KINDS: usize = 1000;

/// The warnings that were printed, and the number of motions of each.
#[derive(Debug, Default)]
pub struct Repeats {
    seen: Vec<Seen>,
    at: HashMap<String, usize>,
}

#[derive(Debug)]
struct Seen {
    about: String,
    first: Id,
    count: u64,
}

impl Repeats {
    /// Counts the warnings of a motion; returns those that were not printed before.
    pub fn fresh(&mut self, id: &Id, notes: &[Note]) -> Vec<Note> {
        notes.iter().filter(|note| self.is_new(id, note)).cloned().collect()
    }

    fn is_new(&mut self, id: &Id, note: &Note) -> bool {
        match self.at.get(&note.about) {
            Some(&at) => {
                self.seen[at].count += 1;
                false
            }
            None if self.seen.len() < KINDS => {
                self.at.insert(note.about.clone(), self.seen.len());
                self.seen.push(Seen { about: note.about.clone(), first: id.clone(), count: 1 });
                true
            }
            None => true,
        }
    }

    /// Returns a line for each warning that occurred more than once.
    pub fn summary(&self, unit: (&str, &str)) -> String {
        let repeated = self.seen.iter().filter(|seen| seen.count > 1);
        let line = |Seen { about, first, count }: &Seen| {
            let (about, first) = (plain::shown(about), first.to_string());
            let first = plain::shown(&first);
            format!("warning: {about}: {count} {}, first in {} {first}; --every-warning repeats it for each\n", unit.1, unit.0)
        };
        repeated.map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_new_once_and_then_counted() {
        let mut repeats = Repeats::default();
        let limit = |value: f64| Note::new("joint 'a' leaves its limits".into(), &format!("{value} is not within [0, 1]"));
        assert_eq!(repeats.fresh(&0.into(), &[limit(2.0)]), [limit(2.0)]);
        assert_eq!(repeats.summary(("motion", "motions")), "");
        for id in 1..5 {
            assert_eq!(repeats.fresh(&id.into(), &[limit(3.0), Note::from(format!("odd {id}"))]).len(), 1);
        }
        let summary = "warning: joint 'a' leaves its limits: 5 motions, first in motion 0; --every-warning repeats it for each\n";
        assert_eq!(repeats.summary(("motion", "motions")), summary);
        for id in 0..2 * KINDS {
            repeats.fresh(&id.into(), &[Note::from(format!("new {id}"))]);
        }
        assert!(repeats.seen.len() <= KINDS, "memory is bounded");
    }
}
