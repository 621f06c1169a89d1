//! Where and when a document was measured.

use std::fs;
use std::process::Command;
use std::thread;

use crate::clock;

/// The machine, the compiler and the commit.
#[derive(Debug)]
pub struct Machine {
    commit: String,
    rustc: String,
    cpu: String,
    cores: usize,
    date: String,
}

impl Machine {
    /// This machine, now. What cannot be found out is "unknown".
    pub fn here() -> Self {
        let changed = output("git", &["status", "--porcelain", "--", "crates", "Cargo.toml", "Cargo.lock"]);
        let commit = output("git", &["rev-parse", "HEAD"]).unwrap_or_else(|| "unknown".into());
        let commit = if changed.is_some() { format!("{commit}, with local changes") } else { commit };
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info.lines().find_map(|l| l.strip_prefix("model name")?.split_once(':'));
        Machine {
            commit,
            rustc: output("rustc", &["--version"]).unwrap_or_else(|| "unknown".into()),
            cpu: model.map_or("unknown".into(), |(_, name)| name.trim().to_owned()),
            cores: thread::available_parallelism().map_or(1, usize::from),
            date: output("date", &["-u", "+%Y-%m-%d %H:%M UTC"]).unwrap_or_else(|| "unknown".into()),
        }
    }

    /// Lines for the top of a document.
    pub fn markdown(&self) -> String {
        let profile = if cfg!(debug_assertions) {
            "**debug assertions are on: these numbers say nothing about speed**"
        } else {
            "release profile of the workspace"
        };
        format!(
            "- commit: {}\n- compiler: {}, {profile}\n- processor: {}, {} cores\n- date: {}\n- one reading of the thread's clock: {:.2} us",
            self.commit,
            self.rustc,
            self.cpu,
            self.cores,
            self.date,
            clock::cost()
        )
    }
}

/// Programs that run or wait to run, mean of the last minute; `None` where the system does not say.
pub fn load_average() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// What a program prints, if it succeeds and prints anything.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
