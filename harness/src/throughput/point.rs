//! One point: its streams are prepared, checked, run for a window, and checked again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread::{self, Builder};
use std::time::Duration;

use portable_gpu::timing::Stages;
use reports::record::Point;
use reports::throughput::{EventRow, ThroughputRow};
use serde::{Deserialize, Serialize};
use tasks::algorithm::Work;
use tasks::device::{Target, Team};
use tasks::task::Candidate;

use super::ceilings::{Ceilings, EventGpuMetrics};
use super::failure::{PointFailure, no_thread, panicked};
use super::placement::{StreamGpus, start_teams};
use super::plan::PointSpec;
use super::stream::{self, Batch, Event, Events};
use super::tally::Tally;
use super::window::{Clock, Window, WindowStats, watch};
use crate::energy::EnergyMeters;
use crate::measure::{CheckError, MeasureError, check_candidate};
use crate::plan::Plan;
use crate::platform::Interrupt;

/// Context shared by all points.
pub(super) struct Setup<'a> {
    pub(super) plan: &'a Plan,
    pub(super) gpus: &'a StreamGpus,
    pub(super) ceilings: &'a Ceilings,
    pub(super) meters: &'a EnergyMeters,
    pub(super) interrupt: &'a Interrupt,
    pub(super) seed: u64,
    /// Command line, for processes that are to plan the same points.
    pub(super) command: Command<'a>,
}

/// Command that other processes need to plan the same points.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Command<'a> {
    /// Command line as typed, the program's name first.
    pub(super) words: &'a [String],
    /// File with defaults of flags, if there is one.
    pub(super) config: Option<&'a Path>,
}

/// Desired and maximum length of the window of a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowLength {
    pub(super) wanted: Duration,
    pub(super) max: Duration,
}

/// Result of a point.
#[derive(Debug)]
pub(super) enum Measured {
    /// All outputs were right before and after.
    Right(Box<ThroughputRow>, Vec<EventRow>),
    /// An output was wrong, as stated in the row's note.
    Wrong(Box<ThroughputRow>),
    /// It can't run here, as stated in the row's note.
    Unavailable(Box<ThroughputRow>),
    /// The user interrupted the run before the window was over.
    Interrupted,
}

/// A stream that is ready: its candidates, by event of its batch.
pub(super) struct Stream<'a> {
    candidates: Vec<Box<dyn Candidate + 'a>>,
    target: Target<'a>,
}

/// Work of the events of streams.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct WorkSummary {
    /// Items of each event of each stream's batch.
    pub(super) items: Vec<Vec<u64>>,
    pub(super) item_unit: String,
    /// Mean number of bytes that any implementation must move for an event.
    pub(super) bytes_min: f64,
}

/// Properties of streams that are known after checking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CheckedStreams {
    pub(super) working_set_bytes: u64,
    pub(super) gpu_metrics: Option<EventGpuMetrics>,
}

/// Results of streams in their window.
pub(super) struct WindowResult {
    pub(super) window: Window,
    pub(super) events: Vec<Vec<Event>>,
    pub(super) stats: WindowStats,
    pub(super) checked: CheckedStreams,
    /// Remarks of variants on their figures, each once.
    pub(super) remarks: Vec<String>,
}

/// Measures a point with streams of this process. Errors of the variant are in its row.
pub(super) fn measure(
    setup: &Setup<'_>,
    events: &mut Events,
    point: &PointSpec,
    length: WindowLength,
) -> Result<Measured, MeasureError> {
    let all: Vec<usize> = (0..point.streams).collect();
    let (works, ran) = with_streams(setup, events, point, &all, |_, streams, checked| {
        let devices = point.device_set.devices();
        let clock = Clock::new(streams.len(), length.wanted, length.max);
        let (events, stats) = run(streams, &clock, setup.interrupt, || {
            watch(&clock, setup.meters, devices, setup.interrupt).unwrap_or_default()
        });
        let events = events?;
        let window = clock.window();
        let Some(window) = window.filter(|_| !setup.interrupt.asked()) else {
            return Err(PointFailure::Interrupted);
        };
        check_side_by_side(streams)?;
        Ok(WindowResult { window, events, stats, checked, remarks: remarks(streams) })
    })?;
    Ok(result_row(setup, point, &works, ran))
}

/// Prepares streams of a point, checks each of their events by itself, and passes the streams to a
/// function; also returns the work of their events.
pub(super) fn with_streams<R>(
    setup: &Setup<'_>,
    events: &mut Events,
    point: &PointSpec,
    numbers: &[usize],
    work: impl FnOnce(&WorkSummary, &mut [Stream<'_>], CheckedStreams) -> Result<R, PointFailure>,
) -> Result<(WorkSummary, Result<R, PointFailure>), MeasureError> {
    let teams = start_teams(point, numbers, setup.plan)?;
    let cases = events.of_streams(point, numbers, setup.plan, setup.seed)?;
    let works = WorkSummary::for_cases(&cases);
    let ready = || {
        let mut streams = Vec::new();
        for ((&number, team), cases) in numbers.iter().zip(&teams).zip(&cases) {
            streams.push(ready(setup, point, number, team, cases)?);
        }
        let working_set_bytes = check_all(&mut streams, &cases, setup.interrupt)?;
        let gpu_metrics = streams.first_mut().map(gpu_metrics).transpose()?.flatten();
        work(&works, &mut streams, CheckedStreams { working_set_bytes, gpu_metrics })
    };
    let done = ready();
    drop(cases);
    events.drop_buffers();
    setup.gpus.trim();
    Ok((works, done))
}

/// Row of a point, with its result.
pub(super) fn result_row(
    setup: &Setup<'_>,
    point: &PointSpec,
    works: &WorkSummary,
    ran: Result<WindowResult, PointFailure>,
) -> Measured {
    let mut row = describe(setup.plan, point, works);
    let refused = |row: ThroughputRow, note: String| Box::new(ThroughputRow { note, ..row });
    match ran {
        Ok(ran) => {
            let events = fill(setup, point, works, &ran, &mut row);
            Measured::Right(Box::new(row), events)
        }
        Err(PointFailure::Interrupted) => Measured::Interrupted,
        Err(PointFailure::Wrong(note)) => Measured::Wrong(refused(row, note)),
        Err(PointFailure::Unavailable(note)) => Measured::Unavailable(refused(row, note)),
    }
}

/// Fills the results of streams into their row; returns their events.
fn fill(
    setup: &Setup<'_>,
    point: &PointSpec,
    works: &WorkSummary,
    ran: &WindowResult,
    row: &mut ThroughputRow,
) -> Vec<EventRow> {
    let CheckedStreams { working_set_bytes, gpu_metrics } = ran.checked;
    row.working_set_bytes = working_set_bytes;
    let tally = Tally { window: ran.window, events: &ran.events, items: &works.items };
    tally.fill(row);
    setup.ceilings.fill(row, &point.device_set, gpu_metrics);
    let WindowStats { busy, energy } = &ran.stats;
    row.cores_share = busy.map(|busy| busy.own);
    row.others_share = busy.and_then(|busy| busy.others);
    let watts = energy.watts();
    row.cpu_w = watts.cpu;
    row.gpu_w = watts.gpu;
    row.command_w = watts.command;
    row.j_per_item = energy.per_item(row.items_per_s);
    row.energy_source.clone_from(&energy.point.source);
    row.valid = true.into();
    row.note = [&ran.remarks[..], &energy.problems[..]].concat().join("; ");
    tally.rows(&row.point_id)
}

/// Row of a point with only the properties of its events.
fn describe(plan: &Plan, point: &PointSpec, works: &WorkSummary) -> ThroughputRow {
    let identity = Point {
        device: point.device_set.to_string(),
        ..plan.point(&plan.inputs[point.input], &point.candidate)
    };
    ThroughputRow {
        backend: plan.variant(&point.candidate).backend.to_string(),
        items: works.mean_items(),
        item_unit: works.item_unit.clone(),
        bytes_min: works.bytes_min,
        ..ThroughputRow::new(&identity, [point.streams, point.batch, point.processes])
    }
}

impl WorkSummary {
    fn for_cases(cases: &[Batch<'_>]) -> Self {
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

    fn mean_items(&self) -> f64 {
        let all = || self.items.iter().flatten();
        all().sum::<u64>() as f64 / all().count().max(1) as f64
    }
}

/// Creates a stream with its queue and prepared candidates.
fn ready<'a>(
    setup: &Setup<'_>,
    point: &PointSpec,
    number: usize,
    team: &'a Team,
    cases: &Batch<'a>,
) -> Result<Stream<'a>, PointFailure> {
    let device = point.device_set.of_stream(number);
    let target = Target { device, gpu: setup.gpus.for_stream(device, number)?, team };
    let prepared = cases.iter().map(|case| case.prepare(point.candidate.variant, &target));
    let candidates = prepared.collect::<Result<_, _>>();
    let candidates =
        candidates.map_err(|error| PointFailure::Unavailable(format!("not run: {error}")))?;
    Ok(Stream { candidates, target })
}

/// Checks each event of each stream by itself; returns the working set of all streams in bytes.
fn check_all(
    streams: &mut [Stream<'_>],
    cases: &[Batch<'_>],
    interrupt: &Interrupt,
) -> Result<u64, PointFailure> {
    let mut working_set = 0;
    for (Stream { candidates, target }, cases) in streams.iter_mut().zip(cases) {
        let mut buffers = 0;
        for (candidate, case) in candidates.iter_mut().zip(cases) {
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

/// Runs all streams until their clock ends them, and `concurrent_work` concurrently.
pub(super) fn run<T>(
    streams: &mut [Stream<'_>],
    clock: &Clock<'_>,
    interrupt: &Interrupt,
    concurrent_work: impl FnOnce() -> T,
) -> (Result<Vec<Vec<Event>>, PointFailure>, T) {
    thread::scope(|scope| {
        let work = |stream: &mut Stream<'_>| {
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
        let running: Vec<_> = streams.iter_mut().map(start).collect();
        let result = concurrent_work();
        let ended = running
            .into_iter()
            .map(|stream| stream?.join().unwrap_or_else(|panic| Err(panicked(panic))));
        // Collect first, so that all threads are joined before an error is returned.
        let ended: Vec<_> = ended.collect();
        (ended.into_iter().collect(), result)
    })
}

/// Runs a stream; after a panic its buffers are released.
fn run_stream(
    stream: &mut Stream<'_>,
    clock: &Clock<'_>,
    interrupt: &Interrupt,
) -> Result<Vec<Event>, PointFailure> {
    let Stream { candidates, target } = stream;
    let ran = catch_unwind(AssertUnwindSafe(|| {
        target.team.run(|| stream::run(candidates, clock, interrupt))
    }));
    candidates.iter_mut().for_each(|candidate| candidate.release());
    match ran {
        Ok(ran) => Ok(ran?),
        Err(panic) => Err(panicked(panic)),
    }
}

/// Checks the events of all streams once more while the streams run concurrently.
pub(super) fn check_side_by_side(streams: &mut [Stream<'_>]) -> Result<(), PointFailure> {
    thread::scope(|scope| {
        let check = |Stream { candidates, target }: &mut Stream<'_>| {
            let checked = |candidate: &mut Box<dyn Candidate + '_>| {
                check_candidate(candidate.as_mut(), target).map(|_| ())
            };
            candidates.iter_mut().try_for_each(checked)
        };
        let start = |stream| Builder::new().spawn_scoped(scope, move || check(stream));
        let running: Vec<_> = streams.iter_mut().map(start).collect();
        let checked = running.into_iter().enumerate().map(|(number, stream)| {
            let stream = stream.map_err(|error| no_thread(&error))?;
            let checked = stream.join().unwrap_or_else(|panic| Err(CheckError::from_panic(panic)));
            checked.map_err(|error| match PointFailure::from(error) {
                PointFailure::Wrong(note) => {
                    PointFailure::Wrong(format!("after the window, stream {number}: {note}"))
                }
                other => other,
            })
        });
        // Collect first, so that all threads are joined before an error is returned.
        let checked: Vec<_> = checked.collect();
        checked.into_iter().collect()
    })
}

/// Remarks of variants on their figures, each once.
pub(super) fn remarks(streams: &[Stream<'_>]) -> Vec<String> {
    let candidates = streams.iter().flat_map(|stream| &stream.candidates);
    let mut remarks: Vec<String> = candidates.flat_map(|candidate| candidate.remarks()).collect();
    remarks.sort();
    remarks.dedup();
    remarks
}
