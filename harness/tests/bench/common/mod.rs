//! What the tests of the command line share.

pub mod fake;

use std::path::Path;
use std::process::{Command, Output};

use reports::record::{SampleRow, flags};

/// The binary.
pub const BENCH: &str = env!("CARGO_BIN_EXE_bench");

/// What a command line led to.
pub struct Run {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Run {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Runs `bench` with the words of a line, in a folder.
pub fn bench_in(folder: &Path, line: &str) -> Run {
    let output = Command::new(BENCH)
        .args(line.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("the binary runs");
    output.into()
}

/// Development builds refuse to measure: then there is nothing more to test.
pub fn can_measure() -> bool {
    let can = !cfg!(debug_assertions);
    if !can {
        eprintln!("skipped: development builds don't measure");
    }
    can
}

/// A temporary folder.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Multiplies each sample of a run by its factor.
pub fn scale(run: &Path, factor: impl Fn(&SampleRow) -> f64) {
    edit(run, |row| row.seconds *= factor(row));
}

/// Changes each sample of a run.
pub fn edit(run: &Path, change: impl Fn(&mut SampleRow)) {
    let path = run.join("samples.csv");
    let mut reader = csv::Reader::from_path(&path).expect("readable");
    let rows = reader.deserialize::<SampleRow>();
    let rows: Vec<_> = rows.map(|row| row.expect("a row")).collect();
    let mut writer = csv::Writer::from_path(&path).expect("writable");
    for mut row in rows {
        change(&mut row);
        writer.serialize(row).expect("written");
    }
    writer.flush().expect("written");
}

/// Makes a run one of a machine that nobody else used: comparisons of runs on a busy one say
/// nothing, and tests run beside each other.
pub fn calm(run: &Path) {
    edit(run, |row| {
        row.flags = row.flags.replace(flags::DISTURBED, "")
    });
    edit_record(run, |record| {
        record["environment"]["load_1min"] = 0.0.into()
    });
}

/// Changes `run.json`.
pub fn edit_record(run: &Path, change: impl FnOnce(&mut serde_json::Value)) {
    let path = run.join("run.json");
    let text = std::fs::read_to_string(&path).expect("readable");
    let mut record = serde_json::from_str(&text).expect("JSON");
    change(&mut record);
    std::fs::write(&path, format!("{record:#}\n")).expect("written");
}
