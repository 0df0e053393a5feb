//! Control groups of this process, of version 1 and of version 2, and its CPU quota.
//!
//! `/proc/self/cgroup` lists the groups by their paths in a hierarchy, and `/proc/self/mountinfo`
//! where the hierarchy, or a part of it, is mounted. The limit of a group applies to all groups
//! below it, so the limits of the process's group and of all its ancestors apply.
//!
//! A quota does not restrict affinity: all CPUs of the mask can be used until the time of a period
//! is used up. Then all threads of the group are stopped until the next period, in the middle of
//! their work.

use std::path::{Path, PathBuf};

use super::sysfs;

/// Version of a hierarchy, which determines file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    V1,
    V2,
}

/// Groups of this process in a hierarchy.
pub(super) struct Hierarchy {
    pub(super) version: Version,
    /// Folders of the group of the process and of its ancestors.
    pub(super) groups: Vec<PathBuf>,
}

/// Mount of a hierarchy.
struct Mount {
    version: Version,
    /// The group that is visible at the mount point.
    group: PathBuf,
    point: PathBuf,
}

/// Hierarchies that may have a controller such as `memory`. `root` is `/` except in tests.
pub(super) fn hierarchies(root: &Path, controller: &str) -> Vec<Hierarchy> {
    let groups = sysfs::text(&root.join("proc/self/cgroup"));
    let mounts = sysfs::text(&root.join("proc/self/mountinfo"));
    let Some((groups, mounts)) = groups.zip(mounts) else {
        return Vec::new();
    };
    let mounts = mounts.lines().filter_map(|line| mount(line, controller));
    let hierarchy = |mount: Mount| {
        let group = group_in(&groups, mount.version, controller)?;
        // A process in its own namespace sees paths that lead out of the mount.
        let below = group.strip_prefix(&mount.group).unwrap_or(Path::new(""));
        let top = root.join(mount.point.strip_prefix("/").ok()?);
        let folder = top.join(below);
        let groups = folder.ancestors().take_while(|folder| folder.starts_with(&top));
        let groups = groups.map(Path::to_owned).collect();
        Some(Hierarchy { version: mount.version, groups })
    };
    mounts.filter_map(hierarchy).collect()
}

/// A line of `/proc/self/mountinfo`: `… GROUP POINT … - TYPE SOURCE OPTIONS`.
fn mount(line: &str, controller: &str) -> Option<Mount> {
    let (mount_point, filesystem) = line.split_once(" - ")?;
    let mut mount_point = mount_point.split(' ').skip(3);
    let group = mount_point.next()?;
    let point = mount_point.next()?;
    let mut filesystem = filesystem.split(' ');
    let kind = filesystem.next()?;
    let options = filesystem.nth(1)?;
    let version = match kind {
        "cgroup2" => Version::V2,
        "cgroup" if options.split(',').any(|option| option == controller) => Version::V1,
        _ => return None,
    };
    Some(Mount { version, group: group.into(), point: point.into() })
}

/// Group of the process in a hierarchy: a line of `/proc/self/cgroup`, `NUMBER:CONTROLLERS:GROUP`;
/// version 2 has number 0 and no controllers.
fn group_in(groups: &str, version: Version, controller: &str) -> Option<PathBuf> {
    let mut lines = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        Some((parts.next()?, parts.next()?))
    });
    let is_it = |controllers: &str| match version {
        Version::V1 => controllers.split(',').any(|name| name == controller),
        Version::V2 => controllers.is_empty(),
    };
    lines.find(|(controllers, _)| is_it(controllers)).map(|(_, group)| group.into())
}

/// Groups with a quota, and the smallest quota.
#[derive(Debug)]
pub(crate) struct CpuQuota {
    /// Quota in CPUs.
    pub(crate) cpus: f64,
    /// `cpu.stat` files of these groups.
    stats: Vec<PathBuf>,
}

impl CpuQuota {
    /// Quota of this process; `None` without any.
    pub(crate) fn for_this_process() -> Option<Self> {
        Self::read(Path::new("/"))
    }

    /// Reads the quota below a root, which is `/` except in tests.
    fn read(root: &Path) -> Option<Self> {
        let groups = hierarchies(root, "cpu").into_iter().flat_map(|hierarchy| {
            let Hierarchy { version, groups } = hierarchy;
            groups.into_iter().filter_map(move |group| Some((quota(&group, version)?, group)))
        });
        let (quotas, groups): (Vec<f64>, Vec<PathBuf>) = groups.unzip();
        let cpus = quotas.into_iter().reduce(f64::min)?;
        Some(CpuQuota { cpus, stats: groups.iter().map(|group| group.join("cpu.stat")).collect() })
    }

    /// Number of periods so far in which threads of these groups were stopped.
    pub(crate) fn throttled(&self) -> u64 {
        let periods = self.stats.iter().filter_map(|stat| {
            let text = sysfs::text(stat)?;
            text.lines().find_map(|line| line.strip_prefix("nr_throttled ")?.parse::<u64>().ok())
        });
        periods.sum()
    }
}

/// Counts periods in which the quota stopped threads of this process's groups, from the start of a
/// run.
#[derive(Debug)]
pub(crate) struct StoppedPeriods {
    /// Quota, with the number of periods before the run.
    counted: Option<(CpuQuota, u64)>,
}

impl StoppedPeriods {
    /// Starts counting.
    pub(crate) fn start() -> Self {
        Self::with_quota(CpuQuota::for_this_process())
    }

    fn with_quota(quota: Option<CpuQuota>) -> Self {
        let counted = quota.map(|quota| {
            let before = quota.throttled();
            (quota, before)
        });
        StoppedPeriods { counted }
    }

    /// Number of periods since the start; `None` without a quota.
    pub(crate) fn so_far(&self) -> Option<u64> {
        let (quota, before) = self.counted.as_ref()?;
        Some(quota.throttled().saturating_sub(*before))
    }
}

/// Quota of a group in CPUs; `None` without a limit.
fn quota(group: &Path, version: Version) -> Option<f64> {
    let (quota, period): (f64, f64) = match version {
        Version::V1 => (
            sysfs::number(&group.join("cpu.cfs_quota_us"))?,
            sysfs::number(&group.join("cpu.cfs_period_us"))?,
        ),
        Version::V2 => {
            let text = sysfs::text(&group.join("cpu.max"))?;
            let (quota, period) = text.split_once(' ')?;
            (quota.parse().ok()?, period.parse().ok()?)
        }
    };
    (quota > 0.0 && period > 0.0).then_some(quota / period)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs;

    use super::*;

    /// Creates a tree of files from paths with their contents.
    pub(in crate::platform) fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (path, content) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, content).expect("written");
        }
        root
    }

    /// A quota whose count of stopped periods is in a file.
    pub(crate) fn in_file(stat: &Path) -> CpuQuota {
        CpuQuota { cpus: 1.0, stats: vec![stat.to_owned()] }
    }

    #[test]
    fn the_narrowest_group_of_version_2_counts() {
        let root = root(&[
            ("proc/self/cgroup", "0::/user/job\n"),
            ("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("sys/fs/cgroup/user/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/user/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 4\n"),
            ("sys/fs/cgroup/user/job/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/user/job/cpu.stat", "nr_periods 0\nnr_throttled 70\n"),
        ]);
        let quota = CpuQuota::read(root.path()).expect("a quota");
        assert_eq!((quota.cpus, quota.throttled()), (1.5, 4));
        fs::write(root.path().join("sys/fs/cgroup/user/cpu.max"), "max 100000").expect("written");
        assert!(CpuQuota::read(root.path()).is_none());
    }

    #[test]
    fn only_periods_of_the_run_are_counted() {
        let folder = root(&[("cpu.stat", "nr_periods 90\nnr_throttled 40\n")]);
        let stat = folder.path().join("cpu.stat");
        let stopped = StoppedPeriods::with_quota(Some(in_file(&stat)));
        assert_eq!(stopped.so_far(), Some(0));
        fs::write(&stat, "nr_periods 99\nnr_throttled 43\n").expect("written");
        assert_eq!(stopped.so_far(), Some(3));
        assert_eq!(StoppedPeriods::with_quota(None).so_far(), None);
    }

    #[test]
    fn nested_groups_of_version_1_are_read() {
        let mounts = "33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
                      35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
        let root = root(&[
            ("proc/self/cgroup", "4:memory:/\n2:cpu,cpuacct:/a/b\n0::/\n"),
            ("proc/self/mountinfo", mounts),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1"),
            ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000"),
            ("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000"),
            ("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000"),
            ("sys/fs/cgroup/cpu/a/cpu.stat", "nr_periods 8\nnr_throttled 3\nthrottled_time 1\n"),
            ("sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "200000"),
            ("sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000"),
            ("sys/fs/cgroup/cpu/a/b/cpu.stat", "nr_periods 8\nnr_throttled 1\n"),
        ]);
        let quota = CpuQuota::read(root.path()).expect("a quota");
        assert_eq!((quota.cpus, quota.throttled()), (1.0, 4));
    }
}
