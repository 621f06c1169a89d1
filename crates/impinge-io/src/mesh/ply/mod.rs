//! Stanford polygon files: ASCII, binary little-endian, binary big-endian.
//!
//! ```text
//! header: element vertex 8, property float x, …, element face 6, property list uchar int vertex_indices
//! body:   8 vertices, 6 faces, in the order and with the properties that the header lists
//! ```
//!
//! Any scalar type may hold coordinates; properties and elements that are not geometry are ignored.
//! Refused: counts beyond the end of the file, triangle strips, vertices without x, y, z, faces without vertex indices.

mod header;

use std::path::Path;

use impinge::math::Vec3;

use self::header::{Element, Encoding, Header, Scalar, bad_header};
use super::polygon::{Faces, MAX_CORNERS};
use super::{Soup, index};
use crate::error::{IoError, Place, Result, shorten};
use crate::warning::Warning;

/// Minimum number of bytes of a triangle; more bytes than this after the body indicate wrong counts.
const SMALLEST_FACE: usize = 4;

/// Parses PLY bytes; `path` is only named in messages.
///
/// # Errors
/// See the list in the module documentation.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Soup> {
    let header = Header::read(bytes, path)?;
    let mut body = Body { bytes, position: header.body, line: header.lines + 1, encoding: header.encoding, path };
    let mut vertices = Vec::new();
    let mut faces = Faces::default();
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => read_vertices(element, &mut body, &mut vertices)?,
            "face" => read_faces(element, &mut body, &mut faces, vertices.len())?,
            "tristrips" if element.count > 0 => {
                return Err(IoError::UnsupportedFormat {
                    at: Place::file(path),
                    what: "a PLY file of triangle strips".into(),
                    remedy: "export it with faces".into(),
                });
            }
            _ => (0..element.rows()).try_for_each(|i| body.row(element, i, |_, _| ()))?,
        }
    }
    index(vertices.len(), path)?;
    let (triangles, mut warnings) = faces.triangulate(path, &vertices)?;
    warnings.extend(body.rest()?);
    Ok(Soup { vertices, triangles, error: 0.0, warnings })
}

fn read_vertices(element: &Element, body: &mut Body<'_>, vertices: &mut Vec<Vec3>) -> Result<()> {
    let axes = ["x", "y", "z"].map(|axis| element.properties.iter().position(|p| p.name == axis && p.list.is_none()));
    let [Some(x), Some(y), Some(z)] = axes else {
        return Err(bad_header(body.path, None, "element vertex lacks a property x, y or z"));
    };
    for i in 0..element.rows() {
        let mut v = [0.0; 3];
        body.row(element, i, |property, values| {
            if let Some(k) = [x, y, z].iter().position(|&p| p == property) {
                v[k] = values[0];
            }
        })?;
        if v.iter().any(|c| !c.is_finite()) {
            let text = format!("{} {} {}", v[0], v[1], v[2]);
            return Err(IoError::NonFinite { at: body.place(), what: format!("vertex {i}"), text });
        }
        vertices.push(Vec3::from(v));
    }
    Ok(())
}

fn read_faces(element: &Element, body: &mut Body<'_>, faces: &mut Faces, count: usize) -> Result<()> {
    let corners =
        element.properties.iter().position(|p| p.list.is_some() && matches!(&*p.name, "vertex_indices" | "vertex_index"));
    let Some(corners) = corners else {
        return Err(bad_header(body.path, None, "element face lacks a list property vertex_indices"));
    };
    for i in 0..element.rows() {
        let mut face = Vec::new();
        body.row(element, i, |property, values| {
            if property == corners {
                face.extend_from_slice(values);
            }
        })?;
        let at = || body.place();
        let indices: Result<Vec<u32>> = face
            .iter()
            .map(|&c| {
                let fits = c >= 0.0 && c < f64::from(u32::MAX) && c.fract() == 0.0;
                if fits {
                    Ok(c as u32)
                } else {
                    Err(IoError::BadIndex { at: at(), what: format!("face {i}"), index: c as i64, count })
                }
            })
            .collect();
        faces.push(indices?, body.text_line());
    }
    Ok(())
}

/// The body after the header, read value by value.
struct Body<'a> {
    bytes: &'a [u8],
    position: usize,
    /// In text, the line of the last value.
    line: usize,
    encoding: Encoding,
    path: &'a Path,
}

impl Body<'_> {
    /// Reads the properties of one row; calls `take` with the index and values of each.
    fn row(&mut self, element: &Element, row: u64, mut take: impl FnMut(usize, &[f64])) -> Result<()> {
        let mut list = Vec::new();
        for (i, property) in element.properties.iter().enumerate() {
            let Some(length_type) = property.list else {
                let value = self.value(property.scalar, element, row)?;
                take(i, &[value]);
                continue;
            };
            let length = self.value(length_type, element, row)?;
            if !(0.0..=MAX_CORNERS as f64).contains(&length) {
                let what = format!("{} {row}: a list of {length} entries", element.name);
                return Err(IoError::BadFace { at: self.place(), what });
            }
            list.clear();
            for _ in 0..length as usize {
                list.push(self.value(property.scalar, element, row)?);
            }
            take(i, &list);
        }
        Ok(())
    }

    fn value(&mut self, scalar: Scalar, element: &Element, row: u64) -> Result<f64> {
        if self.encoding == Encoding::Ascii {
            return self.word(element, row);
        }
        let size = scalar.size();
        let Some(found) = self.bytes.get(self.position..self.position + size) else { return Err(self.truncated(element, row)) };
        self.position += size;
        let mut b = [0; 8];
        b[..size].copy_from_slice(found);
        if self.encoding == Encoding::BigEndian {
            b[..size].reverse();
        }
        Ok(scalar.decode(b))
    }

    fn word(&mut self, element: &Element, row: u64) -> Result<f64> {
        self.skip_space();
        let rest = &self.bytes[self.position..];
        let length = rest.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.truncated(element, row));
        }
        self.position += length;
        let text = std::str::from_utf8(&rest[..length]).unwrap_or("\u{FFFD}");
        text.parse().map_err(|_| IoError::BadNumber {
            at: self.place(),
            what: format!("{} {row}", element.name),
            text: shorten(text),
        })
    }

    fn skip_space(&mut self) {
        while let Some(&b) = self.bytes.get(self.position).filter(|b| b.is_ascii_whitespace()) {
            self.line += usize::from(b == b'\n');
            self.position += 1;
        }
    }

    /// Reads the bytes after the announced elements.
    fn rest(&mut self) -> Result<Option<Warning>> {
        if self.encoding == Encoding::Ascii {
            self.skip_space();
        }
        match self.bytes.len() - self.position {
            0 => Ok(None),
            n if n < SMALLEST_FACE => {
                Ok(Some(Warning::new(self.place(), "trailing-bytes", format!("{n} bytes at the end were ignored"))))
            }
            n => Err(IoError::BadFormat {
                at: self.place(),
                what: format!("{n} bytes follow the announced elements"),
                remedy: "the counts in the header are wrong, export it again".into(),
            }),
        }
    }

    fn truncated(&self, element: &Element, row: u64) -> IoError {
        let what = format!("the file ends in {} {row} of {} announced", element.name, element.count);
        IoError::Truncated { at: self.place(), what }
    }

    fn place(&self) -> Place {
        Place { path: self.path.into(), line: (self.encoding == Encoding::Ascii).then_some(self.line) }
    }

    fn text_line(&self) -> usize {
        if self.encoding == Encoding::Ascii { self.line } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASCII: &str = "ply\nformat ascii 1.0\ncomment x\nelement vertex 4\nproperty float x\nproperty float y\nproperty double z\n\
                         property float nx\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
                         0 0 0 nan\n1 0 0 0\n1 1 0 0\n0 1 0 0\n4 0 1 2 3\n";

    fn read(bytes: &[u8]) -> Result<Soup> {
        parse(bytes, Path::new("f.ply"))
    }

    fn binary(big: bool) -> Vec<u8> {
        let name = if big { "big" } else { "little" };
        let mut bytes = format!(
            "ply\r\nformat binary_{name}_endian 1.0\r\nelement vertex 3\r\nproperty double x\r\nproperty double y\r\nproperty double z\r\n\
             element face 1\r\nproperty uchar flag\r\nproperty list uint8 int32 vertex_index\r\nend_header\r\n"
        )
        .into_bytes();
        for x in [0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1, 0.0f64] {
            bytes.extend(if big { x.to_be_bytes() } else { x.to_le_bytes() });
        }
        bytes.extend([7, 3]);
        for i in [0, 1, 2i32] {
            bytes.extend(if big { i.to_be_bytes() } else { i.to_le_bytes() });
        }
        bytes
    }

    #[test]
    fn text_and_both_byte_orders_are_read() {
        assert_eq!(read(ASCII.as_bytes()).expect("ASCII").triangles, [[0, 1, 2], [0, 2, 3]]);
        for big in [false, true] {
            let soup = read(&binary(big)).expect("binary");
            assert_eq!((soup.vertices[1].x, &soup.triangles[..]), (0.1, &[[0, 1, 2]][..]));
        }
    }

    #[test]
    fn lies_are_refused() {
        let bytes = binary(false);
        assert!(matches!(read(&bytes[..bytes.len() - 1]), Err(IoError::Truncated { .. })));
        assert!(matches!(read(&bytes[..40]), Err(IoError::Truncated { .. })));
        assert!(matches!(read(&[&bytes[..], &[0; 13]].concat()), Err(IoError::BadFormat { .. })));
        assert_eq!(read(&[&bytes[..], b"\n"].concat()).expect("a mesh").warnings[0].kind, "trailing-bytes");
        let replaced = |a: &str, b: &str| read(ASCII.replace(a, b).as_bytes());
        assert!(matches!(replaced("vertex 4", "vertex 4000000000000"), Err(IoError::Truncated { .. })));
        assert!(matches!(replaced("face 1", "empty 4000000000000\nelement face 2"), Err(IoError::Truncated { .. })));
        assert!(matches!(replaced("4 0 1 2 3", "4 0 1 2 9"), Err(IoError::BadIndex { .. })));
        assert!(matches!(replaced("4 0 1 2 3", "4 0 1 2 -1"), Err(IoError::BadIndex { .. })));
        assert!(matches!(replaced("1 1 0 0", "1 inf 0 0"), Err(IoError::NonFinite { .. })));
        assert!(matches!(replaced("1 1 0 0", "1 a 0 0"), Err(IoError::BadNumber { .. })));
        assert!(matches!(replaced("float x", "float w"), Err(IoError::BadFormat { .. })));
        assert!(matches!(replaced("float x", "real x"), Err(IoError::BadFormat { .. })));
        assert!(matches!(replaced("format ascii 1.0\n", ""), Err(IoError::BadFormat { .. })));
        assert!(matches!(replaced("4 0 1 2 3", "-4 0 1 2 3"), Err(IoError::BadFace { .. })));
        assert!(matches!(replaced("4 0 1 2 3", "4 0 1 2 3\n3 0 1 2"), Err(IoError::BadFormat { .. })));
        assert!(matches!(read(b"OFF\n"), Err(IoError::BadFormat { .. })));
    }
}
