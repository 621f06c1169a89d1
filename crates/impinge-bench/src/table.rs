//! Rows of numbers, for people and for machines.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::Outcome;

/// A cell: the number itself, and how it is shown.
#[derive(Clone, Debug)]
pub struct Cell {
    value: Value,
    text: String,
}

/// Text.
pub fn words(text: impl Into<String>) -> Cell {
    let text = text.into();
    Cell { value: json!(text), text }
}

/// A number with so many digits behind the point; `None` is shown as a dash.
pub fn number(value: Option<f64>, digits: usize) -> Cell {
    Cell { value: json!(value), text: value.map_or("-".into(), |v| format!("{v:.digits$}")) }
}

/// A small number in powers of ten.
pub fn power(value: f64) -> Cell {
    Cell { value: json!(value), text: format!("{value:.0e}") }
}

/// A count.
pub fn count(value: usize) -> Cell {
    Cell { value: json!(value), text: value.to_string() }
}

/// A number that should not be above a target; marked when it is.
pub fn target(value: Option<f64>, at_most: f64, digits: usize) -> Cell {
    let mut cell = number(value, digits);
    cell.text.push(match value {
        Some(v) if v > at_most => '!',
        _ => ' ',
    });
    cell
}

/// A number that should not be below a target; marked when it is.
pub fn at_least(value: Option<f64>, least: f64, digits: usize) -> Cell {
    let mut cell = number(value, digits);
    cell.text.push(match value {
        Some(v) if v < least => '!',
        _ => ' ',
    });
    cell
}

/// Named columns and rows of cells.
#[derive(Debug)]
pub struct Table {
    title: String,
    columns: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// An empty table.
    pub fn new(title: impl Into<String>, columns: &[&'static str]) -> Self {
        Table { title: title.into(), columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row; it has a cell for each column.
    pub fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    /// Prints the table, and writes it to a file if one is given.
    pub fn show(&self, json: Option<&Path>) -> Outcome<()> {
        println!("{}\n", self.title);
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|c| self.rows.iter().map(|r| r[c].text.chars().count()).chain([self.columns[c].len()]).max().unwrap_or(0))
            .collect();
        let line = |cells: Vec<&str>| {
            let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, &w)| format!("{cell:>w$}")).collect();
            println!("| {} |", padded.join(" | "));
        };
        line(self.columns.clone());
        println!("|{}|", widths.iter().map(|w| "-".repeat(w + 2)).collect::<Vec<_>>().join("|"));
        for row in &self.rows {
            line(row.iter().map(|c| c.text.as_str()).collect());
        }
        json.map_or(Ok(()), |path| self.save(path))
    }

    /// Writes the table as JSON.
    pub fn save(&self, path: &Path) -> Outcome<()> {
        Ok(fs::write(path, serde_json::to_string_pretty(&self.to_json())? + "\n")?)
    }

    fn to_json(&self) -> Value {
        let object = |row: &Vec<Cell>| -> Map<String, Value> {
            self.columns.iter().zip(row).map(|(name, cell)| ((*name).to_owned(), cell.value.clone())).collect()
        };
        json!({ "title": self.title, "rows": self.rows.iter().map(object).collect::<Vec<_>>() })
    }
}

/// `a / b`, where both are known.
pub fn ratio(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    Some(a? / b?)
}
