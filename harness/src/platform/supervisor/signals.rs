//! Signals that ask to end: the parent takes all of them, and the child acts upon none that it
//! gets itself.
//!
//! A Ctrl-C comes to both processes, `kill` to one of them, and nobody can tell which it was from
//! what a process gets. So that each counts once, the child hears of them through a pipe alone.

use std::ffi::c_int;
use std::io::{self, PipeReader};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use nix::libc;
use nix::sys::signal::{
    SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, raise, sigaction,
};

/// Those that ask a command to end in good order.
const ASKING: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

/// What the child is told, until somebody listens.
static ORDERS: Mutex<Option<PipeReader>> = Mutex::new(None);
static SUPERVISED: AtomicBool = AtomicBool::new(false);

/// Whether this process has a supervisor.
pub(in crate::platform) fn is_supervised() -> bool {
    SUPERVISED.load(SeqCst)
}

/// A byte for each time that this process is asked to end. There is one listener.
pub(in crate::platform) fn orders() -> Option<PipeReader> {
    ORDERS.lock().ok()?.take()
}

/// What this process was started with.
pub(super) struct Inherited {
    /// Those that it is to wait for.
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

    /// From now on they wait until they are asked for; returns what was blocked before.
    pub(super) fn block(&self) -> io::Result<SigSet> {
        // Somebody may have had this process ignore how its children end.
        // SAFETY: the default is no function of ours.
        unsafe { sigaction(Signal::SIGCHLD, &by_default()) }?;
        Ok(self.awaited.thread_swap_mask(SigmaskHow::SIG_BLOCK)?)
    }

    /// The next one.
    pub(super) fn next(&self) -> io::Result<Signal> {
        Ok(self.awaited.wait()?)
    }

    pub(super) fn ignores(&self, signal: Signal) -> bool {
        self.ignored.contains(signal)
    }

    /// In the child: only what comes through the pipe counts. There is a handler, which does
    /// nothing, rather than none, for programs that the child starts begin with the default then.
    pub(super) fn leave_to_parent(&self, orders: PipeReader) {
        let handler = SigHandler::Handler(nothing);
        let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
        for signal in ASKING.into_iter().filter(|&signal| !self.ignores(signal)) {
            // SAFETY: the handler does nothing.
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
    // SAFETY: without a new action, it writes the one that there is.
    let read = unsafe { libc::sigaction(signal as c_int, std::ptr::null(), action.as_mut_ptr()) };
    if read == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was written.
    Ok(unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN)
}

/// Ends this process as a signal does that nobody handles.
pub(super) fn die_of(signal: Signal, mask: &SigSet) -> ! {
    // SAFETY: the default is no function of ours.
    let _ = unsafe { sigaction(signal, &by_default()) };
    let _ = raise(signal);
    // It was blocked.
    let _ = mask.thread_set_mask();
    // The first process of a container does not die of signals: as a shell tells it.
    std::process::exit(128 + signal as i32)
}
