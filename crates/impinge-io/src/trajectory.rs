//! Trajectories from tables: comma-separated, a header of joint names, one waypoint per row.
//!
//! ```text
//! time, shoulder, elbow, base[0], base[1], base[2]      joints with several values have a column for each
//! 0.00,      0.1,   0.2,       0,       0,       0
//! ```
//!
//! The column `time` is optional and must not decrease. Lines that start with `#` are comments. Refused: rows of another length
//! than the header, numbers that are not finite, repeated names, fields over several lines, lines of more than 4 MiB, files of
//! more than 512 MiB, more than [`MAX_NUMBERS`] numbers or [`MAX_WAYPOINTS`] waypoints; when applied to a robot, unknown joints
//! and joints without a column.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use csv::{ReaderBuilder, StringRecord, Trim};
use impinge::robot::Robot;

use crate::error::{IoError, Place, Result, shorten};
use crate::joint_values::{JointValues, to_configuration, unknown_joint};
use crate::warning::Loaded;
use crate::{number, read};

/// Maximum number of waypoints: one day at 120 per second.
pub const MAX_WAYPOINTS: usize = 120 * 86_400;

/// Maximum size of a table, bytes: 512 MiB.
pub const MAX_BYTES: u64 = read::MAX_TREE_FILE;

/// Maximum number of numbers in all rows.
pub const MAX_NUMBERS: usize = 1 << 26;

/// Maximum length of a line, bytes. A line takes up to 30 times its length in memory while it is split into fields.
const MAX_LINE: usize = 4 << 20;

/// A table of waypoints as in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// The file.
    pub path: PathBuf,
    /// Names of the columns without `time`.
    pub columns: Vec<String>,
    /// Seconds, if there is a `time` column; never decreasing.
    pub times: Option<Vec<f64>>,
    /// One row of values per waypoint, in the order of the columns.
    pub rows: Vec<Vec<f64>>,
    /// The line of each row, counted from 1.
    pub lines: Vec<usize>,
    /// The line of the header.
    header_line: usize,
}

/// Loads a trajectory.
///
/// # Errors
/// See the list in the module documentation.
pub fn load_trajectory(path: impl AsRef<Path>) -> Result<Loaded<Trajectory>> {
    let path = path.as_ref();
    parse(&read::bytes(path, MAX_BYTES)?, path)
}

/// Parses the bytes of a table; `path` is only named in messages.
///
/// # Errors
/// See the list in the module documentation.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Loaded<Trajectory>> {
    let trajectory = table(bytes, path)?;
    if trajectory.rows.is_empty() {
        return Err(IoError::MissingElement { at: Place::file(path), user: "trajectory".into(), what: "a waypoint".into() });
    }
    Ok(Loaded { value: trajectory, warnings: Vec::new() })
}

/// Parses a table that may consist of a header alone.
pub(crate) fn table(bytes: &[u8], path: &Path) -> Result<Trajectory> {
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    check_lines(bytes, path)?;
    let mut table = ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).comment(Some(b'#')).from_reader(bytes);
    let mut records = table.records();
    let mut lines = Lines { bytes, position: 0, line: 1 };
    let header = match records.next() {
        Some(record) => record.map_err(|e| table_error(e, path))?,
        None => {
            return Err(IoError::MissingElement { at: Place::file(path), user: "trajectory".into(), what: "the header".into() });
        }
    };
    let header_line = lines.of(&header);
    check_header(&header, &Place::line(path, header_line))?;
    let time_column = header.iter().position(|name| name == "time");
    let columns = header.iter().filter(|name| *name != "time").map(str::to_owned).collect();
    let times = time_column.map(|_| Vec::new());
    let mut trajectory = Trajectory { path: path.into(), columns, times, rows: Vec::new(), lines: Vec::new(), header_line };
    for record in records {
        let record = record.map_err(|e| table_error(e, path))?;
        let too_many =
            |what: &str, limit: usize| IoError::TooLarge { at: Place::file(path), what: what.into(), limit: limit as u64 };
        if trajectory.rows.len() == MAX_WAYPOINTS {
            return Err(too_many("there are too many waypoints", MAX_WAYPOINTS));
        }
        if (trajectory.rows.len() + 1).saturating_mul(header.len()) > MAX_NUMBERS {
            return Err(too_many("there are too many numbers", MAX_NUMBERS));
        }
        trajectory.push(&record, &header, time_column, lines.of(&record))?;
    }
    Ok(trajectory)
}

impl Trajectory {
    /// Adds the waypoint of one row.
    fn push(&mut self, record: &StringRecord, header: &StringRecord, time_column: Option<usize>, line: usize) -> Result<()> {
        let at = || Place::line(&self.path, line);
        if record.len() != header.len() {
            return Err(IoError::BadElement {
                at: at(),
                what: format!("the row has {} fields, but the header has {}", record.len(), header.len()),
                remedy: "give every row one field per column".into(),
            });
        }
        let mut row = Vec::with_capacity(self.columns.len());
        for (i, (field, name)) in record.iter().zip(header).enumerate() {
            let x = number::parse(field, || (at(), format!("column '{}'", shorten(name))))?;
            match &mut self.times {
                Some(times) if time_column == Some(i) => {
                    if times.last().is_some_and(|&before| x < before) {
                        let what = format!("time decreases from {} to {x}", times[times.len() - 1]);
                        return Err(IoError::BadElement { at: at(), what, remedy: "sort the rows".into() });
                    }
                    times.push(x);
                }
                _ => row.push(x),
            }
        }
        self.rows.push(row);
        self.lines.push(line);
        Ok(())
    }

    /// Returns the waypoints as configurations of a robot; joints without a column take their value from `default`.
    ///
    /// # Errors
    /// If a column is not a joint of the robot, a joint has neither a column nor a default, or values contradict a mimic.
    pub fn configurations(&self, robot: &Robot, default: Option<&[f64]>) -> Result<Vec<Vec<f64>>> {
        let joints = self.joints(robot)?;
        let mut configurations = Vec::with_capacity(self.rows.len());
        for (row, &line) in self.rows.iter().zip(&self.lines) {
            let named = joints.iter().map(|(name, columns)| (name.clone(), columns.iter().map(|&c| row[c]).collect())).collect();
            let configuration = to_configuration(robot, &JointValues::ByName(named), default);
            configurations.push(configuration.map_err(|e| {
                let line = if matches!(e, IoError::MissingElement { .. }) { self.header_line } else { line };
                e.located(Place::line(&self.path, line))
            })?);
        }
        Ok(configurations)
    }

    /// Returns the columns of each joint in the header, in the order of its values.
    pub(crate) fn joints(&self, robot: &Robot) -> Result<Vec<(String, Vec<usize>)>> {
        let at = || Place::line(&self.path, self.header_line);
        let mut joints: Vec<(String, Vec<usize>)> = Vec::new();
        for (c, column) in self.columns.iter().enumerate() {
            let (name, value) = split_index(column).filter(|_| robot.find_joint(column).is_none()).unwrap_or((column, 0));
            if robot.find_joint(name).is_none() {
                if ["t", "time", "times", "timestamp", "sec", "secs", "seconds"].iter().any(|w| column.eq_ignore_ascii_case(w)) {
                    let what = format!("there is no joint '{}'", shorten(column));
                    return Err(IoError::BadElement { at: at(), what, remedy: "name a column of seconds 'time'".into() });
                }
                return Err(unknown_joint(robot, column, at()));
            }
            let known = match joints.iter().position(|(n, _)| n == name) {
                Some(known) => known,
                None => {
                    joints.push((name.to_owned(), Vec::new()));
                    joints.len() - 1
                }
            };
            if joints[known].1.len() != value {
                let what = format!("found column '{}' instead of '{name}[{}]'", shorten(column), joints[known].1.len());
                return Err(IoError::BadElement { at: at(), what, remedy: "list the values of a joint in order".into() });
            }
            joints[known].1.push(c);
        }
        Ok(joints)
    }
}

/// Splits `base[2]` to (`base`, 2).
fn split_index(column: &str) -> Option<(&str, usize)> {
    let (name, rest) = column.split_once('[')?;
    Some((name, rest.strip_suffix(']')?.parse().ok()?))
}

/// Refuses input that would need excessive memory: very long lines, and records of many lines, which quotation marks could join.
fn check_lines(bytes: &[u8], path: &Path) -> Result<()> {
    let mut number = 1;
    for line in bytes.split_inclusive(|b| matches!(b, b'\n' | b'\r')) {
        let at = || Place::line(path, number);
        if line.len() > MAX_LINE {
            return Err(IoError::TooLarge { at: at(), what: "a line has too many bytes".into(), limit: MAX_LINE as u64 });
        }
        if line[0] != b'#' && line.iter().filter(|&&b| b == b'"').count() % 2 == 1 {
            let what = "a quotation mark is not closed on its line".into();
            return Err(IoError::BadElement { at: at(), what, remedy: "write each waypoint in one line".into() });
        }
        number += usize::from(line.ends_with(b"\n"));
    }
    Ok(())
}

fn check_header(header: &StringRecord, at: &Place) -> Result<()> {
    let bad = |what: String, remedy: &str| Err(IoError::BadElement { at: at.clone(), what, remedy: remedy.into() });
    let first = header.get(0).unwrap_or_default();
    if first.starts_with(['{', '[']) {
        return bad(
            "the file begins like JSON".into(),
            "give a table with a header of joint names; motions in JSON are not a trajectory",
        );
    }
    if header.len() == 1 && first.contains([';', '\t']) {
        return bad(format!("the header has one column, '{}'", shorten(first)), "put commas between columns");
    }
    let mut seen = HashSet::new();
    for (i, name) in header.iter().enumerate() {
        if name.is_empty() {
            return bad(format!("column {} has no name", i + 1), "give every column a name");
        }
        if name.parse::<f64>().is_ok() {
            return bad(format!("the header has the number '{}'", shorten(name)), "begin with a line of joint names");
        }
        if !seen.insert(name) {
            return bad(format!("column '{}' is given twice", shorten(name)), "give each column once");
        }
    }
    Ok(())
}

/// Counts lines of records. The table reader's own count stops at blank lines and comments before a record.
struct Lines<'a> {
    bytes: &'a [u8],
    position: usize,
    line: usize,
}

impl Lines<'_> {
    /// Returns the first line of a record; records must come in order.
    fn of(&mut self, record: &StringRecord) -> usize {
        let begin = record.position().map_or(0, |p| p.byte() as usize);
        let mut comment = false;
        while let Some(&b) = self.bytes.get(self.position) {
            if self.position >= begin && !comment && b != b'#' && !matches!(b, b'\n' | b'\r') {
                break;
            }
            comment = b != b'\n' && (comment || (self.position >= begin && b == b'#'));
            self.line += usize::from(b == b'\n');
            self.position += 1;
        }
        self.line
    }
}

fn table_error(error: csv::Error, path: &Path) -> IoError {
    let line = error.position().map(|p| p.line() as usize);
    let at = Place { path: path.into(), line };
    match error.into_kind() {
        csv::ErrorKind::Io(source) => IoError::Read { at, source },
        csv::ErrorKind::Utf8 { .. } => IoError::Encoding { at, what: "a field is not UTF-8".into() },
        other => IoError::BadFormat { at, what: format!("{other:?}"), remedy: "write a comma-separated table".into() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint_values::tests::robot;

    fn read(text: &str) -> Result<Trajectory> {
        parse(text.as_bytes(), Path::new("t.csv")).map(|l| l.value)
    }

    const BASE: &str = "base[0],base[1],base[2],base[3],base[4],base[5],base[6]";

    #[test]
    fn tables_become_configurations() {
        let text = format!("# made by hand\ntime, elbow, {BASE}\n0, 0.5, 1,2,3,1,0,0,0\n\n0.1, 1e0, 4,5,6,1,0,0,0\n");
        let t = read(&text).expect("a table");
        assert_eq!((t.times.as_deref(), &t.lines[..]), (Some(&[0.0, 0.1][..]), &[3, 5][..]));
        let q = t.configurations(&robot(), None).expect("complete");
        assert_eq!(q[1], [4.0, 5.0, 6.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let part = read("elbow\n0.25\n").expect("a table");
        assert_eq!(part.configurations(&robot(), Some(&q[0])).expect("default")[0][7], 0.25);
        let missing = part.configurations(&robot(), None).expect_err("no base").to_string();
        assert_eq!(missing, "t.csv:1: robot 'r': a value for joint 'base' is missing; add it");
    }

    /// Comparing every column with all previous ones took minutes.
    #[test]
    fn very_many_columns_are_read_at_once() {
        let names: Vec<String> = (0..200_000).map(|i| format!("c{i}")).collect();
        let (started, header) = (std::time::Instant::now(), names.join(","));
        assert_eq!(read(&format!("{header}\n{}\n", vec!["0"; names.len()].join(","))).expect("a table").columns, names);
        assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    }

    /// A line of 300 million commas took 15 GB, as would records that quotation marks join over many short lines.
    #[test]
    fn lines_are_bounded_and_records_are_lines() {
        let error = |text: &str| read(text).expect_err("refused");
        let long = error(&format!("a\n{}\n", ",".repeat(MAX_LINE)));
        assert_eq!((long.class(), long.place().line), ("TooLarge", Some(2)));
        let joined = error("# it's \"here\na\n\"\n\",\"\n\"\n");
        assert_eq!(joined.to_string(), "t.csv:3: a quotation mark is not closed on its line; write each waypoint in one line");
        let quoted = read("\"a\",\"time\"\r\n\"1\",0\r\n").expect("a table");
        assert_eq!((quoted.rows, quoted.times), (vec![vec![1.0]], Some(vec![0.0])));
    }

    #[test]
    fn what_is_wrong_is_named_by_line() {
        let error = |text: &str| read(text).expect_err("refused");
        assert_eq!(
            error("a,b\n1,2\n3\n").to_string(),
            "t.csv:3: the row has 1 fields, but the header has 2; give every row one field per column"
        );
        assert_eq!(error("a\nnan\n").to_string(), "t.csv:2: column 'a': 'nan' is not finite; all numbers must be finite");
        assert_eq!(error("a\nx\n").class(), "BadNumber");
        assert_eq!(error("a,a\n1,2\n").class(), "BadElement");
        assert_eq!(error("0.1,0.2\n1,2\n").class(), "BadElement");
        assert_eq!(error("time,a\n1,0\n0,0\n").place().line, Some(3));
        for (text, part) in
            [("a;b\n1;2\n", "put commas between"), ("a\tb\n1\t2\n", "put commas between"), ("{\"q0\": [1]}\n", "like JSON")]
        {
            assert!(error(text).to_string().contains(part), "{text}");
        }
        let timed = read("Time,elbow\n0,1\n").expect("a table").configurations(&robot(), None).expect_err("unknown").to_string();
        assert_eq!(timed, "t.csv:1: there is no joint 'Time'; name a column of seconds 'time'");
        assert_eq!(error("a\n").class(), "MissingElement");
        assert_eq!(error("").class(), "MissingElement");
        assert_eq!(parse(b"a\n\xFF\n", Path::new("t.csv")).expect_err("bytes").class(), "Encoding");
        let unknown = read("wheel\n1\n").expect("a table").configurations(&robot(), None).expect_err("unknown").to_string();
        assert_eq!(unknown, "t.csv:1: there is no joint 'wheel'; known names: base, elbow");
        let disorder = read("base[1],base[0]\n1,2\n").expect("a table").configurations(&robot(), None);
        assert_eq!(disorder.expect_err("order").class(), "BadElement");
    }
}
