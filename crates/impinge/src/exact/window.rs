//! The part of a span that no direction has excluded: `from..=to` in tau, where -1 and 1 are the ends of the span.
//!
//! ```text
//! tau  -1 |-----------[======uncovered======]------| 1
//!          direction 1 ^                     ^ direction 2
//! ```

/// What is left of a span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub from: f64,
    pub to: f64,
    /// Of the direction that set `from`: how much later, at most, a contact along it would begin (twice its error over its closing speed).
    pub lag: f64,
}

impl Window {
    pub const FULL: Window = Window { from: -1.0, to: 1.0, lag: f64::INFINITY };

    /// Whether the whole span is excluded.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.from > self.to
    }

    /// Excludes the open interval `a..b`, where it covers an end.
    #[inline(always)]
    pub fn exclude(&mut self, a: f64, b: f64, lag: f64) {
        if a < self.from && b > self.from {
            self.from = b;
            self.lag = lag;
        }
        if b > self.to && a < self.to {
            self.to = a;
        }
    }
}
