//! A process that drives some of the streams of each point on request.
//!
//! Messages between it and the measuring process are one line of JSON each, on its standard input
//! and output. Both are the same executable.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::energy::EnergyMeters;
use crate::measure::MeasureError;
use crate::platform::clock::now_ns;
use crate::platform::{Exit, Interrupt};
use crate::throughput::ceilings::Ceilings;
use crate::throughput::failure::PointFailure;
use crate::throughput::placement::StreamGpus;
use crate::throughput::plan::StreamPlan;
use crate::throughput::point::{Command, Setup, with_streams};
use crate::throughput::prepared::{
    CheckedStreams, Stream, WorkSummary, check_side_by_side, remarks, run_closed,
};
use crate::throughput::stream::{Event, Events};
use crate::throughput::window::{Clock, Milestone, Window};
use crate::workers::{IpcError, any_path, recv, send};

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
        Err(IpcError::PeerClosed(_)) => Exit::Interrupted,
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
    // The window is the other process' own.
    let meters = EnergyMeters::default();
    let setup = Setup {
        plan: &planned.plan,
        gpus: &gpus,
        ceilings: &ceilings,
        meters: &meters,
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
    let (events, ()) = run_closed(streams, &clock, interrupt, || follow(&clock, start_ns));
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

/// Request to a process. The process ends when its standard input is closed. Times are nanoseconds
/// of the clock shared by all processes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    /// Command to plan; sent once, before all others, and not answered.
    Open(Opening),
    /// Prepare the streams of a point that this process drives, and check them. Answered by
    /// [`Response::Ready`].
    Prepare { point: usize, process: usize, wanted_ns: u64 },
    /// Run them. Answered by [`Response::Warm`] once each stream has processed all its events.
    Begin,
    /// Start and end of the window. Answered by [`Response::Beyond`] once all streams are past it.
    Window { begin_ns: u64, end_ns: u64 },
    /// End them. Answered by [`Response::Done`], after they were checked once more.
    End,
}

/// Command that specifies the points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Opening {
    /// Command line as typed, the program's name first.
    pub(crate) command: Vec<String>,
    /// File with defaults of flags, if there is one.
    #[serde(default, with = "any_path")]
    pub(crate) config: Option<PathBuf>,
}

/// Response of a process. Any request may be refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Response {
    Ready {
        works: WorkSummary,
        checked: CheckedStreams,
    },
    Warm {
        longest_ns: u64,
    },
    Beyond,
    Done {
        /// Events of each of its streams.
        events: Vec<Vec<EventTimes>>,
        remarks: Vec<String>,
    },
    Refused(PointFailure),
}

/// An event: its index, and the times of hand-over, of complete input and of complete output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EventTimes(usize, u64, u64, u64);

impl EventTimes {
    /// Times of an event of streams that were started at `start_ns`.
    pub(super) fn from_event(event: &Event, start_ns: u64) -> Self {
        let at = |time: Duration| start_ns + time.as_nanos() as u64;
        EventTimes(event.number, at(event.begin), at(event.start), at(event.end))
    }
}

impl From<EventTimes> for Event {
    fn from(EventTimes(number, begin, start, end): EventTimes) -> Self {
        let [begin, start, end] = [begin, start, end].map(Duration::from_nanos);
        Event { number, due: None, begin, start, end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_events_are_those_of_the_shared_clock() {
        let milliseconds = Duration::from_millis;
        let event = Event {
            number: 3,
            due: None,
            begin: milliseconds(1),
            start: milliseconds(2),
            end: milliseconds(5),
        };
        let back = Event::from(EventTimes::from_event(&event, 1_000_000_000));
        assert_eq!((back.number, back.end - back.begin), (3, milliseconds(4)));
        assert_eq!(back.begin, milliseconds(1001));
    }
}
