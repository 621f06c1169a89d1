//! Ctrl-C: what is being worked on is finished and written, then the command ends. A second one ends it at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What the shell is told, as of any command that was interrupted.
pub const CODE: u8 = 130;

/// How long a wait may go on before it looks here.
pub const HEARD_WITHIN: Duration = Duration::from_millis(100);

/// Whether somebody wants to stop.
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. Where the system does not let us, it ends the command itself, as ever.
    pub fn watched() -> Self {
        let came = Arc::new(AtomicBool::new(false));
        let seen = came.clone();
        let _ = ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(CODE.into());
            }
        });
        Interrupt(came)
    }

    /// Whether it came.
    pub fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
