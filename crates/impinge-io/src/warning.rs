//! Warnings about files, and the pair of a model and its warnings.

use std::fmt;
use std::path::PathBuf;

use crate::error::Place;

/// An irregularity that did not stop the loading. The caller decides whether to print or to refuse it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1, if the format has lines.
    pub line: Option<usize>,
    /// The irregularity and its treatment.
    pub message: String,
    /// A short stable name, kebab-case, for filters and tests.
    pub kind: &'static str,
}

impl Warning {
    /// Creates a warning at a place.
    pub fn new(at: Place, kind: &'static str, message: impl Into<String>) -> Self {
        Warning { path: at.path, line: at.line, message: message.into(), kind }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = Place { path: self.path.clone(), line: self.line };
        write!(f, "{at}: {} [{}]", self.message, self.kind)
    }
}

/// A loaded model with its warnings.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded<T> {
    /// The model.
    pub value: T,
    /// Warnings in the order of discovery.
    pub warnings: Vec<Warning>,
}

impl<T> Loaded<T> {
    /// Maps the model and keeps the warnings.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Loaded<U> {
        Loaded { value: f(self.value), warnings: self.warnings }
    }

    /// Tests whether there is a warning of this kind.
    pub fn warns(&self, kind: &str) -> bool {
        self.warnings.iter().any(|w| w.kind == kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_name_place_and_kind() {
        let warning = Warning::new(Place::line("m.stl", 2), "mirrored-mesh", "mirrored");
        assert_eq!(warning.to_string(), "m.stl:2: mirrored [mirrored-mesh]");
        let loaded = Loaded { value: 1, warnings: vec![warning] }.map(|n| n + 1);
        assert!(loaded.value == 2 && loaded.warns("mirrored-mesh") && !loaded.warns("zero-size"));
    }
}
