//! A process that waits for the one with plugins, in order to report its end whatever the cause.
//!
//! A plugin can end its process in ways that cannot be detected within it: `_exit`, SIGKILL, memory
//! corruption long before. So work with plugins is done by a child, forked before any thread is
//! started: arguments, environment, affinity, limits and the terminal are the same. The parent only
//! waits. A child that is done records that in memory shared by both, and the parent ends with the
//! same exit code; any other end is attributed to the plugin.
//!
//! Signals are delivered to both if they are sent to all processes of a terminal, and to the parent
//! if they are sent to `bench`. So only the parent handles them, and the child ignores its own. The
//! child is killed when the parent ends.
//!
//! Ctrl-C signals both processes, `kill` one of them, and a process cannot distinguish the two. So
//! that each request counts once, the child receives them only through a pipe.

use std::ffi::c_int;
use std::fs;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{ExitCode, ExitStatus};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

use nix::libc;
use nix::sys::signal::{
    SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, kill, raise, sigaction,
};
use nix::unistd::Pid;

use super::crash_record::{self, CrashRecord};
use super::{Exit, die_with};
use crate::platform::plugin_guard::{KEPT, NOTHING_KEPT};

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
    signals: Inherited,
}

fn prepared() -> io::Result<(Supervisor, io::PipeReader)> {
    let crash_record = crash_record::share()?;
    let (reader, orders) = io::pipe()?;
    Ok((Supervisor { crash_record, orders, signals: Inherited::look()? }, reader))
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
                die_with(parent);
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
            die_of(signal, mask);
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

/// Signals that request an end in good order.
const ASKING: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

/// Receives orders of the child, until the listener takes it.
static ORDERS: Mutex<Option<PipeReader>> = Mutex::new(None);
static SUPERVISED: AtomicBool = AtomicBool::new(false);

/// True if this process has a supervisor.
pub(super) fn is_supervised() -> bool {
    SUPERVISED.load(SeqCst)
}

/// Yields a byte for each request to end. There is one listener.
pub(super) fn orders() -> Option<PipeReader> {
    ORDERS.lock().ok()?.take()
}

/// Signal state that this process was started with.
struct Inherited {
    /// Signals to wait for.
    awaited: SigSet,
    ignored: SigSet,
}

impl Inherited {
    fn look() -> io::Result<Self> {
        let mut ignored = SigSet::empty();
        for signal in ASKING.into_iter().chain([Signal::SIGQUIT]) {
            if is_ignored(signal)? {
                ignored.add(signal);
            }
        }
        let mut awaited = SigSet::empty();
        ASKING.into_iter().for_each(|signal| awaited.add(signal));
        awaited.add(Signal::SIGCHLD);
        if !ignored.contains(Signal::SIGQUIT) {
            awaited.add(Signal::SIGQUIT);
        }
        Ok(Inherited { awaited, ignored })
    }

    /// Blocks the signals, so that they can be waited for; returns the previous mask.
    fn block(&self) -> io::Result<SigSet> {
        // The parent may have set this process to ignore the end of its children.
        // SAFETY: the default action is not a function of this program.
        unsafe { sigaction(Signal::SIGCHLD, &by_default()) }?;
        Ok(self.awaited.thread_swap_mask(SigmaskHow::SIG_BLOCK)?)
    }

    /// Waits for the next signal.
    fn next(&self) -> io::Result<Signal> {
        Ok(self.awaited.wait()?)
    }

    fn ignores(&self, signal: Signal) -> bool {
        self.ignored.contains(signal)
    }

    /// In the child: only the pipe counts. Signals get an empty handler rather than `SIG_IGN`,
    /// because programs that the child starts then have the default action.
    fn leave_to_parent(&self, orders: PipeReader) {
        let handler = SigHandler::Handler(nothing);
        let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
        for signal in ASKING.into_iter().filter(|&signal| !self.ignores(signal)) {
            // SAFETY: the handler is an empty function.
            let _ = unsafe { sigaction(signal, &action) };
        }
        if let Ok(mut kept) = ORDERS.lock() {
            *kept = Some(orders);
        }
        SUPERVISED.store(true, SeqCst);
    }
}

extern "C" fn nothing(_: c_int) {}

fn by_default() -> SigAction {
    SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty())
}

fn is_ignored(signal: Signal) -> io::Result<bool> {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action, the call only writes the current one to `action`.
    let read = unsafe { libc::sigaction(signal as c_int, std::ptr::null(), action.as_mut_ptr()) };
    if read == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the successful call has initialised it.
    Ok(unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN)
}

/// Ends this process as the default action of a signal does.
fn die_of(signal: Signal, mask: &SigSet) -> ! {
    // SAFETY: the default action is not a function of this program.
    let _ = unsafe { sigaction(signal, &by_default()) };
    let _ = raise(signal);
    // The signal is unblocked, so that it is delivered now.
    let _ = mask.thread_set_mask();
    // The first process of a container does not die of signals: use the exit code of a shell.
    std::process::exit(128 + signal as i32)
}
