//! The executables that made the runs: with them old code can be measured
//! again beside new code.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::series::safe_name;
use super::{HistoryError, Store, durable};

const FOLDER: &str = "executables";

impl Store {
    /// Keeps a copy of an executable under its fingerprint; does nothing if
    /// there is one already.
    ///
    /// # Errors
    /// If it can't be read, or the copy can't be written.
    pub fn keep_executable(&self, fingerprint: &str, file: &Path) -> Result<(), HistoryError> {
        if fingerprint.is_empty() {
            return Ok(());
        }
        // Nobody may delete what is said to be kept: whoever deletes knows only
        // the runs that were there when they began.
        let _lock = self.lock()?;
        let path = self.executable_path(fingerprint);
        if path.exists() {
            return Ok(());
        }
        durable::create_folder(&self.root().join(FOLDER))?;
        let draft = self.draft()?;
        let copy = draft.path("executable");
        durable::copy(file, &copy)?;
        durable::rename(&copy, &path)
    }

    /// The executable with a fingerprint, if it was kept.
    pub fn executable(&self, fingerprint: &str) -> Option<PathBuf> {
        let path = self.executable_path(fingerprint);
        (!fingerprint.is_empty() && path.exists()).then_some(path)
    }

    /// Deletes the executables that made none of these runs. Whoever calls this
    /// holds the store's lock since before the runs were counted.
    pub(super) fn drop_executables(&self, fingerprints: &HashSet<String>) -> std::io::Result<()> {
        let needed: HashSet<PathBuf> =
            fingerprints.iter().map(|print| self.executable_path(print)).collect();
        for entry in fs::read_dir(self.root().join(FOLDER))? {
            let path = entry?.path();
            if !needed.contains(&path) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    fn executable_path(&self, fingerprint: &str) -> PathBuf {
        self.root().join(FOLDER).join(safe_name(fingerprint))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::super::testing::Shelf;
    use super::*;

    #[test]
    fn nothing_is_kept_while_somebody_deletes() {
        let shelf = Shelf::new();
        let store = &shelf.store;
        let this = std::env::current_exe().expect("an executable");
        let deleting = store.lock().expect("locked");
        thread::scope(|scope| {
            let (tell, told) = mpsc::channel();
            scope.spawn(move || tell.send(store.keep_executable("code:12", &this).is_ok()));
            let early = told.recv_timeout(Duration::from_millis(200));
            assert!(early.is_err(), "kept beside the lock");
            drop(deleting);
            assert_eq!(told.recv(), Ok(true));
        });
        assert!(store.executable("code:12").is_some());
    }

    #[test]
    fn an_executable_is_kept_as_long_as_it_is_needed() {
        let shelf = Shelf::new();
        let this = std::env::current_exe().expect("an executable");
        let store = &shelf.store;
        store.keep_executable("code:12", &this).expect("kept");
        store.keep_executable("code:34", &this).expect("kept");
        store.keep_executable("code:34", Path::new("/nowhere")).expect("there already");
        store.keep_executable("", &this).expect("nothing to do");
        let kept = store.executable("code:12").expect("there");
        assert_eq!(
            fs::read(&kept).expect("read").len() as u64,
            this.metadata().expect("file").len()
        );
        assert_eq!(store.executable("code:56"), None);
        assert_eq!(store.executable(""), None);
        store.drop_executables(&HashSet::from(["code:34".to_owned()])).expect("dropped");
        assert_eq!(store.executable("code:12"), None);
        assert!(store.executable("code:34").is_some());
    }
}
