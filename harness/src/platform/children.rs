//! Child processes.

use std::io;
use std::os::unix::process::{CommandExt, parent_id};
use std::process::Command;

use nix::libc;

/// Has a child killed when the thread that starts it ends for any reason. This should be the main
/// thread of a process, so that no child survives the process.
pub(crate) fn end_with_parent(command: &mut Command) {
    let parent = std::process::id();
    // SAFETY: between fork and exec the closure makes only async-signal-safe system calls.
    unsafe {
        command.pre_exec(move || {
            die_with(parent);
            Ok(())
        });
    }
}

/// Has this process killed when its parent ends.
pub(super) fn die_with(parent: u32) {
    // SAFETY: both system calls take integers and access no memory.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // If the parent is gone already, the signal would never come.
        if parent_id() != parent {
            libc::_exit(libc::SIGKILL);
        }
    }
}

/// Limits the data memory of a child.
pub(crate) fn limit_data(command: &mut Command, bytes: u64) {
    // SAFETY: between fork and exec the closure makes only async-signal-safe system calls.
    unsafe {
        command.pre_exec(move || {
            let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            if libc::getrlimit(libc::RLIMIT_DATA, &raw mut limit) == -1 {
                return Err(io::Error::last_os_error());
            }
            limit.rlim_cur = limit.rlim_cur.min(bytes);
            match libc::setrlimit(libc::RLIMIT_DATA, &raw const limit) {
                -1 => Err(io::Error::last_os_error()),
                _ => Ok(()),
            }
        });
    }
}
