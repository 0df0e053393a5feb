//! Path to which a named file is written, and folders that survive a power failure.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
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

/// Waits until the names in a folder are on the disk.
///
/// # Errors
/// If they can't be put there.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    match File::open(path).and_then(|folder| folder.sync_all()) {
        // Some network file systems can't, and need not.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
            Ok(())
        }
        synced => synced,
    }
}

/// Creates a folder and those above it, as far as need be, and waits until they are on the disk.
///
/// # Errors
/// If one can't be created, or something else has its name.
pub fn create_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let above = folder_of(path);
    let created = match fs::create_dir(path) {
        Err(error) if error.kind() == ErrorKind::NotFound && above != path => {
            create_folder(above).and_then(|()| fs::create_dir(path))
        }
        created => created,
    };
    match created {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => refuse_other(path, error)?,
        created => created?,
    }
    sync_folder(above)
}

/// Refuses an existing path unless it is a folder that another process created in the meantime.
fn refuse_other(path: &Path, error: io::Error) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let is_dangling = path.is_symlink() && !path.exists();
    Err(if is_dangling { io::Error::other("a link in its path leads nowhere") } else { error })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

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

    #[test]
    fn folders_are_created_as_far_as_need_be() {
        let root = tempfile::tempdir().expect("a folder");
        let at = |name: &str| root.path().join(name);
        create_folder(&at("a/b/c")).expect("created");
        create_folder(&at("a/b/c")).expect("there");
        create_folder(&at("a/d/")).expect("created");
        assert!(at("a/b/c").is_dir() && at("a/d").is_dir());
        symlink("nowhere", at("link")).expect("linked");
        let refusal = create_folder(&at("link/below")).expect_err("it leads nowhere");
        assert!(refusal.to_string().contains("a link in its path"), "{refusal}");
        fs::write(at("file"), "").expect("written");
        assert!(create_folder(&at("file")).is_err());
        assert!(create_folder(&at("file/below")).is_err());
    }
}
