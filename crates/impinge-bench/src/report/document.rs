//! The document of all benchmarks.
//!
//! ```text
//! a sitting: one run of `all` ──► chapters ──► document     if a run measures only some chapters, the others come from an earlier sitting;
//!                                    ▲  │                   then each chapter names its time, machine and commit
//!                                    └──┴─ files
//! ```

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Machine, Report, load_average, sentences};

/// The source of all numbers.
const ONE_SITTING: &str = "\
Every number comes from one run of `impinge-bench all`: one commit, one machine, one sitting. The command below each heading is the \
command that was run; it repeats the measurement of that section.";
const SEVERAL_SITTINGS: &str = "\
**The chapters were measured in several sittings**; each chapter names its sitting. Numbers of different sittings cannot be compared \
with each other. The command below each heading is the command that was run; it repeats the measurement of that section.";

/// The method of measurement.
const METHOD: &str = "\
Unless a column states otherwise, a number is CPU time of the measuring thread, in microseconds per query, the median over rounds. A \
round is a pass over all queries of a cell. All cells of a row have the same number of rounds and alternate within a round, so that all \
run under the same conditions. The order changes from round to round, because later cells find warm caches. `n` is the number of queries \
of a round. `spread %` is the interquartile range of the rounds in percent of the median, for the number that the text names, or the \
first one. `load` is the load average of the machine before and after a section; CPU time does not include other programs, but they \
share the caches.

Ratios to a paper compare different machines, decades apart, and often different models: they show what a user notices, not which \
algorithm is better. Ratios within a row compare algorithms. `!` marks a cell that misses its target. A target is *at the edge* if its \
worst value is within 10 % of the bound: another run may be on the other side.";

/// A benchmark that was run, or that could not run.
#[derive(Debug)]
pub struct Section {
    /// The arguments of the program.
    pub command: String,
    /// Its report, or the reason why there is none.
    pub outcome: Result<Report, String>,
    /// Load average before and after.
    pub load: [Option<f64>; 2],
    /// Its duration in seconds.
    pub seconds: f64,
}

/// One run of `all`: its command, the machine, the time.
#[derive(Clone, Debug, PartialEq)]
pub struct Sitting(String);

/// A chapter with its sitting.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    sitting: Sitting,
    /// Its duration in seconds.
    seconds: f64,
    /// The text below its heading.
    text: String,
}

/// Chapters with their headings, in order; `Err` describes how to measure a missing chapter.
#[derive(Debug, Default)]
pub struct Document {
    chapters: Vec<(String, Result<Measured, String>)>,
}

impl Sitting {
    /// Returns the sitting of this process, which runs `command`.
    pub fn now(command: &str) -> Self {
        let load = load_average().map_or("unknown".into(), |load| format!("{load:.1}"));
        Sitting(format!("    {}\n\n{}\n- load average at the beginning: {load}", cargo(command), Machine::here().markdown()))
    }
}

impl Measured {
    /// Formats text and sections; plots are linked in the folder `plots`.
    pub fn new(sitting: Sitting, text: &str, sections: &[Section], plots: &str) -> Self {
        let mut out = String::new();
        if !text.is_empty() {
            let _ = write!(out, "\n{}\n", sentences(text));
        }
        sections.iter().for_each(|section| section.write(&mut out, plots));
        Measured { sitting, seconds: sections.iter().map(|s| s.seconds).sum(), text: out }
    }

    /// Serialises the chapter.
    pub fn to_json(&self) -> Value {
        json!({ "sitting": self.sitting.0, "seconds": self.seconds, "text": self.text })
    }

    /// Parses a chapter; `None` if the value has another format.
    pub fn from_json(value: &Value) -> Option<Self> {
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        Some(Measured { sitting: Sitting(text("sitting")?), seconds: value.get("seconds")?.as_f64()?, text: text("text")? })
    }
}

impl Document {
    /// Adds a chapter below its heading, or the reason why it is missing.
    pub fn chapter(&mut self, title: &str, chapter: Result<Measured, String>) {
        self.chapters.push((title.into(), chapter));
    }

    /// Returns the whole document.
    pub fn markdown(&self) -> String {
        let there = || self.chapters.iter().filter_map(|(_, chapter)| chapter.as_ref().ok());
        let minutes = there().map(|c| c.seconds).sum::<f64>() / 60.0;
        let first = there().next().map(|c| &c.sitting);
        let common = first.filter(|first| there().all(|c| c.sitting == **first));
        let mut out = "# Benchmarks\n".to_owned();
        if let Some(Sitting(sitting)) = common {
            let _ = write!(out, "\n{sitting}\n- duration: {minutes:.0} min\n");
        }
        let whence = if common.is_some() { ONE_SITTING } else { SEVERAL_SITTINGS };
        let _ = write!(out, "\n{}\n\n{}\n", sentences(whence), sentences(METHOD));
        for (title, chapter) in &self.chapters {
            let _ = write!(out, "\n## {title}\n");
            match chapter {
                Err(how) => {
                    let _ = write!(out, "\n**Not measured**: {how}.\n");
                }
                Ok(Measured { sitting, text, .. }) if common.is_none() => {
                    let _ = write!(out, "\n{}\n{text}", sitting.0);
                }
                Ok(Measured { text, .. }) => out.push_str(text),
            }
        }
        out
    }
}

impl Section {
    fn write(&self, out: &mut String, plots: &str) {
        let (title, body) = match &self.outcome {
            Ok(report) => (report.title.as_str(), report.markdown(plots)),
            Err(why) => (self.command.as_str(), format!("**Not measured**: {why}.")),
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

    fn chapter(sitting: &str) -> Measured {
        let section =
            |command: &str, outcome| Section { command: command.into(), outcome, load: [Some(1.0), None], seconds: 2.0 };
        let sections = [section("thing --rounds 3", Ok(report())), section("peers", Err("FCL is not installed".into()))];
        Measured::new(Sitting(sitting.into()), "About it.", &sections, "benchmarks/")
    }

    #[test]
    fn a_document_has_commands_tables_goals_and_what_is_missing() {
        let mut document = Document::default();
        document.chapter("Paper", Ok(chapter("    all --out x.md\n\n- commit: abc")));
        document.chapter("Other", Err("run `all --only other`".into()));
        let text = document.markdown();
        for part in [
            "# Benchmarks\n\n    all --out x.md\n\n- commit: abc\n- duration: 0 min\n\nEvery number comes from one run",
            "\n## Paper\n\nAbout it.\n",
            "\n### A thing\n\n    cargo run --release -p impinge-bench -- thing --rounds 3\n\n2 s, load 1.0 before, unknown after.",
            "\n| n |  us |\n|---|-----|\n| 3 | 1.5 |",
            "| at most 2 us | met: 1.50 |",
            "**Not measured**: FCL is not installed.",
            "\n## Other\n\n**Not measured**: run `all --only other`.\n",
        ] {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
    }

    #[test]
    fn chapters_of_several_sittings_say_so_each() {
        let mut document = Document::default();
        for (title, sitting) in [("A", "first sitting"), ("B", "second sitting")] {
            document.chapter(title, Ok(chapter(sitting)));
        }
        let text = document.markdown();
        assert!(text.contains("several sittings") && !text.contains("Every number comes from one run"));
        assert!(text.contains("\n## A\n\nfirst sitting\n\nAbout it.") && text.contains("\n## B\n\nsecond sitting\n\nAbout it."));
    }

    #[test]
    fn a_chapter_survives_its_file() {
        let chapter = chapter("a sitting");
        assert_eq!(Measured::from_json(&chapter.to_json()), Some(chapter));
        assert_eq!(Measured::from_json(&json!({ "text": "of something else" })), None);
    }

    #[test]
    fn a_sitting_names_what_it_depends_on() {
        let Sitting(text) = Sitting::now("all --quick");
        for part in
            ["-- all --quick\n", "- commit: ", "- compiler: ", "- processor: ", "- memory: ", "- kernel: ", "- load average"]
        {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
    }
}
