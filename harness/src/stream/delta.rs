//! Changes of a log since the last update: copies of a few records, so that the log is not
//! locked while they are counted.

use super::timeslice_log::TimesliceLog;
use super::timeslice_record::Record;

/// Numbers of records already counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    emitted: usize,
    settled: usize,
}

impl Cursor {
    /// Number of timeslices already counted.
    pub(super) fn emitted(self) -> u64 {
        self.emitted as u64
    }
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
    /// Changes of a log beyond what was counted.
    pub(super) fn since(log: &TimesliceLog, cursor: Cursor, is_valid: bool) -> Self {
        Delta {
            emitted: log.records().get(cursor.emitted..).unwrap_or_default().to_vec(),
            settled: log.settled_since(cursor.settled).copied().collect(),
            waiting: log.waiting(),
            busy: log.busy(),
            workers: log.are_there().collect(),
            is_valid,
        }
    }

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
