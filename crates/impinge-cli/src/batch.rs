//! Questions in, answers out: read on one thread, checked on many, written in order, in constant memory.
//!
//! ```text
//! reader thread ──► a queue of at most CHUNK ──► whatever waits there, checked in parallel ──► written as whole lines, flushed
//! ```
//!
//! Nothing waits for a full chunk, so a program that writes one motion and waits for its answer gets it. Answers depend on their
//! question alone, so the lines are the same on any number of threads.

use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Instant;

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::answer::Answer;
use crate::interrupt::{self, Interrupt};
use crate::printer::Printer;
use crate::progress::Progress;

/// Questions in memory at once, apart from as many in the queue: enough to keep all cores busy, little enough for long lines.
const CHUNK: usize = 256;

/// What is worked on.
pub struct Batch {
    /// What one question is called, with its plural.
    pub unit: (&'static str, &'static str),
    /// How many there are, if that is known.
    pub total: Option<u64>,
    /// How many threads to use; all cores where it is not said.
    pub threads: Option<u16>,
}

impl Batch {
    /// Checks all questions and writes the answers in order; the exit code.
    ///
    /// # Errors
    /// If there is no question, or the answers cannot be written.
    pub fn run<Q: Send + 'static>(
        &self,
        questions: impl Iterator<Item = Q> + Send + 'static,
        check: impl Fn(Q) -> Answer + Sync,
        printer: &mut Printer,
    ) -> Result<u8> {
        self.run_many(questions, |question| vec![check(question)], printer)
    }

    /// The same for questions with several answers each.
    ///
    /// # Errors
    /// See [`Batch::run`].
    pub fn run_many<Q: Send + 'static>(
        &self,
        questions: impl Iterator<Item = Q> + Send + 'static,
        check: impl Fn(Q) -> Vec<Answer> + Sync,
        printer: &mut Printer,
    ) -> Result<u8> {
        let started = Instant::now();
        let threads = self.threads.map_or(0, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
        let mut progress = Progress::new(self.total);
        let (sender, queue) = sync_channel(CHUNK);
        // The reader ends with the questions, or when nobody takes them any more.
        std::thread::spawn(move || questions.into_iter().try_for_each(|q| sender.send(q)));
        let interrupt = Interrupt::watched();
        interrupt.listen();
        while let Some(first) = next(&queue, interrupt) {
            let mut chunk = vec![first];
            chunk.extend(queue.try_iter().take(CHUNK - 1));
            // What was being answered when it came was cancelled, and says less about its question than it should.
            let prepared = |question| check(question).into_iter().map(|answer| printer.prepare(answer)).collect();
            let answer = |question| {
                let answers = (!interrupt.came()).then(|| prepared(question));
                answers.filter(|_| !interrupt.came())
            };
            let answers: Vec<Option<Vec<Answer>>> = pool.install(|| chunk.into_par_iter().map(answer).collect());
            // In order: what was answered behind a gap is not told.
            let answers: Vec<Answer> = answers.into_iter().map_while(|answers| answers).flatten().collect();
            progress.add(answers.len());
            if is_closed(progress.aside(|| printer.print(&answers)))? {
                return Ok(printer.tally.unfinished());
            }
        }
        drop(progress);
        if interrupt.came() {
            return self.stopped(printer);
        }
        if printer.tally.total() == 0 {
            anyhow::bail!("there are no {} to check", self.unit.1);
        }
        if is_closed(printer.finish(self.unit, started.elapsed()))? {
            return Ok(printer.tally.unfinished());
        }
        printer.close()?;
        Ok(printer.code())
    }

    /// Ends early: what was done is written, and its number told.
    fn stopped(&self, printer: &mut Printer) -> Result<u8> {
        printer.flush()?;
        printer.close()?;
        printer.count_warnings(self.unit);
        let done = printer.tally.total();
        // Nobody may be listening: then there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "interrupted after {done} {}", if done == 1 { self.unit.0 } else { self.unit.1 });
        Ok(interrupt::CODE)
    }
}

/// The next question, once there is one; `None` at the end of all, or when somebody wants to stop.
fn next<Q>(queue: &Receiver<Q>, interrupt: &Interrupt) -> Option<Q> {
    loop {
        match queue.recv_timeout(interrupt::HEARD_WITHIN) {
            _ if interrupt.came() => return None,
            Ok(question) => return Some(question),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Whether the reader of our answers went away, which is no error; other failures to write are.
fn is_closed(written: std::io::Result<()>) -> Result<bool> {
    match written {
        Ok(()) => Ok(false),
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(true),
        Err(e) => Err(e).context("cannot write the answer"),
    }
}
