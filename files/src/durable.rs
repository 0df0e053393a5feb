//! Writes that survive a power failure.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

use super::target::folder_of;

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
