//! Ctrl-C: the first asks for an end, the second makes one.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::{Exit, plugin_guard};

/// Whether an end was asked for.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens to SIGINT and SIGTERM from now on.
    pub fn listen() -> Self {
        let interrupt = Interrupt::default();
        let asked = Arc::clone(&interrupt.0);
        let listening = ctrlc::set_handler(move || {
            if asked.swap(true, Relaxed) {
                plugin_guard::disarm();
                std::process::exit(Exit::Interrupted as i32);
            }
            let _ = writeln!(
                std::io::stderr(),
                "\nbench: stopping after this sample; once more to stop at once"
            );
        });
        // Without a handler Ctrl-C ends the program: what is on disk is kept.
        drop(listening);
        interrupt
    }

    /// Whether an end was asked for.
    pub fn asked(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// Asks for an end, as Ctrl-C does.
    pub fn ask(&self) {
        self.0.store(true, Relaxed);
    }
}
