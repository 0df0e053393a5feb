//! How much memory plugins may ask for.

use std::fs;

use nix::libc;

use crate::platform::available_memory;

/// Bytes that a plugin can have on the host: what is available, and what this process holds, for
/// that may be lent to it; no more than its limit.
pub(super) fn room() -> u64 {
    available_memory().saturating_add(resident()).min(limit())
}

/// Bytes of data that a trial with so many threads may have: half of what is available, so that
/// a plugin that takes more and more is stopped before others feel it, and never less than small
/// inputs and the stacks of all threads need.
pub(super) fn of_trial(threads: usize) -> u64 {
    const LEAST: u64 = 1 << 30;
    const A_THREAD: u64 = 16 << 20;
    (available_memory() / 2).max(LEAST + A_THREAD * threads as u64)
}

/// Bytes of this process in memory, where the system tells.
fn resident() -> u64 {
    let told = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = told.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    // SAFETY: it takes a number and gives one.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(0);
    pages.unwrap_or(0_u64).saturating_mul(page)
}

/// Bytes of data that this process may have: a trial has a limit.
fn limit() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: 0 };
    // SAFETY: it writes both numbers, or none.
    unsafe { libc::getrlimit(libc::RLIMIT_DATA, &raw mut limit) };
    limit.rlim_cur
}
