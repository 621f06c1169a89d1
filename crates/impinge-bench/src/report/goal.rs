//! Targets of measured values.

/// A measured value within this share of its bound is at the edge: another run may be on the other side.
const EDGE: f64 = 0.1;

/// A bound, and every value measured against it.
#[derive(Clone, Debug)]
pub struct Goal {
    claim: String,
    limit: Limit,
    values: Vec<(String, f64)>,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

impl Goal {
    /// Creates a goal of at most `most` for every value.
    pub fn at_most(claim: impl Into<String>, most: f64) -> Self {
        Goal { claim: claim.into(), limit: Limit::AtMost(most), values: Vec::new() }
    }

    /// Creates a goal of at least `least` for every value.
    pub fn at_least(claim: impl Into<String>, least: f64) -> Self {
        Goal { claim: claim.into(), limit: Limit::AtLeast(least), values: Vec::new() }
    }

    /// Adds a measured value, if there is one, and its cell.
    pub fn add(&mut self, cell: impl Into<String>, value: Option<f64>) {
        self.values.extend(value.filter(|v| v.is_finite()).map(|v| (cell.into(), v)));
    }

    /// Returns the description of the target.
    pub fn claim(&self) -> &str {
        &self.claim
    }

    /// Returns whether the target is met, and the range of the values.
    pub fn result(&self) -> String {
        let order = |a: &&(String, f64), b: &&(String, f64)| a.1.total_cmp(&b.1);
        let (Some(least), Some(most)) = (self.values.iter().min_by(order), self.values.iter().max_by(order)) else {
            return "not measured".into();
        };
        let (worst, limit) = match self.limit {
            Limit::AtMost(limit) => (most, limit),
            Limit::AtLeast(limit) => (least, limit),
        };
        let missed = self.values.iter().filter(|v| !self.keeps(v.1)).count();
        let edge = if limit != 0.0 && (worst.1 - limit).abs() <= EDGE * limit.abs() { ", at the edge" } else { "" };
        let word = match missed {
            0 => format!("met{edge}"),
            _ => format!("missed in {missed} of {}{edge}", self.values.len()),
        };
        let range = if least.1 == most.1 { short(worst.1) } else { format!("{} to {}", short(least.1), short(most.1)) };
        let alike = least.1 == most.1 || worst.0.is_empty();
        let place = if alike { String::new() } else { format!(", worst: {}", worst.0) };
        format!("{word}: {range}{place}")
    }

    fn keeps(&self, value: f64) -> bool {
        match self.limit {
            Limit::AtMost(limit) => value <= limit,
            Limit::AtLeast(limit) => value >= limit,
        }
    }
}

/// Formats three significant digits.
fn short(value: f64) -> String {
    let digits = if value == 0.0 { 0 } else { (2 - value.abs().log10().floor() as i32).clamp(0, 6) };
    format!("{value:.*}", digits as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(mut goal: Goal, values: &[f64]) -> String {
        values.iter().for_each(|v| goal.add(format!("cell {v}"), Some(*v)));
        goal.result()
    }

    #[test]
    fn results_say_how_near_the_bound_is() {
        let fast = || Goal::at_least("fast", 300.0);
        assert_eq!(result(fast(), &[]), "not measured");
        assert_eq!(result(fast(), &[900.0, 1200.0]), "met: 900 to 1200, worst: cell 900");
        assert!(result(fast(), &[313.0, 1200.0]).starts_with("met, at the edge: 313 to 1200"));
        assert!(result(fast(), &[285.0, 1200.0]).starts_with("missed in 1 of 2, at the edge: 285 to 1200"));
        assert!(result(Goal::at_most("cheap", 0.4), &[0.05, 0.75, 0.5]).starts_with("missed in 2 of 3: 0.0500 to 0.750"));
        assert_eq!(result(Goal::at_most("wrong answers", 0.0), &[0.0, 0.0]), "met: 0");
        assert!(result(Goal::at_most("cheap", 0.4), &[f64::NAN]).starts_with("not measured"));
    }
}
