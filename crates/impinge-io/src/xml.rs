//! Safe XML, on `roxmltree`: a flat scan first, then the tree, then attributes with their lines.
//!
//! White space before the XML declaration is invalid but common: it is ignored with a warning.
//! Refused: document type definitions (entity bombs, external files), nesting beyond [`MAX_DEPTH`], excessive numbers of
//! attributes, text that is not UTF-8, files beyond 512 MiB. The scan is a loop over the bytes, so no input can exhaust the
//! stack.

use std::borrow::Cow;
use std::path::Path;

use roxmltree::{Document, Node};

use crate::error::{IoError, Place, Result};
use crate::warning::Warning;
use crate::{number, read};

/// Maximum nesting depth of elements. Robot and mesh files need about ten; recursion over the tree is safe up to this depth.
pub const MAX_DEPTH: usize = 256;

/// Maximum number of quotation marks in one tag, two per attribute. Duplicate attributes are searched pairwise, so their number
/// must be small.
const MAX_QUOTES: usize = 4096;

/// A parsed document that knows the line of each node.
pub struct Xml<'input> {
    path: &'input Path,
    document: Document<'input>,
    /// `None` where the text was made by a program: its lines mean nothing to a user.
    lines: Option<Lines>,
    warnings: Vec<Warning>,
}

/// Positions of line ends.
struct Lines {
    /// Number of lines before the parsed text.
    before: usize,
    /// Byte positions in the parsed text.
    ends: Vec<usize>,
}

impl Lines {
    /// Returns the line of a byte, counted from 1.
    fn of(&self, position: usize) -> usize {
        1 + self.before + self.ends.partition_point(|&end| end < position)
    }
}

/// Reads the bytes of an XML file.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    read::bytes(path, read::MAX_TREE_FILE)
}

/// Parses the bytes of an XML file; `path` is named in messages.
///
/// # Errors
/// See the list in the module documentation.
pub fn parse<'input>(path: &'input Path, bytes: &'input [u8]) -> Result<Xml<'input>> {
    let begin = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    let utf16 = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
    match begin.iter().find(|b| !b.is_ascii_whitespace()) {
        Some(b'<') => {}
        _ if utf16 => {}
        Some(_) => return Err(IoError::Xml { at: Place::line(path, 1), what: "the file does not begin with '<'".into() }),
        None => return Err(IoError::Xml { at: Place::file(path), what: "the file is empty".into() }),
    }
    let text = read::text(path, bytes)?;
    let mut warnings = Vec::new();
    let (before, text) = without_leading_space(text);
    if before.is_some() {
        let message = "there is white space before the XML declaration; it was ignored";
        warnings.push(Warning::new(Place::line(path, 1), "space-before-declaration", message));
    }
    let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i).collect();
    let lines = Lines { before: before.unwrap_or(0), ends };
    scan(text).map_err(|(position, refused)| refused.into_error(Place::line(path, lines.of(position))))?;
    let document = Document::parse(text).map_err(|e| match e {
        roxmltree::Error::DtdDetected => IoError::XmlDtd { at: Place::file(path) },
        roxmltree::Error::UnclosedRootNode | roxmltree::Error::UnexpectedEndOfStream => {
            IoError::Xml { at: Place::line(path, lines.of(text.len())), what: e.to_string() }
        }
        _ => IoError::Xml { at: Place::line(path, lines.before + e.pos().row as usize), what: e.to_string() },
    })?;
    Ok(Xml { path, document, lines: Some(lines), warnings })
}

/// Returns the text from its XML declaration on, and the number of lines before it, if only white space precedes it; else the
/// whole text.
fn without_leading_space(text: &str) -> (Option<usize>, &str) {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_whitespace());
    if rest.len() == text.len() || !rest.starts_with("<?xml") {
        return (None, text);
    }
    let skipped = &text[..text.len() - rest.len()];
    (Some(skipped.bytes().filter(|&b| b == b'\n').count()), rest)
}

impl<'input> Xml<'input> {
    /// Returns the outermost element.
    pub fn root(&self) -> Node<'_, 'input> {
        self.document.root_element()
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &'input Path {
        self.path
    }

    /// Returns warnings about the document itself.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns the same document without line numbers.
    #[cfg(feature = "urdf-rs")]
    pub fn without_lines(self) -> Self {
        Xml { lines: None, ..self }
    }

    /// Returns the place of a byte.
    fn place_at(&self, position: usize) -> Place {
        Place { path: self.path.to_path_buf(), line: self.lines.as_ref().map(|lines| lines.of(position)) }
    }

    /// Returns the place of an element.
    pub fn place(&self, node: Node<'_, '_>) -> Place {
        self.place_at(node.range().start)
    }

    /// Returns the place of an attribute; of its element if there is no such attribute.
    pub fn attribute_place(&self, node: Node<'_, '_>, name: &str) -> Place {
        match node.attribute_node(name) {
            Some(attribute) => self.place_at(attribute.range().start),
            None => self.place(node),
        }
    }

    /// Returns a required attribute; `user` names its owner in messages.
    ///
    /// # Errors
    /// If it is missing.
    pub fn required<'a>(&self, node: Node<'a, '_>, name: &str, user: &str) -> Result<&'a str> {
        node.attribute(name).ok_or_else(|| IoError::MissingElement {
            at: self.place(node),
            user: user.into(),
            what: format!("attribute '{name}' of <{}>", node.tag_name().name()),
        })
    }

    /// Returns an attribute with exactly `N` finite numbers, if it exists.
    ///
    /// # Errors
    /// If it has another form.
    pub fn numbers<const N: usize>(&self, node: Node<'_, '_>, name: &str, user: &str) -> Result<Option<[f64; N]>> {
        let Some(text) = node.attribute(name) else { return Ok(None) };
        let what = || format!("{user}: attribute '{name}' of <{}>", node.tag_name().name());
        let mut numbers = [0.0; N];
        let mut found = 0;
        for word in text.split_ascii_whitespace() {
            let value = number::parse(word, || (self.attribute_place(node, name), what()))?;
            if let Some(slot) = numbers.get_mut(found) {
                *slot = value;
            }
            found += 1;
        }
        if found != N {
            return Err(IoError::BadElement {
                at: self.attribute_place(node, name),
                what: format!("{} holds {found} numbers", what()),
                remedy: format!("write {N}"),
            });
        }
        Ok(Some(numbers))
    }

    /// Returns an attribute with one finite number, if it exists.
    ///
    /// # Errors
    /// If it has another form.
    pub fn number(&self, node: Node<'_, '_>, name: &str, user: &str) -> Result<Option<f64>> {
        Ok(self.numbers::<1>(node, name, user)?.map(|[value]| value))
    }

    /// Returns a required attribute with one finite number.
    ///
    /// # Errors
    /// If it is missing or has another form.
    pub fn required_number(&self, node: Node<'_, '_>, name: &str, user: &str) -> Result<f64> {
        self.required(node, name, user)?;
        Ok(self.number(node, name, user)?.unwrap_or(0.0))
    }

    /// Returns the child element of this name, if there is one.
    ///
    /// # Errors
    /// If there are several: the choice would be a guess.
    pub fn only_child<'a, 'i>(&self, node: Node<'a, 'i>, tag: &'static str, user: &str) -> Result<Option<Node<'a, 'i>>> {
        let mut found = children(node, tag);
        let first = found.next();
        match found.next() {
            None => Ok(first),
            Some(second) => Err(IoError::BadElement {
                at: self.place(second),
                what: format!("{user}: a second <{tag}>"),
                remedy: "keep one".into(),
            }),
        }
    }
}

/// Returns the child elements of this name, in any namespace.
pub fn children<'a, 'i>(node: Node<'a, 'i>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |c| c.is_element() && c.tag_name().name() == tag)
}

/// Returns all text directly inside an element; comments do not end it.
pub fn text<'a>(node: Node<'a, '_>) -> Cow<'a, str> {
    let mut parts = node.children().filter(|c| c.is_text()).filter_map(|c| c.text());
    let first = parts.next().unwrap_or("");
    match parts.next() {
        None => Cow::Borrowed(first),
        Some(second) => Cow::Owned([first, second].into_iter().chain(parts).collect()),
    }
}

/// The reason why the scan stopped.
enum Refused {
    Dtd,
    Depth,
    Attributes,
}

impl Refused {
    fn into_error(self, at: Place) -> IoError {
        match self {
            Refused::Dtd => IoError::XmlDtd { at },
            Refused::Depth => IoError::TooDeep { at, what: "XML".into(), limit: MAX_DEPTH },
            Refused::Attributes => {
                IoError::TooLarge { at, what: "a tag has too many attributes".into(), limit: MAX_QUOTES as u64 / 2 }
            }
        }
    }
}

/// Scans the tags without building a tree. Malformed XML is left to the parser.
fn scan(text: &str) -> std::result::Result<(), (usize, Refused)> {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        let begin = at + found;
        let rest = &text[begin..];
        let skipped = if rest.starts_with("<!--") {
            after(rest, "-->")
        } else if rest.starts_with("<![CDATA[") {
            after(rest, "]]>")
        } else if rest.starts_with("<?") {
            after(rest, "?>")
        } else if rest.starts_with("<!") {
            return Err((begin, Refused::Dtd));
        } else if rest.starts_with("</") {
            depth = depth.saturating_sub(1);
            after(rest, ">")
        } else {
            let tag = Tag::scan(rest.as_bytes());
            if tag.quotes > MAX_QUOTES {
                return Err((begin, Refused::Attributes));
            }
            depth += usize::from(!tag.self_closing);
            if depth > MAX_DEPTH {
                return Err((begin, Refused::Depth));
            }
            tag.length
        };
        at = begin + skipped;
    }
    Ok(())
}

/// Returns the number of bytes of `rest` up to and including `end`; all of them if there is no `end`.
fn after(rest: &str, end: &str) -> usize {
    rest.find(end).map_or(rest.len(), |i| i + end.len())
}

/// An opening tag.
struct Tag {
    length: usize,
    quotes: usize,
    self_closing: bool,
}

impl Tag {
    fn scan(bytes: &[u8]) -> Tag {
        let mut open_quote = None;
        let mut quotes = 0;
        for (i, &b) in bytes.iter().enumerate() {
            match (open_quote, b) {
                (Some(quote), _) if b == quote => {
                    open_quote = None;
                    quotes += 1;
                }
                (Some(_), _) => {}
                (None, b'"' | b'\'') => {
                    open_quote = Some(b);
                    quotes += 1;
                }
                (None, b'>') => return Tag { length: i + 1, quotes, self_closing: i > 0 && bytes[i - 1] == b'/' },
                (None, _) => {}
            }
        }
        Tag { length: bytes.len(), quotes, self_closing: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &[u8]) -> IoError {
        parse(Path::new("f.xml"), text).err().expect("refused")
    }

    #[test]
    fn bombs_and_garbage_are_refused_by_class() {
        assert!(matches!(refusal(b""), IoError::Xml { .. }));
        assert!(matches!(refusal(b"\x00\x01"), IoError::Xml { .. }));
        assert!(matches!(refusal(b"<a>"), IoError::Xml { .. }));
        assert_eq!(refusal(b"<a>\n<b c='").place().line, Some(2));
        assert!(matches!(refusal(b"<a b=\"\xFF\"/>"), IoError::Encoding { .. }));
        assert!(matches!(refusal(b"\xFF\xFE<\0a\0"), IoError::Encoding { .. }));
        assert!(matches!(refusal(b"<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>"), IoError::XmlDtd { .. }));
        let deep = "<x>".repeat(100_000);
        assert!(matches!(refusal(deep.as_bytes()), IoError::TooDeep { .. }));
        let many: String = (0..5000).map(|i| format!(" a{i}=''")).collect();
        assert!(matches!(refusal(format!("<x{many}/>").as_bytes()), IoError::TooLarge { .. }));
    }

    #[test]
    fn space_before_the_declaration_is_reported_and_lines_are_correct() {
        for (space, line) in [("\n", 3), ("  \t\r\n\n", 4), (" ", 2)] {
            let text = format!("{space}<?xml version='1.0'?>\n<a><b/></a>");
            let xml = parse(Path::new("f.xml"), text.as_bytes()).expect("accepted");
            assert_eq!(
                xml.warnings().iter().map(|w| (w.kind, w.line)).collect::<Vec<_>>(),
                [("space-before-declaration", Some(1))]
            );
            assert_eq!(xml.place(xml.root()).line, Some(line), "{space:?}");
        }
        assert!(parse(Path::new("f.xml"), b"\n\n<a/>").expect("that is XML").warnings().is_empty());
        assert!(parse(Path::new("f.xml"), b"\xEF\xBB\xBF<?xml version='1.0'?><a/>").expect("a mark is").warnings().is_empty());
        assert_eq!(refusal(b"\n<?xml version='1.0'?>\n<a>\n<b c='").place().line, Some(4));
    }

    #[test]
    fn depth_counts_open_elements_only() {
        let flat = format!("<r>{}</r>", "<x a='>'><!-- <y> --><![CDATA[<z>]]></x><x/>".repeat(1000));
        assert!(parse(Path::new("f"), flat.as_bytes()).is_ok());
    }

    #[test]
    fn attributes_know_their_line_and_text_survives_comments() {
        let source = b"<r>\n <a\n  x='1 2 nan'\n  y='1 2'/>\n <p>1 <!-- c -->2</p></r>";
        let path = Path::new("f");
        let xml = parse(path, source).expect("well-formed");
        let a = xml.root().first_element_child().expect("there is one");
        let error = xml.numbers::<3>(a, "x", "user").expect_err("nan");
        assert!(error.to_string().starts_with("f:3: user: attribute 'x' of <a>: 'nan'"), "{error}");
        assert!(matches!(xml.numbers::<3>(a, "y", "user"), Err(IoError::BadElement { .. })));
        assert_eq!(xml.numbers::<2>(a, "y", "user").expect("two"), Some([1.0, 2.0]));
        assert!(matches!(xml.required(a, "z", "user"), Err(IoError::MissingElement { .. })));
        let p = xml.root().last_element_child().expect("there is one");
        assert_eq!(text(p), "1 2");
    }
}
