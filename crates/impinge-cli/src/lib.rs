//! The `impinge` command: arguments → job → library → text or JSON.
//!
//! ```text
//! args      command-line arguments             runner    a scene and its moving parts, ready for queries
//! movers    robots, skeletons, bodies          steps     recordings and trajectories, on a common clock
//! job       files loaded, scenes built         batch     queries in, answers out: in order, in parallel, in constant memory
//! names     parts as users name them           goal      first or any contact, details to report
//! check     robots and rigid bodies            answer    the answer for one motion           tally, repeats  summaries of batches
//! problems  one scene per motion               report    answers as text         json   answers as JSON lines
//! cases     case files, graded or not          printer, progress, warn           stdout and stderr
//! queries   vertex/face and edge/edge          input, values                     input lines and numbers     help   examples of --help
//! interrupt Ctrl-C                             course    the motion of one robot  plain   escaped names and messages
//! distance, witnesses  distances, and all contacts     step, watch  deforming bodies, predictions for a tool or robot
//! outputs   output files, never over input files
//! pairs, verify, swept, example   other commands   certificate     certificates, into a file
//! ```
//!
//! Answers are printed to stdout, everything else (errors, warnings, progress) to stderr. The exit code is 0 if all motions are
//! free, 1 if there is a contact, 2 on an error, 3 if a motion is undecided, 130 if the command was interrupted.

mod answer;
mod args;
mod batch;
mod cases;
mod certificate;
mod check;
mod course;
mod distance;
mod example;
mod follower;
mod goal;
mod help;
mod input;
mod interrupt;
mod job;
mod json;
mod mover_args;
mod movers;
mod names;
mod outputs;
mod pairs;
mod plain;
mod printer;
mod problems;
mod progress;
mod queries;
mod repeats;
mod report;
mod runner;
mod step;
mod steps;
mod surfaces;
mod swept;
mod tally;
mod values;
mod verify;
mod warn;
mod watch;
mod witnesses;

use std::io::Write;

use clap::Parser;

use args::{Cli, Command};
use impinge_io::IoError;
use interrupt::Interrupt;

/// The exit code of an error.
const ERROR: u8 = 2;

/// Parses arguments, the command's name first; returns the message if they are refused.
///
/// # Errors
/// If they are refused, or request help.
pub fn understand(args: impl IntoIterator<Item = std::ffi::OsString>) -> Result<(), String> {
    Cli::try_parse_from(args).map(drop).map_err(|e| e.to_string())
}

/// Runs the command of this process, and ends the process.
pub fn main() -> ! {
    let command = Cli::parse().command;
    // Commands that do not poll for Ctrl-C are ended shortly after it.
    Interrupt::watched();
    let outcome = match command {
        Command::Check(args) => check::run(&args),
        Command::Clearance(args) => check::run_clearance(*args),
        Command::Pairs(args) => pairs::run(&args),
        Command::Cases(args) => cases::run_graded(&args),
        Command::Queries(args) => queries::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Swept(args) => swept::run(&args),
        Command::Distance(args) => distance::run(&args),
        Command::Witnesses(args) => witnesses::run(&args),
        Command::Step(args) => step::run(&args),
        Command::Watch(args) => watch::run(&args),
        Command::Example(args) => example::run(&args),
    };
    let code = outcome.unwrap_or_else(|error| {
        if is_closed_pipe(&error) {
            return tally::Tally::default().unfinished();
        }
        // The reader of stderr may be gone.
        let _ = writeln!(std::io::stderr(), "error: {}", plain::shown(&message(&error)));
        ERROR
    });
    // Not a return from `main`: a thread may still wait for standard input.
    std::process::exit(code.into());
}

/// Tests whether the reader of stdout is gone, which is no error.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}

/// Returns an error with its causes, each once, because impinge's messages include their causes; adds the option that helps.
fn message(error: &anyhow::Error) -> String {
    let option = match error.chain().find_map(|cause| cause.downcast_ref::<IoError>()) {
        Some(IoError::MissingMesh { reference, .. }) if reference.starts_with("package://") => {
            "; --package-path DIR names the package folder or its parent"
        }
        Some(IoError::PathEscape { .. }) => "; --package-path DIR adds a folder, --allow-outside allows all folders",
        _ => "",
    };
    let causes = error.chain().map(ToString::to_string).fold(String::new(), |said, cause| {
        if said.is_empty() {
            cause
        } else if said.contains(&cause) {
            said
        } else {
            format!("{said}: {cause}")
        }
    });
    causes + option
}
