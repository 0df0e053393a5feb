//! Runs as users name them: folders, or names in the store.

use std::path::{Path, PathBuf};

use reports::history::{Series, Store};
use reports::record::SelfTest;
use reports::store::{StoreError, read_run, read_summary};

use crate::failure::Failure;

/// The folder of a run: a folder as such, or `latest`, `accepted` or an id in
/// the store. The first two mean those of a series, where one is given.
///
/// # Errors
/// If there is neither such a folder nor such a run.
pub(super) fn folder(name: &Path, store: &Path, of: Option<&Series>) -> Result<PathBuf, Failure> {
    if name.is_dir() {
        return Ok(name.to_owned());
    }
    match name.to_str() {
        // Names of suites, which ids hold, may have dots.
        Some(id) if !id.contains('/') && !id.starts_with('.') => {
            Ok(Store::open(store)?.resolve(id, of)?)
        }
        _ => Err(StoreError::NoRun(name.to_owned()).into()),
    }
}

/// The series that a run belongs to.
///
/// # Errors
/// If the run can't be read.
pub(super) fn series(folder: &Path) -> Result<Series, StoreError> {
    Ok(Series::of(&read_run(folder)?, &read_summary(folder)?))
}

/// What is known of the gate on a machine, and what is wrong with what was
/// kept. Nobody needs a store to compare.
pub(super) fn gate(store: &Path, machine_key: &str) -> (Option<SelfTest>, Option<String>) {
    let Ok(store) = Store::open(store) else {
        return (None, None);
    };
    match store.self_test(machine_key) {
        Ok(test) => (test, None),
        Err(error) => (None, Some(error.to_string())),
    }
}

/// The executable that made a run, if the store kept it.
pub(super) fn executable(store: &Path, fingerprint: &str) -> Option<PathBuf> {
    Store::open(store).ok()?.executable(fingerprint)
}
