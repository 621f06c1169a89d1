//! A progress bar on stderr for long work; none if stderr is not a terminal.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter work shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// The progress of a batch.
pub struct Progress {
    bar: Option<ProgressBar>,
    started: Instant,
    shown: bool,
}

impl Progress {
    /// Creates the bar for this number of motions, if known.
    pub fn new(total: Option<u64>) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let template = match total {
                Some(_) => "{bar:40} {pos} of {len} ({eta} left)",
                None => "{spinner} {pos} ({elapsed})",
            };
            let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
            bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Progress { bar, started: Instant::now(), shown: false }
    }

    /// Adds completed motions.
    pub fn add(&mut self, count: usize) {
        let Some(bar) = &self.bar else { return };
        bar.inc(count as u64);
        if !self.shown && self.started.elapsed() > PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
    }

    /// Hides the bar while `write` prints.
    pub fn aside<R>(&self, write: impl FnOnce() -> R) -> R {
        match &self.bar {
            Some(bar) if self.shown => bar.suspend(write),
            _ => write(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A spinner while files are loaded and hierarchies are built.
pub struct Loading(Option<ProgressBar>);

impl Loading {
    pub fn new() -> Self {
        Loading(std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner().with_message("loading");
            bar.enable_steady_tick(PATIENCE / 4);
            bar
        }))
    }
}

impl Drop for Loading {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
