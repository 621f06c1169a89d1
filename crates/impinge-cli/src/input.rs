//! Line-by-line input from files; `-` is standard input.

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::path::Path;

use impinge_io::{IoError, Place};

/// Maximum length of a line, bytes.
const MAX_LINE: u64 = 64 << 20;

/// Lines of a file or of standard input.
pub type Source = BufReader<Box<dyn Read + Send>>;

/// Opens a file, or standard input for `-`.
///
/// # Errors
/// If it cannot be opened.
pub fn open(path: &Path) -> Result<Source, IoError> {
    let fail = |source| IoError::Read { at: Place::file(path), source };
    if is_stdin(path) {
        return Ok(BufReader::new(Box::new(std::io::stdin())));
    }
    let file = File::open(path).map_err(fail)?;
    if file.metadata().map_err(fail)?.is_dir() {
        return Err(fail(std::io::Error::from(std::io::ErrorKind::IsADirectory)));
    }
    Ok(BufReader::new(Box::new(file)))
}

/// Returns the name of a source for messages.
pub fn shown(path: &Path) -> &Path {
    if is_stdin(path) { Path::new("standard input") } else { path }
}

/// Returns the number of lines of a file, for the progress bar.
pub fn count_lines(path: &Path) -> Option<u64> {
    if is_stdin(path) || !std::io::stderr().is_terminal() || !path.metadata().is_ok_and(|m| m.is_file()) {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let mut buffer = vec![0; 1 << 16];
    let mut lines = 0;
    loop {
        match file.read(&mut buffer).ok()? {
            0 => return Some(lines),
            n => lines += buffer[..n].iter().filter(|&&b| b == b'\n').count() as u64,
        }
    }
}

/// Tests whether a path means standard input.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Reads all of standard input.
///
/// # Errors
/// If it cannot be read, or is too large.
pub fn all_of_stdin() -> Result<Vec<u8>, IoError> {
    let at = || Place::file(shown(Path::new("-")));
    let mut bytes = Vec::new();
    std::io::stdin().take(MAX_TABLE + 1).read_to_end(&mut bytes).map_err(|source| IoError::Read { at: at(), source })?;
    if bytes.len() as u64 > MAX_TABLE {
        return Err(IoError::TooLarge { at: at(), what: "there are too many bytes".into(), limit: MAX_TABLE });
    }
    Ok(bytes)
}

/// Maximum size of a table from standard input, bytes: the same as for files.
const MAX_TABLE: u64 = impinge_io::trajectory::MAX_BYTES;

/// A line that is not empty, with its place.
pub type Line = (Place, Result<Vec<u8>, IoError>);

/// Returns the lines of a source that are not empty; ends after one that cannot be read.
pub fn lines(path: &Path, source: Source) -> impl Iterator<Item = Line> + Send + 'static {
    lines_up_to(path, source, MAX_LINE)
}

/// The same, with lines of up to `limit` bytes.
pub fn lines_up_to(
    path: &Path,
    mut source: impl BufRead + Send + 'static,
    limit: u64,
) -> impl Iterator<Item = Line> + Send + 'static {
    let path = shown(path).to_path_buf();
    let mut number = 0;
    let mut ended = false;
    std::iter::from_fn(move || {
        while !ended {
            number += 1;
            let place = Place::line(&path, number);
            let mut line = Vec::new();
            match (&mut source).take(limit).read_until(b'\n', &mut line) {
                Ok(0) => ended = true,
                Ok(n) if n as u64 == limit && line.last() != Some(&b'\n') => {
                    ended = true;
                    let what = "a line has too many bytes".into();
                    return Some((place.clone(), Err(IoError::TooLarge { at: place, what, limit })));
                }
                Ok(_) if line.trim_ascii().is_empty() => {}
                Ok(_) => return Some((place, Ok(line))),
                Err(source) => {
                    ended = true;
                    return Some((place.clone(), Err(IoError::Read { at: place, source })));
                }
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_are_passed_over_and_numbers_kept() {
        let source: Source = BufReader::new(Box::new(&b"a\n\n  \nb\r\nc"[..]));
        let found: Vec<_> = lines(Path::new("f"), source).map(|(at, line)| (at.line, line.expect("read"))).collect();
        assert_eq!(found, [(Some(1), b"a\n".to_vec()), (Some(4), b"b\r\n".to_vec()), (Some(5), b"c".to_vec())]);
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        let endless = BufReader::new(std::io::repeat(b'x'));
        let found: Vec<_> = lines_up_to(Path::new("f"), endless, 1000).collect();
        let [(_, Err(error))] = &found[..] else { panic!("{found:?}") };
        assert!(error.to_string().starts_with("f:1: a line has too many bytes"), "{error}");
    }

    #[test]
    fn folders_and_missing_files_are_refused() {
        assert!(open(Path::new(".")).is_err() && open(Path::new("no such file")).is_err());
        assert_eq!(shown(Path::new("-")), Path::new("standard input"));
    }
}
