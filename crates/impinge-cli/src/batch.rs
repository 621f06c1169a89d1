//! Batches of queries: read on one thread, run on several, answers printed in order, in constant memory.
//!
//! ```text
//! reader thread ──► a queue of at most CHUNK ──► all queued queries, run in parallel ──► written as whole lines, flushed
//! ```
//!
//! A partial chunk does not wait to be filled, so a program that writes one motion and waits for its answer gets it. An answer
//! depends only on its query, so the lines are the same on any number of threads.

use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Instant;

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::answer::Answer;
use crate::interrupt::{self, Interrupt};
use crate::printer::Printer;
use crate::progress::Progress;

/// Maximum number of queries in memory, besides as many in the queue: enough to keep all cores busy, and small enough for long
/// lines.
const CHUNK: usize = 256;

/// Properties of a batch.
pub struct Batch {
    /// The name of one query, with its plural.
    pub unit: (&'static str, &'static str),
    /// The number of queries, if known.
    pub total: Option<u64>,
    /// The number of threads; by default, all cores.
    pub threads: Option<u16>,
}

impl Batch {
    /// Runs all queries and prints the answers in order; returns the exit code.
    ///
    /// # Errors
    /// If there is no query, or the answers cannot be printed.
    pub fn run<Q: Send + 'static>(
        &self,
        queries: impl Iterator<Item = Q> + Send + 'static,
        check: impl Fn(Q) -> Answer + Sync,
        printer: &mut Printer,
    ) -> Result<u8> {
        self.run_many(queries, |query| vec![check(query)], printer)
    }

    /// The same for queries with several answers each.
    ///
    /// # Errors
    /// See [`Batch::run`].
    pub fn run_many<Q: Send + 'static>(
        &self,
        queries: impl Iterator<Item = Q> + Send + 'static,
        check: impl Fn(Q) -> Vec<Answer> + Sync,
        printer: &mut Printer,
    ) -> Result<u8> {
        let started = Instant::now();
        let threads = self.threads.map_or(0, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
        let mut progress = Progress::new(self.total);
        let (sender, queue) = sync_channel(CHUNK);
        // The reader thread ends after the last query, or when the receiver is dropped.
        std::thread::spawn(move || queries.into_iter().try_for_each(|q| sender.send(q)));
        let interrupt = Interrupt::watched();
        interrupt.listen();
        while let Some(first) = next(&queue, interrupt) {
            let mut chunk = vec![first];
            chunk.extend(queue.try_iter().take(CHUNK - 1));
            // A query that was running at the interrupt was cancelled, so its answer is weaker than it should be.
            let prepared = |query| check(query).into_iter().map(|answer| printer.prepare(answer)).collect();
            let answer = |query| {
                let answers = (!interrupt.came()).then(|| prepared(query));
                answers.filter(|_| !interrupt.came())
            };
            let answers: Vec<Option<Vec<Answer>>> = pool.install(|| chunk.into_par_iter().map(answer).collect());
            // Output is in order: answers behind a gap are not printed.
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

    /// Ends early: prints the answers so far, and their number.
    fn stopped(&self, printer: &mut Printer) -> Result<u8> {
        printer.flush()?;
        printer.close()?;
        printer.count_warnings(self.unit);
        let done = printer.tally.total();
        // The reader of stderr may be gone.
        let _ = writeln!(std::io::stderr(), "interrupted after {done} {}", if done == 1 { self.unit.0 } else { self.unit.1 });
        Ok(interrupt::CODE)
    }
}

/// Returns the next query, when there is one; `None` after the last, or after an interrupt.
fn next<Q>(queue: &Receiver<Q>, interrupt: &Interrupt) -> Option<Q> {
    loop {
        match queue.recv_timeout(interrupt::HEARD_WITHIN) {
            _ if interrupt.came() => return None,
            Ok(query) => return Some(query),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Tests whether the reader of stdout is gone, which is no error; other write failures are.
fn is_closed(written: std::io::Result<()>) -> Result<bool> {
    match written {
        Ok(()) => Ok(false),
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(true),
        Err(e) => Err(e).context("cannot write the answer"),
    }
}
