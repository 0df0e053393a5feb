//! A plugin that crashes in this process: on the real input, after it did well when it
//! was tried.
//!
//! Nothing can be saved then but what is on disk, which is all that was measured. So
//! the process says whose fault it is and where the results are, and ends with the
//! exit code of a wrong variant. Outside calls of plugins nothing changes: whoever
//! handled these signals before does so still, Rust's check for stack overflows among
//! them.
//!
//! A handler may do next to nothing: it reads two pointers, writes and ends.

use std::ffi::{c_int, c_void};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering::SeqCst};

use algorithms::plugin::{Call, Watch, set_watch};
use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use super::Exit;

/// What crashes end with.
const SIGNALS: [Signal; 6] = [
    Signal::SIGSEGV,
    Signal::SIGBUS,
    Signal::SIGILL,
    Signal::SIGFPE,
    Signal::SIGABRT,
    Signal::SIGTRAP,
];

/// The call of a plugin that goes on.
static CALL: AtomicPtr<Call> = AtomicPtr::new(null_mut());
/// Where results go.
static FOLDER: AtomicPtr<String> = AtomicPtr::new(null_mut());
/// What was done on these signals before.
static BEFORE: OnceLock<[SigAction; SIGNALS.len()]> = OnceLock::new();

struct Guard;

impl Watch for Guard {
    fn enter(&self, call: &'static Call) {
        CALL.store(std::ptr::from_ref(call).cast_mut(), SeqCst);
    }

    fn leave(&self) {
        CALL.store(null_mut(), SeqCst);
    }
}

/// From now on, crashes of plugins are told.
pub(crate) fn install() {
    BEFORE.get_or_init(|| {
        set_watch(&Guard);
        // SAFETY: `on_exit` takes nothing and may be called when the process ends.
        unsafe { libc::atexit(on_exit) };
        let flags = SaFlags::SA_SIGINFO | SaFlags::SA_ONSTACK;
        let action = SigAction::new(SigHandler::SigAction(on_signal), flags, SigSet::empty());
        // SAFETY: the handler does only what handlers may do.
        SIGNALS.map(|signal| unsafe { sigaction(signal, &action) }.unwrap_or_else(|_| default()))
    });
}

/// Says where results go.
pub(crate) fn keep_results_in(folder: &Path) {
    let text = Box::new(folder.display().to_string());
    // A handler may be reading the one before: it stays.
    FOLDER.store(Box::into_raw(text), SeqCst);
}

/// The process is about to be ended, and no plugin is to blame.
pub(crate) fn disarm() {
    Guard.leave();
}

fn default() -> SigAction {
    SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty())
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let known = SIGNALS.iter().position(|&known| known as c_int == signal);
    // SAFETY: what is pointed to is never freed.
    match unsafe { CALL.load(SeqCst).as_ref() } {
        Some(call) => blame(call, known.map_or("a signal", |at| SIGNALS[at].as_str())),
        None => do_as_before(known, signal, info, context),
    }
}

extern "C" fn on_exit() {
    // SAFETY: as above.
    if let Some(call) = unsafe { CALL.load(SeqCst).as_ref() } {
        blame(call, "exit");
    }
}

/// Says whose fault it is, and ends the process.
fn blame(call: &Call, how: &str) -> ! {
    // SAFETY: as above.
    let folder = unsafe { FOLDER.load(SeqCst).as_ref() };
    let (kept, folder) = match folder {
        Some(folder) => ("; what was measured before is kept in ", folder.as_str()),
        None => ("; nothing was measured", ""),
    };
    for text in ["\nbench: plugin ", &call.words, ", crashed (", how, ")", kept, folder, "\n"] {
        // SAFETY: so many bytes are there. Whether anybody reads them makes no difference.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    }
    // SAFETY: it ends the process, and runs nothing before.
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
        // SAFETY: both may be called in a handler; the signal comes once it returns.
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
    fn a_stack_overflow_outside_plugins_is_told_as_before() {
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
