//! Escapes names and messages from files for output: none of their characters moves the cursor, ends a line or changes the
//! direction of text.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// Returns text for a terminal, on one line: control characters are escaped as in JSON, `\u001b`.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(controls) {
        return text.into();
    }
    let mut out = String::new();
    text.chars().for_each(|c| escape(&mut out, c));
    out.into()
}

/// Returns a value as one line of JSON with its line end. JSON itself does not escape DEL and the C1 control characters.
///
/// # Errors
/// If serialization fails.
pub fn json(value: &impl Serialize) -> io::Result<String> {
    let mut line = Vec::new();
    write_json(&mut line, value)?;
    Ok(String::from_utf8_lossy(&line).into_owned())
}

/// Writes the same to a stream.
///
/// # Errors
/// If writing fails.
pub fn write_json(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Plain))?;
    out.write_all(b"\n")
}

/// A JSON formatter with text escaped as in [`shown`].
struct Plain;

impl Formatter for Plain {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        out.write_all(shown(fragment).as_bytes())
    }

    fn write_raw_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        out.write_all(shown(fragment).as_bytes())
    }
}

/// Tests for control characters, line separators, and characters that embed or override a direction of writing.
fn controls(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if controls(c) => {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        }
        c => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert!(matches!(shown("an ärm, \"left\""), Cow::Borrowed(_)));
        assert_eq!(shown("a\u{1b}[2J\nb\u{9b}31m\u{202e}\u{7f}"), "a\\u001b[2J\\nb\\u009b31m\\u202e\\u007f");
        let name = "a\"b,c\n\u{1b}\u{9b}\u{202e}é";
        let line = json(&[name]).expect("a line");
        assert!(line.trim_end().chars().all(|c| !controls(c)) && line.ends_with("]\n"), "{line}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&line).expect("JSON"), [name]);
    }
}
