//! Current counts of all speeds, shared with threads that publish them.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use reports::export::live::LiveStream;

use crate::stream::data::Content;
use crate::stream::delta::Delta;
use crate::stream::timeslice_log::{Record, State};

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

const NS: f64 = 1e-9;

/// Adds changes to the counts of a speed.
pub(super) fn add_delta(stream: &mut LiveStream, delta: &Delta, content: &Content<'_>) {
    for record in delta.emitted.iter().filter(|record| record.emitted_ns > 0) {
        stream.emitted += 1;
        if !record.was_held {
            stream.lateness.add(since(record.due_ns, record.emitted_ns));
        }
    }
    for record in &delta.settled {
        stream.repeated += u64::from(record.workers > 1);
        stream.checked += u64::from(record.check.is_some());
        match record.state {
            State::Done => add_done(stream, record, content),
            State::Lost => stream.lost += 1,
            State::Dropped => stream.dropped += 1,
            State::Backlog => stream.left += 1,
            // These are not final states.
            State::Waiting | State::WithWorker => {}
        }
    }
    (stream.waiting, stream.in_work) = (delta.waiting as u64, delta.busy as u64);
    stream.is_valid = delta.is_valid;
    for (worker, &is_there) in stream.workers.iter_mut().zip(&delta.workers) {
        worker.is_there = is_there;
    }
}

fn add_done(stream: &mut LiveStream, record: &Record, content: &Content<'_>) {
    let data = record.data as usize;
    let size = content.sizes.get(data).copied().unwrap_or_default();
    let found = content.expected.get(data).copied().unwrap_or_default();
    stream.done += 1;
    stream.digis += size.digis;
    stream.bytes += size.bytes;
    stream.clusters += found.clusters;
    stream.hits += found.hits;
    if let Some(built) = record.built {
        stream.events += u64::from(built.events);
        stream.event_digis += u64::from(built.digis);
        stream.building_s += built.took_ns as f64 * NS;
    }
    let busy_s = since(record.begun_ns, record.ended_ns);
    stream.latency.add(since(record.due_ns, record.ended_ns));
    stream.work.add(busy_s);
    let worker = record.worker.and_then(|worker| stream.workers.get_mut(worker as usize));
    if let Some(worker) = worker {
        worker.done += 1;
        worker.busy_s += busy_s;
    }
}

fn since(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64 * NS
}
