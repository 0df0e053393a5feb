//! `bench trace`: the times of a run for viewers of time lines and of call trees.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use reports::trace::{TraceError, TraceFile, is_trace};
use reports::units;
use text::Untrusted;

use super::runs;
use crate::failure::{Exit, Failure};
use crate::request::TraceRequest;

/// Name of a trace in the folder of its run.
const TRACE: &str = "trace.json";
/// Bytes by which a trace is recognised.
const HEAD: u64 = 64;

pub(super) fn run(request: &TraceRequest) -> Result<Exit, Failure> {
    let format = request.format().map_err(Failure::Usage)?;
    let folder = runs::folder(&request.run, &request.store, None)?;
    let trace = TraceFile::read(&folder, format)?;
    runs::say_if_unfinished(&trace.record, &folder);
    let path = request.out.clone().unwrap_or_else(|| folder.join(TRACE));
    super::check_overwrite(&path, request.force, "trace", is_replaceable)?;
    files::write_by(&path, |file| trace.write(file)).map_err(Failure::writing(&path))?;
    for note in &trace.notes {
        super::say(&format!("note: {note}"));
    }
    let entries = units::counted(trace.entries, "record");
    super::say(&format!("trace: {}, {entries}", path.escaped()));
    Ok(Exit::Success)
}

/// True for traces and empty files.
fn is_replaceable(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && (head.is_empty() || is_trace(&head))
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        match error {
            TraceError::Store(error) => error.into(),
            TraceError::Empty(_) => Failure::NothingMeasured(error.to_string()),
            TraceError::NoStages(_) => Failure::Usage(error.to_string()),
        }
    }
}
