//! Case files: a whole question in one JSON object, with the answer that is expected. One format for examples, tests, bug reports.
//!
//! ```text
//! {"id": "A04",
//!  "bodies": [{"name": "table", "shape": {…}, "motion": {"type": "rigid", "p0", "quat0_wxyz", "p1", "rotvec" or "quat1_wxyz"}}],
//!             or "motion": {"type": "linear_vertices", "vertices1"}: a deforming mesh, each vertex along a straight line
//!  "tree":   {"root", "base_pose", "links": [{"name", "shape"}], "joints": [{"name", "type", "parent", "child", …, "q0", "q1"}],
//!             or, for a joint that follows another, "mimic": {"joint", "multiplier", "offset"}; then "q0" and "q1" may be left out,
//!             "loops": [{"name", "type", "links": ["a", "b"], "frames": [{pose in a}, {pose in b}], "axis"}]},   joints that close loops
//!  "robot":  {"urdf": FILE, "srdf": FILE, "name", "base_pose", "q0": […], "q1": […]},     "robots": [several of these],
//!  "attached": [{"name", "link", "shape", "pose", "touch": [names]}],      held by a link
//!  "scene": FILE, a scene written out, or a list of them,
//!  "pairs":  [["bar", "table"]],   only these are checked; ["cloth", "cloth"]: a deforming body against itself
//!  "ignore": [["a", "b"]],         these are not
//!  "query":  {"margin": 0, "semantics": "surface" or "solid", "t_range": [0, 1], "tolerance", "time_tolerance", "self_collision"},
//!  "expected": {"hit": true, "toc": 0.5, "toc_tol": 1e-9}, "accept": ["hit"]}
//! ```
//!
//! A file holds one case or `{"cases": […]}`. Shapes are those of [`crate::scene::native`]; files are resolved from the case's folder.
//! Parts of a `tree` are named by their links alone. Unknown keys are errors, but for the notes listed in [`NOTES`].
//! Refused: other spans of time than [0, 1], numbers that are not finite.
//! A case whose question is refused still has its expectation: refusing may be the right answer, see [`grade`].

mod attached;
mod body;
mod expected;
mod grade;
mod pose;
mod question;
mod tree;

use std::path::Path;

use impinge::Options;
use serde_json::Value;
use serde_json::value::RawValue;

pub use expected::{Expected, Outcome, Said};
pub use grade::{Answer, Grade, grade};
pub use question::Question;

use crate::error::{Place, Result};
use crate::id::{Id, raw_field};
use crate::json::{self, Item};
use crate::read;
use crate::urdf::UrdfOptions;
use crate::warning::Warning;

/// Keys that say something about a case without being part of its question.
pub const NOTES: [&str; 12] = [
    "title",
    "category",
    "split",
    "requires",
    "derivation",
    "policy",
    "comment",
    "verify_scale",
    "oracle_lower_slack",
    "oracle_budget",
    "oracle_samples",
    "companion_surface",
];

/// Keys that are read.
const KEYS: [&str; 16] = [
    "format",
    "version",
    "id",
    "bodies",
    "tree",
    "robot",
    "robots",
    "attached",
    "scene",
    "pairs",
    "ignore",
    "query",
    "expected",
    "accept",
    "robustness",
    "tool_tol_for_free",
];

/// A file of cases, read as JSON; each case is opened when asked for.
#[derive(Debug)]
pub struct CaseFile {
    at: Place,
    root: Value,
    /// Names, in order, as they were written.
    ids: Vec<Option<Id>>,
    options: UrdfOptions,
    /// What a case leaves open.
    base: Options,
}

/// One case.
#[derive(Debug)]
pub struct Case {
    /// Its name; the number of the case in the file where it has none.
    pub id: Id,
    /// The answer that is expected, if one is.
    pub expected: Option<Expected>,
    /// What is asked, or why it was refused.
    pub question: Result<Question>,
    /// What was odd.
    pub warnings: Vec<Warning>,
}

/// Loads a file of one case, or of many.
///
/// # Errors
/// If it cannot be read, is no JSON, or is no case file. What is wrong with single cases is told by [`CaseFile::case`].
pub fn load_cases(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<CaseFile> {
    let path = path.as_ref();
    parse(&read::bytes(path, read::MAX_TREE_FILE)?, path, options)
}

/// Reads the bytes of a file of cases; `path` is named in messages, and files are looked for beside it.
///
/// # Errors
/// Like [`load_cases`].
pub fn parse(bytes: &[u8], path: &Path, options: &UrdfOptions) -> Result<CaseFile> {
    let root = json::parse(bytes, &Place::file(path))?;
    let file = CaseFile { at: Place::file(path), root, ids: ids(bytes), options: options.clone(), base: Options::default() };
    let root = Item::root(&file.root, &file.at);
    root.fields()?;
    check_version(&root)?;
    if let Some(cases) = root.get("cases") {
        root.only(&["format", "version", "conventions", "comment", "cases"])?;
        cases.array()?;
    }
    Ok(file)
}

/// The names of all cases in a file.
fn ids(bytes: &[u8]) -> Vec<Option<Id>> {
    let Some(cases) = raw_field(bytes, "cases") else { return vec![Id::of_object(bytes)] };
    let cases: Vec<&RawValue> = serde_json::from_str(cases.get()).unwrap_or_default();
    cases.iter().map(|case| Id::of_object(case.get().as_bytes())).collect()
}

impl CaseFile {
    /// Asks with these options; margin, tolerance and whether meshes are solid stay the case's own.
    pub fn with_options(self, base: Options) -> Self {
        CaseFile { base, ..self }
    }

    /// How many cases there are.
    pub fn len(&self) -> usize {
        self.root.get("cases").and_then(Value::as_array).map_or(1, Vec::len)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of case `i`, however broken the rest of it is.
    pub fn id(&self, i: usize) -> Id {
        self.ids.get(i).cloned().flatten().unwrap_or_else(|| i.into())
    }

    /// Opens case `i`.
    ///
    /// # Errors
    /// If it is no case at all: keys that are not known, an expectation that makes no sense. A question that is refused is no error here.
    pub fn case(&self, i: usize) -> Result<Case> {
        let Some(item) = self.item(i) else {
            return Err(Item::root(&self.root, &self.at).bad(format!("has no case {i}"), "count from 0"));
        };
        let known: Vec<&str> = KEYS.iter().chain(&NOTES).copied().collect();
        item.only(&known)?;
        check_version(&item)?;
        let expected = Expected::from_json(&item)?;
        let mut warnings = Vec::new();
        let question = question::question(&item, &self.at.path, &self.options, self.base, &mut warnings);
        Ok(Case { id: self.id(i), expected, question, warnings })
    }

    fn item(&self, i: usize) -> Option<Item<'_>> {
        let root = Item::root(&self.root, &self.at);
        match root.get("cases") {
            Some(cases) => cases.array().ok()?.get(i).map(|case| cases.entry(case, i)),
            None => (i == 0).then_some(root),
        }
    }
}

fn check_version(item: &Item<'_>) -> Result<()> {
    match item.get("version") {
        Some(version) if version.number()? != 1.0 => Err(version.bad("is not 1", "use a newer program, or write version 1")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
