//! What a stream does.

use std::time::Duration;

use algorithms::device::gpu::DeviceError;
use algorithms::task::Candidate;

use super::window::Clock;
use crate::platform::Interrupt;

/// An event that a stream has processed; times from the moment that the streams were started.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Event {
    /// Its number in the stream's batch.
    pub(super) number: usize,
    /// When it was being handed over.
    pub(super) begin: Duration,
    /// When its input was there.
    pub(super) start: Duration,
    /// When its output was there.
    pub(super) end: Duration,
}

/// Takes the events of a batch in turn from before the window until after it; returns those that
/// lie in it in whole or in part. To be run by a worker of the stream's team.
///
/// # Errors
/// The first one of a candidate; all other streams end then, too.
pub(super) fn run(
    candidates: &mut [Box<dyn Candidate + '_>],
    clock: &Clock<'_>,
    interrupt: &Interrupt,
) -> Result<Vec<Event>, DeviceError> {
    let mut events = Vec::new();
    let (mut longest, mut is_warm, mut is_beyond) = (Duration::ZERO, false, false);
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
