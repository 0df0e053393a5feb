//! A process that waits for the one that has plugins loaded, so that whatever ends that is told.
//!
//! A plugin can end its process in ways that nothing in it can notice: `_exit`, SIGKILL, memory
//! that it has spoilt long before. So what plugins are loaded for is done by a child, forked
//! before any thread is started: arguments, environment, affinity, limits and the terminal are
//! the same. The parent does nothing but wait. A child that is done says so in the memory that
//! both share, and the parent ends as it did; any other end is the plugin's.
//!
//! Signals come to both where they are for all processes of a terminal, and to the parent where
//! they are for `bench`. So the parent alone acts upon them: see `signals`. The child dies with
//! the parent.
//!
//! | module | holds |
//! |---|---|
//! | this | both processes |
//! | `signals` | what asks them to end |
//! | `story` | what is told of a child that did not end by itself |

mod signals;
mod story;

use std::fs;
use std::io::{self, PipeWriter, Write};
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{ExitCode, ExitStatus};
use std::sync::atomic::Ordering::SeqCst;

use nix::libc;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;

use super::ledger::{self, Ledger};
use super::{Exit, children};
pub(super) use signals::{is_supervised, orders};

/// The exit code of a panic.
const PANICKED: i32 = 101;

/// Has a child do some work, and ends as it does.
///
/// No other thread may have been started, nor the driver of GPUs. Where there can be no child,
/// this process does the work itself, as without a supervisor.
pub(crate) fn supervise(work: impl FnOnce() -> Exit) -> ExitCode {
    match prepared() {
        Ok((supervisor, orders)) if is_alone() => supervisor.run(orders, work),
        _ => work().into(),
    }
}

/// Whether this is the only thread, as far as the system tells.
fn is_alone() -> bool {
    fs::read_dir("/proc/self/task").map_or(true, |threads| threads.count() == 1)
}

struct Supervisor {
    ledger: &'static Ledger,
    /// What the child is told to do.
    orders: PipeWriter,
    signals: signals::Inherited,
}

fn prepared() -> io::Result<(Supervisor, io::PipeReader)> {
    let ledger = ledger::share()?;
    let (reader, orders) = io::pipe()?;
    Ok((Supervisor { ledger, orders, signals: signals::Inherited::look()? }, reader))
}

impl Supervisor {
    fn run(self, orders: io::PipeReader, work: impl FnOnce() -> Exit) -> ExitCode {
        // None of them may be lost in between.
        let Ok(mask) = self.signals.block() else {
            return work().into();
        };
        let parent = std::process::id();
        // SAFETY: this is the only thread, so nothing is half done in the child.
        match unsafe { libc::fork() } {
            -1 => {
                let _ = mask.thread_set_mask();
                work().into()
            }
            0 => {
                drop(self.orders);
                self.signals.leave_to_parent(orders);
                let _ = mask.thread_set_mask();
                children::die_with(parent);
                work_in_child(self.ledger, work)
            }
            child => {
                drop(orders);
                self.watch(Pid::from_raw(child), &mask)
            }
        }
    }

    /// Waits for the child, and passes on what it is to hear meanwhile.
    fn watch(mut self, child: Pid, mask: &SigSet) -> ExitCode {
        let mut deadly = None;
        loop {
            match self.signals.next() {
                Ok(Signal::SIGCHLD) | Err(_) => {
                    if let Some(status) = ended(child) {
                        return self.end(status, deadly, mask);
                    }
                }
                Ok(signal) => deadly = self.pass_on(signal, child).or(deadly),
            }
        }
    }

    /// Tells the child that it was asked to end; one that does not listen is ended. Returns the
    /// signal if it does that.
    fn pass_on(&mut self, signal: Signal, child: Pid) -> Option<Signal> {
        if self.ledger.listens.load(SeqCst) && signal != Signal::SIGQUIT {
            // A child that is gone needs no order.
            let _ = self.orders.write_all(&[1]);
            return None;
        }
        if self.signals.ignores(signal) {
            return None;
        }
        // It acts upon no other, but for this one, which leaves a core.
        let deadly = if signal == Signal::SIGQUIT { signal } else { Signal::SIGKILL };
        let _ = kill(child, deadly);
        Some(signal)
    }

    /// Ends as the child did, and says why if that was not by itself.
    fn end(&self, status: ExitStatus, deadly: Option<Signal>, mask: &SigSet) -> ExitCode {
        let told = self.ledger.told();
        if let Some(code) = told.filter(|&code| status.code() == Some(code)) {
            return ExitCode::from(code as u8);
        }
        if let Some(signal) = deadly.filter(|_| status.signal().is_some()) {
            signals::die_of(signal, mask);
        }
        let story = story::of(self.ledger, status);
        let _ = writeln!(io::stderr(), "\nbench: {}", text::lines(&story));
        Exit::WrongOutput.into()
    }
}

fn work_in_child(ledger: &Ledger, work: impl FnOnce() -> Exit) -> ExitCode {
    let done = catch_unwind(AssertUnwindSafe(work));
    let code = done.map_or(PANICKED, |exit| exit as i32);
    ledger.tell(code);
    ExitCode::from(code as u8)
}

/// How a child ended, if it has.
fn ended(child: Pid) -> Option<ExitStatus> {
    let mut status = 0;
    // SAFETY: it writes one number.
    let found = unsafe { libc::waitpid(child.as_raw(), &raw mut status, libc::WNOHANG) };
    (found == child.as_raw()).then(|| ExitStatus::from_raw(status))
}
