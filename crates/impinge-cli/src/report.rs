//! Answers as text.

use std::fmt::Write;
use std::time::Duration;

use anstyle::{AnsiColor, Style};

use impinge_io::Id;

use crate::answer::{Answer, ClearanceLine, LoopLine, StageLine, TouchedFeature, Touching, Word};
use crate::plain::shown;
use crate::tally::Tally;

/// Colours, if enabled.
pub struct Paint {
    on: bool,
}

impl Paint {
    pub fn new(on: bool) -> Self {
        Paint { on }
    }

    fn style(&self, style: Style, text: &str) -> String {
        if self.on { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// Returns a verdict in its colour, padded to `width`.
    fn word(&self, word: Word, width: usize) -> String {
        let colour = match word {
            Word::Free => AnsiColor::Green,
            Word::Contact => AnsiColor::Red,
            Word::Undecided => AnsiColor::Yellow,
            Word::Error => AnsiColor::Magenta,
        };
        self.style(Style::new().bold().fg_color(Some(colour.into())), &format!("{:<width$}", word.text()))
    }

    fn faint(&self, text: &str) -> String {
        self.style(Style::new().dimmed(), text)
    }

    fn warning(&self, text: &str) -> String {
        self.style(Style::new().fg_color(Some(AnsiColor::Yellow.into())), text)
    }
}

/// Returns an id without quotation marks.
fn id_text(id: &Id) -> String {
    shown(&id.to_string()).into_owned()
}

/// Tests whether an answer has no details besides its free verdict.
pub fn is_plain(answer: &Answer) -> bool {
    answer.verdict == Word::Free && answer.warnings.is_empty() && answer.clearance.is_none() && answer.loops.is_none()
}

/// Returns one line for several consecutive free answers.
pub fn run(first: &Id, last: &Id, count: u64, paint: &Paint) -> String {
    let ids = if count == 1 { id_text(first) } else { format!("{}-{}", id_text(first), id_text(last)) };
    format!("{ids:<6} {}\n", paint.word(Word::Free, 0))
}

/// Returns one line, and one for each contact if all are requested.
pub fn line(answer: &Answer, paint: &Paint) -> String {
    let mut out = format!("{:<6} {}", id_text(&answer.id), paint.word(answer.verdict, 9));
    if let Some((lo, hi)) = answer.time {
        let _ = write!(out, "  {}", bracket(lo, hi));
    }
    if let Some(seconds) = answer.seconds {
        let _ = write!(out, " ({:.6} s)", seconds.1);
    }
    if let Some((_, frame)) = answer.frame {
        let _ = write!(out, " frame {frame:.3}");
    }
    if let Some((a, b)) = &answer.pair {
        let _ = write!(out, "  {} – {}", shown(a), shown(b));
    }
    if let Some(point) = answer.point {
        let _ = write!(out, "  {}", paint.faint(&format!("at {}", vector(point))));
    }
    if answer.verdict == Word::Undecided
        && let Some(until) = answer.free_until
    {
        let _ = write!(out, "  free until {}", down(until));
    }
    if let Some(text) = answer.clearance.as_ref().and_then(clearance) {
        let _ = write!(out, "  {text}");
    }
    for text in answer.loops.iter().flatten().map(loop_text) {
        let _ = write!(out, "  {}", paint.faint(&text));
    }
    if let Some(met) = answer.expected_met {
        let grade = answer.grade.unwrap_or_default();
        let text = if met { paint.faint("as expected") } else { paint.warning(&format!("NOT as expected ({grade})")) };
        let _ = write!(out, "  {text}");
    }
    let mut out = out.trim_end().to_owned();
    out.push('\n');
    for contact in answer.contacts.iter().flatten() {
        let _ = writeln!(out, "       {}", touching(contact));
    }
    if answer.contacts_complete == Some(false) {
        let _ = writeln!(out, "       {INCOMPLETE}");
    }
    out
}

/// Printed below an incomplete list of contacts.
const INCOMPLETE: &str = "touches   incomplete list: the limit of work or memory was reached";

/// Returns the line of one contact: parts, features, points.
fn touching(t: &Touching) -> String {
    let points: Vec<String> = t.points.iter().map(|&p| vector(p)).collect();
    let [a, b] = &t.features;
    format!("touches   {} {} – {} {} at {}", shown(&t.pair.0), feature(a), shown(&t.pair.1), feature(b), points.join(" to "))
}

/// Returns the answer in several lines.
pub fn story(answer: &Answer, paint: &Paint) -> String {
    let mut out = paint.word(answer.verdict, 0);
    match answer.verdict {
        Word::Free => match answer.clearance_at_least.filter(|_| answer.clearance.is_none()) {
            Some(margin) => out += &format!(": proven for the whole motion, all checked pairs at least {margin} m apart\n"),
            None => out += ": proven for the whole motion\n",
        },
        Word::Undecided => {
            out += &format!(
                ": neither contact nor its absence is proven; free until t = {}\n",
                down(answer.free_until.unwrap_or(0.0))
            );
        }
        Word::Error => out += "\n",
        Word::Contact => {
            if let Some((a, b)) = &answer.pair {
                let verb = if answer.state == Some("contained") { "is inside" } else { "touches" };
                out += &format!(": {} {verb} {}\n", shown(a), shown(b));
            }
            if let Some((lo, hi)) = answer.time {
                out += &format!("  when      {}; free before {}\n", bracket(lo, hi), down(answer.free_until.unwrap_or(0.0)));
            }
            if let Some((lo, hi)) = answer.frame {
                out += &format!("  frame     between {lo:.6} and {hi:.6}, counted from 0\n");
            }
            if let Some((lo, hi)) = answer.seconds {
                out += &format!("  seconds   between {lo:.6} and {hi:.6}\n");
            }
            if let (Some(point), Some(normal)) = (answer.point, answer.normal) {
                out += &format!("  where     {}, normal {}\n", vector(point), vector(normal));
            }
            if let Some([a, b]) = &answer.features {
                out += &format!("  features  {} – {}\n", feature(a), feature(b));
            }
            if let Some(state) = answer.state.filter(|s| *s != "begins") {
                out += &format!("  at start  {state}\n");
            }
            for contact in answer.contacts.iter().flatten() {
                let _ = writeln!(out, "  {}", touching(contact));
            }
            if answer.contacts_complete == Some(false) {
                let _ = writeln!(out, "  {INCOMPLETE}");
            }
        }
    }
    if let Some(text) = answer.clearance.as_ref().and_then(clearance) {
        out += &format!("  nearest   {text}\n");
    }
    for text in answer.loops.iter().flatten().map(loop_text) {
        out += &format!("  loop      {text}\n");
    }
    if let Some(lines) = &answer.stages {
        out += &stages(lines);
    }
    if let Some(met) = answer.expected_met {
        let grade = answer.grade.unwrap_or_default();
        out += &if met {
            "  expected  met\n".to_owned()
        } else {
            format!("  expected  {}\n", paint.warning(&format!("NOT met: {grade}")))
        };
    }
    out
}

/// Returns the minimum distance, its pair and its time.
fn clearance(line: &ClearanceLine) -> Option<String> {
    let why = match line.limited_by {
        None => "",
        Some("resolution") => " (limit of the arithmetic)",
        Some("undecided") => " (margins between the bounds could not be decided)",
        Some(_) => " (work limit reached: --max-work)",
    };
    let at_least = line.at_least?;
    let (Some(at_most), Some((a, b)), Some(time)) = (line.at_most, &line.pair, line.time) else {
        return Some(format!("at least {} m{why}", down(at_least)));
    };
    let (a, b) = (shown(a), shown(b));
    Some(format!("{} to {} m, {a} – {b} at t = {time:.6}{why}", down(at_least), up(at_most)))
}

/// Returns the opening of a loop, rounded up.
fn loop_text(line: &LoopLine) -> String {
    let up = |x: f64| format!("{:.6}", (x * 1e6).ceil() / 1e6);
    let angle = line.opens_at_most.radians.map_or(String::new(), |r| format!(" and {} rad", up(r)));
    format!("{} opens by at most {} m{angle}", shown(&line.name), up(line.opens_at_most.metres))
}

/// Returns the counters of each stage, one line each.
pub fn stages(lines: &[StageLine]) -> String {
    let mut out = format!(
        "  {:<15}{:>12}{:>12}{:>12}{:>12}{:>12}{:>14}\n",
        "stage", "pairs in", "out", "boxes", "equations", "intervals", "time"
    );
    for l in lines {
        let name = ["1 boxes", "2 sweeps", "3 exact"].get(l.stage - 1).copied().unwrap_or_default();
        let time = duration(Duration::from_secs_f64(l.micros.max(0.0) * 1e-6));
        let _ = writeln!(
            out,
            "  {name:<15}{:>12}{:>12}{:>12}{:>12}{:>12}{time:>14}",
            l.suspects_in, l.suspects_out, l.node_pairs, l.equations, l.intervals
        );
    }
    out
}

/// Returns the answer's warnings, one line each.
pub fn warnings(answer: &Answer, paint: &Paint) -> String {
    answer.warnings.iter().map(|w| format!("       {}\n", paint.warning(&format!("warning: {}", shown(w.text()))))).collect()
}

/// Returns the summary of several answers.
pub fn summary(tally: &Tally, unit: (&str, &str), elapsed: Duration, paint: &Paint) -> String {
    let count = |n: u64, word: Word| format!("{n} {}", if n > 0 { paint.word(word, 0) } else { word.text().into() });
    let mut out = format!(
        "{} {}: {}, {}",
        tally.total(),
        if tally.total() == 1 { unit.0 } else { unit.1 },
        count(tally.free, Word::Free),
        count(tally.contact, Word::Contact)
    );
    for (n, word) in [(tally.undecided, Word::Undecided), (tally.error, Word::Error)].into_iter().filter(|(n, _)| *n > 0) {
        let _ = write!(out, ", {}", count(n, word));
    }
    if tally.expected > 0 {
        let _ = write!(out, "; {} of {} as expected", tally.expected - tally.unmet, tally.expected);
    }
    let _ = writeln!(out, " {}", paint.faint(&format!("({})", duration(elapsed))));
    out
}

/// Returns a duration with about three digits.
fn duration(elapsed: Duration) -> String {
    match elapsed.as_secs_f64() {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}

/// Returns a bracket of time, rounded outwards: wider than proven, never narrower.
fn bracket(lo: f64, hi: f64) -> String {
    format!("t in [{}, {}]", down(lo), up(hi))
}

/// Digits of times in text.
const DIGITS: f64 = 1e9;

pub fn down(t: f64) -> String {
    format!("{:.9}", (t * DIGITS).floor() / DIGITS)
}

pub fn up(t: f64) -> String {
    format!("{:.9}", (t * DIGITS).ceil() / DIGITS)
}

fn vector([x, y, z]: [f64; 3]) -> String {
    // Removes the minus sign of values that round to zero.
    let short = |v: f64| format!("{:.4}", if v.abs() < 5e-5 { 0.0 } else { v });
    format!("({}, {}, {})", short(x), short(y), short(z))
}

fn feature(f: &TouchedFeature) -> String {
    let piece = if f.piece > 0 { format!(" of piece {}", f.piece) } else { String::new() };
    match f.kind {
        "vertex" => format!("corner {} of triangle {}{piece}", f.corner, f.triangle),
        "edge" => format!("edge {} of triangle {}{piece}", f.corner, f.triangle),
        "face" => format!("triangle {}{piece}", f.triangle),
        _ => format!("solid{piece}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::Verdict;

    #[test]
    fn times_are_rounded_outwards() {
        assert_eq!(bracket(0.333_333_333_333, 0.333_333_333_334), "t in [0.333333333, 0.333333334]");
        assert_eq!(bracket(0.0, 1.0), "t in [0.000000000, 1.000000000]");
    }

    #[test]
    fn colours_only_where_wanted() {
        let answer = Answer::of(&"x".into(), &Verdict::Undecided { free_until: 0.25 }, 0.0, |_| "");
        assert_eq!(line(&answer, &Paint::new(false)), "x      undecided  free until 0.250000000\n");
        assert!(line(&answer, &Paint::new(true)).contains('\u{1b}'));
        let tally = Tally { free: 1, contact: 2, ..Tally::default() };
        let text = summary(&tally, ("motion", "motions"), Duration::from_millis(5), &Paint::new(false));
        assert_eq!(text, "3 motions: 1 free, 2 contact (5.0 ms)\n");
    }
}
