//! `bench stream`: open-loop test with several worker processes.

mod merge;

use std::path::Path;

use reports::record::RunRecord;
use reports::stream::StreamRow;
use reports::table::{RunRows, Tabular};
use text::Untrusted;

use super::present::{say_findings, say_if_interrupted};
use super::{refuse_development_build, refuse_verifying};
use crate::failure::{Exit, Failure};
use crate::platform::Interrupt;
use crate::request::{DeviceSet, StreamFlags, StreamRequest};
use crate::stream::{Planned, Session};

pub(super) fn run(mut request: StreamRequest) -> Result<Exit, Failure> {
    if !request.flags.merge.is_empty() {
        return merge::run(&request.flags);
    }
    request.choose_devices();
    refuse_verifying(request.device_sets.iter().flat_map(DeviceSet::devices))?;
    let planned = Planned::new(&mut request)?;
    refuse_development_build()?;
    let quiet = request.flags.quiet;
    let interrupt = Interrupt::listen();
    let log = |text: &str| super::log(quiet, text);
    let outcome = Session::run(&request, &planned, &interrupt, &log)?;
    say_if_interrupted(outcome.interrupted, outcome.path());
    present(&outcome.record, &outcome.rows, outcome.path(), &request.flags)?;
    Ok(outcome.exit())
}

/// Prints the table of a run.
fn present(
    record: &RunRecord,
    rows: &[StreamRow],
    folder: &Path,
    flags: &StreamFlags,
) -> Result<(), Failure> {
    let table = RunRows { run: record, rows };
    super::put(&flags.format, |format, screen| Ok(table.render(format, screen)?))?;
    say_findings(record);
    if !flags.quiet {
        super::say(&format!("results: {}", folder.escaped()));
    }
    Ok(())
}
