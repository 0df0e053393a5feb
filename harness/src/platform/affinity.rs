//! Which CPUs this process may use, and which one it is on.

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;

/// The number of CPUs in the inherited affinity mask.
pub fn usable_threads() -> usize {
    let in_mask = |mask: CpuSet| {
        (0..CpuSet::count())
            .filter(|&cpu| mask.is_set(cpu).unwrap_or(false))
            .count()
    };
    let from_mask = sched_getaffinity(Pid::from_raw(0))
        .map(in_mask)
        .unwrap_or(0);
    if from_mask > 0 {
        return from_mask;
    }
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The CPU that the calling thread runs on at this moment.
pub fn current_cpu() -> Option<usize> {
    nix::sched::sched_getcpu().ok()
}
