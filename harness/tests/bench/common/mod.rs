//! What the tests of the command line share.

pub mod fake;

use std::path::Path;
use std::process::{Command, Output};

use reports::record::SampleRow;

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
