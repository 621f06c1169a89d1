//! Every benchmark in one sitting, written as one document.
//!
//! A benchmark is planned as a command line. The same line is parsed and run here, and printed in the document: a printed command is the one that
//! was run.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, Parser};

use crate::report::{Document, Missing, Section, load_average};
use crate::{Command, Outcome, caby, kim, measure, redon, xavier, zhang};

/// Where the document goes unless asked otherwise.
const DOCUMENT: &str = "target/bench/benchmarks.md";
/// Where numbers go as JSON.
pub const NUMBERS: &str = "target/bench";

/// How much is measured.
#[derive(Args)]
pub struct All {
    /// Few queries and rounds: whether everything runs, in a few minutes. The numbers are worth little.
    #[arg(long)]
    quick: bool,
}

/// Benchmarks of one paper, or of one kind.
#[derive(Debug)]
pub struct Chapter {
    /// Its heading.
    pub title: &'static str,
    /// What holds for all of its benchmarks.
    pub text: &'static str,
    /// Its benchmarks, in order.
    pub runs: &'static [Planned],
}

/// Arguments of the program for one benchmark.
#[derive(Debug)]
pub struct Planned {
    /// As measured for the document.
    pub full: &'static str,
    /// As measured with `--quick`.
    pub quick: &'static str,
}

const ROBOTS: Chapter = Chapter {
    title: "A robot's motions against sampling",
    text: "What a whole certified motion of an arm costs, in multiples of what FCL needs to test poses of the same arm in the same surroundings. \
           Sampling tests poses along a motion and proves nothing between them.",
    runs: &[Planned { full: "arm --rounds 9", quick: "arm --rounds 2" }],
};

const RIGID: Chapter = Chapter {
    title: "Rigid bodies beside FCL and parry",
    text: "Two meshes, one of which moves. FCL answers how far apart they are at the start of a motion; we answer for the whole motion. parry casts \
           shapes along the motion, in `f64`.",
    runs: &[
        Planned { full: "knots --rounds 5", quick: "knots --rounds 1" },
        Planned { full: "peers --rounds 3 --seconds 2", quick: "peers --rounds 1 --seconds 0.1" },
        Planned { full: "distance --rounds 5", quick: "distance --rounds 1" },
    ],
};

const PARTS: Chapter = Chapter {
    title: "Parts of the search",
    text: "",
    runs: &[
        Planned { full: "features --rounds 5", quick: "features --rounds 1" },
        Planned { full: "build --rounds 5", quick: "build --rounds 1" },
    ],
};

/// Everything that is measured, in the order of the document.
const CHAPTERS: [&Chapter; 8] =
    [&ROBOTS, &redon::CHAPTER, &zhang::CHAPTER, &xavier::CHAPTER, &kim::CHAPTER, &caby::CHAPTER, &RIGID, &PARTS];

/// Runs every benchmark and writes the document to `out`, its plots to the folder of the same name, numbers to `target/bench`.
///
/// # Errors
/// If a file cannot be written, or a benchmark failed for any other reason than missing data or programs; the others are run first.
pub fn run(all: &All, out: Option<&Path>) -> Outcome<()> {
    let out = out.unwrap_or(Path::new(DOCUMENT));
    let plots = out.with_extension("");
    let quick = if all.quick { " --quick" } else { "" };
    let mut document = Document::new(format!("all --out {}{quick}", out.display()));
    let mut failed = Vec::new();
    for chapter in CHAPTERS {
        let mut sections = Vec::new();
        for planned in chapter.runs {
            let section = section(if all.quick { planned.quick } else { planned.full }, &plots, &mut failed)?;
            sections.push(section);
        }
        document.chapter(chapter.title, chapter.text, sections);
        // After every chapter, so that an interrupted run leaves what it has.
        write(&document, out, &plots)?;
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("these benchmarks failed: {}", failed.join("; ")).into()) }
}

fn section(arguments: &str, plots: &Path, failed: &mut Vec<String>) -> Outcome<Section> {
    eprintln!("== {arguments}");
    let command = Command::try_parse_from(std::iter::once("impinge-bench").chain(arguments.split_whitespace()))?;
    let (load_before, begin) = (load_average(), Instant::now());
    let outcome = match measure(&command.what) {
        Ok(report) => {
            report.save_plots(plots)?;
            report.save_named_numbers(&PathBuf::from(NUMBERS))?;
            Ok(report)
        }
        Err(error) => {
            eprintln!("{arguments}: {error}");
            if !error.is::<Missing>() {
                failed.push(format!("{arguments}: {error}"));
            }
            Err(error.to_string())
        }
    };
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Section { command: arguments.into(), outcome, load: [load_before, load_average()], seconds })
}

fn write(document: &Document, out: &Path, plots: &Path) -> Outcome<()> {
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder)?;
    }
    let folder = plots.file_name().map_or(String::new(), |name| format!("{}/", name.to_string_lossy()));
    Ok(fs::write(out, document.markdown(&folder))?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;

    fn runs() -> impl Iterator<Item = &'static Planned> {
        CHAPTERS.into_iter().flat_map(|chapter| chapter.runs)
    }

    #[test]
    fn every_planned_command_is_understood() {
        for arguments in runs().flat_map(|run| [run.full, run.quick]) {
            let parsed = Command::try_parse_from(std::iter::once("impinge-bench").chain(arguments.split_whitespace()));
            assert!(parsed.is_ok(), "{arguments}: {:?}", parsed.err());
        }
    }

    /// Only the soak, which takes as long as it is told to, is no part of the document.
    #[test]
    fn every_benchmark_is_part_of_the_document() {
        let name = |arguments: &'static str| arguments.split(' ').next().expect("a name").to_owned();
        let planned: BTreeSet<String> = runs().map(|run| name(run.full)).collect();
        assert!(runs().all(|run| name(run.full) == name(run.quick)));
        let commands: BTreeSet<String> = Command::command().get_subcommands().map(|c| c.get_name().to_owned()).collect();
        let left: Vec<&String> = commands.difference(&planned).collect();
        assert_eq!(left, ["all", "soak"]);
    }

    #[test]
    fn a_missing_folder_is_told_in_its_section() {
        let mut failed = Vec::new();
        let plots = std::env::temp_dir().join(format!("impinge-bench-missing-{}", std::process::id()));
        let section = section("steps --dir nowhere --rounds 1", &plots, &mut failed).expect("no file is written");
        assert!(failed.is_empty() && section.outcome.is_err_and(|why| why.contains("nowhere")));
    }
}
