//! Latencies and delays of timeslices.

use statistics::{Estimate, quantile_with_interval};

use super::row::StreamRow;

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
