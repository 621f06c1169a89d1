//! Errors of file loaders.
//!
//! Every error has the form `path:line: what; remedy`. Formats without lines (binary meshes, JSON values) name the element
//! instead.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error as ThisError;

/// The result of functions that read files.
pub type Result<T> = std::result::Result<T, IoError>;

/// A place in a file, shown as `path` or `path:line`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as named by the caller.
    pub path: PathBuf,
    /// The line, counted from 1, if the format has lines.
    pub line: Option<usize>,
}

impl Place {
    /// Returns the place of a whole file.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Place { path: path.as_ref().to_path_buf(), line: None }
    }

    /// Returns the place of a line, counted from 1.
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

/// The reason why a file was refused.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum IoError {
    /// The file cannot be read.
    #[error("{at}: cannot be read: {source}; check that it exists, is a regular file and is readable")]
    Read {
        /// The file.
        at: Place,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Text that is not UTF-8.
    #[error("{at}: {what}; save the file as UTF-8")]
    Encoding {
        /// The first place that is not UTF-8.
        at: Place,
        /// The bytes found.
        what: String,
    },
    /// Not well-formed XML.
    #[error("{at}: not well-formed XML: {what}; repair or export it again")]
    Xml {
        /// Where.
        at: Place,
        /// The message of the parser.
        what: String,
    },
    /// A document type definition, which can hide entity bombs and external files.
    #[error("{at}: has a document type definition (<!DOCTYPE>); remove it, entities are not expanded")]
    XmlDtd {
        /// Where.
        at: Place,
    },
    /// The nesting is too deep.
    #[error("{at}: {what} is nested more than {limit} deep; flatten it")]
    TooDeep {
        /// The place where the limit is exceeded.
        at: Place,
        /// The nested element.
        what: String,
        /// The limit.
        limit: usize,
    },
    /// A size beyond any plausible file.
    #[error("{at}: {what}, more than the limit of {limit}; split or simplify it")]
    TooLarge {
        /// Where.
        at: Place,
        /// The size that is too large.
        what: String,
        /// The limit.
        limit: u64,
    },
    /// The file ends early, or a list is shorter than announced.
    #[error("{at}: {what}; the file is cut short, copy or export it again")]
    Truncated {
        /// Where.
        at: Place,
        /// The missing part.
        what: String,
    },
    /// Text that is not a number of the required kind.
    #[error("{at}: {what}: '{text}' is not a valid number here; write plain decimal numbers")]
    BadNumber {
        /// Where.
        at: Place,
        /// The purpose of the number.
        what: String,
        /// The text, shortened.
        text: String,
    },
    /// NaN or infinity.
    #[error("{at}: {what}: '{text}' is not finite; all numbers must be finite")]
    NonFinite {
        /// Where.
        at: Place,
        /// The purpose of the number.
        what: String,
        /// The text.
        text: String,
    },
    /// A reference to a vertex or entry that does not exist.
    #[error("{at}: {what}: index {index} is out of range (count {count}); export the file again")]
    BadIndex {
        /// Where.
        at: Place,
        /// The element with the reference.
        what: String,
        /// The index as written.
        index: i64,
        /// The number of entries.
        count: usize,
    },
    /// A face that cannot be triangulated.
    #[error("{at}: {what}; triangulate the mesh when exporting")]
    BadFace {
        /// Where.
        at: Place,
        /// The defect.
        what: String,
    },
    /// A file that is not in its claimed format.
    #[error("{at}: {what}; {remedy}")]
    BadFormat {
        /// Where.
        at: Place,
        /// The text or value found.
        what: String,
        /// The remedy.
        remedy: String,
    },
    /// An unsupported format, or an unsupported feature of one.
    #[error("{at}: {what} is not supported; {remedy}")]
    UnsupportedFormat {
        /// Where.
        at: Place,
        /// The format or feature.
        what: String,
        /// The remedy.
        remedy: String,
    },
    /// A missing mesh. Loading without it would remove collision geometry.
    #[error(
        "{at}: {user}: mesh '{reference}' not found (tried {tried}); give its folder as a package path or correct the reference"
    )]
    MissingMesh {
        /// The place of the reference.
        at: Place,
        /// The element with the reference.
        user: String,
        /// The reference as written.
        reference: String,
        /// The searched paths.
        tried: String,
    },
    /// A reference to a file outside the allowed folders.
    #[error("{at}: {user}: '{reference}' is outside {root}; move the file inside, give a package path, or allow outside files")]
    PathEscape {
        /// The place of the reference.
        at: Place,
        /// The element with the reference.
        user: String,
        /// The reference as written.
        reference: String,
        /// The allowed folder.
        root: String,
    },
    /// A required element is missing.
    #[error("{at}: {user}: {what} is missing; add it")]
    MissingElement {
        /// Where.
        at: Place,
        /// The element that lacks it.
        user: String,
        /// The missing element.
        what: String,
    },
    /// An invalid element, attribute, key or column.
    #[error("{at}: {what}; {remedy}")]
    BadElement {
        /// Where.
        at: Place,
        /// The element and its defect.
        what: String,
        /// The remedy.
        remedy: String,
    },
    /// An unknown name, with the valid names.
    #[error("{at}: there is no {kind} '{name}'; {}", crate::suggest::known_names(name, known.split(", ").filter(|k| !k.is_empty())))]
    UnknownName {
        /// Where.
        at: Place,
        /// The kind of name: joint, link, …
        kind: &'static str,
        /// The name.
        name: String,
        /// The valid names, separated by commas.
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
    /// A mimic joint whose source does not exist.
    #[error(
        "{at}: joint '{joint}' mimics joint '{source_joint}', which does not exist; correct the name, or read the file leniently \
         (--lenient): the joint then takes a value of its own"
    )]
    UnknownMimic {
        /// Where.
        at: Place,
        /// The mimic joint.
        joint: String,
        /// The name of its source.
        source_joint: String,
    },
    /// The file is well-formed, but the model is invalid.
    #[error("{at}: {user}: {source}")]
    Model {
        /// Where.
        at: Place,
        /// The element concerned.
        user: String,
        /// The error of the library.
        source: Box<impinge::Error>,
    },
    /// Not well-formed JSON.
    #[error("{at}: not well-formed JSON: {what}; repair or export it again")]
    Json {
        /// Where.
        at: Place,
        /// The message of the parser.
        what: String,
    },
}

impl IoError {
    /// Returns an error of the library about `user`, at a place.
    pub fn model(at: Place, user: impl Into<String>, source: impinge::Error) -> Self {
        IoError::Model { at, user: user.into(), source: Box::new(source) }
    }

    /// Returns the place of the error.
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

    /// Returns the same error at another place: for values that were read from one file and used elsewhere.
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

    /// Returns a short stable name of the class of error, for programs; for [`IoError::Model`], that of the library's error.
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

/// Returns the class of an error of the library.
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

/// Returns text from a file, shortened for messages.
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
    fn messages_name_place_defect_and_remedy() {
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
