//! Threads with the lowest priority.

use std::io;
use std::thread::{Builder, JoinHandle};

use nix::libc;

/// Niceness of a thread that runs only on otherwise idle CPUs.
const LOWEST_PRIORITY: i32 = 19;

/// Starts a thread with the lowest priority, which threads that it starts inherit.
///
/// # Errors
/// If the system refuses the thread.
pub(super) fn spawn_low_priority<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    Builder::new().name(name.to_owned()).spawn(move || {
        // SAFETY: this system call takes integers and accesses no memory of the process. On Linux
        // it affects only this thread.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, LOWEST_PRIORITY) };
        work()
    })
}
