//! The optional folder of shared data beside the workspace.

use std::path::PathBuf;

/// Returns a folder or file of `../shared`, or `None` after a printed note that the test is skipped.
pub fn shared(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: ../shared is not here ({name})");
    None
}
