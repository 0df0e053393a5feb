//! Start time, interrupts and parent of this process, and size of its terminal.

use std::io::{self, BufReader, Read, Write};
use std::os::unix::process::parent_id;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::{Arc, OnceLock};
use std::thread::Builder;
use std::time::Instant;

use nix::libc;
use nix::sys::signal::{SigHandler, Signal, signal};

use super::{Exit, crash_record, plugin_guard, supervisor};

/// Start time of the process, approximately: time of the first call, which is the first thing that
/// `bench` does.
pub fn process_start() -> Instant {
    static START: OnceLock<Instant> = OnceLock::new();
    *START.get_or_init(Instant::now)
}

/// Makes exceeding `ulimit -f` a write error, like a full disk: without this the system would kill
/// the process without a message.
pub(crate) fn tell_of_full_files() {
    // If it can't be ignored, the default behaviour remains.
    // SAFETY: no handler is installed, only `SIG_IGN`.
    let _ = unsafe { signal(Signal::SIGXFSZ, SigHandler::SigIgn) };
}

/// Has this process killed when its parent ends.
pub(crate) fn die_with(parent: u32) {
    // SAFETY: both system calls take integers and access no memory.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // If the parent is gone already, the signal would never come.
        if parent_id() != parent {
            libc::_exit(libc::SIGKILL);
        }
    }
}

/// Ctrl-C: the first one requests an end, the second one ends the process.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens to SIGINT, SIGTERM and SIGHUP from now on.
    pub fn listen() -> Self {
        let interrupt = Interrupt::default();
        let asked = interrupt.clone();
        if supervisor::is_supervised() {
            asked.take_orders();
        } else {
            let listening = ctrlc::set_handler(move || asked.ask_or_end());
            // Without a handler Ctrl-C ends the program; results so far are on disk.
            drop(listening);
        }
        interrupt
    }

    /// Listens to the supervisor, which receives the signals.
    fn take_orders(self) {
        // A listener that exists already stays active.
        let Some(orders) = supervisor::orders() else {
            return;
        };
        let listening = Builder::new().spawn(move || {
            let orders = BufReader::new(orders).bytes().map_while(Result::ok);
            orders.for_each(|_| self.ask_or_end());
        });
        // Without a listener the supervisor ends the process; results so far are on disk.
        crash_record::current().listens.store(listening.is_ok(), SeqCst);
    }

    /// Handles a request: the first one requests an end, the second one ends the process.
    fn ask_or_end(&self) {
        if self.0.swap(true, Relaxed) {
            plugin_guard::disarm();
            crash_record::record_exit(Exit::Interrupted);
            std::process::exit(Exit::Interrupted as i32);
        }
        let _ = writeln!(
            io::stderr(),
            "\nbench: stopping after this sample; once more to stop at once"
        );
    }

    /// True if an end was requested.
    pub fn asked(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// Requests an end, as Ctrl-C does.
    pub fn ask(&self) {
        self.0.store(true, Relaxed);
    }
}

/// Number of rows if a terminal reports only its width, as that of `script` does.
const ROWS: usize = 24;

/// Size of a terminal in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TerminalSize {
    /// Characters in a row.
    pub(crate) columns: usize,
    /// Rows on the screen.
    pub(crate) rows: usize,
}

/// Size of the terminal; `None` if there is none, or its width is unknown.
pub(crate) fn terminal_size() -> Option<TerminalSize> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the call writes only to `size`, which is a valid local variable; it fails for
    // anything that is not a terminal.
    let answer = unsafe { libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &raw mut size) };
    (answer == 0).then(|| size_of(size.ws_col, size.ws_row)).flatten()
}

fn size_of(columns: u16, rows: u16) -> Option<TerminalSize> {
    let rows = if rows == 0 { ROWS } else { rows.into() };
    (columns > 0).then_some(TerminalSize { columns: columns.into(), rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_needs_only_a_width() {
        assert_eq!(size_of(80, 0), Some(TerminalSize { columns: 80, rows: 24 }));
        assert_eq!(size_of(80, 50), Some(TerminalSize { columns: 80, rows: 50 }));
        assert_eq!(size_of(0, 50), None);
    }
}
