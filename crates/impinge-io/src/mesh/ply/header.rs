//! The header of a PLY file: its elements, properties and encoding.

use std::path::Path;

use crate::error::{IoError, Place, Result, shorten};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// A scalar type: its size, and the conversion of its bytes to a number.
#[derive(Clone, Copy)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Scalar::I8,
            "uchar" | "uint8" => Scalar::U8,
            "short" | "int16" => Scalar::I16,
            "ushort" | "uint16" => Scalar::U16,
            "int" | "int32" => Scalar::I32,
            "uint" | "uint32" => Scalar::U32,
            "float" | "float32" => Scalar::F32,
            "double" | "float64" => Scalar::F64,
            _ => return None,
        })
    }

    pub(super) fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }

    /// Returns the number in the first `size` bytes of `b`, least significant byte first. Every type fits an `f64` exactly.
    pub(super) fn decode(self, b: [u8; 8]) -> f64 {
        match self {
            Scalar::I8 => f64::from(b[0] as i8),
            Scalar::U8 => f64::from(b[0]),
            Scalar::I16 => f64::from(i16::from_le_bytes([b[0], b[1]])),
            Scalar::U16 => f64::from(u16::from_le_bytes([b[0], b[1]])),
            Scalar::I32 => f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Scalar::U32 => f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Scalar::F32 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Scalar::F64 => f64::from_le_bytes(b),
        }
    }
}

pub(super) struct Property {
    pub(super) name: String,
    pub(super) scalar: Scalar,
    /// The type of the leading length, for lists.
    pub(super) list: Option<Scalar>,
}

pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

impl Element {
    /// Returns the number of rows in the body: zero for rows without bytes, because an announced count alone must not cause work.
    pub(super) fn rows(&self) -> u64 {
        if self.properties.is_empty() { 0 } else { self.count }
    }
}

pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// The start of the body.
    pub(super) body: usize,
    pub(super) lines: usize,
}

impl Header {
    pub(super) fn read(bytes: &[u8], path: &Path) -> Result<Header> {
        let mut header = Header { encoding: Encoding::Ascii, elements: Vec::new(), body: 0, lines: 0 };
        let mut encoding = None;
        loop {
            let rest = &bytes[header.body..];
            let end = rest.iter().position(|&b| b == b'\n');
            let text = String::from_utf8_lossy(&rest[..end.unwrap_or(rest.len().min(200))]).trim().to_owned();
            header.lines += 1;
            if header.lines == 1 && text != "ply" {
                return Err(IoError::BadFormat {
                    at: Place::line(path, 1),
                    what: format!("the file begins with '{}', not with 'ply'", shorten(&text)),
                    remedy: "give the file the extension of its format".into(),
                });
            }
            let Some(end) = end else {
                return Err(IoError::Truncated { at: Place::line(path, header.lines), what: "the header does not end".into() });
            };
            header.body += end + 1;
            match text.split_ascii_whitespace().collect::<Vec<_>>()[..] {
                ["ply"] | [] | ["comment" | "obj_info", ..] => {}
                ["format", "ascii", _] => encoding = Some(Encoding::Ascii),
                ["format", "binary_little_endian", _] => encoding = Some(Encoding::LittleEndian),
                ["format", "binary_big_endian", _] => encoding = Some(Encoding::BigEndian),
                ["end_header"] => break,
                ref words => header.declare(words).ok_or_else(|| bad_header(path, Some(header.lines), &text))?,
            }
        }
        header.encoding = encoding.ok_or_else(|| bad_header(path, None, "the format is missing"))?;
        if let Some(twice) = ["vertex", "face"].iter().find(|n| header.elements.iter().filter(|e| e.name == **n).count() > 1) {
            return Err(bad_header(path, None, &format!("element {twice} is declared twice")));
        }
        Ok(header)
    }

    /// Reads an `element` or `property` line; `None` if it is neither.
    fn declare(&mut self, words: &[&str]) -> Option<()> {
        match *words {
            ["element", name, count] => {
                self.elements.push(Element { name: name.into(), count: count.parse().ok()?, properties: Vec::new() });
            }
            ["property", "list", length, scalar, name] => {
                let list = Some(Scalar::named(length)?);
                self.elements.last_mut()?.properties.push(Property { name: name.into(), scalar: Scalar::named(scalar)?, list });
            }
            ["property", scalar, name] => {
                self.elements.last_mut()?.properties.push(Property {
                    name: name.into(),
                    scalar: Scalar::named(scalar)?,
                    list: None,
                });
            }
            _ => return None,
        }
        Some(())
    }
}

pub(super) fn bad_header(path: &Path, line: Option<usize>, what: &str) -> IoError {
    IoError::BadFormat {
        at: Place { path: path.into(), line },
        what: format!("PLY header: {}", shorten(what)),
        remedy: "export the file again".into(),
    }
}
