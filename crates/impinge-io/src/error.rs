//! What can be wrong with a file.
//!
//! Every error reads `path:line: what; remedy`. Formats without lines (binary meshes, JSON values) name the element instead.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error as ThisError;

/// The result of everything in this crate that reads.
pub type Result<T> = std::result::Result<T, IoError>;

/// Where in a file: shown as `path` or `path:line`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as the caller named it.
    pub path: PathBuf,
    /// The line, counted from 1, where the format has lines.
    pub line: Option<usize>,
}

impl Place {
    /// The file as a whole.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Place { path: path.as_ref().to_path_buf(), line: None }
    }

    /// One line of a file, counted from 1.
    pub fn line(path: impl AsRef<Path>, line: usize) -> Self {
        Place { path: path.as_ref().to_path_buf(), line: Some(line) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.path.display()),
            None => write!(f, "{}", self.path.display()),
        }
    }
}

/// Why a file was refused.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum IoError {
    /// The file cannot be read at all.
    #[error("{at}: cannot be read: {source}; check that it is a regular file that exists and may be read")]
    Read {
        /// The file.
        at: Place,
        /// What the system says.
        source: std::io::Error,
    },
    /// Text that is not UTF-8.
    #[error("{at}: {what}; save the file as UTF-8")]
    Encoding {
        /// Where it stops being UTF-8.
        at: Place,
        /// What was found.
        what: String,
    },
    /// Not well-formed XML.
    #[error("{at}: not well-formed XML: {what}; repair or export it again")]
    Xml {
        /// Where.
        at: Place,
        /// What the parser says.
        what: String,
    },
    /// A document type definition, which can hide entity bombs and external files.
    #[error("{at}: has a document type definition (<!DOCTYPE>); remove it, entities are not expanded")]
    XmlDtd {
        /// Where.
        at: Place,
    },
    /// Nested too deeply.
    #[error("{at}: {what} is nested more than {limit} deep; flatten it")]
    TooDeep {
        /// Where the limit is passed.
        at: Place,
        /// What is nested.
        what: String,
        /// The limit.
        limit: usize,
    },
    /// More of something than any honest file has.
    #[error("{at}: {what}, more than the limit of {limit}; split or simplify it")]
    TooLarge {
        /// Where.
        at: Place,
        /// What there is too much of.
        what: String,
        /// The limit.
        limit: u64,
    },
    /// The file ends, or a list is shorter, than it says itself.
    #[error("{at}: {what}; the file is cut short, copy or export it again")]
    Truncated {
        /// Where.
        at: Place,
        /// What is missing.
        what: String,
    },
    /// Text that is no number of the kind needed.
    #[error("{at}: {what}: '{text}' is not a number that fits here; write plain decimal numbers")]
    BadNumber {
        /// Where.
        at: Place,
        /// What the number is for.
        what: String,
        /// The text, shortened.
        text: String,
    },
    /// NaN or infinity.
    #[error("{at}: {what}: '{text}' is not finite; every number must be")]
    NonFinite {
        /// Where.
        at: Place,
        /// What the number is for.
        what: String,
        /// The text.
        text: String,
    },
    /// A reference to a vertex or entry that is not there.
    #[error("{at}: {what}: index {index} is out of range, there are {count}; export the file again")]
    BadIndex {
        /// Where.
        at: Place,
        /// Who refers.
        what: String,
        /// The index as written.
        index: i64,
        /// How many there are.
        count: usize,
    },
    /// A face that cannot be made into triangles.
    #[error("{at}: {what}; triangulate the mesh when exporting")]
    BadFace {
        /// Where.
        at: Place,
        /// What is wrong.
        what: String,
    },
    /// Not the format it claims to be.
    #[error("{at}: {what}; {remedy}")]
    BadFormat {
        /// Where.
        at: Place,
        /// What was found.
        what: String,
        /// What to do.
        remedy: String,
    },
    /// A format, or a feature of one, that is not read.
    #[error("{at}: {what} is not supported; {remedy}")]
    UnsupportedFormat {
        /// Where.
        at: Place,
        /// The format or feature.
        what: String,
        /// What to do.
        remedy: String,
    },
    /// A mesh that is referred to but not there. Loading on would leave a hole that nothing can touch.
    #[error(
        "{at}: {user}: mesh '{reference}' not found (tried {tried}); give its folder as a package path or correct the reference"
    )]
    MissingMesh {
        /// Where it is referred to.
        at: Place,
        /// Who refers to it.
        user: String,
        /// The reference as written.
        reference: String,
        /// The places looked at.
        tried: String,
    },
    /// A reference that leads out of the folders a model may read.
    #[error("{at}: {user}: '{reference}' leads out of {root}; move the file inside, give a package path, or allow outside files")]
    PathEscape {
        /// Where it is referred to.
        at: Place,
        /// Who refers to it.
        user: String,
        /// The reference as written.
        reference: String,
        /// The folder it should stay in.
        root: String,
    },
    /// Something required is absent.
    #[error("{at}: {user}: {what} is missing; add it")]
    MissingElement {
        /// Where.
        at: Place,
        /// Who lacks it.
        user: String,
        /// What is missing.
        what: String,
    },
    /// An element, attribute, key or column that makes no sense.
    #[error("{at}: {what}; {remedy}")]
    BadElement {
        /// Where.
        at: Place,
        /// The element and what is wrong with it.
        what: String,
        /// What to do.
        remedy: String,
    },
    /// A name nobody declared, with the names that would do.
    #[error("{at}: there is no {kind} '{name}'; {}", crate::suggest::known_names(name, known.split(", ").filter(|k| !k.is_empty())))]
    UnknownName {
        /// Where.
        at: Place,
        /// Joint, link, …
        kind: &'static str,
        /// The name.
        name: String,
        /// The valid names, with commas between them.
        known: String,
    },
    /// A joint whose lower limit is above the upper one.
    #[error(
        "{at}: joint '{joint}': its limits are reversed, lower {lower} and upper {upper}; exchange them, or read the file leniently \
         (--lenient): the joint then has no range"
    )]
    BadLimits {
        /// Where.
        at: Place,
        /// The joint.
        joint: String,
        /// As written.
        lower: f64,
        /// As written.
        upper: f64,
    },
    /// A joint that follows one nobody declared.
    #[error(
        "{at}: joint '{joint}' mimics joint '{source_joint}', which does not exist; correct the name, or read the file leniently \
         (--lenient): the joint then takes a value of its own"
    )]
    UnknownMimic {
        /// Where.
        at: Place,
        /// The joint that follows.
        joint: String,
        /// The joint it names.
        source_joint: String,
    },
    /// The file is fine as a file, but not as a model.
    #[error("{at}: {user}: {source}")]
    Model {
        /// Where.
        at: Place,
        /// The element concerned.
        user: String,
        /// What the core says.
        source: Box<impinge::Error>,
    },
    /// Not well-formed JSON.
    #[error("{at}: not well-formed JSON: {what}; repair or export it again")]
    Json {
        /// Where.
        at: Place,
        /// What the parser says.
        what: String,
    },
}

impl IoError {
    /// An error of the core about `user`, at a place.
    pub fn model(at: Place, user: impl Into<String>, source: impinge::Error) -> Self {
        IoError::Model { at, user: user.into(), source: Box::new(source) }
    }

    /// The place the error speaks of.
    pub fn place(&self) -> &Place {
        use IoError::*;
        match self {
            Read { at, .. } | Encoding { at, .. } | Xml { at, .. } | XmlDtd { at } | TooDeep { at, .. } | TooLarge { at, .. } => {
                at
            }
            Truncated { at, .. } | BadNumber { at, .. } | NonFinite { at, .. } | BadIndex { at, .. } | BadFace { at, .. } => at,
            BadFormat { at, .. }
            | UnsupportedFormat { at, .. }
            | MissingMesh { at, .. }
            | PathEscape { at, .. }
            | BadLimits { at, .. } => at,
            MissingElement { at, .. }
            | BadElement { at, .. }
            | UnknownName { at, .. }
            | UnknownMimic { at, .. }
            | Model { at, .. }
            | Json { at, .. } => at,
        }
    }

    /// The same error at another place: for values that were read from one file and used by another part.
    pub fn located(mut self, place: Place) -> Self {
        use IoError::*;
        match &mut self {
            Read { at, .. } | Encoding { at, .. } | Xml { at, .. } | XmlDtd { at } | TooDeep { at, .. } | TooLarge { at, .. } => {
                *at = place
            }
            Truncated { at, .. } | BadNumber { at, .. } | NonFinite { at, .. } | BadIndex { at, .. } | BadFace { at, .. } => {
                *at = place
            }
            BadFormat { at, .. }
            | UnsupportedFormat { at, .. }
            | MissingMesh { at, .. }
            | PathEscape { at, .. }
            | BadLimits { at, .. } => *at = place,
            MissingElement { at, .. }
            | BadElement { at, .. }
            | UnknownName { at, .. }
            | UnknownMimic { at, .. }
            | Model { at, .. }
            | Json { at, .. } => *at = place,
        }
        self
    }

    /// A short stable name of the class of error, for machines; for [`IoError::Model`] that of the core's error.
    pub fn class(&self) -> &'static str {
        match self {
            IoError::Read { .. } => "Read",
            IoError::Encoding { .. } => "Encoding",
            IoError::Xml { .. } => "Xml",
            IoError::XmlDtd { .. } => "XmlDtd",
            IoError::TooDeep { .. } => "TooDeep",
            IoError::TooLarge { .. } => "TooLarge",
            IoError::Truncated { .. } => "Truncated",
            IoError::BadNumber { .. } => "BadNumber",
            IoError::NonFinite { .. } => "NonFinite",
            IoError::BadIndex { .. } => "BadIndex",
            IoError::BadFace { .. } => "BadFace",
            IoError::BadFormat { .. } => "BadFormat",
            IoError::UnsupportedFormat { .. } => "UnsupportedFormat",
            IoError::MissingMesh { .. } => "MissingMesh",
            IoError::PathEscape { .. } => "PathEscape",
            IoError::MissingElement { .. } => "MissingElement",
            IoError::BadElement { .. } => "BadElement",
            IoError::UnknownName { .. } => "UnknownName",
            IoError::BadLimits { .. } => "BadLimits",
            IoError::UnknownMimic { .. } => "UnknownJoint",
            IoError::Model { source, .. } => model_class(source),
            IoError::Json { .. } => "Json",
        }
    }
}

/// The class of an error of the core.
fn model_class(source: &impinge::Error) -> &'static str {
    use impinge::Error;
    match source {
        Error::NonFinite { .. } => "NonFinite",
        Error::OutOfRange { .. } => "OutOfRange",
        Error::BadIndex { .. } => "BadIndex",
        Error::DuplicateName { .. } => "DuplicateName",
        Error::Unknown { kind: "link", .. } => "UnknownLink",
        Error::Unknown { kind: "joint", .. } => "UnknownJoint",
        Error::KinematicCycle { .. } => "KinematicCycle",
        Error::MultipleRoots { .. } => "MultipleRoots",
        Error::BadAxis { .. } => "BadAxis",
        _ => "Model",
    }
}

/// Text from a file, short enough to stand in a message.
pub(crate) fn shorten(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_place_thing_and_remedy() {
        let error = IoError::BadFace { at: Place::line("a/b.obj", 7), what: "a face has 2 corners".into() };
        assert_eq!(error.to_string(), "a/b.obj:7: a face has 2 corners; triangulate the mesh when exporting");
        assert_eq!(error.located(Place::file("c")).place(), &Place::file("c"));
    }

    #[test]
    fn errors_stay_small_and_long_text_is_cut() {
        assert!(size_of::<IoError>() < 128);
        assert_eq!(shorten(&"ä".repeat(100)).chars().count(), 61);
    }
}
