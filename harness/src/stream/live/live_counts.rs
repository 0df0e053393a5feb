//! Current counts of all speeds, shared with threads that publish them.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use reports::export::live::LiveStream;

/// Counts of all speeds so far.
#[derive(Debug, Default)]
pub(super) struct LiveCounts(Mutex<Vec<LiveStream>>);

impl LiveCounts {
    fn streams(&self) -> MutexGuard<'_, Vec<LiveStream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies all counts, so that formatting them blocks no writer.
    pub(super) fn all(&self) -> Vec<LiveStream> {
        self.streams().clone()
    }

    /// Adds a speed; returns its index.
    pub(super) fn put(&self, stream: LiveStream) -> usize {
        let mut streams = self.streams();
        streams.push(stream);
        streams.len() - 1
    }

    /// Updates a speed, waiting for readers.
    pub(super) fn change(&self, index: usize, change: impl FnOnce(&mut LiveStream)) {
        self.streams().get_mut(index).map(change);
    }

    /// Updates a speed unless a reader holds the lock: readers have low priority and may take long.
    pub(super) fn try_change(&self, index: usize, change: impl FnOnce(&mut LiveStream)) {
        let mut streams = match self.0.try_lock() {
            Ok(streams) => streams,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        streams.get_mut(index).map(change);
    }
}
