//! Every benchmark in one sitting, written as one document.
//!
//! ```text
//! chapters ──► their benchmarks, one after the other ──► target/bench/chapters/…/<key>.json ──► one document
//!                                                              ▲ `--only redon,xavier` measures these again and takes the others from here
//! ```
//! A benchmark is planned as a command line. The same line is parsed and run here, and printed in the document, so a printed command is
//! exactly the command that was run.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser};

use crate::progress::Progress;
use crate::report::{Document, Measured, Missing, Section, Sitting, load_average};
use crate::{Command, Outcome, caby, kim, measure, redon, xavier, zhang};

/// The default path of the document.
const DOCUMENT: &str = "target/bench/benchmarks.md";
/// The folder of numbers as JSON.
pub const NUMBERS: &str = "target/bench";

/// The extent of the measurements.
#[derive(Args)]
pub struct All {
    /// Few queries and rounds: shows in a few minutes whether every benchmark runs. The numbers are not meaningful.
    #[arg(long)]
    quick: bool,
    /// Only these chapters; the others are taken from earlier sittings, so that an interrupted one can be continued.
    #[arg(long, value_delimiter = ',', value_name = "CHAPTERS", value_parser = PossibleValuesParser::new(CHAPTERS.map(|c| c.key)))]
    only: Vec<String>,
}

/// Benchmarks of one paper, or of one kind.
#[derive(Debug)]
pub struct Chapter {
    /// Its name for `--only`.
    pub key: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// The text that applies to all of its benchmarks.
    pub text: &'static str,
    /// Its benchmarks, in order.
    pub runs: &'static [Planned],
}

/// Arguments of the program for one benchmark.
#[derive(Debug)]
pub struct Planned {
    /// For the document.
    pub full: &'static str,
    /// With `--quick`.
    pub quick: &'static str,
}

const ROBOTS: Chapter = Chapter {
    key: "arm",
    title: "Robot motions against sampling",
    text: "The cost of a whole certified motion of an arm, in multiples of the time that FCL needs to test poses of the same arm in the \
           same environment. Sampling tests poses along a motion and proves nothing between them.",
    runs: &[Planned { full: "arm", quick: "arm --rounds 2" }],
};

const RIGID: Chapter = Chapter {
    key: "rigid",
    title: "Rigid bodies against FCL and parry",
    text: "Two meshes, one of which moves. FCL computes their distance at the start of a motion; impinge decides the whole motion. parry \
           casts shapes along the motion, in `f64`.",
    runs: &[
        Planned { full: "knots --rounds 5", quick: "knots --rounds 1" },
        Planned { full: "peers --rounds 3 --seconds 2", quick: "peers --rounds 1 --seconds 0.1" },
        Planned { full: "distance --rounds 5", quick: "distance --rounds 1" },
    ],
};

const PARTS: Chapter = Chapter {
    key: "parts",
    title: "Parts of the search",
    text: "",
    runs: &[
        Planned { full: "features --rounds 5", quick: "features --rounds 1" },
        Planned { full: "build --rounds 5", quick: "build --rounds 1" },
    ],
};

/// All chapters, in the order of the document.
const CHAPTERS: [&Chapter; 8] =
    [&ROBOTS, &redon::CHAPTER, &zhang::CHAPTER, &xavier::CHAPTER, &kim::CHAPTER, &caby::CHAPTER, &RIGID, &PARTS];

/// Runs every benchmark, or those of some chapters. Writes the document to `out`, its plots to the folder of the same name, numbers and
/// chapters to `target/bench`.
///
/// # Errors
/// If a file cannot be written, or a benchmark failed for another reason than missing data or programs; the others are run first.
pub fn run(all: &All, out: Option<&Path>) -> Outcome<()> {
    let out = out.unwrap_or(Path::new(DOCUMENT));
    let shelf = Shelf::of(out, all.quick);
    if all.only.is_empty() {
        shelf.clear()?;
    }
    let wanted: Vec<&Chapter> =
        CHAPTERS.into_iter().filter(|c| all.only.is_empty() || all.only.iter().any(|key| key == c.key)).collect();
    let commands = wanted.iter().flat_map(|chapter| chapter.runs).map(|planned| planned.command(all.quick)).collect();
    let mut progress = Progress::new(commands, Path::new(NUMBERS).join("durations.json"));
    let (sitting, plots) = (Sitting::now(&all.command(out)), out.with_extension(""));
    let [mut missing, mut failed] = [Vec::new(), Vec::new()];
    for chapter in wanted {
        let mut sections = Vec::new();
        for planned in chapter.runs {
            progress.begin();
            let section = section(planned.command(all.quick), &plots, [&mut missing, &mut failed])?;
            if section.outcome.is_ok() {
                progress.measured(&section.command, section.seconds)?;
            }
            sections.push(section);
        }
        let folder = plots.file_name().map_or(String::new(), |name| format!("{}/", name.to_string_lossy()));
        shelf.put(chapter, &Measured::new(sitting.clone(), chapter.text, &sections, &folder))?;
        // After every chapter, so that an interrupted run keeps its results.
        write(&shelf, out)?;
    }
    missing.iter().for_each(|what| eprintln!("not measured: {what}"));
    if failed.is_empty() { Ok(()) } else { Err(format!("these benchmarks failed: {}", failed.join("; ")).into()) }
}

impl All {
    /// Returns the arguments for this selection.
    fn command(&self, out: &Path) -> String {
        let only = if self.only.is_empty() { String::new() } else { format!(" --only {}", self.only.join(",")) };
        format!("all --out {}{only}{}", out.display(), if self.quick { " --quick" } else { "" })
    }
}

impl Planned {
    fn command(&self, quick: bool) -> &'static str {
        if quick { self.quick } else { self.full }
    }
}

/// The folder of the chapters of a document, from sitting to sitting.
struct Shelf {
    folder: PathBuf,
}

impl Shelf {
    /// Quick numbers and those of another document have separate folders.
    fn of(out: &Path, quick: bool) -> Self {
        let name = out.file_stem().map_or("benchmarks".into(), |stem| stem.to_string_lossy());
        let kind = if quick { "quick" } else { "full" };
        Shelf { folder: Path::new(NUMBERS).join("chapters").join(format!("{name}-{kind}")) }
    }

    fn clear(&self) -> Outcome<()> {
        if self.folder.is_dir() { Ok(fs::remove_dir_all(&self.folder)?) } else { Ok(()) }
    }

    fn put(&self, chapter: &Chapter, measured: &Measured) -> Outcome<()> {
        fs::create_dir_all(&self.folder)?;
        Ok(fs::write(self.file(chapter), serde_json::to_string_pretty(&measured.to_json())? + "\n")?)
    }

    /// Returns a chapter of some sitting, or how to measure it.
    fn take(&self, chapter: &Chapter) -> Result<Measured, String> {
        let found = fs::read_to_string(self.file(chapter)).ok();
        let measured = found.and_then(|text| Measured::from_json(&serde_json::from_str(&text).ok()?));
        measured.ok_or_else(|| format!("run `all --only {}` with the same `--out`", chapter.key))
    }

    fn file(&self, chapter: &Chapter) -> PathBuf {
        self.folder.join(format!("{}.json", chapter.key))
    }
}

fn section(arguments: &str, plots: &Path, [missing, failed]: [&mut Vec<String>; 2]) -> Outcome<Section> {
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
            let list = if error.is::<Missing>() { missing } else { failed };
            list.push(format!("{arguments}: {error}"));
            Err(error.to_string())
        }
    };
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Section { command: arguments.into(), outcome, load: [load_before, load_average()], seconds })
}

fn write(shelf: &Shelf, out: &Path) -> Outcome<()> {
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut document = Document::default();
    CHAPTERS.into_iter().for_each(|chapter| document.chapter(chapter.title, shelf.take(chapter)));
    Ok(fs::write(out, document.markdown())?)
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

    /// Only the soak is not part of the document, because its duration is an option.
    #[test]
    fn every_benchmark_is_part_of_the_document() {
        let name = |arguments: &'static str| arguments.split(' ').next().expect("a name").to_owned();
        let planned: BTreeSet<String> = runs().map(|run| name(run.full)).collect();
        assert!(runs().all(|run| name(run.full) == name(run.quick)));
        let commands: BTreeSet<String> = Command::command().get_subcommands().map(|c| c.get_name().to_owned()).collect();
        let left: Vec<&String> = commands.difference(&planned).collect();
        assert_eq!(left, ["all", "instructions", "soak"]);
    }

    #[test]
    fn a_missing_folder_is_told_in_its_section() {
        let [mut missing, mut failed] = [Vec::new(), Vec::new()];
        let plots = std::env::temp_dir().join(format!("impinge-bench-missing-{}", std::process::id()));
        let section = section("steps --dir nowhere --rounds 1", &plots, [&mut missing, &mut failed]).expect("no file is written");
        assert!(failed.is_empty() && missing.len() == 1 && section.outcome.is_err_and(|why| why.contains("nowhere")));
    }

    /// Commands in documents are planned commands, word for word: they measure the numbers of the document.
    #[test]
    fn commands_in_the_readme_are_those_that_are_measured() {
        let readme = include_str!("../../../README.md");
        let told: Vec<&str> =
            readme.split("-p impinge-bench -- ").skip(1).filter_map(|rest| rest.split(['`', '\n']).next()).collect();
        assert!(told.contains(&"arm"), "{told:?}");
        for command in told {
            assert!(runs().any(|run| run.full == command), "`{command}` is not planned");
        }
    }

    #[test]
    fn only_known_chapters_can_be_asked_for() {
        let parse = |arguments: &[&str]| Command::try_parse_from(["impinge-bench", "all"].iter().chain(arguments));
        let Ok(Command { what: crate::What::All(all), .. }) = parse(&["--only", "redon,xavier", "--quick"]) else {
            panic!("two chapters are asked for")
        };
        assert_eq!(all.command(Path::new("x.md")), "all --out x.md --only redon,xavier --quick");
        assert!(parse(&["--only", "redom"]).is_err_and(|why| why.to_string().contains("redon")));
    }

    #[test]
    fn a_chapter_that_was_measured_is_kept_and_another_is_asked_for() {
        let shelf = Shelf { folder: std::env::temp_dir().join(format!("impinge-bench-shelf-{}", std::process::id())) };
        let measured = Measured::new(Sitting::now("all"), "Text.", &[], "plots/");
        shelf.put(&ROBOTS, &measured).expect("a file");
        assert_eq!(shelf.take(&ROBOTS), Ok(measured));
        assert!(shelf.take(&RIGID).is_err_and(|how| how.contains("--only rigid")));
        shelf.clear().expect("a folder");
        assert!(shelf.take(&ROBOTS).is_err());
    }
}
