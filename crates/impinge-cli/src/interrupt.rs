//! Ctrl-C: questions that are being answered are cancelled, what was answered is written, then the command ends. A second one ends it at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use impinge::query::Cancel;

/// What the shell is told, as of any command that was interrupted.
pub const CODE: u8 = 130;

/// How long a wait may go on before it looks here, and how long the last answer may take to end.
pub const HEARD_WITHIN: Duration = Duration::from_millis(100);

/// Whether somebody wants to stop.
pub struct Interrupt {
    cancel: Cancel,
    listens: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from the first call on. Where the system does not let us, it ends the command itself, as ever.
    pub fn watched() -> &'static Self {
        static LISTENER: OnceLock<Interrupt> = OnceLock::new();
        LISTENER.get_or_init(|| {
            let (cancel, listens) = (Cancel::new(), Arc::new(AtomicBool::new(false)));
            let (seen, is_heard) = (cancel.clone(), Arc::clone(&listens));
            let _ = ctrlc::set_handler(move || {
                let is_first = !seen.is_cancelled();
                seen.cancel();
                // Whatever else is done, such as waiting for a pipe that nobody writes to, cannot be cancelled.
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

    /// What questions are cancelled by.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Whether it came.
    pub fn came(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Whoever calls this asks again and again whether it came, and ends then. Without, it ends the command soon by itself.
    pub fn listen(&self) {
        self.listens.store(true, Ordering::SeqCst);
    }
}
