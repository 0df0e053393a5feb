//! Timeslices by their final state, and their latencies.

use statistics::{Estimate, quantile_with_interval};

/// Timeslices that were due by their final state: `due` is the sum of `done`, `lost`, `dropped` and `backlog`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Timeslices that were due.
    pub due: u64,
    /// Timeslices with a result.
    pub done: u64,
    /// Timeslices that two nodes failed with.
    pub lost: u64,
    /// Timeslices that found all queues full.
    pub dropped: u64,
    /// Timeslices that no worker had begun at the end.
    pub backlog: u64,
    /// Timeslices that went to a second node because the first one failed.
    pub repeated: u64,
    /// Timeslices that waited before the nodes because all queues were full.
    pub held: u64,
    /// Failures of nodes.
    pub failures: u64,
    /// Maximum number of timeslices that waited at the same time.
    pub max_waiting: u64,
    /// Share of their time that workers were busy, failed ones included.
    pub utilisation: f64,
    /// Times in seconds from when a timeslice was due until its result was there, in order of results.
    pub latencies_s: Vec<f64>,
    /// Workers of all nodes.
    pub workers: usize,
}

impl Outcome {
    /// A quantile of the latencies in seconds; `None` if nothing is done.
    pub fn latency_s(&self, probability: f64) -> Option<Estimate> {
        quantile_with_interval(&self.latencies_s, probability)
    }

    /// True if nothing was dropped, lost or held, and not more than one timeslice for each worker was left.
    pub fn kept_up(&self) -> bool {
        self.dropped + self.lost + self.held == 0 && self.backlog <= self.workers as u64
    }
}
