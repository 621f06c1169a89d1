//! Very many random worlds against the oracle: a thousand in ordinary runs, `IMPINGE_LONG=1000` for a million, with progress lines.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use impinge::Verdict;
use impinge_testkit::generate::{grazing, rigid, robot};
use impinge_testkit::judge::{Care, judge, question};
use impinge_testkit::trial::{Judgement, count};
use impinge_testkit::{Random, World};

const CARE: Care = Care { samples: 24, smallest_step: 0.02 };
const THREADS: u64 = 2;

fn world(seed: u64) -> World {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed);
    match seed % 200 {
        0 => grazing(&mut random),
        1..61 => robot(&mut random),
        _ => rigid(&mut random),
    }
}

#[derive(Default)]
struct Seen {
    worlds: AtomicU64,
    contacts: AtomicU64,
    undecided: AtomicU64,
}

fn one(seed: u64, seen: &Seen) -> Judgement {
    let world = world(seed);
    let question = question(&world, 0.0);
    let (first, any) = (question.first().0, question.any().0);
    seen.worlds.fetch_add(1, Ordering::Relaxed);
    match first {
        Verdict::Contact(_) => seen.contacts.fetch_add(1, Ordering::Relaxed),
        Verdict::Undecided { .. } => seen.undecided.fetch_add(1, Ordering::Relaxed),
        Verdict::Free => 0,
    };
    judge(&world, 0.0, &first, CARE)?;
    // The common part of both verdicts is judged once.
    if any.is_free() && first.is_free() { Ok(()) } else { judge(&world, 0.0, &any, CARE) }
}

#[test]
fn no_answer_is_wrong() {
    let (total, seen, started) = (count(1000), Seen::default(), Instant::now());
    let failures: Vec<String> = std::thread::scope(|scope| {
        let run = |k: u64| {
            let mut failures = Vec::new();
            for seed in (k..total).step_by(THREADS as usize) {
                if let Err(why) = one(seed, &seen) {
                    eprintln!("wrong, seed {seed}: {why}");
                    failures.push(format!("seed {seed}: {why}"));
                }
                let done = seen.worlds.load(Ordering::Relaxed);
                if k == 0 && seed % 20_000 == 0 && seed > 0 {
                    eprintln!("{done} worlds, {:.0} s", started.elapsed().as_secs_f64());
                }
            }
            failures
        };
        let threads: Vec<_> = (0..THREADS).map(|k| scope.spawn(move || run(k))).collect();
        threads.into_iter().flat_map(|t| t.join().expect("no panic")).collect()
    });
    let of = |n: &AtomicU64| n.load(Ordering::Relaxed);
    eprintln!(
        "{} worlds, {} contacts, {} undecided, {} wrong",
        of(&seen.worlds),
        of(&seen.contacts),
        of(&seen.undecided),
        failures.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(of(&seen.contacts) > total / 10 && of(&seen.undecided) < total / 50);
}
