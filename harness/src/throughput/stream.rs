//! Events of all streams, and the main loop of a stream.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

use generators_common::DataError;
use portable_gpu::DeviceError;
use tasks::device::Arena;
use tasks::task::{Candidate, Case};

use super::plan::PointSpec;
use super::window::Clock;
use crate::plan::{Input, Origin, Plan};
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
/// that overlap with it. To be run by a worker of the stream's team. After an error of a candidate
/// all other streams end, too.
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

/// Events of a stream.
pub(super) type Batch<'a> = Vec<&'a dyn Case>;

/// Events of one set of parameters, each with its own seed, kept for all points with these
/// parameters.
#[derive(Default)]
pub(super) struct Events {
    input: Option<usize>,
    /// Events by index: those of a stream are consecutive.
    cases: BTreeMap<usize, Box<dyn Case>>,
}

impl Events {
    /// Events of some streams of a point, a batch for each; those of a stream share buffers.
    /// Missing events are generated, with consecutive seeds; all events of a file are the same.
    pub(super) fn of_streams(
        &mut self,
        point: &PointSpec,
        streams: &[usize],
        plan: &Plan,
        seed: u64,
    ) -> Result<Vec<Batch<'_>>, DataError> {
        if self.input != Some(point.input) {
            self.cases.clear();
            self.input = Some(point.input);
        }
        let input = &plan.inputs[point.input];
        for &stream in streams {
            let arena = Arena::default();
            for number in point.events_of(stream) {
                let case = match self.cases.entry(number) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => {
                        new.insert(event(plan, input, seed.wrapping_add(number as u64))?)
                    }
                };
                case.take_buffers_from(&arena);
            }
        }
        let of_stream = |&stream: &usize| -> Batch<'_> {
            self.cases.range(point.events_of(stream)).map(|(_, case)| case.as_ref()).collect()
        };
        Ok(streams.iter().map(of_stream).collect())
    }

    /// Releases the buffers of all streams.
    pub(super) fn drop_buffers(&self) {
        self.cases.values().for_each(|case| case.drop_buffers());
    }
}

fn event(plan: &Plan, input: &Input, seed: u64) -> Result<Box<dyn Case>, DataError> {
    match &input.origin {
        Origin::Generated(params) => plan.task().generate(params, seed),
        Origin::Read { files, options, .. } => plan.task().read(files, options),
    }
}
