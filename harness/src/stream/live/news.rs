//! Changes of a ledger since the last update: copies of a few records, so that the ledger is not
//! locked while they are counted.

use super::super::ledger::{Ledger, Record};

/// Numbers of records already counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Seen {
    emitted: usize,
    settled: usize,
}

impl Seen {
    /// Number of timeslices already counted.
    pub(super) fn emitted(self) -> u64 {
        self.emitted as u64
    }
}

/// Changes since the last update.
#[derive(Debug)]
pub(in super::super) struct News {
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

impl News {
    /// Changes of a ledger beyond what was counted.
    pub(in super::super) fn of(ledger: &Ledger, seen: Seen, is_valid: bool) -> Self {
        News {
            emitted: ledger.records().get(seen.emitted..).unwrap_or_default().to_vec(),
            settled: ledger.settled_since(seen.settled).copied().collect(),
            waiting: ledger.waiting(),
            busy: ledger.busy(),
            workers: ledger.are_there().collect(),
            is_valid,
        }
    }

    /// Numbers of records counted, including these changes.
    pub(super) fn after(&self, seen: Seen) -> Seen {
        Seen {
            emitted: seen.emitted + self.emitted.len(),
            settled: seen.settled + self.settled.len(),
        }
    }

    /// True if no workers are left.
    pub(super) fn is_deserted(&self) -> bool {
        !self.workers.contains(&true)
    }
}
