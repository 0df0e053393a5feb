//! Messages between the measuring process and those that drive streams for it: one line of JSON
//! each, on their standard input and output. All are the same executable.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::point::{CheckedStreams, PointFailure, WorkSummary};
use super::super::stream::Event;
use crate::platform::worker::any_path;

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
        Event { number, begin, start, end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::worker::line;

    #[test]
    fn messages_survive_a_round_trip() {
        let open = Request::Open(Opening { command: vec!["bench".into()], config: None });
        for request in [open, Request::Begin, Request::Window { begin_ns: 1, end_ns: u64::MAX }] {
            let message = line(&request);
            assert_eq!(message.matches('\n').count(), 1);
            assert_eq!(serde_json::from_str::<Request>(&message).expect("parses"), request);
        }
        let milliseconds = Duration::from_millis;
        let event = Event {
            number: 3,
            begin: milliseconds(1),
            start: milliseconds(2),
            end: milliseconds(5),
        };
        let moments = EventTimes::from_event(&event, 1_000_000_000);
        let response = Response::Done { events: vec![vec![moments]], remarks: vec!["one".into()] };
        for response in [response, Response::Refused(PointFailure::Wrong("hit 3".into()))] {
            assert_eq!(
                serde_json::from_str::<Response>(&line(&response)).expect("parses"),
                response
            );
        }
        let back = Event::from(moments);
        assert_eq!((back.number, back.end - back.begin), (3, milliseconds(4)));
        assert_eq!(back.begin, milliseconds(1001));
    }
}
