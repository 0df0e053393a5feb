//! Path to which a named file is written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Treatment of a link instead of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// The link is followed: its target is replaced, and the link stays.
    Followed,
    /// The link itself is replaced.
    Replaced,
}

/// Target of a write.
pub(crate) enum Target {
    /// Written directly: it is not a regular file.
    Direct(PathBuf),
    /// TempFile this file, which may not be there yet.
    Replace(PathBuf),
}

/// Maximum number of links to links: that of the system.
const MAX_LINKS: usize = 40;
/// Files there are others' in disguise, such as `/dev/stdout`: they can't be replaced.
const OF_SYSTEM: [&str; 2] = ["/dev", "/proc"];
/// A folder for files as usual, but in memory.
const IN_MEMORY: &str = "/dev/shm";

impl Target {
    pub(crate) fn resolve(path: &Path, links: Links) -> io::Result<Self> {
        if links == Links::Replaced {
            return Ok(Target::Replace(path.to_owned()));
        }
        let is_special = fs::metadata(path).is_ok_and(|found| !found.is_file());
        let mut target = path.to_owned();
        for _ in 0..MAX_LINKS {
            if is_special || is_of_system(&target) {
                return Ok(Target::Direct(path.to_owned()));
            }
            // Not a link, or nothing there.
            let Ok(next) = fs::read_link(&target) else {
                return Ok(Target::Replace(target));
            };
            target = folder_of(&target).join(next);
        }
        Err(io::Error::other("links that lead in a circle"))
    }
}

fn is_of_system(path: &Path) -> bool {
    OF_SYSTEM.iter().any(|folder| path.starts_with(folder)) && !path.starts_with(IN_MEMORY)
}

/// The folder of a file: `.` if its path is only a name.
pub fn folder_of(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_written_through_and_files_in_memory_are_not() {
        let is_through = |path: &str| {
            let target = Target::resolve(Path::new(path), Links::Followed).expect("a target");
            matches!(target, Target::Direct(_))
        };
        for path in ["/dev/null", "/dev/stdout", "/proc/self/fd/1"] {
            assert!(is_through(path), "{path}");
        }
        for path in ["/dev/shm/digis.csv", "digis.csv"] {
            assert!(!is_through(path), "{path}");
        }
    }
}
