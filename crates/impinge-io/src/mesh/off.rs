//! Object file format (Geomview), ASCII.
//!
//! The header may be `OFF` or have any of the prefixes `ST`, `C`, `N` (texture, colour, normal: per-vertex numbers that are
//! ignored); comments start with `#`. Counts first, then one vertex or face per line.
//! Refused: binary files, four and n dimensions, fewer or more lines than announced.

use std::path::Path;

use impinge::math::Vec3;

use super::polygon::{Faces, MAX_CORNERS};
use super::{Soup, index};
use crate::error::{IoError, Place, Result, shorten};
use crate::{number, read};

/// Parses OFF bytes; `path` is only named in messages.
///
/// # Errors
/// See the list in the module documentation.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Soup> {
    let text = read::text(path, bytes)?;
    let mut lines = Lines { lines: text.lines().enumerate(), path, last: 0 };
    let (vertex_count, face_count) = header(&mut lines)?;
    let mut vertices = Vec::new();
    for i in 0..vertex_count {
        let line = lines.require("a vertex")?;
        let mut v = Vec3::ZERO;
        let mut words = line.split_ascii_whitespace();
        for k in 0..3 {
            let word = words.next().ok_or_else(|| truncated(lines.place(), format!("vertex {i} has only {k} numbers")))?;
            v[k] = number::parse(word, || (lines.place(), format!("vertex {i}")))?;
        }
        vertices.push(v);
    }
    index(vertices.len(), path)?;
    let mut faces = Faces::default();
    for i in 0..face_count {
        let line = lines.require("a face")?;
        let corners = face(line, i, &lines, vertices.len())?;
        faces.push(corners, lines.last);
    }
    if lines.next().is_some() {
        return Err(IoError::BadFormat {
            at: lines.place(),
            what: format!("text follows the {face_count} announced faces"),
            remedy: "correct the counts in the header".into(),
        });
    }
    let (triangles, warnings) = faces.triangulate(path, &vertices)?;
    Ok(Soup { vertices, triangles, error: 0.0, warnings })
}

/// Reads the keyword and the numbers of vertices and faces.
fn header(lines: &mut Lines<'_>) -> Result<(usize, usize)> {
    let first = lines.require("the header")?;
    let keyword = first.split_ascii_whitespace().next().unwrap_or("");
    let Some(prefix) = keyword.strip_suffix("OFF") else {
        return Err(IoError::BadFormat {
            at: lines.place(),
            what: format!("the file begins with '{}', not with OFF", shorten(keyword)),
            remedy: "give the file the extension of its format".into(),
        });
    };
    let rest = first[keyword.len()..].trim();
    let plain = prefix.strip_prefix("ST").unwrap_or(prefix);
    let plain = plain.strip_prefix('C').unwrap_or(plain);
    let plain = plain.strip_prefix('N').unwrap_or(plain);
    if !plain.is_empty() || rest.starts_with("BINARY") {
        return Err(IoError::UnsupportedFormat {
            at: lines.place(),
            what: format!("the OFF variant '{}'", shorten(first)),
            remedy: "write three-dimensional ASCII OFF".into(),
        });
    }
    let counts = if rest.is_empty() { lines.require("the counts")? } else { rest };
    let mut words = counts.split_ascii_whitespace();
    let mut count = |what: &str| {
        let word = words.next().ok_or_else(|| truncated(lines.place(), format!("the number of {what} is missing")))?;
        let n = number::parse_integer(word, || (lines.place(), format!("number of {what}")))?;
        usize::try_from(n).map_err(|_| bad_count(lines, what, word))
    };
    Ok((count("vertices")?, count("faces")?))
}

/// Reads `n i1 … in`, optionally with a colour.
fn face(line: &str, i: usize, lines: &Lines<'_>, vertex_count: usize) -> Result<Vec<u32>> {
    let mut words = line.split_ascii_whitespace();
    let corner_count = number::parse_integer(words.next().unwrap_or(""), || (lines.place(), format!("face {i}")))?;
    if !(0..=MAX_CORNERS as i64).contains(&corner_count) {
        return Err(IoError::BadFace { at: lines.place(), what: format!("face {i} has {corner_count} corners") });
    }
    let mut corners = Vec::with_capacity(4);
    for _ in 0..corner_count {
        let word = words.next().ok_or_else(|| {
            truncated(lines.place(), format!("face {i} announces {corner_count} corners, but has {}", corners.len()))
        })?;
        let written = number::parse_integer(word, || (lines.place(), format!("face {i}")))?;
        let corner = u32::try_from(written).map_err(|_| IoError::BadIndex {
            at: lines.place(),
            what: format!("face {i}"),
            index: written,
            count: vertex_count,
        })?;
        corners.push(corner);
    }
    Ok(corners)
}

/// Lines that are not empty, without comments.
struct Lines<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    path: &'a Path,
    /// The last line returned, counted from 1.
    last: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        for (i, line) in self.lines.by_ref() {
            self.last = i + 1;
            let line = line.split('#').next().unwrap_or("").trim();
            if !line.is_empty() {
                return Some(line);
            }
        }
        None
    }

    fn require(&mut self, what: &str) -> Result<&'a str> {
        self.next().ok_or_else(|| truncated(self.place(), format!("the text ends before {what}")))
    }

    fn place(&self) -> Place {
        Place::line(self.path, self.last.max(1))
    }
}

fn truncated(at: Place, what: String) -> IoError {
    IoError::Truncated { at, what }
}

fn bad_count(lines: &Lines<'_>, what: &str, word: &str) -> IoError {
    IoError::BadNumber { at: lines.place(), what: format!("number of {what}"), text: shorten(word) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Soup> {
        parse(text.as_bytes(), Path::new("f.off"))
    }

    #[test]
    fn plain_and_coloured_files_are_read() {
        let soup = read("OFF\n# a square\n4 1 0\n0 0 0\n1 0 0\n\n1 1 0\n0 1 0\n4 0 1 2 3 255 0 0\n").expect("OFF");
        assert_eq!(soup.triangles, [[0, 1, 2], [0, 2, 3]]);
        let soup = read("COFF 3 1 0\n0 0 0 255 0 0 255\n1 0 0 0 0 0 0\n0 1 0 0 0 0 0\n3 0 1 2\n").expect("COFF");
        assert_eq!((soup.vertices.len(), soup.triangles.len()), (3, 1));
    }

    #[test]
    fn lies_and_variants_are_refused() {
        assert!(matches!(read("OFF\n3 1 0\n0 0 0\n"), Err(IoError::Truncated { .. })));
        assert!(matches!(read("OFF\n99999999999 1 0\n0 0 0\n"), Err(IoError::Truncated { .. })));
        assert!(matches!(read("OFF\n-3 1 0\n"), Err(IoError::BadNumber { .. })));
        assert!(matches!(read("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 nan\n3 0 1 2"), Err(IoError::NonFinite { .. })));
        assert!(matches!(read("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3"), Err(IoError::BadIndex { .. })));
        assert!(matches!(read("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1"), Err(IoError::BadIndex { index: -1, .. })));
        assert!(matches!(read("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n4 0 1 2"), Err(IoError::Truncated { .. })));
        assert!(matches!(read("4OFF\n"), Err(IoError::UnsupportedFormat { .. })));
        assert!(matches!(read("OFF BINARY\n"), Err(IoError::UnsupportedFormat { .. })));
        assert!(matches!(read("solid\n"), Err(IoError::BadFormat { .. })));
        assert!(matches!(read(""), Err(IoError::Truncated { .. })));
        let extra = read("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n").expect_err("one face too many");
        assert!(matches!(extra, IoError::BadFormat { .. }) && extra.place().line == Some(7));
    }
}
