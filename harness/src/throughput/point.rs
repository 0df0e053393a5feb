//! One point: its streams are prepared, checked, run for a window, and checked again.

use std::path::Path;
use std::time::Duration;

use reports::record::Point;
use reports::throughput::{EventRow, ThroughputRow};

use super::ceilings::Ceilings;
use super::failure::PointFailure;
use super::placement::{StreamGpus, start_teams};
use super::plan::PointSpec;
use super::prepared::{
    CheckedStreams, Stream, StreamParts, WorkSummary, check_side_by_side, prepare, remarks,
    run_closed,
};
use super::stream::{Event, Events};
use super::tally::Tally;
use super::window::{Clock, Window, WindowStats, watch};
use crate::energy::EnergyMeters;
use crate::measure::MeasureError;
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
        let (events, stats) = run_closed(streams, &clock, setup.interrupt, || {
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
    let parts = numbers.iter().zip(&teams).zip(&cases);
    let parts = parts.map(|((&queue, team), cases)| StreamParts {
        device: point.device_set.of_stream(queue),
        queue,
        team,
        cases,
    });
    let parts: Vec<_> = parts.collect();
    let ready = || {
        let prepared = prepare(setup.gpus, point.candidate.variant, &parts, setup.interrupt);
        let (mut streams, checked) = prepared?;
        work(&works, &mut streams, checked)
    };
    let done = ready();
    drop(parts);
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
