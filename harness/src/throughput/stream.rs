//! Events of all streams, and the main loop of a stream.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::thread;
use std::time::Duration;

use generators_common::DataError;
use portable_gpu::DeviceError;
use tasks::device::Arena;
use tasks::task::{Candidate, Case};

use super::plan::PointSpec;
use super::schedule::Schedule;
use super::window::{Clock, POLL_INTERVAL};
use crate::plan::{Input, Origin, Plan};
use crate::platform::Interrupt;

/// A processed event; times are relative to the start of the streams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Event {
    /// Index in the stream's batch.
    pub(super) number: usize,
    /// Time at which it was due; `None` in a closed loop.
    pub(super) due: Option<Duration>,
    /// Start of the hand-over.
    pub(super) begin: Duration,
    /// Completion of the input.
    pub(super) start: Duration,
    /// Completion of the output.
    pub(crate) end: Duration,
}

impl Event {
    /// Time from the due time, or in a closed loop from the completion of the input, to the output.
    pub(super) fn latency(&self) -> Duration {
        self.end.saturating_sub(self.due.unwrap_or(self.start))
    }
}

/// Processes the events of a batch cyclically from before the window until after it; returns those
/// that overlap with it. With a schedule, events wait until they are due, except for those of the
/// first pass. To be run by a worker of the stream's team. After an error of a candidate all other
/// streams end, too.
pub(super) fn run(
    candidates: &mut [Box<dyn Candidate + '_>],
    schedule: Option<&Schedule>,
    clock: &Clock<'_>,
    interrupt: &Interrupt,
) -> Result<Vec<Event>, DeviceError> {
    let mut progress = Progress::new(schedule, clock, interrupt);
    loop {
        for (number, candidate) in candidates.iter_mut().enumerate() {
            let due = schedule.and_then(Schedule::next_due);
            if due.is_some_and(|due| !progress.wait_until(due)) {
                return Ok(progress.events);
            }
            let event = process(number, candidate.as_mut(), clock)?;
            progress.add(Event { due, ..event });
            if progress.is_over() {
                return Ok(progress.events);
            }
        }
        progress.pass_is_over();
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
    Ok(Event { number, due: None, begin, start, end })
}

/// Events of a stream so far, and what it has reported to its clock.
struct Progress<'c> {
    schedule: Option<&'c Schedule>,
    clock: &'c Clock<'c>,
    interrupt: &'c Interrupt,
    events: Vec<Event>,
    longest: Duration,
    passed: bool,
    is_warm: bool,
    is_beyond: bool,
}

impl<'c> Progress<'c> {
    fn new(schedule: Option<&'c Schedule>, clock: &'c Clock<'c>, interrupt: &'c Interrupt) -> Self {
        Progress {
            schedule,
            clock,
            interrupt,
            events: Vec::new(),
            // A window has to contain several due times, too.
            longest: schedule.map_or(Duration::ZERO, Schedule::interval),
            passed: false,
            is_warm: false,
            is_beyond: false,
        }
    }

    fn is_over(&self) -> bool {
        self.clock.is_over() || self.interrupt.asked()
    }

    /// Adds a processed event.
    fn add(&mut self, event: Event) {
        match self.clock.window() {
            Some(window) => {
                if event.end > window.begin && event.begin < window.end {
                    self.events.push(event);
                }
                self.check_end(event.end);
            }
            None => {
                self.longest = self.longest.max(event.end - event.begin);
                self.check_warm();
            }
        }
    }

    /// Called after each pass over the batch.
    fn pass_is_over(&mut self) {
        if let (Some(schedule), false) = (self.schedule, self.passed) {
            schedule.stream_is_ready(self.clock.now());
        }
        self.passed = true;
        self.check_warm();
    }

    fn check_warm(&mut self) {
        let has_begun = self.schedule.is_none_or(Schedule::has_begun);
        let is_warm = || self.passed && has_begun && self.clock.is_warmed_up(self.clock.now());
        if !self.is_warm && is_warm() {
            self.is_warm = true;
            self.clock.stream_is_warm(self.longest);
        }
    }

    fn check_end(&mut self, now: Duration) {
        let is_after = self.clock.window().is_some_and(|window| now >= window.end);
        if is_after && !self.is_beyond {
            self.is_beyond = true;
            self.clock.stream_is_beyond();
        }
    }

    /// Waits; returns false if the stream is to end before that time.
    fn wait_until(&mut self, due: Duration) -> bool {
        loop {
            let now = self.clock.now();
            if now >= due {
                return true;
            }
            self.check_warm();
            self.check_end(now);
            if self.is_over() {
                return false;
            }
            thread::sleep(POLL_INTERVAL.min(due - now));
        }
    }
}

/// Events of a stream.
pub(crate) type Batch<'a> = Vec<&'a dyn Case>;

/// Events of one set of parameters, each with its own seed, kept for all points with these
/// parameters.
#[derive(Default)]
pub(crate) struct Events {
    input: Option<usize>,
    /// Events by index: those of a stream are consecutive.
    cases: BTreeMap<usize, Box<dyn Case>>,
}

impl Events {
    /// Events of some streams of a point, a batch for each; those of a stream share buffers.
    /// Missing events are generated, with consecutive seeds; all events of a file are the same.
    pub(crate) fn of_streams(
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
    pub(crate) fn drop_buffers(&self) {
        self.cases.values().for_each(|case| case.drop_buffers());
    }
}

fn event(plan: &Plan, input: &Input, seed: u64) -> Result<Box<dyn Case>, DataError> {
    match &input.origin {
        Origin::Generated(params) => plan.task().generate(params, seed),
        Origin::Read { files, options, .. } => plan.task().read(files, options),
    }
}
