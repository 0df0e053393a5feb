//! Available memory: of the machine, and within the limits of the process, of its control groups
//! and of its NUMA nodes; and sizes of last-level caches.
//!
//! `Mems_allowed` is set by cpusets of control groups (Slurm, containers); a memory policy is set
//! at the start of a process (`numactl --membind`).
//!
//! The kernel's file cache counts as used by a group, but is reclaimed on demand. Above
//! `memory.high` no process is killed, but all work of the group is slowed down until it almost
//! stops: it is treated as a limit like `memory.max`.

use std::fs;
use std::path::Path;

use nix::sys::resource::{Resource, getrlimit};
use sysinfo::{MemoryRefreshKind, RefreshKind, System};
use tasks::axis::parse_count;
use text::Untrusted;

use super::control_groups::{Version, hierarchies};
use super::{Topology, sysfs};

/// Bytes that this process can allocate without swapping: available memory of the machine, or what
/// the limits of the process, of its control groups or of its NUMA nodes allow, if that is less.
/// Unlimited if unknown.
pub fn available_memory() -> u64 {
    let root = Path::new("/");
    let limits =
        [machine(), bytes_in_control_groups(root), bytes_on_nodes(root), bytes_within_limits()];
    limits.into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// Available memory of the machine; `None` without `/proc`, where it is reported as 0.
fn machine() -> Option<u64> {
    let wanted = MemoryRefreshKind::nothing().with_ram();
    let system = System::new_with_specifics(RefreshKind::nothing().with_memory(wanted)).ok()?;
    (system.total_memory() > 0).then(|| system.available_memory())
}

/// Environment variable for the total size of the last-level caches, such as `8M`: virtual machines
/// report that of their host, of which they have a small part.
const VARIABLE: &str = "RECOBENCH_LAST_LEVEL_CACHE";

/// Total bytes of all last-level caches, as reported by the machine or set by the user, and a note
/// for readers.
pub fn last_level_bytes(topology: &Topology) -> (u64, Option<String>) {
    let setting = std::env::var(VARIABLE).ok();
    chosen(setting.as_deref(), topology.last_level_bytes())
}

fn chosen(setting: Option<&str>, known: u64) -> (u64, Option<String>) {
    let Some(setting) = setting else {
        return (known, None);
    };
    match parse_count(setting) {
        Ok(bytes) => {
            let note = format!("{VARIABLE} says {bytes} bytes, the machine {known}");
            (bytes, Some(note))
        }
        Err(problem) => {
            let note = format!("{VARIABLE} {} is ignored: {problem}", setting.quoted());
            (known, Some(note))
        }
    }
}

/// Address space that threads' stacks and the allocator reserve while they grow.
const RESERVED: u64 = 128 << 20;

/// Bytes that can still be allocated; `None` without limits.
fn bytes_within_limits() -> Option<u64> {
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

/// Policy of `set_mempolicy` that allows no other nodes.
const MPOL_BIND: libc::c_int = 2;
/// Maximum number of nodes of the kernel.
const MAX_NODES: usize = 1024;

/// Available bytes on the allowed nodes; `None` if all nodes are allowed or the system does not
/// report them. `root` is `/` except in tests.
fn bytes_on_nodes(root: &Path) -> Option<u64> {
    left_on(root, bound_nodes().as_deref())
}

fn left_on(root: &Path, bound: Option<&[usize]>) -> Option<u64> {
    let base = root.join("sys/devices/system/node");
    let all =
        sysfs::cpus(&base.join("has_memory")).or_else(|| sysfs::cpus(&base.join("online")))?;
    let status = sysfs::text(&root.join("proc/self/status"))?;
    let allowed = status.lines().find_map(|line| line.strip_prefix("Mems_allowed_list:"))?;
    let allowed = sysfs::list(allowed)?;
    let is_allowed =
        |node: &usize| allowed.contains(node) && bound.is_none_or(|bound| bound.contains(node));
    let nodes: Vec<usize> = all.iter().copied().filter(is_allowed).collect();
    if nodes.len() == all.len() || nodes.is_empty() {
        return None;
    }
    let available_bytes =
        nodes.iter().map(|node| available_on_node(&base.join(format!("node{node}/meminfo"))));
    available_bytes.sum()
}

/// Free memory of a node, including file cache.
fn available_on_node(meminfo: &Path) -> Option<u64> {
    let text = sysfs::text(meminfo)?;
    let kilobytes = |name: &str| {
        let line = text.lines().find_map(|line| line.split_once(name))?.1;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let free = kilobytes("MemFree:")?;
    let cached = ["Active(file):", "Inactive(file):"].into_iter().filter_map(kilobytes);
    Some((free + cached.sum::<u64>()) << 10)
}

/// Nodes that the policy of this thread binds it to; `None` without such a policy.
fn bound_nodes() -> Option<Vec<usize>> {
    const BITS: usize = libc::c_ulong::BITS as usize;
    let mut mode: libc::c_int = 0;
    let mut mask = [0 as libc::c_ulong; MAX_NODES / BITS];
    // SAFETY: the kernel writes the mode, and at most MAX_NODES bits of the mask, which has that
    // size.
    let failed = unsafe {
        libc::syscall(
            libc::SYS_get_mempolicy,
            &raw mut mode,
            mask.as_mut_ptr(),
            MAX_NODES as libc::c_ulong,
            std::ptr::null::<libc::c_void>(),
            0 as libc::c_ulong,
        )
    };
    if failed != 0 || mode != MPOL_BIND {
        return None;
    }
    let is_set = |node: &usize| mask[node / BITS] >> (node % BITS) & 1 == 1;
    Some((0..MAX_NODES).filter(is_set).collect())
}

/// File names of a version.
struct Files {
    limits: &'static [&'static str],
    used: &'static str,
    /// Line of `memory.stat` with reclaimable memory.
    inactive: &'static str,
}

const V1: Files = Files {
    limits: &["memory.limit_in_bytes"],
    used: "memory.usage_in_bytes",
    inactive: "total_inactive_file ",
};
const V2: Files = Files {
    limits: &["memory.max", "memory.high"],
    used: "memory.current",
    inactive: "inactive_file ",
};

/// Bytes that can still be allocated; `None` without limits. `root` is `/` except in tests.
fn bytes_in_control_groups(root: &Path) -> Option<u64> {
    let hierarchies = hierarchies(root, "memory").into_iter();
    let available_bytes = hierarchies.flat_map(|hierarchy| {
        let files = match hierarchy.version {
            Version::V1 => &V1,
            Version::V2 => &V2,
        };
        hierarchy.groups.into_iter().filter_map(move |group| available_in_group(&group, files))
    });
    available_bytes.min()
}

/// Bytes available within a group; `None` without a limit: version 2 reports `max`, and version 1 a
/// number that is larger than any memory.
fn available_in_group(folder: &Path, files: &Files) -> Option<u64> {
    let limits = files.limits.iter().filter_map(|name| sysfs::number::<u64>(&folder.join(name)));
    let limit = limits.min()?;
    let used: u64 = sysfs::number(&folder.join(files.used))?;
    let stat = sysfs::text(&folder.join("memory.stat")).unwrap_or_default();
    let inactive = stat.lines().find_map(|line| line.strip_prefix(files.inactive));
    let inactive: u64 = inactive.and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(inactive)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::control_groups::tests::root;

    #[test]
    fn valid_settings_are_used_and_noted() {
        for (setting, expected, words) in [
            (None, 300, ""),
            (Some("8M"), 8_000_000, "says 8000000 bytes"),
            (Some("much"), 300, "is ignored"),
        ] {
            let (bytes, note) = chosen(setting, 300);
            assert_eq!((bytes, note.is_some()), (expected, setting.is_some()));
            assert!(note.unwrap_or_default().contains(words), "{setting:?}");
        }
    }

    #[test]
    fn used_memory_is_in_bytes() {
        let status = "Name:\tbench\nVmSize:\t    2048 kB\nVmData:\t1 kB\n";
        let used = ["VmSize:", "VmData:", "VmNone:"].map(|name| used(status, name));
        assert_eq!(used, [2 << 20, 1 << 10, 0]);
    }

    fn two_nodes(allowed: &str) -> tempfile::TempDir {
        let status = format!("Name:\tbench\nMems_allowed_list:\t{allowed}\n");
        let meminfo = "Node 1 MemTotal: 900 kB\nNode 1 MemFree:    100 kB\n\
                       Node 1 Active(file):  20 kB\nNode 1 Inactive(file): 3 kB\n";
        root(&[
            ("proc/self/status", &status),
            ("sys/devices/system/node/online", "0-1\n"),
            ("sys/devices/system/node/node0/meminfo", "Node 0 MemFree: 7 kB\n"),
            ("sys/devices/system/node/node1/meminfo", meminfo),
        ])
    }

    #[test]
    fn some_of_the_nodes_are_a_limit() {
        assert_eq!(left_on(two_nodes("1").path(), None), Some(123 << 10));
        assert_eq!(left_on(two_nodes("0-1").path(), None), None);
        assert_eq!(left_on(two_nodes("0-1").path(), Some(&[0])), Some(7 << 10));
        assert_eq!(left_on(root(&[]).path(), None), None);
    }

    #[test]
    fn the_narrowest_group_of_version_2_counts() {
        let mounts = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
        let all = [
            ("proc/self/cgroup", "0::/user/job\n"),
            ("proc/self/mountinfo", mounts),
            ("sys/fs/cgroup/user/memory.max", "1000"),
            ("sys/fs/cgroup/user/memory.current", "900"),
            ("sys/fs/cgroup/user/memory.stat", "anon 1\ninactive_file 300\n"),
            ("sys/fs/cgroup/user/job/memory.max", "max"),
            ("sys/fs/cgroup/user/job/memory.current", "100"),
        ];
        assert_eq!(bytes_in_control_groups(root(&all).path()), Some(400));
        assert_eq!(bytes_in_control_groups(root(&all[..2]).path()), None, "no files of memory");
        assert_eq!(bytes_in_control_groups(root(&[]).path()), None, "no groups");
    }

    #[test]
    fn groups_of_version_1_are_found_beside_an_empty_version_2() {
        let mounts = "35 31 0:32 /jobs /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                      41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let root = root(&[
            ("proc/self/cgroup", "4:memory:/jobs/one\n1:cpu,cpuacct:/\n0::/\n"),
            ("proc/self/mountinfo", mounts),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "5000"),
            ("sys/fs/cgroup/memory/one/memory.limit_in_bytes", "4000"),
            ("sys/fs/cgroup/memory/one/memory.usage_in_bytes", "1000"),
        ]);
        assert_eq!(bytes_in_control_groups(root.path()), Some(3000));
    }

    /// A group above `memory.high` almost stops.
    #[test]
    fn memory_high_is_a_limit() {
        let mounts = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        let root = root(&[
            ("proc/self/cgroup", "0::/job\n"),
            ("proc/self/mountinfo", mounts),
            ("sys/fs/cgroup/job/memory.max", "9000"),
            ("sys/fs/cgroup/job/memory.high", "1000"),
            ("sys/fs/cgroup/job/memory.current", "400"),
        ]);
        assert_eq!(bytes_in_control_groups(root.path()), Some(600));
    }
}
