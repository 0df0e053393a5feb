//! A process that waits for the one with plugins, in order to report its end whatever the cause.
//!
//! A plugin can end its process in ways that cannot be detected within it: `_exit`, SIGKILL, memory
//! corruption long before. So work with plugins is done by a child, forked before any thread is
//! started: arguments, environment, affinity, limits and the terminal are the same. The parent only
//! waits. A child that is done records that in memory shared by both, and the parent ends with the
//! same exit code; any other end is attributed to the plugin.
//!
//! Signals are delivered to both if they are sent to all processes of a terminal, and to the parent
//! if they are sent to `bench`. So only the parent handles them: see `signals`. The child is killed
//! when the parent ends.
//!
//! | module | holds |
//! |---|---|
//! | this | both processes |
//! | `signals` | signals that request an end |

mod signals;

use std::fs;
use std::io::{self, PipeWriter, Write};
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{ExitCode, ExitStatus};
use std::sync::atomic::Ordering::SeqCst;

use nix::libc;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;

use super::crash_record::{self};
use super::{Exit, children};
use crate::platform::crash_record::CrashRecord;
use crate::platform::plugin_guard::{KEPT, NOTHING_KEPT};
pub(super) use signals::{is_supervised, orders};

/// Exit code of a panic.
const PANICKED: i32 = 101;

/// Runs some work in a child, and ends as the child does.
///
/// No other thread may have been started, nor the driver of GPUs. If no child can be started, this
/// process does the work itself, without a supervisor.
pub(crate) fn supervise(work: impl FnOnce() -> Exit) -> ExitCode {
    match prepared() {
        Ok((supervisor, orders)) if is_alone() => supervisor.run(orders, work),
        _ => work().into(),
    }
}

/// True if this is the only thread, as far as the system reports.
fn is_alone() -> bool {
    fs::read_dir("/proc/self/task").map_or(true, |threads| threads.count() == 1)
}

struct Supervisor {
    crash_record: &'static CrashRecord,
    /// Sends orders to the child.
    orders: PipeWriter,
    signals: signals::Inherited,
}

fn prepared() -> io::Result<(Supervisor, io::PipeReader)> {
    let crash_record = crash_record::share()?;
    let (reader, orders) = io::pipe()?;
    Ok((Supervisor { crash_record, orders, signals: signals::Inherited::look()? }, reader))
}

impl Supervisor {
    fn run(self, orders: io::PipeReader, work: impl FnOnce() -> Exit) -> ExitCode {
        // Blocked first, so that no signal is lost in between.
        let Ok(mask) = self.signals.block() else {
            return work().into();
        };
        let parent = std::process::id();
        // SAFETY: this is the only thread, so the child starts in a consistent state.
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
                work_in_child(self.crash_record, work)
            }
            child => {
                drop(orders);
                self.watch(Pid::from_raw(child), &mask)
            }
        }
    }

    /// Waits for the child, and forwards requests to end.
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

    /// Forwards a request to end to the child; a child without a listener is killed. Returns the
    /// signal in that case.
    fn pass_on(&mut self, signal: Signal, child: Pid) -> Option<Signal> {
        if self.crash_record.listens.load(SeqCst) && signal != Signal::SIGQUIT {
            // A child that has ended needs no order.
            let _ = self.orders.write_all(&[1]);
            return None;
        }
        if self.signals.ignores(signal) {
            return None;
        }
        // The child ignores all others except this one, which dumps core.
        let deadly = if signal == Signal::SIGQUIT { signal } else { Signal::SIGKILL };
        let _ = kill(child, deadly);
        Some(signal)
    }

    /// Ends as the child did, and reports the cause if that was not by itself.
    fn end(&self, status: ExitStatus, deadly: Option<Signal>, mask: &SigSet) -> ExitCode {
        let exit_code = self.crash_record.exit_code();
        if let Some(code) = exit_code.filter(|&code| status.code() == Some(code)) {
            return ExitCode::from(code as u8);
        }
        if let Some(signal) = deadly.filter(|_| status.signal().is_some()) {
            signals::die_of(signal, mask);
        }
        let story = describe_end(self.crash_record, status);
        let _ = writeln!(io::stderr(), "\nbench: {}", text::lines(&story));
        Exit::WrongOutput.into()
    }
}

fn work_in_child(crash_record: &CrashRecord, work: impl FnOnce() -> Exit) -> ExitCode {
    let done = catch_unwind(AssertUnwindSafe(work));
    let code = done.map_or(PANICKED, |exit| exit as i32);
    crash_record.set_exit_code(code);
    ExitCode::from(code as u8)
}

/// Exit status of a child, if it has ended.
fn ended(child: Pid) -> Option<ExitStatus> {
    let mut status = 0;
    // SAFETY: the call writes only `status`, which is a valid local variable.
    let found = unsafe { libc::waitpid(child.as_raw(), &raw mut status, libc::WNOHANG) };
    (found == child.as_raw()).then(|| ExitStatus::from_raw(status))
}

/// Describes what happened, possible causes, and where results are.
fn describe_end(crash_record: &CrashRecord, status: ExitStatus) -> String {
    let how = how(status);
    let call = String::from_utf8_lossy(crash_record.call.bytes());
    let folder = String::from_utf8_lossy(crash_record.folder.bytes());
    let what = if crash_record.is_inside.load(SeqCst) {
        format!("plugin {call}, {how}")
    } else if call.is_empty() {
        format!("the process that was to load plugins {how} before it had called any")
    } else {
        format!(
            "the process {how} while plugins were loaded, which may have spoilt it; the last call \
             was of {call}"
        )
    };
    match &*folder {
        "" => what + NOTHING_KEPT,
        folder => what + KEPT + folder,
    }
}

fn how(status: ExitStatus) -> String {
    let Some(number) = status.signal() else {
        return format!("ended the process (exit code {})", status.code().unwrap_or_default());
    };
    let signal = Signal::try_from(number);
    let name = signal.map_or(format!("signal {number}"), |signal| signal.to_string());
    match signal {
        Ok(Signal::SIGKILL | Signal::SIGTERM | Signal::SIGXFSZ | Signal::SIGXCPU) => {
            format!("was ended by {name}")
        }
        _ => format!("crashed ({name})"),
    }
}
