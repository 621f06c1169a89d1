//! The `impinge` command: arguments → job → library → text or JSON.
//!
//! ```text
//! args      what was asked for                 asker     a scene with what moves in it, ready to be asked
//! movers    robots, skeletons, bodies          steps     recordings and trajectories, on one clock
//! job       files loaded, scenes built         batch     questions in, answers out: in order, in parallel, in constant memory
//! names     parts as users name them           goal      what is wanted of a motion
//! check     robots and rigid bodies            answer    one motion's answer in the user's terms     tally, repeats  of many
//! problems  a scene of its own per motion      report    … as text for people    json   … as a line for machines
//! cases     case files, graded or not          printer, progress, warn           what goes to stdout, what to stderr
//! queries   vertex/face and edge/edge          input, values                     lines and numbers on their way in    help   its examples
//! interrupt somebody wants to stop             course    how one robot moves       plain   names and messages as they may be shown
//! distance, witnesses  how far apart, and all that touches       step, watch  deforming bodies, a tool in somebody's hand
//! outputs   what is written, never over what is read
//! pairs, verify, swept, example   other ones   certificate                       what proofs rest on, into a file
//! ```
//!
//! The answer goes to stdout, words about it (errors, warnings, progress) to stderr. The exit code is 0 when all is free, 1 when
//! something touches, 2 on an error, 3 when something is undecided, 130 when it was interrupted.

mod answer;
mod args;
mod asker;
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

/// What the shell is told when something went wrong.
const ERROR: u8 = 2;

/// Whether arguments, the command's name first, can be understood; otherwise what is said about them.
///
/// # Errors
/// If they cannot, or ask for help.
pub fn understand(args: impl IntoIterator<Item = std::ffi::OsString>) -> Result<(), String> {
    Cli::try_parse_from(args).map(drop).map_err(|e| e.to_string())
}

/// Does what the arguments of this process ask for, and ends it.
pub fn main() -> ! {
    let command = Cli::parse().command;
    // What does not look for Ctrl-C itself ends soon after it.
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
        // Nobody may be listening: then there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "error: {}", plain::shown(&message(&error)));
        ERROR
    });
    // Not a return from `main`: a thread may still wait for standard input.
    std::process::exit(code.into());
}

/// Whether the reader of our output went away: no error, they have seen enough.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}

/// An error with its causes, each said once: ours name theirs already; and the option that helps.
fn message(error: &anyhow::Error) -> String {
    let option = match error.chain().find_map(|cause| cause.downcast_ref::<IoError>()) {
        Some(IoError::MissingMesh { reference, .. }) if reference.starts_with("package://") => {
            "; --package-path DIR names a folder that is or holds the package"
        }
        Some(IoError::PathEscape { .. }) => "; --package-path DIR adds a folder, --allow-outside allows all",
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
