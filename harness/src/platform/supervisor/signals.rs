//! Signals that request an end: the parent receives all of them, and the child ignores its own.
//!
//! Ctrl-C signals both processes, `kill` one of them, and a process cannot distinguish the two. So
//! that each request counts once, the child receives them only through a pipe.

use std::ffi::c_int;
use std::io::{self, PipeReader};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use nix::libc;
use nix::sys::signal::{
    SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, raise, sigaction,
};

/// Signals that request an end in good order.
const ASKING: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

/// Receives orders of the child, until the listener takes it.
static ORDERS: Mutex<Option<PipeReader>> = Mutex::new(None);
static SUPERVISED: AtomicBool = AtomicBool::new(false);

/// True if this process has a supervisor.
pub(in crate::platform) fn is_supervised() -> bool {
    SUPERVISED.load(SeqCst)
}

/// Yields a byte for each request to end. There is one listener.
pub(in crate::platform) fn orders() -> Option<PipeReader> {
    ORDERS.lock().ok()?.take()
}

/// Signal state that this process was started with.
pub(super) struct Inherited {
    /// Signals to wait for.
    awaited: SigSet,
    ignored: SigSet,
}

impl Inherited {
    pub(super) fn look() -> io::Result<Self> {
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
    pub(super) fn block(&self) -> io::Result<SigSet> {
        // The parent may have set this process to ignore the end of its children.
        // SAFETY: the default action is not a function of this program.
        unsafe { sigaction(Signal::SIGCHLD, &by_default()) }?;
        Ok(self.awaited.thread_swap_mask(SigmaskHow::SIG_BLOCK)?)
    }

    /// Waits for the next signal.
    pub(super) fn next(&self) -> io::Result<Signal> {
        Ok(self.awaited.wait()?)
    }

    pub(super) fn ignores(&self, signal: Signal) -> bool {
        self.ignored.contains(signal)
    }

    /// In the child: only the pipe counts. Signals get an empty handler rather than `SIG_IGN`,
    /// because programs that the child starts then have the default action.
    pub(super) fn leave_to_parent(&self, orders: PipeReader) {
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
pub(super) fn die_of(signal: Signal, mask: &SigSet) -> ! {
    // SAFETY: the default action is not a function of this program.
    let _ = unsafe { sigaction(signal, &by_default()) };
    let _ = raise(signal);
    // The signal is unblocked, so that it is delivered now.
    let _ = mask.thread_set_mask();
    // The first process of a container does not die of signals: use the exit code of a shell.
    std::process::exit(128 + signal as i32)
}
