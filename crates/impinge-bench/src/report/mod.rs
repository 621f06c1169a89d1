//! The report of one benchmark, for the terminal, for files and for the document.
//!
//! ```text
//! a benchmark ──► Report: text, tables, plots, goals ─┬─► terminal, JSON, SVG       (one benchmark alone)
//!                                                     └─► document: benchmarks.md   (`all`)
//! ```

mod document;
mod goal;
mod machine;

use std::fmt;
use std::fs;
use std::path::Path;

use crate::Outcome;
use crate::plot::Plot;
use crate::table::Table;

pub use document::{Document, Measured, Section, Sitting};
pub use goal::Goal;
use machine::Machine;
pub use machine::load_average;

/// The result of one benchmark.
#[derive(Debug)]
pub struct Report {
    name: &'static str,
    title: String,
    text: Vec<String>,
    tables: Vec<Table>,
    plots: Vec<Picture>,
    goals: Vec<Goal>,
}

/// A plot, the end of its file name, and its caption.
#[derive(Debug)]
struct Picture {
    suffix: String,
    caption: String,
    plot: Plot,
}

/// The error that something is missing on this machine; the document reports it.
#[derive(Debug)]
pub struct Missing(pub String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

impl Report {
    /// Creates an empty report. `name` names its files, `title` is its heading.
    pub fn new(name: &'static str, title: impl Into<String>) -> Self {
        Report { name, title: title.into(), text: Vec::new(), tables: Vec::new(), plots: Vec::new(), goals: Vec::new() }
    }

    /// Adds a paragraph, unless it is empty: subject, method, and differences from the paper.
    pub fn text(mut self, paragraph: impl Into<String>) -> Self {
        let paragraph = paragraph.into();
        self.text.extend((!paragraph.is_empty()).then_some(paragraph));
        self
    }

    /// Adds a table.
    pub fn table(mut self, table: Table) -> Self {
        self.tables.push(table);
        self
    }

    /// Adds a plot, saved as `name` with `suffix`.
    pub fn plot(mut self, suffix: impl Into<String>, caption: impl Into<String>, plot: Plot) -> Self {
        self.plots.push(Picture { suffix: suffix.into(), caption: caption.into(), plot });
        self
    }

    /// Adds goals, with the results of the measured values.
    pub fn goals(mut self, goals: impl IntoIterator<Item = Goal>) -> Self {
        self.goals.extend(goals);
        self
    }

    /// Prints the report.
    pub fn print(&self) {
        println!("{}", self.markdown(""));
    }

    /// Writes the numbers of all tables as one JSON file.
    pub fn save_numbers(&self, path: &Path) -> Outcome<()> {
        let tables: Vec<_> = self.tables.iter().map(Table::to_json).collect();
        Ok(fs::write(path, serde_json::to_string_pretty(&tables)? + "\n")?)
    }

    /// Writes `name.json` to a folder.
    pub fn save_named_numbers(&self, folder: &Path) -> Outcome<()> {
        fs::create_dir_all(folder)?;
        self.save_numbers(&folder.join(format!("{}.json", self.name)))
    }

    /// Writes every plot as SVG to a folder.
    pub fn save_plots(&self, folder: &Path) -> Outcome<()> {
        fs::create_dir_all(folder)?;
        for picture in &self.plots {
            fs::write(folder.join(self.file(picture)), picture.plot.svg())?;
        }
        Ok(())
    }

    /// Formats the report as Markdown below its heading; plots are linked in `plots`.
    fn markdown(&self, plots: &str) -> String {
        let mut parts: Vec<String> = self.text.iter().map(|t| sentences(t)).collect();
        parts.extend(self.tables.iter().map(Table::to_markdown));
        parts.extend(self.plots.iter().map(|p| format!("![{}]({plots}{})", p.caption, self.file(p))));
        if !self.goals.is_empty() {
            let rows: String = self.goals.iter().map(|g| format!("\n| {} | {} |", g.claim(), g.result())).collect();
            parts.push(format!("| target | result |\n|---|---|{rows}"));
        }
        parts.join("\n\n")
    }

    fn file(&self, picture: &Picture) -> String {
        format!("{}{}.svg", self.name, picture.suffix)
    }
}

/// Splits every paragraph into lines of one sentence each.
fn sentences(text: &str) -> String {
    text.split("\n\n").map(sentences_of_paragraph).collect::<Vec<_>>().join("\n\n")
}

fn sentences_of_paragraph(paragraph: &str) -> String {
    let mut out = String::new();
    let mut ended = None;
    for word in paragraph.split_whitespace() {
        out.push_str(match ended {
            None => "",
            Some(true) => "\n",
            Some(false) => " ",
        });
        out.push_str(word);
        ended = Some(word.trim_end_matches(['"', '*', ')']).ends_with(['.', '?']));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_has_its_own_line() {
        let text = "One at 0.5 (see\n  \"A.\") Two, of `.01`. **Three:** is it?\n\nlast";
        assert_eq!(sentences(text), "One at 0.5 (see \"A.\")\nTwo, of `.01`.\n**Three:** is it?\n\nlast");
    }
}
