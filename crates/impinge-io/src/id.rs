//! The id of a motion or a case: any JSON value, kept as written, so that the answer repeats it unchanged.
//!
//! `7` and `"7"`, `1` and `1.0` are different ids, and a number keeps all its digits. Only blanks between values are dropped.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// An id, shown as text without quotation marks, or as JSON.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id {
    json: String,
}

impl Id {
    /// Returns the id as JSON on one line.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// Returns the `id` of an object, given as text; `None` if it has none, or is not an object.
    pub(crate) fn of_object(text: &[u8]) -> Option<Id> {
        raw_field(text, "id").map(|raw| Id { json: compact(raw.get()) })
    }
}

/// Returns a value of an object by its key, as written; null counts as absent.
pub(crate) fn raw_field<'a>(text: &'a [u8], key: &str) -> Option<&'a RawValue> {
    let text = text.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(text);
    let mut fields: BTreeMap<String, &RawValue> = serde_json::from_slice(text).ok()?;
    fields.remove(key).filter(|raw| raw.get() != "null")
}

/// Returns JSON without blanks between its values.
fn compact(raw: &str) -> String {
    let (mut in_text, mut is_escaped) = (false, false);
    let kept = raw.chars().filter(|&c| {
        if in_text {
            in_text = is_escaped || c != '"';
            is_escaped = !is_escaped && c == '\\';
            return true;
        }
        in_text = c == '"';
        !matches!(c, ' ' | '\t' | '\n' | '\r')
    });
    kept.collect()
}

impl From<usize> for Id {
    fn from(number: usize) -> Self {
        Id { json: number.to_string() }
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Id { json: serde_json::Value::from(text).to_string() }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match serde_json::from_str::<String>(&self.json) {
            Ok(text) => f.write_str(&text),
            Err(_) => f.write_str(&self.json),
        }
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Compacting keeps one value one value.
        match serde_json::from_str::<&RawValue>(&self.json) {
            Ok(raw) => raw.serialize(serializer),
            Err(_) => serializer.serialize_str(&self.json),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_as_they_were_written() {
        for id in [
            "0.5",
            "1.0",
            "1e2",
            "true",
            "12345678901234567890123",
            "18446744073709551615",
            "-3",
            "-0",
            "\"7\"",
            "[1,{\"x\":2.50}]",
        ] {
            let found = Id::of_object(format!("{{\"q\": [0], \"id\": {id} }}").as_bytes()).expect("an id");
            assert_eq!((found.json(), serde_json::to_string(&found).expect("JSON").as_str()), (id, id));
        }
        let spaced = Id::of_object(b"\xEF\xBB\xBF{\"id\": [ 1,\n\t\"a \\\" b\\\\\" , 2 ]}").expect("an id");
        assert_eq!(spaced.json(), "[1,\"a \\\" b\\\\\",2]");
        assert_eq!((Id::of_object(b"{\"id\": null}"), Id::of_object(b"[1]"), Id::of_object(b"x")), (None, None, None));
    }

    #[test]
    fn text_is_shown_without_quotation_marks() {
        assert_eq!((Id::from("a\"b").to_string(), Id::from("a\"b").json()), ("a\"b".into(), "\"a\\\"b\""));
        assert_eq!(
            (Id::from(3).to_string(), Id::of_object(b"{\"id\": true}").map(|id| id.to_string())),
            ("3".into(), Some("true".into()))
        );
    }
}
