//! Prints warnings of loaders to stderr: a few of each kind, and the number of the others.

use std::io::Write;

use impinge_io::Warning;

use crate::plain::shown;

/// Number of warnings per kind and file that are printed in full: a reduced robot with a full SRDF would fill the screen.
const SHOWN: usize = 3;

/// Prints warnings, in order.
pub fn print(warnings: &[Warning]) {
    let text = text(warnings);
    if !text.is_empty() {
        // The reader of stderr may be gone.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// Prints notes about inconsistent inputs as warnings.
pub fn note(notes: &[String]) {
    for note in notes {
        let _ = writeln!(std::io::stderr(), "warning: {}", shown(note));
    }
}

/// Prints assumptions.
pub fn aside(notes: &[String]) {
    for note in notes {
        let _ = writeln!(std::io::stderr(), "note: {}", shown(note));
    }
}

/// Prints a hint about a likely mistake.
pub fn hint(hint: Option<String>) {
    if let Some(hint) = hint {
        let _ = writeln!(std::io::stderr(), "hint: {}", shown(&hint));
    }
}

fn text(warnings: &[Warning]) -> String {
    let mut out = String::new();
    let mut kinds: Vec<(&Warning, usize)> = Vec::new();
    for warning in warnings {
        let count = match kinds.iter_mut().find(|(w, _)| w.kind == warning.kind && w.path == warning.path) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                kinds.push((warning, 1));
                1
            }
        };
        if count <= SHOWN {
            out += &format!("warning: {}\n", shown(&warning.to_string()));
        }
    }
    for (warning, count) in kinds.iter().filter(|(_, count)| *count > SHOWN) {
        let path = warning.path.display().to_string();
        out += &format!("warning: {}: … and {} more of this kind [{}]\n", shown(&path), count - SHOWN, warning.kind);
    }
    if warnings.len() > 1 {
        out += &format!("{} warnings while loading\n", warnings.len());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_io::Place;

    #[test]
    fn many_of_a_kind_are_counted() {
        let warning = |kind, line| Warning::new(Place::line("a.srdf", line), kind, "odd");
        let many: Vec<Warning> = (1..=5).map(|line| warning("unknown-link", line)).chain([warning("robot-name", 9)]).collect();
        let output = text(&many);
        assert_eq!(output.lines().count(), 6, "{output}");
        assert!(output.contains("a.srdf:3: odd [unknown-link]") && !output.contains("a.srdf:4"));
        assert!(
            output.contains("a.srdf: … and 2 more of this kind [unknown-link]") && output.ends_with("6 warnings while loading\n")
        );
        assert_eq!(text(&[]), "");
    }
}
