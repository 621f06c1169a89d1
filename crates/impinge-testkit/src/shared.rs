//! The folder of shared data beside the workspace, which not everyone has.

use std::path::PathBuf;

/// A folder or file of `../shared`, or `None` after saying loudly that the test is skipped.
pub fn shared(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: ../shared is not here ({name})");
    None
}
