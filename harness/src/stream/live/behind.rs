//! Threads that go behind all others.

use std::io;
use std::thread::{Builder, JoinHandle};

use nix::libc;

/// The niceness of who runs when nobody else wants to.
const LOWEST_PRIORITY: i32 = 19;

/// Starts a thread that gets a CPU after all others. Threads that it starts do, too.
///
/// # Errors
/// If the system gives none.
pub(super) fn spawn_behind<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    Builder::new().name(name.to_owned()).spawn(move || {
        // SAFETY: a system call that touches no memory of ours. On Linux it is for this thread alone.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, LOWEST_PRIORITY) };
        work()
    })
}
