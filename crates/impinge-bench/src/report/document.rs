//! The document of all benchmarks.

use std::fmt::Write as _;

use super::{Machine, Report, wrapped};

/// How every number comes about.
const METHOD: &str = "\
Every number comes from one run of `impinge-bench all`: one commit, one machine, one sitting. The command below each heading is the one that \
was run; it measures that section again.

Unless a column says otherwise, a number is CPU time of the measuring thread, in microseconds per query, the median over rounds. A round is a pass over all \
queries of a cell. All cells of a row have the same number of rounds and take turns within a round, so that all see the same machine. `n` is the number \
of queries of a round. `spread %` is the distance of the quartiles of the rounds in percent of the median, for the number that the text names, or \
the first one. `load` is the load average of the machine before and after a section; CPU time does not count other programs, but they share its caches.

Ratios to a paper compare different machines, decades apart, and often different models: they say what a user notices, not which algorithm is better. \
Ratios within a row do. `!` marks a cell that misses its target. A target is *at the edge* when its worst value is within 10 % of the bound: another run may \
end on the other side.";

/// A benchmark that was run, or could not be.
#[derive(Debug)]
pub struct Section {
    /// The arguments of the program.
    pub command: String,
    /// What it found, or why there is nothing.
    pub outcome: Result<Report, String>,
    /// Load average before and after.
    pub load: [Option<f64>; 2],
    /// Seconds that it took.
    pub seconds: f64,
}

/// Everything that was measured in one sitting.
#[derive(Debug)]
pub struct Document {
    machine: Machine,
    /// The command that makes it.
    command: String,
    load_before: Option<f64>,
    chapters: Vec<(String, String, Vec<Section>)>,
}

impl Document {
    /// An empty document of this machine.
    pub fn new(command: impl Into<String>) -> Self {
        Document { machine: Machine::here(), command: command.into(), load_before: super::load_average(), chapters: Vec::new() }
    }

    /// Adds a chapter: its heading, its text, its sections.
    pub fn chapter(&mut self, title: &str, text: &str, sections: Vec<Section>) {
        self.chapters.push((title.into(), text.into(), sections));
    }

    /// The whole text; plots are linked in the folder `plots`.
    pub fn markdown(&self, plots: &str) -> String {
        let mut out = format!("# Benchmarks\n\n    {}\n\n{}\n", cargo(&self.command), self.machine.markdown());
        let seconds: f64 = self.chapters.iter().flat_map(|c| &c.2).map(|s| s.seconds).sum();
        let load = loads([self.load_before, super::load_average()]);
        let _ = writeln!(out, "- load average: {load}\n- duration: {:.0} min\n\n{}", seconds / 60.0, wrapped(METHOD));
        for (title, text, sections) in &self.chapters {
            let _ = write!(out, "\n## {title}\n");
            if !text.is_empty() {
                let _ = write!(out, "\n{}\n", wrapped(text));
            }
            sections.iter().for_each(|section| section.write(&mut out, plots));
        }
        out
    }
}

impl Section {
    fn write(&self, out: &mut String, plots: &str) {
        let (title, body) = match &self.outcome {
            Ok(report) => (report.title.as_str(), report.markdown(plots)),
            Err(why) => (self.command.as_str(), format!("Not measured: {why}.")),
        };
        let command = cargo(&self.command);
        let _ = write!(out, "\n### {title}\n\n    {command}\n\n{:.0} s, load {}.\n\n{body}\n", self.seconds, loads(self.load));
    }
}

fn cargo(arguments: &str) -> String {
    format!("cargo run --release -p impinge-bench -- {arguments}")
}

fn loads(loads: [Option<f64>; 2]) -> String {
    let [before, after] = loads.map(|l| l.map_or("unknown".into(), |l| format!("{l:.1}")));
    format!("{before} before, {after} after")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Goal;
    use crate::table::{Table, count, number};

    fn report() -> Report {
        let mut table = Table::new("Caption", &["n", "us"]);
        table.row(vec![count(3), number(Some(1.5), 1)]);
        let mut goal = Goal::at_most("at most 2 us", 2.0);
        goal.add("n = 3", Some(1.5));
        Report::new("thing", "A thing").text("What it is.").table(table).goals([goal])
    }

    #[test]
    fn a_document_has_commands_tables_goals_and_what_is_missing() {
        let mut document = Document::new("all --out benchmarks.md");
        let section =
            |command: &str, outcome| Section { command: command.into(), outcome, load: [Some(1.0), None], seconds: 2.0 };
        let sections = vec![section("thing --rounds 3", Ok(report())), section("peers", Err("FCL is not installed".into()))];
        document.chapter("Paper", "About it.", sections);
        let text = document.markdown("benchmarks/");
        for part in [
            "# Benchmarks\n\n    cargo run --release -p impinge-bench -- all --out benchmarks.md\n",
            "- commit: ",
            "- load average: ",
            "\n## Paper\n\nAbout it.\n",
            "\n### A thing\n\n    cargo run --release -p impinge-bench -- thing --rounds 3\n\n2 s, load 1.0 before, unknown after.",
            "\n| n |  us |\n|---|-----|\n| 3 | 1.5 |",
            "| at most 2 us | met: 1.50 |",
            "Not measured: FCL is not installed.",
        ] {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
    }
}
