//! Fabricated runs.

use std::fs;

use reports::record::{SampleRow, SummaryRow};

use super::Folder;

const RECORD: &str = r#"{"schema_version": 1, "command": ["bench", "sort"],
  "started": "STARTED", "finished": "2027-01-01T00:01:00Z", "seed": SEED,
  "software": {"version": "0.1.0", "git_commit": "abc123", "compiler": "rustc",
    "build_profile": "release", "target": "x86_64", "target_features": ""},
  "machine_key": "00ff",
  "machine": {"cpu_model": "Model", "architecture": "x86_64", "packages": 1, "cores": 2,
    "hardware_threads": 2, "numa_nodes": 1, "caches": [], "memory_bytes": 1024, "gpus": []},
  "environment": {"kernel": "Linux", "governor": null, "transparent_huge_pages": null,
    "load_1min": 0.5, "available_memory_bytes": 1024, "usable_threads": 2},
  "ceilings": {}, "notes": []}"#;

/// A run folder as `bench sort` leaves it, with a row for each variant and its median; the
/// fingerprint is always the same.
pub fn write_run(folder: &Folder, name: &str, started: &str, seed: usize, medians: &[(&str, f64)]) {
    fs::create_dir(folder.join(name)).expect("made");
    let record = RECORD.replace("STARTED", started);
    let record = record.replace("SEED", &seed.to_string());
    let rows = medians.iter().map(|(variant, median)| row(variant, *median));
    let rows: String = rows.collect();
    folder.write(format!("{name}/run.json"), record);
    folder.write(format!("{name}/summary.csv"), format!("{}\n{rows}", SummaryRow::COLUMNS));
    folder.write(format!("{name}/samples.csv"), format!("{}\n", SampleRow::COLUMNS));
}

fn row(variant: &str, median: f64) -> String {
    format!(
        "sort,{variant},total,cpu,cpu,2,none,false,hot,digis=1000;segments=24,1000,digi,16000,\
         10,samples,{median},{median},0,{median},{median},{median},{median},,,1e6,1.6e7,,16000,2,\
         yes,yes,abc,,,\n"
    )
}
