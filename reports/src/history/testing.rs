//! What the tests of the store share.

use std::path::{Path, PathBuf};

use super::{Added, Store, Unfinished};
use crate::record::{RunRecord, SampleRow, SummaryRow};
use crate::store::RunFolder;

/// A temporary folder.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A finished run; the seed makes it differ from others.
pub fn record(seed: u64) -> RunRecord {
    let mut record: RunRecord = serde_json::from_str(RECORD).expect("a record");
    record.seed = seed;
    record
}

/// A valid row of a variant.
pub fn row(variant: &str) -> SummaryRow {
    let header = SummaryRow::COLUMNS;
    let line = format!(
        "sort,{variant},total,cpu,cpu,2,none,false,hot,digis=1000,1000,digi,16000,1,samples,\
         0.001,0.001,0,0.001,0.001,0.001,0.001,,,1e6,1.6e7,,16000,2,yes,yes,abc,,"
    );
    let text = format!("{header}\n{line}\n");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let row = reader.deserialize().next().expect("a row");
    row.expect("well formed")
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

/// A store with the runs that it was made from.
pub struct Shelf {
    pub folder: tempfile::TempDir,
    pub store: Store,
}

impl Shelf {
    pub fn new() -> Self {
        let folder = folder();
        let store = Store::create_or_open(&folder.path().join("store")).expect("made");
        Shelf { folder, store }
    }

    /// Where a run would be.
    pub fn source(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Adds a run, and tells its id.
    pub fn add(&self, record: &RunRecord) -> String {
        let folder = self.source(&format!("seed-{}", record.seed));
        write(&folder, record, &[row("std-stable")]);
        match self.store.add(&folder, Unfinished::Refuse) {
            Ok(Added::New(id)) => id,
            other => panic!("not added: {other:?}"),
        }
    }
}

const RECORD: &str = r#"{
  "schema_version": 1, "command": ["bench", "sort"],
  "started": "2026-01-01T00:00:00Z", "finished": "2026-01-01T00:01:00Z", "seed": 1,
  "software": {"version": "0.1.0", "git_commit": "abc123", "compiler": "rustc",
    "build_profile": "release", "target": "x86_64", "target_features": ""},
  "machine_key": "00ff",
  "machine": {"cpu_model": "Model", "architecture": "x86_64", "packages": 1, "cores": 2,
    "hardware_threads": 2, "numa_nodes": 1, "caches": [], "memory_bytes": 1024, "gpus": []},
  "environment": {"kernel": "Linux", "governor": null, "transparent_huge_pages": null,
    "load_1min": 0.5, "available_memory_bytes": 1024, "usable_threads": 2},
  "ceilings": {}, "notes": []
}"#;
