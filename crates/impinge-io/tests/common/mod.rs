//! The folder of shared data beside the workspace, which not everyone has.

use std::path::PathBuf;

/// A folder of `../shared`, or `None` after saying loudly that the test is skipped.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(folder);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("SKIPPED: ../shared is not here ({folder})");
    None
}
