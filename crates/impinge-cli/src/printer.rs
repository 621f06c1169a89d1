//! Prints answers to stdout, whole lines at a time, and errors to stderr.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use impinge_io::Id;

use crate::answer::{Answer, Word};
use crate::certificate::Output;
use crate::json;
use crate::plain;
use crate::repeats::Repeats;
use crate::report::{self, Paint};
use crate::tally::Tally;

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One JSON object per line.
    Json,
    /// One line of text per answer.
    List,
    /// One line of text per answer, and one for several consecutive free answers.
    Runs,
    /// Several lines for the first answer that is not free.
    First,
    /// Several lines: there is only one answer.
    Story,
}

/// Prints answers and counts them.
pub struct Printer {
    form: Form,
    paint: Paint,
    /// The file of certificates, if requested.
    certificates: Option<Output>,
    /// Warnings that were printed; `None` if each is printed every time.
    repeats: Option<Repeats>,
    /// Whether a hint was printed.
    hinted: bool,
    /// Free answers that are not printed yet: the first, the last, and their number.
    run: Option<(Id, Id, u64)>,
    pub tally: Tally,
    /// Start and end of the first step, for consecutive steps.
    pub first_goes: Option<String>,
}

impl Printer {
    /// Prints every warning of every answer, or each kind of warning once with a count.
    pub fn new(form: Form, every_warning: bool) -> Self {
        let stdout = io::stdout();
        let colour = stdout.is_terminal() && anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never;
        Printer {
            form,
            paint: Paint::new(colour),
            certificates: None,
            repeats: (!every_warning).then(Repeats::default),
            hinted: false,
            run: None,
            tally: Tally::default(),
            first_goes: None,
        }
    }

    /// Adds an output for certificates.
    pub fn with(self, certificates: Option<Output>) -> Self {
        Printer { certificates, ..self }
    }

    /// Returns the exit code: a requested certificate that could not be written is an error.
    pub fn code(&self) -> u8 {
        if self.certificates.as_ref().is_some_and(|c| c.lacking > 0) { crate::ERROR } else { self.tally.code() }
    }

    /// Closes the file of certificates, and prints their number.
    ///
    /// # Errors
    /// If writing to the file fails.
    pub fn close(&mut self) -> anyhow::Result<()> {
        self.certificates.as_mut().map_or(Ok(()), Output::close)
    }

    /// Formats an answer, as far as its line does not depend on earlier answers.
    pub fn prepare(&self, mut answer: Answer) -> Answer {
        if self.form == Form::Json {
            // Most warnings are repeats, which are not printed; new warnings make a different line.
            let warnings = if self.repeats.is_some() { std::mem::take(&mut answer.warnings) } else { Vec::new() };
            answer.line = Some(json::line(&answer));
            answer.warnings.extend(warnings);
        }
        answer
    }

    /// Prints answers as whole lines and flushes; each error is printed after its line.
    ///
    /// # Errors
    /// If writing to stdout fails.
    pub fn print(&mut self, answers: &[Answer]) -> io::Result<()> {
        self.give_hint(answers);
        let mut stdout = io::stdout().lock();
        let mut out = String::new();
        for answer in answers {
            out += &self.shown(answer);
            self.tally.add(answer);
            if let Some(certificates) = &mut self.certificates {
                certificates.add(answer)?;
            }
            if let Some(message) = &answer.message {
                stdout.write_all(out.as_bytes())?;
                stdout.flush()?;
                out.clear();
                // The reader of stderr may be gone.
                let _ = writeln!(io::stderr(), "error: {}", plain::shown(message));
            }
        }
        stdout.write_all(out.as_bytes())?;
        stdout.flush()
    }

    /// Prints the first hint, before the answers.
    fn give_hint(&mut self, answers: &[Answer]) {
        if let Some(hint) = answers.iter().find_map(|a| a.hint.as_ref()).filter(|_| !self.hinted) {
            let _ = writeln!(io::stderr(), "hint: {}", plain::shown(hint));
            self.hinted = true;
        }
    }

    /// Returns the text of an answer, with its new warnings.
    fn shown(&mut self, answer: &Answer) -> String {
        let Some(repeats) = self.repeats.as_mut().filter(|_| !answer.warnings.is_empty()) else { return self.text(answer) };
        let warnings = repeats.fresh(&answer.id, &answer.warnings);
        if warnings.is_empty() && answer.line.is_some() {
            return self.text(answer);
        }
        self.text(&Answer { warnings, line: None, ..answer.clone() })
    }

    fn text(&mut self, answer: &Answer) -> String {
        let mut out = match self.form {
            Form::Json => return answer.line.clone().unwrap_or_else(|| json::line(answer)),
            Form::Runs if report::is_plain(answer) => {
                let (first, _, count) = self.run.take().unwrap_or((answer.id.clone(), answer.id.clone(), 0));
                self.run = Some((first, answer.id.clone(), count + 1));
                return String::new();
            }
            Form::First if answer.verdict == Word::Free || self.tally.total() > self.tally.free => return String::new(),
            Form::First => format!("step {}: {}", plain::shown(&answer.id.to_string()), report::story(answer, &self.paint)),
            Form::List | Form::Runs => self.end_run() + &report::line(answer, &self.paint),
            Form::Story => report::story(answer, &self.paint),
        };
        out += &report::warnings(answer, &self.paint);
        out
    }

    /// Returns the line of free answers that are not printed yet.
    fn end_run(&mut self) -> String {
        let run = self.run.take();
        run.map_or(String::new(), |(first, last, count)| report::run(&first, &last, count, &self.paint))
    }

    /// Prints pending answers.
    ///
    /// # Errors
    /// If writing to stdout fails.
    pub fn flush(&mut self) -> io::Result<()> {
        let out = self.end_run();
        let mut stdout = io::stdout().lock();
        stdout.write_all(out.as_bytes())?;
        stdout.flush()
    }

    /// Prints the counts of warnings that were printed once, to stderr.
    pub fn count_warnings(&self, unit: (&str, &str)) {
        let text = self.repeats.as_ref().map_or(String::new(), |repeats| repeats.summary(unit));
        if !text.is_empty() {
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }

    /// Prints a summary in text form, if there was more than one answer.
    ///
    /// # Errors
    /// If writing to stdout fails.
    pub fn finish(&mut self, unit: (&str, &str), elapsed: Duration) -> io::Result<()> {
        let mut out = self.end_run();
        if matches!(self.form, Form::List | Form::Runs | Form::First) {
            out += &report::summary(&self.tally, unit, elapsed, &self.paint);
            if let Some(way) = &self.first_goes {
                out += &format!("{} are counted from 0: {} 0 is {way}\n", unit.1, unit.0);
            }
            if !self.tally.stages.is_empty() {
                out += &report::stages(&self.tally.stages);
            }
        }
        let mut stdout = io::stdout().lock();
        stdout.write_all(out.as_bytes())?;
        stdout.flush()?;
        self.count_warnings(unit);
        Ok(())
    }
}
