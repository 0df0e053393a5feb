//! A speed as far as it has come.

use super::histogram::{Histogram, LATENCY, LATENESS};

/// What is known of a speed while timeslices come, or once they have come. Numbers count from its
/// beginning; what they are when all is over is in the [`StreamRow`](super::super::StreamRow).
#[derive(Clone, Debug, PartialEq)]
pub struct LiveStream {
    /// The variant's name.
    pub variant: String,
    /// Where it runs.
    pub device: String,
    /// How many times as fast as from the detector timeslices come.
    pub speed: f64,
    /// The detector's time in a timeslice.
    pub timeslice_s: f64,
    /// Whether it goes on.
    pub is_running: bool,
    /// Whether all results that were compared were right.
    pub is_valid: bool,
    /// Timeslices that were due.
    pub due: u64,
    /// Those that were emitted.
    pub emitted: u64,
    /// Those with a result.
    pub done: u64,
    /// Those that nobody did because workers were lost.
    pub lost: u64,
    /// Those that found the queue full.
    pub dropped: u64,
    /// Those that no worker had begun at the end: none before.
    pub left: u64,
    /// Those that were handed to a second worker.
    pub repeated: u64,
    /// Results that were compared with the reference.
    pub checked: u64,
    /// Timeslices that wait in the queue now.
    pub waiting: u64,
    /// Timeslices that workers have now.
    pub in_work: u64,
    /// Digis of the timeslices that are done.
    pub digis: u64,
    /// Their bytes: of digis, or of raw data.
    pub bytes: u64,
    /// Clusters in them.
    pub clusters: u64,
    /// Hits in them.
    pub hits: u64,
    /// Events that were built of them.
    pub events: u64,
    /// Digis in any of those, each counted once.
    pub event_digis: u64,
    /// For how long workers built events.
    pub building_s: f64,
    /// From when timeslices were due until their results were there.
    pub latency: Histogram,
    /// The part of it in which workers were busy with them.
    pub work: Histogram,
    /// How late timeslices were emitted, but those that waited for room in the queue.
    pub lateness: Histogram,
    /// The workers, by their numbers.
    pub workers: Vec<LiveWorker>,
}

/// A worker, and what it has done at this speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LiveWorker {
    /// Whether it is there, or was lost.
    pub is_there: bool,
    /// Timeslices that it has done.
    pub done: u64,
    /// For how long it was busy with those.
    pub busy_s: f64,
}

impl LiveStream {
    /// A speed that has just begun.
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
    fn what_is_due_and_not_begun_is_the_backlog() {
        let begun = LiveStream::new("time-sweep", "cpu", 1.0, 0.05, 2);
        let stream = LiveStream { due: 10, emitted: 8, done: 3, dropped: 1, in_work: 2, ..begun };
        assert_eq!(stream.backlog(), 4);
        // One may be emitted between two looks.
        assert_eq!(LiveStream { emitted: 11, ..stream }.backlog(), 5);
    }
}
