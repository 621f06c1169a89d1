//! Spans of time.

/// The closed interval `from..=to` of t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub from: f64,
    pub to: f64,
}

impl Span {
    pub fn new(from: f64, to: f64) -> Self {
        Span { from, to }
    }

    /// The k-th of n equal spans of the whole motion.
    pub fn slice(k: usize, n: usize) -> Self {
        Span::new(k as f64 / n as f64, if k + 1 == n { 1.0 } else { (k + 1) as f64 / n as f64 })
    }

    #[inline(always)]
    pub fn middle(self) -> f64 {
        0.5 * (self.from + self.to)
    }

    /// At least |t - middle| for every t in the span: each difference rounds once.
    #[inline(always)]
    pub fn half(self) -> f64 {
        let m = self.middle();
        let h = (m - self.from).max(self.to - m);
        if h > 0.0 { h * (1.0 + f64::EPSILON) } else { 0.0 }
    }

    #[inline(always)]
    pub fn length(self) -> f64 {
        self.to - self.from
    }

    /// The time at `tau` in [-1, 1], clamped to the span.
    #[inline(always)]
    pub fn at(self, tau: f64) -> f64 {
        (self.middle() + tau * self.half()).clamp(self.from, self.to)
    }
}
