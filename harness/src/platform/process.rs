//! This process: when it began, how it is asked to end; and what its children say.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock};
use std::thread::Builder;
use std::time::Instant;

use files::Lines;
use nix::sys::signal::{SigHandler, Signal, signal};

use super::{Exit, ledger, plugin_guard, supervisor};

/// The beginning of the process, or nearly so: the first call, which is the first thing
/// that `bench` does.
pub fn process_start() -> Instant {
    static START: OnceLock<Instant> = OnceLock::new();
    *START.get_or_init(Instant::now)
}

/// A file that may not grow any more, by `ulimit -f`, is an error of whoever writes it, as a disk
/// that is full is: without this the system would end the process without a word.
pub(crate) fn tell_of_full_files() {
    // Where it can't be ignored, all stays as it was.
    // SAFETY: no handler is installed.
    let _ = unsafe { signal(Signal::SIGXFSZ, SigHandler::SigIgn) };
}

/// The characters of the longest line that another process may say: all samples of a point are in
/// one.
const LONGEST_LINE: usize = 64 << 20;

/// The lines that another process writes; one that is endless is an error.
pub(crate) fn lines(said: impl Read) -> impl Iterator<Item = io::Result<String>> {
    BufReader::new(Lines::of_stream(said, LONGEST_LINE)).lines()
}

/// The lines that a child writes, as they come: whoever waits for one can give up.
///
/// # Errors
/// If the system gives no thread to read them.
pub(crate) fn lines_of(output: impl Read + Send + 'static) -> io::Result<Receiver<String>> {
    let (sender, receiver) = channel();
    Builder::new().spawn(move || {
        let mut lines = lines(output).map_while(Result::ok);
        lines.try_for_each(|line| sender.send(line))
    })?;
    Ok(receiver)
}

/// Ctrl-C: the first asks for an end, the second makes one.
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
            // Without a handler Ctrl-C ends the program: what is on disk is kept.
            drop(listening);
        }
        interrupt
    }

    /// Listens to the supervisor, who takes the signals.
    fn take_orders(self) {
        // Who listens already goes on listening.
        let Some(orders) = supervisor::orders() else {
            return;
        };
        let listening = Builder::new().spawn(move || {
            let orders = BufReader::new(orders).bytes().map_while(Result::ok);
            orders.for_each(|_| self.ask_or_end());
        });
        // Without a listener the supervisor ends the process: what is on disk is kept.
        ledger::ledger().listens.store(listening.is_ok(), SeqCst);
    }

    /// The first asks for an end, the second makes one.
    fn ask_or_end(&self) {
        if self.0.swap(true, Relaxed) {
            plugin_guard::disarm();
            ledger::ends(Exit::Interrupted);
            std::process::exit(Exit::Interrupted as i32);
        }
        let _ = writeln!(
            io::stderr(),
            "\nbench: stopping after this sample; once more to stop at once"
        );
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
