//! Progress of a speed.

use super::histogram::{Histogram, LATENCY, LATENESS};

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
}
