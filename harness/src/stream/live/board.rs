//! Where numbers wait for those who ask for them.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use reports::stream::live::LiveStream;

/// The numbers of all speeds so far.
#[derive(Debug, Default)]
pub(super) struct Board(Mutex<Vec<LiveStream>>);

impl Board {
    fn streams(&self) -> MutexGuard<'_, Vec<LiveStream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy of all: what is written out of it takes its time, while nobody waits.
    pub(super) fn all(&self) -> Vec<LiveStream> {
        self.streams().clone()
    }

    /// Puts a speed up; returns its place.
    pub(super) fn put(&self, stream: LiveStream) -> usize {
        let mut streams = self.streams();
        streams.push(stream);
        streams.len() - 1
    }

    /// Changes a speed, waiting for those who read.
    pub(super) fn change(&self, place: usize, change: impl FnOnce(&mut LiveStream)) {
        self.streams().get_mut(place).map(change);
    }

    /// The same, or nothing if somebody reads: readers go behind all others, and may take long.
    pub(super) fn try_change(&self, place: usize, change: impl FnOnce(&mut LiveStream)) {
        let mut streams = match self.0.try_lock() {
            Ok(streams) => streams,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        streams.get_mut(place).map(change);
    }
}
