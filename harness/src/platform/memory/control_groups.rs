//! Memory available within the control groups of this process.
//!
//! The kernel's file cache counts as used by a group, but is reclaimed on demand. Above
//! `memory.high` no process is killed, but all work of the group is slowed down until it almost
//! stops: it is treated as a limit like `memory.max`.

use std::path::Path;

use super::super::control_groups::{Version, hierarchies};
use super::super::sysfs;

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
pub(super) fn available_bytes(root: &Path) -> Option<u64> {
    let hierarchies = hierarchies(root, "memory").into_iter();
    let available_bytes = hierarchies.flat_map(|hierarchy| {
        let files = match hierarchy.version {
            Version::V1 => &V1,
            Version::V2 => &V2,
        };
        hierarchy.groups.into_iter().filter_map(move |group| available_in(&group, files))
    });
    available_bytes.min()
}

/// Bytes available within a group; `None` without a limit: version 2 reports `max`, and version 1 a
/// number that is larger than any memory.
fn available_in(folder: &Path, files: &Files) -> Option<u64> {
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
    use super::super::super::control_groups::tests::root;
    use super::*;

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
        assert_eq!(available_bytes(root(&all).path()), Some(400));
        assert_eq!(available_bytes(root(&all[..2]).path()), None, "no files of memory");
        assert_eq!(available_bytes(root(&[]).path()), None, "no groups");
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
        assert_eq!(available_bytes(root.path()), Some(3000));
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
        assert_eq!(available_bytes(root.path()), Some(600));
    }
}
