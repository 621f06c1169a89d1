//! A bar on stderr while work takes long; nothing where nobody is looking.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// How far a batch is.
pub struct Progress {
    bar: Option<ProgressBar>,
    started: Instant,
    shown: bool,
}

impl Progress {
    /// For so many motions, if it is known how many.
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

    /// So many more are done.
    pub fn add(&mut self, count: usize) {
        let Some(bar) = &self.bar else { return };
        bar.inc(count as u64);
        if !self.shown && self.started.elapsed() > PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
    }

    /// Does something that writes, with the bar out of the way.
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

/// Turns while files are loaded and trees are built.
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
