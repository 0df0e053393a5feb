//! A process that drives some of the streams of each point on request.

use std::time::Duration;

use super::protocol::{EventTimes, Opening, Request, Response};
use crate::measure::MeasureError;
use crate::platform::monotonic::now_ns;
use crate::platform::worker::{IpcError, recv, send};
use crate::platform::{Exit, Interrupt};
use crate::throughput::ceilings::Ceilings;
use crate::throughput::events::Events;
use crate::throughput::gpus::StreamGpus;
use crate::throughput::plan::StreamPlan;
use crate::throughput::point::{
    self, Command, PointFailure, Setup, Stream, check_side_by_side, remarks, with_streams,
};
use crate::throughput::window::{Clock, Milestone, Window};

/// Subcommand of that process.
pub(crate) const SUBCOMMAND: &str = "throughput-worker";

/// The command to plan; `None` if this process was not started by a parent process.
pub(crate) fn opening() -> Option<Opening> {
    match recv() {
        Ok(Some(Request::Open(opening))) => Some(opening),
        _ => None,
    }
}

/// Reports that nothing can be planned.
pub(crate) fn refuse(problem: String) {
    // If the parent is gone, the message has no receiver.
    let _ = send(&Response::Refused(PointFailure::Unavailable(format!("not run: {problem}"))));
}

/// Drives streams until standard input is closed.
pub(crate) fn work(planned: &StreamPlan, seed: u64) -> Exit {
    match serve(planned, seed) {
        Ok(()) => Exit::Success,
        Err(IpcError::PeerClosed) => Exit::Interrupted,
        Err(IpcError::NotUnderstood(problem)) => {
            refuse(problem);
            Exit::Failed
        }
    }
}

fn serve(planned: &StreamPlan, seed: u64) -> Result<(), IpcError> {
    let (gpus, ceilings, interrupt) =
        (StreamGpus::default(), Ceilings::default(), Interrupt::default());
    let command = Command::default();
    let setup = Setup {
        plan: &planned.plan,
        gpus: &gpus,
        ceilings: &ceilings,
        interrupt: &interrupt,
        seed,
        command,
    };
    let mut events = Events::default();
    while let Some(request) = recv()? {
        let Request::Prepare { point, process, wanted_ns } = request else {
            return Err(unexpected_message());
        };
        let Some(point) = planned.points.get(point) else {
            return Err(IpcError::NotUnderstood(format!("there is no point {point}")));
        };
        let wanted = Duration::from_nanos(wanted_ns);
        let streams = point.streams_of(process);
        let done = with_streams(&setup, &mut events, point, &streams, |works, streams, checked| {
            send_response(&Response::Ready { works: works.clone(), checked })?;
            drive(streams, wanted, &interrupt)
        });
        send(&match done {
            Ok((_, Ok(done))) => done,
            Ok((_, Err(refusal))) => Response::Refused(refusal),
            Err(error) => Response::Refused(unable(&error)),
        })?;
    }
    Ok(())
}

/// Runs streams under the control of the parent, and checks them once more.
fn drive(
    streams: &mut [Stream<'_>],
    wanted: Duration,
    interrupt: &Interrupt,
) -> Result<Response, PointFailure> {
    let Ok(Some(Request::Begin)) = recv() else { return Err(PointFailure::Interrupted) };
    let report = |milestone| {
        let response = match milestone {
            Milestone::Warm(longest) => {
                Response::Warm { longest_ns: longest.as_nanos().try_into().unwrap_or(u64::MAX) }
            }
            Milestone::Beyond => Response::Beyond,
            // The parent ends all processes then, and requests nothing else.
            Milestone::Failed => Response::Refused(PointFailure::Interrupted),
        };
        // If the parent is gone, this process ends.
        let _ = send(&response);
    };
    let start_ns = now_ns();
    let clock = Clock::led(streams.len(), wanted, &report);
    let (events, ()) = point::run(streams, &clock, interrupt, || follow(&clock, start_ns));
    let events = events?;
    check_side_by_side(streams)?;
    let moments = |event| EventTimes::from_event(event, start_ns);
    let events = events.iter().map(|events| events.iter().map(moments).collect()).collect();
    Ok(Response::Done { events, remarks: remarks(streams) })
}

/// Opens the window on request, and ends the streams.
fn follow(clock: &Clock<'_>, start_ns: u64) {
    while let Ok(Some(request)) = recv() {
        match request {
            Request::Window { begin_ns, end_ns } => {
                let after = |moment: u64| Duration::from_nanos(moment.saturating_sub(start_ns));
                clock.open(Window { begin: after(begin_ns), end: after(end_ns) });
            }
            _ => break,
        }
    }
    clock.stop();
}

fn send_response(response: &Response) -> Result<(), PointFailure> {
    send(response).map_err(|_| PointFailure::Interrupted)
}

fn unable(error: &MeasureError) -> PointFailure {
    PointFailure::Unavailable(format!("not run: {error}"))
}

fn unexpected_message() -> IpcError {
    IpcError::NotUnderstood("unexpected request".to_owned())
}
