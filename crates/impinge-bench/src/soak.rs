//! Random robots, bodies and obstacles for as long as asked: every answer is compared with dense sampling, memory and throughput are watched.
//!
//! Worlds come from the testkit's generators, each from its own seed, so whatever is found can be found again. A world is built, asked for
//! the first and for any contact, with and without a margin, and dropped. Answers that claim something false are *wrong*.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use impinge::Verdict;
use impinge_testkit::generate::{fine, grazing, rigid, robot};
use impinge_testkit::judge::{Care, judge, options};
use impinge_testkit::scene::Question;
use impinge_testkit::trial::Judgement;
use impinge_testkit::{Random, World};

use crate::Outcome;
use crate::table::{Cell, Table, count, number, words};

/// How closely the oracle looks.
const CARE: Care = Care { samples: 32, smallest_step: 0.02 };

/// How often memory is looked at.
const TICK: Duration = Duration::from_secs(1);

/// How many wrong answers are told.
const TOLD: usize = 10;

/// How long, how much.
#[derive(Args)]
pub struct Load {
    /// How long.
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Seconds between two lines.
    #[arg(long, default_value_t = 30.0)]
    interval: f64,
    /// Threads that ask.
    #[arg(long, default_value_t = 2)]
    threads: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// What was seen by all threads together.
#[derive(Default)]
struct Seen {
    worlds: AtomicU64,
    queries: AtomicU64,
    contacts: AtomicU64,
    undecided: AtomicU64,
    panics: AtomicU64,
    wrong: AtomicU64,
    slowest_micros: AtomicU64,
    told: Mutex<Vec<String>>,
}

/// Counts at one instant.
#[derive(Clone, Copy, Default)]
struct Counts {
    queries: u64,
    contacts: u64,
    undecided: u64,
    panics: u64,
    wrong: u64,
}

/// A stretch of the run.
struct Stretch {
    seconds: f64,
    counts: Counts,
    /// Resident memory, megabytes, on average; `None` where the system does not tell.
    memory: Option<f64>,
}

/// Asks until the time is over.
///
/// # Errors
/// If any answer was wrong, or anything panicked.
pub fn measure(load: &Load) -> Outcome<Table> {
    let (seen, started) = (Seen::default(), Instant::now());
    let end = started + Duration::try_from_secs_f64(load.minutes * 60.0)?;
    let stretches = std::thread::scope(|scope| {
        for k in 0..load.threads.max(1) {
            let seen = &seen;
            scope.spawn(move || ask(load.seed + k, load.threads.max(1), end, seen));
        }
        watch(load, end, &seen)
    });
    for told in seen.told.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        eprintln!("{told}");
    }
    let all = seen.counts();
    eprintln!("{} worlds; the slowest answer took {:.1} ms", of(&seen.worlds), of(&seen.slowest_micros) as f64 / 1e3);
    match memory_growth(&stretches) {
        Some(percent) => eprintln!("memory after warm-up: {percent:+.2} %"),
        None => eprintln!("memory after warm-up: too few lines to tell"),
    }
    if all.wrong + all.panics > 0 {
        return Err(format!("{} answers of {} are wrong, {} panics", all.wrong, all.queries, all.panics).into());
    }
    Ok(table(&stretches, all))
}

/// One thread: worlds of every `step`-th seed.
fn ask(first: u64, step: u64, end: Instant, seen: &Seen) {
    let seeds = (0..).map(|i| first + i * step);
    for seed in seeds.take_while(|_| Instant::now() < end) {
        let fed = catch_unwind(AssertUnwindSafe(|| one(&world(seed), if seed % 3 == 0 { 0.01 } else { 0.0 }, seen)));
        let (counter, why) = match fed {
            Ok(Ok(())) => continue,
            Ok(Err(why)) => (&seen.wrong, why),
            Err(_) => (&seen.panics, "panicked".to_owned()),
        };
        counter.fetch_add(1, Ordering::Relaxed);
        let mut told = seen.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() < TOLD {
            told.push(format!("seed {seed}: {why}"));
        }
    }
}

fn world(seed: u64) -> World {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x50a4);
    match seed % 100 {
        0 => fine(&mut random),
        1..5 => grazing(&mut random),
        5..50 => robot(&mut random),
        _ => rigid(&mut random),
    }
}

/// Both questions about a world.
fn one(world: &World, margin: f64, seen: &Seen) -> Judgement {
    let question = Question::new(world, options(margin)).map_err(|e| format!("refused: {e}"))?;
    let first = seen.timed(|| question.first().0);
    let any = seen.timed(|| question.any().0);
    seen.worlds.fetch_add(1, Ordering::Relaxed);
    judge(world, margin, &first, CARE)?;
    // What both say is judged once.
    if any.is_free() && first.is_free() { Ok(()) } else { judge(world, margin, &any, CARE) }
}

impl Seen {
    fn timed(&self, ask: impl FnOnce() -> Verdict) -> Verdict {
        let started = Instant::now();
        let verdict = ask();
        self.slowest_micros.fetch_max(started.elapsed().as_micros() as u64, Ordering::Relaxed);
        self.queries.fetch_add(1, Ordering::Relaxed);
        match verdict {
            Verdict::Contact(_) => self.contacts.fetch_add(1, Ordering::Relaxed),
            Verdict::Undecided { .. } => self.undecided.fetch_add(1, Ordering::Relaxed),
            Verdict::Free => 0,
        };
        verdict
    }

    fn counts(&self) -> Counts {
        let (queries, contacts, undecided) = (of(&self.queries), of(&self.contacts), of(&self.undecided));
        Counts { queries, contacts, undecided, panics: of(&self.panics), wrong: of(&self.wrong) }
    }
}

fn of(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// A line now and then, until the end.
fn watch(load: &Load, end: Instant, seen: &Seen) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let (mut from, mut before, mut memory) = (Instant::now(), Counts::default(), Vec::new());
    while Instant::now() < end {
        std::thread::sleep(TICK.min(end.saturating_duration_since(Instant::now())));
        memory.extend(resident_megabytes());
        let seconds = from.elapsed().as_secs_f64();
        if seconds >= load.interval || Instant::now() >= end {
            let now = seen.counts();
            let stretch = Stretch { seconds, counts: now.since(before), memory: mean(&memory) };
            eprintln!("{}", stretch.line());
            stretches.push(stretch);
            (from, before) = (Instant::now(), now);
            memory.clear();
        }
    }
    stretches
}

impl Counts {
    fn since(self, before: Counts) -> Counts {
        Counts {
            queries: self.queries - before.queries,
            contacts: self.contacts - before.contacts,
            undecided: self.undecided - before.undecided,
            panics: self.panics - before.panics,
            wrong: self.wrong - before.wrong,
        }
    }
}

impl Stretch {
    fn line(&self) -> String {
        let Counts { queries, panics, wrong, .. } = self.counts;
        let memory = self.memory.map_or("-".into(), |m| format!("{m:.2}"));
        format!("{queries} queries, {:.0} per second, {memory} MB, {wrong} wrong, {panics} panics", queries as f64 / self.seconds)
    }
}

/// Resident memory of this process, where the system tells.
fn resident_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes: f64 = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Percent by which memory in the last fifth of the run is above that in the second fifth: the first is warm-up.
fn memory_growth(stretches: &[Stretch]) -> Option<f64> {
    let fifth = stretches.len() / 5;
    let memory = |part: &[Stretch]| mean(&part.iter().filter_map(|s| s.memory).collect::<Vec<_>>());
    let (early, late) = (memory(stretches.get(fifth..2 * fifth)?)?, memory(&stretches[stretches.len() - fifth..])?);
    Some(100.0 * (late / early - 1.0))
}

fn table(stretches: &[Stretch], all: Counts) -> Table {
    let mut table = Table::new(
        "Soak: random worlds against dense sampling",
        &["stretch", "queries", "per second", "contacts", "undecided", "wrong", "panics", "MB"],
    );
    for (i, stretch) in stretches.iter().enumerate() {
        table.row(row(words((i + 1).to_string()), stretch.counts, stretch.seconds, stretch.memory));
    }
    let seconds = stretches.iter().map(|s| s.seconds).sum();
    table.row(row(words("all"), all, seconds, mean(&stretches.iter().filter_map(|s| s.memory).collect::<Vec<_>>())));
    table
}

fn row(name: Cell, counts: Counts, seconds: f64, memory: Option<f64>) -> Vec<Cell> {
    let Counts { queries, contacts, undecided, panics, wrong } = counts;
    let [queries_cell, contacts, undecided, wrong, panics] =
        [queries, contacts, undecided, wrong, panics].map(|n| count(n as usize));
    vec![name, queries_cell, number(Some(queries as f64 / seconds), 0), contacts, undecided, wrong, panics, number(memory, 2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_told_after_warm_up() {
        let stretches = |memory: &[f64]| -> Vec<Stretch> {
            memory.iter().map(|&m| Stretch { seconds: 1.0, counts: Counts::default(), memory: Some(m) }).collect()
        };
        assert_eq!(memory_growth(&stretches(&[1.0, 8.0, 8.0, 9.0, 10.0])), Some(25.0));
        assert_eq!(memory_growth(&stretches(&[1.0, 8.0])), None);
    }

    #[test]
    fn a_short_soak_finds_nothing() {
        let load = Load { minutes: 0.02, interval: 1.0, threads: 2, seed: 7 };
        assert!(measure(&load).is_ok());
    }
}
