//! What the control groups of this process leave, of version 1 and of version 2.
//!
//! `/proc/self/cgroup` tells the groups by their paths in a hierarchy, and `/proc/self/mountinfo`
//! where that is mounted, or a part of it. A group's limit holds for all below it, so that all from
//! that of the process upwards are asked. What the kernel caches of files counts as used by a group,
//! but makes room for whoever needs it.

use std::path::{Path, PathBuf};

use super::super::sysfs;

/// The names that files of a version have.
struct Version {
    limit: &'static str,
    used: &'static str,
    /// The line of `memory.stat` that tells what can be had back.
    inactive: &'static str,
}

const V1: Version = Version {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    inactive: "total_inactive_file ",
};
const V2: Version =
    Version { limit: "memory.max", used: "memory.current", inactive: "inactive_file " };

/// Where a hierarchy is mounted.
struct Mount {
    version: &'static Version,
    /// The group that is to be seen at the mount point.
    group: PathBuf,
    point: PathBuf,
}

/// Bytes that can still be allocated; `None` without limits. `root` is `/` but in tests.
pub(super) fn left(root: &Path) -> Option<u64> {
    let groups = sysfs::text(&root.join("proc/self/cgroup"))?;
    let mounts = sysfs::text(&root.join("proc/self/mountinfo"))?;
    let left = mounts.lines().filter_map(mount).filter_map(|mount| {
        let group = group_in(&groups, mount.version)?;
        // A process in a namespace of its own sees paths that lead out of the mount.
        let below = group.strip_prefix(&mount.group).unwrap_or(Path::new(""));
        let top = root.join(mount.point.strip_prefix("/").ok()?);
        let folder = top.join(below);
        let folders = folder.ancestors().take_while(|folder| folder.starts_with(&top));
        folders.filter_map(|folder| left_in(folder, mount.version)).min()
    });
    left.min()
}

/// A line of `/proc/self/mountinfo`: `… GROUP POINT … - TYPE SOURCE OPTIONS`.
fn mount(line: &str) -> Option<Mount> {
    let (place, kind) = line.split_once(" - ")?;
    let mut place = place.split(' ').skip(3);
    let (group, point) = (place.next()?, place.next()?);
    let mut kind = kind.split(' ');
    let (kind, options) = (kind.next()?, kind.nth(1)?);
    let version = match kind {
        "cgroup2" => &V2,
        "cgroup" if options.split(',').any(|option| option == "memory") => &V1,
        _ => return None,
    };
    Some(Mount { version, group: group.into(), point: point.into() })
}

/// The group of the process in the hierarchy that knows of memory: a line of `/proc/self/cgroup`,
/// `NUMBER:CONTROLLERS:GROUP`; version 2 has number 0 and no controllers.
fn group_in(groups: &str, version: &Version) -> Option<PathBuf> {
    let mut lines = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        Some((parts.next()?, parts.next()?))
    });
    let is_it = |controllers: &str| {
        if version.limit == V2.limit {
            controllers.is_empty()
        } else {
            controllers.split(',').any(|name| name == "memory")
        }
    };
    lines.find(|(controllers, _)| is_it(controllers)).map(|(_, group)| group.into())
}

/// What a group leaves; `None` without a limit: version 2 says `max`, and version 1 a number that
/// is larger than any memory.
fn left_in(folder: &Path, version: &Version) -> Option<u64> {
    let limit: u64 = sysfs::number(&folder.join(version.limit))?;
    let used: u64 = sysfs::number(&folder.join(version.used))?;
    let stat = sysfs::text(&folder.join("memory.stat")).unwrap_or_default();
    let inactive = stat.lines().find_map(|line| line.strip_prefix(version.inactive));
    let inactive: u64 = inactive.and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(inactive)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A tree of files: a path and its content in each line.
    fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (path, content) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, content).expect("written");
        }
        root
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
        assert_eq!(left(root(&all).path()), Some(400));
        assert_eq!(left(root(&all[..2]).path()), None, "no files of memory");
        assert_eq!(left(root(&[]).path()), None, "no groups");
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
        assert_eq!(left(root.path()), Some(3000));
    }
}
