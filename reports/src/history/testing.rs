//! Helpers of the tests of the store.

use std::path::{Path, PathBuf};

use super::{Added, Entry, Filter, Store, Unfinished};
use crate::charts::fixture;
use crate::record::{RunRecord, SampleRow, SummaryRow};
use crate::store::RunFolder;

/// A temporary folder.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A finished run; the seed makes it differ from others.
pub fn record(seed: u64) -> RunRecord {
    let finished = Some("2026-01-01T00:01:00Z".to_owned());
    RunRecord { seed, finished, machine_key: "00ff".into(), ..fixture::run() }
}

/// A finished run of another machine.
pub fn elsewhere(seed: u64) -> RunRecord {
    RunRecord { machine_key: "11".into(), ..record(seed) }
}

/// A valid row of a variant.
pub fn row(variant: &str) -> SummaryRow {
    fixture::row(variant, "digis=1000", 0.001)
}

/// Writes a run with a row and a sample for each of these summaries.
pub fn write(folder: &Path, record: &RunRecord, rows: &[SummaryRow]) {
    let mut run = RunFolder::create(folder, record).expect("created");
    for row in rows {
        let sample = SampleRow::new(&row.point(), "total", 0, 0, 0.001);
        run.append_samples(&[sample]).expect("written");
    }
    run.append_summary(rows).expect("written");
}

/// A store with the folders of the runs that were added.
pub struct TestStore {
    pub folder: tempfile::TempDir,
    pub store: Store,
}

impl TestStore {
    pub fn new() -> Self {
        let folder = folder();
        let store = Store::create_or_open(&folder.path().join("store")).expect("made");
        TestStore { folder, store }
    }

    /// Folder of a run before it is added.
    pub fn source(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// All runs, the one added last first.
    pub fn list(&self) -> Vec<Entry> {
        self.store.list(&Filter::default()).expect("listed")
    }

    /// Adds a run, and returns its id.
    pub fn add(&self, record: &RunRecord) -> String {
        let folder = self.source(&format!("seed-{}", record.seed));
        write(&folder, record, &[row("std-stable")]);
        match self.store.add(&folder, Unfinished::Refuse) {
            Ok(Added::New(id)) => id,
            other => panic!("not added: {other:?}"),
        }
    }
}
