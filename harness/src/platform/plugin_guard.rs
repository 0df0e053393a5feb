//! Handling of plugins that crash in this process, on the real input, after they passed the trial.
//!
//! Nothing can be saved then except what is on disk, which is everything that was measured. So the
//! process reports the plugin and the folder of results, and ends with the exit code of a wrong
//! variant. Outside of plugin calls nothing changes: previous handlers of these signals remain in
//! effect, including Rust's check for stack overflows. Other ends of a process are reported by its
//! [`supervisor`](super::supervisor), if it has one.
//!
//! A signal handler may do very little: this one reads two texts, writes and exits.

use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use tasks::plugin::{Call, Watch, set_watch};
use text::Untrusted;

use super::Exit;
use super::crash_record::{self, record_exit};

/// Signals of crashes.
const SIGNALS: [Signal; 6] = [
    Signal::SIGSEGV,
    Signal::SIGBUS,
    Signal::SIGILL,
    Signal::SIGFPE,
    Signal::SIGABRT,
    Signal::SIGTRAP,
];

/// Text before the folder of results.
pub(super) const KEPT: &str = "; what was measured before is kept in ";
pub(super) const NOTHING_KEPT: &str = "; nothing was measured";

/// Id of this process: a process forked by a plugin has the handlers, too, but must not report.
static PROCESS: AtomicU32 = AtomicU32::new(0);
/// Initial working directory, to which relative paths refer.
static HOME: OnceLock<PathBuf> = OnceLock::new();
/// Previous handlers of these signals.
static BEFORE: OnceLock<[SigAction; SIGNALS.len()]> = OnceLock::new();

struct Guard;

impl Watch for Guard {
    fn enter(&self, call: &'static Call) {
        crash_record::current().enter(&call.words);
    }

    fn leave(&self) {
        crash_record::current().leave();
    }
}

/// Reports crashes of plugins from now on.
pub(crate) fn install() {
    BEFORE.get_or_init(|| {
        PROCESS.store(std::process::id(), SeqCst);
        if let Ok(home) = std::env::current_dir() {
            let _ = HOME.set(home);
        }
        set_watch(&Guard);
        // SAFETY: `on_exit` takes no arguments and may be called when the process ends.
        unsafe { libc::atexit(on_exit) };
        let flags = SaFlags::SA_SIGINFO | SaFlags::SA_ONSTACK;
        let action = SigAction::new(SigHandler::SigAction(on_signal), flags, SigSet::empty());
        // SAFETY: the handler makes only async-signal-safe calls.
        SIGNALS.map(|signal| unsafe { sigaction(signal, &action) }.unwrap_or_else(|_| default()))
    });
}

/// Sets the folder of results for reports.
pub(crate) fn keep_results_in(folder: &Path) {
    crash_record::current().folder.set(&folder.escaped().to_string());
}

/// Returns to the initial working directory: a plugin may have changed it, and relative paths of
/// results refer to the initial one.
pub(crate) fn return_home() {
    if let Some(home) = HOME.get() {
        // If the folder was removed, writing the results reports the error.
        let _ = std::env::set_current_dir(home);
    }
}

/// Disarms the guard, because the process is about to be ended for another reason.
pub(crate) fn disarm() {
    Guard.leave();
}

fn default() -> SigAction {
    SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty())
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let known = SIGNALS.iter().position(|&known| known as c_int == signal);
    if is_called() {
        blame(known.map_or("a signal", |at| SIGNALS[at].as_str()));
    }
    do_as_before(known, signal, info, context);
}

extern "C" fn on_exit() {
    if is_called() {
        blame("exit");
    }
}

/// True if a plugin is being called in this process.
fn is_called() -> bool {
    // SAFETY: `getpid` takes no arguments and is async-signal-safe.
    let process = unsafe { libc::getpid() };
    crash_record::current().is_inside.load(SeqCst)
        && u32::try_from(process) == Ok(PROCESS.load(SeqCst))
}

/// Reports the plugin, and ends the process.
fn blame(how: &str) -> ! {
    let record = crash_record::current();
    let folder = record.folder.bytes();
    let kept = if folder.is_empty() { NOTHING_KEPT } else { KEPT };
    let texts: [&[u8]; 8] = [
        b"\nbench: plugin ",
        record.call.bytes(),
        b", crashed (",
        how.as_bytes(),
        b")",
        kept.as_bytes(),
        folder,
        b"\n",
    ];
    for text in texts {
        // SAFETY: pointer and length are those of `text`; an error of the write is ignored.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    }
    record_exit(Exit::WrongOutput);
    // SAFETY: `_exit` takes an integer, ends the process and runs no handlers.
    unsafe { libc::_exit(Exit::WrongOutput as c_int) }
}

fn do_as_before(
    known: Option<usize>,
    signal: c_int,
    info: *mut libc::siginfo_t,
    context: *mut c_void,
) {
    let before = known.and_then(|at| BEFORE.get().map(|all| all[at].handler()));
    match before {
        Some(SigHandler::SigAction(handler)) => handler(signal, info, context),
        Some(SigHandler::Handler(handler)) => handler(signal),
        Some(SigHandler::SigIgn) => {}
        // SAFETY: both calls are async-signal-safe; the signal is delivered when the handler
        // returns.
        _ => unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        },
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use super::*;

    const OVERFLOWS: &str = "platform::plugin_guard::tests::overflows";

    #[test]
    fn a_stack_overflow_outside_plugins_is_reported_as_before() {
        let this = std::env::current_exe().expect("a test program");
        let mut again = Command::new(this);
        again.args(["--exact", OVERFLOWS, "--ignored", "--nocapture"]);
        let output = again.output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("has overflowed its stack"), "{said}");
        assert_eq!(output.status.signal(), Some(Signal::SIGABRT as c_int));
    }

    #[test]
    #[ignore = "for the test above, in a process of its own"]
    fn overflows() {
        install();
        fn deeper(depth: u64) -> u64 {
            let frame = std::hint::black_box([depth; 512]);
            match std::hint::black_box(depth) {
                u64::MAX => 0,
                depth => deeper(depth + 1) + frame[(depth % 512) as usize],
            }
        }
        std::hint::black_box(deeper(0));
    }
}
