//! Folders for what is being written or deleted, and sweeping what is left of
//! writers that were killed.
//!
//! A writer makes a folder of a unique name and locks a file in it. The system
//! lets go of the lock when the writer ends, however it ends: a lock that can
//! be had means that nobody needs the folder any more.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use super::HistoryError;
use super::durable;

const LOCK: &str = "lock";

/// A folder of one writer; it goes with the value.
pub(super) struct Draft {
    folder: PathBuf,
    _lock: File,
}

impl Draft {
    /// Makes a folder below `parent`.
    pub(super) fn begin(parent: &Path) -> Result<Self, HistoryError> {
        durable::create_folder(parent)?;
        loop {
            let folder = parent.join(unique_name());
            match Draft::claim(&folder) {
                Ok(Some(draft)) => return Ok(draft),
                Ok(None) => {}
                Err(source) => {
                    let _ = clear(&folder);
                    return Err(HistoryError::io(&folder, source));
                }
            }
        }
    }

    /// `None` if somebody swept the folder before the lock was held.
    fn claim(folder: &Path) -> io::Result<Option<Self>> {
        match fs::create_dir(folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
            created => created?,
        }
        let path = folder.join(LOCK);
        let lock = match File::create_new(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            lock => lock?,
        };
        lock.lock()?;
        Ok(path.exists().then(|| Draft { folder: folder.to_owned(), _lock: lock }))
    }

    /// A path in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // What can't be removed now is swept later.
        let _ = clear(&self.folder);
    }
}

/// Removes the folders below `parent` whose writers are gone.
pub(super) fn sweep(parent: &Path) {
    let Ok(folders) = fs::read_dir(parent) else {
        return;
    };
    for folder in folders.flatten() {
        // What can't be removed harms nobody: it is never listed.
        let _ = sweep_one(&folder.path());
    }
}

fn sweep_one(folder: &Path) -> io::Result<()> {
    match File::open(folder.join(LOCK)) {
        Ok(lock) if lock.try_lock().is_ok() => clear(folder),
        Ok(_) => Ok(()),
        // Fails if a writer has just put its lock there, as it should.
        Err(_) => fs::remove_dir(folder),
    }
}

/// Removes a folder, the lock last: what is left after a kill can be swept.
fn clear(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.ends_with(LOCK) {
            continue;
        }
        if path.is_dir() {
            fs::remove_dir_all(&path)?;
        } else {
            fs::remove_file(&path)?;
        }
    }
    match fs::remove_file(folder.join(LOCK)) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::remove_dir(folder)
}

/// A name that nobody else takes: process, time and a count.
fn unique_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = now.map_or(0, |time| time.as_nanos());
    format!("{}-{nanos:x}-{count}", process::id())
}

#[cfg(test)]
mod tests {
    use super::super::testing::folder;
    use super::*;

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).expect("readable").count()
    }

    #[test]
    fn a_draft_goes_with_its_writer() {
        let parent = folder();
        let draft = Draft::begin(parent.path()).expect("begun");
        fs::create_dir_all(draft.path("run")).expect("made");
        fs::write(draft.path("run/file"), "half").expect("written");
        drop(draft);
        assert_eq!(names(parent.path()), 0);
    }

    #[test]
    fn only_what_nobody_writes_is_swept() {
        let parent = folder();
        let alive = Draft::begin(parent.path()).expect("begun");
        let left = parent.path().join("1-dead-0");
        fs::create_dir_all(left.join("run")).expect("made");
        fs::write(left.join(LOCK), "").expect("written");
        fs::create_dir(parent.path().join("2-empty-0")).expect("made");
        sweep(parent.path());
        assert!(alive.path(LOCK).exists());
        assert_eq!(names(parent.path()), 1);
    }
}
