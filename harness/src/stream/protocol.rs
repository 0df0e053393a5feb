//! Messages between a stream and its workers: one line of JSON each, on the worker's standard input
//! and output. Both are the same executable.

use std::path::PathBuf;

use algorithms_sts::sts_events::EventRules;
use portable_gpu::DeviceError;
use serde::{Deserialize, Serialize};
use tasks::algorithm::{Digest, SegmentSums, Segments};

use crate::measure::CheckError;
use crate::workers::{IpcError, any_path};

/// Request to a worker. The worker ends when its standard input is closed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// Get ready; sent once, before all others. Answered by [`Response::Ready`] or
    /// [`Response::Refused`].
    Open(Opening),
    /// Process a timeslice. Answered by [`Response::Done`] or [`Response::Refused`].
    Process {
        number: u64,
        /// Index of the prepared timeslice.
        data: usize,
        /// Send a digest of the result.
        check: bool,
        /// File for its hits.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "any_path")]
        hits: Option<PathBuf>,
    },
    /// Process all prepared timeslices once more. Answered by [`Response::Compared`] or
    /// [`Response::Refused`].
    Compare,
}

/// Configuration of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Opening {
    pub(super) variant: String,
    pub(super) device: String,
    pub(super) threads: usize,
    /// CPUs of each thread; threads are not bound if there are none.
    pub(super) cpus: Option<Vec<Vec<usize>>>,
    /// Rules of event building after the chain; no events are built without rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) events: Option<Rules>,
}

/// [`EventRules`] in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rules {
    window_ns: u32,
    min_digis: u32,
    dead_time_ns: u32,
    before_ns: u32,
    after_ns: u32,
}

/// Response of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Response {
    Ready {
        /// Digest of each of the prepared timeslices.
        found: Vec<ResultDigest>,
        /// Processing time of each after warm-up, in ns.
        took_ns: Vec<u64>,
    },
    Done {
        number: u64,
        begun_ns: u64,
        ended_ns: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        check: Option<Check>,
        /// Counts of built events, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        built: Option<EventCounts>,
    },
    Compared {
        /// Digests of the complete output for each of the prepared timeslices.
        found: Vec<ResultDigest>,
    },
    /// The request can't be fulfilled.
    Refused(WorkerRefusal),
}

/// Reason of a worker to refuse a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WorkerRefusal {
    pub(super) problem: String,
    /// True if the variant is wrong, rather than the machine unsuitable.
    pub(super) is_wrong: bool,
}

impl WorkerRefusal {
    /// Refusal because of the machine.
    pub(super) fn unable(problem: impl ToString) -> Self {
        WorkerRefusal { problem: problem.to_string(), is_wrong: false }
    }

    /// Refusal because of the variant.
    pub(super) fn wrong(problem: impl ToString) -> Self {
        WorkerRefusal { problem: problem.to_string(), is_wrong: true }
    }
}

/// Digest of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ResultDigest {
    pub(super) clusters: u64,
    pub(super) hits: u64,
    pub(super) sum: u64,
    /// Digest of the events, if events are built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) events: Option<EventDigest>,
}

/// Digest of a result, and the cost of computing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Check {
    /// Digest of the segments below; counts are of all segments.
    pub(super) found: ResultDigest,
    pub(super) stride: usize,
    pub(super) turn: usize,
    /// Worker time spent on it, in ns.
    pub(super) took_ns: u64,
}

impl Check {
    /// Segments whose bits were summed.
    pub(super) fn segments(&self) -> Segments {
        Segments::every(self.stride, self.turn)
    }
}

/// Reference result of a prepared timeslice: sums of all segments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) chain: SegmentSums,
    pub(super) events: Option<SegmentSums>,
}

impl Expected {
    /// Digest of these segments.
    pub(super) fn found(&self, segments: Segments) -> ResultDigest {
        let events = self.events.as_ref().map(|events| events.digest(segments));
        ResultDigest::new(self.chain.digest(segments), events)
    }

    /// Largest number of segments of a kind.
    pub(super) fn segments(&self) -> usize {
        let events = self.events.as_ref().map_or(0, SegmentSums::segments);
        self.chain.segments().max(events)
    }
}

/// Digest of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EventDigest {
    pub(super) events: u64,
    /// Number of digis in any of them.
    pub(super) digis: u64,
    pub(super) sum: u64,
}

/// Counts of events that a worker built from a timeslice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EventCounts {
    pub(super) events: u32,
    /// Number of digis in any of them.
    pub(super) digis: u32,
    /// Time for building them, in ns.
    pub(super) took_ns: u64,
}

impl ResultDigest {
    /// Combines the digests of a chain's result and of the events built after it.
    pub(super) fn new(chain: Digest, events: Option<Digest>) -> Self {
        let Digest { counts: [clusters, hits], sum } = chain;
        let events = events.map(|Digest { counts: [events, digis], sum }| EventDigest {
            events,
            digis,
            sum,
        });
        ResultDigest { clusters, hits, sum, events }
    }
}

impl From<EventRules> for Rules {
    fn from(rules: EventRules) -> Self {
        let EventRules { window_ns, min_digis, dead_time_ns, before_ns, after_ns } = rules;
        Rules { window_ns, min_digis, dead_time_ns, before_ns, after_ns }
    }
}

impl From<Rules> for EventRules {
    fn from(rules: Rules) -> Self {
        let Rules { window_ns, min_digis, dead_time_ns, before_ns, after_ns } = rules;
        EventRules { window_ns, min_digis, dead_time_ns, before_ns, after_ns }
    }
}

/// Reason for ending a worker early.
pub(super) enum End {
    /// The parent process is gone.
    PeerClosed,
    /// A request that can't be fulfilled.
    Refused(WorkerRefusal),
}

/// Reason that ends a worker which can't fulfil a request.
pub(super) fn unable(problem: impl ToString) -> End {
    End::Refused(WorkerRefusal::unable(problem))
}

/// Reason that ends a worker whose variant is wrong.
pub(super) fn wrong(problem: impl ToString) -> End {
    End::Refused(WorkerRefusal::wrong(problem))
}

impl From<DeviceError> for End {
    fn from(error: DeviceError) -> Self {
        let problem = error.to_string();
        End::Refused(WorkerRefusal { problem, is_wrong: CheckError::from(error).is_wrong() })
    }
}

impl From<IpcError> for End {
    fn from(error: IpcError) -> Self {
        match error {
            IpcError::PeerClosed(_) => End::PeerClosed,
            IpcError::NotUnderstood(problem) => unable(problem),
        }
    }
}
