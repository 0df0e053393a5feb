//! `bench throughput`: keep a task busy by streams of events.

use reports::throughput;
use text::Foreign;

use super::refuse_development_build;
use crate::failure::{Exit, Failure};
use crate::platform::gpus::only_verifies;
use crate::platform::{Interrupt, process_start};
use crate::request::{DevicePlace, ThroughputRequest};
use crate::throughput::{Outcome, Session, StreamPlan};

pub(super) fn run(mut request: ThroughputRequest) -> Result<Exit, Failure> {
    request.choose_devices();
    let mut devices = request.places.iter().flat_map(DevicePlace::devices);
    if let Some(reason) = devices.find_map(|&device| only_verifies(device)) {
        return Err(Failure::NothingMeasured(format!("nothing was measured: {reason}")));
    }
    let planned = StreamPlan::new(&request)?;
    refuse_development_build()?;
    let quiet = request.flags.quiet;
    let interrupt = Interrupt::listen();
    let tell = |text: &str| super::tell(quiet, text);
    let outcome = Session::run(&request, &planned, process_start(), &interrupt, &tell)?;
    present(&outcome, &request)
}

/// Prints the table of a run.
fn present(outcome: &Outcome, request: &ThroughputRequest) -> Result<Exit, Failure> {
    super::put(&request.flags.format, |format, paint| {
        Ok(throughput::render(format, &outcome.record, &outcome.rows, paint)?)
    })?;
    let folder = outcome.folder.shown();
    if outcome.interrupted {
        super::say(&format!("bench: interrupted; what was measured is kept in {folder}"));
    }
    if !request.flags.quiet {
        for note in &outcome.record.notes {
            super::say(&format!("note: {note}"));
        }
        super::say(&format!("results: {folder}"));
    }
    Ok(outcome.exit())
}
