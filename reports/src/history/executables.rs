//! The executables of runs, with which old code can be measured again in paired runs.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::series::safe_name;
use super::store::{Writer, create_folder, entries, rename};
use super::{HistoryError, Store};
use crate::record::RunRecord;

const FOLDER: &str = "executables";

impl Store {
    /// Stores a copy of an executable under its fingerprint; does nothing if there is one already.
    ///
    /// # Errors
    /// If it can't be read, or the copy can't be written.
    pub fn keep_executable(&self, fingerprint: &str, file: &Path) -> Result<(), HistoryError> {
        if fingerprint.is_empty() {
            return Ok(());
        }
        // The lock keeps executables from being deleted after this returns: a process that deletes
        // knows only the runs that existed when it started.
        let writer = self.writer()?;
        let path = self.executable_path(fingerprint);
        if path.exists() {
            return Ok(());
        }
        let copy = writer.draft("executable")?;
        let copied = || {
            fs::copy(file, &copy)?;
            File::open(&copy)?.sync_all()
        };
        copied().map_err(|source| HistoryError::io(&copy, source))?;
        create_folder(&self.root().join(FOLDER))?;
        rename(&copy, &path)
    }

    /// The executable with a fingerprint, if it is stored.
    pub fn executable(&self, fingerprint: &str) -> Option<PathBuf> {
        let path = self.executable_path(fingerprint);
        (!fingerprint.is_empty() && path.exists()).then_some(path)
    }

    /// Deletes the executables of all but these runs.
    pub(super) fn drop_executables(
        &self,
        _writer: &Writer<'_>,
        needing: &[RunRecord],
    ) -> Result<(), HistoryError> {
        let needed: HashSet<PathBuf> = needing
            .iter()
            .map(|record| self.executable_path(&record.software.fingerprint))
            .collect();
        for path in entries(&self.root().join(FOLDER))? {
            if !needed.contains(&path) {
                let _ = fs::remove_file(path);
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
    use super::super::testing::{TestStore, record};
    use super::*;

    #[test]
    fn an_executable_is_kept_as_long_as_it_is_needed() {
        let fixture = TestStore::new();
        let this = std::env::current_exe().expect("an executable");
        let store = &fixture.store;
        let mut by_34 = record(1);
        by_34.software.fingerprint = "code:34".into();
        fixture.add(&by_34);
        store.keep_executable("code:12", &this).expect("kept");
        store.keep_executable("code:34", &this).expect("kept");
        store.keep_executable("code:34", Path::new("/nowhere")).expect("there already");
        store.keep_executable("", &this).expect("nothing to do");
        let kept = store.executable("code:12").expect("there").metadata().expect("a file");
        assert_eq!(kept.len(), this.metadata().expect("a file").len());
        assert_eq!((store.executable("code:56"), store.executable("")), (None, None));
        store.drop_executables(&store.writer().expect("alone"), &[by_34]).expect("dropped");
        assert_eq!(store.executable("code:12"), None);
        assert!(store.executable("code:34").is_some());
    }
}
