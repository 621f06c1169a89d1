//! A strict JSON reader: no duplicate keys, exact numbers, errors with the path to the value (`objects[3].shape.size`).
//!
//! Refused: duplicate keys (the first would be dropped silently), nesting beyond 128, files beyond 512 MiB. The strings `"NaN"`,
//! `"Infinity"`, `"-Infinity"` represent these values in case files; they are read as such and result in [`IoError::NonFinite`].

use std::fmt;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::error::{IoError, Place, Result, shorten};
use crate::quantity::{Dimension, Quantity};
use crate::read;

/// The reason why a value is not a finite number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumberFault {
    /// Another value; the text is its beginning.
    NotANumber(String),
    /// NaN or infinity.
    NonFinite(String),
}

/// Returns the finite number of a value.
///
/// # Errors
/// If the value is not a finite number; it never becomes zero.
pub fn number(value: &Value) -> std::result::Result<f64, NumberFault> {
    match value {
        Value::Number(n) => match n.as_f64() {
            Some(x) if x.is_finite() => Ok(x),
            _ => Err(NumberFault::NonFinite(n.to_string())),
        },
        Value::String(s) if matches!(s.as_str(), "NaN" | "Infinity" | "-Infinity") => Err(NumberFault::NonFinite(s.clone())),
        other => Err(NumberFault::NotANumber(shorten(&other.to_string()))),
    }
}

/// Parses JSON bytes; `at` is named in messages (its line, if any, is the first line of the text).
///
/// # Errors
/// See the list in the module documentation.
pub fn parse(bytes: &[u8], at: &Place) -> Result<Value> {
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    let refuse = |what: &str| Err(IoError::Json { at: at.clone(), what: what.into() });
    match bytes.trim_ascii_start() {
        [] => return refuse("the file is empty"),
        [b'<', ..] => return refuse("the text begins like XML, with '<'"),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
            return Err(IoError::Encoding { at: at.clone(), what: "the text is UTF-16".into() });
        }
        _ => {}
    }
    serde_json::from_slice::<Strict>(bytes).map(|strict| strict.0).map_err(|e| IoError::Json {
        at: Place { path: at.path.clone(), line: Some(at.line.unwrap_or(1) + e.line().saturating_sub(1)) },
        what: e.to_string(),
    })
}

/// Loads a JSON file.
///
/// # Errors
/// See the list in the module documentation.
pub fn load(path: &Path) -> Result<Value> {
    parse(&read::bytes(path, read::MAX_TREE_FILE)?, &Place::file(path))
}

/// Maximum number of entries of a list that are visited individually: the path to an entry takes about 100 bytes, its text
/// possibly two.
const MAX_ENTRIES: usize = 1 << 22;

/// A value with the path to it.
#[derive(Clone)]
pub(crate) struct Item<'a> {
    value: &'a Value,
    at: &'a Place,
    trail: String,
}

impl<'a> Item<'a> {
    /// Returns the outermost value.
    pub(crate) fn root(value: &'a Value, at: &'a Place) -> Self {
        Item { value, at, trail: String::new() }
    }

    pub(crate) fn value(&self) -> &'a Value {
        self.value
    }

    pub(crate) fn place(&self) -> Place {
        self.at.clone()
    }

    /// Returns the path to the value, as a user would write it.
    pub(crate) fn trail(&self) -> &str {
        if self.trail.is_empty() { "the outermost value" } else { &self.trail }
    }

    /// Returns the value of a key of an object; absent and null are equivalent.
    pub(crate) fn get(&self, key: &str) -> Option<Item<'a>> {
        let value = self.value.as_object()?.get(key).filter(|v| !v.is_null())?;
        Some(self.below(value, key))
    }

    /// Returns the value of a required key.
    pub(crate) fn need(&self, key: &str) -> Result<Item<'a>> {
        self.object()?;
        self.get(key).ok_or_else(|| IoError::MissingElement {
            at: self.place(),
            user: self.trail().into(),
            what: format!("key '{key}'"),
        })
    }

    /// Returns all keys and values of an object.
    pub(crate) fn fields(&self) -> Result<Vec<(&'a str, Item<'a>)>> {
        Ok(self.object()?.iter().map(|(key, value)| (key.as_str(), self.below(value, key))).collect())
    }

    /// Refuses other keys than these.
    pub(crate) fn only(&self, keys: &[&str]) -> Result<()> {
        match self.object()?.keys().find(|k| !keys.contains(&k.as_str())) {
            None => Ok(()),
            Some(key) => {
                Err(self.bad(format!("has the unknown key '{}'", shorten(key)), format!("known keys: {}", keys.join(", "))))
            }
        }
    }

    pub(crate) fn array(&self) -> Result<&'a [Value]> {
        self.value.as_array().map(Vec::as_slice).ok_or_else(|| self.bad("is not a list", "write [ … ]"))
    }

    /// Returns the entries of a list of at most [`MAX_ENTRIES`].
    pub(crate) fn items(&self) -> Result<Vec<Item<'a>>> {
        if self.array()?.len() > MAX_ENTRIES {
            let what = format!("{}: a list has too many entries", self.trail());
            return Err(IoError::TooLarge { at: self.place(), what, limit: MAX_ENTRIES as u64 });
        }
        Ok(self.array()?.iter().enumerate().map(|(i, value)| self.entry(value, i)).collect())
    }

    /// Returns entry `i` of this list, whose value is known.
    pub(crate) fn entry(&self, value: &'a Value, i: usize) -> Item<'a> {
        Item { value, at: self.at, trail: format!("{}[{i}]", self.trail) }
    }

    pub(crate) fn text(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.bad("is not a string", "write it in quotation marks"))
    }

    pub(crate) fn number(&self) -> Result<f64> {
        number(self.value).map_err(|fault| match fault {
            NumberFault::NonFinite(text) => IoError::NonFinite { at: self.place(), what: self.trail().into(), text },
            NumberFault::NotANumber(text) => IoError::BadNumber { at: self.place(), what: self.trail().into(), text },
        })
    }

    /// Returns a number of metres or radians, or of a string with a unit: `"5mm"`, `"90deg"`.
    pub(crate) fn quantity(&self, wanted: Dimension) -> Result<f64> {
        match self.value {
            Value::String(text) if !matches!(text.as_str(), "NaN" | "Infinity" | "-Infinity") => {
                let read = Quantity::parse(text).and_then(|q| q.as_a(wanted));
                read.map_err(|why| self.bad(format!("is \"{}\": {why}", shorten(text)), "write a plain number, or another unit"))
            }
            _ => self.number(),
        }
    }

    /// Returns exactly `N` quantities.
    pub(crate) fn quantities<const N: usize>(&self, wanted: Dimension) -> Result<[f64; N]> {
        let list = self.items()?.iter().map(|item| item.quantity(wanted)).collect::<Result<Vec<_>>>()?;
        let found = list.len();
        list.try_into().map_err(|_| self.bad(format!("has {found} numbers"), format!("write {N}")))
    }

    /// Returns all numbers of a list.
    pub(crate) fn list(&self) -> Result<Vec<f64>> {
        self.array()?.iter().enumerate().map(|(i, v)| number(v).or_else(|_| self.entry(v, i).number())).collect()
    }

    /// Returns exactly `N` numbers.
    pub(crate) fn numbers<const N: usize>(&self) -> Result<[f64; N]> {
        let list = self.list()?;
        let found = list.len();
        list.try_into().map_err(|_| self.bad(format!("has {found} numbers"), format!("write {N}")))
    }

    /// Returns an error about this value.
    pub(crate) fn bad(&self, what: impl fmt::Display, remedy: impl Into<String>) -> IoError {
        IoError::BadElement { at: self.place(), what: format!("{} {what}", self.trail()), remedy: remedy.into() }
    }

    /// Returns an error of the library about this value.
    pub(crate) fn model(&self, source: impinge::Error) -> IoError {
        IoError::model(self.place(), self.trail(), source)
    }

    fn object(&self) -> Result<&'a Map<String, Value>> {
        self.value.as_object().ok_or_else(|| self.bad("is not an object", "write { … }"))
    }

    fn below(&self, value: &'a Value, key: &str) -> Item<'a> {
        let trail = if self.trail.is_empty() { shorten(key) } else { format!("{}.{}", self.trail, shorten(key)) };
        Item { value, at: self.at, trail }
    }
}

/// A [`Value`] whose objects have unique keys.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Strict;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> std::result::Result<Strict, E> {
        Ok(Strict(Value::Null))
    }

    fn visit_bool<E>(self, b: bool) -> std::result::Result<Strict, E> {
        Ok(Strict(b.into()))
    }

    fn visit_i64<E>(self, n: i64) -> std::result::Result<Strict, E> {
        Ok(Strict(n.into()))
    }

    fn visit_u64<E>(self, n: u64) -> std::result::Result<Strict, E> {
        Ok(Strict(n.into()))
    }

    fn visit_f64<E>(self, x: f64) -> std::result::Result<Strict, E> {
        Ok(Strict(x.into()))
    }

    fn visit_str<E>(self, s: &str) -> std::result::Result<Strict, E> {
        Ok(Strict(s.into()))
    }

    fn visit_string<E>(self, s: String) -> std::result::Result<Strict, E> {
        Ok(Strict(s.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> std::result::Result<Strict, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(value)) = entries.next_element()? {
            list.push(value);
        }
        Ok(Strict(Value::Array(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> std::result::Result<Strict, A::Error> {
        let mut map = Map::new();
        while let Some((key, Strict(value))) = entries.next_entry::<String, Strict>()? {
            if map.contains_key(&key) {
                return Err(serde::de::Error::custom(format!("the key '{}' is given twice", shorten(&key))));
            }
            map.insert(key, value);
        }
        Ok(Strict(Value::Object(map)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Value> {
        parse(text.as_bytes(), &Place::file("f.json"))
    }

    #[test]
    fn numbers_are_exact_and_never_guessed() {
        let value = read("[0.1, 3, -2.5e-3, 9007199254740993]").expect("JSON");
        let at = Place::file("f.json");
        assert_eq!(Item::root(&value, &at).list().expect("numbers"), [0.1, 3.0, -2.5e-3, 9007199254740992.0]);
        for text in ["NaN", "Infinity", "-Infinity"] {
            assert_eq!(number(&Value::from(text)), Err(NumberFault::NonFinite(text.into())));
        }
        for value in [Value::Null, Value::from("1"), Value::from(true), read("[]").expect("JSON")] {
            assert!(matches!(number(&value), Err(NumberFault::NotANumber(_))));
        }
        assert!(matches!(read("1e999"), Err(IoError::Json { .. })));
        assert!(matches!(read("NaN"), Err(IoError::Json { .. })));
    }

    #[test]
    fn complaints_name_the_way() {
        let value = read(r#"{"a": {"b": [1, "NaN", 3]}, "c": 1}"#).expect("JSON");
        let at = Place::file("f.json");
        let root = Item::root(&value, &at);
        let error = root.need("a").and_then(|a| a.need("b")).and_then(|b| b.numbers::<3>()).expect_err("NaN");
        assert_eq!(error.to_string(), "f.json: a.b[1]: 'NaN' is not finite; all numbers must be finite");
        let error = root.only(&["a", "d"]).expect_err("unknown key");
        assert_eq!(error.to_string(), "f.json: the outermost value has the unknown key 'c'; known keys: a, d");
        assert!(matches!(root.need("x"), Err(IoError::MissingElement { .. })));
        assert!(root.get("a").expect("there").text().is_err());
    }

    /// 250 million entries, a file of 500 MB, would have taken 50 GB.
    #[test]
    fn lists_of_entries_are_bounded() {
        let at = Place::file("f.json");
        let error =
            |count: usize| Item::root(&Value::Array(vec![Value::Null; count]), &at).items().map(|_| ()).map_err(|e| e.class());
        assert_eq!((error(3), error(MAX_ENTRIES + 1)), (Ok(()), Err("TooLarge")));
    }

    #[test]
    fn duplicate_keys_depth_and_garbage_are_refused() {
        let error = read("{\"objects\": [1],\n \"objects\": []}").expect_err("twice");
        assert!(error.to_string().starts_with("f.json:2: not well-formed JSON: the key 'objects' is given twice"), "{error}");
        assert!(read(&"[".repeat(10_000)).is_err());
        assert!(read("{\"a\": 1} x").is_err());
        assert!(read("").is_err());
    }
}
