//! The part of a span that no direction has excluded: `from..=to` in tau, where -1 and 1 are the ends of the span.
//!
//! ```text
//! tau  -1 |-----------[======uncovered======]------| 1
//!          direction 1 ^                     ^ direction 2
//! ```
//! One direction may take over where another ends, so intervals in the middle are kept until an end reaches them.

/// What is left of a span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub from: f64,
    pub to: f64,
    /// Of the direction that set `from`: how much later, at most, a contact along it would begin (twice its error over its closing speed).
    pub lag: f64,
}

/// A window being narrowed.
pub(crate) struct Narrowing {
    pub window: Window,
    /// Excluded intervals inside the window, with their lags.
    inside: [(f64, f64, f64); KEEP],
    kept: usize,
}

/// Two triangles have eleven axes; what does not fit is forgotten, which only costs time.
const KEEP: usize = 12;

impl Window {
    pub const FULL: Window = Window { from: -1.0, to: 1.0, lag: f64::INFINITY };

    /// Whether the whole span is excluded.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.from > self.to
    }

    /// Excludes the open interval `a..b` where it covers an end; tells whether it did.
    #[inline(always)]
    fn exclude(&mut self, (a, b, lag): (f64, f64, f64)) -> bool {
        let (front, back) = (a < self.from && b > self.from, b > self.to && a < self.to);
        if front {
            self.from = b;
            self.lag = lag;
        }
        if back {
            self.to = a;
        }
        front || back
    }
}

impl Narrowing {
    #[inline(always)]
    pub fn new(window: Window) -> Self {
        Narrowing { window, inside: [(0.0, 0.0, 0.0); KEEP], kept: 0 }
    }

    /// Excludes the open interval `a..b`.
    #[inline(always)]
    pub fn exclude(&mut self, a: f64, b: f64, lag: f64) {
        if self.window.exclude((a, b, lag)) {
            self.retry();
        } else if a > self.window.from && b < self.window.to && self.kept < KEEP {
            self.inside[self.kept] = (a, b, lag);
            self.kept += 1;
        }
    }

    #[inline(always)]
    fn retry(&mut self) {
        let mut again = self.kept > 0;
        while again {
            again = false;
            for i in 0..self.kept {
                again |= self.window.exclude(self.inside[i]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_inside_count_once_an_end_reaches_them() {
        let mut n = Narrowing::new(Window::FULL);
        n.exclude(-0.5, 0.5, 1.0);
        assert_eq!((n.window.from, n.window.to), (-1.0, 1.0));
        n.exclude(-2.0, -0.4, 2.0);
        assert_eq!((n.window.from, n.window.to, n.window.lag), (0.5, 1.0, 1.0));
        n.exclude(0.4, 2.0, 3.0);
        assert!(n.window.is_empty());
    }

    #[test]
    fn the_ends_of_an_excluded_interval_stay() {
        let mut n = Narrowing::new(Window::FULL);
        n.exclude(-2.0, 0.0, 1.0);
        n.exclude(0.0, 2.0, 1.0);
        assert!(!n.window.is_empty(), "tau = 0 is in neither open interval");
    }
}
