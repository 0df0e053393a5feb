//! Memory available within the limits of this process (`ulimit -v`, `ulimit -d`).

use std::fs;

use nix::sys::resource::{Resource, getrlimit};

/// Address space that threads' stacks and the allocator reserve while they grow.
const RESERVED: u64 = 128 << 20;

/// Bytes that can still be allocated; `None` without limits.
pub(super) fn available_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let space = left_of(Resource::RLIMIT_AS, used(&status, "VmSize:") + RESERVED);
    let data = left_of(Resource::RLIMIT_DATA, used(&status, "VmData:") + RESERVED);
    space.into_iter().chain(data).min()
}

fn left_of(resource: Resource, used: u64) -> Option<u64> {
    let (limit, _) = getrlimit(resource).ok()?;
    (limit != nix::libc::RLIM_INFINITY).then(|| limit.saturating_sub(used))
}

/// Bytes in a line of `/proc/self/status`; 0 if it is missing.
fn used(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_memory_is_in_bytes() {
        let status = "Name:\tbench\nVmSize:\t    2048 kB\nVmData:\t1 kB\n";
        let used = ["VmSize:", "VmData:", "VmNone:"].map(|name| used(status, name));
        assert_eq!(used, [2 << 20, 1 << 10, 0]);
    }
}
