//! The folder of a run.
//!
//! | file | content |
//! |---|---|
//! | `run.json` | a [`RunRecord`](crate::record::RunRecord) |
//! | `samples.csv` | a [`SampleRow`](crate::record::SampleRow) per line |
//! | `summary.csv` | a [`SummaryRow`](crate::record::SummaryRow) per line |
//! | `quality.csv` | a [`QualityRow`](crate::record::QualityRow) per line, if the truth is known |
//!
//! Streams of events have `throughput.csv` and `events.csv` instead of the latter two, open-loop
//! runs of timeslices `stream.csv` and `timeslices.csv`, and mixes of loads `loads.csv`, `windows.csv`
//! and `matrix.csv`.
//!
//! Rows are appended and flushed as they arrive, each by one write: a run that is killed keeps its
//! results so far.

mod folder;
mod quality;
mod read;
mod streams;
mod table_file;
mod write;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

pub(crate) use folder::write_json;
pub use folder::{Folder, RunRows, describe, is_run};
pub use quality::read_quality;
pub use read::{Run, RunSummary, read_run, read_samples, read_summary};
pub(crate) use read::{Versioned, WrittenKey, read_distinct_summary, read_versioned};
pub use streams::{
    MixedFolder, MixedRun, StreamFolder, StreamRun, ThroughputEvents, ThroughputFolder,
    ThroughputRun,
};
pub(crate) use table_file::open as open_file;
pub use write::{INTERRUPTED, RunFolder, claim_ceilings, clean, write_ceilings};

use text::{SENTENCE, Untrusted};

pub(crate) const RUN: &str = "run.json";
pub(crate) const SAMPLES: &str = "samples.csv";
pub(crate) const SUMMARY: &str = "summary.csv";
pub(crate) const QUALITY: &str = "quality.csv";

/// A run folder that can't be written or read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the variants say what they hold")]
pub enum StoreError {
    /// Error of the operating system: the file or folder, and the error.
    #[error("{}: {source}", path.escaped())]
    Io { path: PathBuf, source: io::Error },
    /// The folder contains a run already.
    #[error("{} holds a run already, or a file of that name; choose another folder with --out", .0.escaped())]
    Occupied(PathBuf),
    /// Another process is writing to it.
    #[error("{} is being written by another process; wait for it to end, or choose another folder \
        with --out", .0.escaped())]
    Busy(PathBuf),
    /// Not a run folder.
    #[error("{} does not exist; a run folder has run.json, and samples.csv and summary.csv, or of \
        a stream stream.csv and timeslices.csv", .0.escaped())]
    NoRun(PathBuf),
    /// A folder of another kind of run: the folder, and its kind.
    #[error("{} is a run of {of}, whose table and charts were made with it; here runs of tasks and \
        suites are taken", folder.escaped())]
    OtherKind { folder: PathBuf, of: &'static str },
    /// Not a regular file, so that reading may never end: its path, and what it is.
    #[error("{} is {kind}, not a regular file; put a file there, or take it away", path.escaped())]
    NotRegular { path: PathBuf, kind: &'static str },
    /// A point and stage that occurs twice: the file, both lines from 1, and the point.
    #[error(
        "{}: lines {first} and {second} are the same point: {}; delete one of them",
        path.escaped(), point.escaped().at_most(SENTENCE)
    )]
    Duplicate { path: PathBuf, first: u64, second: u64, point: String },
    /// An invalid row or record: the file, and the problem, with the line if there is one.
    #[error("{}: {}", path.escaped(), problem.escaped().at_most(SENTENCE))]
    Format { path: PathBuf, problem: String },
    /// A file of an unknown version: the file, its version and the known one.
    #[error("{}: schema version {found}, but this program reads {known}; use the version of \
        recobench that wrote it", path.escaped())]
    Version { path: PathBuf, found: u32, known: u32 },
}

impl StoreError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::AlreadyExists {
            let folder = path.parent().unwrap_or(path);
            return StoreError::Occupied(folder.to_owned());
        }
        StoreError::Io { path: path.to_owned(), source }
    }

    /// Error for a file that can't be read: a missing one may mean that the folder is not a run.
    fn missing(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                let folder = path.parent().unwrap_or(path);
                let kinds = [
                    ("stream.csv", "a stream"),
                    ("throughput.csv", "streams of events"),
                    ("loads.csv", "a mix of loads"),
                ];
                let kind = kinds.into_iter().find(|(file, _)| folder.join(file).is_file());
                match kind {
                    Some((_, of)) => StoreError::OtherKind { folder: folder.to_owned(), of },
                    None => StoreError::NoRun(path.to_owned()),
                }
            }
            _ => StoreError::io(path, source),
        }
    }

    /// Error for a file whose last row is incomplete.
    fn cut_off(path: &Path) -> Self {
        let lines = count_lines(path).unwrap_or_default();
        let problem = format!(
            "line {lines}: the last row is incomplete, the run was cut off while writing it; \
             remove that line to use the others"
        );
        StoreError::format(path, problem)
    }

    pub(crate) fn format(path: &Path, problem: impl ToString) -> Self {
        StoreError::Format { path: path.to_owned(), problem: problem.to_string() }
    }

    pub(crate) fn csv(path: &Path, error: csv::Error) -> Self {
        let line = error.position().map_or(0, csv::Position::line);
        let problem = match error.into_kind() {
            csv::ErrorKind::Io(source) => return StoreError::io(path, source),
            csv::ErrorKind::Deserialize { err, .. } => {
                match missing_column(&err.kind().to_string()) {
                    Some(column) => format!(
                        "line 1: no column {}; is it a {} of recobench?",
                        column.quoted(),
                        path.file_name().unwrap_or_default().escaped()
                    ),
                    None => format!("line {line}: {err}"),
                }
            }
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("line {line}: {len} fields instead of {expected_len}")
            }
            other => format!("{other:?}"),
        };
        StoreError::format(path, problem)
    }
}

/// Number of lines of a file whose last line is incomplete.
fn count_lines(path: &Path) -> io::Result<usize> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut lines = 1;
    loop {
        let portion = file.fill_buf()?;
        if portion.is_empty() {
            return Ok(lines);
        }
        lines += portion.iter().filter(|&&byte| byte == b'\n').count();
        let count = portion.len();
        file.consume(count);
    }
}

/// The column that is missing in all rows, by the message of serde.
fn missing_column(message: &str) -> Option<&str> {
    message.strip_prefix("missing field `")?.strip_suffix('`')
}
