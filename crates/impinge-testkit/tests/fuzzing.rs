//! Every fuzz target with its seeds and some thousand fixed mutations of them; `IMPINGE_LONG=N` for N times as many.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use impinge_testkit::Random;
use impinge_testkit::fuzzing::{LONGEST, TARGETS, Target, mutate, seeds};
use impinge_testkit::trial::count;

/// Time limit of an input of a few kilobytes, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs a target on bytes; reports a panic or a timeout with the bytes.
fn try_one(target: &Target, bytes: &[u8]) -> Result<(), String> {
    let started = Instant::now();
    let fed = catch_unwind(AssertUnwindSafe(|| (target.feed)(bytes)));
    let told = |what: String| Err(format!("{}: {what}\n  \"{}\"", target.name, bytes.escape_ascii()));
    match fed {
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            told(text.unwrap_or_default())
        }
        Ok(()) if started.elapsed() > PATIENCE => told(format!("took {:?}", started.elapsed())),
        Ok(()) => Ok(()),
    }
}

fn smoke(target: &Target) -> Result<(), String> {
    let (seeds, mut random) = (seeds(target), Random::new(8));
    assert!(!seeds.is_empty(), "{} has no seed", target.name);
    seeds.iter().try_for_each(|seed| try_one(target, seed))?;
    (0..count(target.smoke)).try_for_each(|_| try_one(target, &mutate(&seeds, target.tokens, LONGEST, &mut random)))
}

/// Returns the peak memory of this process in kilobytes, if the system reports it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?.parse().ok()
}

#[test]
fn no_target_finds_anything() {
    let failures: Vec<String> = std::thread::scope(|scope| {
        let halves =
            [0, 1].map(|k| scope.spawn(move || TARGETS.iter().skip(k).step_by(2).filter_map(|t| smoke(t).err()).collect()));
        halves.into_iter().flat_map(|half| half.join().unwrap_or_else(|_| vec!["no seeds".to_owned()])).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(peak().is_none_or(|kilobytes| kilobytes < 500_000), "{:?} kB for inputs of at most {LONGEST} bytes", peak());
}

/// A failure is reported with the bytes that caused it.
#[test]
fn a_panic_is_told() {
    let feed = |bytes: &[u8]| assert!(!bytes.starts_with(b"bad"), "found");
    let target = Target { name: "made up", feed, tokens: &[], smoke: 1 };
    assert_eq!(try_one(&target, b"good"), Ok(()));
    assert_eq!(try_one(&target, b"bad\n"), Err("made up: found\n  \"bad\\n\"".to_owned()));
}

#[test]
fn seeds_are_small_and_none_is_left_over() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/");
    let mut folders: Vec<String> = std::fs::read_dir(format!("{folder}seeds"))
        .expect("a folder of seeds")
        .map(|e| e.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    folders.sort();
    let mut names = TARGETS.map(|t| t.name);
    names.sort_unstable();
    assert_eq!(folders, names);
    assert!(TARGETS.iter().flat_map(seeds).all(|seed| seed.len() <= LONGEST));
    for name in names {
        let target = std::fs::read_to_string(format!("{folder}fuzz_targets/{name}.rs")).expect("a target of libFuzzer for each");
        assert!(target.contains(&format!("feed(\"{name}\", data)")), "{target}");
    }
}
