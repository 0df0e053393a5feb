//! Default result folders.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use reports::clock::now;
use reports::store::StoreError;

/// Returns `results/20261120T093000Z-sort`, with a number appended if that exists. Creates nothing:
/// the caller must handle that another process creates the folder meanwhile.
pub(crate) fn default_folder(name: &str) -> PathBuf {
    let base = timed(name);
    let free = numbered(&base).find(|path| !path.exists());
    let free = free.unwrap_or(base);
    made_up().insert(free.clone());
    free
}

/// Creates the folder to write to. A name that the user specified is used as it is; a default name
/// may be taken by another run of the same second meanwhile, in which case the next free name is
/// used.
///
/// # Errors
/// If it can't be created.
pub(crate) fn claimed(path: &Path) -> Result<PathBuf, StoreError> {
    if !made_up().contains(path) {
        return Ok(path.to_owned());
    }
    claim(path).map_err(|(path, source)| StoreError::Io { path, source })
}

/// Default names that this process has chosen.
fn made_up() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    static MADE_UP: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    MADE_UP.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates and returns a new default folder, which no other process uses.
///
/// # Errors
/// If it can't be created; the error comes with its path.
pub(crate) fn new_folder(name: &str) -> Result<PathBuf, (PathBuf, io::Error)> {
    claim(&timed(name))
}

fn timed(name: &str) -> PathBuf {
    let time = now().replace(['-', ':'], "");
    PathBuf::from(format!("results/{time}-{name}"))
}

/// `base`, `base-2`, `base-3`, …
fn numbered(base: &Path) -> impl Iterator<Item = PathBuf> {
    let name = base.to_string_lossy().into_owned();
    let others = (2..).map(move |number| PathBuf::from(format!("{name}-{number}")));
    std::iter::once(base.to_owned()).chain(others)
}

/// Creates the first folder that does not exist; check and creation are atomic.
fn claim(base: &Path) -> Result<PathBuf, (PathBuf, io::Error)> {
    let parent = files::folder_of(base);
    files::create_folder(parent).map_err(|error| (parent.to_owned(), error))?;
    for folder in numbered(base) {
        match fs::create_dir(&folder).and_then(|()| files::sync_folder(parent)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err((folder, error)),
            Ok(()) => return Ok(folder),
        }
    }
    Err((base.to_owned(), ErrorKind::AlreadyExists.into()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::thread;

    use super::*;

    #[test]
    fn concurrent_claims_get_distinct_folders() {
        const COMERS: usize = 8;
        let parent = tempfile::tempdir().expect("a temporary folder");
        let base = parent.path().join("results/now-confirm");
        let folders: BTreeSet<PathBuf> = thread::scope(|scope| {
            let comers: Vec<_> = (0..COMERS).map(|_| scope.spawn(|| claim(&base))).collect();
            let claimed = comers.into_iter().map(|comer| comer.join().expect("no panic"));
            claimed.map(|folder| folder.expect("made")).collect()
        });
        assert_eq!(folders.len(), COMERS);
        assert!(folders.contains(&base) && folders.iter().all(|folder| folder.is_dir()));
    }

    #[test]
    fn default_names_are_unique_and_specified_names_are_kept() {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let given = parent.path().join("given");
        fs::create_dir(&given).expect("made");
        assert_eq!(claimed(&given).expect("given"), given);
        let second = parent.path().join("second-sort");
        made_up().insert(second.clone());
        assert_eq!(claimed(&second).expect("free"), second);
        let next = claimed(&second).expect("the next one is free");
        assert_eq!(next, parent.path().join("second-sort-2"));
    }

    #[test]
    fn errors_contain_the_path() {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let file = parent.path().join("results");
        fs::write(&file, "").expect("written");
        let (path, _) = claim(&file.join("now")).expect_err("a file is no folder");
        assert_eq!(path, file);
    }
}
