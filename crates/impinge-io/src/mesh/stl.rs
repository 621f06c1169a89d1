//! Stereolithography, binary and ASCII.
//!
//! The size distinguishes the two: a binary file of n facets is exactly 84 + 50 n bytes long, regardless of its header ("solid"
//! begins many binary files). Stored normals are not read. Corners at the same position become one vertex.
//! Refused: a count beyond the end of the file, text that ends early, NaN, other formats with this extension.

use std::path::Path;

use impinge::math::Vec3;

use super::Soup;
use super::merging::Merging;
use crate::error::{IoError, Place, Result, shorten};
use crate::warning::Warning;
use crate::{number, read};

const HEADER: usize = 84;
const FACET: usize = 50;

/// Parses STL bytes; `path` is only named in messages.
///
/// # Errors
/// See the list in the module documentation.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Soup> {
    if bytes.is_empty() {
        return Err(truncated(Place::file(path), "the file is empty"));
    }
    if claimed_length(bytes) == Some(bytes.len() as u64) {
        return binary(bytes, path);
    }
    if is_text(bytes) {
        return ascii(read::text(path, bytes)?, path);
    }
    binary(bytes, path)
}

/// Returns the length of a binary file with the facet count in the header.
fn claimed_length(bytes: &[u8]) -> Option<u64> {
    let count = u32::from_le_bytes(bytes.get(80..HEADER)?.try_into().ok()?);
    Some(HEADER as u64 + FACET as u64 * u64::from(count))
}

/// Tests whether the beginning has none of the control characters that are frequent in binary headers and floats.
fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().take(1024).all(|&b| b >= 0x20 || b.is_ascii_whitespace())
}

fn binary(bytes: &[u8], path: &Path) -> Result<Soup> {
    let at = || Place::file(path);
    let Some(claimed) = claimed_length(bytes) else {
        return Err(truncated(at(), format!("{} bytes are too few for a binary STL header", bytes.len())));
    };
    let here = bytes.len() as u64;
    if claimed > here {
        let count = (claimed - HEADER as u64) / FACET as u64;
        return Err(truncated(
            at(),
            format!("the header announces {count} facets, {claimed} bytes, but the file has only {here} bytes"),
        ));
    }
    let mut soup = Merging::default();
    if here >= claimed + FACET as u64 {
        return Err(IoError::BadFormat {
            at: at(),
            what: format!("{} bytes follow the {} announced facets", here - claimed, (claimed - HEADER as u64) / FACET as u64),
            remedy: "the count in the header is wrong, export it again".into(),
        });
    } else if here > claimed {
        soup.warnings.push(Warning::new(at(), "trailing-bytes", format!("{} bytes at the end were ignored", here - claimed)));
    }
    for (i, facet) in bytes[HEADER..claimed as usize].chunks_exact(FACET).enumerate() {
        let mut triangle = [0; 3];
        for (k, corner) in facet[12..48].chunks_exact(12).enumerate() {
            let c = |j: usize| f64::from(f32::from_le_bytes([corner[j], corner[j + 1], corner[j + 2], corner[j + 3]]));
            let v = Vec3::new(c(0), c(4), c(8));
            if !v.is_finite() {
                let text = format!("{} {} {}", v.x, v.y, v.z);
                return Err(IoError::NonFinite { at: at(), what: format!("facet {i}, corner {k}"), text });
            }
            triangle[k] = soup.vertex(v, path)?;
        }
        soup.triangles.push(triangle);
    }
    Ok(soup.into_soup())
}

fn ascii(text: &str, path: &Path) -> Result<Soup> {
    let mut words = Words { text, position: 0, line: 1, path };
    let mut soup = Merging::default();
    let first = words.next().unwrap_or("");
    if !first.eq_ignore_ascii_case("solid") {
        return Err(IoError::BadFormat {
            at: words.place(),
            what: format!("the file is neither binary nor ASCII STL (it begins with '{}')", shorten(first)),
            remedy: "give the file the extension of its format, or export it as STL".into(),
        });
    }
    words.skip_line();
    loop {
        let word = words.require("'facet' or 'endsolid'")?;
        if word.eq_ignore_ascii_case("facet") {
            let triangle = facet(&mut words, &mut soup)?;
            soup.triangles.push(triangle);
        } else if word.eq_ignore_ascii_case("endsolid") {
            words.skip_line();
            match words.next() {
                None => return Ok(soup.into_soup()),
                Some(w) if w.eq_ignore_ascii_case("solid") => words.skip_line(),
                Some(w) => return Err(words.unexpected(w, "'solid' or the end of the file")),
            }
        } else {
            return Err(words.unexpected(word, "'facet' or 'endsolid'"));
        }
    }
}

/// Reads the text between `facet` and `endfacet`. The normal's three words are not parsed: some exporters write NaN there.
fn facet(words: &mut Words<'_>, soup: &mut Merging) -> Result<[u32; 3]> {
    words.expect("normal")?;
    for _ in 0..3 {
        words.require("a normal of three numbers")?;
    }
    words.expect("outer")?;
    words.expect("loop")?;
    let mut triangle = [0; 3];
    for corner in &mut triangle {
        words.expect("vertex")?;
        let mut v = Vec3::ZERO;
        for k in 0..3 {
            let word = words.require("a coordinate")?;
            v[k] = number::parse(word, || (words.place(), "vertex".into()))?;
        }
        *corner = soup.vertex(v, words.path)?;
    }
    match words.require("'endloop'")? {
        w if w.eq_ignore_ascii_case("endloop") => {}
        w if w.eq_ignore_ascii_case("vertex") => {
            return Err(IoError::BadFace { at: words.place(), what: "a facet has more than 3 corners".into() });
        }
        w => return Err(words.unexpected(w, "'endloop'")),
    }
    words.expect("endfacet")?;
    Ok(triangle)
}

/// Words of a text with their lines.
struct Words<'a> {
    text: &'a str,
    position: usize,
    line: usize,
    path: &'a Path,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        while self.position < bytes.len() && bytes[self.position].is_ascii_whitespace() {
            self.line += usize::from(bytes[self.position] == b'\n');
            self.position += 1;
        }
        let begin = self.position;
        while self.position < bytes.len() && !bytes[self.position].is_ascii_whitespace() {
            self.position += 1;
        }
        (begin < self.position).then(|| &self.text[begin..self.position])
    }

    /// Skips the rest of the line: the name of a solid may be any text.
    fn skip_line(&mut self) {
        let rest = &self.text[self.position..];
        self.position += rest.find('\n').unwrap_or(rest.len());
    }

    fn place(&self) -> Place {
        Place::line(self.path, self.line)
    }

    fn require(&mut self, what: &str) -> Result<&'a str> {
        self.next().ok_or_else(|| truncated(self.place(), format!("the text ends before {what}")))
    }

    fn expect(&mut self, keyword: &str) -> Result<()> {
        let word = self.require(&format!("'{keyword}'"))?;
        if word.eq_ignore_ascii_case(keyword) { Ok(()) } else { Err(self.unexpected(word, &format!("'{keyword}'"))) }
    }

    fn unexpected(&self, found: &str, wanted: &str) -> IoError {
        IoError::BadFormat {
            at: self.place(),
            what: format!("found '{}' instead of {wanted}", shorten(found)),
            remedy: "export the file again".into(),
        }
    }
}

fn truncated(at: Place, what: impl Into<String>) -> IoError {
    IoError::Truncated { at, what: what.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASCII: &str = "solid my part\n facet normal nan 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1e0 0\n  \
                         endloop\n endfacet\nendsolid my part\n";

    fn read(bytes: &[u8]) -> Result<Soup> {
        parse(bytes, Path::new("f.stl"))
    }

    fn binary_file(header: &str, count: u32, facets: &[[f32; 9]]) -> Vec<u8> {
        let mut bytes = vec![0; 80];
        bytes[..header.len()].copy_from_slice(header.as_bytes());
        bytes.extend(count.to_le_bytes());
        for f in facets {
            bytes.extend([0; 12]);
            f.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
            bytes.extend([0, 0]);
        }
        bytes
    }

    const FACETS: [[f32; 9]; 2] =
        [[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, -0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0]];

    #[test]
    fn the_size_distinguishes_ascii_and_binary() {
        let soup = read(ASCII.as_bytes()).expect("ASCII");
        assert_eq!((soup.vertices.len(), soup.triangles.len()), (3, 1));
        let soup = read(&binary_file("solid trap", 2, &FACETS)).expect("binary");
        assert_eq!((soup.vertices.len(), soup.triangles.clone()), (4, vec![[0, 1, 2], [0, 2, 3]]));
        let several = format!("{ASCII}{}", ASCII.replace("vertex 1", "VERTEX 5"));
        assert_eq!(read(several.as_bytes()).expect("two solids").triangles.len(), 2);
    }

    #[test]
    fn lying_counts_are_refused_without_allocating() {
        assert!(matches!(read(&binary_file("x", u32::MAX, &FACETS)), Err(IoError::Truncated { .. })));
        assert!(matches!(read(&binary_file("x", 3, &FACETS)), Err(IoError::Truncated { .. })));
        assert!(matches!(read(&binary_file("x", 1, &FACETS)), Err(IoError::BadFormat { .. })));
        assert!(matches!(read(&binary_file("x", 2, &FACETS)[..70]), Err(IoError::Truncated { .. })));
        assert!(matches!(read(b""), Err(IoError::Truncated { .. })));
        let mut trailing = binary_file("x", 2, &FACETS);
        trailing.push(0);
        assert_eq!(read(&trailing).expect("two facets").warnings[0].kind, "trailing-bytes");
    }

    #[test]
    fn cut_or_foreign_text_is_refused_with_its_line() {
        for cut in ["endsolid", "endfacet", "endloop", "vertex 0 1e0"] {
            let end = ASCII.find(cut).expect("in the text");
            assert!(matches!(read(&ASCII.as_bytes()[..end]), Err(IoError::Truncated { .. })), "cut before {cut}");
        }
        assert!(matches!(read(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), Err(IoError::BadFormat { .. })));
        let error = read(ASCII.replace("1e0", "nan").as_bytes()).expect_err("NaN").to_string();
        assert_eq!(error, "f.stl:6: vertex: 'nan' is not finite; all numbers must be finite");
        let quad = ASCII.replace("  endloop", "  vertex 1 1 0\n endloop");
        assert!(matches!(read(quad.as_bytes()), Err(IoError::BadFace { .. })));
        let mut nan = FACETS;
        nan[1][4] = f32::NAN;
        assert!(matches!(read(&binary_file("x", 2, &nan)), Err(IoError::NonFinite { .. })));
    }
}
