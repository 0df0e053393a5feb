//! Streams that are ready: prepared, checked, run for a window, and checked again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{self, Builder};

use portable_gpu::timing::Stages;
use serde::{Deserialize, Serialize};
use tasks::algorithm::Work;
use tasks::device::{Device, Target, Team};
use tasks::task::Candidate;

use super::ceilings::EventGpuMetrics;
use super::failure::{PointFailure, no_thread, panicked};
use super::placement::StreamGpus;
use super::schedule::Schedule;
use super::stream::{self, Batch, Event};
use super::window::Clock;
use crate::measure::{CheckError, check_candidate};
use crate::platform::Interrupt;

/// A stream that is ready: its candidates, by event of its batch.
pub(crate) struct Stream<'a> {
    pub(crate) candidates: Vec<Box<dyn Candidate + 'a>>,
    pub(crate) target: Target<'a>,
}

/// Parts of a stream that is not ready yet.
pub(crate) struct StreamParts<'p, 'a> {
    pub(crate) device: Device,
    /// Index of the stream among those of the device, which have a queue each.
    pub(crate) queue: usize,
    pub(crate) team: &'a Team,
    pub(crate) cases: &'p Batch<'a>,
}

/// A stream to run in a window.
pub(crate) struct ScheduledStream<'r, 'a> {
    pub(crate) stream: &'r mut Stream<'a>,
    /// Due times of its events; `None` for a closed loop.
    pub(crate) schedule: Option<&'r Schedule>,
}

/// Work of the events of streams.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkSummary {
    /// Items of each event of each stream's batch.
    pub(crate) items: Vec<Vec<u64>>,
    pub(crate) item_unit: String,
    /// Mean number of bytes that any implementation must move for an event.
    pub(crate) bytes_min: f64,
}

/// Properties of streams that are known after checking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct CheckedStreams {
    pub(crate) working_set_bytes: u64,
    pub(crate) gpu_metrics: Option<EventGpuMetrics>,
}

/// Prepares streams of a variant, and checks each of their events by itself.
pub(crate) fn prepare<'a>(
    gpus: &StreamGpus,
    variant: usize,
    parts: &[StreamParts<'_, 'a>],
    interrupt: &Interrupt,
) -> Result<(Vec<Stream<'a>>, CheckedStreams), PointFailure> {
    let streams = parts.iter().map(|parts| ready(gpus, variant, parts));
    let mut streams = streams.collect::<Result<Vec<_>, _>>()?;
    let working_set_bytes = check_all(&mut streams, parts, interrupt)?;
    let gpu_metrics = streams.first_mut().map(gpu_metrics).transpose()?.flatten();
    Ok((streams, CheckedStreams { working_set_bytes, gpu_metrics }))
}

/// Creates a stream with its queue and prepared candidates.
fn ready<'a>(
    gpus: &StreamGpus,
    variant: usize,
    parts: &StreamParts<'_, 'a>,
) -> Result<Stream<'a>, PointFailure> {
    let StreamParts { device, queue, team, cases } = *parts;
    let target = Target { device, gpu: gpus.for_stream(device, queue)?, team };
    let prepared = cases.iter().map(|case| case.prepare(variant, &target));
    let candidates = prepared.collect::<Result<_, _>>();
    let candidates =
        candidates.map_err(|error| PointFailure::Unavailable(format!("not run: {error}")))?;
    Ok(Stream { candidates, target })
}

impl WorkSummary {
    pub(crate) fn for_cases(cases: &[Batch<'_>]) -> Self {
        let works: Vec<Vec<Work>> =
            cases.iter().map(|cases| cases.iter().map(|case| case.work()).collect()).collect();
        let all = || works.iter().flatten();
        let bytes = all().map(|work| work.bytes_min).sum::<u64>();
        WorkSummary {
            items: works.iter().map(|it| it.iter().map(|work| work.items).collect()).collect(),
            item_unit: all().next().map_or("", |work| work.item_unit).to_owned(),
            bytes_min: bytes as f64 / all().count().max(1) as f64,
        }
    }

    pub(crate) fn mean_items(&self) -> f64 {
        let all = || self.items.iter().flatten();
        all().sum::<u64>() as f64 / all().count().max(1) as f64
    }
}

/// Checks each event of each stream by itself; returns the working set of all streams in bytes.
fn check_all(
    streams: &mut [Stream<'_>],
    parts: &[StreamParts<'_, '_>],
    interrupt: &Interrupt,
) -> Result<u64, PointFailure> {
    let mut working_set = 0;
    for (Stream { candidates, target }, parts) in streams.iter_mut().zip(parts) {
        let mut buffers = 0;
        for (candidate, case) in candidates.iter_mut().zip(parts.cases) {
            if interrupt.asked() {
                return Err(PointFailure::Interrupted);
            }
            let allocated = check_candidate(candidate.as_mut(), target)?;
            if candidate.sample().is_some() {
                let note = "not run: it does no more than a sample of the work";
                return Err(PointFailure::Unavailable(note.to_owned()));
            }
            let input = case.work().input_bytes;
            let buffer_bytes = (candidate.buffer_bytes() + allocated).saturating_sub(input);
            buffers = buffers.max(buffer_bytes);
            working_set += input;
        }
        working_set += buffers;
    }
    Ok(working_set)
}

/// GPU metrics of the events of a stream, each run by itself; `None` on the host.
fn gpu_metrics(stream: &mut Stream<'_>) -> Result<Option<EventGpuMetrics>, PointFailure> {
    let Some(gpu) = &stream.target.gpu else { return Ok(None) };
    let mut all: Vec<Stages> = Vec::new();
    for candidate in &mut stream.candidates {
        let stages = stream.target.team.run(|| {
            candidate.reset()?;
            gpu.start_timeline()?;
            candidate.run()?;
            candidate.stages()
        });
        candidate.release();
        all.push(stages?);
    }
    Ok(Some(EventGpuMetrics::mean(&all)))
}

/// Runs all streams as closed loops until their clock ends them, and `concurrent_work` concurrently.
pub(super) fn run_closed<T>(
    streams: &mut [Stream<'_>],
    clock: &Clock<'_>,
    interrupt: &Interrupt,
    concurrent_work: impl FnOnce() -> T,
) -> (Result<Vec<Vec<Event>>, PointFailure>, T) {
    let closed = streams.iter_mut().map(|stream| ScheduledStream { stream, schedule: None });
    let (ended, result) = run_each(closed.collect(), clock, interrupt, concurrent_work);
    (ended.into_iter().collect(), result)
}

/// Runs all streams until their clock ends them, and `concurrent_work` concurrently; returns the
/// events or the failure of each.
pub(crate) fn run_each<T>(
    streams: Vec<ScheduledStream<'_, '_>>,
    clock: &Clock<'_>,
    interrupt: &Interrupt,
    concurrent_work: impl FnOnce() -> T,
) -> (Vec<Result<Vec<Event>, PointFailure>>, T) {
    thread::scope(|scope| {
        let work = |stream: ScheduledStream<'_, '_>| {
            let ran = run_stream(stream, clock, interrupt);
            if ran.is_err() {
                clock.stream_has_failed();
            }
            ran
        };
        let start = |stream| {
            let started = Builder::new().spawn_scoped(scope, move || work(stream));
            started.map_err(|error| {
                // Notifies the clock, so that the other streams don't wait for it.
                clock.stream_has_failed();
                no_thread(&error)
            })
        };
        let running: Vec<_> = streams.into_iter().map(start).collect();
        let result = concurrent_work();
        let ended = running
            .into_iter()
            .map(|stream| stream?.join().unwrap_or_else(|panic| Err(panicked(panic))));
        (ended.collect(), result)
    })
}

/// Runs a stream; after a panic its buffers are released.
fn run_stream(
    ScheduledStream { stream, schedule }: ScheduledStream<'_, '_>,
    clock: &Clock<'_>,
    interrupt: &Interrupt,
) -> Result<Vec<Event>, PointFailure> {
    let Stream { candidates, target } = stream;
    let ran = catch_unwind(AssertUnwindSafe(|| {
        target.team.run(|| stream::run(candidates, schedule, clock, interrupt))
    }));
    candidates.iter_mut().for_each(|candidate| candidate.release());
    match ran {
        Ok(ran) => Ok(ran?),
        Err(panic) => Err(panicked(panic)),
    }
}

/// Checks the events of all streams once more while the streams run concurrently.
pub(super) fn check_side_by_side(streams: &mut [Stream<'_>]) -> Result<(), PointFailure> {
    let checked = check_each(streams.iter_mut().collect());
    for (number, checked) in checked.into_iter().enumerate() {
        checked.map_err(|failure| after_window(failure, number))?;
    }
    Ok(())
}

/// Adds the stream to the failure of a check after a window.
pub(crate) fn after_window(failure: PointFailure, stream: usize) -> PointFailure {
    match failure {
        PointFailure::Wrong(note) => {
            PointFailure::Wrong(format!("after the window, stream {stream}: {note}"))
        }
        other => other,
    }
}

/// Checks the events of all streams while the streams run concurrently; returns the result of each.
pub(crate) fn check_each(streams: Vec<&mut Stream<'_>>) -> Vec<Result<(), PointFailure>> {
    thread::scope(|scope| {
        let check = |Stream { candidates, target }: &mut Stream<'_>| {
            let checked = |candidate: &mut Box<dyn Candidate + '_>| {
                check_candidate(candidate.as_mut(), target).map(|_| ())
            };
            candidates.iter_mut().try_for_each(checked)
        };
        let start = |stream| Builder::new().spawn_scoped(scope, move || check(stream));
        let running: Vec<_> = streams.into_iter().map(start).collect();
        let checked = running.into_iter().map(|stream| {
            let stream = stream.map_err(|error| no_thread(&error))?;
            let checked = stream.join().unwrap_or_else(|panic| Err(CheckError::from_panic(panic)));
            checked.map_err(PointFailure::from)
        });
        checked.collect()
    })
}

/// Remarks of variants on their figures, each once.
pub(crate) fn remarks(streams: &[Stream<'_>]) -> Vec<String> {
    let candidates = streams.iter().flat_map(|stream| &stream.candidates);
    let mut remarks: Vec<String> = candidates.flat_map(|candidate| candidate.remarks()).collect();
    remarks.sort();
    remarks.dedup();
    remarks
}
