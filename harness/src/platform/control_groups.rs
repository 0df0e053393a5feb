//! Control groups of this process, of version 1 and of version 2.
//!
//! `/proc/self/cgroup` lists the groups by their paths in a hierarchy, and `/proc/self/mountinfo`
//! where the hierarchy, or a part of it, is mounted. The limit of a group applies to all groups
//! below it, so the limits of the process's group and of all its ancestors apply.

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

#[cfg(test)]
pub(super) mod tests {
    use std::fs;

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
}
