//! Tables of numbers, as Markdown and as JSON.

use serde_json::{Map, Value, json};

/// A cell: the number itself, and its text.
#[derive(Clone, Debug)]
pub struct Cell {
    value: Value,
    text: String,
}

/// Returns a text cell.
pub fn words(text: impl Into<String>) -> Cell {
    let text = text.into();
    Cell { value: json!(text), text }
}

/// Returns a number with this number of decimals; `None` is shown as a dash.
pub fn number(value: Option<f64>, digits: usize) -> Cell {
    Cell { value: json!(value), text: value.map_or("-".into(), |v| format!("{v:.digits$}")) }
}

/// Returns a small number in powers of ten.
pub fn power(value: f64) -> Cell {
    Cell { value: json!(value), text: format!("{value:.0e}") }
}

/// Returns a count.
pub fn count(value: usize) -> Cell {
    Cell { value: json!(value), text: value.to_string() }
}

/// Returns a number with an upper target; it is marked if it is above.
pub fn target(value: Option<f64>, at_most: f64, digits: usize) -> Cell {
    let mut cell = number(value, digits);
    cell.text.push(match value {
        Some(v) if v > at_most => '!',
        _ => ' ',
    });
    cell
}

/// Returns a number with a lower target; it is marked if it is below.
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
    /// Creates an empty table.
    pub fn new(title: impl Into<String>, columns: &[&'static str]) -> Self {
        Table { title: title.into(), columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row with a cell for each column.
    pub fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    /// Formats the table as Markdown with aligned columns, below its title.
    pub fn to_markdown(&self) -> String {
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|c| self.rows.iter().map(|r| r[c].text.chars().count()).chain([self.columns[c].len()]).max().unwrap_or(0))
            .collect();
        let line = |cells: Vec<&str>| {
            let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, &w)| format!("{cell:>w$}")).collect();
            format!("| {} |", padded.join(" | "))
        };
        let mut lines = vec![line(self.columns.clone())];
        lines.push(format!("|{}|", widths.iter().map(|w| "-".repeat(w + 2)).collect::<Vec<_>>().join("|")));
        lines.extend(self.rows.iter().map(|row| line(row.iter().map(|c| c.text.as_str()).collect())));
        format!("{}\n\n{}", self.title, lines.join("\n"))
    }

    /// Returns the numbers, one object for each row.
    pub fn to_json(&self) -> Value {
        let object = |row: &Vec<Cell>| -> Map<String, Value> {
            self.columns.iter().zip(row).map(|(name, cell)| ((*name).to_owned(), cell.value.clone())).collect()
        };
        json!({ "title": self.title, "rows": self.rows.iter().map(object).collect::<Vec<_>>() })
    }
}

/// Returns `a / b`, if both are known.
pub fn ratio(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    Some(a? / b?)
}
