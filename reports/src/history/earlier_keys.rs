//! Machine keys of earlier versions, mapped to current ones.
//!
//! Runs are mapped when they are read: they contain the machine from which their key was computed.
//! Self-tests and marks whose runs were deleted contain the key only. Those are mapped by the runs
//! of the store with the same key, and by `machine-keys.json`, which stores the keys of deleted
//! runs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::store::{STORE_VERSION, Writer, entries, read_json};
use super::{HistoryError, Store};
use crate::store::WrittenKey;

/// Content of `machine-keys.json`.
#[derive(Serialize, Deserialize)]
struct Table {
    schema_version: u32,
    /// Current keys by those of earlier versions.
    keys: BTreeMap<String, String>,
}

impl Store {
    /// Current keys by those of earlier versions, as far as they are known.
    pub(super) fn todays_keys(&self) -> Result<BTreeMap<String, String>, HistoryError> {
        let mut keys = self.kept_keys()?;
        keys.extend(entries(&self.runs_folder())?.into_iter().filter_map(joined));
        Ok(keys)
    }

    /// Stores the keys of runs that are about to be deleted.
    pub(super) fn keep_keys(
        &self,
        writer: &Writer<'_>,
        runs: &[String],
    ) -> Result<(), HistoryError> {
        let mut keys = self.kept_keys()?;
        let known = keys.len();
        keys.extend(runs.iter().filter_map(|id| joined(self.run_folder(id))));
        if keys.len() == known {
            return Ok(());
        }
        let table = Table { schema_version: STORE_VERSION, keys };
        writer.replace_json(&self.keys_path(), &table)
    }

    fn kept_keys(&self) -> Result<BTreeMap<String, String>, HistoryError> {
        let table = read_json::<Table>(&self.keys_path(), STORE_VERSION)?;
        Ok(table.map_or_else(BTreeMap::new, |table| table.keys))
    }

    fn keys_path(&self) -> PathBuf {
        self.root().join("machine-keys.json")
    }
}

/// Key that an earlier version wrote into a run, with the current one; `None` for damaged runs.
fn joined(run: PathBuf) -> Option<(String, String)> {
    let written = WrittenKey::read(&run).ok()?;
    let today = written.replaced_by()?;
    Some((written.machine_key, today))
}
