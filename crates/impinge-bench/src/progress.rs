//! The progress of a sitting, with an estimate of the remaining time from the last durations of its benchmarks.
//!
//! ```text
//! == 3 of 29, 12 min so far, about 45 min left: zhang-2 --rounds 7 --seconds 2
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;

use crate::Outcome;

/// The benchmarks to run, in order.
pub struct Progress {
    commands: Vec<&'static str>,
    /// The number of started benchmarks.
    begun: usize,
    start: Instant,
    /// Seconds of the last run of each command on this machine; kept in a file.
    took: BTreeMap<String, f64>,
    file: PathBuf,
}

impl Progress {
    /// Creates the state before the first one. `file` contains the durations of earlier sittings, if it exists.
    pub fn new(commands: Vec<&'static str>, file: PathBuf) -> Self {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let took = serde_json::from_str::<BTreeMap<String, f64>>(&text).unwrap_or_default();
        Progress { commands, begun: 0, start: Instant::now(), took, file }
    }

    /// Reports the start of the next benchmark.
    pub fn begin(&mut self) {
        let Some(command) = self.commands.get(self.begun) else { return };
        let minutes = |seconds: f64| format!("{:.0} min", seconds / 60.0);
        let left = self.left().map_or("time left unknown".into(), |left| format!("about {} left", minutes(left)));
        self.begun += 1;
        let so_far = minutes(self.start.elapsed().as_secs_f64());
        eprintln!("== {} of {}, {so_far} so far, {left}: {command}", self.begun, self.commands.len());
    }

    /// Stores the duration of a measured benchmark.
    pub fn measured(&mut self, command: &str, seconds: f64) -> Outcome<()> {
        self.took.insert(command.into(), seconds);
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(fs::write(&self.file, serde_json::to_string_pretty(&json!(self.took))? + "\n")?)
    }

    /// Estimates the seconds of the remaining benchmarks: as the last time, or as the average of the others. `None` without data.
    fn left(&self) -> Option<f64> {
        let known: Vec<f64> = self.commands.iter().filter_map(|command| self.took.get(*command).copied()).collect();
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let each = self.commands[self.begun..].iter().map(|command| self.took.get(*command).copied().unwrap_or(mean));
        (!known.is_empty()).then(|| each.sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_what_it_took_before_or_as_long_as_others() {
        let file = std::env::temp_dir().join(format!("impinge-bench-progress-{}", std::process::id())).join("took.json");
        let new = || Progress::new(vec!["a", "b", "c"], file.clone());
        let mut progress = new();
        assert_eq!(progress.left(), None);
        progress.begin();
        progress.measured("a", 10.0).expect("a file");
        assert_eq!(progress.left(), Some(20.0));
        progress.begin();
        progress.measured("b", 30.0).expect("a file");
        assert_eq!((progress.left(), new().left()), (Some(20.0), Some(60.0)));
        fs::remove_dir_all(file.parent().expect("a folder")).expect("it is there");
    }
}
