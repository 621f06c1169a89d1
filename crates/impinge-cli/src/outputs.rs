//! Output files: they never overwrite input files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// Refuses an output file that is one of the inputs, under any name; `flag` is the flag of the output.
///
/// # Errors
/// If it is one of them.
pub fn refuse_inputs(flag: &str, out: &Path, inputs: &[PathBuf]) -> Result<()> {
    match inputs.iter().find(|input| are_same(out, input)) {
        Some(input) => {
            bail!("{flag}: {} is also an input ({}) and would be overwritten; name another file", out.display(), input.display())
        }
        None => Ok(()),
    }
}

/// Returns the files that `FILE` or `NAME=FILE` can mean.
pub fn named(text: &str) -> impl Iterator<Item = PathBuf> {
    std::iter::once(text).chain(text.split_once('=').map(|(_, file)| file)).map(PathBuf::from)
}

/// Tests whether two paths lead to the same regular file; false for paths that do not exist.
fn are_same(a: &Path, b: &Path) -> bool {
    let is_file = |path: &Path| fs::metadata(path).is_ok_and(|m| m.is_file());
    is_file(a) && is_file(b) && (fs::canonicalize(a).ok() == fs::canonicalize(b).ok() || are_linked(a, b))
}

/// Tests whether two names are hard links to the same file.
#[cfg(unix)]
fn are_linked(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |path: &Path| fs::metadata(path).ok().map(|m| (m.dev(), m.ino()));
    place(a).is_some() && place(a) == place(b)
}

#[cfg(not(unix))]
fn are_linked(_: &Path, _: &Path) -> bool {
    false
}
