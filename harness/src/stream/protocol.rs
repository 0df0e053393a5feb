//! Messages between a stream and its workers: one line of JSON each, on the worker's standard input
//! and output. Both are the same executable.

use std::collections::BTreeMap;
use std::path::PathBuf;

use portable_gpu::DeviceError;
use serde::{Deserialize, Serialize};
use tasks::algorithm::{CheckError as OutputError, Digest, KINDS, Segments};
use tasks::open_loop::{FrameDigest, StageCounts};

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
        /// File for its result.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "any_path")]
        file: Option<PathBuf>,
    },
    /// Process all prepared timeslices once more. Answered by [`Response::Compared`] or
    /// [`Response::Refused`].
    Compare,
}

/// Configuration of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Opening {
    pub(super) task: String,
    pub(super) variant: String,
    pub(super) device: String,
    pub(super) threads: usize,
    /// CPUs of each thread; threads are not bound if there are none.
    pub(super) cpus: Option<Vec<Vec<usize>>>,
    /// Parameters of the stage after the task; it is not run without them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stage: Option<BTreeMap<String, String>>,
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
        /// Size of the stage's result, if it is enabled.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stage: Option<StageResult>,
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
    /// Items of each kind.
    pub(super) counts: [u64; KINDS],
    pub(super) sum: u64,
    /// Digest of the stage's result, if it is enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stage: Option<StageDigest>,
}

/// Digest of the result of the stage after the task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StageDigest {
    /// Items of each kind.
    pub(super) counts: [u64; KINDS],
    pub(super) sum: u64,
}

impl From<FrameDigest> for ResultDigest {
    fn from(FrameDigest { task, stage }: FrameDigest) -> Self {
        let stage = stage.map(|Digest { counts, sum }| StageDigest { counts, sum });
        ResultDigest { counts: task.counts, sum: task.sum, stage }
    }
}

/// Size of the result of the stage after the task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StageResult {
    /// Items of each kind.
    pub(super) counts: [u32; KINDS],
    /// Duration of the stage, in ns.
    pub(super) took_ns: u64,
}

impl From<StageCounts> for StageResult {
    fn from(StageCounts { counts, took_ns }: StageCounts) -> Self {
        StageResult { counts, took_ns }
    }
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

impl From<OutputError> for End {
    fn from(error: OutputError) -> Self {
        wrong(error)
    }
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
