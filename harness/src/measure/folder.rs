//! Where results go that are given no folder.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use reports::clock::now;

/// `results/20261120T093000Z-sort`, with a number behind it if that is taken.
/// Nothing is made: who makes it has to see that nobody else did meanwhile.
pub(crate) fn default_folder(name: &str) -> PathBuf {
    let base = timed(name);
    let free = numbered(&base).find(|path| !path.exists());
    free.unwrap_or(base)
}

/// The same as a new folder, which nobody else has.
///
/// # Errors
/// If it can't be made, with its path.
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

/// Makes the first of the folders that is not there: looking and making are one.
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
    fn those_who_come_at_once_get_folders_of_their_own() {
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
    fn what_cannot_be_made_is_named() {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let file = parent.path().join("results");
        fs::write(&file, "").expect("written");
        let (path, _) = claim(&file.join("now")).expect_err("a file is no folder");
        assert_eq!(path, file);
    }
}
