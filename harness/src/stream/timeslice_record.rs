//! Records of timeslices, their counts by final state, and copies of those that have changed since the
//! last update, so that the log is not locked while they are counted.

use super::protocol::StageResult;

/// Record of a timeslice. Times are on the clock shared by all processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Index of the prepared timeslice.
    pub(super) data: u32,
    pub(super) due_ns: u64,
    pub(super) emitted_ns: u64,
    pub(super) begun_ns: u64,
    pub(super) ended_ns: u64,
    /// Last worker that it was handed to.
    pub(super) worker: Option<u32>,
    /// Number of workers that it was handed to.
    pub(super) workers: u8,
    pub(super) state: State,
    /// True if it was emitted late because the queue was full.
    pub(super) was_held: bool,
    /// Comparison of its result with the reference, if any.
    pub(super) check: Option<CheckRecord>,
    /// Size of the result of the stage after the task, if it is enabled.
    pub(super) stage: Option<StageResult>,
}

/// A comparison with the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CheckRecord {
    /// Stride of the segments that were compared bit by bit; 0 if only counts were compared.
    pub(super) stride: u32,
    /// Worker time spent on the comparison, in ns.
    pub(super) took_ns: u64,
}

/// State of a timeslice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Waiting,
    WithWorker,
    Done,
    Lost,
    Dropped,
    /// No worker had started it at the end.
    Backlog,
}

impl Record {
    /// Record of a timeslice that was not emitted yet.
    pub(super) fn new(data: usize, due_ns: u64, state: State, was_held: bool) -> Self {
        Record {
            data: data as u32,
            due_ns,
            emitted_ns: 0,
            begun_ns: 0,
            ended_ns: 0,
            worker: None,
            workers: 0,
            state,
            was_held,
            check: None,
            stage: None,
        }
    }
}

/// Numbers of timeslices by their final state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) due: u64,
    pub(super) emitted: u64,
    pub(super) done: u64,
    pub(super) lost: u64,
    pub(super) dropped: u64,
    pub(super) backlog: u64,
    /// Handed to a second worker.
    pub(super) repeated: u64,
    /// Emitted late, or not at all, because the queue was full.
    pub(super) held: u64,
    pub(super) checked: u64,
}

impl Counts {
    /// Counts of these timeslices.
    pub(super) fn of_records(records: &[Record]) -> Self {
        let mut counts = Counts::default();
        for record in records {
            counts.due += 1;
            counts.emitted += u64::from(record.emitted_ns > 0);
            counts.repeated += u64::from(record.workers > 1);
            counts.held += u64::from(record.was_held);
            counts.checked += u64::from(record.check.is_some());
            match record.state {
                State::Done => counts.done += 1,
                State::Lost => counts.lost += 1,
                State::Dropped => counts.dropped += 1,
                State::Backlog => counts.backlog += 1,
                State::Waiting | State::WithWorker => {}
            }
        }
        counts
    }
}

/// Numbers of records already counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) emitted: usize,
    pub(super) settled: usize,
}

/// Changes since the last update.
#[derive(Debug)]
pub(super) struct Delta {
    /// Timeslices that were emitted, or at the end those that could not be.
    pub(super) emitted: Vec<Record>,
    /// Timeslices that reached a final state.
    pub(super) settled: Vec<Record>,
    /// Number of timeslices waiting in the queue.
    pub(super) waiting: usize,
    /// Number of timeslices with workers.
    pub(super) busy: usize,
    /// For each worker, true if it is running.
    pub(super) workers: Vec<bool>,
    /// True if all results compared so far were right.
    pub(super) is_valid: bool,
}

impl Delta {
    /// Numbers of records counted, including these changes.
    pub(super) fn after(&self, cursor: Cursor) -> Cursor {
        Cursor {
            emitted: cursor.emitted + self.emitted.len(),
            settled: cursor.settled + self.settled.len(),
        }
    }

    /// True if no workers are left.
    pub(super) fn has_no_workers(&self) -> bool {
        !self.workers.contains(&true)
    }
}
