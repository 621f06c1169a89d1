//! The folder of shared data, which is optional.

use std::path::PathBuf;

/// Returns a folder of `../shared`, or `None` after printing that the test is skipped.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(folder);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("SKIPPED: ../shared is not here ({folder})");
    None
}
