//! Main loop of a stream.

use std::time::Duration;

use algorithms::device::gpu::DeviceError;
use algorithms::task::Candidate;

use super::window::Clock;
use crate::platform::Interrupt;

/// A processed event; times are relative to the start of the streams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Event {
    /// Index in the stream's batch.
    pub(super) number: usize,
    /// Start of the hand-over.
    pub(super) begin: Duration,
    /// Completion of the input.
    pub(super) start: Duration,
    /// Completion of the output.
    pub(super) end: Duration,
}

/// Processes the events of a batch cyclically from before the window until after it; returns those
/// that overlap with it. To be run by a worker of the stream's team.
///
/// # Errors
/// First error of a candidate; all other streams end then, too.
pub(super) fn run(
    candidates: &mut [Box<dyn Candidate + '_>],
    clock: &Clock<'_>,
    interrupt: &Interrupt,
) -> Result<Vec<Event>, DeviceError> {
    let mut events = Vec::new();
    let mut longest = Duration::ZERO;
    let mut is_warm = false;
    let mut is_beyond = false;
    loop {
        for (number, candidate) in candidates.iter_mut().enumerate() {
            let event = process(number, candidate.as_mut(), clock)?;
            match clock.window() {
                Some(window) => {
                    if event.end > window.begin && event.begin < window.end {
                        events.push(event);
                    }
                    if event.end >= window.end && !is_beyond {
                        is_beyond = true;
                        clock.stream_is_beyond();
                    }
                }
                None => longest = longest.max(event.end - event.begin),
            }
            if clock.is_over() || interrupt.asked() {
                return Ok(events);
            }
        }
        if !is_warm && clock.is_warmed_up(clock.now()) {
            is_warm = true;
            clock.stream_is_warm(longest);
        }
    }
}

fn process(
    number: usize,
    candidate: &mut (dyn Candidate + '_),
    clock: &Clock<'_>,
) -> Result<Event, DeviceError> {
    let begin = clock.now();
    candidate.reset()?;
    let start = clock.now();
    candidate.run()?;
    let end = clock.now();
    candidate.release();
    Ok(Event { number, begin, start, end })
}
