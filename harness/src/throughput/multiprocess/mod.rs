//! Streams driven by several processes: each of them prepares and runs its streams; this process
//! opens and closes the common window, and reports the results as those of one process.
//!
//! | module | holds |
//! |---|---|
//! | `worker_process` | messages to a process that drives streams, and its main loop |
//! | `pool` | start, requests, listeners and end of all processes |

mod pool;
mod worker_process;

use std::thread;
use std::time::Duration;

use super::failure::PointFailure;
use super::plan::PointSpec;
use super::point::{Measured, Setup, WindowLength, WindowResult, result_row};
use super::prepared::{CheckedStreams, WorkSummary};
use super::stream::Event;
use super::window::{POLL_INTERVAL, Window, WindowStats, length};
use crate::platform::clock::{now_ns, wait_until};
pub(super) use pool::WorkerPool;
use worker_process::{Request, Response};
pub(crate) use worker_process::{SUBCOMMAND, opening, refuse, work};

/// Delay before the window, so that all processes have been notified when it opens.
const NOTIFICATION_DELAY: Duration = Duration::from_millis(20);

/// Measures a point with the streams of several processes.
pub(super) fn measure(
    setup: &Setup<'_>,
    pool: &mut WorkerPool,
    point: &PointSpec,
    number: usize,
    length: WindowLength,
) -> Measured {
    let mut works = WorkSummary::default();
    let ran = run(setup, pool, point, number, length, &mut works);
    if ran.is_err() {
        // Their state is unknown; the next point starts new processes.
        pool.end();
    }
    result_row(setup, point, &works, ran)
}

fn run(
    setup: &Setup<'_>,
    pool: &mut WorkerPool,
    point: &PointSpec,
    number: usize,
    limits: WindowLength,
    works: &mut WorkSummary,
) -> Result<WindowResult, PointFailure> {
    let processes = point.busy_processes();
    pool.fill(point, setup)?;
    let wanted_ns = limits.wanted.min(limits.max).as_nanos() as u64;
    pool.send_all(|process| Request::Prepare { point: number, process, wanted_ns })?;
    let mut checked = CheckedStreams::default();
    let mut of_parts = Vec::new();
    for response in pool.each(setup.interrupt)? {
        let Response::Ready { works, checked: own } = response else {
            return Err(unexpected_message());
        };
        checked.working_set_bytes += own.working_set_bytes;
        // The GPU metrics of an event are those of the first stream, as with one process.
        checked.gpu_metrics = checked.gpu_metrics.or(own.gpu_metrics);
        of_parts.push(works);
    }
    *works = merge(of_parts, point).ok_or_else(other_points)?;
    pool.send_all(|_| Request::Begin)?;
    let mut longest = Duration::ZERO;
    for response in pool.each(setup.interrupt)? {
        let Response::Warm { longest_ns } = response else { return Err(unexpected_message()) };
        longest = longest.max(Duration::from_nanos(longest_ns));
    }
    let begin = Duration::from_nanos(now_ns()) + NOTIFICATION_DELAY;
    let window = Window { begin, end: begin + length(limits.wanted, limits.max, longest) };
    let begin_ns = window.begin.as_nanos() as u64;
    let end_ns = window.end.as_nanos() as u64;
    pool.send_all(|_| Request::Window { begin_ns, end_ns })?;
    let stats = watch(setup, pool, point, window)?;
    for response in pool.each(setup.interrupt)? {
        let Response::Beyond = response else { return Err(unexpected_message()) };
    }
    pool.send_all(|_| Request::End)?;
    let mut events: Vec<Vec<Event>> = vec![Vec::new(); point.streams];
    let mut remarks = Vec::new();
    for (process, response) in (0..processes).zip(pool.each(setup.interrupt)?) {
        let Response::Done { events: own, remarks: further_remarks } = response else {
            return Err(unexpected_message());
        };
        for (stream, own) in point.streams_of(process).into_iter().zip(own) {
            events[stream] = own.into_iter().map(Event::from).collect();
        }
        if events.iter().flatten().any(|event| event.number >= point.batch) {
            return Err(other_points());
        }
        remarks.extend(further_remarks);
    }
    remarks.sort();
    remarks.dedup();
    Ok(WindowResult { window, events, stats, checked, remarks })
}

/// Merges the work of all streams, in the order of the streams; `None` if the streams are not those
/// of the point.
fn merge(of_parts: Vec<WorkSummary>, point: &PointSpec) -> Option<WorkSummary> {
    let mut all = WorkSummary { items: vec![Vec::new(); point.streams], ..WorkSummary::default() };
    for (process, works) in of_parts.into_iter().enumerate() {
        let streams = point.streams_of(process);
        // All streams have the same number of events.
        all.bytes_min += works.bytes_min * streams.len() as f64 / point.streams as f64;
        all.item_unit = works.item_unit;
        for (stream, items) in streams.into_iter().zip(works.items) {
            all.items[stream] = items;
        }
    }
    all.items.iter().all(|items| items.len() == point.batch).then_some(all)
}

/// Waits until the window is over; returns CPU utilisation and power within it.
fn watch(
    setup: &Setup<'_>,
    pool: &mut WorkerPool,
    point: &PointSpec,
    window: Window,
) -> Result<WindowStats, PointFailure> {
    let stop = || setup.interrupt.asked();
    wait_until(window.begin.as_nanos() as u64, stop);
    let usage = pool.usage();
    let mut energy = setup.meters.begin(point.device_set.devices());
    loop {
        pool.look()?;
        if stop() {
            return Err(PointFailure::Interrupted);
        }
        let left = window.end.saturating_sub(Duration::from_nanos(now_ns()));
        if left.is_zero() {
            break;
        }
        thread::sleep(POLL_INTERVAL.min(left));
        energy.update();
    }
    let seconds = (Duration::from_nanos(now_ns()) - window.begin).as_secs_f64();
    let energy = setup.meters.end(energy);
    Ok(WindowStats { busy: pool.usage().since(&usage, seconds), energy })
}

/// Error of processes with a different plan; all of them plan from the same command line.
fn other_points() -> PointFailure {
    let problem = "failed: a process has other events than this one; was a file changed that the \
                   command reads?";
    PointFailure::Wrong(problem.to_owned())
}

fn unexpected_message() -> PointFailure {
    PointFailure::Wrong("failed: unexpected response of a process".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Request, parse};
    use crate::throughput::plan::StreamPlan;

    /// Three streams of two events each, driven by two processes.
    fn point() -> PointSpec {
        let line = "bench throughput merge --device cpu --variant sequential --streams 3 --batch 2 \
                    --processes 2";
        match parse(line.split_whitespace().map(Into::into)) {
            Ok(Request::Throughput(mut request)) => {
                request.choose_devices();
                StreamPlan::new(&request).expect("sensible").points.remove(0)
            }
            _ => panic!("not understood: {line}"),
        }
    }

    fn works(items: &[[u64; 2]], bytes_min: f64) -> WorkSummary {
        let items = items.iter().map(|items| items.to_vec()).collect();
        WorkSummary { items, item_unit: "digi".to_owned(), bytes_min }
    }

    #[test]
    fn work_is_merged_in_stream_order() {
        let point = point();
        assert_eq!((point.streams_of(0), point.streams_of(1)), (vec![0, 2], vec![1]));
        let pool = vec![works(&[[1, 2], [5, 6]], 30.0), works(&[[3, 4]], 60.0)];
        let all = merge(pool, &point).expect("all are there");
        assert_eq!(all.items, [vec![1, 2], vec![3, 4], vec![5, 6]]);
        assert_eq!((all.bytes_min, all.item_unit.as_str()), (40.0, "digi"));
    }

    #[test]
    fn events_of_another_point_are_detected() {
        let missing = vec![works(&[[1, 2]], 1.0), works(&[[3, 4]], 1.0)];
        assert_eq!(merge(missing, &point()), None);
    }
}
