//! What has happened in a ledger since somebody looked last: copies of a few records, so that
//! nobody has to wait while they are counted.

use super::super::ledger::{Ledger, Record};

/// What is known already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Seen {
    emitted: usize,
    settled: usize,
}

impl Seen {
    /// Timeslices that are known.
    pub(super) fn emitted(self) -> u64 {
        self.emitted as u64
    }
}

/// What is new.
#[derive(Debug)]
pub(in super::super) struct News {
    /// Timeslices that were emitted, or at the end those that could not be.
    pub(super) emitted: Vec<Record>,
    /// Timeslices that have an end.
    pub(super) settled: Vec<Record>,
    /// Timeslices that wait in the queue.
    pub(super) waiting: usize,
    /// Timeslices that workers have.
    pub(super) busy: usize,
    /// Whether each worker is there.
    pub(super) workers: Vec<bool>,
    /// Whether all results that were compared were right.
    pub(super) is_valid: bool,
}

impl News {
    /// What is in a ledger beyond what was seen.
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

    /// What is known with it.
    pub(super) fn after(&self, seen: Seen) -> Seen {
        Seen {
            emitted: seen.emitted + self.emitted.len(),
            settled: seen.settled + self.settled.len(),
        }
    }

    /// Whether nobody is left to work.
    pub(super) fn is_deserted(&self) -> bool {
        !self.workers.contains(&true)
    }
}
