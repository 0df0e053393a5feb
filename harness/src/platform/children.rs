//! Processes that this one starts.

use std::io;
use std::os::unix::process::{CommandExt, parent_id};
use std::process::Command;

use nix::libc;

/// Has a child be killed when the thread that starts it ends, however that ends: the main thread
/// of a process, so that nothing of it goes on alone.
pub(crate) fn end_with_parent(command: &mut Command) {
    let parent = std::process::id();
    // SAFETY: between fork and exec there are system calls only.
    unsafe {
        command.pre_exec(move || {
            die_with(parent);
            Ok(())
        });
    }
}

/// Has this process be killed when its parent ends.
pub(super) fn die_with(parent: u32) {
    // SAFETY: both are system calls that touch no memory.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // It may be gone already: then nobody would tell.
        if parent_id() != parent {
            libc::_exit(libc::SIGKILL);
        }
    }
}

/// Lets a child take no more than so many bytes of memory for data.
pub(crate) fn limit_data(command: &mut Command, bytes: u64) {
    // SAFETY: between fork and exec there are system calls only.
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
