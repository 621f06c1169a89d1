//! Reads bytes from disk: regular files only, limited in size, text checked for UTF-8. Devices and pipes are refused before they
//! are opened.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::error::{IoError, Place, Result};

/// Maximum size of a mesh or table file, bytes: 2 GiB. Larger files would need 64-bit indices and much memory.
pub(crate) const MAX_FILE: u64 = 2 << 30;

/// Maximum size of an XML or JSON file, bytes: 512 MiB. Both are parsed to a tree of several times their size.
pub(crate) const MAX_TREE_FILE: u64 = 512 << 20;

/// Opens a regular file of at most `limit` bytes.
pub(crate) fn open(path: &Path, limit: u64) -> Result<File> {
    let fail = |source| IoError::Read { at: Place::file(path), source };
    let meta = fs::metadata(path).map_err(fail)?;
    if !meta.is_file() {
        let what = if meta.is_dir() { "this is a folder, not a file" } else { "this is not a regular file" };
        return Err(fail(io::Error::new(io::ErrorKind::InvalidInput, what)));
    }
    if meta.len() > limit {
        return Err(too_large(path, limit));
    }
    File::open(path).map_err(fail)
}

/// Reads a regular file of at most `limit` bytes.
pub(crate) fn bytes(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // The file may grow while it is read: the limit still holds.
    let mut capped = open(path, limit)?.take(limit + 1);
    capped.read_to_end(&mut bytes).map_err(|source| IoError::Read { at: Place::file(path), source })?;
    if bytes.len() as u64 > limit { Err(too_large(path, limit)) } else { Ok(bytes) }
}

/// Returns `bytes` as text without a byte-order mark.
pub(crate) fn text<'a>(path: &Path, bytes: &'a [u8]) -> Result<&'a str> {
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(IoError::Encoding { at: Place::line(path, 1), what: "the text is UTF-16".into() });
    }
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let good = &bytes[..e.valid_up_to()];
        let line = 1 + good.iter().filter(|&&b| b == b'\n').count();
        IoError::Encoding { at: Place::line(path, line), what: format!("byte {} is not UTF-8", e.valid_up_to()) }
    })?;
    Ok(text.strip_prefix('\u{FEFF}').unwrap_or(text))
}

fn too_large(path: &Path, limit: u64) -> IoError {
    IoError::TooLarge { at: Place::file(path), what: "the file has too many bytes".into(), limit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_devices_and_missing_files_are_refused() {
        assert!(matches!(bytes(Path::new("."), 10), Err(IoError::Read { .. })));
        assert!(matches!(bytes(Path::new("/dev/zero"), 10), Err(IoError::Read { .. })));
        assert!(matches!(bytes(Path::new("no such file"), 10), Err(IoError::Read { .. })));
    }

    #[test]
    fn text_that_is_not_utf8_is_named_by_line() {
        let error = text(Path::new("a"), b"one\ntwo \xFF").expect_err("not UTF-8");
        assert_eq!(error.to_string(), "a:2: byte 8 is not UTF-8; save the file as UTF-8");
        assert_eq!(text(Path::new("a"), b"\xEF\xBB\xBFx").expect("UTF-8"), "x");
        assert!(text(Path::new("a"), b"\xFF\xFEx\0").is_err());
    }
}
