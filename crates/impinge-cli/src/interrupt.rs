//! Ctrl-C: running queries are cancelled, finished answers are printed, then the command ends. A second Ctrl-C ends it
//! immediately.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use impinge::query::Cancel;

/// Exit code of an interrupted command, by the convention of shells.
pub const CODE: u8 = 130;

/// Maximum time between two checks for an interrupt, and for the last answer to end.
pub const HEARD_WITHIN: Duration = Duration::from_millis(100);

/// Whether the user has requested to stop.
pub struct Interrupt {
    cancel: Cancel,
    listens: Arc<AtomicBool>,
}

impl Interrupt {
    /// Installs the handler on the first call. Where the system does not allow it, Ctrl-C ends the command as usual.
    pub fn watched() -> &'static Self {
        static LISTENER: OnceLock<Interrupt> = OnceLock::new();
        LISTENER.get_or_init(|| {
            let (cancel, listens) = (Cancel::new(), Arc::new(AtomicBool::new(false)));
            let (seen, is_heard) = (cancel.clone(), Arc::clone(&listens));
            let _ = ctrlc::set_handler(move || {
                let is_first = !seen.is_cancelled();
                seen.cancel();
                // Other work, such as waiting for a pipe without a writer, cannot be cancelled.
                if is_first && !is_heard.load(Ordering::SeqCst) {
                    std::thread::sleep(HEARD_WITHIN);
                }
                if !is_first || !is_heard.load(Ordering::SeqCst) {
                    std::process::exit(CODE.into());
                }
            });
            Interrupt { cancel, listens }
        })
    }

    /// Returns the cancel token of queries.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Tests whether the interrupt has occurred.
    pub fn came(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Declares that the caller polls for the interrupt and ends by itself. Without this call, the handler ends the command after
    /// a short time.
    pub fn listen(&self) {
        self.listens.store(true, Ordering::SeqCst);
    }
}
