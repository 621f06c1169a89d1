//! Case files: a complete query in one JSON object, with the expected answer. One format for examples, tests and bug reports.
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
//! Parts of a `tree` are named by their links alone. Unknown keys are errors, except the notes listed in [`NOTES`].
//! Refused: time ranges other than [0, 1], numbers that are not finite.
//! A case whose query is refused still has its expectation, because refusal can be the correct answer, see [`grade`].

mod attached;
mod body;
mod expected;
mod grade;
mod pose;
mod query;
mod tree;

use std::path::Path;

use impinge::Options;
use serde_json::Value;
use serde_json::value::RawValue;

pub use expected::{Expected, Outcome, Said};
pub use grade::{Answer, Grade, grade};
pub use query::CaseQuery;

use crate::error::{Place, Result};
use crate::id::{Id, raw_field};
use crate::json::{self, Item};
use crate::read;
use crate::urdf::UrdfOptions;
use crate::warning::Warning;

/// Keys of notes, which are not part of the query.
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

/// A file of cases, parsed as JSON; cases are loaded on demand.
#[derive(Debug)]
pub struct CaseFile {
    at: Place,
    root: Value,
    /// Ids of the cases, in order, as written.
    ids: Vec<Option<Id>>,
    options: UrdfOptions,
    /// Options that a case does not define.
    base: Options,
}

/// One case.
#[derive(Debug)]
pub struct Case {
    /// The id of the case; its number in the file if it has none.
    pub id: Id,
    /// The expected answer, if there is one.
    pub expected: Option<Expected>,
    /// The query, or the reason why it was refused.
    pub question: Result<CaseQuery>,
    /// Warnings of the loaders.
    pub warnings: Vec<Warning>,
}

/// Loads a file of one case, or of many.
///
/// # Errors
/// If it cannot be read, is not JSON, or is not a case file. Errors of single cases are returned by [`CaseFile::case`].
pub fn load_cases(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<CaseFile> {
    let path = path.as_ref();
    parse(&read::bytes(path, read::MAX_TREE_FILE)?, path, options)
}

/// Parses the bytes of a file of cases; `path` is named in messages, and relative files are resolved from its folder.
///
/// # Errors
/// See [`load_cases`].
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

/// Returns the ids of all cases in a file.
fn ids(bytes: &[u8]) -> Vec<Option<Id>> {
    let Some(cases) = raw_field(bytes, "cases") else { return vec![Id::of_object(bytes)] };
    let cases: Vec<&RawValue> = serde_json::from_str(cases.get()).unwrap_or_default();
    cases.iter().map(|case| Id::of_object(case.get().as_bytes())).collect()
}

impl CaseFile {
    /// Sets the options of queries; margin, tolerance and semantics are still defined by the case.
    pub fn with_options(self, base: Options) -> Self {
        CaseFile { base, ..self }
    }

    /// Returns the number of cases.
    pub fn len(&self) -> usize {
        self.root.get("cases").and_then(Value::as_array).map_or(1, Vec::len)
    }

    /// Tests whether there are no cases.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the id of case `i`, even if the rest of it is invalid.
    pub fn id(&self, i: usize) -> Id {
        self.ids.get(i).cloned().flatten().unwrap_or_else(|| i.into())
    }

    /// Loads case `i`.
    ///
    /// # Errors
    /// If it is not a case: unknown keys, or an invalid expectation. A refused query is not an error here.
    pub fn case(&self, i: usize) -> Result<Case> {
        let Some(item) = self.item(i) else {
            return Err(Item::root(&self.root, &self.at).bad(format!("has no case {i}"), "count from 0"));
        };
        let known: Vec<&str> = KEYS.iter().chain(&NOTES).copied().collect();
        item.only(&known)?;
        check_version(&item)?;
        let expected = Expected::from_json(&item)?;
        let mut warnings = Vec::new();
        let query = query::load(&item, &self.at.path, &self.options, self.base, &mut warnings);
        Ok(Case { id: self.id(i), expected, question: query, warnings })
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
