//! Latencies, due and completed rates over time, and the verdict on whether workers keep up with a
//! speed.

use std::ops::Range;

use statistics::{Estimate, quantile_with_interval};

use super::row::{StreamRow, TimesliceRow};
use crate::record::YesNo;
use crate::units;

/// Maximum number of intervals of time in which rates are counted.
const PARTS: usize = 40;
/// Minimum number of timeslices per interval, to avoid steps of the rate.
const IN_PART: f64 = 10.0;

/// Rates over time: the middle of each interval in seconds, and the amount per second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rates {
    /// The rate of the detector, which is uniform within a timeslice.
    pub due: Vec<(f64, f64)>,
    /// The rate of results.
    pub done: Vec<(f64, f64)>,
}

impl Rates {
    /// The rates of a speed, for an amount that each of its timeslices has.
    pub fn new<'a>(
        row: &StreamRow,
        own: impl IntoIterator<Item = &'a TimesliceRow> + Clone,
        amount: impl Fn(&TimesliceRow) -> f64,
    ) -> Self {
        let parts = (row.due as f64 / IN_PART).clamp(1.0, PARTS as f64) as usize;
        let count = own.clone().into_iter().count();
        // Only some of many timeslices are recorded.
        let written = row.due as f64 / count.max(1) as f64;
        let length = row.duration_s / parts as f64;
        let mut due = vec![0.0; parts];
        let mut done = vec![0.0; parts];
        let arrival = row.timeslice_s / row.speed;
        for timeslice in own {
            let amount = amount(timeslice);
            spread(&mut due, length, timeslice.due_s - arrival..timeslice.due_s, amount);
            let part = timeslice.ended_s.and_then(|at| done.get_mut((at / length) as usize));
            if let Some(part) = part {
                *part += amount;
            }
        }
        let rates = |sums: Vec<f64>| -> Vec<(f64, f64)> {
            let middle = |part: usize| (part as f64 + 0.5) * length;
            let sums = sums.into_iter().enumerate();
            sums.map(|(part, sum)| (middle(part), sum * written / length)).collect()
        };
        Rates { due: rates(due), done: rates(done) }
    }

    /// The highest rate of results.
    pub fn highest(&self) -> Option<f64> {
        self.done.iter().map(|(_, rate)| *rate).reduce(f64::max)
    }
}

/// Adds an amount that is uniform over `span` to intervals of this length.
fn spread(parts: &mut [f64], length: f64, span: Range<f64>, amount: f64) {
    for (index, part) in parts.iter_mut().enumerate() {
        let from = index as f64 * length;
        let to = (index + 1) as f64 * length;
        let within = span.end.min(to) - span.start.max(from);
        if within > 0.0 {
            *part += amount * within / (span.end - span.start);
        }
    }
}

/// Reason why workers do not keep up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortfall {
    /// Timeslices were dropped.
    Dropped(u64),
    /// Timeslices were delayed because the queue was full.
    Held(u64),
    /// Timeslices were lost with their workers.
    Lost(u64),
    /// The backlog at the end was more than one timeslice per worker.
    Backlog(u64),
}

/// Shortfall of a row; `None` if its workers kept up. `held` timeslices were delayed by a full
/// queue.
///
/// At the end each worker may have one waiting timeslice: a backlog below that over the whole time
/// does not grow. Workers that are too slow by some share of the input leave that share as backlog.
pub fn shortfall(row: &StreamRow, held: u64) -> Option<Shortfall> {
    let max = row.processes as u64;
    match row {
        row if row.lost > 0 => Some(Shortfall::Lost(row.lost)),
        row if row.dropped > 0 => Some(Shortfall::Dropped(row.dropped)),
        _ if held > 0 => Some(Shortfall::Held(held)),
        row if row.backlog > max => Some(Shortfall::Backlog(row.backlog)),
        _ => None,
    }
}

impl Shortfall {
    /// `12 timeslices were dropped`.
    pub fn words(self) -> String {
        let (count, what) = match self {
            Shortfall::Dropped(count) => (count, "dropped"),
            Shortfall::Held(count) => (count, "late, because the queue was full"),
            Shortfall::Lost(count) => (count, "lost with their workers"),
            Shortfall::Backlog(count) => (count, "not begun at the end"),
        };
        let timeslices = units::counted(count as usize, "timeslice");
        let verb = if count == 1 { "was" } else { "were" };
        format!("{timeslices} {verb} {what}")
    }
}

/// The highest speed that was kept up with below the lowest one that was not; `None` if there is
/// none. Rows are those of one setting on one device.
pub fn highest_kept_up<'a>(
    rows: impl IntoIterator<Item = &'a StreamRow> + Clone,
) -> Option<&'a StreamRow> {
    let speed = |row: &&StreamRow| row.speed;
    let measured = || rows.clone().into_iter().filter(|row| row.is_measured());
    let failed = measured().filter(|row| row.kept_up == YesNo::No).map(|row| row.speed);
    let lowest = failed.fold(f64::INFINITY, f64::min);
    let kept = measured().filter(|row| row.kept_up == YesNo::Yes && row.speed < lowest);
    kept.max_by(|a, b| speed(a).total_cmp(&speed(b)))
}

/// Times of single timeslices, in seconds and in any order.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// Time from when timeslices were due to their results.
    pub latencies: Vec<f64>,
    /// Processing times of workers.
    pub work: Vec<f64>,
    /// Times of event building, of timeslices for which it was done.
    pub building: Vec<f64>,
    /// Delays of the emission, without timeslices that were delayed by a full queue.
    pub late: Vec<f64>,
}

impl Times {
    /// Writes quantiles and maxima into a row.
    pub fn fill(&self, row: &mut StreamRow) {
        let latency = |probability| parts(quantile_with_interval(&self.latencies, probability));
        (row.p50_s, row.p50_low_s, row.p50_high_s) = latency(0.5);
        (row.p99_s, row.p99_low_s, row.p99_high_s) = latency(0.99);
        (row.p999_s, row.p999_low_s, row.p999_high_s) = latency(0.999);
        row.max_s = longest(&self.latencies);
        row.work_p50_s = quantile(&self.work, 0.5);
        row.building_p50_s = quantile(&self.building, 0.5);
        (row.late_p50_s, row.late_p99_s) = (quantile(&self.late, 0.5), quantile(&self.late, 0.99));
        row.late_max_s = longest(&self.late);
    }
}

fn quantile(times: &[f64], probability: f64) -> Option<f64> {
    quantile_with_interval(times, probability).map(|it| it.value)
}

fn longest(times: &[f64]) -> Option<f64> {
    times.iter().copied().reduce(f64::max)
}

fn parts(estimate: Option<Estimate>) -> (Option<f64>, Option<f64>, Option<f64>) {
    let interval = estimate.as_ref().and_then(|it| it.interval);
    let ends = (interval.map(|it| it.low), interval.map(|it| it.high));
    (estimate.map(|it| it.value), ends.0, ends.1)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, timeslice};
    use super::*;

    #[test]
    fn uniform_input_has_one_rate_and_late_results_end_later() {
        let all: Vec<TimesliceRow> = (0..400).map(|index| timeslice(index, 2.0)).collect();
        let rates = Rates::new(&row(1.0), &all, |it| it.bytes as f64);
        assert_eq!((rates.due.len(), rates.done.len()), (PARTS, PARTS));
        // 7.2 MB each 50 ms, in intervals of half a second.
        let close = |rate: f64| (rate / 144e6 - 1.0).abs() < 1e-6;
        assert!(close(rates.due[20].1) && close(rates.done[20].1), "{rates:?}");
        assert_eq!(rates.done[2].1, 0.0, "nothing before 2 s");
        assert!(rates.highest().is_some_and(close));
    }

    #[test]
    fn missing_and_late_timeslices_are_a_shortfall() {
        let whole = row(1.0);
        assert_eq!(shortfall(&whole, 0), None);
        assert_eq!(shortfall(&whole, 1), Some(Shortfall::Held(1)));
        let behind = |backlog| StreamRow { backlog, ..whole.clone() };
        assert_eq!(shortfall(&behind(2), 0), None, "one for each worker");
        assert_eq!(shortfall(&behind(3), 0), Some(Shortfall::Backlog(3)));
        let dropped = StreamRow { dropped: 1, ..behind(3) };
        let words = shortfall(&dropped, 0).expect("it fell short").words();
        assert_eq!(words, "1 timeslice was dropped");
        let lost = StreamRow { lost: 2, ..dropped };
        assert_eq!(shortfall(&lost, 5), Some(Shortfall::Lost(2)));
    }

    #[test]
    fn speeds_above_a_failure_do_not_count() {
        let of = |speed, kept_up: bool| StreamRow { kept_up: kept_up.into(), ..row(speed) };
        let rows = [of(2.0, true), of(1.0, true), of(4.0, false), of(5.0, true)];
        assert_eq!(highest_kept_up(&rows).map(|row| row.speed), Some(2.0));
        assert_eq!(highest_kept_up(&[of(1.0, false)]).map(|row| row.speed), None);
    }
}
