//! Files of vertex/face and edge/edge queries, with known answers.
//!
//! ```text
//! NAME.csv       8 rows per query, vertices at t = 0 then at t = 1: `v f0 f1 f2` or `a0 a1 b0 b1`; columns: numerator and denominator of
//!                x, y and z, then, in an optional seventh, whether they touch (0 or 1). No header. The end of the file's
//!                name, `…vf.csv` or `…ee.csv`, or its folder, `vertex-face` or `edge-edge`, defines the kind.
//! NAME.gt.csv    optional, in the same folder: a header with `query`, `expected` and, if known, `toi`, the time of the first contact
//! NAME.json      {"queries": [{"kind": "vf" or "ee", "vertices_t0": [4 points], "vertices_t1", "hit", "toc_lo", "toc_hi"}]}
//! ```
//!
//! Fractions must be exactly doubles: a rounded query would be a different one. Decimals of JSON are read as the nearest double;
//! other keys there are notes and not read.

use std::fs;
use std::path::{Path, PathBuf};

use impinge::Vec3;
use impinge::features::{FeaturePair, Kind};
use impinge::math::Interval;

use crate::error::{IoError, Place, Result, shorten};
use crate::json::{self, Item};
use crate::{number, read};

/// A query and its known answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// The query.
    pub pair: FeaturePair,
    /// Whether there is a contact, if known.
    pub contact: Option<bool>,
    /// Lower and upper bound of the time of the first contact, if known.
    pub first: Option<(f64, f64)>,
}

/// Returns the files of queries at a path: the file itself, or all in the folder and below, sorted.
///
/// In folders, files that are not queries are ignored: tables of unknown kind and JSON without `queries`.
///
/// # Errors
/// If a folder cannot be read, or JSON in it is not well-formed.
pub fn find_queries(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let fail = |source| IoError::Read { at: Place::file(path), source };
    let mut entries = fs::read_dir(path).map_err(fail)?.collect::<std::io::Result<Vec<_>>>().map_err(fail)?;
    entries.sort_by_key(fs::DirEntry::path);
    let mut found = Vec::new();
    for entry in entries {
        let file = entry.path();
        // Links to folders are not followed: they may be cyclic.
        if entry.file_type().map_err(fail)?.is_dir() {
            found.extend(find_queries(&file)?);
        } else if holds_queries(&file)? {
            found.push(file);
        }
    }
    Ok(found)
}

fn holds_queries(file: &Path) -> Result<bool> {
    match file.extension().and_then(|e| e.to_str()) {
        Some("csv") => Ok(!file.to_string_lossy().ends_with(".gt.csv") && kind_of(file).is_some()),
        Some("json") => Ok(json::load(file)?.get("queries").is_some()),
        _ => Ok(false),
    }
}

/// Loads a file of queries.
///
/// # Errors
/// If the file, or its file of answers, cannot be read or has no form of the module documentation.
pub fn load_queries(path: impl AsRef<Path>) -> Result<Vec<Query>> {
    let path = path.as_ref();
    if path.extension().is_some_and(|e| e == "json") {
        return from_json(&json::load(path)?, &Place::file(path));
    }
    let mut queries = from_table(read::text(path, &read::bytes(path, read::MAX_FILE)?)?, path)?;
    let truth = path.with_extension("gt.csv");
    if truth.is_file() {
        add_truth(&mut queries, read::text(&truth, &read::bytes(&truth, read::MAX_FILE)?)?, &truth)?;
    }
    Ok(queries)
}

fn kind_of(path: &Path) -> Option<Kind> {
    let stem = path.file_stem()?.to_str()?;
    let folder = path.parent().and_then(Path::file_name).and_then(|f| f.to_str()).unwrap_or("");
    match (stem, folder) {
        (s, _) if s.ends_with("vf") => Some(Kind::VertexFace),
        (s, _) if s.ends_with("ee") => Some(Kind::EdgeEdge),
        (_, "vertex-face") => Some(Kind::VertexFace),
        (_, "edge-edge") => Some(Kind::EdgeEdge),
        _ => None,
    }
}

/// Rows per query in a table.
const ROWS: usize = 8;

/// Parses a table of queries; `path` defines their kind.
///
/// # Errors
/// See [`load_queries`].
pub fn from_table(text: &str, path: &Path) -> Result<Vec<Query>> {
    let kind = kind_of(path).ok_or_else(|| IoError::BadFormat {
        at: Place::file(path),
        what: "the kind of the queries is unknown".into(),
        remedy: "use a name that ends in vf.csv or ee.csv, or a folder vertex-face or edge-edge".into(),
    })?;
    let rows = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let rows = rows.map(|(i, line)| Row::parse(line, Place::line(path, i + 1))).collect::<Result<Vec<_>>>()?;
    let whole = rows.chunks_exact(ROWS);
    if let Some(last) = whole.remainder().last() {
        let what = format!("the last query has {} of {ROWS} rows", whole.remainder().len());
        return Err(IoError::Truncated { at: last.at.clone(), what });
    }
    whole.map(|rows| query(kind, rows)).collect()
}

/// One vertex at one time.
struct Row {
    at: Place,
    point: Vec3,
    contact: Option<bool>,
}

impl Row {
    fn parse(line: &str, at: Place) -> Result<Row> {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let contact = match cells[..] {
            [_, _, _, _, _, _] => None,
            [_, _, _, _, _, _, answer] => Some(flag(answer, &at)?),
            _ => {
                let what = format!("the row has {} columns", cells.len());
                return Err(IoError::BadElement { at, what, remedy: "write 6, or 7 with the expected answer".into() });
            }
        };
        let coordinate = |k: usize| quotient(cells[2 * k], cells[2 * k + 1], &at);
        Ok(Row { point: Vec3::new(coordinate(0)?, coordinate(1)?, coordinate(2)?), contact, at })
    }
}

fn flag(text: &str, at: &Place) -> Result<bool> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(IoError::BadNumber { at: at.clone(), what: "the expected answer, 0 or 1,".into(), text: shorten(text) }),
    }
}

/// Returns `n / d`, if that is exactly a double.
fn quotient(n: &str, d: &str, at: &Place) -> Result<f64> {
    let value = Interval::point(integer(n, at)?) / Interval::point(integer(d, at)?);
    if value.is_point() {
        return Ok(value.lo());
    }
    Err(inexact(&format!("{n} / {d}"), at))
}

/// Returns a whole number that is exactly a double.
fn integer(text: &str, at: &Place) -> Result<f64> {
    /// Numbers with at most this many digits always fit into 53 bits.
    const ALWAYS_EXACT: usize = 15;
    let x = number::parse(text, || (at.clone(), "a numerator or denominator".into()))?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(IoError::BadNumber { at: at.clone(), what: "a numerator or denominator".into(), text: shorten(text) });
    }
    // Whole numbers are printed with all their digits.
    if digits.len() <= ALWAYS_EXACT || format!("{:.0}", x.abs()) == digits { Ok(x) } else { Err(inexact(text, at)) }
}

fn inexact(text: &str, at: &Place) -> IoError {
    let what = format!("{} is not exactly a double", shorten(text));
    IoError::BadElement {
        at: at.clone(),
        what,
        remedy: "round the coordinates when exporting, and compute the answer for them".into(),
    }
}

fn query(kind: Kind, rows: &[Row]) -> Result<Query> {
    if let Some(odd) = rows.iter().find(|r| r.contact != rows[0].contact) {
        let what = "the expected answer differs from that of the query's first row".into();
        return Err(IoError::BadElement { at: odd.at.clone(), what, remedy: "write the same answer in all eight rows".into() });
    }
    let points = |first: usize| std::array::from_fn(|i| rows[first + i].point);
    Ok(Query { pair: FeaturePair { kind, start: points(0), end: points(4) }, contact: rows[0].contact, first: None })
}

/// Adds the answers of a `.gt.csv`.
fn add_truth(queries: &mut [Query], text: &str, path: &Path) -> Result<()> {
    let header: Vec<&str> = text.lines().next().unwrap_or("").split(',').map(str::trim).collect();
    let column = |name: &str| header.iter().position(|h| *h == name);
    let need = |name: &str| {
        let missing = || (Place::line(path, 1), "the header".to_owned(), format!("column '{name}'"));
        column(name).ok_or_else(missing).map_err(|(at, user, what)| IoError::MissingElement { at, user, what })
    };
    let (query, expected, first) = (need("query")?, need("expected")?, column("toi"));
    for (i, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let (at, cells) = (Place::line(path, i + 1), line.split(',').map(str::trim).collect::<Vec<_>>());
        let cell = |k: usize| cells.get(k).copied().unwrap_or("");
        let index = number::parse_integer(cell(query), || (at.clone(), "query".into()))?;
        let count = queries.len();
        let known = usize::try_from(index).ok().and_then(|k| queries.get_mut(k));
        let known = known.ok_or_else(|| IoError::BadIndex { at: at.clone(), what: "query".into(), index, count })?;
        known.contact = Some(flag(cell(expected), &at)?);
        if let Some(text) = first.map(cell).filter(|text| !text.is_empty()) {
            // The text has more digits than a double: the error of the nearest double is less than one step.
            let t = number::parse(text, || (at.clone(), "toi".into()))?;
            known.first = Some((t.next_down(), t.next_up()));
        }
    }
    Ok(())
}

/// Parses `{"queries": […]}`.
///
/// # Errors
/// See [`load_queries`].
pub fn from_json(value: &serde_json::Value, at: &Place) -> Result<Vec<Query>> {
    let root = Item::root(value, at);
    root.only(&["format", "version", "comment", "order", "semantics", "queries"])?;
    root.need("queries")?.items()?.iter().map(json_query).collect()
}

/// Keys of a query; those after `toc_hi` are notes.
const KEYS: [&str; 12] =
    ["kind", "hit", "vertices_t0", "vertices_t1", "toc_lo", "toc_hi", "toc_exact", "id", "tag", "split", "title", "comment"];

fn json_query(item: &Item<'_>) -> Result<Query> {
    item.only(&KEYS)?;
    let kind = item.need("kind")?;
    let kind = match kind.text()? {
        "vf" => Kind::VertexFace,
        "ee" => Kind::EdgeEdge,
        _ => return Err(kind.bad("is not a kind of query", "write \"vf\" or \"ee\"")),
    };
    let contact = item
        .get("hit")
        .map(|hit| hit.value().as_bool().ok_or_else(|| hit.bad("is neither true nor false", "write true or false")));
    let contact = contact.transpose()?;
    let time = |key| item.get(key).map(|t| t.number()).transpose();
    Ok(Query {
        pair: FeaturePair { kind, start: points(&item.need("vertices_t0")?)?, end: points(&item.need("vertices_t1")?)? },
        contact,
        first: first(item, time("toc_lo")?, time("toc_hi")?, contact)?,
    })
}

/// Returns the bracket of the first contact, if given: complete, and of a query with a contact.
fn first(item: &Item<'_>, lo: Option<f64>, hi: Option<f64>, contact: Option<bool>) -> Result<Option<(f64, f64)>> {
    match (lo, hi) {
        (None, None) => Ok(None),
        (Some(lo), Some(hi)) if lo <= hi && contact != Some(false) => Ok(Some((lo, hi))),
        (Some(_), Some(_)) if contact == Some(false) => Err(item.bad("has toc_lo and toc_hi, but hit is false", "remove them")),
        (Some(lo), Some(hi)) => Err(item.bad(format!("has toc_lo {lo} above toc_hi {hi}"), "exchange them")),
        _ => Err(item.bad("has only one of toc_lo and toc_hi", "give both or none")),
    }
}

fn points(item: &Item<'_>) -> Result<[Vec3; 4]> {
    let list = item.items()?.iter().map(|p| p.numbers::<3>().map(Vec3::from)).collect::<Result<Vec<_>>>()?;
    let found = list.len();
    list.try_into().map_err(|_| item.bad(format!("has {found} points"), "write 4"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vertex that falls from z = 1 to z = -1 through a triangle at z = 0, with `answer` as the last column.
    fn fall(answer: &str) -> String {
        let face = ["-1,1,-1,1,0,1", "1,1,-1,1,0,1", "0,1,1,1,0,1"];
        let rows = ["0,1,0,1,1,1"].into_iter().chain(face).chain(["0,1,0,1,-1,1"]).chain(face);
        rows.map(|row| format!("{row}{answer}\n")).collect()
    }

    fn table(text: &str) -> Result<Vec<Query>> {
        from_table(text, Path::new("f/vertex-face/a.csv"))
    }

    #[test]
    fn tables_come_with_and_without_answers() {
        let queries = table(&(fall(",1") + "\n" + &fall(",0"))).expect("two queries");
        assert_eq!((queries[0].contact, queries[1].contact), (Some(true), Some(false)));
        assert_eq!(queries[0].pair.kind, Kind::VertexFace);
        assert_eq!((queries[0].pair.start[0].z, queries[0].pair.end[0].z), (1.0, -1.0));
        assert_eq!(table(&fall("")).expect("a query")[0].contact, None);
        assert_eq!(from_table(&fall(""), Path::new("227ee.csv")).expect("a query")[0].pair.kind, Kind::EdgeEdge);
        assert_eq!(table("").expect("nothing"), []);
    }

    #[test]
    fn fractions_are_exact_or_refused() {
        let with = |n: &str, d: &str| table(&fall("").replacen("0,1,0,1,1,1", &format!("{n},{d},0,1,1,1"), 1));
        let x = |n: &str, d: &str| with(n, d).expect("exact")[0].pair.start[0].x;
        assert_eq!(x("8388609", "8388608"), 1.0 + 1.0 / 8388608.0);
        assert_eq!(x("-3", "6"), -0.5);
        assert_eq!(x("1", "5192296858534827628530496329220096"), 2f64.powi(-112));
        for (n, d) in [("1", "3"), ("9007199254740993", "1"), ("1", "0"), ("0.5", "1"), ("1e3", "1"), ("nan", "1"), ("", "1")] {
            let error = with(n, d).expect_err("refused").to_string();
            assert!(error.starts_with("f/vertex-face/a.csv:1: "), "{error}");
        }
    }

    #[test]
    fn torn_and_odd_tables_name_the_line() {
        let fails = |text: &str| table(text).expect_err("refused").to_string();
        let (good, answered) = (fall(""), fall(",1"));
        assert!(fails(&good[..good.len() - 13]).starts_with("f/vertex-face/a.csv:7: the last query has 7 of 8 rows"));
        assert!(fails(&good.replacen("0,1,0,1,1,1", "0,1", 1)).contains("a.csv:1: the row has 2 columns"));
        assert!(
            fails(&answered.replacen("0,1,0,1,-1,1,1", "0,1,0,1,-1,1,0", 1)).contains("a.csv:5: the expected answer differs")
        );
        assert!(fails(&fall(",2")).contains("a.csv:1: the expected answer, 0 or 1,: '2'"));
        assert!(from_table(&good, Path::new("a.csv")).is_err());
    }

    #[test]
    fn answers_beside_a_table_are_added() {
        let truth = |text: &str| {
            let mut queries = table(&(fall("") + &fall(""))).expect("two");
            add_truth(&mut queries, text, Path::new("a.gt.csv")).map(|()| queries)
        };
        let queries = truth("query,expected,toi,n_roots\n1,1,0.5,1\n").expect("fits");
        assert_eq!((queries[0].contact, queries[1].contact), (None, Some(true)));
        assert!(queries[1].first.is_some_and(|(lo, hi)| lo < 0.5 && 0.5 < hi && hi - lo < 1e-15));
        assert!(
            truth("query,expected,toi\n2,1,\n").expect_err("no such query").to_string().contains("a.gt.csv:2: query: index 2")
        );
        assert!(truth("query,toi\n").expect_err("a column is missing").to_string().contains("a.gt.csv:1: "));
        assert!(truth("query,expected,toi\n0,1,soon\n").expect_err("no time").to_string().contains("a.gt.csv:2: toi: 'soon'"));
    }

    #[test]
    fn json_names_what_is_wrong() {
        let read = |text: &str| from_json(&serde_json::from_str(text).expect("JSON"), &Place::file("q.json"));
        let good = r#"{"queries": [{"kind": "ee", "hit": true, "toc_lo": 0.25, "toc_hi": 0.5, "tag": "x",
            "vertices_t0": [[0,0,0],[1,0,0],[0,1,1],[0,2,1]], "vertices_t1": [[0,0,0],[1,0,0],[0,1,0],[0,2,0]]}]}"#;
        let queries = read(good).expect("a query");
        assert_eq!((queries[0].contact, queries[0].first), (Some(true), Some((0.25, 0.5))));
        for (from, to, what) in [
            ("\"ee\"", "\"fe\"", "queries[0].kind is not a kind"),
            ("true", "1", "queries[0].hit is neither"),
            ("[0,2,1]]", "[0,2]]", "queries[0].vertices_t0[3] has 2 numbers"),
            (",[0,2,0]]", "]", "queries[0].vertices_t1 has 3 points"),
            ("queries", "query", "unknown key 'query'"),
            ("toc_lo", "toc", "queries[0] has the unknown key 'toc'"),
            (r#", "toc_hi": 0.5"#, "", "has only one of toc_lo"),
            ("0.25", "0.75", "toc_lo 0.75 above toc_hi 0.5"),
            ("\"hit\": true", "\"hit\": false", "but hit is false"),
        ] {
            let error = read(&good.replacen(from, to, 1)).expect_err(what).to_string();
            assert!(error.starts_with("q.json: ") && error.contains(what), "{error}");
        }
    }
}
