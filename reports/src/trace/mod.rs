//! Traces of runs, for viewers of time lines and for analyses of stages.
//!
//! | module | holds |
//! |---|---|
//! | `model` | tracks, slices and counters, in no particular format |
//! | `samples` | traces of runs of tasks and suites |
//! | `stream` | traces of timeslices that arrive when they are due |
//! | `events` | traces of concurrent streams of events |
//! | `lanes` | slices of a track that overlap, side by side |
//! | `chrome` | Chrome's trace format, which Perfetto reads |
//! | `caliper` | Caliper's text format, which Hatchet and Thicket read |

mod caliper;
mod chrome;
mod events;
mod lanes;
mod model;
mod samples;
mod stream;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use text::Untrusted;

use crate::program;
use crate::record::RunRecord;
use crate::store::{Run, StoreError, StreamRun, ThroughputEvents, ThroughputRun};

/// Note on runs without stages.
const NO_STAGES: &str = "no stages were recorded: the trace has none";

/// Formats of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// JSON for Perfetto, Chrome and their like.
    Chrome,
    /// Caliper's text format.
    Caliper,
}

impl TraceFormat {
    /// The format for a file extension.
    pub fn from_ending(ending: &str) -> Option<Self> {
        match ending {
            "json" => Some(TraceFormat::Chrome),
            "cali" => Some(TraceFormat::Caliper),
            _ => None,
        }
    }
}

/// A run that can't be traced.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The run can't be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The run has no times: its folder.
    #[error("nothing to trace: {} holds no sample", .0.escaped())]
    Empty(PathBuf),
    /// A run of streams or timeslices, in Caliper's format: its folder.
    #[error("{} is a run of streams, which has no stages for Caliper: use --out with a name that \
        ends in .json", .0.escaped())]
    NoStages(PathBuf),
}

/// A trace that can be written.
#[derive(Debug)]
pub struct TraceFile {
    /// Description of the run.
    pub record: RunRecord,
    /// Restrictions that a reader has to know.
    pub notes: Vec<String>,
    /// Number of slices, or of records of stages.
    pub entries: usize,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Chrome(model::Trace),
    Caliper(String),
}

impl TraceFile {
    /// Reads a run of any kind.
    ///
    /// # Errors
    /// If it can't be read, has no times, or none for the format.
    pub fn read(folder: &Path, format: TraceFormat) -> Result<Self, TraceError> {
        let is_of_streams = StreamRun::is_in(folder) || ThroughputRun::is_in(folder);
        match format {
            TraceFormat::Caliper if is_of_streams => Err(TraceError::NoStages(folder.to_owned())),
            TraceFormat::Caliper => Self::caliper(folder),
            TraceFormat::Chrome => Self::chrome(folder),
        }
    }

    fn chrome(folder: &Path) -> Result<Self, TraceError> {
        let (record, mut trace) = if StreamRun::is_in(folder) {
            let run = StreamRun::read(folder)?;
            let trace = stream::trace(&run);
            (run.record, trace)
        } else if ThroughputRun::is_in(folder) {
            let ThroughputEvents { run, events } = ThroughputEvents::read(folder)?;
            let trace = events::trace(&run.rows, &events);
            (run.record, trace)
        } else {
            let run = Run::read(folder)?;
            let trace = samples::trace(&run);
            (run.record, trace)
        };
        let entries = trace.slices();
        if entries == 0 {
            return Err(TraceError::Empty(folder.to_owned()));
        }
        trace.metadata = metadata(&record);
        let notes = trace.notes.clone();
        Ok(TraceFile { record, notes, entries, content: Content::Chrome(trace) })
    }

    fn caliper(folder: &Path) -> Result<Self, TraceError> {
        let run = Run::read(folder)?;
        let timed = run.summary.iter().filter(|row| row.valid_median().is_some());
        let entries = timed.clone().count();
        if entries == 0 {
            return Err(TraceError::Empty(folder.to_owned()));
        }
        let has_stages = timed.into_iter().any(|row| !crate::rank::is_whole(&row.stage));
        let notes = (!has_stages).then(|| NO_STAGES.to_owned()).into_iter().collect();
        let content = Content::Caliper(caliper::text(&run.record, &run.summary));
        Ok(TraceFile { record: run.record, notes, entries, content })
    }

    /// Writes the trace.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn write(&self, file: &mut dyn Write) -> io::Result<()> {
        match &self.content {
            Content::Chrome(trace) => chrome::write(trace, file),
            Content::Caliper(text) => file.write_all(text.as_bytes()),
        }
    }
}

/// True if a file contains a trace, which another one may replace.
pub fn is_trace(bytes: &[u8]) -> bool {
    chrome::is_trace(bytes) || caliper::is_caliper(bytes)
}

/// Description of a run as an object.
fn metadata(record: &RunRecord) -> Map<String, Value> {
    description(record).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Description of a run for readers of its trace.
fn description(record: &RunRecord) -> impl Iterator<Item = (&'static str, Value)> {
    let software = &record.software;
    let pairs = [
        ("program", json!(format!("{} {}", program::name(), software.version))),
        ("commit", json!(software.git_commit)),
        ("command", json!(record.command)),
        ("started", json!(record.started)),
        ("host", json!(record.host_name)),
        ("cpu", json!(record.machine.cpu_model)),
    ];
    pairs.into_iter().filter(|(_, value)| !value.is_null())
}

#[cfg(test)]
mod tests;
