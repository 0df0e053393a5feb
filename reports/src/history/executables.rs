//! The executables and plugins of runs, with which old code can be measured again in paired runs.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::series::safe_name;
use super::store::{Writer, create_folder, entries, rename, write_new};
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

const PLUGINS_FOLDER: &str = "plugins";

impl Store {
    /// Stores a plugin under its fingerprint and file name; does nothing if it is stored already.
    ///
    /// # Errors
    /// If the copy can't be written.
    pub fn keep_plugin(
        &self,
        fingerprint: &str,
        file: &str,
        bytes: &[u8],
    ) -> Result<(), HistoryError> {
        let writer = self.writer()?;
        let folder = self.plugin_folder(fingerprint);
        if folder.join(file).exists() {
            return Ok(());
        }
        let copy = writer.draft("plugin")?;
        write_new(&copy, bytes)?;
        create_folder(&folder)?;
        rename(&copy, &folder.join(file))
    }

    /// The plugin with that fingerprint and file name, if it is stored.
    pub fn plugin(&self, fingerprint: &str, file: &str) -> Option<PathBuf> {
        let path = self.plugin_folder(fingerprint).join(file);
        // Records are untrusted: only a plain file name is accepted.
        let is_name = Path::new(file).file_name().is_some_and(|name| name == file);
        (!fingerprint.is_empty() && is_name && path.is_file()).then_some(path)
    }

    /// Deletes the plugins of all but these runs.
    pub(super) fn drop_plugins(
        &self,
        _writer: &Writer<'_>,
        needing: &[RunRecord],
    ) -> Result<(), HistoryError> {
        let used = |folder: &PathBuf| {
            let mut plugins = needing.iter().flat_map(|record| &record.plugins);
            plugins.any(|plugin| self.plugin_folder(&plugin.fingerprint) == *folder)
        };
        for folder in entries(&self.root().join(PLUGINS_FOLDER))? {
            if !used(&folder) {
                let _ = fs::remove_dir_all(folder);
            }
        }
        Ok(())
    }

    fn plugin_folder(&self, fingerprint: &str) -> PathBuf {
        self.root().join(PLUGINS_FOLDER).join(safe_name(fingerprint))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{TestStore, record};
    use super::*;
    use crate::record::PluginRecord;

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

    #[test]
    fn a_plugin_is_kept_as_long_as_a_run_was_made_with_it() {
        let fixture = TestStore::new();
        let store = &fixture.store;
        let mut with_plugin = record(1);
        with_plugin.plugins = vec![PluginRecord {
            path: String::new(),
            file: "e.so".into(),
            name: "e".into(),
            version: "1".into(),
            fingerprint: "plugin:12".into(),
        }];
        fixture.add(&with_plugin);
        for fingerprint in ["plugin:12", "plugin:34"] {
            store.keep_plugin(fingerprint, "e.so", b"code").expect("kept");
            store.keep_plugin(fingerprint, "e.so", b"other").expect("kept already");
        }
        let kept = store.plugin("plugin:12", "e.so").expect("kept");
        assert_eq!(fs::read(kept).expect("readable"), b"code");
        for (fingerprint, file) in [("plugin:56", "e.so"), ("", "e.so"), ("plugin:12", "../e.so")] {
            assert_eq!(store.plugin(fingerprint, file), None);
        }
        let writer = store.writer().expect("alone");
        store.drop_plugins(&writer, &[with_plugin]).expect("dropped");
        assert_eq!(store.plugin("plugin:34", "e.so"), None);
        assert!(store.plugin("plugin:12", "e.so").is_some());
    }
}
