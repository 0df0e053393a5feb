//! The plugins of runs, with which a later run measures the old code.

use std::fs;
use std::path::{Path, PathBuf};

use super::series::safe_name;
use super::store::{Writer, create_folder, entries, rename, write_new};
use super::{HistoryError, Store};
use crate::record::RunRecord;

const FOLDER: &str = "plugins";

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
        for folder in entries(&self.root().join(FOLDER))? {
            if !used(&folder) {
                let _ = fs::remove_dir_all(folder);
            }
        }
        Ok(())
    }

    fn plugin_folder(&self, fingerprint: &str) -> PathBuf {
        self.root().join(FOLDER).join(safe_name(fingerprint))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{TestStore, record};
    use super::*;
    use crate::record::PluginRecord;

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
