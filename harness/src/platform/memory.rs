//! How much memory there is to be had.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// Bytes that this process can allocate without swapping: what the machine has
/// left, or what the control group of the process has, if that is less.
/// Without knowledge, no limit.
pub fn available_memory() -> u64 {
    let wanted = MemoryRefreshKind::nothing().with_ram();
    let system = System::new_with_specifics(RefreshKind::nothing().with_memory(wanted));
    let available = |system: System| {
        let group = system.cgroup_limits().map(|limits| limits.free_memory);
        system.available_memory().min(group.unwrap_or(u64::MAX))
    };
    system.map_or(u64::MAX, available)
}
