//! Warnings of loaders, on stderr: a few of each kind, and how many more there are.

use std::io::Write;

use impinge_io::Warning;

use crate::plain::shown;

/// Of each kind and file so many are shown in full: a reduced robot with a full SRDF would fill the screen.
const SHOWN: usize = 3;

/// Shows warnings, in order.
pub fn tell(warnings: &[Warning]) {
    let text = text(warnings);
    if !text.is_empty() {
        // Nobody may be listening: then there is nobody to tell.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// Shows what was odd about putting files together.
pub fn note(notes: &[String]) {
    for note in notes {
        let _ = writeln!(std::io::stderr(), "warning: {}", shown(note));
    }
}

/// Shows what was assumed.
pub fn aside(notes: &[String]) {
    for note in notes {
        let _ = writeln!(std::io::stderr(), "note: {}", shown(note));
    }
}

/// Shows what the user may have meant instead.
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
        let told = text(&many);
        assert_eq!(told.lines().count(), 6, "{told}");
        assert!(told.contains("a.srdf:3: odd [unknown-link]") && !told.contains("a.srdf:4"));
        assert!(
            told.contains("a.srdf: … and 2 more of this kind [unknown-link]") && told.ends_with("6 warnings while loading\n")
        );
        assert_eq!(text(&[]), "");
    }
}
