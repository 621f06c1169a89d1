//! How far a sitting is, and about how long it will take, from how long its benchmarks took the last time.
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

/// Benchmarks that are to be run, in order.
pub struct Progress {
    commands: Vec<&'static str>,
    /// How many were begun.
    begun: usize,
    start: Instant,
    /// Seconds that each command took when it was last measured, on this machine; kept in a file.
    took: BTreeMap<String, f64>,
    file: PathBuf,
}

impl Progress {
    /// Before the first one. `file` holds what earlier sittings took; it need not be there.
    pub fn new(commands: Vec<&'static str>, file: PathBuf) -> Self {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let took = serde_json::from_str::<BTreeMap<String, f64>>(&text).unwrap_or_default();
        Progress { commands, begun: 0, start: Instant::now(), took, file }
    }

    /// Tells that the next one begins.
    pub fn begin(&mut self) {
        let Some(command) = self.commands.get(self.begun) else { return };
        let minutes = |seconds: f64| format!("{:.0} min", seconds / 60.0);
        let left = self.left().map_or("time left unknown".into(), |left| format!("about {} left", minutes(left)));
        self.begun += 1;
        let so_far = minutes(self.start.elapsed().as_secs_f64());
        eprintln!("== {} of {}, {so_far} so far, {left}: {command}", self.begun, self.commands.len());
    }

    /// Remembers how long one took that was measured.
    pub fn measured(&mut self, command: &str, seconds: f64) -> Outcome<()> {
        self.took.insert(command.into(), seconds);
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(fs::write(&self.file, serde_json::to_string_pretty(&json!(self.took))? + "\n")?)
    }

    /// Seconds of those that were not begun: as the last time, or as long as others on average. `None` where nothing is known.
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
