//! `bench stream`: timeslices that come when they are due, for several processes.

use reports::stream;
use text::Foreign;

use super::refuse_development_build;
use crate::failure::{Exit, Failure};
use crate::platform::Interrupt;
use crate::platform::gpus::only_verifies;
use crate::request::{DevicePlace, StreamRequest};
use crate::stream::{Outcome, Planned, Session};

pub(super) fn run(mut request: StreamRequest) -> Result<Exit, Failure> {
    request.choose_devices();
    let mut devices = request.places.iter().flat_map(DevicePlace::devices);
    if let Some(reason) = devices.find_map(|&device| only_verifies(device)) {
        return Err(Failure::NothingMeasured(format!("nothing was measured: {reason}")));
    }
    let planned = Planned::new(&mut request)?;
    refuse_development_build()?;
    let quiet = request.flags.quiet;
    let interrupt = Interrupt::listen();
    let tell = |text: &str| super::tell(quiet, text);
    let outcome = Session::run(&request, &planned, &interrupt, &tell)?;
    present(&outcome, &request)
}

/// Prints the table of a run.
fn present(outcome: &Outcome, request: &StreamRequest) -> Result<Exit, Failure> {
    super::put(&request.flags.format, |format, paint| {
        Ok(stream::render(format, &outcome.record, &outcome.rows, paint)?)
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
