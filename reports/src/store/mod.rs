//! The folder that a run leaves behind.
//!
//! | file | content |
//! |---|---|
//! | `run.json` | a [`RunRecord`](crate::record::RunRecord) |
//! | `samples.csv` | a [`SampleRow`](crate::record::SampleRow) a line |
//! | `summary.csv` | a [`SummaryRow`](crate::record::SummaryRow) a line |
//!
//! Streams of events leave `throughput.csv` and `events.csv` instead of the latter two, timeslices
//! that come when they are due `stream.csv` and `timeslices.csv`.
//!
//! Rows are appended and handed to the system as they come, each in one write:
//! a run that is killed keeps what it measured.

mod ceilings;
mod error;
mod published_streams;
mod read;
mod regular;
mod resume;
mod stream;
mod table_file;
mod throughput;
mod write;

pub use ceilings::{claim_ceilings, write_ceilings};
pub use error::StoreError;
pub use published_streams::read_published_streams;
pub use read::{Run, RunSummary, is_run, read_run, read_samples, read_summary};
pub(crate) use read::{Versioned, WrittenKey, read_distinct_summary, read_versioned};
pub(crate) use regular::open as open_file;
pub use resume::INTERRUPTED;
pub use stream::{StreamFolder, StreamRun};
pub use throughput::{ThroughputFolder, ThroughputRun};
pub use write::{RunFolder, clean, describe};

pub(crate) const RUN: &str = "run.json";
pub(crate) const SAMPLES: &str = "samples.csv";
pub(crate) const SUMMARY: &str = "summary.csv";
