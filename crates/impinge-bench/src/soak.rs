//! Random robots, bodies and obstacles for a given time: every verdict is compared with dense sampling; memory and throughput are monitored.
//!
//! ```text
//! first half    new worlds: is any verdict wrong?
//! second half   laps over the same worlds; after each, all threads wait, no world exists, and memory is measured: does it grow?
//! ```
//!
//! Worlds come from the testkit's generators, each from its own seed, so every failure can be reproduced. Each world is built, queried for
//! the first and for any contact, with and without a margin, and dropped. Verdicts that contradict the sampling are *wrong*. Memory is compared
//! between laps only: at other times it depends on the existing worlds, and a world larger than all previous ones raises the memory that the
//! allocator keeps, once.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use impinge::Verdict;
use impinge_testkit::generate::{fine, grazing, rigid, robot};
use impinge_testkit::judge::{Care, judge, options};
use impinge_testkit::scene::Question;
use impinge_testkit::trial::Judgement;
use impinge_testkit::{Random, World};

use crate::Outcome;
use crate::report::Report;
use crate::table::{Cell, Table, count, number, words};

/// The sampling density of the oracle.
const CARE: Care = Care { samples: 32, smallest_step: 0.02 };

/// The number of wrong verdicts that are printed.
const TOLD: usize = 10;

/// Options of the run.
#[derive(Args)]
pub struct Load {
    /// Duration.
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Seconds between two lines while worlds are new.
    #[arg(long, default_value_t = 30.0)]
    interval: f64,
    /// Worlds in a lap.
    #[arg(long, default_value_t = 2000)]
    repeated: u64,
    /// Number of threads.
    #[arg(long, default_value_t = 2)]
    threads: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// The counts of all threads.
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

/// The subject of a stretch of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Worlds {
    Fresh,
    Repeated,
}

/// A stretch of the run: a number of seconds of new worlds, or a lap over the repeated worlds.
struct Stretch {
    worlds: Worlds,
    seconds: f64,
    counts: Counts,
    /// Resident memory, megabytes, when no world existed; `None` if the system does not report it.
    memory: Option<f64>,
}

/// Runs queries until the time is over.
///
/// # Errors
/// If any verdict was wrong, or any query panicked.
pub fn measure(load: &Load) -> Outcome<Report> {
    let run = Run::new(load)?;
    std::thread::scope(|scope| {
        for k in 0..run.threads {
            let run = &run;
            scope.spawn(move || run.thread(k));
        }
    });
    for told in held(&run.seen.told).iter() {
        eprintln!("{told}");
    }
    let (all, stretches) = (run.seen.counts(), held(&run.stretches));
    eprintln!("{} worlds; the slowest query took {:.1} ms", of(&run.seen.worlds), of(&run.seen.slowest_micros) as f64 / 1e3);
    match memory_growth(&stretches) {
        Some(percent) => eprintln!("memory from the second lap to the last: {percent:+.2} %"),
        None => eprintln!("memory: too few laps for a result"),
    }
    if all.wrong + all.panics > 0 {
        return Err(format!("{} of {} verdicts are wrong, {} panics", all.wrong, all.queries, all.panics).into());
    }
    Ok(Report::new("soak", "Random worlds against dense sampling").table(table(&stretches, all)))
}

/// The state that threads share.
struct Run {
    seen: Seen,
    stretches: Mutex<Vec<Stretch>>,
    together: Barrier,
    over: AtomicBool,
    threads: u64,
    /// Seeds that are the same in every lap; later seeds are new.
    repeated: Range<u64>,
    started: Instant,
    stretch: Duration,
    end: Instant,
}

impl Run {
    fn new(load: &Load) -> Outcome<Self> {
        let (threads, started) = (load.threads.max(1), Instant::now());
        Ok(Run {
            seen: Seen::default(),
            stretches: Mutex::default(),
            together: Barrier::new(threads as usize),
            over: AtomicBool::new(false),
            threads,
            repeated: load.seed..load.seed + load.repeated,
            started,
            stretch: Duration::try_from_secs_f64(load.interval)?,
            end: started + Duration::try_from_secs_f64(load.minutes * 60.0)?,
        })
    }

    /// Runs one thread: its share of new worlds for half the time, then of those of every lap.
    fn thread(&self, k: u64) {
        let step = self.threads as usize;
        let mut fresh = (self.repeated.end + k..).step_by(step);
        let half = self.started + (self.end - self.started) / 2;
        for stretch in 1.. {
            let next = half.min(self.started + self.stretch * stretch);
            fresh.by_ref().take_while(|_| Instant::now() < next).for_each(|seed| self.seen.ask(seed));
            self.meet(Worlds::Fresh);
            if next == half {
                break;
            }
        }
        loop {
            self.repeated.clone().skip(k as usize).step_by(step).for_each(|seed| self.seen.ask(seed));
            self.meet(Worlds::Repeated);
            if self.over.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    /// Waits for all threads: no world exists when memory is measured.
    fn meet(&self, worlds: Worlds) {
        if self.together.wait().is_leader() {
            self.note(worlds);
            self.over.store(Instant::now() >= self.end, Ordering::Relaxed);
        }
        self.together.wait();
    }

    /// Ends a stretch.
    fn note(&self, worlds: Worlds) {
        let mut all = held(&self.stretches);
        let before = all.iter().fold((0.0, Counts::default()), |(t, sum), s| (t + s.seconds, sum.and(s.counts)));
        let seconds = self.started.elapsed().as_secs_f64() - before.0;
        let counts = self.seen.counts().since(before.1);
        let stretch = Stretch { worlds, seconds, counts, memory: resident_megabytes() };
        eprintln!("{}", stretch.line());
        all.push(stretch);
    }
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Runs both queries on a world.
fn one(world: &World, margin: f64, seen: &Seen) -> Judgement {
    let question = Question::new(world, options(margin)).map_err(|e| format!("refused: {e}"))?;
    let first = seen.timed(|| question.first().0);
    let any = seen.timed(|| question.any().0);
    seen.worlds.fetch_add(1, Ordering::Relaxed);
    judge(world, margin, &first, CARE)?;
    // The common part of both verdicts is judged once.
    if any.is_free() && first.is_free() { Ok(()) } else { judge(world, margin, &any, CARE) }
}

impl Seen {
    /// Runs both queries on the world of a seed; wrong verdicts are counted and printed.
    fn ask(&self, seed: u64) {
        let margin = if seed.is_multiple_of(3) { 0.01 } else { 0.0 };
        let (counter, why) = match catch_unwind(AssertUnwindSafe(|| one(&world(seed), margin, self))) {
            Ok(Ok(())) => return,
            Ok(Err(why)) => (&self.wrong, why),
            Err(_) => (&self.panics, "panicked".to_owned()),
        };
        counter.fetch_add(1, Ordering::Relaxed);
        let mut told = held(&self.told);
        if told.len() < TOLD {
            told.push(format!("seed {seed}: {why}"));
        }
    }

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

impl Counts {
    fn since(self, before: Counts) -> Counts {
        self.with(before, |now, then| now - then)
    }

    fn and(self, more: Counts) -> Counts {
        self.with(more, |a, b| a + b)
    }

    fn with(self, other: Counts, by: impl Fn(u64, u64) -> u64) -> Counts {
        Counts {
            queries: by(self.queries, other.queries),
            contacts: by(self.contacts, other.contacts),
            undecided: by(self.undecided, other.undecided),
            panics: by(self.panics, other.panics),
            wrong: by(self.wrong, other.wrong),
        }
    }
}

impl Stretch {
    fn line(&self) -> String {
        let Counts { queries, panics, wrong, .. } = self.counts;
        let memory = self.memory.map_or("-".into(), |m| format!("{m:.2}"));
        format!(
            "{}: {queries} queries, {:.0} per second, {memory} MB, {wrong} wrong, {panics} panics",
            self.worlds.word(),
            queries as f64 / self.seconds
        )
    }
}

/// Returns the resident memory of this process, if the system reports it.
fn resident_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes: f64 = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

/// Returns the growth of memory in percent from the second lap to the last; the first is a warm-up.
fn memory_growth(stretches: &[Stretch]) -> Option<f64> {
    let laps: Vec<&Stretch> = stretches.iter().filter(|s| s.worlds == Worlds::Repeated).collect();
    let [_, second, .., last] = laps[..] else { return None };
    Some(100.0 * (last.memory? / second.memory? - 1.0))
}

fn table(stretches: &[Stretch], all: Counts) -> Table {
    let mut table = Table::new(
        "Soak: random worlds against dense sampling",
        &["stretch", "worlds", "queries", "per second", "contacts", "undecided", "wrong", "panics", "MB"],
    );
    for (i, stretch) in stretches.iter().enumerate() {
        table.row(row([(i + 1).to_string(), stretch.worlds.word().into()], stretch.counts, stretch.seconds, stretch.memory));
    }
    let seconds = stretches.iter().map(|s| s.seconds).sum();
    table.row(row(["all".into(), String::new()], all, seconds, stretches.last().and_then(|s| s.memory)));
    table
}

impl Worlds {
    fn word(self) -> &'static str {
        match self {
            Worlds::Fresh => "fresh",
            Worlds::Repeated => "the same",
        }
    }
}

fn row(names: [String; 2], counts: Counts, seconds: f64, memory: Option<f64>) -> Vec<Cell> {
    let Counts { queries, contacts, undecided, panics, wrong } = counts;
    let [queries_cell, contacts, undecided, wrong, panics] =
        [queries, contacts, undecided, wrong, panics].map(|n| count(n as usize));
    let [stretch, worlds] = names.map(words);
    vec![
        stretch,
        worlds,
        queries_cell,
        number(Some(queries as f64 / seconds), 0),
        contacts,
        undecided,
        wrong,
        panics,
        number(memory, 2),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_told_from_lap_to_lap() {
        let stretches = |memory: &[f64]| -> Vec<Stretch> {
            let stretch = |(i, &m): (usize, &f64)| {
                let worlds = if i < 2 { Worlds::Fresh } else { Worlds::Repeated };
                Stretch { worlds, seconds: 1.0, counts: Counts::default(), memory: Some(m) }
            };
            memory.iter().enumerate().map(stretch).collect()
        };
        assert_eq!(memory_growth(&stretches(&[1.0, 2.0, 6.0, 8.0, 9.0, 10.0])), Some(25.0));
        assert_eq!(memory_growth(&stretches(&[1.0, 2.0, 6.0, 8.0])), None);
    }

    #[test]
    fn a_short_soak_finds_nothing() {
        let load = Load { minutes: 0.05, interval: 1.0, repeated: 20, threads: 2, seed: 7 };
        assert!(measure(&load).is_ok());
    }

    /// Every lap queries the same worlds, each on one thread.
    #[test]
    fn a_lap_is_all_of_its_worlds() {
        let run = Run::new(&Load { minutes: 0.0, interval: 1.0, repeated: 9, threads: 2, seed: 7 }).expect("a good load");
        std::thread::scope(|scope| {
            for k in 0..2 {
                let run = &run;
                scope.spawn(move || run.thread(k));
            }
        });
        assert_eq!((held(&run.stretches).len(), of(&run.seen.queries)), (2, 18));
    }
}
