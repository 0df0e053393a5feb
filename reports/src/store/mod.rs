//! The folder of a run.
//!
//! | file | content |
//! |---|---|
//! | `run.json` | a [`RunRecord`](crate::record::RunRecord) |
//! | `samples.csv` | a [`SampleRow`](crate::record::SampleRow) per line |
//! | `summary.csv` | a [`SummaryRow`](crate::record::SummaryRow) per line |
//!
//! Streams of events have `throughput.csv` and `events.csv` instead of the latter two, open-loop
//! runs of timeslices `stream.csv` and `timeslices.csv`.
//!
//! Rows are appended and flushed as they arrive, each by one write: a run that is killed keeps its
//! results so far.

mod ceilings;
mod error;
mod read;
mod regular;
mod resume;
mod stream;
mod table_file;
mod throughput;
mod write;

pub use ceilings::{claim_ceilings, write_ceilings};
pub use error::StoreError;
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
