//! Time on the processor: what other programs do with the machine does not count.

use rustix::time::{ClockId, clock_gettime};

/// Seconds that this thread has been running.
pub fn of_thread() -> f64 {
    seconds(ClockId::ThreadCPUTime)
}

/// Seconds that all threads together have been running.
pub fn of_all_threads() -> f64 {
    seconds(ClockId::ProcessCPUTime)
}

fn seconds(clock: ClockId) -> f64 {
    let now = clock_gettime(clock);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}
