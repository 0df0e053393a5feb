//! Which CPUs this process may use, which one a thread is on, and for how long it had one.

use std::time::Duration;

use nix::sched::{CpuSet, sched_getaffinity};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;

/// The CPUs in the inherited affinity mask, in ascending order.
pub fn usable_cpus() -> Vec<usize> {
    let in_mask = |mask: CpuSet| -> Vec<usize> {
        let is_set = |&cpu: &usize| mask.is_set(cpu).unwrap_or(false);
        (0..CpuSet::count()).filter(is_set).collect()
    };
    match sched_getaffinity(Pid::from_raw(0)).map(in_mask) {
        Ok(cpus) if !cpus.is_empty() => cpus,
        // A machine with more CPUs than a mask has bits, or an unusual system.
        _ => assumed_cpus(),
    }
}

/// As many CPUs as the standard library tells of.
pub(super) fn assumed_cpus() -> Vec<usize> {
    (0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get)).collect()
}

/// The number of CPUs in the inherited affinity mask.
pub fn usable_threads() -> usize {
    usable_cpus().len()
}

/// The CPU that the calling thread runs on at this moment.
pub fn current_cpu() -> Option<usize> {
    nix::sched::sched_getcpu().ok()
}

/// The time for which the calling thread has had a CPU, where the system tells.
pub fn thread_time() -> Option<Duration> {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID);
    time.ok().map(Duration::from)
}
