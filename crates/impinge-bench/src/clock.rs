//! CPU time: other programs do not count.

use rustix::time::{ClockId, clock_gettime};

/// Returns the seconds of CPU time of this thread.
pub fn of_thread() -> f64 {
    seconds(ClockId::ThreadCPUTime)
}

/// Returns the seconds of CPU time of all threads of this process.
pub fn of_all_threads() -> f64 {
    seconds(ClockId::ProcessCPUTime)
}

/// Returns the CPU seconds of this thread for `work`, and its result.
pub fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begin = of_thread();
    let value = work();
    (of_thread() - begin, value)
}

/// Returns the microseconds of one reading of the thread's clock: part of every number that is measured query by query.
pub fn cost() -> f64 {
    const READINGS: u32 = 10_000;
    let (seconds, ()) = timed(|| {
        for _ in 0..READINGS {
            std::hint::black_box(of_thread());
        }
    });
    1e6 * seconds / f64::from(READINGS)
}

fn seconds(clock: ClockId) -> f64 {
    let now = clock_gettime(clock);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}
