//! Measurement of the streams that figures need: by the sessions of `bench stream` and
//! `bench throughput`, in separate folders.

use std::path::Path;
use std::time::Duration;

use algorithms::device::{Backend, Device};
use reports::published::Figure;
use text::Untrusted;

use super::super::suite_run::SuiteRun;
use super::super::{refuse_development_build, say};
use super::stream_lines::{Line, lines};
use crate::cli::{Request, parse};
use crate::failure::{Exit, Failure};
use crate::platform::gpus::{problem_of, usable_devices};
use crate::request::{StreamRequest, ThroughputRequest};
use crate::{stream, throughput};

/// Share of the budget for streams, if there are other measurements.
const SHARE: f64 = 0.4;

/// The time for streams, and that for all else.
pub(super) fn budgets(figures: &[Figure], budget: Duration) -> (Duration, Duration) {
    let of_streams = figures.iter().filter(|figure| figure.stream.is_some()).count();
    let share = match of_streams {
        0 => 0.0,
        all if all == figures.len() => 1.0,
        _ => SHARE,
    };
    (budget.mul_f64(share), budget.mul_f64(1.0 - share))
}

/// Measures all streams that figures need, on the CPU and on the first GPU, into folders of a
/// run; `None` if they need none.
///
/// # Errors
/// If results can't be written. Streams that a device does not support are reported and skipped.
pub(super) fn measure(
    figures: &[Figure],
    time: Duration,
    folder: &Path,
    from: &SuiteRun<'_>,
) -> Result<Option<Exit>, Failure> {
    let mut names: Vec<&str> = Vec::new();
    for stream in figures.iter().filter_map(|figure| figure.stream.as_ref()) {
        if !names.contains(&stream.runs.as_str()) {
            names.push(&stream.runs);
        }
    }
    if names.is_empty() {
        return Ok(None);
    }
    refuse_development_build()?;
    let devices = devices();
    let each = time.div_f64((names.len() * devices.len()) as f64);
    let mut exit = Exit::NothingMeasured;
    for (name, &device) in names.iter().flat_map(|name| devices.iter().map(move |it| (name, it))) {
        for line in lines(name, device, each) {
            if !from.interrupt.asked() {
                exit = joined(exit, carry_out(&line, folder, from)?);
            }
        }
    }
    Ok(Some(exit))
}

/// Joins two exit codes: wrong output and interruption first, then success.
pub(super) fn joined(one: Exit, other: Exit) -> Exit {
    let worst = [Exit::WrongOutput, Exit::Interrupted, Exit::Failed, Exit::Success];
    let is_there = |exit: &Exit| *exit == one || *exit == other;
    worst.into_iter().find(is_there).unwrap_or(Exit::NothingMeasured)
}

/// The CPU, and the first GPU that can be used.
fn devices() -> Vec<Device> {
    let (host, gpus): (Vec<_>, Vec<_>) =
        usable_devices().into_iter().partition(|device| device.backend() == Backend::Cpu);
    let gpu = gpus.into_iter().find(|&gpu| problem_of(gpu).is_none());
    host.into_iter().chain(gpu).collect()
}

/// Carries a command out as if it was typed, but for its table and charts: figures have their own.
fn carry_out(line: &Line, folder: &Path, from: &SuiteRun<'_>) -> Result<Exit, Failure> {
    let out = folder.join(&line.folder);
    let words = std::iter::once("bench").chain(line.words.iter().map(String::as_str));
    super::super::log(from.output.quiet, &format!("measuring {}", line.words.join(" ")));
    let outcome = match parse(words.map(Into::into)) {
        Ok(Request::Stream(mut request)) => {
            request.flags.out = Some(out);
            of_timeslices(*request, from)
        }
        Ok(Request::Throughput(mut request)) => {
            request.flags.out = Some(out);
            of_events(*request, from)
        }
        _ => Err(Failure::Usage(format!("not understood: {}", line.words.join(" ").quoted()))),
    };
    match outcome {
        Err(Failure::Plan(error)) => {
            say(&format!("note: {} was not measured: {error}", line.folder));
            Ok(Exit::NothingMeasured)
        }
        other => other,
    }
}

fn of_timeslices(mut request: StreamRequest, from: &SuiteRun<'_>) -> Result<Exit, Failure> {
    request.flags.charts = false;
    request.choose_devices();
    let planned = stream::Planned::new(&mut request)?;
    let log = |text: &str| super::super::log(from.output.quiet, text);
    let outcome = stream::Session::run(&request, &planned, from.interrupt, &log)?;
    Ok(outcome.exit())
}

fn of_events(mut request: ThroughputRequest, from: &SuiteRun<'_>) -> Result<Exit, Failure> {
    request.flags.charts = false;
    request.choose_devices();
    let planned = throughput::StreamPlan::new(&request)?;
    let log = |text: &str| super::super::log(from.output.quiet, text);
    let now = std::time::Instant::now();
    let outcome = throughput::Session::run(&request, &planned, now, from.interrupt, &log);
    Ok(outcome?.exit())
}

#[cfg(test)]
mod tests {
    use reports::published::figures;

    use super::*;

    #[test]
    fn streams_have_a_share_of_the_budget_or_all_of_it() {
        let minute = Duration::from_secs(60);
        let of = |ids: &[&str]| {
            let mut figures = figures();
            figures.retain(|figure| ids.contains(&figure.id.as_str()));
            budgets(&figures, minute)
        };
        assert_eq!(of(&["tab5.1"]), (Duration::ZERO, minute));
        assert_eq!(of(&["fig5.13", "allen"]), (minute, Duration::ZERO));
        let (streams, others) = of(&["tab5.1", "fig5.13"]);
        assert!(streams > Duration::ZERO && streams < others && streams + others == minute);
    }

    #[test]
    fn the_worst_of_both_is_reported() {
        let nothing = Exit::NothingMeasured;
        let fine = Exit::Success;
        assert_eq!(joined(nothing, fine), fine);
        assert_eq!(joined(nothing, nothing), nothing);
        assert_eq!(joined(fine, Exit::WrongOutput), Exit::WrongOutput);
        assert_eq!(joined(Exit::Interrupted, fine), Exit::Interrupted);
    }
}
