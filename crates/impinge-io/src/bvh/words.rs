//! Words of a text, with their lines.

use std::path::Path;

use crate::error::{IoError, Place, Result, shorten};
use crate::number;

/// An iterator over the words of a text, or over its lines.
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

    /// Returns the place of the last word.
    pub fn place(&self) -> Place {
        Place::line(self.path, self.line)
    }

    /// Returns the next word, if there is one.
    pub fn next(&mut self) -> Option<&'a str> {
        loop {
            if let Some(word) = self.words.next() {
                return Some(word);
            }
            self.words = self.next_line()?;
        }
    }

    /// Returns the words of the next line that is not empty.
    pub fn full_line(&mut self) -> Option<Vec<&'a str>> {
        loop {
            let words: Vec<&str> = self.next_line()?.collect();
            if !words.is_empty() {
                return Some(words);
            }
        }
    }

    /// Tests whether the line of the last word has more words.
    pub fn rest_of_line(&mut self) -> bool {
        self.words.next().is_some()
    }

    fn next_line(&mut self) -> Option<std::str::SplitWhitespace<'a>> {
        let (i, line) = self.lines.next()?;
        self.line = i + 1;
        Some(line.split_whitespace())
    }

    /// Returns the next word, which must exist.
    pub fn need(&mut self, what: &str) -> Result<&'a str> {
        let found = self.next();
        found.ok_or_else(|| IoError::Truncated { at: self.place(), what: format!("{what} is missing") })
    }

    /// Reads the next word, which must be this one, ignoring case.
    pub fn expect(&mut self, wanted: &str) -> Result<()> {
        let found = self.need(wanted)?;
        if found.eq_ignore_ascii_case(wanted) { Ok(()) } else { Err(self.unexpected(found, wanted)) }
    }

    /// Returns the next word as a finite number.
    pub fn number(&mut self, what: &str) -> Result<f64> {
        let word = self.need(what)?;
        number::parse(word, || (self.place(), what.to_owned()))
    }

    /// Returns an error about a word.
    pub fn unexpected(&self, found: &str, wanted: &str) -> IoError {
        self.bad(format!("found '{}' instead of {wanted}", shorten(found)), "repair or export the file again")
    }

    pub fn bad(&self, what: String, remedy: &str) -> IoError {
        IoError::BadElement { at: self.place(), what, remedy: remedy.into() }
    }
}
