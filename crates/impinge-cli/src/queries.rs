//! `impinge queries`: vertex/face and edge/edge queries, compared with known answers and timed.

use std::hint::black_box;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use impinge::features::{Answer, Settings, first_contact};
use impinge_io::{IoError, Query, find_queries, load_queries};
use serde::Serialize;

use crate::ERROR;
use crate::args::QueriesArgs;
use crate::plain;

/// The exit code for a missed contact.
const MISSED: u8 = 1;

/// The result for a file; its fields are those of the JSON line, in order. `None` means unknown.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Row {
    file: String,
    queries: usize,
    /// Expected contacts; found contacts, if there are no expected answers.
    contacts: usize,
    missed: Option<usize>,
    false_alarms: Option<usize>,
    undecided: usize,
    /// Claimed free beyond the known first contact.
    late: Option<usize>,
    mean_us: Option<f64>,
    median_us: Option<f64>,
    p99_us: Option<f64>,
    worst_us: Option<f64>,
}

/// Runs the command; returns the exit code.
///
/// # Errors
/// If a folder cannot be read, there are no queries, or the output cannot be written.
pub fn run(args: &QueriesArgs) -> Result<u8> {
    let files = files(&args.paths)?;
    let table = Table::new(&files);
    let mut out = io::stdout().lock();
    let (mut total, mut unreadable) = (Row { file: "total".into(), ..Row::default() }, false);
    if !args.json {
        out.write_all(table.head().as_bytes())?;
    }
    for file in &files {
        let row = match row(file) {
            Ok(row) => row,
            Err(error) => {
                unreadable = true;
                // The reader of stderr may be gone.
                let _ = writeln!(io::stderr(), "error: {}", plain::shown(&error.to_string()));
                continue;
            }
        };
        let line = if args.json { plain::json(&row)? } else { table.line(&row) };
        out.write_all(line.as_bytes())?;
        out.flush()?;
        total.add(&row);
    }
    if !args.json && files.len() > 1 {
        out.write_all(table.line(&total).as_bytes())?;
    }
    Ok(match (total.missed.unwrap_or(0), unreadable) {
        (1.., _) => MISSED,
        (0, true) => ERROR,
        (0, false) => 0,
    })
}

fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        let found = find_queries(path)?;
        if found.is_empty() {
            bail!("{}: this folder has no files of queries; impinge queries --help describes them", path.display());
        }
        files.extend(found);
    }
    Ok(files)
}

fn row(file: &Path) -> Result<Row, IoError> {
    let queries = load_queries(file)?;
    let settings = Settings::default();
    let answers: Vec<Answer> = queries.iter().map(|q| first_contact(&q.pair, &settings)).collect();
    let mut row = Row { file: file.display().to_string(), ..compared(&queries, &answers) };
    row.measure(&queries, &settings);
    Ok(row)
}

/// Compares answers with known ones.
fn compared(queries: &[Query], answers: &[Answer]) -> Row {
    let count = |test: &dyn Fn(&Query, &Answer) -> bool| queries.iter().zip(answers).filter(|(q, a)| test(q, a)).count();
    let (touches, expected) = (|a: &Answer| matches!(a, Answer::Contact { .. }), |q: &Query| q.contact == Some(true));
    let (any_known, any_time) = (queries.iter().any(|q| q.contact.is_some()), queries.iter().any(|q| q.first.is_some()));
    Row {
        queries: queries.len(),
        contacts: count(&|q, a| if any_known { expected(q) } else { touches(a) }),
        missed: any_known.then(|| count(&|q, a| expected(q) && *a == Answer::Free)),
        false_alarms: any_known.then(|| count(&|q, a| q.contact == Some(false) && touches(a))),
        undecided: count(&|_, a| matches!(a, Answer::Undecided { .. })),
        late: any_time.then(|| count(&|q, a| q.first.zip(claimed_free_until(a)).is_some_and(|((_, hi), free)| free > hi))),
        ..Row::default()
    }
}

/// Returns the time up to which an answer that is not free claims no contact.
fn claimed_free_until(answer: &Answer) -> Option<f64> {
    match answer {
        Answer::Free => None,
        Answer::Contact { time: (lo, _), .. } | Answer::Undecided { span: (lo, _) } => Some(*lo),
    }
}

/// Number of measurements, of which the best counts: disturbances only increase the time.
const ROUNDS: usize = 3;
/// Number of queries per clock reading for the mean: reading the clock takes as long as an easy query.
const BLOCK: usize = 64;

/// Returns the microseconds of each block of `size` queries on this thread, the best of all rounds.
fn timed(queries: &[Query], settings: &Settings, size: usize) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; queries.len().div_ceil(size)];
    for _ in 0..ROUNDS {
        for (block, best) in queries.chunks(size).zip(&mut best) {
            let started = Instant::now();
            for query in block {
                black_box(first_contact(black_box(&query.pair), settings));
            }
            *best = best.min(started.elapsed().as_secs_f64() * 1e6);
        }
    }
    best
}

impl Row {
    /// Times the queries: the mean by blocks, the rest individually.
    fn measure(&mut self, queries: &[Query], settings: &Settings) {
        if queries.is_empty() {
            return;
        }
        let rounded = |us: f64| Some((us * 1e3).round() / 1e3);
        self.mean_us = rounded(timed(queries, settings, BLOCK).iter().sum::<f64>() / queries.len() as f64);
        let mut each = timed(queries, settings, 1);
        each.sort_by(f64::total_cmp);
        self.median_us = rounded(quantile(&each, 0.5));
        self.p99_us = rounded(quantile(&each, 0.99));
        self.worst_us = rounded(quantile(&each, 1.0));
    }

    /// Adds a file to the total; of the times, only mean and worst can be added.
    fn add(&mut self, o: &Row) {
        let sum = |a: Option<usize>, b: Option<usize>| {
            if a.is_some() || b.is_some() { Some(a.unwrap_or(0) + b.unwrap_or(0)) } else { None }
        };
        let spent = |r: &Row| r.mean_us.unwrap_or(0.0) * r.queries as f64;
        let all = self.queries + o.queries;
        self.mean_us = (all > 0).then(|| (spent(self) + spent(o)) / all as f64);
        self.worst_us = self.worst_us.into_iter().chain(o.worst_us).reduce(f64::max);
        self.queries = all;
        self.contacts += o.contacts;
        self.undecided += o.undecided;
        self.missed = sum(self.missed, o.missed);
        self.false_alarms = sum(self.false_alarms, o.false_alarms);
        self.late = sum(self.late, o.late);
    }
}

/// Returns the smallest sorted value that a fraction `p` of the values does not exceed.
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let rank = (p * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

/// A text table: a wide first column, numbers aligned right.
struct Table {
    width: usize,
}

impl Table {
    fn new(files: &[PathBuf]) -> Self {
        Table { width: files.iter().map(|f| f.display().to_string().chars().count()).max().unwrap_or(0).max("total".len()) }
    }

    fn row(&self, file: &str, cells: [String; 10]) -> String {
        let cells: String = cells.iter().map(|c| format!(" {c:>9}")).collect();
        format!("{:<width$}{cells}\n", plain::shown(file), width = self.width)
    }

    fn head(&self) -> String {
        let names = ["queries", "contacts", "missed", "false", "undecided", "late", "mean µs", "median", "p99", "worst"];
        self.row("file", names.map(str::to_owned))
    }

    fn line(&self, row: &Row) -> String {
        let count = |n: Option<usize>| n.map_or("-".into(), |n| n.to_string());
        let time = |us: Option<f64>| us.map_or("-".into(), |us| format!("{us:.2}"));
        let cells = [
            count(Some(row.queries)),
            count(Some(row.contacts)),
            count(row.missed),
            count(row.false_alarms),
            count(Some(row.undecided)),
            count(row.late),
            time(row.mean_us),
            time(row.median_us),
            time(row.p99_us),
            time(row.worst_us),
        ];
        self.row(&row.file, cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::Vec3;
    use impinge::features::{FeaturePair, Kind};

    fn query(contact: Option<bool>, first: Option<(f64, f64)>) -> Query {
        let pair = FeaturePair { kind: Kind::EdgeEdge, start: [Vec3::ZERO; 4], end: [Vec3::ZERO; 4] };
        Query { pair, contact, first }
    }

    #[test]
    fn answers_are_compared_with_known_ones() {
        let contact = |lo: f64| Answer::Contact { time: (lo, lo), certified: true };
        let undecided = Answer::Undecided { span: (0.5, 1.0) };
        let hit = query(Some(true), Some((0.25, 0.25)));
        let row = compared(&[hit; 4], &[contact(0.25), contact(0.3), Answer::Free, undecided]);
        assert_eq!((row.contacts, row.missed, row.undecided, row.late), (4, Some(1), 1, Some(2)));
        let row = compared(&[query(Some(false), None); 2], &[contact(0.0), Answer::Free]);
        assert_eq!((row.contacts, row.missed, row.false_alarms, row.late), (0, Some(0), Some(1), None));
        let row = compared(&[query(None, None); 2], &[contact(0.0), Answer::Free]);
        assert_eq!((row.contacts, row.missed, row.false_alarms), (1, None, None));
    }

    #[test]
    fn quantiles_are_values_that_occurred() {
        let sorted: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!((quantile(&sorted, 0.5), quantile(&sorted, 0.99), quantile(&sorted, 1.0)), (100.0, 198.0, 200.0));
        assert_eq!((quantile(&[7.0], 0.5), quantile(&[7.0], 0.99)), (7.0, 7.0));
    }
}
