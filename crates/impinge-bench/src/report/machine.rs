//! Place and time of a measurement.

use std::fs;
use std::process::Command;
use std::thread;

use crate::clock;

/// The machine, the system, the compiler and the commit.
#[derive(Debug)]
pub struct Machine {
    commit: String,
    rustc: String,
    cpu: String,
    memory: String,
    kernel: String,
    date: String,
    /// Microseconds of one reading of the thread's clock.
    clock: f64,
}

impl Machine {
    /// Describes this machine, now; unavailable data is "unknown".
    pub fn here() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let unknown = || "unknown".to_owned();
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Machine {
            commit: commit(),
            rustc: output("rustc", &["--version"]).unwrap_or_else(unknown),
            cpu: format!("{}, {cores} cores", processor(&read("/proc/cpuinfo"))),
            memory: memory(&read("/proc/meminfo")),
            kernel: output("uname", &["-srm"]).unwrap_or_else(unknown),
            date: output("date", &["-u", "+%Y-%m-%d %H:%M UTC"]).unwrap_or_else(unknown),
            clock: clock::cost(),
        }
    }

    /// Formats lines for the top of a document.
    pub fn markdown(&self) -> String {
        let profile = if cfg!(debug_assertions) {
            "**debug assertions are on: these numbers say nothing about speed**"
        } else {
            "release profile of the workspace"
        };
        let Machine { commit, rustc, cpu, memory, kernel, date, clock } = self;
        format!(
            "- commit: {commit}\n- compiler: {rustc}, {profile}\n- processor: {cpu}\n- memory: {memory}\n- kernel: {kernel}\n- date: {date}\n\
             - one reading of the thread's clock: {clock:.2} us"
        )
    }
}

/// Returns the commit, and whether sources differ from it.
fn commit() -> String {
    let Some(commit) = output("git", &["rev-parse", "HEAD"]) else { return "unknown".into() };
    match output("git", &["status", "--porcelain", "--", "crates", "Cargo.toml", "Cargo.lock"]) {
        Some(_) => format!("{commit}, **dirty: with local changes**"),
        None => format!("{commit}, clean"),
    }
}

/// Reads model and clock rate from `/proc/cpuinfo`.
fn processor(info: &str) -> String {
    let value = |key: &str| info.lines().find_map(|l| Some(l.strip_prefix(key)?.split_once(':')?.1.trim()));
    let rate = value("cpu MHz").and_then(|mhz| mhz.parse::<f64>().ok());
    let rate = rate.map_or("clock rate unknown".into(), |mhz| format!("{mhz:.0} MHz now"));
    format!("{}, {rate}", value("model name").unwrap_or("unknown"))
}

/// Reads the total memory from `/proc/meminfo`.
fn memory(info: &str) -> String {
    let kib = info.lines().find_map(|l| l.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    kib.map_or("unknown".into(), |kib| format!("{:.1} GiB", kib / 1024.0 / 1024.0))
}

/// Returns the load average of the last minute; `None` if the system does not report it.
pub fn load_average() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// Returns the output of a program, if it succeeds and prints anything.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read_and_what_it_does_not_say_is_unknown() {
        let info = "processor\t: 0\nmodel name\t: A Processor\ncpu MHz\t\t: 2593.906\n\nprocessor\t: 1\nmodel name\t: B\n";
        assert_eq!(processor(info), "A Processor, 2594 MHz now");
        assert_eq!(processor(""), "unknown, clock rate unknown");
        assert_eq!(memory("MemTotal:       25165824 kB\nMemFree: 3 kB\n"), "24.0 GiB");
        assert_eq!(memory("nothing"), "unknown");
    }
}
