//! The runs before the reported one.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use reports::record::RunRecord;
use reports::report::EarlierRun;
use reports::store::{StoreError, read_run};

use super::is_same_run;
use crate::failure::Failure;

/// Of a long history the newest runs are enough to see where it goes.
const MOST_STORED: usize = 50;

/// The given runs and those stored of the same machine, each once and without
/// the reported one.
pub(super) fn earlier_runs(
    reported: &RunRecord,
    given: &[PathBuf],
    store: Option<&Path>,
) -> Result<Vec<EarlierRun>, Failure> {
    let mut runs: Vec<EarlierRun> = Vec::new();
    let stored = store.map_or(Ok(Vec::new()), |store| stored(store, &reported.machine_key))?;
    for folder in given.iter().chain(&stored) {
        let run = EarlierRun::read(folder)?;
        let known = |other: &EarlierRun| is_same_run(&other.record, &run.record);
        if !is_same_run(reported, &run.record) && !runs.iter().any(known) {
            runs.push(run);
        }
    }
    Ok(runs)
}

/// The newest run folders of a machine in a store, the newest first.
fn stored(store: &Path, machine_key: &str) -> Result<Vec<PathBuf>, StoreError> {
    let mut runs = Vec::new();
    for folder in folders(&store.join("runs"))? {
        match read_run(&folder) {
            Ok(record) if record.machine_key == machine_key => runs.push((record.started, folder)),
            Ok(_) => (),
            // Not a run folder, or one that is being made.
            Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => (),
            Err(error) => return Err(error),
        }
    }
    runs.sort_unstable_by(|a, b| b.cmp(a));
    runs.truncate(MOST_STORED);
    Ok(runs.into_iter().map(|(_, folder)| folder).collect())
}

fn folders(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |source| StoreError::Io {
        path: path.to_owned(),
        source,
    };
    let mut folders = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    Ok(folders)
}
