//! `bench throughput`: keep a task busy by streams of events.

use reports::table::{RunRows, Tabular};
use text::Untrusted;

use super::present::{say_findings, say_if_interrupted};
use super::{refuse_development_build, refuse_verifying};
use crate::cli::{CommandEnvironment, Request, parse_in};
use crate::failure::{Exit, Failure};
use crate::platform::{Interrupt, process_start};
use crate::request::{DeviceSet, ThroughputRequest};
use crate::throughput::{self as streams, Session, StreamPlan, ThroughputResult};

pub(super) fn run(mut request: ThroughputRequest) -> Result<Exit, Failure> {
    request.choose_devices();
    refuse_verifying(request.device_sets.iter().flat_map(DeviceSet::devices))?;
    let planned = StreamPlan::new(&request)?;
    refuse_development_build()?;
    let quiet = request.flags.quiet;
    let interrupt = Interrupt::listen();
    let log = |text: &str| super::log(quiet, text);
    let outcome = Session::run(&request, &planned, process_start(), &interrupt, &log)?;
    present(&outcome, &request)
}

/// Drives streams for another process, which has the same command line.
pub(super) fn work() -> Exit {
    let planned = throughput_of_another().and_then(|request| {
        let planned = StreamPlan::unchecked(&request).map_err(|error| error.to_string())?;
        Ok((planned, request.measuring.settings.seed))
    });
    match planned {
        Ok((planned, seed)) => streams::work(&planned, seed),
        Err(problem) => {
            streams::refuse(problem);
            Exit::Failed
        }
    }
}

/// Reads the request of the parent process.
fn throughput_of_another() -> Result<Box<ThroughputRequest>, String> {
    let opening = streams::opening();
    let opening = opening.ok_or("this command is started by bench throughput only")?;
    let surroundings = CommandEnvironment {
        variable: opening.config.map(Into::into),
        ..CommandEnvironment::default()
    };
    let parsed = parse_in(opening.command.into_iter().map(Into::into), &surroundings);
    match parsed.map_err(|answer| answer.text())?.request {
        Request::Throughput(mut request) => {
            request.choose_devices();
            Ok(request)
        }
        _ => Err("that is another command".to_owned()),
    }
}

/// Prints the table of a run.
fn present(outcome: &ThroughputResult, request: &ThroughputRequest) -> Result<Exit, Failure> {
    let table = RunRows { run: &outcome.record, rows: &outcome.rows };
    super::put(&request.flags.format, |format, screen| Ok(table.render(format, screen)?))?;
    say_if_interrupted(outcome.interrupted, outcome.path());
    say_findings(&outcome.record);
    if !request.flags.quiet {
        super::say(&format!("results: {}", outcome.path().escaped()));
    }
    Ok(outcome.exit())
}
