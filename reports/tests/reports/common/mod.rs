//! Helpers of the tests of runs.

use std::fs;
use std::path::Path;

use reports::record::{
    Environment, Machine, RunRecord, SCHEMA_VERSION, Software, SummaryRow, YesNo,
};
use tempfile::TempDir;

/// A temporary folder.
pub fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A run on a machine with two cores.
pub fn record() -> RunRecord {
    let machine = Machine {
        cpu_model: "Model".into(),
        cores: 2,
        hardware_threads: 2,
        memory_bytes: 1 << 34,
        ..Machine::default()
    };
    RunRecord {
        schema_version: SCHEMA_VERSION,
        command: vec!["bench".into(), "sort".into()],
        started: "2026-01-01T00:00:00Z".into(),
        seed: 1,
        software: Software { version: "0.1.0".into(), ..Software::default() },
        machine_key: machine.key(),
        machine,
        environment: Environment {
            kernel: "Linux".into(),
            load_1min: Some(0.5),
            usable_threads: 2,
            ..Environment::default()
        },
        ..RunRecord::default()
    }
}

/// A finished run of this seed.
pub fn finished(seed: u64) -> RunRecord {
    RunRecord { seed, finished: Some("2026-01-01T00:01:00Z".into()), ..record() }
}

/// A valid row of a variant in a run of `sort`, with all columns.
pub fn row(note: &str) -> SummaryRow {
    SummaryRow {
        algorithm: "sort".into(),
        variant: "std-stable".into(),
        stage: "total".into(),
        backend: "cpu".into(),
        device: "cpu".into(),
        threads: 2,
        cpu_sets: "none".into(),
        bind: "false".into(),
        cache: "hot".into(),
        params: "digis=1000;segments=24".parse().expect("well formed"),
        items: 1000,
        item_unit: "digi".into(),
        bytes_min: 16_000,
        samples: 10,
        stopped_by: "interval".into(),
        median_s: Some(0.001),
        mean_s: Some(0.001),
        stddev_s: Some(0.0),
        min_s: Some(0.001),
        p95_s: Some(0.001),
        p99_s: Some(0.001),
        max_s: Some(0.001),
        ci95_low_s: Some(0.001),
        ci95_high_s: Some(0.001),
        items_per_s: Some(1e6),
        bytes_per_s: Some(1.6e7),
        memory_bytes: Some(16_000),
        memory_ratio: Some(2.0),
        stable: YesNo::Yes,
        valid: YesNo::Yes,
        fingerprint: "abc".into(),
        note: note.into(),
        ..SummaryRow::default()
    }
}

/// Copies a folder recursively.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("created");
    for entry in fs::read_dir(from).expect("readable") {
        let entry = entry.expect("readable");
        let path = entry.path();
        let copy = to.join(entry.file_name());
        if path.is_dir() {
            copy_folder(&path, &copy);
        } else {
            fs::copy(&path, &copy).expect("copied");
        }
    }
}
