//! Wavefront OBJ: vertices and faces; materials and other display attributes are ignored.
//!
//! Faces may have any number of corners, `v`, `v/vt`, `v//vn` or `v/vt/vn`, counted from 1 or backwards from -1; a backslash
//! continues a line. Numbers are read as `f64`.
//! Refused: indices out of range, numbers that are not finite, free-form surfaces, includes. Warnings: lines and points, which
//! have no surface, and keywords that are not OBJ.

use std::borrow::Cow;
use std::path::Path;

use impinge::math::Vec3;

use super::polygon::{Faces, MAX_CORNERS};
use super::{Soup, index};
use crate::error::{IoError, Place, Result, shorten};
use crate::number;
use crate::warning::Warning;

/// Parses OBJ bytes; `path` is only named in messages.
///
/// # Errors
/// See the list in the module documentation.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Soup> {
    let mut reader = Reader { path, vertices: Vec::new(), faces: Faces::counted_from_one(), ignored: (0, 0), unknown: (0, 0) };
    let mut lines = bytes.split(|&b| b == b'\n').enumerate();
    while let Some((i, line)) = lines.next() {
        let line = line.trim_ascii();
        let mut logical = Cow::Borrowed(line);
        while logical.ends_with(b"\\") && may_continue(&logical) {
            let mut joined = logical.into_owned();
            joined.pop();
            joined.push(b' ');
            joined.extend(lines.next().map_or(&b""[..], |(_, next)| next.trim_ascii()));
            logical = Cow::Owned(joined);
        }
        if !logical.is_empty() && logical[0] != b'#' {
            reader.line(&logical, i + 1)?;
        }
    }
    reader.finish()
}

/// Tests whether a backslash at the end of this line continues it. In comments and names it is part of a Windows path, and
/// joining would lose the next line.
fn may_continue(line: &[u8]) -> bool {
    !matches!(keyword(line), b"mtllib" | b"usemtl" | b"o" | b"g") && !line.starts_with(b"#")
}

fn keyword(line: &[u8]) -> &[u8] {
    line.split(|b| b.is_ascii_whitespace()).next().unwrap_or(b"")
}

struct Reader<'a> {
    path: &'a Path,
    vertices: Vec<Vec3>,
    faces: Faces,
    /// Number of statements without a surface, and the line of the first.
    ignored: (usize, usize),
    /// Number of statements that are not OBJ, and the line of the first.
    unknown: (usize, usize),
}

impl Reader<'_> {
    /// Reads one statement.
    fn line(&mut self, line: &[u8], number: usize) -> Result<()> {
        let keyword = keyword(line);
        match keyword {
            b"v" => self.vertex(self.text(line, number)?, number),
            b"f" | b"fo" => self.face(self.text(line, number)?, number),
            b"vt" | b"vn" | b"vp" | b"g" | b"o" | b"s" | b"usemtl" | b"mtllib" | b"usemap" | b"maplib" | b"mg" | b"bevel"
            | b"c_interp" | b"d_interp" | b"lod" | b"shadow_obj" | b"trace_obj" | b"cstype" | b"deg" | b"bmat" | b"step"
            | b"parm" | b"end" | b"con" | b"ctech" | b"stech" => Ok(()),
            b"l" | b"p" | b"curv" | b"curv2" | b"trim" | b"hole" | b"scrv" | b"sp" => {
                count(&mut self.ignored, number);
                Ok(())
            }
            b"surf" | b"bsp" | b"bzp" | b"cdc" | b"cdp" | b"call" | b"csh" => Err(IoError::UnsupportedFormat {
                at: Place::line(self.path, number),
                what: format!("the OBJ statement '{}'", String::from_utf8_lossy(keyword)),
                remedy: "export plain polygons into one file".into(),
            }),
            _ => {
                count(&mut self.unknown, number);
                Ok(())
            }
        }
    }

    fn text<'a>(&self, line: &'a [u8], number: usize) -> Result<&'a str> {
        std::str::from_utf8(line)
            .map_err(|_| IoError::Encoding { at: Place::line(self.path, number), what: "a statement is not UTF-8".into() })
    }

    /// Reads `v x y z`, optionally with a weight, a colour, or both.
    fn vertex(&mut self, line: &str, number: usize) -> Result<()> {
        let mut v = Vec3::ZERO;
        let mut found = 0;
        for word in words(line) {
            let context = || (Place::line(self.path, number), "vertex".into());
            match found {
                0..3 => v[found] = number::parse(word, context)?,
                // A colour may have any values, but they must be numbers: a second statement on the line must not be lost.
                _ if word.parse::<f64>().is_err() => return number::parse(word, context).map(|_| ()),
                _ => {}
            }
            found += 1;
        }
        if !matches!(found, 3 | 4 | 6 | 7) {
            return Err(IoError::BadFormat {
                at: Place::line(self.path, number),
                what: format!("a vertex has {found} numbers"),
                remedy: "write three coordinates per line".into(),
            });
        }
        self.vertices.push(v);
        Ok(())
    }

    fn face(&mut self, line: &str, number: usize) -> Result<()> {
        let mut corners = Vec::with_capacity(4);
        for word in words(line) {
            if corners.len() == MAX_CORNERS {
                let what = format!("a face has more than {MAX_CORNERS} corners");
                return Err(IoError::BadFace { at: Place::line(self.path, number), what });
            }
            corners.push(self.corner(word, number)?);
        }
        self.faces.push(corners, number);
        Ok(())
    }

    /// Returns the vertex of a corner. Vertices may still follow, so only indices that are never valid are refused here.
    fn corner(&self, word: &str, number: usize) -> Result<u32> {
        let text = word.split('/').next().unwrap_or(word);
        let written = number::parse_integer(text, || (Place::line(self.path, number), "face".into()))?;
        let zero_based = if written < 0 { self.vertices.len() as i64 + written } else { written - 1 };
        u32::try_from(zero_based).map_err(|_| IoError::BadIndex {
            at: Place::line(self.path, number),
            what: format!("face corner '{}'", shorten(word)),
            index: written,
            count: self.vertices.len(),
        })
    }

    fn finish(self) -> Result<Soup> {
        index(self.vertices.len(), self.path)?;
        let (triangles, mut warnings) = self.faces.triangulate(self.path, &self.vertices)?;
        let tallies = [
            (self.ignored, "ignored-elements", "lines, points or curves have no surface; ignored"),
            (self.unknown, "unknown-keywords", "statements are not OBJ; ignored"),
        ];
        for ((count, first), kind, what) in tallies {
            if count > 0 {
                warnings.push(Warning::new(Place::line(self.path, first), kind, format!("{count} {what} (first here)")));
            }
        }
        Ok(Soup { vertices: self.vertices, triangles, error: 0.0, warnings })
    }
}

/// Returns the words after the keyword, up to a comment.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split('#').next().unwrap_or("").split_ascii_whitespace().skip(1)
}

fn count(tally: &mut (usize, usize), line: usize) {
    if tally.0 == 0 {
        tally.1 = line;
    }
    tally.0 += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: &str = "v 0 0 0\nv 1 0 0\r\nv 0 1 0 1.0\nv 1 1 0 0.5 0.5 0.5 # white\n";

    fn read(faces: &str) -> Result<Soup> {
        parse(format!("{CORNERS}{faces}").as_bytes(), Path::new("f.obj"))
    }

    fn triangles(faces: &str) -> Vec<[u32; 3]> {
        read(faces).expect("a mesh").triangles
    }

    #[test]
    fn every_way_to_write_a_corner() {
        for face in
            ["f 1 2 3", "f 1/5 2/6 3/7", "f 1//1 2//1 3//1", "f 1/1/1 2/1/1 3/1/1", "f -4 -3 -2", "f 1 2 \\\n 3", "f 1 2 3 # x"]
        {
            assert_eq!(triangles(face), [[0, 1, 2]], "{face}");
        }
        assert_eq!(triangles("f 1 2 4 3"), [[0, 1, 3], [0, 3, 2]]);
        assert_eq!(triangles("f 1 2 5\nv 9 9 9"), [[0, 1, 4]]);
    }

    #[test]
    fn what_is_wrong_is_named_by_line() {
        assert!(matches!(read("f 1 2 0"), Err(IoError::BadIndex { .. })));
        assert!(matches!(read("f 1 2 9"), Err(IoError::BadIndex { count: 4, .. })));
        assert!(matches!(read("f 1 2 -9"), Err(IoError::BadIndex { index: -9, .. })));
        assert!(matches!(read("f 1 2 99999999999"), Err(IoError::BadIndex { .. })));
        assert!(matches!(read("f 1 2 99999999999999999999"), Err(IoError::BadNumber { .. })));
        assert!(matches!(read("f 1 2 x"), Err(IoError::BadNumber { .. })));
        assert_eq!(
            read("f 1 2\nf 1 2 3\nf 2").expect("a mesh").warnings[0].to_string().split(": ").nth(1),
            Some("2 faces (first here) have fewer than 3 corners; they are kept as points and segments [few-corners]")
        );
        assert!(matches!(read("v 0 inf 0"), Err(IoError::NonFinite { .. })));
        assert!(matches!(read("v 0 0"), Err(IoError::BadFormat { .. })));
        assert!(matches!(read("v 0 0 0 v 1 0 0"), Err(IoError::BadNumber { .. })));
        assert!(matches!(read("surf 0 1 0 1 1 2 3"), Err(IoError::UnsupportedFormat { .. })));
        let index = read("f 1 2 9").expect_err("index").to_string();
        assert_eq!(index, "f.obj:5: face 0: index 9 is out of range (count 4); export the file again");
        let long = format!("f{}", " 1 2 3".repeat(200_000));
        assert!(matches!(read(&long), Err(IoError::BadFace { .. })));
    }

    #[test]
    fn display_attributes_are_ignored_and_irregularities_reported() {
        let soup = read("# C:\\models\\\nmtllib a\\\nvt 0 0\nvn 0 0 nan\no \u{e4}\nf 1 2 3\nl 1 2\n6540 2180\n").expect("a mesh");
        assert_eq!(soup.triangles.len(), 1);
        let kinds: Vec<_> = soup.warnings.iter().map(|w| (w.kind, w.line)).collect();
        assert_eq!(kinds, [("ignored-elements", Some(11)), ("unknown-keywords", Some(12))]);
    }
}
