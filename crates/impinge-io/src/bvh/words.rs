//! Words of a text, with their lines.

use std::path::Path;

use crate::error::{IoError, Place, Result, shorten};
use crate::number;

/// Goes through the words of a text, or through its lines.
pub(super) struct Words<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    words: std::str::SplitWhitespace<'a>,
    /// The line of the last word, counted from 1.
    line: usize,
    path: &'a Path,
}

impl<'a> Words<'a> {
    pub fn new(text: &'a str, path: &'a Path) -> Self {
        Words { lines: text.lines().enumerate(), words: "".split_whitespace(), line: 1, path }
    }

    /// Where the last word stands.
    pub fn place(&self) -> Place {
        Place::line(self.path, self.line)
    }

    /// The next word, if there is one.
    pub fn next(&mut self) -> Option<&'a str> {
        loop {
            if let Some(word) = self.words.next() {
                return Some(word);
            }
            self.words = self.next_line()?;
        }
    }

    /// The words of the next line that has any.
    pub fn full_line(&mut self) -> Option<Vec<&'a str>> {
        loop {
            let words: Vec<&str> = self.next_line()?.collect();
            if !words.is_empty() {
                return Some(words);
            }
        }
    }

    /// Whether words are left on the line of the last one.
    pub fn rest_of_line(&mut self) -> bool {
        self.words.next().is_some()
    }

    fn next_line(&mut self) -> Option<std::str::SplitWhitespace<'a>> {
        let (i, line) = self.lines.next()?;
        self.line = i + 1;
        Some(line.split_whitespace())
    }

    /// The next word, which must be there.
    pub fn need(&mut self, what: &str) -> Result<&'a str> {
        let found = self.next();
        found.ok_or_else(|| IoError::Truncated { at: self.place(), what: format!("{what} is missing") })
    }

    /// The next word must be this one, whatever its case.
    pub fn expect(&mut self, wanted: &str) -> Result<()> {
        let found = self.need(wanted)?;
        if found.eq_ignore_ascii_case(wanted) { Ok(()) } else { Err(self.unexpected(found, wanted)) }
    }

    /// The next word as a finite number.
    pub fn number(&mut self, what: &str) -> Result<f64> {
        let word = self.need(what)?;
        number::parse(word, || (self.place(), what.to_owned()))
    }

    /// A complaint about a word.
    pub fn unexpected(&self, found: &str, wanted: &str) -> IoError {
        self.bad(format!("'{}' where {wanted} should be", shorten(found)), "repair or export the file again")
    }

    pub fn bad(&self, what: String, remedy: &str) -> IoError {
        IoError::BadElement { at: self.place(), what, remedy: remedy.into() }
    }
}
