//! Memory limits of plugins.

use std::fs;

use nix::libc;

use crate::platform::available_memory;

/// Bytes of host memory that a plugin can use: what is available, plus what this process uses,
/// which may have been allocated for the plugin; at most the limit of this process.
pub(super) fn memory_budget() -> u64 {
    available_memory().saturating_add(resident()).min(limit())
}

/// Limit of data of a trial with `threads` threads: half of the available memory, so that a plugin
/// with growing memory is stopped before other programs are affected, but never less than small
/// inputs and the stacks of all threads need.
pub(super) fn trial_budget(threads: usize) -> u64 {
    const MIN_BYTES: u64 = 1 << 30;
    const BYTES_PER_THREAD: u64 = 16 << 20;
    (available_memory() / 2).max(MIN_BYTES + BYTES_PER_THREAD * threads as u64)
}

/// Resident bytes of this process, if available.
fn resident() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    // SAFETY: `sysconf` takes an integer, returns an integer and accesses no memory.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(0);
    pages.unwrap_or(0_u64).saturating_mul(page)
}

/// Limit of data of this process: trial processes have one.
fn limit() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: 0 };
    // SAFETY: `getrlimit` writes only `limit`, which is a valid local variable.
    unsafe { libc::getrlimit(libc::RLIMIT_DATA, &raw mut limit) };
    limit.rlim_cur
}
