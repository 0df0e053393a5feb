//! Metrics of a running stream, for monitoring: its progress, with times in histograms.
//!
//! | module | holds |
//! |---|---|
//! | `metrics` | names and values of metrics |
//! | `formats` | text for scrapes by Prometheus, lines for pushes to InfluxDB |

mod formats;
mod metrics;

pub use formats::{CONTENT_TYPE, lines, page};
pub use metrics::{Kind, METRICS, Metric};

/// Progress of a speed, during the run and after it. Numbers count from its start; the final
/// results are in the [`StreamRow`](crate::stream::StreamRow).
#[derive(Clone, Debug, PartialEq)]
pub struct LiveStream {
    /// The variant's name.
    pub variant: String,
    /// The device.
    pub device: String,
    /// Rate at which timeslices arrive, over the detector's rate.
    pub speed: f64,
    /// The detector's time in a timeslice.
    pub timeslice_s: f64,
    /// True until the speed ends.
    pub is_running: bool,
    /// True if all results that were compared were right.
    pub is_valid: bool,
    /// Timeslices that were due.
    pub due: u64,
    /// Timeslices that were emitted.
    pub emitted: u64,
    /// Timeslices with a result.
    pub done: u64,
    /// Timeslices without a result because workers were lost.
    pub lost: u64,
    /// Timeslices that were dropped because the queue was full.
    pub dropped: u64,
    /// Timeslices that no worker had begun at the end; 0 before.
    pub left: u64,
    /// Timeslices that were handed to a second worker.
    pub repeated: u64,
    /// Results that were compared with the reference.
    pub checked: u64,
    /// Timeslices that wait in the queue now.
    pub waiting: u64,
    /// Timeslices that workers have now.
    pub in_work: u64,
    /// Digis of the timeslices that are done.
    pub digis: u64,
    /// Bytes of these timeslices: of digis, or of raw data.
    pub bytes: u64,
    /// Clusters in these timeslices.
    pub clusters: u64,
    /// Hits in these timeslices.
    pub hits: u64,
    /// Events that were built from them.
    pub events: u64,
    /// Digis in at least one event, each counted once.
    pub event_digis: u64,
    /// Time that workers spent on building events.
    pub building_s: f64,
    /// Time from when timeslices were due to their results.
    pub latency: Histogram,
    /// Processing time in workers, a part of the latency.
    pub work: Histogram,
    /// Delay of the emission of timeslices, without those that were delayed by a full queue.
    pub lateness: Histogram,
    /// The workers, by index.
    pub workers: Vec<LiveWorker>,
}

/// A worker and its work at this speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LiveWorker {
    /// False if the worker was lost.
    pub is_there: bool,
    /// Timeslices that it has done.
    pub done: u64,
    /// Time that it was busy with those.
    pub busy_s: f64,
}

impl LiveStream {
    /// A speed at its start.
    pub fn new(variant: &str, device: &str, speed: f64, timeslice_s: f64, workers: usize) -> Self {
        let worker = LiveWorker { is_there: true, ..LiveWorker::default() };
        LiveStream {
            variant: variant.to_owned(),
            device: device.to_owned(),
            speed,
            timeslice_s,
            is_running: true,
            is_valid: true,
            due: 0,
            emitted: 0,
            done: 0,
            lost: 0,
            dropped: 0,
            left: 0,
            repeated: 0,
            checked: 0,
            waiting: 0,
            in_work: 0,
            digis: 0,
            bytes: 0,
            clusters: 0,
            hits: 0,
            events: 0,
            event_digis: 0,
            building_s: 0.0,
            latency: Histogram::new(LATENCY),
            work: Histogram::new(LATENCY),
            lateness: Histogram::new(LATENESS),
            workers: vec![worker; workers],
        }
    }

    /// Timeslices that are due and that no worker has begun.
    pub fn backlog(&self) -> u64 {
        let begun = self.done + self.lost + self.dropped + self.in_work;
        self.due.max(self.emitted).saturating_sub(begun)
    }
}

/// Upper bounds of the buckets of latencies, in s: three per decade, from 0.1 ms on.
pub const LATENCY: &[f64] = &[
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0, 25.0, 50.0, 100.0,
];
/// Upper bounds of the buckets of delays, in s: from a microsecond on.
const LATENESS: &[f64] = &[
    0.000001, 0.0000025, 0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001,
    0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0,
];

/// Histogram of times.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    bounds: &'static [f64],
    /// Counts by bucket; the last bucket has the times above all bounds.
    counts: Vec<u64>,
    sum: f64,
}

impl Histogram {
    /// An empty histogram with ascending upper bounds of buckets in s.
    pub fn new(bounds: &'static [f64]) -> Self {
        Histogram { bounds, counts: vec![0; bounds.len() + 1], sum: 0.0 }
    }

    /// Counts a time in s.
    pub fn add(&mut self, seconds: f64) {
        let bucket = self.bounds.partition_point(|&bound| bound < seconds);
        self.counts[bucket] += 1;
        self.sum += seconds;
    }

    /// Number of times.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Sum of all times, in s.
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// Upper bound of each bucket, the last one infinite, with the number of times that do not
    /// exceed it.
    pub fn cumulative(&self) -> impl Iterator<Item = (f64, u64)> {
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        let counts = self.counts.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        bounds.zip(counts)
    }
}

#[cfg(test)]
mod fixture {
    use super::{LiveStream, LiveWorker};

    /// Twelve timeslices were due; one worker is busy, the other one was lost.
    pub fn stream(speed: f64) -> LiveStream {
        let mut stream = LiveStream::new("time-sweep", "cpu", speed, 0.05, 2);
        (stream.due, stream.emitted) = (12, 9);
        (stream.done, stream.lost, stream.dropped) = (2, 1, 1);
        stream.in_work = 1;
        for seconds in [0.05, 0.06] {
            stream.latency.add(seconds);
            stream.work.add(0.04);
        }
        stream.workers[1] = LiveWorker { is_there: false, done: 1, busy_s: 0.25 };
        stream
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_backlog_is_due_and_not_begun() {
        let begun = LiveStream::new("time-sweep", "cpu", 1.0, 0.05, 2);
        let stream = LiveStream { due: 10, emitted: 8, done: 3, dropped: 1, in_work: 2, ..begun };
        assert_eq!(stream.backlog(), 4);
        // One may be emitted between two reads.
        assert_eq!(LiveStream { emitted: 11, ..stream }.backlog(), 5);
    }

    #[test]
    fn each_time_is_in_all_buckets_that_it_does_not_exceed() {
        let mut histogram = Histogram::new(&[0.1, 1.0]);
        for seconds in [0.05, 0.1, 0.5, 7.0] {
            histogram.add(seconds);
        }
        let cumulative: Vec<_> = histogram.cumulative().collect();
        assert_eq!(cumulative, [(0.1, 2), (1.0, 3), (f64::INFINITY, 4)]);
        assert_eq!((histogram.count(), histogram.sum()), (4, 7.65));
    }

    #[test]
    fn buckets_ascend() {
        for bounds in [LATENCY, LATENESS] {
            assert!(bounds.is_sorted_by(|low, high| low < high));
        }
    }
}
