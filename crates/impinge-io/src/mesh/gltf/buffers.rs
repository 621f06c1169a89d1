//! Buffers of a glTF file: its own binary chunk, base64 in the JSON, files in its folder.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use super::{entry, unsupported, whole};
use crate::error::{IoError, Place, Result, shorten};
use crate::json::Item;
use crate::read;
use crate::resolve::{Outside, Resolver};

/// Buffers, each fetched when it is first needed.
pub(super) struct Buffers<'a> {
    root: Item<'a>,
    binary: Option<&'a [u8]>,
    path: &'a Path,
    /// Only used for lookup: its order has no effect.
    fetched: RefCell<HashMap<usize, Rc<Cow<'a, [u8]>>>>,
    /// Number of bytes of the JSON and of all fetched buffers.
    size: RefCell<u64>,
}

/// Bytes of a buffer view, and the stride of its elements if it defines one.
pub(super) struct View<'a> {
    buffer: Rc<Cow<'a, [u8]>>,
    from: usize,
    length: usize,
    pub stride: Option<usize>,
}

impl View<'_> {
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.from..self.from + self.length]
    }
}

impl<'a> Buffers<'a> {
    pub fn new(root: &Item<'a>, binary: Option<&'a [u8]>, text: usize, path: &'a Path) -> Self {
        Buffers { root: root.clone(), binary, path, fetched: RefCell::default(), size: RefCell::new(text as u64) }
    }

    /// Returns the number of existing bytes, which bounds the length of valid lists.
    pub fn size(&self) -> u64 {
        *self.size.borrow()
    }

    /// Returns the view that an accessor names.
    pub fn view(&self, index: usize, user: &Item<'_>) -> Result<View<'a>> {
        let view = entry(&self.root, "bufferViews", index, user)?;
        let number = |key: &str| view.need(key).and_then(|_| whole(&view, key)).map(Option::unwrap_or_default);
        let (buffer, length) = (number("buffer")?, number("byteLength")?);
        let from = whole(&view, "byteOffset")?.unwrap_or(0);
        let bytes = self.buffer(buffer, &view)?;
        if from.checked_add(length).is_none_or(|end| end > bytes.len()) {
            let what = format!("{}: the view needs {length} bytes from {from}, but the buffer has {}", view.trail(), bytes.len());
            return Err(IoError::Truncated { at: self.root.place(), what });
        }
        Ok(View { buffer: bytes, from, length, stride: whole(&view, "byteStride")? })
    }

    fn buffer(&self, index: usize, user: &Item<'_>) -> Result<Rc<Cow<'a, [u8]>>> {
        if let Some(known) = self.fetched.borrow().get(&index) {
            return Ok(Rc::clone(known));
        }
        let buffer = entry(&self.root, "buffers", index, user)?;
        let mut bytes = match (buffer.get("uri"), self.binary) {
            (Some(uri), _) => Cow::Owned(self.fetch(&uri)?),
            (None, Some(binary)) if index == 0 => Cow::Borrowed(binary),
            (None, _) => {
                let (user, what) = (buffer.trail().to_owned(), "its data (no uri, and no binary chunk)".into());
                return Err(IoError::MissingElement { at: self.root.place(), user, what });
            }
        };
        let length = buffer.need("byteLength").and_then(|_| whole(&buffer, "byteLength"))?.unwrap_or(0);
        if length > bytes.len() {
            let what = format!("{}: {length} bytes are announced, but the buffer has {}", buffer.trail(), bytes.len());
            return Err(IoError::Truncated { at: self.root.place(), what });
        }
        match &mut bytes {
            Cow::Owned(bytes) => bytes.truncate(length),
            Cow::Borrowed(bytes) => *bytes = &bytes[..length],
        }
        *self.size.borrow_mut() += length as u64;
        let bytes = Rc::new(bytes);
        self.fetched.borrow_mut().insert(index, Rc::clone(&bytes));
        Ok(bytes)
    }

    /// Returns the bytes of a `uri`.
    fn fetch(&self, uri: &Item<'_>) -> Result<Vec<u8>> {
        let text = uri.text()?;
        if let Some(data) = text.strip_prefix("data:") {
            let encoded = data.split_once(',').filter(|(kind, _)| kind.ends_with(";base64"));
            let bytes = encoded.and_then(|(_, data)| decode_base64(data));
            return bytes.ok_or_else(|| uri.bad("is not base64 data", "export the file again"));
        }
        if text.contains("://") {
            return Err(unsupported(
                &self.root.place(),
                format!("the buffer '{}'", shorten(text)),
                "put it into the file's folder",
            ));
        }
        let at = self.root.place();
        let resolver = Resolver::new(self.path, &[], Outside::Refuse).map_err(|e| e.located(at.clone()))?;
        // No option allows buffers in other folders.
        let file = resolver.resolve(text, uri.trail(), &at).map_err(|e| match e {
            IoError::PathEscape { .. } => uri.bad("is outside the file's folder", "put the buffer into that folder"),
            other => other,
        })?;
        let left = read::MAX_FILE.saturating_sub(self.size());
        read::bytes(&file, left).map_err(|e| match e {
            IoError::TooLarge { .. } => IoError::TooLarge {
                at: Place::file(&file),
                what: "the buffers have too many bytes".into(),
                limit: read::MAX_FILE,
            },
            other => other,
        })
    }
}

/// Decodes base64 with the standard alphabet; returns `None` if the text is not base64.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut out = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits = 0u32;
        for &c in group {
            bits = bits << 6 | u32::from(digit(c)?);
        }
        bits <<= 6 * (4 - group.len());
        let bytes = bits.to_be_bytes();
        out.extend_from_slice(bytes.get(1..group.len())?);
    }
    (digits.len() % 4 != 1).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_or_refused() {
        for (text, wanted) in
            [("", &b""[..]), ("TQ==", b"M"), ("TWE=", b"Ma"), ("TWFu", b"Man"), ("TWFuTQ", b"ManM"), ("+/8=", b"\xFB\xFF")]
        {
            assert_eq!(decode_base64(text).as_deref(), Some(wanted), "{text}");
        }
        for text in ["T", "TW!u", "TWFuT", "T W="] {
            assert_eq!(decode_base64(text), None, "{text}");
        }
    }
}
