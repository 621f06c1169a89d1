//! Writes answers to stdout, whole lines at a time, and tells errors on stderr.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use crate::answer::{Answer, Tally, Word};
use crate::certificate::Output;
use crate::json;
use crate::report::{self, Paint};

/// How answers are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A JSON object per line.
    Json,
    /// A line of text for each.
    List,
    /// A line of text for each that is not free.
    Trouble,
    /// Several lines for the first that is not free.
    First,
    /// Several lines: there is only one.
    Story,
}

/// Warnings of single motions shown in text before they are only counted.
const SHOWN_WARNINGS: u64 = 10;

/// Writes answers and counts them.
pub struct Printer {
    form: Form,
    paint: Paint,
    /// Where certificates go, if they are asked for.
    certificates: Option<Output>,
    pub tally: Tally,
}

impl Printer {
    pub fn new(form: Form) -> Self {
        let stdout = io::stdout();
        let colour = stdout.is_terminal() && anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never;
        Printer { form, paint: Paint::new(colour), certificates: None, tally: Tally::default() }
    }

    /// With a place for certificates.
    pub fn with(self, certificates: Option<Output>) -> Self {
        Printer { certificates, ..self }
    }

    /// The exit code: a certificate that was asked for and could not be written is an error.
    pub fn code(&self) -> u8 {
        if self.certificates.as_ref().is_some_and(|c| c.lacking > 0) { crate::ERROR } else { self.tally.code() }
    }

    /// Finishes the file of certificates, and says what is in it.
    ///
    /// # Errors
    /// If it cannot be written to.
    pub fn close(&mut self) -> anyhow::Result<()> {
        self.certificates.as_mut().map_or(Ok(()), Output::close)
    }

    /// Makes an answer ready to be written, as far as that does not depend on those before it.
    pub fn prepare(&self, mut answer: Answer) -> Answer {
        if self.form == Form::Json {
            answer.line = Some(json::line(&answer));
        }
        answer
    }

    /// Writes answers as whole lines and flushes; each error is told right after its line.
    ///
    /// # Errors
    /// If stdout cannot be written to.
    pub fn print(&mut self, answers: &[Answer]) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        let mut out = String::new();
        for answer in answers {
            out += &self.text(answer);
            self.tally.add(answer);
            if let Some(certificates) = &mut self.certificates {
                certificates.add(answer)?;
            }
            if let Some(message) = &answer.message {
                stdout.write_all(out.as_bytes())?;
                stdout.flush()?;
                out.clear();
                // Nobody may be listening: then there is nobody to tell.
                let _ = writeln!(io::stderr(), "error: {message}");
            }
        }
        stdout.write_all(out.as_bytes())?;
        stdout.flush()
    }

    fn text(&self, answer: &Answer) -> String {
        let mut out = match self.form {
            Form::Json => return answer.line.clone().unwrap_or_else(|| json::line(answer)),
            Form::Trouble if answer.verdict == Word::Free && (answer.warnings.is_empty() || !self.shows_warnings()) => {
                return String::new();
            }
            Form::First if answer.verdict == Word::Free || self.tally.total() > self.tally.free => return String::new(),
            Form::First => format!("step {}: {}", answer.id, report::story(answer, &self.paint)),
            Form::List | Form::Trouble => report::line(answer, &self.paint),
            Form::Story => report::story(answer, &self.paint),
        };
        if self.shows_warnings() {
            out += &report::warnings(answer, &self.paint);
        }
        out
    }

    fn shows_warnings(&self) -> bool {
        self.tally.warnings < SHOWN_WARNINGS
    }

    /// Sums up, in text, where there was more than one.
    ///
    /// # Errors
    /// If stdout cannot be written to.
    pub fn finish(&self, unit: (&str, &str), elapsed: Duration) -> io::Result<()> {
        let mut out = match self.form {
            Form::Json | Form::Story => String::new(),
            Form::List | Form::Trouble | Form::First => report::summary(&self.tally, unit, elapsed, &self.paint),
        };
        if matches!(self.form, Form::List | Form::Trouble | Form::First) && !self.tally.stages.is_empty() {
            out += &report::stages(&self.tally.stages);
        }
        if self.form != Form::Json && self.tally.warnings > SHOWN_WARNINGS {
            out += &format!("{} warnings in all; --json has every one\n", self.tally.warnings);
        }
        let mut stdout = io::stdout().lock();
        stdout.write_all(out.as_bytes())?;
        stdout.flush()
    }
}
